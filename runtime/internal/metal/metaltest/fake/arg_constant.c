// Function constants: those of a kernel, and their values, for which a function is made.
#include "fake.h"

// MTLFunctionConstantValues

struct constants { struct object head; struct fakeArg *list; Q count; };

// Sizes of the values of MTLDataType that a function constant may have.
static Q sizeOfType(Q type)
{
	static const struct { Q first, size; } scalars[] = {
		{3, 4}, {16, 2}, {29, 4}, {33, 4}, {37, 2}, {41, 2}, {45, 1}, {49, 1}, {53, 1}, {81, 8}, {85, 8}, {121, 2},
	};
	for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
		if (type >= scalars[i].first && type < scalars[i].first + 4) {
			Q n = type - scalars[i].first + 1;
			return scalars[i].size * (n == 3 ? 4 : n);
		}
	}
	return 0;
}

static void setConstant(id self, const uint8_t *bytes, Q type, Q at)
{
	struct constants *c = (struct constants *)self;
	Q size = sizeOfType(type);
	Q i = 0;
	while (i < c->count && c->list[i].index != at)
		i++;
	if (i == c->count) {
		c->list = realloc(c->list, (c->count + 1) * sizeof *c->list);
		c->count++;
	} else {
		free((void *)c->list[i].address);
	}
	uint8_t *copy = malloc(size);
	memcpy(copy, bytes, size);
	c->list[i] = (struct fakeArg){functionConstant, at, copy, size, type, NULL, 0};
}

static bool checkConstants(const void *bytes, Q type, Q at, Q count)
{
	Q size = sizeOfType(type);
	if (!size)
		fail("type %llu: no function constant has such a type", type);
	else if (!count || at > 65535 || count > 65536 - at)
		fail("%llu constants from index %llu on: indexes end at 65535", count, at);
	else if (!readable(bytes, size * count))
		fail("the values cannot be read");
	else
		return true;
	return false;
}

static void constants_set(id self, SEL sel, const void *bytes, Q type, Q at)
{
	(void)sel;
	GUARD;
	if (checkConstants(bytes, type, at, 1))
		setConstant(self, bytes, type, at);
}

static void constants_setRange(id self, SEL sel, const void *bytes, Q type, struct range r)
{
	(void)sel;
	GUARD;
	if (checkConstants(bytes, type, r.location, r.length))
		for (Q i = 0; i < r.length; i++)
			setConstant(self, (const uint8_t *)bytes + i * sizeOfType(type), type, r.location + i);
}

static void constants_dealloc(id self)
{
	struct constants *c = (struct constants *)self;
	for (Q i = 0; i < c->count; i++)
		free((void *)c->list[i].address);
	free(c->list);
	c->count = 0;
}

static const struct method constantsMethods[] = {
	{"setConstantValue:type:atIndex:", "vr^vQQ", constants_set, NULL},
	{"setConstantValues:type:withRange:", "vr^vQ{_NSRange=QQ}", constants_setRange, NULL},
	{0},
};
struct class MTLFunctionConstantValues = {
	.name = "MTLFunctionConstantValues",
	.size = sizeof(struct constants),
	.methods = constantsMethods,
	.dealloc = constants_dealloc,
};

// specialise gives a function the values that its kernel uses, and returns what is wrong
// with them, or NULL.
const char *specialise(struct function *f, id values)
{
	static char text[512];
	struct constants *v = (struct constants *)values;
	f->constants = calloc(v->count + 1, sizeof *f->constants);
	for (struct constant *c = f->kernel->constants; c; c = c->next) {
		Q i = 0;
		while (i < v->count && v->list[i].index != c->index)
			i++;
		const char *wrong = NULL;
		if (i < v->count && v->list[i].number != c->type)
			wrong = "is of another type than its value";
		else if (i == v->count && c->required)
			wrong = "has no value";
		if (wrong) {
			snprintf(text, sizeof text, "function constant %s (index %llu) of %s %s",
				c->name, c->index, f->kernel->name, wrong);
			return text;
		}
		if (i < v->count) {
			struct fakeArg copy = v->list[i];
			copy.address = memcpy(malloc(copy.length), v->list[i].address, copy.length);
			f->constants[f->constantCount++] = copy;
		}
	}
	return NULL;
}

void freeConstants(struct function *f)
{
	for (Q i = 0; i < f->constantCount; i++)
		free((void *)f->constants[i].address);
	free(f->constants);
}

// addConstants adds the values to a dispatch. They are those of the function.
void addConstants(struct op *o, const struct function *f)
{
	for (Q i = 0; i < f->constantCount; i++)
		*addBound(o) = (struct bound){.arg = f->constants[i]};
}

// What a kernel has

struct constantObject { struct object head; struct constant *of; id function; };

id functionConstants(id self, SEL sel)
{
	(void)sel;
	GUARD;
	id keys[256], values[256];
	Q n = 0;
	for (struct constant *c = ((struct function *)self)->kernel->constants; c && n < 256; c = c->next, n++) {
		struct constantObject *f = (struct constantObject *)make(&MTLFunctionConstant);
		f->of = c;
		f->function = own(self);
		setLabel(&f->head, c->name);
		keys[n] = newString(c->name);
		values[n] = &f->head;
	}
	id d = newDictionary(keys, values, n);
	for (Q i = 0; i < n; i++) {
		disown(keys[i]);
		disown(values[i]);
	}
	return later(d);
}

static id constant_name(id self, SEL sel)
{
	(void)sel;
	GUARD;
	return later(newString(self->label));
}

static Q constant_index(id self, SEL sel)
{
	(void)sel;
	return ((struct constantObject *)self)->of->index;
}

static Q constant_type(id self, SEL sel)
{
	(void)sel;
	return ((struct constantObject *)self)->of->type;
}

static dirty constant_required(id self, SEL sel)
{
	(void)sel;
	return ((struct constantObject *)self)->of->required ? YES : NO;
}

static void constant_dealloc(id self) { disown(((struct constantObject *)self)->function); }

static const struct method functionConstantMethods[] = {
	{"name", "@", constant_name, NULL},
	{"index", "Q", constant_index, NULL},
	{"type", "Q", constant_type, NULL},
	{"required", "B", constant_required, NULL},
	{0},
};
struct class MTLFunctionConstant = {
	.name = "MTLFunctionConstant",
	.size = sizeof(struct constantObject),
	.methods = functionConstantMethods,
	.dealloc = constant_dealloc,
};

EXPORT void fakeConstant(struct kernel *k, const char *name, Q index, Q type, Q required)
{
	struct constant *c = calloc(1, sizeof *c);
	c->name = strdup(name);
	c->index = index;
	c->type = type;
	c->required = required;
	c->next = k->constants;
	k->constants = c;
}

void forgetConstants(struct kernel *k)
{
	for (struct constant *c = k->constants, *next; c; c = next) {
		next = c->next;
		free(c->name);
		free(c);
	}
}
