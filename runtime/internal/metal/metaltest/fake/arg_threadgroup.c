// Threadgroup memory, whose lengths a dispatch says.
#include "fake.h"

enum { maxThreadgroup = 31 };

static Q *lengthsOf(struct compute *c) { return argState(c, &threadgroupKind); }

static void setThreadgroupMemory(id self, SEL sel, Q length, Q index)
{
	ENCODE;
	if (index >= maxThreadgroup)
		fail("threadgroup memory index %llu: the last one is %d", index, maxThreadgroup - 1);
	else if (length % 16)
		fail("threadgroup memory of %llu bytes: not a multiple of 16", length);
	else if (length > maxThreadgroupMemory)
		fail("threadgroup memory of %llu bytes: the device has %d", length, maxThreadgroupMemory);
	else
		lengthsOf(c)[index] = length;
}

static const struct method encoderMethods[] = {
	{"setThreadgroupMemoryLength:atIndex:", "vQQ", setThreadgroupMemory, nothing},
	{0},
};

static void checkAll(struct compute *c, const struct kernel *k)
{
	Q sum = k->staticMemory;
	for (int i = 0; i < maxThreadgroup; i++)
		sum += lengthsOf(c)[i];
	if (sum > maxThreadgroupMemory)
		fail("%s: %llu bytes of threadgroup memory, %llu of them its own: the device has %d",
			k->name, sum, k->staticMemory, maxThreadgroupMemory);
}

static bool check(struct compute *c, const struct kernel *k, const struct binding *b)
{
	if (b->index < maxThreadgroup && lengthsOf(c)[b->index])
		return true;
	if (!(b->flags & isOptional))
		fail("%s: threadgroup argument %s (index %llu) has no length", k->name, b->name, b->index);
	return false;
}

static void bind(struct compute *c, struct op *o, const struct kernel *k, const struct binding *b)
{
	(void)k;
	*addBound(o) = (struct bound){.arg = {bindThreadgroup, b->index, NULL, lengthsOf(c)[b->index], 0}};
}

ARG_BINDING(groupAlign, bindThreadgroup, "threadgroup memory", align)
ARG_BINDING(groupSize, bindThreadgroup, "threadgroup memory", size)

static const struct method bindingMethods[] = {
	{"threadgroupMemoryAlignment", "Q", binding_groupAlign, NULL},
	{"threadgroupMemoryDataSize", "Q", binding_groupSize, NULL},
	{0},
};

const struct argKind threadgroupKind = {
	.binding = bindThreadgroup,
	.size = maxThreadgroup * sizeof(Q),
	.encoderMethods = encoderMethods,
	.bindingMethods = bindingMethods,
	.checkAll = checkAll,
	.check = check,
	.bind = bind,
};
