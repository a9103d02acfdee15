// A stand-in for the Objective-C runtime. Methods have the C prototypes that a
// real compiler would give them, so the C compiler holds the caller to the ABI.
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct object *id;
typedef const char *SEL;
typedef uintptr_t word;
typedef struct { word location, length; } NSRange;
typedef struct { word width, height, depth; } MTLSize;

struct object {
	const char *class;
	long retains;
	const char *text;
	word integer;
	id others[3];
};

// Selectors are names with their method in front, as the stub in fake_*.S knows.
struct selector {
	void *method;
	char name[56];
};

enum { LOG = 1 << 16, SELECTORS = 64, POOLS = 64 };

static struct {
	word log[LOG];
	word logged, misaligned, off_thread;
	int quiet;
	struct selector selectors[SELECTORS];
	pthread_t pools[POOLS];
	int pool;
	void (*before_text)(void); // called before the text of a string is read
} fake;

word fake_misaligned(void) { return fake.misaligned; }
void fake_set_quiet(int quiet) { fake.quiet = quiet; }
void fake_set_before_text(void (*f)(void)) { fake.before_text = f; }
word fake_pools(void) { return fake.pool; }
word fake_off_thread(void) { return fake.off_thread; }
void fake_count_misaligned(void) { fake.misaligned++; }
void fake_reset(void) { fake.logged = fake.misaligned = 0; }
word fake_logged(void) { return fake.logged; }
word fake_log(word i) { return fake.log[i]; }

static void put(word w) {
	if (fake.logged < LOG) fake.log[fake.logged++] = w;
}

#define RECORD(n, ...)                                       \
	do {                                                     \
		if (fake.quiet) break;                               \
		word words[] = {(word)sel, (word)self, ##__VA_ARGS__}; \
		put(n);                                              \
		for (int i = 0; i < (n) + 2; i++) put(words[i]);     \
	} while (0)

static void w0(id self, SEL sel) { RECORD(0); }
static void w1(id self, SEL sel, word a) { RECORD(1, a); }
static void w2(id self, SEL sel, word a, word b) { RECORD(2, a, b); }
static void w3(id self, SEL sel, word a, word b, word c) { RECORD(3, a, b, c); }
static void w4(id self, SEL sel, word a, word b, word c, word d) { RECORD(4, a, b, c, d); }
static void w5(id self, SEL sel, word a, word b, word c, word d, word e) { RECORD(5, a, b, c, d, e); }
static void w6(id self, SEL sel, word a, word b, word c, word d, word e, word f) { RECORD(6, a, b, c, d, e, f); }
static void range(id self, SEL sel, NSRange r) { RECORD(2, r.location, r.length); }
static void arrays(id self, SEL sel, const id *ids, const word *offsets, NSRange r) {
	if (fake.quiet) return;
	put(2 + 2 * r.length);
	put((word)sel);
	put((word)self);
	put(r.location);
	put(r.length);
	for (word i = 0; i < r.length; i++) put((word)ids[i]);
	for (word i = 0; i < r.length; i++) put(offsets[i]);
}
// The arguments belong to the callee, which may overwrite them.
static void sizes(id self, SEL sel, MTLSize a, MTLSize b) {
	RECORD(6, a.width, a.height, a.depth, b.width, b.height, b.depth);
	memset((void *)(volatile void *)&a, 0xee, sizeof a);
	memset((void *)(volatile void *)&b, 0xee, sizeof b);
	__asm__ volatile("" : : "r"(&a), "r"(&b) : "memory");
}
static void mixed(id self, SEL sel, word a, word b, MTLSize c) {
	RECORD(5, a, b, c.width, c.height, c.depth);
	memset((void *)(volatile void *)&c, 0xee, sizeof c);
	__asm__ volatile("" : : "r"(&c) : "memory");
}
// As replaceRegion:mipmapLevel:slice:withBytes:bytesPerRow:bytesPerImage: and getBytes:... of MTLTexture have them.
typedef struct { MTLSize origin, size; } MTLRegion;
static void region(id self, SEL sel, MTLRegion r, word a, word b, word c, word d, word e) {
	RECORD(11, r.origin.width, r.origin.height, r.origin.depth, r.size.width, r.size.height, r.size.depth, a, b, c, d,
		e);
	memset((void *)(volatile void *)&r, 0xee, sizeof r);
	__asm__ volatile("" : : "r"(&r) : "memory");
}
static void region_last(id self, SEL sel, word a, word b, word c, MTLRegion r, word d, word e) {
	RECORD(11, a, b, c, r.origin.width, r.origin.height, r.origin.depth, r.size.width, r.size.height, r.size.depth, d, e);
}
// As copyFromBuffer:...toTexture:... of MTLBlitCommandEncoder has them.
static void blit(id self, SEL sel, word a, word b, word c, word d, MTLSize s, word e, word f, word g, MTLSize t) {
	RECORD(13, a, b, c, d, s.width, s.height, s.depth, e, f, g, t.width, t.height, t.depth);
}
static void with_float(id self, SEL sel, float f) { RECORD(1, (word)(f * 1000)); }
static word sum(id self, SEL sel, word a, word b) { return a + b; }
static double half(id self, SEL sel) { return self->integer / 2.0; }
static MTLSize extent(id self, SEL sel) {
	MTLSize s = {self->integer, self->integer + 1, self->integer + 2};
	return s;
}
static word flag(id self, SEL sel, word low) { return 0xabcd00 | low; }
static void call_back(id self, SEL sel, word fn, word a, word b) { ((void (*)(id, word, word))fn)(self, a, b); }
static bool responds(id self, SEL sel, SEL other) { return ((struct selector *)(other - sizeof(void *)))->method != NULL; }

static struct object string_class = {.class = "NSString"};
static id new_object(const char *class) {
	id o = calloc(1, sizeof *o);
	o->class = class;
	o->retains = 1;
	return o;
}
static id alloc(id self, SEL sel) { return new_object(self->class); }
static id init_with_bytes(id self, SEL sel, const void *bytes, word n, word encoding) {
	if (fake.before_text) fake.before_text();
	if (encoding != 4 || (n > 0 && *(const unsigned char *)bytes == 0xff)) return NULL;
	self->text = strndup(n ? bytes : "", n);
	self->integer = n;
	return self;
}
static const char *utf8_string(id self, SEL sel) { return fake.pool ? self->text : "no pool"; }
static word integer(id self, SEL sel) { return self->integer; }
static id at(id self, SEL sel, word i) { return i < self->integer ? self->others[i] : NULL; }
static id first(id self, SEL sel) { return self->others[0]; }
static id second(id self, SEL sel) { return self->others[1]; }
static id fails(id self, SEL sel, word how, id *error) {
	if (how == 0) return self;
	if (how == 1) *error = self->others[0];
	return NULL;
}
void fake_scramble(id self, SEL sel);

static const struct { const char *name, *types; void *method; } methods[] = {
	{"w0", "v16@0:8", w0},
	{"w1:", "v24@0:8Q16", w1},
	{"w2::", "v32@0:8Q16Q24", w2},
	{"w3:::", "v40@0:8Q16Q24Q32", w3},
	{"w4::::", "v48@0:8Q16Q24Q32Q40", w4},
	{"w5:::::", "v56@0:8Q16Q24Q32Q40Q48", w5},
	{"w6::::::", "v64@0:8Q16Q24Q32Q40Q48Q56", w6},
	{"range:", "v32@0:8{_NSRange=QQ}16", range},
	{"arrays:offsets:range:", "v48@0:8r^@16r^Q24{_NSRange=QQ}32", arrays},
	{"size:size:", "v64@0:8{?=QQQ}16{?=QQQ}40", sizes},
	{"word:word:size:", "v56@0:8Q16Q24{?=QQQ}32", mixed},
	{"region:a:b:c:d:e:", "v104@0:8{?={?=QQQ}{?=QQQ}}16Q64Q72Q80Q88Q96", region},
	{"a:b:c:region:d:e:", "v104@0:8Q16Q24Q32{?={?=QQQ}{?=QQQ}}40Q88Q96", region_last},
	{"a:b:c:d:size:e:f:g:size:", "v120@0:8Q16Q24Q32Q40{?=QQQ}48Q72Q80Q88{?=QQQ}96", blit},
	{"float:", "v20@0:8f16", with_float},
	{"sum::", "Q32@0:8Q16Q24", sum},
	{"half", "d16@0:8", half},
	{"extent", "{?=QQQ}16@0:8", extent},
	{"flag:", "c24@0:8Q16", flag},
	{"call:with:with:", "v40@0:8^?16Q24Q32", call_back},
	{"scramble", "v16@0:8", fake_scramble},
	{"respondsToSelector:", "B24@0:8:16", responds},
	{"alloc", "@16@0:8", alloc},
	{"initWithBytes:length:encoding:", "@40@0:8r^v16Q24Q32", init_with_bytes},
	{"UTF8String", "r*16@0:8", utf8_string},
	{"count", "Q16@0:8", integer},
	{"objectAtIndex:", "@24@0:8Q16", at},
	{"code", "q16@0:8", integer},
	{"domain", "@16@0:8", first},
	{"localizedDescription", "@16@0:8", second},
	{"how:error:", "@32@0:8Q16^@24", fails},
};
enum { METHODS = sizeof methods / sizeof *methods };

SEL sel_registerName(const char *name) {
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&lock);
	struct selector *s = fake.selectors;
	while (s->name[0] && strcmp(s->name, name)) s++;
	if (!s->name[0]) {
		strncpy(s->name, name, sizeof s->name - 1);
		for (int i = 0; i < METHODS; i++)
			if (!strcmp(methods[i].name, name)) s->method = methods[i].method;
	}
	pthread_mutex_unlock(&lock);
	return s->name;
}
id objc_getClass(const char *name) { return strcmp(name, "NSString") ? NULL : &string_class; }
id object_getClass(id o) { return o; }
void *class_getInstanceMethod(id class, SEL sel) {
	for (int i = 0; i < METHODS; i++)
		if (!strcmp(methods[i].name, sel)) return (void *)&methods[i];
	return NULL;
}
const char *method_getTypeEncoding(void *method) { return ((__typeof__(&methods[0]))method)->types; }
id objc_retain(id o) { return o->retains++, o; }
void objc_release(id o) { o->retains--; }
void *objc_autoreleasePoolPush(void) {
	fake.pools[fake.pool] = pthread_self();
	return &fake.pools[fake.pool++];
}
void objc_autoreleasePoolPop(void *pool) {
	fake.off_thread += !pthread_equal(*(pthread_t *)pool, pthread_self());
	fake.pool = (pthread_t *)pool - fake.pools;
}
void fake_unknown(SEL sel) {
	fprintf(stderr, "fake: no method %s\n", sel);
	abort();
}

id fake_object(word integer) {
	id o = new_object("object");
	o->integer = integer;
	return o;
}
void fake_link(id o, word i, id other) { o->others[i] = other; }
long fake_retains(id o) { return o->retains; }

// Blocks, which are called on a thread of C's own, as Metal does.
void *_NSConcreteGlobalBlock[32];
struct block {
	void *isa;
	int32_t flags, reserved;
	void (*invoke)(struct block *, id, id, word, id);
	struct { word reserved, size; } *descriptor;
};
struct call { struct block *block; id a, b; word c; id d; };
static void *call_block(void *p) {
	struct call *c = p;
	if (c->block->isa != _NSConcreteGlobalBlock || c->block->flags != 1 << 28 ||
		c->block->descriptor->size != sizeof *c->block)
		abort();
	c->block->invoke(c->block, c->a, c->b, c->c, c->d);
	return NULL;
}
void fake_call_block(struct block *block, id a, id b, word c, id d) {
	struct call call = {block, a, b, c, d};
	pthread_t thread;
	pthread_create(&thread, NULL, call_block, &call);
	pthread_join(thread, NULL);
}
