// Textures that encoders bind.
#include "fake.h"

enum { maxTextures = 128, usageRead = 1, usageWrite = 2 };

static struct texture **texturesOf(struct compute *c) { return argState(c, &textureKind); }

static void setSlot(struct compute *c, id texture, Q index)
{
	if (index >= maxTextures)
		fail("texture index %llu: the last one is %d", index, maxTextures - 1);
	else if (!texture || expect(texture, &MTLTexture, "the texture")) {
		texturesOf(c)[index] = (struct texture *)texture;
		useResource(c->encoder.buffer, texture);
	}
}

static void setTexture(id self, SEL sel, id texture, Q index)
{
	ENCODE;
	setSlot(c, texture, index);
}

static void setTextures(id self, SEL sel, id *textures, struct range r)
{
	ENCODE;
	if (!inRange(r.location, r.length, maxTextures)) {
		fail("indexes %llu to %llu: the last one is %d", r.location, (r.location + r.length - 1), maxTextures - 1);
		return;
	}
	if (!readable(textures, 8 * r.length)) {
		fail("the list of textures cannot be read");
		return;
	}
	for (Q i = 0; i < r.length; i++)
		setSlot(c, textures[i], r.location + i);
}

static const struct method encoderMethods[] = {
	{"setTexture:atIndex:", "v@Q", setTexture, nothing},
	{"setTextures:withRange:", "vr^@{_NSRange=QQ}", setTextures, nothing},
	{0},
};

// What kernels see texels as, by the MTLDataType of the texture: float and half, int and
// short, uint and ushort.
static bool sees(const struct binding *b, Q texels)
{
	switch (b->dataType) {
	case 3: case 16:
		return texels == texelsDepth || (texels == texelsFloat && !b->depth);
	case 29: case 37:
		return texels == texelsInt;
	case 33: case 41:
		return texels == texelsUint;
	}
	return false;
}

// The tier of readWriteTextureSupport that a format needs. Apple: Metal feature set tables.
static Q tierOf(Q format) { return format >= 53 && format <= 55 ? 1 : 2; }

static bool checkOne(const struct kernel *k, const struct binding *b, struct texture *t, Q index)
{
	Q needs = b->access == 0 ? usageRead : b->access == 2 ? usageWrite : usageRead | usageWrite;
	if (!t) {
		if (!(b->flags & isOptional))
			fail("%s: texture %s (index %llu) is not bound", k->name, b->name, index);
		return false;
	}
	if (!isAlive(t))
		fail("%s: texture %s (index %llu) was freed", k->name, b->name, index);
	else if (t->is.viewType != b->textureType)
		fail("%s: texture %s (index %llu) is of type %llu and the kernel needs %llu", k->name, b->name, index,
			t->is.viewType, b->textureType);
	else if (!sees(b, texelsOf(t->is.viewFormat)))
		fail("%s: texture %s (index %llu) has pixel format %llu, which its texels in the kernel are not", k->name, b->name,
			index, t->is.viewFormat);
	else if (b->access == 1 && settings.facts[readWriteTier] < tierOf(t->is.viewFormat))
		fail("%s: texture %s (index %llu) has pixel format %llu, which kernels of this GPU do not read and write", k->name,
			b->name, index, t->is.viewFormat);
	else if (needs & ~t->is.usage)
		fail("%s: texture %s (index %llu) has usage %llu and the kernel needs %llu", k->name, b->name, index, t->is.usage,
			needs);
	else
		return true;
	return false;
}

static bool check(struct compute *c, const struct kernel *k, const struct binding *b)
{
	bool some = false;
	for (Q i = b->index; i < b->index + b->length && i < maxTextures; i++)
		some |= checkOne(k, b, texturesOf(c)[i], i);
	return some;
}

void touchTexels(struct compute *c, struct texture *t, bool writes, const char *kernel, Q index)
{
	Q row, image, slice;
	for (Q l = 0; l < t->is.viewLevels; l++) {
		Q at = t->is.offset + levelOf(t, t->is.level + l, &row, &image, &slice) + t->is.slice * slice;
		hazardTouch(&c->hazards, &t->head, t->bytes, at, at + t->is.viewSlices * slice, writes, kernel, index);
	}
}

static void bind(struct compute *c, struct op *o, const struct kernel *k, const struct binding *b)
{
	for (Q i = 0; i < b->length && b->index + i < maxTextures; i++) {
		struct texture *t = texturesOf(c)[b->index + i];
		if (!t || !isAlive(t))
			continue;
		useResource(c->encoder.buffer, t); // each dispatch may outlive what is bound when the next one replaces it
		*addBound(o) = (struct bound){
			.arg = {bindTexture, b->index, t->bytes, t->size, i, (const Q *)&t->is},
			.object = &t->head,
		};
		if (c->concurrent)
			touchTexels(c, t, b->access != 0, k->name, b->index);
	}
}

ARG_BINDING(textureType, bindTexture, "one of a texture", textureType)
ARG_BINDING(texels, bindTexture, "one of a texture", dataType)
ARG_BINDING(length, bindTexture, "one of a texture", length)
ARG_BINDING(depth, bindTexture, "one of a texture", depth)

static dirty binding_isDepth(id self, SEL sel) { return binding_depth(self, sel) ? YES : NO; }

static const struct method bindingMethods[] = {
	{"textureType", "Q", binding_textureType, NULL},
	{"textureDataType", "Q", binding_texels, NULL},
	{"isDepthTexture", "B", binding_isDepth, NULL},
	{"arrayLength", "Q", binding_length, NULL},
	{0},
};

const struct argKind textureKind = {
	.binding = bindTexture,
	.size = maxTextures * sizeof(struct texture *),
	.encoderMethods = encoderMethods,
	.bindingMethods = bindingMethods,
	.deviceMethods = textureDeviceMethods,
	.blitMethods = textureBlitMethods,
	.check = check,
	.bind = bind,
};
