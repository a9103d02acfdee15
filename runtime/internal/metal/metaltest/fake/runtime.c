// Classes, selectors, objects, and the search for methods.
#include "fake.h"

#include <unistd.h>

struct settings settings;
uint32_t era = 1;

#define LIST(name) &name,
static struct class *const classes[] = {CLASSES(LIST)};
#undef LIST
enum { classCount = sizeof classes / sizeof *classes };

// In one array, so that a pointer that is no selector can be told from one that is.
static struct selector selectors[maxSelectors];
static uint32_t selectorCount;
static bool hidden[maxSelectors];

static id *objects; // a hash set of every object ever made
static Q objectCount, objectRoom;

static const struct method *findIn(const struct class *c, bool isStatic, const char *selector)
{
	for (Q list = 0; list < methodLists; list++)
		for (const struct method *m = methodsOf(c, isStatic, list); m && m->selector; m++)
			if (!strcmp(m->selector, selector))
				return m;
	return NULL;
}

bool isHidden(const char *name)
{
	size_t n = strlen(name);
	for (const char *s = settings.hidden; s && *s; s += strcspn(s, "\n") + 1)
		if (strcspn(s, "\n") == n && !memcmp(s, name, n))
			return true;
	return false;
}

static SEL selectorNamed(const char *name)
{
	for (uint32_t i = 0; i < selectorCount; i++)
		if (!strcmp(selectors[i].name, name))
			return &selectors[i];
	if (selectorCount == maxSelectors)
		return NULL;
	SEL s = &selectors[selectorCount];
	s->number = selectorCount;
	s->name = strdup(name);
	for (int c = 0; c < classCount; c++) {
		for (int isStatic = 0; isStatic < 2; isStatic++) {
			struct class *from = classes[c];
			const struct method *m = findIn(from, isStatic, name);
			if (!m)
				m = findIn(&NSObject, isStatic, name);
			from->table[isStatic][s->number] = m;
		}
	}
	hidden[s->number] = isHidden(name);
	selectorCount++;
	return s;
}

void setUpClasses(void)
{
	for (uint32_t i = 0; i < selectorCount; i++)
		hidden[i] = isHidden(selectors[i].name);
	for (int c = 0; c < classCount; c++)
		classes[c]->count = 0;
}

static Q hash(const void *p) { return ((uintptr_t)p >> 4) * 0x9e3779b97f4a7c15u; }

static void insert(id o)
{
	Q at = hash(o) & (objectRoom - 1);
	while (objects[at])
		at = (at + 1) & (objectRoom - 1);
	objects[at] = o;
}

static void remember(id o)
{
	if (2 * (objectCount + 1) > objectRoom) {
		id *old = objects;
		Q n = objectRoom;
		objectRoom = n ? 2 * n : 1024;
		objects = calloc(objectRoom, sizeof *objects);
		for (Q i = 0; i < n; i++)
			if (old[i])
				insert(old[i]);
		free(old);
	}
	objectCount++;
	insert(o);
}

static bool isClass(const void *p)
{
	for (int c = 0; c < classCount; c++)
		if (p == classes[c])
			return true;
	return false;
}

bool isObject(const void *p)
{
	if (isClass(p))
		return true;
	for (Q at = hash(p) & (objectRoom - 1); objectRoom && objects[at]; at = (at + 1) & (objectRoom - 1))
		if (objects[at] == p)
			return true;
	return false;
}

bool isAlive(const void *p)
{
	return isObject(p) && (isClass(p) || (((id)p)->era == era && !((id)p)->dead));
}

bool isA(const void *p, struct class *c)
{
	return settings.bench || (isAlive(p) && ((id)p)->class == c);
}

bool expect(id o, struct class *c, const char *what)
{
	if (settings.bench)
		return true;
	if (!o) {
		fail("%s is nil", what);
		return false;
	}
	if (isA(o, c))
		return true;
	char name[256] = "";
	if (isAlive(o))
		describe(o, name, sizeof name);
	fail("%s is %s, not %s", what, *name ? name : "no living object", c->name);
	return false;
}

// The objects of this era, the last one first. Dead ones stay, so that messages that come late are recognised.
static id newest;

id make(struct class *c)
{
	id o = calloc(1, c->size);
	o->class = c;
	o->refs = 1;
	o->era = era;
	o->number = ++c->count;
	if (!settings.bench) {
		remember(o);
		o->before = newest;
		newest = o;
	}
	return o;
}

void setLabel(id o, const char *label)
{
	free(o->label);
	o->label = copyText(label);
}

void *own(void *p)
{
	if (p && !isClass(p))
		((id)p)->refs++;
	return p;
}

static void kill(id o)
{
	if (o->flying > 0) {
		char name[256], user[256] = "a command buffer";
		describe(o, name, sizeof name);
		if (o->flight && isAlive(o->flight))
			describe(o->flight, user, sizeof user);
		fail("%s is deallocated while %s, which has no reference to it, uses it", name, user);
	}
	if (!strncmp(o->class->name, "MTL", 3) && !hasPool()) {
		char name[256];
		describe(o, name, sizeof name);
		fail("%s is deallocated on a thread without an autorelease pool", name);
	}
	// metal's own objects go with their owner: that needs no further pool
	enterFake();
	if (o->class->dealloc)
		o->class->dealloc(o);
	leaveFake();
	o->dead = true;
	if (settings.bench) {
		free(o->label);
		free(o);
	}
}

void disown(void *p)
{
	id o = p;
	if (!o || isClass(o) || o->era != era || o->dead)
		return;
	if (--o->refs == 0)
		kill(o);
}

void forgetObjects(void)
{
	for (id o = newest; o; o = o->before) {
		if (o->dead || o->class != &MTLBuffer)
			continue;
		((struct buffer *)o)->deallocator = NULL; // whoever it was for is gone
		o->class->dealloc(o);
	}
	newest = NULL;
	era++;
}

void describe(id o, char *out, size_t room)
{
	if (isClass(o))
		snprintf(out, room, "%s", ((struct class *)o)->name);
	else if (o->class == &NSString)
		snprintf(out, room, "\"%s\"", textOf(o));
	else if (o->label)
		snprintf(out, room, "%s#%llu \"%s\"", o->class->name, o->number, o->label);
	else
		snprintf(out, room, "%s#%llu", o->class->name, o->number);
}

void listLeaks(struct text *t)
{
	for (int c = 0; c < classCount; c++) {
		for (id o = newest; o; o = o->before) {
			if (o->dead || o->class != classes[c] || o->refs <= o->base)
				continue;
			char name[256];
			describe(o, name, sizeof name);
			add(t, "%s", name);
			if (o->refs - o->base > 1)
				add(t, ", %d references", o->refs - o->base);
			if (o->class == &MTLCommandBuffer)
				add(t, ", %s", statusName(((struct commandBuffer *)o)->status));
			add(t, "%c", 0x1e);
		}
	}
}

const char *nextType(const char **at)
{
	const char *start = *at, *s = start;
	if (!*s)
		return NULL;
	while (*s && strchr("rnNoORV^", *s))
		s++;
	if (*s == '{') {
		for (int depth = 0; *s; s++) {
			depth += *s == '{';
			depth -= *s == '}';
			if (!depth)
				break;
		}
	}
	if (*s)
		s++;
	if (s[-1] == '@' && *s == '?')
		s++;
	*at = s;
	return start;
}

// In assembly nobody would see that floating results need to be zero too.
#if defined __x86_64__
__asm__(".text\n.hidden nothing\n.globl nothing\nnothing:\n"
	"\txorl %eax, %eax\n\txorl %edx, %edx\n\txorps %xmm0, %xmm0\n\tret\n");
#else
__asm__(".text\n.hidden nothing\n.globl nothing\nnothing:\n\tmov x0, #0\n\tmov x1, #0\n\tfmov d0, xzr\n\tret\n");
#endif

static struct size nothingInMemory(void) { return (struct size){0}; }

struct frame {
#if defined __x86_64__
	Q ints[6];
	Q rest[2];
#else
	Q ints[8];
	Q rest[2];
#endif
	double floats[8][2];
};

struct reader {
	struct frame *frame;
	Q *stack;
	int ints, floats;
};

enum { intRegisters = sizeof((struct frame *)0)->ints / sizeof(Q) };

static Q nextWord(struct reader *r)
{
	return r->ints < intRegisters ? r->frame->ints[r->ints++] : *r->stack++;
}

static int copyArray(const Q *from, Q n, Q *to)
{
	if (!from || n > 64 || !readable(from, 8 * n)) {
		to[0] = ~(Q)0;
		return 1;
	}
	to[0] = n;
	memcpy(to + 1, from, 8 * n);
	return 1 + (int)n;
}

// The words of a type: one, or as many as a structure has.
int wordsIn(const char *type)
{
	if (*type != '{')
		return 1;
	int n = 0, depth = 0;
	do {
		depth += (*type == '{') - (*type == '}');
		n += *type == 'Q';
	} while (*type++ && depth);
	return n;
}

// The arguments as the encoding says they were passed. Arrays are copied: they
// belong to the caller.
static int arguments(struct reader *r, const struct method *m, Q *out, bool *bad)
{
	Q raw[maxWords];
	int n = 0, count = 0;
	Q length = 0;
	bool lists = false;
	const char *types = m->types;
	nextType(&types);
	const char *first = types;
	for (const char *type; (type = nextType(&types));) {
		if (*type == 'd') {
			memcpy(&raw[n++], &r->frame->floats[r->floats++][0], 8);
		} else if (*type == 'f') {
			raw[n] = 0;
			memcpy(&raw[n++], &r->frame->floats[r->floats++][0], 4);
		} else if (wordsIn(type) > 2) {
			int size = wordsIn(type);
#if defined __x86_64__
			for (int i = 0; i < size; i++)
				raw[n++] = *r->stack++;
#else
			const Q *copy = (const Q *)nextWord(r);
			if (!readable(copy, 8 * (Q)size)) {
				fail("a structure of %d words is passed by address, and %p is not one", size, (void *)copy);
				*bad = true;
				return 0;
			}
			for (int i = 0; i < size; i++)
				raw[n++] = copy[i];
#endif
		} else if (*type == '{') {
			if (r->ints + 2 > intRegisters)
				r->ints = intRegisters;
			raw[n++] = nextWord(r);
			raw[n++] = length = nextWord(r);
		} else {
			Q w = raw[n++] = nextWord(r);
			if (*type == 'Q' && lists) // the first number after them is how long they are
				length = w, lists = false;
			lists |= !strncmp(type, "r^@", 3) || !strncmp(type, "r^Q", 3);
			if (*type == '@' && !settings.bench && w && type[1] != '?') {
				if (!isObject((void *)w)) {
					fail("argument %d, %#llx, is no object", count + 1, w);
					*bad = true;
					return 0;
				}
				if (!isAlive((void *)w)) {
					char name[256];
					describe((id)w, name, sizeof name);
					fail("argument %d, %s, was freed", count + 1, name);
					*bad = true;
					return 0;
				}
			}
			const char *bare = type + (*type == 'r');
			if ((*bare == '^' || *bare == '*') && w && !readable((void *)w, 1)) {
				fail("argument %d, %#llx, is no address", count + 1, w);
				*bad = true;
				return 0;
			}
		}
		count++;
	}
	Q *w = raw, *o = out;
	for (const char *type; (type = nextType(&first));) {
		int size = wordsIn(type);
		if (!strncmp(type, "r^@", 3) || !strncmp(type, "r^Q", 3)) {
			o += copyArray((const Q *)*w, length, o);
			if (o[-1] != ~(Q)0 && type[2] == '@')
				for (Q i = 0; i < length; i++) {
					id e = (id)(o - length)[i];
					if (e && !isAlive(e)) {
						fail("element %llu of argument %d, %p, is no living object", i, (int)(w - raw) + 1, (void *)e);
						*bad = true;
						return 0;
					}
				}
		} else {
			memcpy(o, w, (size_t)size * sizeof *w);
			o += size;
		}
		w += size;
	}
	return (int)(o - out);
}

static const char *ownerOf(const char *selector)
{
	for (int c = 1; c < classCount; c++)
		if (findIn(classes[c], false, selector))
			return classes[c]->name;
	return NULL;
}

// Named by the assembly.
__attribute__((visibility("hidden"))) void *fakeLookup(struct frame *f, Q *stack, int stret)
{
	id self = (id)f->ints[stret];
	SEL sel = (SEL)f->ints[stret + 1];
	if (settings.bench && self) {
		struct class *c = self->class ? self->class : (struct class *)self;
		const struct method *m = c->table[!self->class][sel->number];
		if (m)
			return m->bench ? m->bench : m->function;
	}
	void *none = stret ? (void *)nothingInMemory : (void *)nothing;
	GUARD;
	context(NULL, NULL);
	if ((uintptr_t)stack % 16)
		fail("a message is sent with a stack that is not aligned to 16 bytes");
	if (sel < selectors || sel >= selectors + selectorCount || ((char *)sel - (char *)selectors) % sizeof *sel) {
		fail("%p, which is no selector, is sent to %p", (void *)sel, (void *)self);
		return none;
	}
	if (!self) {
		fail("%s is sent to nil", sel->name);
		return none;
	}
	if (!isObject(self)) {
		fail("%s is sent to %p, which is no object", sel->name, (void *)self);
		return none;
	}
	bool isStatic = isClass(self);
	struct class *c = isStatic ? (struct class *)self : self->class;
	context(self, sel->name);
	if (!isAlive(self)) {
		// collected garbage of an earlier test may be let go of at any time
		bool counting = !strcmp(sel->name, "release") || !strcmp(sel->name, "retain") || !strcmp(sel->name, "autorelease");
		if (self->era == era)
			fail(!strcmp(sel->name, "release") ? "released once too often" : "used after it was freed");
		else if (!counting)
			fail("belongs to an earlier test");
		return none;
	}
	const struct method *m = c->table[isStatic][sel->number];
	if (!m || hidden[sel->number]) {
		const char *owner = ownerOf(sel->name);
		if (hidden[sel->number])
			fail("this system has no such selector");
		else if (owner)
			fail("no such selector: it is one of %s", owner);
		else
			fail("no such selector");
		return none;
	}
	bool inMemory = !strncmp(m->types, "{?=QQQ}", 7);
#if defined __x86_64__
	if (inMemory != stret) {
		fail(stret ? "objc_msgSend_stret, and the result is not in memory" : "the result is in memory: objc_msgSend_stret");
		return none;
	}
#else
	(void)inMemory;
#endif
	Q words[maxWords];
	bool bad = false;
	struct reader r = {.frame = f, .stack = stack, .ints = stret + 2};
	int count = arguments(&r, m, words, &bad);
	if (bad)
		return none;
	logMessage(self, m, isStatic, words, count);
	return m->function;
}

// What libobjc exports.

EXPORT SEL sel_registerName(const char *name)
{
	GUARD;
	SEL s = selectorNamed(name);
	if (!s)
		fail("too many selectors: %s", name);
	return s;
}

EXPORT struct class *objc_getClass(const char *name)
{
	for (int c = 0; c < classCount; c++)
		if (!strcmp(classes[c]->name, name) && !classes[c]->protocol && !isHidden(name))
			return classes[c];
	return NULL;
}

EXPORT void *object_getClass(id o)
{
	GUARD;
	if (!o || !isObject(o))
		return NULL;
	return isClass(o) ? (void *)&((struct class *)o)->meta : o->class;
}

EXPORT const struct method *class_getInstanceMethod(void *c, SEL s)
{
	if (!c || !s || hidden[s->number])
		return NULL;
	for (int i = 0; i < classCount; i++)
		if (c == classes[i] || c == &classes[i]->meta)
			return classes[i]->table[c != classes[i]][s->number];
	return NULL;
}

static int sizeOf(const char *type)
{
	if (*type == 'r')
		type++;
	switch (*type) {
	case 'v':
		return 0;
	case 'B': case 'C': case 'i': case 'f':
		return 4; // promoted
	case '{':
		return 8 * wordsIn(type);
	}
	return 8;
}

EXPORT const char *method_getTypeEncoding(const struct method *m)
{
	if (!m)
		return NULL;
	GUARD;
	// the true form counts the bytes of the frame before each argument
	static struct { const struct method *method; char *text; } made[4 * maxSelectors];
	static int count;
	for (int i = 0; i < count; i++)
		if (made[i].method == m)
			return made[i].text;
	const char *types = m->types, *type = nextType(&types), *after = types;
	int result = (int)(types - type), total = 16, at = 16;
	while ((type = nextType(&types)))
		total += sizeOf(type);
	struct text t = {0};
	add(&t, "%.*s%d@0:8", result, m->types, total);
	while ((type = nextType(&after))) {
		add(&t, "%.*s%d", (int)(after - type), type, at);
		at += sizeOf(type);
	}
	made[count].method = m;
	made[count].text = t.bytes;
	return made[count++].text;
}

EXPORT id objc_retain(id o)
{
	if (!o)
		return NULL;
	GUARD;
	if (settings.bench) {
		o->refs++;
		return o;
	}
	context(NULL, "objc_retain");
	if (!isObject(o)) {
		fail("%p is no object", (void *)o);
		return o;
	}
	context(o, "objc_retain");
	if (isAlive(o))
		own(o);
	else if (o->era == era)
		fail("used after it was freed");
	return o;
}

EXPORT void objc_release(id o)
{
	if (!o)
		return;
	GUARD;
	if (settings.bench) {
		disown(o);
		return;
	}
	context(NULL, "objc_release");
	if (!isObject(o)) {
		fail("%p is no object", (void *)o);
		return;
	}
	context(o, "objc_release");
	if (!isAlive(o)) {
		if (o->era == era)
			fail("released once too often");
		return;
	}
	if (o->base && o->refs == o->base) {
		fail("released once too often");
		return;
	}
	disown(o);
}

// NSObject

static id object_retain(id self, SEL sel)
{
	(void)sel;
	GUARD;
	return own(self);
}

static void object_release(id self, SEL sel)
{
	(void)sel;
	GUARD;
	if (self->base && self->refs == self->base)
		fail("released once too often");
	else
		disown(self);
}

static id object_autorelease(id self, SEL sel)
{
	(void)sel;
	GUARD;
	return later(self);
}

static dirty object_responds(id self, SEL sel, SEL asked)
{
	(void)sel;
	GUARD;
	if (asked < selectors || asked >= selectors + selectorCount) {
		fail("%p is no selector", (void *)asked);
		return NO;
	}
	struct class *c = isClass(self) ? (struct class *)self : self->class;
	return c->table[isClass(self)][asked->number] && !hidden[asked->number] ? YES : NO;
}

static id object_class(id self, SEL sel)
{
	(void)sel;
	return isClass(self) ? self : (id)self->class;
}

static id object_description(id self, SEL sel)
{
	(void)sel;
	GUARD;
	char name[256];
	describe(self, name, sizeof name);
	return later(newString(name));
}

static id object_self(id self, SEL sel)
{
	(void)sel;
	return self;
}

static id class_new(id self, SEL sel)
{
	(void)sel;
	GUARD;
	struct class *c = (struct class *)self;
	if (c->protocol) {
		fail("objects of a protocol come from Metal");
		return NULL;
	}
	return make(c);
}

static const struct method objectMethods[] = {
	{"retain", "@", object_retain, NULL},
	{"release", "v", object_release, NULL},
	{"autorelease", "@", object_autorelease, NULL},
	{"respondsToSelector:", "B:", object_responds, NULL},
	{"class", "#", object_class, NULL},
	{"description", "@", object_description, NULL},
	{"init", "@", object_self, NULL},
	{"self", "@", object_self, NULL},
	{0},
};

static id class_keep(id self, SEL sel)
{
	(void)sel;
	return self;
}

static const struct method objectStatics[] = {
	{"alloc", "@", class_new, NULL},
	{"new", "@", class_new, NULL},
	{"class", "#", object_class, NULL},
	{"retain", "@", class_keep, NULL},
	{"release", "v", class_keep, NULL},
	{"autorelease", "@", class_keep, NULL},
	{"respondsToSelector:", "B:", object_responds, NULL},
	{0},
};

struct class NSObject = {
	.name = "NSObject",
	.size = sizeof(struct object),
	.methods = objectMethods,
	.statics = objectStatics,
};
