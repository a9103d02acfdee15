// What the files of the fake share. Functions without a lock of their own are
// called with the lock of the world held; entry points take it with GUARD.
#ifndef FAKE_H
#define FAKE_H

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef struct object *id;
typedef struct selector *SEL;
typedef unsigned long long Q; // a word, for which printf has %llu

// A BOOL result is 8 bits wide, and the rest of the register is garbage that a
// caller must mask: this type makes sure that there is some.
typedef Q dirty;
#define YES ((dirty)0xdeadbeefcafef001)
#define NO ((dirty)0xdeadbeefcafef000)

struct size { Q width, height, depth; };
struct origin { Q x, y, z; };
struct region { struct origin origin; struct size size; };
struct range { Q location, length; };

struct selector {
	uint32_t number;
	char *name;
};

struct method {
	const char *selector;
	const char *types; // result, then arguments without self and _cmd
	void *function;
	void *bench; // instead of function where nothing is to be recorded
};

struct class;

struct object {
	struct class *class; // NULL for a class itself
	Q number;            // counts the objects of a class, for people
	char *label;
	int32_t refs;
	int32_t base;   // references that the fake itself holds for ever
	int32_t flying; // uncompleted command buffers that use it without a reference
	id flight;      // the last of those
	id before; // that was made before it, in the same era
	uint32_t era;
	bool dead;
};

enum { maxSelectors = 1024 };

struct class {
	struct object head;
	const char *name;
	size_t size;
	const struct method *methods, *statics;
	size_t argMethods; // of further methods in struct argKind; 0: none
	void (*dealloc)(id);
	bool protocol; // has no class that objc_getClass could find
	Q count;
	char meta; // its address stands for the class of the class
	const struct method *table[2][maxSelectors];
};

// One list names every class, in the order of the log's readers' interest.
#define CLASSES(X) \
	X(NSObject) X(NSString) X(NSError) X(NSArray) X(NSDictionary) X(NSNumber) X(NSURL) X(OS_dispatch_data) \
	X(MTLDevice) X(MTLArchitecture) X(MTLCompileOptions) X(MTLLibrary) X(MTLFunction) X(MTLFunctionConstant) \
	X(MTLFunctionConstantValues) X(MTLComputePipelineDescriptor) X(MTLComputePipelineState) \
	X(MTLComputePipelineReflection) X(MTLBinding) X(MTLStructType) X(MTLStructMember) X(MTLArrayType) \
	X(MTLPointerType) X(MTLTextureReferenceType) X(MTLBuffer) X(MTLTexture) X(MTLTextureDescriptor) \
	X(MTLSamplerState) X(MTLSamplerDescriptor) X(MTLCommandQueue) X(MTLCommandBuffer) X(MTLComputeCommandEncoder) \
	X(MTLBlitCommandEncoder) X(MTLSharedEvent) X(MTLSharedEventListener) X(MTLFence) X(MTLCaptureManager) \
	X(MTLCaptureDescriptor) X(MTLBinaryArchive) X(MTLBinaryArchiveDescriptor) X(MTLResidencySet) \
	X(MTLResidencySetDescriptor) X(MTLIOCommandQueueDescriptor) X(MTL4LibraryDescriptor) X(MTLLogState) \
	X(MTLLogStateDescriptor) X(MTLCommandBufferDescriptor) X(MTLIndirectCommandBufferDescriptor) \
	X(MTLIndirectCommandBuffer) X(MTLIndirectComputeCommand)
#define DECLARE(name) extern struct class name;
CLASSES(DECLARE)
#undef DECLARE

// What machines differ in, in the order of machine.go.
enum fact {
	appleFamily, macFamily, commonFamily, metalFamily, unified, sampleCounts, samples32, appleFormats, linearAlign,
	formatViews, borders, readWriteTier, textureAtomics, simdFunctions, simdWidth, noCopy, archivesMade, residencySets,
	factCount,
};
enum { residencyError = 1, residencySilence };

// Settings, as Go fills them in.
struct settings {
	Q devices;
	Q constantAlign;
	Q pageSize;
	Q bench;
	Q quiet;
	Q abort;
	Q faults; // of kernels are no failures of the test
	const char *hidden; // selectors and classes that this system does not have, each followed by \n
	const uint16_t *formats; // by MTLPixelFormat: bytes of a texel, and 256 times what texels are; 0 is none

	// The machine and the system that are played: see machine.go.
	const char *name, *kernel, *build;
	Q language; // the newest MTLLanguageVersion
	Q machine;  // one that there is: mistakes in descriptors end the process
	Q facts[factCount];
};
extern struct settings settings;
extern uint32_t era;

// The functions that Go registers.
struct fakeCompile {
	void *library;
	Q number;
	const char *source;
	Q length;
	const char *defines; // NAME=VALUE, each followed by \n
	Q language;          // MTLLanguageVersion
	char error[16384];
};
struct fakeArg {
	Q kind; // MTLBindingType, or functionConstant
	Q index;
	const void *address;
	Q length;
	Q number; // of the buffer, 0 for bytes; the type of a constant; the element of an array
	const Q *numbers; // of a buffer, a texture or a sampler: what it is
	Q writes; // the kernel may write the buffer
};
struct fakeDispatch {
	Q library;
	const char *kernel;
	const char *label; // of the command buffer
	const struct fakeArg *args;
	Q argCount;
	Q threadgroups[3], threads[3], size[3];
	void *log; // what takes the messages of the kernel, or NULL
	char error[4096];
};
extern Q (*compileInGo)(struct fakeCompile *);
extern Q (*executeInGo)(struct fakeDispatch *);

// control.c
struct counts { Q messages, commandBuffers, encoders, dispatches, barriers, needless; };
extern struct counts counts;

// lock.c
void lockWorld(void);
void unlockWorld(void);
void waitWorld(double seconds); // 0: for ever
void wakeWorld(void);
int lockGuard(void);
void unlockGuard(int *);
#define GUARD __attribute__((cleanup(unlockGuard), unused)) int guard = lockGuard()
Q threadId(void);
double now(void);
bool readable(const void *, Q);
bool inGoHeap(const void *);
// After the lock is gone, because what runs may be Go and send messages.
void afterUnlock(void (*)(void *), void *);

// runtime.c
void setUpClasses(void);
id make(struct class *);
void setLabel(id, const char *);
void *own(void *);
void disown(void *);
bool isObject(const void *);
bool isAlive(const void *);
bool isA(const void *, struct class *);
bool isHidden(const char *);
const char *nextType(const char **);
int wordsIn(const char *type);
void forgetObjects(void);
void describe(id, char *, size_t);
bool expect(id, struct class *, const char *what); // reports nil and the wrong class
void nothing(void);

// report.c
struct text { char *bytes; size_t length, room; };
void add(struct text *, const char *, ...) __attribute__((format(printf, 2, 3)));
char *copyText(const char *);
void fail(const char *, ...) __attribute__((format(printf, 1, 2)));
void failDescriptor(const char *, ...) __attribute__((format(printf, 1, 2))); // it ends the process
void context(id, const char *selector);
void logMessage(id, const struct method *, bool isStatic, const Q *words, int count);
void logRemark(const char *, ...) __attribute__((format(printf, 1, 2)));
void listLeaks(struct text *);
void forgetReports(void);
enum { maxWords = 160 };

// fault.c
enum faultKind {
	noDevice, noDevices, compileFault, compileWarning, functionFault, pipelineFault, commandFault, outOfMemory, hang,
	renamedBinding, movedMember, gpuTimes, sharedEncoding, noCommandQueue, noCommandBuffer, noEncoder, archiveFault,
	noCapture, noWrap, logFault,
};
struct fault {
	Q kind;
	Q skip;
	int64_t times; // below zero: for ever
	int64_t code;
	double start, end;
	char name[128], text[1024];
};
struct fault *takeFault(enum faultKind, const char *name);
bool resumeHung(void);

// pool.c
id later(id); // autoreleases
bool hasPool(void);
void listPools(struct text *);
void enterFake(void); // what follows is done by Metal, with pools of its own
void leaveFake(void);

// foundation.c
id newString(const char *);
id newStringOf(const char *, size_t);
const char *textOf(id);
id newError(const char *domain, int64_t code, const char *);
void giveError(id *out, const char *domain, int64_t code, const char *, ...) __attribute__((format(printf, 4, 5)));
id newArray(void **, Q);
Q arrayCount(id);
id arrayAt(id, Q);
void definesOf(id dictionary, struct text *);
id newDictionary(id *keys, id *values, Q);
const void *dataOf(id, Q *length);

// device.c
void setUpDevices(void);
extern Q allocated;
bool isUnified(void);
bool isApple(void);
bool hasMetal3(void);
bool isSince(int kernel); // whether the system has that kernel, or a later one
enum { kernelOfMacOS13 = 22, kernelOfMacOS14 = 23, kernelOfMacOS26 = 25 };
enum { maxThreadgroupMemory = 32768, maxDimension = 1024 };

// library.c
struct type;
struct member { char *name; Q offset, dataType; struct type *type; struct member *next; };
struct type {
	struct type *next; // of its library
	enum { kindStruct, kindArray, kindPointer, kindTexture, kindSampler } kind;
	bool leads; // there are pointers, textures or samplers in it
	struct member *members;
	Q length, stride; // of an array
	Q elementType;    // of an array, a pointer or a texture
	Q access;         // of a pointer or a texture: what is done through it
	Q size, align;    // of what a pointer points to
	Q form, depth;    // of a texture
	struct type *element; // of an array or a pointer, NULL of what has no parts
};
enum {
	bindBuffer, bindThreadgroup, bindTexture, bindSampler,
	functionConstant = 100, residentBuffer, residentTexture, residentSampler,
};
enum { isUsed = 1, isConstant = 2, isPointer = 4, isOptional = 8 };
struct binding {
	char *name;
	Q kind, index, access, size, align, dataType, flags;
	Q textureType, depth, length; // of a texture; of an array of textures or samplers
	struct type *type;
	struct type *pointer; // where it is one, that to what the type is of
	struct binding *next;
};
struct constant { char *name; Q index, type, required; struct constant *next; };
struct kernel {
	char *name;
	Q maxThreads, width, staticMemory;
	Q simd; // it has functions of simd-groups
	struct binding *bindings;
	struct constant *constants;
	struct kernel *next;
};
struct function {
	struct object head;
	id library;
	struct kernel *kernel;
	struct fakeArg *constants;
	Q constantCount;
};
Q libraryNumber(id);
struct type *newTypeIn(id library);
bool libraryLogs(id);
id newLibraryWithSource(id, SEL, id, id, id *);
id newLibraryWithData(id, SEL, id, id *);
id newLibraryWithURL(id, SEL, id, id *);

// pipeline.c
struct pipeline {
	struct object head;
	struct function *function;
	Q maxThreads;
	bool indirect; // of commands in an indirect command buffer
};
struct descriptor { struct object head; id function, archives; Q maxThreads; bool indirect; };
id newPipelineWithFunction(id, SEL, id, id *);
id newPipelineWithFunctionOptions(id, SEL, id, Q, id *, id *);
id newPipelineWithDescriptor(id, SEL, id, Q, id *, id *);
struct bindingObject { struct object head; id owner; const struct binding *of; Q options; id parts[2]; };
id newReflection(struct pipeline *, Q options);

// type.c
id newType(id owner, const struct type *);
struct type *fakePointer(id library, const Q *numbers, struct type *element);
void freeTypes(struct type *);

// archive.c
bool archiveHas(id archive, const char *kernel);
id newBinaryArchive(id, SEL, id, id *);

// buffer.c
struct buffer {
	struct object head;
	id device;
	struct bufferNumbers { Q address, start, length; } is; // for Go: gpuAddress, and the bytes of all of it
	uint8_t *bytes;
	Q length, options;
	bool borrowed;
	void *deallocator;
	Q mapped;
};
bool isPrivate(const struct buffer *);
extern const struct method bufferDeviceMethods[];
Q viewLength(const void *address, const char *kernel, Q index);
enum { memoryPart = 1 << 20 }; // the index of what is memory of its own
void forgetViews(void);
bool inRange(Q at, Q length, Q whole);

// texture.c
enum { maxFormat = 1024 };
enum { texelsFloat, texelsInt, texelsUint, texelsDepth };
// What Go is told of a texture: of the whole one, and of the part that a view shows.
struct textureNumbers {
	Q type, format, width, height, depth, levels, samples, length, usage;
	Q linear, offset, rowBytes; // over a buffer
	Q viewType, viewFormat, level, viewLevels, slice, viewSlices;
	Q number; // gpuResourceID
};
struct texture {
	struct object head;
	id device, owner; // owner: the buffer or the texture whose texels it shows, or NULL
	uint8_t *bytes;
	Q size, mapped, options;
	struct textureNumbers is;
};
void setFormats(const uint16_t *);
Q texelSize(Q format);
Q texelsOf(Q format);
id newTextureOver(id buffer, SEL, id descriptor, Q offset, Q rowBytes);
bool copyTexels(
	struct texture *, struct region, Q level, Q slice, uint8_t *bytes, Q rowBytes, Q imageBytes, bool write);
Q levelOf(const struct texture *, Q level, Q *row, Q *image, Q *slice);
extern const struct method textureDeviceMethods[], textureBlitMethods[];

// arg_sampler.c
Q samplerCount(void);
const Q *samplerAt(Q resource);
void forgetSamplers(void);

// block.c
bool checkBlock(const void *);
void callBlock1(void *block, id);
void callBlock2(void *block, void *, Q);
void callBlock4(void *block, id, id, Q, id);

// hazard.c
enum { scopeBuffers = 1, scopeTextures = 2 };
struct barrier { Q scope; bool needed; void **resources; Q count; };
struct touch {
	id resource;
	uint8_t *bytes;
	Q from, to;
	bool writes;
	Q after, dispatch;
	const char *kernel;
	Q index;
};
struct hazards {
	struct touch *touches;
	Q touchCount, touchRoom;
	struct barrier *barriers;
	Q barrierCount, barrierRoom;
	Q dispatches;
};
void hazardDispatch(struct hazards *);
void hazardTouch(struct hazards *, id, uint8_t *bytes, Q from, Q to, bool writes, const char *kernel, Q index);
void hazardBarrier(struct hazards *, void **resources, Q count, Q scope);
void hazardEnd(struct hazards *, bool report);

// command.c
struct bound { struct fakeArg arg; id object; void *owned; }; // object: must be alive, or NULL
enum opKind { opDispatch, opCopy, opFill, opToTexture, opFromTexture, opSignal, opWait };
struct op {
	enum opKind kind;
	struct op *next;
	struct pipeline *pipeline;
	struct bound *bound;
	Q boundCount;
	struct size groups, threads, size;
	struct buffer *indirect, *from, *to;
	struct texture *texture; // that is copied to or from
	struct region region;
	Q level, slice, rowBytes, imageBytes;
	Q fromOffset, toOffset, length, value;
	uint8_t byte;
	id event;
};
struct commandBuffer {
	struct object head;
	id queue;
	id log; // an MTLLogState
	bool unretained, finished; // finished: its handlers have run too
	Q status;
	id error;
	double start, end;
	id encoder; // the open one
	struct op *ops, **lastOp;
	void **resources;
	Q resourceCount, resourceRoom;
	void **handlers;
	Q handlerCount;
	struct commandBuffer *next; // committed after it
	Q user; // the thread inside of a call
	bool shared; // another thread came while one was inside
};
struct use { struct commandBuffer *buffer; };
struct use enterUse(id commandBuffer);
void leaveUse(struct use *);
// Two threads inside of calls on one command buffer at once are a mistake that
// locks inside of the fake would hide.
#define USING(cb) __attribute__((cleanup(leaveUse), unused)) struct use using = enterUse((id)(cb))
struct op *addOp(struct commandBuffer *, enum opKind);
void useResource(struct commandBuffer *, void *);
id newQueue(id, SEL);
id newQueueWithCount(id, SEL, Q);
bool runUntil(bool (*done)(void *), void *, double seconds);
void pump(void);
void forgetCommands(void);
const char *statusName(Q);

// arg.c, and a file for each kind of argument. Function constants are no such kind: a
// function is made for them.
struct compute;
struct argKind {
	Q binding;   // MTLBindingType
	size_t size; // of what an encoder keeps for the kind
	const struct method *encoderMethods, *bindingMethods, *deviceMethods; // of encoders, MTLBinding and MTLDevice
	const struct method *blitMethods;

	// What follows may be NULL. checkAll is called for each dispatch, check and bind for
	// each argument of its kernel: bind adds it, where check returns that it is bound.
	void (*checkAll)(struct compute *, const struct kernel *);
	bool (*check)(struct compute *, const struct kernel *, const struct binding *);
	void (*bind)(struct compute *, struct op *, const struct kernel *, const struct binding *);
	void (*clear)(void *kept);
	void (*reflect)(struct bindingObject *); // makes its parts
};
// One list names every kind.
#define ARG_KINDS(X) X(buffer) X(threadgroup) X(texture) X(sampler)
#define DECLARE(name) extern const struct argKind name##Kind;
ARG_KINDS(DECLARE)
#undef DECLARE
#define COUNT(name) + 1
enum { argKindCount = 0 ARG_KINDS(COUNT), methodLists = argKindCount + 1 };
#undef COUNT
extern const struct argKind *const argKinds[argKindCount];
const struct argKind *argKindOf(Q binding);
void *argState(struct compute *, const struct argKind *);
const struct method *methodsOf(const struct class *, bool isStatic, Q list);
struct bound *addBound(struct op *);
void touchTexels(struct compute *, struct texture *, bool writes, const char *kernel, Q index); // arg_texture.c
void bindArguments(struct compute *, struct op *, const struct kernel *);
// A method of MTLBinding for a field of struct binding, which other kinds do not have.
#define ARG_BINDING(name, bind, what, field) \
	static Q binding_##name(id self, SEL sel) \
	{ \
		(void)sel; \
		GUARD; \
		const struct binding *b = ((struct bindingObject *)self)->of; \
		if (b->kind != bind) { \
			fail("no such selector: the binding is not " what); \
			return 0; \
		} \
		return b->field; \
	}

// arg_constant.c
const char *specialise(struct function *, id values);
void addConstants(struct op *, const struct function *);
void freeConstants(struct function *);
void forgetConstants(struct kernel *);
id functionConstants(id, SEL);

// encoder.c
id newComputeEncoder(struct commandBuffer *, bool concurrent);
void closeEncoder(id);
struct encoder {
	struct object head;
	struct commandBuffer *buffer;
	bool ended;
	Q groups;        // debug groups that are open
	bool emptyGroup; // nothing was dispatched in the last one that was opened
	id updated;
};
id newBlitEncoder(struct commandBuffer *);
bool mayEncode(struct encoder *);
void endEncoder(struct encoder *);
void deallocEncoder(struct encoder *);

// The locals that every method of a blit encoder needs.
#define BLIT \
	(void)sel; \
	struct encoder *e = (struct encoder *)self; \
	USING(e->buffer); \
	GUARD; \
	if (!mayEncode(e)) \
		return

struct resident { id resource; Q usage; };
struct compute {
	struct encoder encoder;
	struct resident *residents;
	Q residentCount;
	bool concurrent;
	struct pipeline *pipeline;
	void *args[argKindCount]; // what each kind keeps
	struct hazards hazards;
};
// The locals that every method needs.
#define ENCODE \
	(void)sel; \
	struct compute *c = (struct compute *)self; \
	USING(c->encoder.buffer); \
	GUARD; \
	if (!mayEncode(&c->encoder)) \
		return

// event.c
id newSharedEvent(id, SEL);
void signalEvent(id, Q);
bool eventReached(id, Q);

// fence.c
id newFence(id, SEL);

// log.c
id newLogState(id, SEL, id, id *);
void drainLog(id);
struct bufferDescriptor { struct object head; id log; bool unretained; };

// reach.c
void encoder_use(id, SEL, id, Q);
void encoder_useAll(id, SEL, id *, Q, Q);
struct resourceID { Q number; };
void giveAddress(struct buffer *);
void giveNumber(struct texture *);
void forgetAddresses(void);
void reach(struct compute *, const struct kernel *, const struct binding *, const uint8_t *bytes, Q length);
void bindResidents(struct compute *, struct op *);

// indirect.c
id newIndirectCommandBuffer(id, SEL, id, Q, Q);
void executeCommands(id, SEL, id, struct range);

// residency.c
id newResidencySet(id, SEL, id, id *);

#endif
