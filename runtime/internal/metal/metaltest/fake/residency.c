#include "fake.h"

struct residency { struct object head; void **buffers; Q count, committed; };

static void ignore(id self, SEL sel, Q value)
{
	(void)self, (void)sel, (void)value;
}

static const struct method descriptorMethods[] = {
	{"setLabel:", "v@", ignore, NULL},
	{"setInitialCapacity:", "vQ", ignore, NULL},
	{0},
};
struct class MTLResidencySetDescriptor = {
	.name = "MTLResidencySetDescriptor",
	.size = sizeof(struct object),
	.methods = descriptorMethods,
};

id newResidencySet(id self, SEL sel, id descriptor, id *error)
{
	(void)self, (void)sel;
	GUARD;
	if (!expect(descriptor, &MTLResidencySetDescriptor, "the descriptor"))
		return NULL;
	if (settings.facts[residencySets] == residencyError)
		giveError(error, "MTLResidencySetErrorDomain", 1, "Residency sets are not supported by this device");
	return settings.facts[residencySets] ? NULL : make(&MTLResidencySet);
}

static void residency_add(id self, SEL sel, id buffer)
{
	(void)sel;
	GUARD;
	struct residency *r = (struct residency *)self;
	if (!isA(buffer, &MTLTexture) && !expect(buffer, &MTLBuffer, "the allocation"))
		return;
	for (Q i = 0; i < r->count; i++)
		if (r->buffers[i] == buffer)
			return;
	r->buffers = realloc(r->buffers, (r->count + 1) * sizeof *r->buffers);
	r->buffers[r->count++] = own(buffer);
}

static void residency_remove(id self, SEL sel, id buffer)
{
	(void)sel;
	GUARD;
	struct residency *r = (struct residency *)self;
	for (Q i = 0; i < r->count; i++) {
		if (r->buffers[i] == buffer) {
			r->buffers[i] = r->buffers[--r->count];
			disown(buffer);
			return;
		}
	}
	fail("the allocation is not in the set");
}

static void residency_commit(id self, SEL sel)
{
	(void)sel;
	GUARD;
	struct residency *r = (struct residency *)self;
	r->committed = r->count;
}

static void residency_request(id self, SEL sel)
{
	(void)sel;
	GUARD;
	struct residency *r = (struct residency *)self;
	if (r->committed != r->count)
		fail("what was added or removed is not committed");
}

static Q residency_count(id self, SEL sel)
{
	(void)sel;
	return ((struct residency *)self)->count;
}

static void residency_end(id self, SEL sel)
{
	(void)self, (void)sel;
}

static void residency_dealloc(id self)
{
	struct residency *r = (struct residency *)self;
	for (Q i = 0; i < r->count; i++)
		disown(r->buffers[i]);
	free(r->buffers);
	r->count = 0;
}

static const struct method residencyMethods[] = {
	{"addAllocation:", "v@", residency_add, NULL},
	{"removeAllocation:", "v@", residency_remove, NULL},
	{"commit", "v", residency_commit, NULL},
	{"requestResidency", "v", residency_request, NULL},
	{"endResidency", "v", residency_end, NULL},
	{"allocationCount", "Q", residency_count, NULL},
	{0},
};
struct class MTLResidencySet = {
	.name = "MTLResidencySet",
	.size = sizeof(struct residency),
	.methods = residencyMethods,
	.dealloc = residency_dealloc,
	.protocol = true,
};
