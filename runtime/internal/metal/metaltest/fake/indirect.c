// Indirect command buffers: commands that are encoded once and executed any number of times, with the rules that
// Metal has for them. What an encoder executes are the same messages as if somebody had sent them to it, after all
// that it knew has been forgotten: commands inherit nothing.
#include "fake.h"

enum { maxBinds = 31, maxCommands = 16384 };
enum { concurrentDispatch = 1 << 5, concurrentDispatchThreads = 1 << 6 };

struct icbDescriptor { struct object head; Q types, binds; bool inheritsBuffers, inheritsPipeline; };

struct command {
	struct pipeline *pipeline;
	struct { id buffer; Q offset; } buffers[maxBinds];
	Q lengths[maxBinds];
	bool barrier, set;
	Q type;
	struct size grid, threads;
};
struct icb {
	struct object head;
	Q types, binds, count;
	struct command *commands;
};
struct commandObject { struct object head; struct icb *of; Q index; };

id newIndirectCommandBuffer(id self, SEL sel, id descriptor, Q count, Q options)
{
	(void)self, (void)sel;
	GUARD;
	if (!expect(descriptor, &MTLIndirectCommandBufferDescriptor, "the descriptor"))
		return NULL;
	struct icbDescriptor *d = (struct icbDescriptor *)descriptor;
	if (!count || count > maxCommands) {
		fail("an indirect command buffer of %llu commands: 1 to %d are allowed", count, maxCommands);
		return NULL;
	}
	if (!settings.bench) {
		if (d->types != concurrentDispatch && d->types != concurrentDispatchThreads)
			fail("command types %#llx: one of the two for kernels", d->types);
		if (d->inheritsBuffers || d->inheritsPipeline)
			fail("the fake knows no commands that inherit");
		if (d->binds > maxBinds)
			fail("%llu buffers: the last index is %d", d->binds, maxBinds - 1);
		if ((options >> 4 & 15) == 2)
			fail("the commands of a private buffer are not for the CPU to encode");
	}
	if (takeFault(outOfMemory, NULL))
		return NULL;
	struct icb *b = (struct icb *)make(&MTLIndirectCommandBuffer);
	b->types = d->types;
	b->binds = d->binds;
	b->count = count;
	b->commands = calloc(count, sizeof *b->commands);
	return &b->head;
}

// Commands

static id icb_command(id self, SEL sel, Q index)
{
	(void)sel;
	GUARD;
	struct icb *b = (struct icb *)self;
	if (index >= b->count) {
		fail("command %llu of %llu", index, b->count);
		return NULL;
	}
	struct commandObject *o = (struct commandObject *)make(&MTLIndirectComputeCommand);
	o->of = own(b);
	o->index = index;
	return later(&o->head);
}

static struct command *commandOf(id self)
{
	struct commandObject *o = (struct commandObject *)self;
	if (o->of->head.flying)
		fail("the commands are changed while a command buffer uses them");
	return &o->of->commands[o->index];
}

static void command_pipeline(id self, SEL sel, id pipeline)
{
	(void)sel;
	GUARD;
	if (!expect(pipeline, &MTLComputePipelineState, "the pipeline"))
		return;
	struct pipeline *p = (struct pipeline *)pipeline;
	if (!p->indirect)
		fail("the pipeline does not support indirect command buffers");
	commandOf(self)->pipeline = p;
}

static void command_buffer(id self, SEL sel, id buffer, Q offset, Q index)
{
	(void)sel;
	GUARD;
	struct commandObject *o = (struct commandObject *)self;
	if (index >= o->of->binds) {
		fail("buffer index %llu: the descriptor allows %llu", index, o->of->binds);
		return;
	}
	if (!expect(buffer, &MTLBuffer, "the buffer"))
		return;
	struct command *c = commandOf(self);
	c->buffers[index].buffer = buffer;
	c->buffers[index].offset = offset;
}

static void command_memory(id self, SEL sel, Q length, Q index)
{
	(void)sel;
	GUARD;
	if (index >= maxBinds)
		fail("threadgroup memory index %llu: the last one is %d", index, maxBinds - 1);
	else
		commandOf(self)->lengths[index] = length;
}

static void command_barrier(id self, SEL sel)
{
	(void)sel;
	GUARD;
	commandOf(self)->barrier = true;
}

static void command_clear(id self, SEL sel)
{
	(void)sel;
	GUARD;
	commandOf(self)->barrier = false;
}

static void command_reset(id self, SEL sel)
{
	(void)sel;
	GUARD;
	*commandOf(self) = (struct command){0};
}

static void dispatch(id self, Q type, struct size grid, struct size threads)
{
	GUARD;
	struct command *c = commandOf(self);
	if (!(((struct commandObject *)self)->of->types & type))
		fail("the descriptor has no commands of this type");
	c->type = type;
	c->grid = grid;
	c->threads = threads;
	c->set = true;
}

static void command_groups(id self, SEL sel, struct size groups, struct size threads)
{
	(void)sel;
	dispatch(self, concurrentDispatch, groups, threads);
}

static void command_threads(id self, SEL sel, struct size size, struct size threads)
{
	(void)sel;
	dispatch(self, concurrentDispatchThreads, size, threads);
}

static void command_dealloc(id self) { disown(((struct commandObject *)self)->of); }

static const struct method commandMethods[] = {
	{"setComputePipelineState:", "v@", command_pipeline, nothing},
	{"setKernelBuffer:offset:atIndex:", "v@QQ", command_buffer, nothing},
	{"setThreadgroupMemoryLength:atIndex:", "vQQ", command_memory, nothing},
	{"setBarrier", "v", command_barrier, nothing},
	{"clearBarrier", "v", command_clear, nothing},
	{"reset", "v", command_reset, nothing},
	{"concurrentDispatchThreadgroups:threadsPerThreadgroup:", "v{?=QQQ}{?=QQQ}", command_groups, nothing},
	{"concurrentDispatchThreads:threadsPerThreadgroup:", "v{?=QQQ}{?=QQQ}", command_threads, nothing},
	{0},
};
struct class MTLIndirectComputeCommand = {
	.name = "MTLIndirectComputeCommand",
	.size = sizeof(struct commandObject),
	.methods = commandMethods,
	.dealloc = command_dealloc,
	.protocol = true,
};

static Q icb_size(id self, SEL sel)
{
	(void)sel;
	return ((struct icb *)self)->count;
}

static void icb_dealloc(id self) { free(((struct icb *)self)->commands); }

static const struct method icbMethods[] = {
	{"indirectComputeCommandAtIndex:", "@Q", icb_command, NULL},
	{"size", "Q", icb_size, NULL},
	{0},
};
struct class MTLIndirectCommandBuffer = {
	.name = "MTLIndirectCommandBuffer",
	.size = sizeof(struct icb),
	.methods = icbMethods,
	.dealloc = icb_dealloc,
	.protocol = true,
};

#define SETTER(name, type, field) \
	static void descriptor_##name(id self, SEL sel, type value) \
	{ \
		(void)sel; \
		GUARD; \
		((struct icbDescriptor *)self)->field = value; \
	}
SETTER(types, Q, types)
SETTER(binds, Q, binds)
SETTER(buffers, bool, inheritsBuffers)
SETTER(pipeline, bool, inheritsPipeline)

static const struct method icbDescriptorMethods[] = {
	{"setCommandTypes:", "vQ", descriptor_types, NULL},
	{"setMaxKernelBufferBindCount:", "vQ", descriptor_binds, NULL},
	{"setInheritBuffers:", "vB", descriptor_buffers, NULL},
	{"setInheritPipelineState:", "vB", descriptor_pipeline, NULL},
	{0},
};
struct class MTLIndirectCommandBufferDescriptor = {
	.name = "MTLIndirectCommandBufferDescriptor",
	.size = sizeof(struct icbDescriptor),
	.methods = icbDescriptorMethods,
};

// Execution

static void *encoderMethod(const char *selector)
{
	for (Q list = 0; list < methodLists; list++)
		for (const struct method *m = methodsOf(&MTLComputeCommandEncoder, false, list); m && m->selector; m++)
			if (!strcmp(m->selector, selector))
				return m->function;
	return NULL;
}

typedef void setPipelineState(id, SEL, id);
typedef void setBufferAt(id, SEL, id, Q, Q);
typedef void setMemoryLength(id, SEL, Q, Q);
typedef void setScope(id, SEL, Q);
typedef void dispatchSizes(id, SEL, struct size, struct size);

static void forget(struct compute *c)
{
	GUARD;
	c->pipeline = NULL;
	for (Q k = 0; k < argKindCount; k++) {
		if (argKinds[k]->clear)
			argKinds[k]->clear(c->args[k]);
		memset(c->args[k], 0, argKinds[k]->size);
	}
}

// What a command binds has to be in use.
static bool mayUse(struct compute *c, const struct command *k, Q at)
{
	GUARD;
	if (!k->set || !k->pipeline) {
		fail("command %llu was not encoded whole", at);
		return false;
	}
	for (const struct binding *b = k->pipeline->function->kernel->bindings; b; b = b->next) {
		id buffer = b->kind == bindBuffer && b->index < maxBinds ? k->buffers[b->index].buffer : NULL;
		Q usage = 0;
		for (Q i = 0; i < c->residentCount; i++)
			if (c->residents[i].resource == buffer)
				usage = c->residents[i].usage;
		if (buffer && !(usage & (b->access ? 2 : 1))) {
			fail("%s: command %llu: the encoder was not told to use the buffer of argument %s%s",
				k->pipeline->function->kernel->name, at, b->name, b->access ? " for writing" : "");
			return false;
		}
	}
	return true;
}

static bool mayExecute(id self, struct icb *b, struct range r)
{
	struct compute *c = (struct compute *)self;
	USING(c->encoder.buffer);
	GUARD;
	if (!mayEncode(&c->encoder) || !expect(&b->head, &MTLIndirectCommandBuffer, "the indirect command buffer"))
		return false;
	if (!r.length || !inRange(r.location, r.length, b->count)) {
		fail("commands %llu to %llu of %llu", r.location, r.location + r.length - 1, b->count);
		return false;
	}
	useResource(c->encoder.buffer, b);
	return true;
}

void executeCommands(id self, SEL sel, id commands, struct range r)
{
	struct compute *c = (struct compute *)self;
	struct icb *b = (struct icb *)commands;
	if (!mayExecute(self, b, r))
		return;
	setPipelineState *pipeline = encoderMethod("setComputePipelineState:");
	setBufferAt *buffer = encoderMethod("setBuffer:offset:atIndex:");
	setMemoryLength *memory = encoderMethod("setThreadgroupMemoryLength:atIndex:");
	setScope *barrier = encoderMethod("memoryBarrierWithScope:");
	dispatchSizes *groups = encoderMethod("dispatchThreadgroups:threadsPerThreadgroup:");
	dispatchSizes *all = encoderMethod("dispatchThreads:threadsPerThreadgroup:");
	for (Q i = r.location; i < r.location + r.length; i++) {
		struct command *k = &b->commands[i];
		forget(c);
		if (!mayUse(c, k, i))
			break;
		pipeline(self, sel, &k->pipeline->head);
		for (Q n = 0; n < maxBinds; n++) {
			if (k->buffers[n].buffer)
				buffer(self, sel, k->buffers[n].buffer, k->buffers[n].offset, n);
			if (k->lengths[n])
				memory(self, sel, k->lengths[n], n);
		}
		if (k->barrier)
			barrier(self, sel, scopeBuffers);
		(k->type == concurrentDispatch ? groups : all)(self, sel, k->grid, k->threads);
	}
	forget(c);
}
