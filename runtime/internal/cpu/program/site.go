package program

import "github.com/metalgen/metalgen/parser"

// Site is a place where a program touches memory.
type Site struct {
	Pos        int32       // index of its position
	Components []Component // that are touched, side by side
	Stored     []int32     // the registers of what is stored to them; nil where nothing is, or by another way
}

// SiteAt returns the position of a site.
func (p *Program) SiteAt(site int) parser.Pos { return p.Positions[p.Sites[site].Pos] }

// UpdatesAt reports whether the program both loads and stores at a position, as an operator such as += does.
func (p *Program) UpdatesAt(pos parser.Pos) bool {
	loads, stores := false, false
	for i := range p.Sites {
		if p.SiteAt(i) == pos {
			loads, stores = loads || p.Sites[i].Stored == nil, stores || p.Sites[i].Stored != nil
		}
	}
	return loads && stores
}
