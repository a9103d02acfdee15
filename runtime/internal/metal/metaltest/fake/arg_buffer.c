// Buffers, and values, which are buffers to Metal.
#include "fake.h"

enum { maxBuffers = 31, maxBytes = 4096 };

struct slot { struct buffer *buffer; Q offset; uint8_t *bytes; Q length; };

static struct slot *slotsOf(struct compute *c) { return argState(c, &bufferKind); }

// Binding

static void clearSlot(struct slot *s)
{
	free(s->bytes);
	*s = (struct slot){0};
}

static void setSlot(struct compute *c, id buffer, Q offset, Q index)
{
	if (index >= maxBuffers) {
		fail("buffer index %llu: the last one is %d", index, maxBuffers - 1);
		return;
	}
	struct slot *s = &slotsOf(c)[index];
	if (!buffer) {
		clearSlot(s);
		return;
	}
	if (!expect(buffer, &MTLBuffer, "the buffer"))
		return;
	struct buffer *b = (struct buffer *)buffer;
	if (offset >= b->length) {
		fail("offset %llu for index %llu is beyond the buffer's %llu bytes", offset, index, b->length);
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
		fail("indexes %llu to %llu: the last one is %d", r.location, (r.location + r.length - 1), maxBuffers - 1);
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
	if (index < maxBuffers && !slotsOf(c)[index].buffer)
		fail("no buffer is bound to index %llu", index);
	else
		setSlot(c, index < maxBuffers ? &slotsOf(c)[index].buffer->head : NULL, offset, index);
}

static void setBytes(id self, SEL sel, const void *bytes, Q length, Q index)
{
	ENCODE;
	if (index >= maxBuffers)
		fail("buffer index %llu: the last one is %d", index, maxBuffers - 1);
	else if (!length || length > maxBytes)
		fail("%llu bytes: from 1 to %d are allowed", length, maxBytes);
	else if (!readable(bytes, length))
		fail("the bytes cannot be read");
	else {
		struct slot *s = &slotsOf(c)[index];
		clearSlot(s);
		s->bytes = memcpy(malloc(length), bytes, length);
		s->length = length;
	}
}

static void clear(void *state)
{
	for (int i = 0; i < maxBuffers; i++)
		clearSlot(&((struct slot *)state)[i]);
}

static const struct method encoderMethods[] = {
	{"setBuffer:offset:atIndex:", "v@QQ", setBuffer, nothing},
	{"setBufferOffset:atIndex:", "vQQ", setBufferOffset, nothing},
	{"setBytes:length:atIndex:", "vr^vQQ", setBytes, nothing},
	{"setBuffers:offsets:withRange:", "vr^@r^Q{_NSRange=QQ}", setBuffers, nothing},
	{0},
};

// Dispatches

static bool check(struct compute *c, const struct kernel *k, const struct binding *b)
{
	if (b->index >= maxBuffers)
		return false;
	struct slot *s = &slotsOf(c)[b->index];
	if (!s->buffer && !s->bytes) {
		if (!(b->flags & isOptional))
			fail("%s: argument %s (index %llu) is not bound", k->name, b->name, b->index);
		return false;
	}
	Q length = s->length;
	if (s->buffer) {
		if (!isAlive(s->buffer)) {
			fail("%s: the buffer of argument %s (index %llu) was freed", k->name, b->name, b->index);
			return false;
		}
		length = s->buffer->length - s->offset;
		if ((b->flags & isConstant) && s->offset % settings.constantAlign)
			fail("%s: offset %llu of constant argument %s (index %llu) is not a multiple of %llu",
				k->name, s->offset, b->name, b->index, settings.constantAlign);
		else if (b->align && s->offset % b->align)
			fail("%s: offset %llu of argument %s (index %llu) is not a multiple of its alignment, %llu",
				k->name, s->offset, b->name, b->index, b->align);
	} else if (b->access) {
		fail("%s: argument %s (index %llu) is written, and has bytes instead of a buffer", k->name, b->name, b->index);
	}
	if (length < b->size)
		fail("%s: argument %s (index %llu) has %llu bytes and needs %llu", k->name, b->name, b->index, length, b->size);
	return true;
}

static void bind(struct compute *c, struct op *o, const struct kernel *k, const struct binding *b)
{
	struct slot *s = &slotsOf(c)[b->index];
	if (!s->buffer) {
		void *bytes = memcpy(malloc(s->length), s->bytes, s->length);
		*addBound(o) = (struct bound){.arg = {bindBuffer, b->index, bytes, s->length, 0}, .owned = bytes};
		reach(c, k, b, bytes, s->length);
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
	*addBound(o) = (struct bound){
		.arg = {
			bindBuffer, b->index, s->buffer->bytes + s->offset, length, s->buffer->head.number,
			(const Q *)&s->buffer->is, b->access != 0,
		},
		.object = &s->buffer->head,
	};
	reach(c, k, b, s->buffer->bytes + s->offset, length);
	if (c->concurrent && length)
		hazardTouch(&c->hazards, &s->buffer->head, s->buffer->bytes, s->offset, s->offset + length, b->access != 0, k->name,
			b->index);
}

// Reflection

enum { structPart, pointerPart };

static void reflect(struct bindingObject *x)
{
	const struct binding *b = x->of;
	if (!(x->options & 2))
		return;
	if (b->type && b->type->kind == kindStruct)
		x->parts[structPart] = newType(x->owner, b->type);
	x->parts[pointerPart] = newType(x->owner, b->pointer);
}

ARG_BINDING(align, bindBuffer, "one of a buffer", align)
ARG_BINDING(size, bindBuffer, "one of a buffer", size)
ARG_BINDING(dataType, bindBuffer, "one of a buffer", dataType)

static id binding_struct(id self, SEL sel)
{
	(void)sel;
	return ((struct bindingObject *)self)->parts[structPart];
}

static id binding_pointer(id self, SEL sel)
{
	(void)sel;
	return ((struct bindingObject *)self)->parts[pointerPart];
}

static const struct method bindingMethods[] = {
	{"bufferAlignment", "Q", binding_align, NULL},
	{"bufferDataSize", "Q", binding_size, NULL},
	{"bufferDataType", "Q", binding_dataType, NULL},
	{"bufferStructType", "@", binding_struct, NULL},
	{"bufferPointerType", "@", binding_pointer, NULL},
	{0},
};

const struct argKind bufferKind = {
	.binding = bindBuffer,
	.size = maxBuffers * sizeof(struct slot),
	.encoderMethods = encoderMethods,
	.bindingMethods = bindingMethods,
	.deviceMethods = bufferDeviceMethods,
	.check = check,
	.bind = bind,
	.clear = clear,
	.reflect = reflect,
};
