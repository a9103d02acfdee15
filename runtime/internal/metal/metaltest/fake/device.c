#include "fake.h"

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
		devices[i] = make(&MTLDevice);
		devices[i]->base = 1;
		setLabel(devices[i], settings.name);
	}
	settings.bench = bench;
}

bool isUnified(void) { return settings.facts[unified]; }
bool isApple(void) { return settings.facts[appleFamily]; }
bool isSince(int kernel) { return atoi(settings.kernel) >= kernel; }
bool hasMetal3(void) { return settings.facts[metalFamily] >= 3 && isSince(kernelOfMacOS13); }

// sysctlbyname of <sys/sysctl.h>, for the texts that tell the system.
EXPORT int sysctlbyname(const char *name, void *to, size_t *length, void *from, size_t size)
{
	(void)from, (void)size;
	const char *text = !strcmp(name, "kern.osrelease") ? settings.kernel
		: !strcmp(name, "kern.osversion") ? settings.build : NULL;
	if (!text || *length < strlen(text) + 1)
		return -1;
	*length = strlen(text) + 1;
	memcpy(to, text, *length);
	return 0;
}

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
	(void)self, (void)sel;
	return isUnified() ? YES : NO;
}

static dirty device_family(id self, SEL sel, int64_t family)
{
	(void)self, (void)sel;
	const Q *has = settings.facts;
	bool is = false;
	switch (family / 1000) { // a family has what those before it have
	case 1:
		is = (Q)family - 1000 <= has[appleFamily];
		break;
	case 2:
		is = has[macFamily] && family <= 2002;
		break;
	case 3:
		is = (Q)family - 3000 <= has[commonFamily];
		break;
	case 5:
		is = family == 5001 ? hasMetal3() : family == 5002 && has[metalFamily] >= 4 && isSince(kernelOfMacOS26);
		break;
	}
	return is ? YES : NO;
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
	{"newIndirectCommandBufferWithDescriptor:maxCommandCount:options:", "@@QQ", newIndirectCommandBuffer, NULL},
	{0},
};
struct class MTLDevice = {
	.name = "MTLDevice",
	.size = sizeof(struct object),
	.methods = deviceMethods,
	.argMethods = offsetof(struct argKind, deviceMethods),
	.protocol = true,
};
