// Compute command encoders: the state they keep, and what a dispatch asks of it.
#include "fake.h"

enum { maxBuffers = 31, maxSamplers = 16, maxTextures = 128, maxBytes = 4096 };

struct slot { struct buffer *buffer; Q offset; uint8_t *bytes; Q length; };

struct compute {
	struct encoder encoder;
	bool concurrent;
	struct pipeline *pipeline;
	struct slot slots[maxBuffers];
	Q shared[maxBuffers];
	struct hazards hazards;
};

id newComputeEncoder(struct commandBuffer *b, bool concurrent)
{
	struct compute *c = (struct compute *)make(&MTLComputeCommandEncoder);
	c->encoder.buffer = own(b);
	c->concurrent = concurrent;
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
		fail("%llu debug groups are still open", (unsigned long long)e->groups);
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

// The locals that every method needs.
#define ENCODE \
	(void)sel; \
	struct compute *c = (struct compute *)self; \
	USING(c->encoder.buffer); \
	GUARD; \
	if (!mayEncode(&c->encoder)) \
		return

static void setPipeline(id self, SEL sel, id pipeline)
{
	ENCODE;
	if (!expect(pipeline, &MTLComputePipelineState, "the pipeline"))
		return;
	c->pipeline = (struct pipeline *)pipeline;
	useResource(c->encoder.buffer, pipeline);
}

static void clearSlot(struct slot *s)
{
	free(s->bytes);
	*s = (struct slot){0};
}

static void setSlot(struct compute *c, id buffer, Q offset, Q index)
{
	if (index >= maxBuffers) {
		fail("buffer index %llu: the last one is %d", (unsigned long long)index, maxBuffers - 1);
		return;
	}
	struct slot *s = &c->slots[index];
	if (!buffer) {
		clearSlot(s);
		return;
	}
	if (!expect(buffer, &MTLBuffer, "the buffer"))
		return;
	struct buffer *b = (struct buffer *)buffer;
	if (offset >= b->length) {
		fail("offset %llu for index %llu is beyond the buffer's %llu bytes", (unsigned long long)offset, (unsigned long long)index, (unsigned long long)b->length);
		return;
	}
	clearSlot(s);
	s->buffer = b;
	s->offset = offset;
	useResource(c->encoder.buffer, b);
}

static void setBuffer(id self, SEL sel, id buffer, Q offset, Q index)
{
	ENCODE;
	setSlot(c, buffer, offset, index);
}

static void setBuffers(id self, SEL sel, id *buffers, Q *offsets, struct range r)
{
	ENCODE;
	if (!inRange(r.location, r.length, maxBuffers)) {
		fail("indexes %llu to %llu: the last one is %d", (unsigned long long)r.location, (unsigned long long)(r.location + r.length - 1), maxBuffers - 1);
		return;
	}
	if (!readable(buffers, 8 * r.length) || !readable(offsets, 8 * r.length)) {
		fail("the lists of buffers and offsets cannot be read");
		return;
	}
	for (Q i = 0; i < r.length; i++)
		setSlot(c, buffers[i], offsets[i], r.location + i);
}

static void setBufferOffset(id self, SEL sel, Q offset, Q index)
{
	ENCODE;
	if (index < maxBuffers && !c->slots[index].buffer)
		fail("no buffer is bound to index %llu", (unsigned long long)index);
	else
		setSlot(c, index < maxBuffers ? &c->slots[index].buffer->head : NULL, offset, index);
}

static void setBytes(id self, SEL sel, const void *bytes, Q length, Q index)
{
	ENCODE;
	if (index >= maxBuffers)
		fail("buffer index %llu: the last one is %d", (unsigned long long)index, maxBuffers - 1);
	else if (!length || length > maxBytes)
		fail("%llu bytes: from 1 to %d are allowed", (unsigned long long)length, maxBytes);
	else if (!readable(bytes, length))
		fail("the bytes cannot be read");
	else {
		struct slot *s = &c->slots[index];
		clearSlot(s);
		s->bytes = memcpy(malloc(length), bytes, length);
		s->length = length;
	}
}

static void setThreadgroupMemory(id self, SEL sel, Q length, Q index)
{
	ENCODE;
	if (index >= maxBuffers)
		fail("threadgroup memory index %llu: the last one is %d", (unsigned long long)index, maxBuffers - 1);
	else if (length % 16)
		fail("threadgroup memory of %llu bytes: not a multiple of 16", (unsigned long long)length);
	else if (length > maxThreadgroupMemory)
		fail("threadgroup memory of %llu bytes: the device has %d", (unsigned long long)length, maxThreadgroupMemory);
	else
		c->shared[index] = length;
}

static void setTexture(id self, SEL sel, id texture, Q index)
{
	ENCODE;
	if (index >= maxTextures)
		fail("texture index %llu: the last one is %d", (unsigned long long)index, maxTextures - 1);
	else if (texture)
		fail("the fake has no textures");
}

static void setSampler(id self, SEL sel, id sampler, Q index)
{
	ENCODE;
	if (index >= maxSamplers)
		fail("sampler index %llu: the last one is %d", (unsigned long long)index, maxSamplers - 1);
	else if (sampler)
		fail("the fake has no samplers");
}

// Dispatches

static bool checkArgument(struct compute *c, const struct kernel *k, const struct binding *b)
{
	if (b->kind == bindThreadgroup) {
		if (b->index < maxBuffers && c->shared[b->index])
			return true;
		if (!(b->flags & isOptional))
			fail("%s: threadgroup argument %s (index %llu) has no length", k->name, b->name, (unsigned long long)b->index);
		return false;
	}
	if (b->kind != bindBuffer || b->index >= maxBuffers)
		return true;
	struct slot *s = &c->slots[b->index];
	if (!s->buffer && !s->bytes) {
		if (!(b->flags & isOptional))
			fail("%s: argument %s (index %llu) is not bound", k->name, b->name, (unsigned long long)b->index);
		return false;
	}
	Q length = s->length;
	if (s->buffer) {
		if (!isAlive(s->buffer)) {
			fail("%s: the buffer of argument %s (index %llu) was freed", k->name, b->name, (unsigned long long)b->index);
			return false;
		}
		length = s->buffer->length - s->offset;
		if ((b->flags & isConstant) && s->offset % settings.constantAlign)
			fail("%s: offset %llu of constant argument %s (index %llu) is not a multiple of %llu", k->name, (unsigned long long)s->offset, b->name, (unsigned long long)b->index, (unsigned long long)settings.constantAlign);
		else if (b->align && s->offset % b->align)
			fail("%s: offset %llu of argument %s (index %llu) is not a multiple of its alignment, %llu", k->name, (unsigned long long)s->offset, b->name, (unsigned long long)b->index, (unsigned long long)b->align);
	} else if (b->access) {
		fail("%s: argument %s (index %llu) is written, and has bytes instead of a buffer", k->name, b->name, (unsigned long long)b->index);
	}
	if (length < b->size)
		fail("%s: argument %s (index %llu) has %llu bytes and needs %llu", k->name, b->name, (unsigned long long)b->index, (unsigned long long)length, (unsigned long long)b->size);
	return true;
}

static void bind(struct compute *c, struct op *o, const struct kernel *k, const struct binding *b)
{
	struct slot *s = &c->slots[b->index];
	struct bound *to = &o->bound[o->boundCount++];
	*to = (struct bound){.index = b->index, .buffer = s->buffer, .offset = s->offset, .length = s->length};
	if (!s->buffer) {
		to->bytes = memcpy(malloc(s->length), s->bytes, s->length);
		return;
	}
	// each dispatch may outlive what is bound when the next one replaces it
	useResource(c->encoder.buffer, s->buffer);
	Q length = s->buffer->length - s->offset, view = viewLength(s->buffer->bytes + s->offset, k->name, b->index);
	if (view && view < length)
		length = view;
	else if (!view && viewLength(NULL, k->name, b->index))
		length = 0;
	if (!(b->flags & isPointer) && b->size < length)
		length = b->size;
	to->length = length;
	if (c->concurrent && length)
		hazardTouch(&c->hazards, s->buffer, s->offset, s->offset + length, b->access != 0, k->name, b->index);
}

static bool checkThreads(struct compute *c, struct size t)
{
	const struct kernel *k = c->pipeline->function->kernel;
	Q limit = c->pipeline->maxThreads;
	unsigned long long w = t.width, h = t.height, d = t.depth;
	if (!w || !h || !d)
		fail("%s: no threads in a threadgroup of (%llu, %llu, %llu)", k->name, w, h, d);
	else if (w > maxDimension || h > maxDimension || d > maxDimension || w * h * d > limit)
		fail("%s: (%llu, %llu, %llu) threads in a threadgroup: its pipeline allows %llu", k->name, w, h, d, (unsigned long long)limit);
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
	Q shared = k->staticMemory;
	for (int i = 0; i < maxBuffers; i++)
		shared += c->shared[i];
	if (shared > maxThreadgroupMemory)
		fail("%s: %llu bytes of threadgroup memory, %llu of them its own: the device has %d", k->name, (unsigned long long)shared, (unsigned long long)k->staticMemory, maxThreadgroupMemory);
	struct op *o = addOp(c->encoder.buffer, opDispatch);
	o->pipeline = c->pipeline;
	o->threads = threads;
	memcpy(o->shared, c->shared, sizeof o->shared);
	o->bound = calloc(maxBuffers + 1, sizeof *o->bound);
	useResource(c->encoder.buffer, c->pipeline);
	hazardDispatch(&c->hazards);
	for (const struct binding *b = k->bindings; b; b = b->next)
		if (checkArgument(c, k, b) && b->kind == bindBuffer && b->index < maxBuffers)
			bind(c, o, k, b);
	counts.dispatches++;
	return o;
}

static bool checkGrid(struct size g, const char *of)
{
	if (g.width && g.height && g.depth)
		return true;
	fail("a grid of (%llu, %llu, %llu) %s", (unsigned long long)g.width, (unsigned long long)g.height, (unsigned long long)g.depth, of);
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
		fail("indirect buffer offset %llu is not a multiple of 4", (unsigned long long)offset);
		return;
	}
	if (!inRange(offset, 12, b->length)) {
		fail("12 bytes at %llu of an indirect buffer of %llu", (unsigned long long)offset, (unsigned long long)b->length);
		return;
	}
	struct op *o = newDispatch(c, threads);
	if (!o)
		return;
	o->indirect = b;
	o->fromOffset = offset;
	useResource(c->encoder.buffer, b);
	if (c->concurrent)
		hazardTouch(&c->hazards, b, offset, offset + 12, false, c->pipeline->function->kernel->name, maxBuffers);
}

// Barriers and residency

static void barrierScope(id self, SEL sel, Q scope)
{
	ENCODE;
	if (!scope || scope > 7)
		fail("scope %llu is none of MTLBarrierScope", (unsigned long long)scope);
	else if (!(scope & 1))
		fail("scope %llu leaves buffers out", (unsigned long long)scope);
	else
		hazardBarrier(&c->hazards, NULL, 0, true);
}

static void barrierResources(id self, SEL sel, void **resources, Q count)
{
	ENCODE;
	if (!count || !readable(resources, 8 * count)) {
		fail("the list of resources is empty or cannot be read");
		return;
	}
	for (Q i = 0; i < count; i++)
		if (!expect(resources[i], &MTLBuffer, "the resource"))
			return;
	hazardBarrier(&c->hazards, resources, count, false);
}

static void use(id self, SEL sel, id resource, Q usage)
{
	ENCODE;
	if (!usage || usage > 7)
		fail("usage %llu is none of MTLResourceUsage", (unsigned long long)usage);
	else if (expect(resource, &MTLBuffer, "the resource"))
		useResource(c->encoder.buffer, resource);
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
		c->encoder.groups++;
}

static void pop(id self, SEL sel)
{
	ENCODE;
	if (!c->encoder.groups)
		fail("no debug group is open");
	else
		c->encoder.groups--;
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
	for (int i = 0; i < maxBuffers; i++)
		clearSlot(&c->slots[i]);
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
	{"setBuffer:offset:atIndex:", "v@QQ", setBuffer, nothing},
	{"setBufferOffset:atIndex:", "vQQ", setBufferOffset, nothing},
	{"setBytes:length:atIndex:", "vr^vQQ", setBytes, nothing},
	{"setBuffers:offsets:withRange:", "vr^@r^Q{_NSRange=QQ}", setBuffers, nothing},
	{"setThreadgroupMemoryLength:atIndex:", "vQQ", setThreadgroupMemory, nothing},
	{"setTexture:atIndex:", "v@Q", setTexture, nothing},
	{"setSamplerState:atIndex:", "v@Q", setSampler, nothing},
	{"dispatchThreads:threadsPerThreadgroup:", "v{?=QQQ}{?=QQQ}", dispatchThreads, nothing},
	{"dispatchThreadgroups:threadsPerThreadgroup:", "v{?=QQQ}{?=QQQ}", dispatchGroups, nothing},
	{"dispatchThreadgroupsWithIndirectBuffer:indirectBufferOffset:threadsPerThreadgroup:", "v@Q{?=QQQ}", dispatchIndirect, nothing},
	{"memoryBarrierWithScope:", "vQ", barrierScope, nothing},
	{"memoryBarrierWithResources:count:", "vr^@Q", barrierResources, nothing},
	{"useResource:usage:", "v@Q", use, nothing},
	{"waitForFence:", "v@", waitForFence, nothing},
	{"updateFence:", "v@", updateFence, nothing},
	{"pushDebugGroup:", "v@", push, nothing},
	{"popDebugGroup", "v", pop, nothing},
	{"setLabel:", "v@", setEncoderLabel, nothing},
	{"endEncoding", "v", end, endBench},
	{0},
};
struct class MTLComputeCommandEncoder = {
	.name = "MTLComputeCommandEncoder", .size = sizeof(struct compute), .methods = computeMethods, .dealloc = compute_dealloc, .protocol = true};
