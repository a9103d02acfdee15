//go:build amd64 || arm64

package fakemetal

import (
	"regexp"

	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

// Messages returns the messages since Open or Clear, in the order in which they were sent.
func (l *Log) Messages() []Message {
	var list []Message
	for _, m := range metaltest.Log() {
		list = append(list, Message(m))
	}
	return list
}

// Counts returns the counts since Open or Clear.
func (l *Log) Counts() Counts {
	c := metaltest.Count()
	return Counts{
		Messages: int(c.Messages), CommandBuffers: int(c.CommandBuffers), Encoders: int(c.Encoders),
		Dispatches: int(c.Dispatches), Barriers: int(c.Barriers), Needless: int(c.Needless),
	}
}

// Clear empties the log and sets the counts to 0.
func (l *Log) Clear() { metaltest.ResetLog() }

// Order returns what was encoded since Open or Clear: the name of the kernel for
// each dispatch, and [Barrier] for each barrier.
func (l *Log) Order() []string {
	var order []string
	kernel := ""
	for _, m := range metaltest.Log() {
		switch m.Selector {
		case "setComputePipelineState:":
			kernel = m.Args[0]
			if name := quoted.FindStringSubmatch(kernel); name != nil {
				kernel = name[1]
			}
		case "dispatchThreads:threadsPerThreadgroup:", "dispatchThreadgroups:threadsPerThreadgroup:",
			"dispatchThreadgroupsWithIndirectBuffer:indirectBufferOffset:threadsPerThreadgroup:":
			order = append(order, kernel)
		case "memoryBarrierWithScope:", "memoryBarrierWithResources:count:":
			order = append(order, Barrier)
		}
	}
	return order
}

var quoted = regexp.MustCompile(`"(.*)"`)
