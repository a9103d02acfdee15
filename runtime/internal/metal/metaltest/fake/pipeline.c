// Pipelines and what they tell about their kernels.
#include "fake.h"

static const char pipelineDomain[] = "AGXMetalG1_Fake";

struct reflection { struct object head; id bindings; };

// Pipelines

static id newPipeline(id function, Q limit, id archives, Q options, id *reflection, id *error)
{
	if (!expect(function, &MTLFunction, "the function"))
		return NULL;
	struct function *f = (struct function *)function;
	struct fault *bad = takeFault(pipelineFault, f->kernel->name);
	if (bad) {
		giveError(error, pipelineDomain, bad->code ? bad->code : 3, "%s", bad->text);
		return NULL;
	}
	if (f->kernel->simd && !settings.facts[simdFunctions]) {
		giveError(error, pipelineDomain, 3, "Encountered unlowered function call to air.simd_sum.f32");
		return NULL;
	}
	for (const struct constant *c = f->kernel->constants; c; c = c->next) {
		if (c->required && !f->constants) {
			giveError(error, pipelineDomain, 3, "function %s needs values of its function constants, %s among them",
				f->kernel->name, c->name);
			return NULL;
		}
	}
	if (options & 4) {
		bool found = false;
		for (Q i = 0; i < arrayCount(archives); i++)
			found |= archiveHas(arrayAt(archives, i), f->kernel->name);
		if (!found) {
			giveError(error, pipelineDomain, 2, "no binary archive has %s", f->kernel->name);
			return NULL;
		}
	}
	if (limit > f->kernel->maxThreads) {
		giveError(error, pipelineDomain, 3, "maxTotalThreadsPerThreadgroup %llu: %s allows %llu",
			limit, f->kernel->name, f->kernel->maxThreads);
		return NULL;
	}
	struct pipeline *p = (struct pipeline *)make(&MTLComputePipelineState);
	p->function = own(f);
	p->maxThreads = limit ? limit : f->kernel->maxThreads;
	setLabel(&p->head, f->kernel->name);
	if (reflection && (options & 3))
		*reflection = later(newReflection(p, options));
	return &p->head;
}

id newPipelineWithFunction(id self, SEL sel, id function, id *error)
{
	(void)self, (void)sel;
	GUARD;
	return newPipeline(function, 0, NULL, 0, NULL, error);
}

id newPipelineWithFunctionOptions(id self, SEL sel, id function, Q options, id *reflection, id *error)
{
	(void)self, (void)sel;
	GUARD;
	return newPipeline(function, 0, NULL, options, reflection, error);
}

// Commands set buffers and nothing else.
static bool mayBeIndirect(id function, id *error)
{
	if (!expect(function, &MTLFunction, "the function"))
		return false;
	for (const struct binding *b = ((struct function *)function)->kernel->bindings; b; b = b->next) {
		if (b->kind == bindTexture || b->kind == bindSampler) {
			giveError(error, pipelineDomain, 3, "Compute function cannot be used with indirect command buffers");
			return false;
		}
	}
	return true;
}

id newPipelineWithDescriptor(id self, SEL sel, id descriptor, Q options, id *reflection, id *error)
{
	(void)self, (void)sel;
	GUARD;
	if (!expect(descriptor, &MTLComputePipelineDescriptor, "the descriptor"))
		return NULL;
	struct descriptor *d = (struct descriptor *)descriptor;
	if (d->indirect && !mayBeIndirect(d->function, error))
		return NULL;
	id p = newPipeline(d->function, d->maxThreads, d->archives, options, reflection, error);
	if (p)
		((struct pipeline *)p)->indirect = d->indirect;
	if (p && descriptor->label)
		setLabel(p, descriptor->label);
	return p;
}

static Q pipeline_max(id self, SEL sel)
{
	(void)sel;
	return ((struct pipeline *)self)->maxThreads;
}

static Q pipeline_width(id self, SEL sel)
{
	(void)sel;
	return ((struct pipeline *)self)->function->kernel->width;
}

static Q pipeline_static(id self, SEL sel)
{
	(void)sel;
	return ((struct pipeline *)self)->function->kernel->staticMemory;
}

static id labelOf(id self, SEL sel)
{
	(void)sel;
	GUARD;
	return self->label ? later(newString(self->label)) : NULL;
}

static void pipeline_dealloc(id self) { disown(((struct pipeline *)self)->function); }

static const struct method pipelineMethods[] = {
	{"maxTotalThreadsPerThreadgroup", "Q", pipeline_max, NULL},
	{"threadExecutionWidth", "Q", pipeline_width, NULL},
	{"staticThreadgroupMemoryLength", "Q", pipeline_static, NULL},
	{"label", "@", labelOf, NULL},
	{0},
};
struct class MTLComputePipelineState = {
	.name = "MTLComputePipelineState",
	.size = sizeof(struct pipeline),
	.methods = pipelineMethods,
	.dealloc = pipeline_dealloc,
	.protocol = true,
};

// Descriptors

static void descriptor_function(id self, SEL sel, id function)
{
	(void)sel;
	GUARD;
	struct descriptor *d = (struct descriptor *)self;
	if (function && !expect(function, &MTLFunction, "the function"))
		return;
	own(function);
	disown(d->function);
	d->function = function;
}

static void descriptor_label(id self, SEL sel, id label)
{
	(void)sel;
	GUARD;
	if (!label || expect(label, &NSString, "the label"))
		setLabel(self, label ? textOf(label) : NULL);
}

static void descriptor_max(id self, SEL sel, Q n)
{
	(void)sel;
	GUARD;
	((struct descriptor *)self)->maxThreads = n;
}

static void descriptor_indirect(id self, SEL sel, bool supported)
{
	(void)sel;
	GUARD;
	((struct descriptor *)self)->indirect = supported;
}

static void descriptor_archives(id self, SEL sel, id archives)
{
	(void)sel;
	GUARD;
	struct descriptor *d = (struct descriptor *)self;
	if (archives && !expect(archives, &NSArray, "the list of archives"))
		return;
	for (Q i = 0; i < arrayCount(archives); i++)
		if (!expect(arrayAt(archives, i), &MTLBinaryArchive, "an archive"))
			return;
	own(archives);
	disown(d->archives);
	d->archives = archives;
}

static void descriptor_dealloc(id self)
{
	disown(((struct descriptor *)self)->function);
	disown(((struct descriptor *)self)->archives);
}

static const struct method descriptorMethods[] = {
	{"setComputeFunction:", "v@", descriptor_function, NULL},
	{"setLabel:", "v@", descriptor_label, NULL},
	{"setMaxTotalThreadsPerThreadgroup:", "vQ", descriptor_max, NULL},
	{"setBinaryArchives:", "v@", descriptor_archives, NULL},
	{"setSupportIndirectCommandBuffers:", "vB", descriptor_indirect, NULL},
	{0},
};
struct class MTLComputePipelineDescriptor = {
	.name = "MTLComputePipelineDescriptor",
	.size = sizeof(struct descriptor),
	.methods = descriptorMethods,
	.dealloc = descriptor_dealloc,
};

// Reflection

id newReflection(struct pipeline *p, Q options)
{
	struct reflection *r = (struct reflection *)make(&MTLComputePipelineReflection);
	id function = &p->function->head;
	void *list[64];
	Q n = 0;
	for (const struct binding *b = p->function->kernel->bindings; b && n < 64; b = b->next) {
		struct bindingObject *x = (struct bindingObject *)make(&MTLBinding);
		x->owner = own(function);
		x->of = b;
		x->options = options;
		struct fault *f = takeFault(renamedBinding, b->name);
		setLabel(&x->head, f ? f->text : b->name);
		const struct argKind *kind = argKindOf(b->kind);
		if (kind && kind->reflect)
			kind->reflect(x);
		list[n++] = x;
	}
	r->bindings = newArray(list, n);
	for (Q i = 0; i < n; i++)
		disown(list[i]);
	return &r->head;
}

static id reflection_bindings(id self, SEL sel)
{
	(void)sel;
	return ((struct reflection *)self)->bindings;
}

static void reflection_dealloc(id self) { disown(((struct reflection *)self)->bindings); }

static const struct method reflectionMethods[] = {
	{"bindings", "@", reflection_bindings, NULL},
	{"arguments", "@", reflection_bindings, NULL},
	{0},
};
struct class MTLComputePipelineReflection = {
	.name = "MTLComputePipelineReflection",
	.size = sizeof(struct reflection),
	.methods = reflectionMethods,
	.dealloc = reflection_dealloc,
};

#define BINDING(name, field) \
	static Q binding_##name(id self, SEL sel) \
	{ \
		(void)sel; \
		return ((struct bindingObject *)self)->of->field; \
	}
BINDING(type, kind)
BINDING(access, access)
BINDING(index, index)

static dirty binding_used(id self, SEL sel)
{
	(void)sel;
	return ((struct bindingObject *)self)->of->flags & isUsed ? YES : NO;
}

static void binding_dealloc(id self)
{
	struct bindingObject *b = (struct bindingObject *)self;
	disown(b->parts[0]);
	disown(b->parts[1]);
	disown(b->owner);
}

static const struct method bindingMethods[] = {
	{"name", "@", labelOf, NULL},
	{"type", "q", binding_type, NULL},
	{"access", "Q", binding_access, NULL},
	{"index", "Q", binding_index, NULL},
	{"isUsed", "B", binding_used, NULL},
	{"isActive", "B", binding_used, NULL},
	{0},
};
struct class MTLBinding = {
	.name = "MTLBinding",
	.size = sizeof(struct bindingObject),
	.methods = bindingMethods,
	.argMethods = offsetof(struct argKind, bindingMethods),
	.dealloc = binding_dealloc,
	.protocol = true,
};
