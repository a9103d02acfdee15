#include "fake.h"

struct device { struct object head; bool unified, apple, metal3; };

enum { maxDevices = 8 };
static id devices[maxDevices];
Q allocated;

// The fake holds its devices for ever, as Metal does; what tests leak is counted
// beyond that.
void setUpDevices(void)
{
	allocated = 0;
	for (Q i = 0; i < maxDevices; i++)
		devices[i] = NULL;
	bool bench = settings.bench;
	settings.bench = false;
	for (Q i = 0; i < settings.devices && i < maxDevices; i++) {
		struct device *d = (struct device *)make(&MTLDevice);
		d->head.base = 1;
		d->unified = !settings.discrete;
		d->apple = !settings.discrete && !settings.integrated;
		d->metal3 = !settings.tier1;
		setLabel(&d->head, d->apple ? "Fake GPU" : d->unified ? "Fake integrated GPU" : "Fake discrete GPU");
		devices[i] = &d->head;
	}
	settings.bench = bench;
}

bool isUnified(id self) { return ((struct device *)self)->unified; }
bool isApple(id self) { return ((struct device *)self)->apple; }
bool hasMetal3(id self) { return ((struct device *)self)->metal3; }

EXPORT id MTLCreateSystemDefaultDevice(void)
{
	GUARD;
	context(NULL, "MTLCreateSystemDefaultDevice");
	return takeFault(noDevice, NULL) ? NULL : own(devices[0]);
}

EXPORT id MTLCopyAllDevices(void)
{
	GUARD;
	context(NULL, "MTLCopyAllDevices");
	Q n = settings.devices < maxDevices ? settings.devices : maxDevices;
	return newArray((void **)devices, takeFault(noDevices, NULL) ? 0 : n);
}

static id device_name(id self, SEL sel)
{
	(void)sel;
	GUARD;
	return later(newString(self->label));
}

static Q device_registry(id self, SEL sel)
{
	(void)sel;
	return 0x100000000 + self->number;
}

static Q device_allocated(id self, SEL sel)
{
	(void)self, (void)sel;
	GUARD;
	return allocated;
}

static Q device_threadgroupMemory(id self, SEL sel)
{
	(void)self, (void)sel;
	return maxThreadgroupMemory;
}

static dirty device_unified(id self, SEL sel)
{
	(void)sel;
	return isUnified(self) ? YES : NO;
}

static dirty device_family(id self, SEL sel, int64_t family)
{
	(void)sel;
	// Apple1 to Apple7, Mac1 and Mac2, Common1 to Common3, Metal3
	bool apple = isApple(self) && family >= 1001 && family <= 1007;
	bool metal3 = hasMetal3(self) && family == 5001;
	return apple || (family >= 2001 && family <= 2002) || (family >= 3001 && family <= 3003) || metal3 ? YES : NO;
}

static Q device_maxBuffer(id self, SEL sel)
{
	(void)self, (void)sel;
	return (Q)1 << 36;
}

static struct size device_maxThreads(id self, SEL sel)
{
	(void)self, (void)sel;
	return (struct size){maxDimension, maxDimension, maxDimension};
}

static id device_architecture(id self, SEL sel)
{
	(void)self, (void)sel;
	GUARD;
	return later(make(&MTLArchitecture));
}

static id architecture_name(id self, SEL sel)
{
	(void)self, (void)sel;
	GUARD;
	return later(newString("fakegpu_g1"));
}

static const struct method architectureMethods[] = {{"name", "@", architecture_name, NULL}, {0}};
struct class MTLArchitecture = {
	.name = "MTLArchitecture",
	.size = sizeof(struct object),
	.methods = architectureMethods,
};

static const struct method deviceMethods[] = {
	{"name", "@", device_name, NULL},
	{"registryID", "Q", device_registry, NULL},
	{"currentAllocatedSize", "Q", device_allocated, NULL},
	{"maxThreadgroupMemoryLength", "Q", device_threadgroupMemory, NULL},
	{"hasUnifiedMemory", "B", device_unified, NULL},
	{"supportsFamily:", "Bq", device_family, NULL},
	{"maxBufferLength", "Q", device_maxBuffer, NULL},
	{"recommendedMaxWorkingSetSize", "Q", device_maxBuffer, NULL},
	{"maxThreadsPerThreadgroup", "{?=QQQ}", device_maxThreads, NULL},
	{"architecture", "@", device_architecture, NULL},
	{"newLibraryWithSource:options:error:", "@@@^@", newLibraryWithSource, NULL},
	{"newLibraryWithData:error:", "@^{dispatch_data_s=}^@", newLibraryWithData, NULL},
	{"newLibraryWithURL:error:", "@@^@", newLibraryWithURL, NULL},
	{"newComputePipelineStateWithFunction:error:", "@@^@", newPipelineWithFunction, NULL},
	{"newComputePipelineStateWithFunction:options:reflection:error:", "@@Q^@^@", newPipelineWithFunctionOptions, NULL},
	{"newComputePipelineStateWithDescriptor:options:reflection:error:", "@@Q^@^@", newPipelineWithDescriptor, NULL},
	{"newCommandQueue", "@", newQueue, NULL},
	{"newCommandQueueWithMaxCommandBufferCount:", "@Q", newQueueWithCount, NULL},
	{"newSharedEvent", "@", newSharedEvent, NULL},
	{"newFence", "@", newFence, NULL},
	{"newBinaryArchiveWithDescriptor:error:", "@@^@", newBinaryArchive, NULL},
	{"newResidencySetWithDescriptor:error:", "@@^@", newResidencySet, NULL},
	{"newLogStateWithDescriptor:error:", "@@^@", newLogState, NULL},
	{0},
};
struct class MTLDevice = {
	.name = "MTLDevice",
	.size = sizeof(struct device),
	.methods = deviceMethods,
	.argMethods = offsetof(struct argKind, deviceMethods),
	.protocol = true,
};
