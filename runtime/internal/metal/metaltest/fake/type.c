// Types of what memory holds: as Go describes them, and as objects of reflection.
#include "fake.h"

enum { dataStruct = 1, dataArray = 2, dataTexture = 58, dataPointer = 60 }; // MTLDataType

// Types belong to their library, because those of pointers may go round in circles.

EXPORT struct type *fakeStruct(id library) { return newTypeIn(library); }

EXPORT struct type *fakeArray(id library, Q length, Q stride, Q elementType, struct type *element)
{
	struct type *t = newTypeIn(library);
	t->kind = kindArray;
	t->length = length;
	t->stride = stride;
	t->elementType = elementType;
	t->element = element;
	t->leads = element && element->leads;
	return t;
}

EXPORT struct type *fakePointer(id library, const Q *numbers, struct type *element)
{
	struct type *t = newTypeIn(library);
	t->kind = kindPointer;
	t->elementType = numbers[0];
	t->access = numbers[1];
	t->size = numbers[2];
	t->align = numbers[3];
	t->element = element;
	t->leads = true;
	return t;
}

EXPORT struct type *fakeTexture(id library, const Q *numbers)
{
	struct type *t = newTypeIn(library);
	t->kind = kindTexture;
	t->elementType = numbers[0];
	t->access = numbers[1];
	t->form = numbers[2];
	t->depth = numbers[3];
	t->leads = true;
	return t;
}

EXPORT struct type *fakeSampler(id library)
{
	struct type *t = newTypeIn(library);
	t->kind = kindSampler;
	t->leads = true;
	return t;
}

EXPORT void fakeMember(struct type *t, const char *name, Q offset, Q dataType, struct type *type)
{
	struct member *m = calloc(1, sizeof *m);
	m->name = strdup(name);
	m->offset = offset;
	m->dataType = dataType;
	m->type = type;
	t->leads |= type && type->leads;
	struct member **last = &t->members;
	while (*last)
		last = &(*last)->next;
	*last = m;
}

void freeTypes(struct type *t)
{
	for (struct type *after; t; t = after) {
		after = t->next;
		for (struct member *m = t->members, *next; m; m = next) {
			next = m->next;
			free(m->name);
			free(m);
		}
		free(t);
	}
}

// Objects

struct typeObject { struct object head; id owner; const struct type *of; id members; };
struct memberObject { struct object head; id owner; const struct member *of; Q offset; id type; };

id newType(id owner, const struct type *t)
{
	if (!t)
		return NULL;
	static struct class *const classes[] = {
		&MTLStructType, &MTLArrayType, &MTLPointerType, &MTLTextureReferenceType, NULL,
	};
	if (!classes[t->kind])
		return NULL;
	struct typeObject *o = (struct typeObject *)make(classes[t->kind]);
	o->owner = own(owner);
	o->of = t;
	if (t->kind != kindStruct)
		return &o->head; // elements are made when somebody asks for them
	void *members[512];
	Q n = 0;
	for (const struct member *m = t->members; m && n < 512; m = m->next) {
		struct memberObject *x = (struct memberObject *)make(&MTLStructMember);
		x->owner = own(owner);
		x->of = m;
		x->offset = m->offset;
		struct fault *f = takeFault(movedMember, m->name);
		if (f)
			x->offset = (Q)((int64_t)m->offset + f->code);
		x->type = newType(owner, m->type);
		setLabel(&x->head, m->name);
		members[n++] = x;
	}
	o->members = newArray(members, n);
	for (Q i = 0; i < n; i++)
		disown(members[i]);
	return &o->head;
}

static id labelOf(id self, SEL sel)
{
	(void)sel;
	GUARD;
	return self->label ? later(newString(self->label)) : NULL;
}

static id struct_members(id self, SEL sel)
{
	(void)sel;
	return ((struct typeObject *)self)->members;
}

static void type_dealloc(id self)
{
	disown(((struct typeObject *)self)->members);
	disown(((struct typeObject *)self)->owner);
}

static const struct method structMethods[] = {{"members", "@", struct_members, NULL}, {0}};
struct class MTLStructType = {
	.name = "MTLStructType",
	.size = sizeof(struct typeObject),
	.methods = structMethods,
	.dealloc = type_dealloc,
};

static Q member_offset(id self, SEL sel)
{
	(void)sel;
	return ((struct memberObject *)self)->offset;
}

static Q member_dataType(id self, SEL sel)
{
	(void)sel;
	return ((struct memberObject *)self)->of->dataType;
}

// What a member or an element has only if it is of a certain type.
#define MEMBER(name, data) \
	static id member_##name(id self, SEL sel) \
	{ \
		(void)sel; \
		struct memberObject *m = (struct memberObject *)self; \
		return m->of->dataType == data ? m->type : NULL; \
	}
MEMBER(struct, dataStruct)
MEMBER(array, dataArray)
MEMBER(pointer, dataPointer)
MEMBER(texture, dataTexture)

#define ELEMENT(name, data) \
	static id element_##name(id self, SEL sel) \
	{ \
		(void)sel; \
		GUARD; \
		struct typeObject *t = (struct typeObject *)self; \
		return t->of->elementType == data ? later(newType(t->owner, t->of->element)) : NULL; \
	}
ELEMENT(struct, dataStruct)
ELEMENT(array, dataArray)
ELEMENT(pointer, dataPointer)
ELEMENT(texture, dataTexture)

static void member_dealloc(id self)
{
	disown(((struct memberObject *)self)->type);
	disown(((struct memberObject *)self)->owner);
}

static const struct method memberMethods[] = {
	{"name", "@", labelOf, NULL},
	{"offset", "Q", member_offset, NULL},
	{"dataType", "Q", member_dataType, NULL},
	{"structType", "@", member_struct, NULL},
	{"arrayType", "@", member_array, NULL},
	{"pointerType", "@", member_pointer, NULL},
	{"textureReferenceType", "@", member_texture, NULL},
	{0},
};
struct class MTLStructMember = {
	.name = "MTLStructMember",
	.size = sizeof(struct memberObject),
	.methods = memberMethods,
	.dealloc = member_dealloc,
};

#define TYPE(name, field) \
	static Q type_##name(id self, SEL sel) \
	{ \
		(void)sel; \
		return ((struct typeObject *)self)->of->field; \
	}
TYPE(length, length)
TYPE(stride, stride)
TYPE(elementType, elementType)
TYPE(access, access)
TYPE(align, align)
TYPE(size, size)
TYPE(form, form)
TYPE(depth, depth)

static const struct method arrayMethods[] = {
	{"arrayLength", "Q", type_length, NULL},
	{"stride", "Q", type_stride, NULL},
	{"elementType", "Q", type_elementType, NULL},
	{"elementStructType", "@", element_struct, NULL},
	{"elementArrayType", "@", element_array, NULL},
	{"elementPointerType", "@", element_pointer, NULL},
	{"elementTextureReferenceType", "@", element_texture, NULL},
	{0},
};
struct class MTLArrayType = {
	.name = "MTLArrayType",
	.size = sizeof(struct typeObject),
	.methods = arrayMethods,
	.dealloc = type_dealloc,
};

static const struct method pointerMethods[] = {
	{"elementType", "Q", type_elementType, NULL},
	{"access", "Q", type_access, NULL},
	{"alignment", "Q", type_align, NULL},
	{"dataSize", "Q", type_size, NULL},
	{"elementStructType", "@", element_struct, NULL},
	{"elementArrayType", "@", element_array, NULL},
	{0},
};
struct class MTLPointerType = {
	.name = "MTLPointerType",
	.size = sizeof(struct typeObject),
	.methods = pointerMethods,
	.dealloc = type_dealloc,
};

static dirty type_isDepth(id self, SEL sel) { return type_depth(self, sel) ? YES : NO; }

static const struct method textureMethods[] = {
	{"textureDataType", "Q", type_elementType, NULL},
	{"textureType", "Q", type_form, NULL},
	{"access", "Q", type_access, NULL},
	{"isDepthTexture", "B", type_isDepth, NULL},
	{0},
};
struct class MTLTextureReferenceType = {
	.name = "MTLTextureReferenceType",
	.size = sizeof(struct typeObject),
	.methods = textureMethods,
	.dealloc = type_dealloc,
};
