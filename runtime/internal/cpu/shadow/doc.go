// Package shadow remembers who touched which bytes of memory while a kernel runs, and
// finds the accesses that race.
//
// It takes the accesses of simd-groups, one instruction after the other, and the barriers and fences between them, and
// returns races. It knows nothing of kernels: a place in the source is a number, a thread is a lane of a simd-group of
// a threadgroup.
//
// Two accesses race where they touch the same byte, one of them writes, not both are
// atomic, and nothing orders them. A [Group] has the clocks that say what orders what. A
// [Memory] has a cell for each four bytes: who wrote them last, and two of those who have
// read them since. Two readers are enough. Of all threads that have read since the last
// barrier a write races with at least one of two, unless all of them are the writer; and of
// readers in several threadgroups it races with one of any two, but where fences order the two and
// not a third.
//
// A cell also keeps bytes apart where the lanes of one instruction touch them, as in an
// array of uchar. Where different instructions touch different bytes of a word, the word gets
// a cell for each of its bytes.
//
// Memory takes eight bytes of shadow for each byte, in pages that are made when something
// touches them, and 32 more for each byte of the words that are kept apart. All together take
// at most nine for each byte of the pages, and 64 KB beside that: where there is no more room,
// a cell forgets one of two accesses to different bytes of its word, and a race with that one
// goes unseen.
package shadow
