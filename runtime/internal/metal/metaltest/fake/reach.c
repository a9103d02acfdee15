// What dispatches reach without that it is bound: addresses in memory, where they lead,
// and whether an encoder was told.
#include "fake.h"

enum { readUsage = 1, writeUsage = 2 };

// Addresses are those of a GPU: the host has no memory there. None is used again.

static struct buffer **owners; // by their addresses
static Q ownerCount, ownerRoom, nextAddress;
enum { addressPage = 1 << 16 };
static const Q firstAddress = 0x2a0000000000;

void giveAddress(struct buffer *b)
{
	if (settings.bench)
		return;
	if (ownerCount == ownerRoom) {
		ownerRoom = ownerRoom ? 2 * ownerRoom : 64;
		owners = realloc(owners, ownerRoom * sizeof *owners);
	}
	owners[ownerCount++] = b;
	b->is.address = nextAddress ? nextAddress : firstAddress;
	nextAddress = b->is.address + (b->length + 2 * addressPage - 1) / addressPage * addressPage;
}

// The buffer with an address, or the end of it, which may be dead; NULL where there was none.
static struct buffer *ownerOf(Q address)
{
	Q low = 0, high = ownerCount;
	while (low < high) {
		Q middle = (low + high) / 2;
		if (owners[middle]->is.address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address - owners[low - 1]->is.address <= owners[low - 1]->length ? owners[low - 1] : NULL;
}

void forgetAddresses(void)
{
	free(owners);
	owners = NULL;
	ownerCount = ownerRoom = nextAddress = 0;
}

// What an encoder was told

static void tell(struct compute *c, id resource, Q usage)
{
	if (!usage || usage > 7) {
		fail("usage %llu is none of MTLResourceUsage", usage);
		return;
	}
	if (!isA(resource, &MTLTexture) && !expect(resource, &MTLBuffer, "the resource"))
		return;
	useResource(c->encoder.buffer, resource);
	for (Q i = 0; i < c->residentCount; i++) {
		if (c->residents[i].resource == resource) {
			c->residents[i].usage |= usage;
			return;
		}
	}
	c->residents = realloc(c->residents, (c->residentCount + 1) * sizeof *c->residents);
	c->residents[c->residentCount++] = (struct resident){resource, usage};
}

void encoder_use(id self, SEL sel, id resource, Q usage)
{
	ENCODE;
	tell(c, resource, usage);
}

void encoder_useAll(id self, SEL sel, id *resources, Q count, Q usage)
{
	ENCODE;
	if (!count || !readable(resources, 8 * count)) {
		fail("the list of resources is empty or cannot be read");
		return;
	}
	for (Q i = 0; i < count; i++)
		tell(c, resources[i], usage);
}

static Q usageOf(struct compute *c, id resource)
{
	for (Q i = 0; i < c->residentCount; i++)
		if (c->residents[i].resource == resource)
			return c->residents[i].usage;
	return 0;
}

// Pointers in arguments

// A walk through the memory of an argument. Types may lead back to where they came from.
struct walk {
	struct compute *c;
	const struct kernel *kernel;
	const struct binding *argument;
	struct text path;
	struct visited { struct buffer *buffer; const struct type *type; } *visited;
	Q visitedCount;
};

static void walkElements(struct walk *, const uint8_t *, Q length, Q size, const struct type *);

static bool isNew(struct walk *w, struct buffer *b, const struct type *t)
{
	for (Q i = 0; i < w->visitedCount; i++)
		if (w->visited[i].buffer == b && w->visited[i].type == t)
			return false;
	w->visited = realloc(w->visited, (w->visitedCount + 1) * sizeof *w->visited);
	w->visited[w->visitedCount++] = (struct visited){b, t};
	return true;
}

static void lead(struct walk *w, Q address, const struct type *t)
{
	struct buffer *b = address ? ownerOf(address) : NULL;
	if (!b || !isNew(w, b, t))
		return; // the kernel fails if it goes to what is no address
	char name[256];
	describe(&b->head, name, sizeof name);
	const struct binding *a = w->argument;
	Q usage = usageOf(w->c, &b->head);
	if (!isAlive(b))
		fail("%s: argument %s (index %llu): %s leads to %s, which was freed", w->kernel->name, a->name, a->index,
			w->path.bytes, name);
	else if (!usage)
		fail("%s: argument %s (index %llu): %s leads to %s, which the encoder was not told to use", w->kernel->name, a->name,
			a->index, w->path.bytes, name);
	else if (t->access && !(usage & writeUsage))
		fail("%s: argument %s (index %llu): %s leads to %s, which the kernel may write, and the encoder uses for reading",
			w->kernel->name, a->name, a->index, w->path.bytes, name);
	else {
		if (w->c->concurrent)
			hazardTouch(&w->c->hazards, &b->head, b->bytes, 0, b->length, t->access != 0, w->kernel->name, a->index);
		Q at = address - b->is.address;
		walkElements(w, b->bytes + at, b->length - at, t->size, t->element);
	}
}

static void walkType(struct walk *w, const uint8_t *p, const struct type *t)
{
	size_t here = w->path.length;
	switch (t->kind) {
	case kindStruct:
		for (const struct member *m = t->members; m; m = m->next) {
			if (!m->type || !m->type->pointers)
				continue;
			add(&w->path, ".%s", m->name);
			walkType(w, p + m->offset, m->type);
			w->path.length = here;
		}
		break;
	case kindArray:
		walkElements(w, p, t->length * t->stride, t->stride, t->element);
		break;
	case kindPointer: {
		Q address;
		memcpy(&address, p, sizeof address);
		lead(w, address, t);
	}
	}
}

static void walkElements(struct walk *w, const uint8_t *p, Q length, Q size, const struct type *t)
{
	size_t here = w->path.length;
	if (!t || !t->pointers || !size)
		return;
	for (Q i = 0; i < length / size; i++) {
		add(&w->path, "[%llu]", i);
		walkType(w, p + i * size, t);
		w->path.length = here;
	}
}

// What the bytes of an argument lead to has to be in use, and is touched.
void reach(struct compute *c, const struct kernel *k, const struct binding *b, const uint8_t *bytes, Q length)
{
	if (settings.bench || !b->type || !b->type->pointers)
		return;
	struct walk w = {.c = c, .kernel = k, .argument = b};
	add(&w.path, "%s", "");
	walkElements(&w, bytes, length, b->size, b->type);
	free(w.path.bytes);
	free(w.visited);
}

// A dispatch gets all that its encoder uses, for pointers that kernels have stored.
void bindResidents(struct compute *c, struct op *o)
{
	for (Q i = 0; i < c->residentCount; i++) {
		struct resident *r = &c->residents[i];
		struct buffer *b = (struct buffer *)r->resource;
		if (r->resource->dead || r->resource->class != &MTLBuffer)
			continue;
		*addBound(o) = (struct bound){
			.arg = {
				residentBuffer, 0, b->bytes, b->length, b->head.number, .writes = (r->usage & writeUsage) != 0,
				.numbers = (const Q *)&b->is,
			},
			.object = &b->head,
		};
	}
}
