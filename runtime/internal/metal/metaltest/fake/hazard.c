// Which dispatches of a concurrent encoder may run at once, and which of them
// must not. A barrier is needed when a conflict crosses it that no barrier before
// it could have ordered; going by the latest that could, none is called needed
// for the sake of another.
#include "fake.h"

static bool covers(const struct barrier *b, id resource)
{
	if (b->scope)
		return b->scope & (resource->class == &MTLTexture ? scopeTextures : scopeBuffers);
	for (Q i = 0; i < b->count; i++)
		if (b->resources[i] == resource)
			return true;
	return false;
}

void hazardDispatch(struct hazards *h) { h->dispatches++; }

static void settle(struct hazards *h, Q barrier)
{
	struct barrier *b = &h->barriers[barrier];
	Q kept = 0;
	b->needed = true;
	for (Q i = 0; i < h->touchCount; i++)
		if (h->touches[i].after > barrier || !covers(b, h->touches[i].resource))
			h->touches[kept++] = h->touches[i];
	h->touchCount = kept;
}

static const char *verb(bool writes) { return writes ? "written" : "read"; }

void hazardTouch(struct hazards *h, id resource, uint8_t *bytes, Q from, Q to, bool writes, const char *kernel, Q index)
{
	for (Q i = 0; i < h->touchCount;) {
		struct touch *t = &h->touches[i];
		// by address: two resources may be views of the same bytes
		uintptr_t old = (uintptr_t)t->bytes, new = (uintptr_t)bytes;
		bool apart = old + t->to <= new + from || new + to <= old + t->from;
		if (t->dispatch == h->dispatches || !(t->writes || writes) || apart) {
			i++;
			continue;
		}
		Q b = h->barrierCount;
		while (b > t->after && !(covers(&h->barriers[b - 1], resource) && covers(&h->barriers[b - 1], t->resource)))
			b--;
		if (b > t->after) {
			settle(h, b - 1);
			i = 0;
			continue;
		}
		char name[256];
		describe(resource, name, sizeof name);
		Q low = from, high = to;
		if (new + low < old + t->from)
			low = old + t->from - new;
		if (new + high > old + t->to)
			high = old + t->to - new;
		fail("missing barrier between dispatch %llu (%s, argument %llu) and dispatch %llu (%s, argument %llu): "
			"%s bytes %llu..%llu are %s, then %s",
			t->dispatch, t->kernel, t->index, h->dispatches, kernel, index, name, low, high, verb(t->writes), verb(writes));
		*t = h->touches[--h->touchCount];
	}
	if (h->touchCount == h->touchRoom) {
		h->touchRoom = h->touchRoom ? 2 * h->touchRoom : 32;
		h->touches = realloc(h->touches, h->touchRoom * sizeof *h->touches);
	}
	h->touches[h->touchCount++] = (struct touch){
		resource, bytes, from, to, writes, h->barrierCount, h->dispatches, kernel, index,
	};
}

void hazardBarrier(struct hazards *h, void **resources, Q count, Q scope)
{
	if (h->barrierCount == h->barrierRoom) {
		h->barrierRoom = h->barrierRoom ? 2 * h->barrierRoom : 16;
		h->barriers = realloc(h->barriers, h->barrierRoom * sizeof *h->barriers);
	}
	struct barrier *b = &h->barriers[h->barrierCount++];
	*b = (struct barrier){.scope = scope, .count = count};
	if (count) {
		b->resources = malloc(count * sizeof *b->resources);
		memcpy(b->resources, resources, count * sizeof *b->resources);
	}
	counts.barriers++;
}

void hazardEnd(struct hazards *h, bool report)
{
	for (Q i = 0; i < h->barrierCount; i++) {
		if (report && !h->barriers[i].needed) {
			counts.needless++;
			logRemark("needless barrier %llu: nothing after it uses what was written before it", (i + 1));
		}
		free(h->barriers[i].resources);
	}
	free(h->barriers);
	free(h->touches);
	*h = (struct hazards){0};
}
