package objc

import "runtime"

// WithPool calls f with an autorelease pool in place and on one operating system
// thread, because a pool belongs to the thread that made it. Objects that f wants
// to keep it has to retain. Pools nest.
// Clang: Objective-C Automatic Reference Counting, "@autoreleasepool".
func WithPool(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s := NewSender()
	defer s.Free()
	pool := s.Call(c.poolPush)
	defer func() { s.Call(c.poolPop, pool) }()
	f()
}
