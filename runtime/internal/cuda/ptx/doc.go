// Package ptx writes a kernel of ir as PTX, the assembly that NVIDIA's driver compiles.
//
// It takes an [ir.Kernel] that has been through the passes, and returns an [abi.Module]: the text, where its parameters
// lie, and what its faults mean. It knows no driver. Start reading at module.go; flow.go has the control flow, package
// template most operations, package texel textures, access.go loads and stores, memory.go where they lead, check.go
// their checks, group.go what threads do together, routine.go functions that call themselves, resource.go pointers in
// memory, log.go messages. Each has a type for its methods; what they share while a kernel is written is the emitter.
//
// # Pointers
//
// A pointer is the number of an object in its upper 16 bits and an offset, as everywhere in ir. Where all paths lead to
// one object (package facts), the register holds the offset alone. An access compares its offset with the room that its
// object has, which is a parameter of the kernel, and so none leaves its object whatever the kernel computes.
//
// # Active lanes
//
// Kernels that communicate between threads need to know which lanes are active, and PTX has no instruction that says
// so. It follows from the structure of the ir instead: on the way into a construct lanes vote on where they go, and
// each lane that leaves one early still passes its end, and those of all constructs around it, where the others count
// who goes on. So all instructions with a mask are executed by just the lanes of that mask.
package ptx
