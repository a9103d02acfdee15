package msl

import "github.com/metalgen/metalgen/parser"

// maxChain bounds the functions, constants and types that each need the next: a
// source could have so many that the stack does not hold the way through them.
const maxChain = 1000

const tooLongChain = "%s needs more than %d other functions, constants or types that each need the next"

// wait notes that a function, constant or type is worked out while what needs it
// waits, until resumes. It returns an error where too many wait.
func (r *resolver) wait(name string, pos parser.Pos) error { return r.waitWithin(maxChain, name, pos) }

func (r *resolver) waitWithin(limit int, name string, pos parser.Pos) error {
	if r.chain >= limit {
		return posError(pos, tooLongChain, name, maxChain)
	}
	r.chain++
	return nil
}

// resumes ends what wait began.
func (r *resolver) resumes() { r.chain-- }

// waits is wait, with the error reported.
func (c *checker) waits(name string, pos parser.Pos) bool {
	err := c.wait(name, pos)
	if err != nil {
		c.report(err, pos)
	}
	return err == nil
}
