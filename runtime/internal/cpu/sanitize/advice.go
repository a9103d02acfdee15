package sanitize

import (
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/runtime/internal/cpu/shadow"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// What a race needs to be mended is seen in all races of an object: x[0] += 1 races between lanes, simd-groups and
// threadgroups, and no barrier mends the last of these.

// ways is a set of shadow.Kind: which threads a race was between.
type ways uint8

func (w ways) has(k shadow.Kind) bool { return w>>k&1 != 0 }

// advise completes the message of a race: with the other threads between which the same places race, and with the
// atomic that takes the place of all that race on the object, where there is one.
func (s *Sanitizer) advise(f *found, key findingKey) driver.Finding {
	finding := f.Finding
	if key.kind != driver.CheckRace && key.kind != driver.CheckRaceSimdgroup {
		return finding
	}
	if f.ways.has(shadow.Between) && f.way != shadow.Between {
		finding.Msg += "; it races between threadgroups too, which nothing orders"
	}
	if s.updatesOnly(key.object) {
		finding.Msg += "; " + atomicFor(finding.Places[0])
	}
	return finding
}

// updatesOnly reports whether all places that race on an object are operators such as +=, which read and write it.
func (s *Sanitizer) updatesOnly(object string) bool {
	for key := range s.found.byKey {
		race := key.kind == driver.CheckRace || key.kind == driver.CheckRaceSimdgroup
		if race && key.object == object && (key.first != key.second || !s.dispatch.Code.UpdatesAt(key.first)) {
			return false
		}
	}
	return true
}

// updates are the operators that read and write, with the atomic functions that do so in one step.
var updates = []struct{ operator, function string }{
	{"+=", "atomic_fetch_add_explicit"}, {"++", "atomic_fetch_add_explicit"},
	{"-=", "atomic_fetch_sub_explicit"}, {"--", "atomic_fetch_sub_explicit"},
	{"&=", "atomic_fetch_and_explicit"}, {"|=", "atomic_fetch_or_explicit"}, {"^=", "atomic_fetch_xor_explicit"},
}

// atomicFor says which atomic takes the place of the operator at a place.
func atomicFor(p driver.Place) string {
	for _, u := range updates {
		if strings.Contains(p.Line, u.operator) {
			return fmt.Sprintf("%s reads and writes in two steps, which no barrier makes one; use %s on an atomic",
				u.operator, u.function)
		}
	}
	return "it reads and writes in two steps, which no barrier makes one; " +
		"use an atomic and a loop around atomic_compare_exchange_weak_explicit"
}
