// As much of Foundation as Metal's interface speaks.
#include "fake.h"

struct string { struct object head; char *text; Q length; char *given; };
struct error { struct object head; id domain, text, info; int64_t code; };
struct array { struct object head; void **items; Q count; };
struct dictionary { struct object head; struct array *keys, *values; };
struct number { struct object head; char text[32]; double real; int64_t integer; };
struct url { struct object head; id path; };
struct data { struct object head; void *bytes; Q length; };

// NSString

id newStringOf(const char *text, size_t length)
{
	struct string *s = (struct string *)make(&NSString);
	s->text = strndup(text, length);
	s->length = length;
	return &s->head;
}

id newString(const char *text) { return newStringOf(text, strlen(text)); }

const char *textOf(id s) { return s && ((struct string *)s)->text ? ((struct string *)s)->text : ""; }

static bool isUTF8(const uint8_t *s, Q n)
{
	for (Q i = 0; i < n;) {
		int more = s[i] < 0x80 ? 0 : s[i] >> 5 == 6 ? 1 : s[i] >> 4 == 14 ? 2 : s[i] >> 3 == 30 ? 3 : -1;
		if (more < 0 || i + (Q)more >= n)
			return false;
		for (i++; more > 0; more--, i++)
			if (s[i] >> 6 != 2)
				return false;
	}
	return true;
}

// The object that alloc gave is not the one that init gives: who goes on with
// the former uses it after it was freed.
static id string_init(id self, SEL sel, const char *bytes, Q length, Q encoding)
{
	(void)sel;
	GUARD;
	id s = NULL;
	if (encoding != 4)
		fail("encoding %llu: the fake knows 4, UTF-8", encoding);
	else if (!readable(bytes, length) && length)
		fail("the bytes cannot be read");
	else if (isUTF8((const uint8_t *)bytes, length))
		s = newStringOf(length ? bytes : "", length);
	disown(self);
	return s;
}

static id string_initUTF8(id self, SEL sel, const char *text)
{
	return string_init(self, sel, text, strlen(text), 4);
}

static id string_with(id self, SEL sel, const char *text)
{
	(void)self, (void)sel;
	GUARD;
	return later(newString(text));
}

static const char *string_utf8(id self, SEL sel)
{
	(void)sel;
	GUARD;
	struct string *s = (struct string *)self;
	if (!hasPool())
		fail("the bytes are autoreleased on a thread without a pool: they leak");
	if (!s->given)
		s->given = strdup(textOf(self));
	return s->given;
}

static Q string_length(id self, SEL sel)
{
	(void)sel;
	return ((struct string *)self)->length;
}

static void string_dealloc(id self)
{
	struct string *s = (struct string *)self;
	if (settings.bench) {
		free(s->text);
		free(s->given);
	} else if (s->given) {
		memset(s->given, '?', strlen(s->given)); // who reads it still shall see
	}
}

static id string_self(id self, SEL sel)
{
	(void)sel;
	return self;
}

static const struct method stringMethods[] = {
	{"initWithBytes:length:encoding:", "@r^vQQ", string_init, NULL},
	{"initWithUTF8String:", "@r*", string_initUTF8, NULL},
	{"UTF8String", "r*", string_utf8, NULL},
	{"length", "Q", string_length, NULL},
	{"lengthOfBytesUsingEncoding:", "QQ", string_length, NULL},
	{"description", "@", string_self, NULL},
	{0},
};
static const struct method stringStatics[] = {{"stringWithUTF8String:", "@r*", string_with, NULL}, {0}};
struct class NSString = {
	.name = "NSString",
	.size = sizeof(struct string),
	.methods = stringMethods,
	.statics = stringStatics,
	.dealloc = string_dealloc,
};

// NSArray

id newArray(void **items, Q count)
{
	struct array *a = (struct array *)make(&NSArray);
	a->items = calloc(count + 1, sizeof *a->items);
	a->count = count;
	for (Q i = 0; i < count; i++)
		a->items[i] = own(items[i]);
	return &a->head;
}

Q arrayCount(id self) { return self ? ((struct array *)self)->count : 0; }
id arrayAt(id self, Q i) { return ((struct array *)self)->items[i]; }

static Q array_count(id self, SEL sel)
{
	(void)sel;
	return arrayCount(self);
}

static id array_at(id self, SEL sel, Q i)
{
	(void)sel;
	if (i >= arrayCount(self)) {
		GUARD;
		fail("index %llu of %llu objects", i, arrayCount(self));
		return NULL;
	}
	return arrayAt(self, i);
}

static id array_first(id self, SEL sel)
{
	(void)sel;
	return arrayCount(self) ? arrayAt(self, 0) : NULL;
}

static id array_with(id self, SEL sel, void **items, Q count)
{
	(void)self, (void)sel;
	GUARD;
	return later(newArray(items, count));
}

static void array_dealloc(id self)
{
	struct array *a = (struct array *)self;
	for (Q i = 0; i < a->count; i++)
		disown(a->items[i]);
	free(a->items);
	a->count = 0;
}

static const struct method arrayMethods[] = {
	{"count", "Q", array_count, NULL},
	{"objectAtIndex:", "@Q", array_at, NULL},
	{"firstObject", "@", array_first, NULL},
	{0},
};
static const struct method arrayStatics[] = {{"arrayWithObjects:count:", "@r^@Q", array_with, NULL}, {0}};
struct class NSArray = {
	.name = "NSArray",
	.size = sizeof(struct array),
	.methods = arrayMethods,
	.statics = arrayStatics,
	.dealloc = array_dealloc,
};

// NSDictionary

id newDictionary(id *keys, id *values, Q count)
{
	struct dictionary *d = (struct dictionary *)make(&NSDictionary);
	d->keys = (struct array *)newArray((void **)keys, count);
	d->values = (struct array *)newArray((void **)values, count);
	return &d->head;
}

static id dictionary_with(id self, SEL sel, id *values, id *keys, Q count)
{
	(void)self, (void)sel;
	GUARD;
	for (Q i = 0; i < count; i++)
		if (!keys[i] || !values[i]) {
			fail("key or object %llu is nil", i);
			return NULL;
		}
	return later(newDictionary(keys, values, count));
}

static id dictionary_at(id self, SEL sel, id key)
{
	(void)sel;
	struct dictionary *d = (struct dictionary *)self;
	for (Q i = 0; i < d->keys->count; i++) {
		id k = d->keys->items[i];
		if (k == key || (k->class == &NSString && key->class == &NSString && !strcmp(textOf(k), textOf(key))))
			return d->values->items[i];
	}
	return NULL;
}

static Q dictionary_count(id self, SEL sel)
{
	(void)sel;
	return ((struct dictionary *)self)->keys->count;
}

static id dictionary_keys(id self, SEL sel)
{
	(void)sel;
	GUARD;
	return later(own(&((struct dictionary *)self)->keys->head));
}

static id dictionary_values(id self, SEL sel)
{
	(void)sel;
	GUARD;
	return later(own(&((struct dictionary *)self)->values->head));
}

static void dictionary_dealloc(id self)
{
	struct dictionary *d = (struct dictionary *)self;
	disown(d->keys);
	disown(d->values);
}

void definesOf(id self, struct text *t)
{
	struct dictionary *d = (struct dictionary *)self;
	add(t, "%s", "");
	for (Q i = 0; d && i < d->keys->count; i++) {
		id k = d->keys->items[i], v = d->values->items[i];
		if (k->class != &NSString || (v->class != &NSString && v->class != &NSNumber)) {
			fail("macros are strings, and their values strings or numbers");
			continue;
		}
		add(t, "%s=%s\n", textOf(k), v->class == &NSString ? textOf(v) : ((struct number *)v)->text);
	}
}

static const struct method dictionaryMethods[] = {
	{"objectForKey:", "@@", dictionary_at, NULL},
	{"count", "Q", dictionary_count, NULL},
	{"allKeys", "@", dictionary_keys, NULL},
	{"allValues", "@", dictionary_values, NULL},
	{0},
};
static const struct method dictionaryStatics[] = {
	{"dictionaryWithObjects:forKeys:count:", "@r^@r^@Q", dictionary_with, NULL},
	{0},
};
struct class NSDictionary = {
	.name = "NSDictionary",
	.size = sizeof(struct dictionary),
	.methods = dictionaryMethods,
	.statics = dictionaryStatics,
	.dealloc = dictionary_dealloc,
};

// NSNumber

static id number(int64_t i, double d, const char *format)
{
	GUARD;
	struct number *n = (struct number *)make(&NSNumber);
	n->integer = i;
	n->real = d;
	if (format[1] == 'g')
		snprintf(n->text, sizeof n->text, "%.17g", d);
	else
		snprintf(n->text, sizeof n->text, "%lld", (long long)i);
	setLabel(&n->head, n->text);
	return later(&n->head);
}

static id number_int(id self, SEL sel, int v)
{
	(void)self, (void)sel;
	return number(v, v, "%d");
}

static id number_long(id self, SEL sel, int64_t v)
{
	(void)self, (void)sel;
	return number(v, (double)v, "%d");
}

static id number_bool(id self, SEL sel, Q v)
{
	(void)self, (void)sel;
	return number((v & 0xff) != 0, (v & 0xff) != 0, "%d");
}

static id number_double(id self, SEL sel, double v)
{
	(void)self, (void)sel;
	return number((int64_t)v, v, "%g");
}

static double number_real(id self, SEL sel)
{
	(void)sel;
	return ((struct number *)self)->real;
}

static int64_t number_integer(id self, SEL sel)
{
	(void)sel;
	return ((struct number *)self)->integer;
}

static id number_text(id self, SEL sel)
{
	(void)sel;
	GUARD;
	return later(newString(((struct number *)self)->text));
}

static const struct method numberMethods[] = {
	{"doubleValue", "d", number_real, NULL},
	{"longLongValue", "q", number_integer, NULL},
	{"unsignedLongLongValue", "Q", number_integer, NULL},
	{"stringValue", "@", number_text, NULL},
	{0},
};
static const struct method numberStatics[] = {
	{"numberWithInt:", "@i", number_int, NULL},
	{"numberWithLongLong:", "@q", number_long, NULL},
	{"numberWithUnsignedLongLong:", "@Q", number_long, NULL},
	{"numberWithBool:", "@B", number_bool, NULL},
	{"numberWithDouble:", "@d", number_double, NULL},
	{0},
};
struct class NSNumber = {
	.name = "NSNumber",
	.size = sizeof(struct number),
	.methods = numberMethods,
	.statics = numberStatics,
};

// NSError

id newError(const char *domain, int64_t code, const char *text)
{
	struct error *e = (struct error *)make(&NSError);
	e->domain = newString(domain);
	e->code = code;
	e->text = newString(text);
	id key = newString("NSLocalizedDescription");
	e->info = newDictionary(&key, &e->text, 1);
	disown(key);
	setLabel(&e->head, text);
	return &e->head;
}

void giveError(id *out, const char *domain, int64_t code, const char *format, ...)
{
	if (!out)
		return;
	va_list list;
	va_start(list, format);
	char text[20000];
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	*out = later(newError(domain, code, text));
}

static id error_with(id self, SEL sel, id domain, int64_t code, id info)
{
	(void)self, (void)sel;
	GUARD;
	if (!expect(domain, &NSString, "the domain") || (info && !expect(info, &NSDictionary, "the dictionary")))
		return NULL;
	return later(newError(textOf(domain), code, ""));
}

static id error_domain(id self, SEL sel)
{
	(void)sel;
	return ((struct error *)self)->domain;
}

static int64_t error_code(id self, SEL sel)
{
	(void)sel;
	return ((struct error *)self)->code;
}

static id error_text(id self, SEL sel)
{
	(void)sel;
	return ((struct error *)self)->text;
}

static id error_info(id self, SEL sel)
{
	(void)sel;
	return ((struct error *)self)->info;
}

static void error_dealloc(id self)
{
	struct error *e = (struct error *)self;
	disown(e->domain);
	disown(e->text);
	disown(e->info);
}

static const struct method errorMethods[] = {
	{"domain", "@", error_domain, NULL},
	{"code", "q", error_code, NULL},
	{"localizedDescription", "@", error_text, NULL},
	{"userInfo", "@", error_info, NULL},
	{0},
};
static const struct method errorStatics[] = {{"errorWithDomain:code:userInfo:", "@@q@", error_with, NULL}, {0}};
struct class NSError = {
	.name = "NSError",
	.size = sizeof(struct error),
	.methods = errorMethods,
	.statics = errorStatics,
	.dealloc = error_dealloc,
};

// NSURL

static id url_file(id self, SEL sel, id path)
{
	(void)self, (void)sel;
	GUARD;
	if (!expect(path, &NSString, "the path"))
		return NULL;
	struct url *u = (struct url *)make(&NSURL);
	u->path = own(path);
	setLabel(&u->head, textOf(path));
	return later(&u->head);
}

static id url_path(id self, SEL sel)
{
	(void)sel;
	return ((struct url *)self)->path;
}

static void url_dealloc(id self) { disown(((struct url *)self)->path); }

static const struct method urlMethods[] = {{"path", "@", url_path, NULL}, {0}};
static const struct method urlStatics[] = {{"fileURLWithPath:", "@@", url_file, NULL}, {0}};
struct class NSURL = {
	.name = "NSURL",
	.size = sizeof(struct url),
	.methods = urlMethods,
	.statics = urlStatics,
	.dealloc = url_dealloc,
};

// dispatch_data_t, which is an object too

EXPORT id dispatch_data_create(const void *bytes, size_t length, void *queue, void *destructor)
{
	GUARD;
	context(NULL, "dispatch_data_create");
	if (queue || destructor) {
		fail("the fake copies: queue and destructor are nil");
		return NULL;
	}
	if (!readable(bytes, length)) {
		fail("the bytes cannot be read");
		return NULL;
	}
	struct data *d = (struct data *)make(&OS_dispatch_data);
	d->bytes = malloc(length + 1);
	memcpy(d->bytes, bytes, length);
	d->length = length;
	return &d->head;
}

const void *dataOf(id self, Q *length)
{
	*length = ((struct data *)self)->length;
	return ((struct data *)self)->bytes;
}

void objc_release(id);
EXPORT void dispatch_release(id o) { objc_release(o); }

static void data_dealloc(id self) { free(((struct data *)self)->bytes); }

struct class OS_dispatch_data = {
	.name = "OS_dispatch_data",
	.size = sizeof(struct data),
	.dealloc = data_dealloc,
	.protocol = true,
};
