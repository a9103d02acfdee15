// Package wide holds programs as machine code is made of them, and finds what is known of them before they run.
//
// A [Program] is a kernel: instructions on registers of 32 lanes and on masks of active lanes, as the interpreter has
// them. An [Op] is what an instruction does. table.go says what each reads and writes, how long it takes, and how its
// lanes relate to each other if those of its operands are known (rule.go).
//
// [Analyse] follows all paths through a program and finds, for each point, what is known of each register (kind.go):
// that it is the same in all lanes, that it counts up from lane to lane, which object it points into. place.go guesses
// how lanes mostly count up that depend on where threads are. The interpreter finds these out while it runs and knows
// more; what is found here holds for all runs. Analyse also finds which masks are equal (state.go), so that what is
// assigned in all lanes of a variable's scope needs no blending. liveness.go finds which registers are still read, and
// held.go lists how they hold their values where the interpreter takes over.
//
// sums.go and bounds.go follow a block and say which registers are others and a number, and how large they may be.
// [Chain] knows what the blocks that are written together read later. A [Sweep] is a program that goes straight on,
// with what is checked at both ends of a row of simd-groups.
//
// A [Budget] counts what all that takes, and what is made of it.
package wide
