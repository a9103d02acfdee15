package metal

import "github.com/metalgen/metalgen/runtime/internal/objc"

// The messages that make devices, libraries and pipelines, and captures of them.
// Apple: MTLDevice.h, MTLLibrary.h, MTLComputePipeline.h, MTLArgument.h,
// MTLCaptureManager.h, NSDictionary.h, NSURL.h.
var (
	selMaxThreads = objc.Selector("maxThreadsPerThreadgroup", "{?=QQQ}")

	selNewLibraryWithData = objc.Selector("newLibraryWithData:error:", "@^{dispatch_data_s=}^@")
	selSetMacros          = objc.Selector("setPreprocessorMacros:", "v@")
	selSetMathMode        = objc.SelectorSince(15, "setMathMode:", "vq")
	selSetMathFunctions   = objc.SelectorSince(15, "setMathFloatingPointFunctions:", "vq")
	selSetFastMath        = objc.Selector("setFastMathEnabled:", "vB")
	selSetLanguageVersion = objc.Selector("setLanguageVersion:", "vQ")

	selIndex = objc.Selector("index", "Q")

	selSetComputeFunction        = objc.Selector("setComputeFunction:", "v@")
	selSetPipelineLabel          = objc.Selector("setLabel:", "v@")
	selNewPipelineWithDescriptor = objc.Selector(
		"newComputePipelineStateWithDescriptor:options:reflection:error:", "@@Q^@^@")

	selExecutionWidth = objc.Selector("threadExecutionWidth", "Q") // of a simd-group

	selBindings         = objc.SelectorSince(13, "bindings", "@")
	selArguments        = objc.Selector("arguments", "@")     // before
	selBindingType      = objc.SelectorSince(13, "type", "q") // that of an MTLArgument is a Q
	selAccess           = objc.Selector("access", "Q")
	selIsUsed           = objc.SelectorSince(13, "isUsed", "B")
	selIsActive         = objc.Selector("isActive", "B") // before
	selMembers          = objc.Selector("members", "@")
	selOffset           = objc.Selector("offset", "Q")
	selDataType         = objc.Selector("dataType", "Q")
	selStructType       = objc.Selector("structType", "@")
	selArrayType        = objc.Selector("arrayType", "@")
	selArrayLength      = objc.Selector("arrayLength", "Q")
	selElementType      = objc.Selector("elementType", "Q")
	selPointerType      = objc.Selector("pointerType", "@")
	selTextureReference = objc.Selector("textureReferenceType", "@")
	selElementTexture   = objc.Selector("elementTextureReferenceType", "@")
	selElementStruct    = objc.Selector("elementStructType", "@")
	selElementPointer   = objc.Selector("elementPointerType", "@")

	selSharedCaptureManager = objc.Selector("sharedCaptureManager", "@")
	selSupportsDestination  = objc.Selector("supportsDestination:", "Bq")
	selSetCaptureObject     = objc.Selector("setCaptureObject:", "v@")
	selSetDestination       = objc.Selector("setDestination:", "vq")
	selSetOutputURL         = objc.Selector("setOutputURL:", "v@")
	selFileURL              = objc.Selector("fileURLWithPath:", "@@")
	selStartCapture         = objc.Selector("startCaptureWithDescriptor:error:", "B@^@")
	selStopCapture          = objc.Selector("stopCapture", "v")
	selIsCapturing          = objc.Selector("isCapturing", "B")
)
