// Compute command encoders: the state they keep, and what a dispatch asks of it.
#include "fake.h"

id newComputeEncoder(struct commandBuffer *b, bool concurrent)
{
	struct compute *c = (struct compute *)make(&MTLComputeCommandEncoder);
	c->encoder.buffer = own(b);
	c->concurrent = concurrent;
	for (Q k = 0; k < argKindCount; k++)
		c->args[k] = calloc(1, argKinds[k]->size + 1);
	return &c->encoder.head;
}

bool mayEncode(struct encoder *e)
{
	if (e->ended)
		fail("after endEncoding");
	else if (e->buffer->status >= 2)
		fail("after commit");
	else
		return true;
	return false;
}

void closeEncoder(id self)
{
	struct encoder *e = (struct encoder *)self;
	e->ended = true;
	if (e->buffer->encoder == self)
		e->buffer->encoder = NULL;
	if (self->class == &MTLComputeCommandEncoder)
		hazardEnd(&((struct compute *)self)->hazards, !settings.bench);
}

void endEncoder(struct encoder *e)
{
	if (!mayEncode(e))
		return;
	if (e->groups)
		fail("%llu debug groups are still open", e->groups);
	closeEncoder(&e->head);
}

void deallocEncoder(struct encoder *e)
{
	if (!e->ended) {
		char name[256];
		if (!settings.bench) {
			describe(&e->head, name, sizeof name);
			fail("%s is deallocated without endEncoding", name);
		}
		closeEncoder(&e->head);
	}
	disown(e->buffer);
}

static void setPipeline(id self, SEL sel, id pipeline)
{
	ENCODE;
	if (!expect(pipeline, &MTLComputePipelineState, "the pipeline"))
		return;
	c->pipeline = (struct pipeline *)pipeline;
	useResource(c->encoder.buffer, pipeline);
}

// Dispatches

static bool checkThreads(struct compute *c, struct size t)
{
	const struct kernel *k = c->pipeline->function->kernel;
	Q limit = c->pipeline->maxThreads;
	unsigned long long w = t.width, h = t.height, d = t.depth;
	if (!w || !h || !d)
		fail("%s: no threads in a threadgroup of (%llu, %llu, %llu)", k->name, w, h, d);
	else if (w > maxDimension || h > maxDimension || d > maxDimension || w * h * d > limit)
		fail("%s: (%llu, %llu, %llu) threads in a threadgroup: its pipeline allows %llu", k->name, w, h, d, limit);
	else
		return true;
	return false;
}

static struct op *newDispatch(struct compute *c, struct size threads)
{
	if (!c->pipeline) {
		fail("no pipeline is set");
		return NULL;
	}
	if (!isAlive(c->pipeline)) {
		fail("the pipeline was freed");
		return NULL;
	}
	const struct kernel *k = c->pipeline->function->kernel;
	if (!checkThreads(c, threads))
		return NULL;
	for (Q i = 0; i < argKindCount; i++)
		if (argKinds[i]->checkAll)
			argKinds[i]->checkAll(c, k);
	struct op *o = addOp(c->encoder.buffer, opDispatch);
	o->pipeline = c->pipeline;
	o->threads = threads;
	useResource(c->encoder.buffer, c->pipeline);
	hazardDispatch(&c->hazards);
	c->encoder.emptyGroup = false;
	bindArguments(c, o, k);
	bindResidents(c, o);
	counts.dispatches++;
	return o;
}

static bool checkGrid(struct size g, const char *of)
{
	if (g.width && g.height && g.depth)
		return true;
	fail("a grid of (%llu, %llu, %llu) %s", g.width, g.height, g.depth, of);
	return false;
}

static void dispatchGroups(id self, SEL sel, struct size groups, struct size threads)
{
	ENCODE;
	if (!checkGrid(groups, "threadgroups"))
		return;
	struct op *o = newDispatch(c, threads);
	if (!o)
		return;
	o->groups = groups;
	o->size = (struct size){groups.width * threads.width, groups.height * threads.height, groups.depth * threads.depth};
}

static void dispatchThreads(id self, SEL sel, struct size size, struct size threads)
{
	ENCODE;
	if (!checkGrid(size, "threads"))
		return;
	struct op *o = newDispatch(c, threads);
	if (!o)
		return;
	o->size = size;
	o->groups = (struct size){
		(size.width + threads.width - 1) / threads.width,
		(size.height + threads.height - 1) / threads.height,
		(size.depth + threads.depth - 1) / threads.depth,
	};
}

static void dispatchIndirect(id self, SEL sel, id buffer, Q offset, struct size threads)
{
	ENCODE;
	if (!expect(buffer, &MTLBuffer, "the indirect buffer"))
		return;
	struct buffer *b = (struct buffer *)buffer;
	if (offset % 4) {
		fail("indirect buffer offset %llu is not a multiple of 4", offset);
		return;
	}
	if (!inRange(offset, 12, b->length)) {
		fail("12 bytes at %llu of an indirect buffer of %llu", offset, b->length);
		return;
	}
	struct op *o = newDispatch(c, threads);
	if (!o)
		return;
	o->indirect = b;
	o->fromOffset = offset;
	useResource(c->encoder.buffer, b);
	if (c->concurrent)
		hazardTouch(&c->hazards, &b->head, b->bytes, offset, offset + 12, false, c->pipeline->function->kernel->name, 31);
}

// Barriers

static void barrierScope(id self, SEL sel, Q scope)
{
	ENCODE;
	if (!scope || scope > 7)
		fail("scope %llu is not an MTLBarrierScope", scope);
	else
		hazardBarrier(&c->hazards, NULL, 0, scope);
}

static void barrierResources(id self, SEL sel, void **resources, Q count)
{
	ENCODE;
	if (!count || !readable(resources, 8 * count)) {
		fail("the list of resources is empty or cannot be read");
		return;
	}
	for (Q i = 0; i < count; i++)
		if (!isA(resources[i], &MTLTexture) && !expect(resources[i], &MTLBuffer, "the resource"))
			return;
	hazardBarrier(&c->hazards, resources, count, 0);
}

static void waitForFence(id self, SEL sel, id fence)
{
	ENCODE;
	if (!expect(fence, &MTLFence, "the fence"))
		return;
	if (c->encoder.updated == fence)
		fail("the encoder waits for a fence that it has updated itself");
	useResource(c->encoder.buffer, fence);
}

static void updateFence(id self, SEL sel, id fence)
{
	ENCODE;
	if (!expect(fence, &MTLFence, "the fence"))
		return;
	c->encoder.updated = fence;
	useResource(c->encoder.buffer, fence);
}

static void push(id self, SEL sel, id name)
{
	ENCODE;
	if (expect(name, &NSString, "the name"))
		c->encoder.groups++, c->encoder.emptyGroup = true;
}

static void pop(id self, SEL sel)
{
	ENCODE;
	if (!c->encoder.groups)
		fail("no debug group is open");
	else
		c->encoder.groups--;
	if (c->encoder.emptyGroup)
		fail("there is no dispatch in the debug group");
	c->encoder.emptyGroup = false;
}

static void setEncoderLabel(id self, SEL sel, id label)
{
	ENCODE;
	if (!label || expect(label, &NSString, "the label"))
		setLabel(self, label ? textOf(label) : NULL);
}

static void end(id self, SEL sel)
{
	ENCODE;
	endEncoder(&c->encoder);
}

static void compute_dealloc(id self)
{
	struct compute *c = (struct compute *)self;
	for (Q k = 0; k < argKindCount; k++) {
		if (argKinds[k]->clear)
			argKinds[k]->clear(c->args[k]);
		free(c->args[k]);
	}
	free(c->residents);
	deallocEncoder(&c->encoder);
}

static void endBench(id self, SEL sel)
{
	(void)sel;
	GUARD;
	closeEncoder(self);
}

static const struct method computeMethods[] = {
	{"setComputePipelineState:", "v@", setPipeline, nothing},
	{"dispatchThreads:threadsPerThreadgroup:", "v{?=QQQ}{?=QQQ}", dispatchThreads, nothing},
	{"dispatchThreadgroups:threadsPerThreadgroup:", "v{?=QQQ}{?=QQQ}", dispatchGroups, nothing},
	{"dispatchThreadgroupsWithIndirectBuffer:indirectBufferOffset:threadsPerThreadgroup:", "v@Q{?=QQQ}",
		dispatchIndirect, nothing},
	{"memoryBarrierWithScope:", "vQ", barrierScope, nothing},
	{"memoryBarrierWithResources:count:", "vr^@Q", barrierResources, nothing},
	{"useResource:usage:", "v@Q", encoder_use, nothing},
	{"useResources:count:usage:", "vr^@QQ", encoder_useAll, nothing},
	{"waitForFence:", "v@", waitForFence, nothing},
	{"updateFence:", "v@", updateFence, nothing},
	{"pushDebugGroup:", "v@", push, nothing},
	{"popDebugGroup", "v", pop, nothing},
	{"setLabel:", "v@", setEncoderLabel, nothing},
	{"executeCommandsInBuffer:withRange:", "v@{_NSRange=QQ}", executeCommands, nothing},
	{"endEncoding", "v", end, endBench},
	{0},
};
struct class MTLComputeCommandEncoder = {
	.name = "MTLComputeCommandEncoder",
	.size = sizeof(struct compute),
	.methods = computeMethods,
	.argMethods = offsetof(struct argKind, encoderMethods),
	.dealloc = compute_dealloc,
	.protocol = true,
};
