package cpu

import (
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
)

// schedule is an order in which the simd-groups of a dispatch run: of those that barriers
// permit, one for each seed. It has some threadgroups run at once, one simd-group a little
// further after the other. Programs for it have an instruction before each access to
// memory at which a simd-group may stop.
type schedule struct {
	dispatch *recorded
	turns    interp.Turns
	total    int64
	by, from int64 // the threadgroup of turn n is n*by + from
	started  int64
}

// atOnce is the number of threadgroups that run at once.
const atOnce = 3

// runScheduled executes all threadgroups in the order of a seed.
func (d *recorded) runScheduled(seed uint64, total int64) error {
	s := &schedule{dispatch: d, total: total}
	s.turns.Random = rand.New(rand.NewPCG(seed, uint64(total)))
	s.by, s.from = s.turns.Random.Int64N(total), s.turns.Random.Int64N(total)
	for total > 1 && new(big.Int).GCD(nil, nil, big.NewInt(s.by), big.NewInt(total)).Int64() != 1 {
		s.by = (s.by + 1) % total
	}
	pool := d.kernel.pool(d.Code)
	var running []*interp.Threadgroup
	defer func() {
		for _, g := range running {
			pool.release(g)
		}
	}()
	for range max(1, min(atOnce, total, int64(maxFrames/d.Frames()))) {
		g := pool.take()
		running = append(running, g)
		g.Turns = &s.turns
		if err := g.Prepare(&d.Dispatch); err != nil {
			return err
		}
		position := s.next()
		g.Start(&position)
	}
	for len(running) > 0 {
		if d.Stop.Load() {
			running[0].Failed = 0
			return running[0].Stopped()
		}
		i := s.turns.Random.IntN(len(running))
		switch goesOn, err := running[i].Turn(); {
		case err != nil:
			return err
		case goesOn:
		case s.started < total:
			position := s.next()
			running[i].Start(&position)
		default:
			pool.release(running[i])
			running = slices.Delete(running, i, i+1)
		}
	}
	return nil
}

// next returns the position of the threadgroup to start next.
func (s *schedule) next() [3]int {
	high, low := bits.Mul64(uint64(s.started), uint64(s.by))
	number := (bits.Rem64(high, low, uint64(s.total)) + uint64(s.from)) % uint64(s.total)
	s.started++
	return s.dispatch.GroupAt(int64(number))
}
