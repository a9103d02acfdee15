package metal

import "github.com/metalgen/metalgen/runtime/internal/objc"

// The messages that the driver sends, with the types of their methods (Apple:
// the headers of the Metal and Foundation frameworks).
var (
	selName                 = objc.Selector("name", "@")
	selHasUnifiedMemory     = objc.Selector("hasUnifiedMemory", "B")
	selMaxThreadgroupMemory = objc.Selector("maxThreadgroupMemoryLength", "Q")
	selMaxBufferLength      = objc.Selector("maxBufferLength", "Q")
	selNewCommandQueue      = objc.Selector("newCommandQueue", "@")
	selNewBuffer            = objc.Selector("newBufferWithLength:options:", "@QQ")
	selContents             = objc.Selector("contents", "^v")
	selNewLibrary           = objc.Selector("newLibraryWithSource:options:error:", "@@@^@")
	selNewFunction          = objc.Selector("newFunctionWithName:", "@@")
	selNewFunctionConstants = objc.Selector("newFunctionWithName:constantValues:error:", "@@@^@")
	selNewPipeline          = objc.Selector("newComputePipelineStateWithFunction:error:", "@@^@")
	selMaxTotalThreads      = objc.Selector("maxTotalThreadsPerThreadgroup", "Q")
	selStaticThreadgroup    = objc.Selector("staticThreadgroupMemoryLength", "Q")
	selCommandBuffer        = objc.Selector("commandBufferWithUnretainedReferences", "@")
	selEncoder              = objc.Selector("computeCommandEncoderWithDispatchType:", "@Q")
	selEndEncoding          = objc.Selector("endEncoding", "v")
	selCommit               = objc.Selector("commit", "v")
	selWaitUntilCompleted   = objc.Selector("waitUntilCompleted", "v")
	selError                = objc.Selector("error", "@")
	selSetPipeline          = objc.Selector("setComputePipelineState:", "v@")
	selSetBuffers           = objc.Selector("setBuffers:offsets:withRange:", "vr^@r^Q{_NSRange=QQ}")
	selSetThreadgroupMemory = objc.Selector("setThreadgroupMemoryLength:atIndex:", "vQQ")
	selDispatchThreads      = objc.Selector("dispatchThreads:threadsPerThreadgroup:", "v{?=QQQ}{?=QQQ}")
	selDispatchThreadgroups = objc.Selector("dispatchThreadgroups:threadsPerThreadgroup:", "v{?=QQQ}{?=QQQ}")
	selMemoryBarrier        = objc.Selector("memoryBarrierWithScope:", "vQ")
	selSetConstantValue     = objc.Selector("setConstantValue:type:atIndex:", "vr^vQQ")
)
