package cpu

import "github.com/metalgen/metalgen/parser"

// site is a place where a program touches memory.
type site struct {
	pos    int32   // index of its position
	leaves []leaf  // that are touched, side by side
	stored []int32 // the registers of what is stored to them; nil where nothing is, or by another way
}

// siteAt returns the position of a site.
func (p *program) siteAt(site int) parser.Pos { return p.positions[p.sites[site].pos] }

// updatesAt reports whether the program both loads and stores at a position, as an operator such as += does.
func (p *program) updatesAt(pos parser.Pos) bool {
	loads, stores := false, false
	for i := range p.sites {
		if p.siteAt(i) == pos {
			loads, stores = loads || p.sites[i].stored == nil, stores || p.sites[i].stored != nil
		}
	}
	return loads && stores
}
