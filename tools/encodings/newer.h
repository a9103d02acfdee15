// What the driver uses of macOS 15 and 26, for headers that are older: names, types, numbers and availability, written
// down from what later headers declare. Apple: MTLLibrary.h, MTLLogState.h, MTLResidencySet.h, MTLCommandBuffer.h,
// MTLCommandQueue.h and MTLDevice.h. Headers that have them already do without: see main of encodings.py.
// These headers, of macOS 15 or later, were read beside this file and agree with it.
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

API_AVAILABLE(macos(15.0), ios(18.0))
@protocol MTLLogState <NSObject>
- (void)addLogHandler:(void (^)(NSString *, NSString *, NSInteger, NSString *))block;
@end

API_AVAILABLE(macos(15.0), ios(18.0))
@interface MTLLogStateDescriptor : NSObject
- (void)setLevel:(NSInteger)level;
- (void)setBufferSize:(NSInteger)size;
@end

API_AVAILABLE(macos(15.0), ios(18.0))
@protocol MTLResidencySet <NSObject>
- (void)requestResidency;
- (void)addAllocation:(id)allocation;
- (void)removeAllocation:(id)allocation;
- (void)commit;
@end

API_AVAILABLE(macos(15.0), ios(18.0))
@interface MTLResidencySetDescriptor : NSObject
@end

// Methods that came to classes and protocols of older systems: encodings.py takes newer_ off their names.
@protocol newer_MTLDevice
- (id)newLogStateWithDescriptor:(MTLLogStateDescriptor *)descriptor
						  error:(NSError **)error API_AVAILABLE(macos(15.0));
- (id)newResidencySetWithDescriptor:(MTLResidencySetDescriptor *)descriptor
							  error:(NSError **)error API_AVAILABLE(macos(15.0));
@end

@protocol newer_MTLCommandQueue
- (void)addResidencySet:(id)set API_AVAILABLE(macos(15.0));
@end

@protocol newer_MTLCommandBufferDescriptor
- (void)setLogState:(id)state API_AVAILABLE(macos(15.0));
@end

@protocol newer_MTLCompileOptions
- (void)setMathMode:(NSInteger)mode API_AVAILABLE(macos(15.0));
- (void)setMathFloatingPointFunctions:(NSInteger)functions API_AVAILABLE(macos(15.0));
- (void)setEnableLogging:(BOOL)on API_AVAILABLE(macos(15.0));
@end

enum {
	MTLLanguageVersion3_2 API_AVAILABLE(macos(15.0)) = (3 << 16) + 2,
	MTLLanguageVersion4_0 API_AVAILABLE(macos(26.0)) = (4 << 16) + 0,
};

enum {
	MTLMathModeSafe API_AVAILABLE(macos(15.0)) = 0,
	MTLMathModeRelaxed API_AVAILABLE(macos(15.0)) = 1,
	MTLMathModeFast API_AVAILABLE(macos(15.0)) = 2,
	MTLMathFloatingPointFunctionsFast API_AVAILABLE(macos(15.0)) = 0,
	MTLMathFloatingPointFunctionsPrecise API_AVAILABLE(macos(15.0)) = 1,
};
