#include "fake.h"

id newBlitEncoder(struct commandBuffer *b)
{
	struct encoder *e = (struct encoder *)make(&MTLBlitCommandEncoder);
	e->buffer = own(b);
	return &e->head;
}

static bool checkPiece(id buffer, const char *what, Q offset, Q length)
{
	if (!expect(buffer, &MTLBuffer, what))
		return false;
	Q whole = ((struct buffer *)buffer)->length;
	// macOS, of all systems, asks for words
	if (offset % 4 || length % 4)
		fail("%s: offset %llu and length %llu are not both multiples of 4", what, offset, length);
	else if (!length)
		fail("%s: nothing to do", what);
	else if (!inRange(offset, length, whole))
		fail("%s: %llu bytes at %llu of a buffer of %llu", what, length, offset, whole);
	else
		return true;
	return false;
}

static void copy(id self, SEL sel, id from, Q fromOffset, id to, Q toOffset, Q length)
{
	BLIT;
	if (!checkPiece(from, "the source", fromOffset, length) || !checkPiece(to, "the destination", toOffset, length))
		return;
	if (from == to && fromOffset < toOffset + length && toOffset < fromOffset + length) {
		fail("source and destination overlap");
		return;
	}
	struct op *o = addOp(e->buffer, opCopy);
	o->from = (struct buffer *)from;
	o->fromOffset = fromOffset;
	o->to = (struct buffer *)to;
	o->toOffset = toOffset;
	o->length = length;
	useResource(e->buffer, from);
	useResource(e->buffer, to);
}

static void fill(id self, SEL sel, id buffer, struct range r, uint8_t value)
{
	BLIT;
	if (!checkPiece(buffer, "the buffer", r.location, r.length))
		return;
	struct op *o = addOp(e->buffer, opFill);
	o->to = (struct buffer *)buffer;
	o->toOffset = r.location;
	o->length = r.length;
	o->byte = value;
	useResource(e->buffer, buffer);
}

static void blitLabel(id self, SEL sel, id label)
{
	BLIT;
	if (!label || expect(label, &NSString, "the label"))
		setLabel(self, label ? textOf(label) : NULL);
}

static void end(id self, SEL sel)
{
	BLIT;
	endEncoder(e);
}

static void endBench(id self, SEL sel)
{
	(void)sel;
	GUARD;
	closeEncoder(self);
}

static void blit_dealloc(id self) { deallocEncoder((struct encoder *)self); }

static const struct method blitMethods[] = {
	{"copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:", "v@Q@QQ", copy, nothing},
	{"fillBuffer:range:value:", "v@{_NSRange=QQ}C", fill, nothing},
	{"setLabel:", "v@", blitLabel, nothing},
	{"endEncoding", "v", end, endBench},
	{0},
};
struct class MTLBlitCommandEncoder = {
	.name = "MTLBlitCommandEncoder",
	.size = sizeof(struct encoder),
	.methods = blitMethods,
	.argMethods = offsetof(struct argKind, blitMethods),
	.dealloc = blit_dealloc,
	.protocol = true,
};
