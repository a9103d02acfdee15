// What dispatches reach that is not bound: where addresses in memory lead, and whether
// an encoder was told.
#include "fake.h"

enum { readUsage = 1, writeUsage = 2 };

// Addresses are those of a GPU: the host has no memory there. None is used again.

static struct buffer **owners; // by their addresses; nobody asks in a benchmark
static Q ownerCount, ownerRoom, nextAddress;
enum { addressPage = 1 << 16 };
static const Q firstAddress = 0x2a0000000000;

void giveAddress(struct buffer *b)
{
	b->is.address = nextAddress ? nextAddress : firstAddress;
	nextAddress = b->is.address + (b->length + 2 * addressPage - 1) / addressPage * addressPage;
	if (settings.bench)
		return;
	if (ownerCount == ownerRoom) {
		ownerRoom = ownerRoom ? 2 * ownerRoom : 64;
		owners = realloc(owners, ownerRoom * sizeof *owners);
	}
	owners[ownerCount++] = b;
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

// Textures have numbers in the order in which they were made, which are no addresses.

static struct texture **textures; // as owners
static Q textureCount, textureRoom;
static const Q firstNumber = 0x3a0000000000;

void giveNumber(struct texture *t)
{
	t->is.number = firstNumber + textureCount++;
	if (settings.bench)
		return;
	if (textureCount > textureRoom) {
		textureRoom = textureRoom ? 2 * textureRoom : 64;
		textures = realloc(textures, textureRoom * sizeof *textures);
	}
	textures[textureCount - 1] = t;
}

static struct texture *textureOf(Q number)
{
	return number - firstNumber < textureCount ? textures[number - firstNumber] : NULL;
}

void forgetAddresses(void)
{
	free(textures);
	textures = NULL;
	textureCount = textureRoom = 0;
	free(owners);
	owners = NULL;
	ownerCount = ownerRoom = nextAddress = 0;
}

// What an encoder was told

static void tell(struct compute *c, id resource, Q usage)
{
	if (!usage || usage > 7) {
		fail("usage %llu is not an MTLResourceUsage", usage);
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
	struct visited { id resource; const struct type *type; Q start, from; } *visited; // from there to its end
	Q visitedCount;
};

static void walkElements(struct walk *, const uint8_t *, Q length, Q size, const struct type *);

// The end of what was not visited of a resource, from a place on.
static Q newUntil(struct walk *w, id resource, const struct type *t, Q start, Q from, Q end)
{
	for (Q i = 0; i < w->visitedCount; i++) {
		struct visited *v = &w->visited[i];
		if (v->resource == resource && v->type == t && v->start == start) {
			Q until = v->from > from ? v->from : from;
			v->from = v->from < from ? v->from : from;
			return until;
		}
	}
	w->visited = realloc(w->visited, (w->visitedCount + 1) * sizeof *w->visited);
	w->visited[w->visitedCount++] = (struct visited){resource, t, start, from};
	return end;
}

static void bad(struct walk *w, id resource, const char *what)
{
	char name[256];
	describe(resource, name, sizeof name);
	const struct binding *a = w->argument;
	fail("%s: argument %s (index %llu): %s leads to %s, which %s", w->kernel->name, a->name, a->index, w->path.bytes, name,
		what);
}

// Whether a kernel may go where a type leads.
static bool mayReach(struct walk *w, id resource, const struct type *t)
{
	Q usage = usageOf(w->c, resource), needs = t->access ? writeUsage : readUsage;
	if (!isAlive(resource))
		bad(w, resource, "was freed");
	else if (!usage)
		bad(w, resource, "the encoder was not told to use");
	else if (!(usage & needs))
		bad(w, resource, t->access ? "the kernel may write, and the encoder uses for reading" : "is not used for reading");
	else
		return true;
	return false;
}

// Where the part of a buffer begins and ends that somebody has announced as memory of its own. It is at most so long,
// and begins at a multiple of where constant arguments may.
static void partOf(struct buffer *b, Q at, Q *start, Q *end)
{
	enum { longest = 32 << 10, step = 256 };
	for (Q from = at / step * step, n = 0; n <= longest / step; n++, from -= step) {
		Q length = viewLength(b->bytes + from, "", memoryPart);
		if (length && from + length >= at) {
			*start = from;
			*end = from + length;
			return;
		}
		if (!from)
			return;
	}
}

static void toBuffer(struct walk *w, Q address, const struct type *t)
{
	struct buffer *b = ownerOf(address);
	if (!b)
		return; // of what is no address the CPU device will know, if the kernel goes there
	Q at = address - b->is.address, start = 0, end = b->length;
	partOf(b, at, &start, &end);
	Q until = newUntil(w, &b->head, t, start, at, end + 1);
	if (at == until || !mayReach(w, &b->head, t))
		return;
	if (w->c->concurrent)
		hazardTouch(&w->c->hazards, &b->head, b->bytes, start, end, t->access != 0, w->kernel->name, w->argument->index);
	if (until > end)
		until = end;
	walkElements(w, b->bytes + at, until - at, t->size, t->element);
}

static void toTexture(struct walk *w, Q number, const struct type *t)
{
	struct texture *x = textureOf(number);
	if (x && newUntil(w, &x->head, t, 0, 0, 1) && mayReach(w, &x->head, t) && w->c->concurrent)
		touchTexels(w->c, x, t->access != 0, w->kernel->name, w->argument->index);
}

static void walkType(struct walk *w, const uint8_t *p, const struct type *t)
{
	size_t here = w->path.length;
	Q number;
	switch (t->kind) {
	case kindStruct:
		for (const struct member *m = t->members; m; m = m->next) {
			if (!m->type || !m->type->leads)
				continue;
			add(&w->path, ".%s", m->name);
			walkType(w, p + m->offset, m->type);
			w->path.length = here;
		}
		break;
	case kindArray:
		walkElements(w, p, t->length * t->stride, t->stride, t->element);
		break;
	default:
		memcpy(&number, p, sizeof number);
		if (number && t->kind == kindPointer)
			toBuffer(w, number, t);
		else if (number && t->kind == kindTexture)
			toTexture(w, number, t);
	}
}

static void walkElements(struct walk *w, const uint8_t *p, Q length, Q size, const struct type *t)
{
	size_t here = w->path.length;
	if (!t || !t->leads || !size)
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
	if (settings.bench || !b->type || !b->type->leads)
		return;
	struct walk w = {.c = c, .kernel = k, .argument = b};
	add(&w.path, "%s", "");
	walkElements(&w, bytes, length, b->size, b->type);
	free(w.path.bytes);
	free(w.visited);
}

// A dispatch gets all that its encoder uses, for pointers that kernels have stored, and all
// samplers.
void bindResidents(struct compute *c, struct op *o)
{
	for (Q i = 0; i < c->residentCount; i++) {
		struct resident *r = &c->residents[i];
		struct bound b = {.object = r->resource};
		if (r->resource->dead)
			continue;
		if (r->resource->class == &MTLBuffer) {
			struct buffer *of = (struct buffer *)r->resource;
			b.arg = (struct fakeArg){residentBuffer, 0, of->bytes, of->length, 0, (const Q *)&of->is, 0};
		} else {
			struct texture *of = (struct texture *)r->resource;
			b.arg = (struct fakeArg){residentTexture, 0, of->bytes, of->size, 0, (const Q *)&of->is, 0};
		}
		b.arg.number = r->resource->number;
		b.arg.writes = (r->usage & writeUsage) != 0;
		*addBound(o) = b;
	}
	for (Q n = 1; n <= samplerCount(); n++)
		*addBound(o) = (struct bound){.arg = {residentSampler, n, NULL, 0, 0, samplerAt(n), 0}};
}
