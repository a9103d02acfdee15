package metal

import "github.com/metalgen/metalgen/runtime/internal/objc"

// The messages that the driver sends, with the types of their methods (Apple:
// the headers of the Metal and Foundation frameworks).
var (
	selName                 = objc.Selector("name", "@")
	selHasUnifiedMemory     = objc.Selector("hasUnifiedMemory", "B")
	selSupportsFamily       = objc.Selector("supportsFamily:", "Bq")
	selMaxThreadgroupMemory = objc.Selector("maxThreadgroupMemoryLength", "Q")
	selMaxBufferLength      = objc.Selector("maxBufferLength", "Q")
	selNewCommandQueue      = objc.Selector("newCommandQueue", "@")
	selNewBuffer            = objc.Selector("newBufferWithLength:options:", "@QQ")
	selContents             = objc.Selector("contents", "^v")
	selNewLibrary           = objc.Selector("newLibraryWithSource:options:error:", "@@@^@")
	selNewFunction          = objc.Selector("newFunctionWithName:", "@@")
	selMaxTotalThreads      = objc.Selector("maxTotalThreadsPerThreadgroup", "Q")
	selStaticThreadgroup    = objc.Selector("staticThreadgroupMemoryLength", "Q")
	selCommandBuffer        = objc.Selector("commandBufferWithUnretainedReferences", "@")
	selEncoder              = objc.Selector("computeCommandEncoderWithDispatchType:", "@Q")
	selEndEncoding          = objc.Selector("endEncoding", "v")
	selCommit               = objc.Selector("commit", "v")
	selWaitUntilCompleted   = objc.Selector("waitUntilCompleted", "v")
	selError                = objc.Selector("error", "@")
	selSetPipeline          = objc.Selector("setComputePipelineState:", "v@")
	selDispatchThreads      = objc.Selector("dispatchThreads:threadsPerThreadgroup:", "v{?=QQQ}{?=QQQ}")
	selDispatchThreadgroups = objc.Selector("dispatchThreadgroups:threadsPerThreadgroup:", "v{?=QQQ}{?=QQQ}")
	selMemoryBarrier        = objc.Selector("memoryBarrierWithScope:", "vQ")
	selBlitEncoder          = objc.Selector("blitCommandEncoder", "@")
	selFillBuffer           = objc.Selector("fillBuffer:range:value:", "v@{_NSRange=QQ}C")
	selNewBufferNoCopy      = objc.Selector("newBufferWithBytesNoCopy:length:options:deallocator:", "@^vQQ@?")
	selLength               = objc.Selector("length", "Q")
	selDispatchIndirect     = objc.Selector(
		"dispatchThreadgroupsWithIndirectBuffer:indirectBufferOffset:threadsPerThreadgroup:", "v@Q{?=QQQ}")
	selGPUStartTime   = objc.Selector("GPUStartTime", "d")
	selGPUEndTime     = objc.Selector("GPUEndTime", "d")
	selPushDebugGroup = objc.Selector("pushDebugGroup:", "v@")
	selPopDebugGroup  = objc.Selector("popDebugGroup", "v")
	selSetLabel       = objc.Selector("setLabel:", "v@")
	selNewFence       = objc.Selector("newFence", "@")
	selWaitForFence   = objc.Selector("waitForFence:", "v@")
	selUpdateFence    = objc.Selector("updateFence:", "v@")
)
