// Textures: how they are made, where their texels are, and what the host copies.
// Texels lie level after level, in a level slice after slice, and in a slice plane
// after plane and row after row; those over a buffer where its bytes are.
#include "fake.h"

#include <sys/mman.h>

enum { type1D, type1DArray, type2D, type2DArray, typeMS, typeCube, typeCubeArray, type3D, typeMSArray, typeBuffer };
enum { modeShared, modeManaged, modePrivate, modeMemoryless };
enum { usageRead = 1, usageWrite = 2, usageTarget = 4, usageView = 16, usageAtomic = 32 };

static uint16_t formats[maxFormat];

void setFormats(const uint16_t *list)
{
	if (list)
		memcpy(formats, list, sizeof formats);
}

Q texelSize(Q format) { return format < maxFormat ? formats[format] & 255 : 0; }

Q texelsOf(Q format) { return formats[format] >> 8; }

// Descriptors

struct textureDescriptor {
	struct object head;
	Q type, format, width, height, depth, levels, samples, length, usage, options;
};

#define SETTER(name, field) \
	static void descriptor_##name(id self, SEL sel, Q v) \
	{ \
		(void)sel; \
		GUARD; \
		((struct textureDescriptor *)self)->field = v; \
	}
SETTER(type, type)
SETTER(format, format)
SETTER(width, width)
SETTER(height, height)
SETTER(depth, depth)
SETTER(levels, levels)
SETTER(samples, samples)
SETTER(length, length)
SETTER(usage, usage)
SETTER(options, options)

static const struct method descriptorMethods[] = {
	{"setTextureType:", "vQ", descriptor_type, NULL},
	{"setPixelFormat:", "vQ", descriptor_format, NULL},
	{"setWidth:", "vQ", descriptor_width, NULL},
	{"setHeight:", "vQ", descriptor_height, NULL},
	{"setDepth:", "vQ", descriptor_depth, NULL},
	{"setMipmapLevelCount:", "vQ", descriptor_levels, NULL},
	{"setSampleCount:", "vQ", descriptor_samples, NULL},
	{"setArrayLength:", "vQ", descriptor_length, NULL},
	{"setUsage:", "vQ", descriptor_usage, NULL},
	{"setResourceOptions:", "vQ", descriptor_options, NULL},
	{0},
};
struct class MTLTextureDescriptor = {
	.name = "MTLTextureDescriptor",
	.size = sizeof(struct textureDescriptor),
	.methods = descriptorMethods,
};

static bool isArray(Q type)
{
	return type == type1DArray || type == type2DArray || type == typeCubeArray || type == typeMSArray;
}

static bool isMS(Q type) { return type == typeMS || type == typeMSArray; }

static Q faces(Q type) { return type == typeCube || type == typeCubeArray ? 6 : 1; }

static bool flat(Q type) { return type == type1D || type == type1DArray || type == typeBuffer; }

static Q most(Q a, Q b) { return a > b ? a : b; }

static Q largestLevel(const struct textureDescriptor *d)
{
	Q n = 1, size = most(most(d->width, d->height), d->depth);
	if (flat(d->type) || isMS(d->type))
		return 1;
	while (size >>= 1)
		n++;
	return n;
}

// The formats that only Apple's GPUs have. Apple: MTLPixelFormat.h, where they came to the Mac in 2020.
static bool isApples(Q format)
{
	static const Q list[] = {11, 31, 40, 41, 42, 43, 552, 553, 554, 555};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (list[i] == format)
			return true;
	return false;
}

// The formats whose components have 32 bits: R32, RG32 and RGBA32.
static bool has32Bits(Q format)
{
	return (format >= 53 && format <= 55) || (format >= 103 && format <= 105) || (format >= 123 && format <= 125);
}

static bool checkDescriptor(id descriptor, bool linear)
{
	if (!expect(descriptor, &MTLTextureDescriptor, "the descriptor"))
		return false;
	const struct textureDescriptor *d = (struct textureDescriptor *)descriptor;
	Q mode = d->options >> 4 & 15, widest = d->type == typeBuffer ? 1 << 28 : d->type == type3D ? 2048 : 16384;
	bool depth = texelsOf(d->format < maxFormat ? d->format : 0) == texelsDepth;
	if (d->type > typeBuffer)
		failDescriptor("texture type %llu is not an MTLTextureType", d->type);
	else if (!texelSize(d->format))
		failDescriptor("pixel format %llu is unknown to the fake", d->format);
	else if (!d->width || !d->height || !d->depth || d->width > widest || d->height > 16384 || d->depth > 2048)
		failDescriptor("a texture of (%llu, %llu, %llu)", d->width, d->height, d->depth);
	else if ((flat(d->type) && d->height != 1) || (d->type != type3D && d->depth != 1))
		failDescriptor("a texture of type %llu of (%llu, %llu, %llu)", d->type, d->width, d->height, d->depth);
	else if (faces(d->type) > 1 && d->width != d->height)
		failDescriptor("faces of a cube of (%llu, %llu)", d->width, d->height);
	else if (!settings.facts[appleFormats] && isApples(d->format))
		failDescriptor("pixel format %llu is one of Apple's GPUs", d->format);
	else if (!d->levels || d->levels > largestLevel(d))
		failDescriptor("%llu mip levels, of at most %llu", d->levels, largestLevel(d));
	else if (isMS(d->type) ? d->samples != 2 && d->samples != 4 && d->samples != 8 : d->samples != 1)
		failDescriptor("%llu samples for a texture of type %llu", d->samples, d->type);
	else if (isMS(d->type) && !(settings.facts[sampleCounts] & d->samples))
		failDescriptor("sampleCount (%llu) is not supported by device", d->samples);
	else if (isMS(d->type) && !settings.facts[samples32] && has32Bits(d->format))
		failDescriptor("%llu samples of pixel format %llu on a device without supports32BitMSAA", d->samples, d->format);
	else if (!d->length || d->length > 2048 || (!isArray(d->type) && d->length != 1))
		failDescriptor("an array length of %llu for a texture of type %llu", d->length, d->type);
	else if (mode == modeManaged || mode == modeMemoryless || (d->options >> 8) > 2 || (d->options & 15) > 1)
		failDescriptor("resource options %#llx", d->options);
	else if (mode == modeShared && !isApple() && !linear)
		failDescriptor("a shared texture on a GPU that is not Apple's");
	else if (mode == modeShared && isMS(d->type))
		failDescriptor("a shared multisample texture");
	else if (!d->usage || (d->usage & ~(Q)(usageRead | usageWrite | usageTarget | usageView | usageAtomic)))
		failDescriptor("usage %#llx", d->usage);
	else if ((d->usage & usageAtomic) && !isSince(kernelOfMacOS14))
		failDescriptor("usage %#llx has MTLTextureUsageShaderAtomic, which came with macOS 14", d->usage);
	else if ((d->usage & usageAtomic) && !settings.facts[textureAtomics])
		failDescriptor("usage %#llx has MTLTextureUsageShaderAtomic, which this GPU does not support", d->usage);
	else if (depth && (d->usage & (usageWrite | usageAtomic)))
		failDescriptor("a depth texture that kernels write");
	else
		return true;
	return false;
}

// Where texels are

Q levelOf(const struct texture *t, Q level, Q *row, Q *image, Q *slice)
{
	const struct textureNumbers *is = &t->is;
	Q at = 0;
	for (Q l = 0;; l++) {
		Q w = most(is->width >> l, 1), h = most(is->height >> l, 1), d = most(is->depth >> l, 1);
		*row = is->linear ? is->rowBytes : w * is->samples * texelSize(is->format);
		*image = *row * h;
		*slice = *image * d;
		if (l == level)
			return at;
		at += *slice * is->length * faces(is->type);
	}
}

static struct texture *newTexture(id device, const struct textureDescriptor *d)
{
	struct texture *t = (struct texture *)make(&MTLTexture);
	t->device = device;
	t->options = d->options;
	t->is = (struct textureNumbers){
		.type = d->type, .format = d->format, .width = d->width, .height = d->height, .depth = d->depth,
		.levels = d->levels, .samples = d->samples, .length = d->length, .usage = d->usage,
		.viewType = d->type, .viewFormat = d->format, .viewLevels = d->levels, .viewSlices = d->length * faces(d->type),
	};
	giveNumber(t);
	return t;
}

static id newTextureWithDescriptor(id self, SEL sel, id descriptor)
{
	(void)sel;
	GUARD;
	if (!checkDescriptor(descriptor, false) || takeFault(outOfMemory, NULL))
		return NULL;
	struct texture *t = newTexture(self, (struct textureDescriptor *)descriptor);
	Q row, image, slice;
	t->size = levelOf(t, t->is.levels - 1, &row, &image, &slice) + slice * t->is.viewSlices;
	t->mapped = (t->size + 16383) & ~(Q)16383;
	void *p = mmap(NULL, t->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) {
		t->mapped = 0;
		disown(t);
		return NULL;
	}
	t->bytes = p;
	if (!settings.bench && !isMS(t->is.type))
		memset(p, 0xdb, t->size);
	allocated += t->mapped;
	return &t->head;
}

id newTextureOver(id self, SEL sel, id descriptor, Q offset, Q rowBytes)
{
	(void)sel;
	GUARD;
	struct buffer *b = (struct buffer *)self;
	if (!checkDescriptor(descriptor, true))
		return NULL;
	const struct textureDescriptor *d = (struct textureDescriptor *)descriptor;
	Q align = settings.facts[linearAlign];
	if (d->type != type2D && d->type != typeBuffer)
		fail("a texture of type %llu over a buffer", d->type);
	else if (d->levels != 1)
		fail("%llu mip levels over a buffer", d->levels);
	else if (texelsOf(d->format) == texelsDepth)
		fail("a depth texture over a buffer");
	else if ((d->options >> 4 & 15) != (b->options >> 4 & 15))
		fail("the storage mode of the texture is not that of the buffer");
	else if (offset % align || rowBytes % align)
		fail("offset %llu and %llu bytes a row are not both multiples of %llu", offset, rowBytes, align);
	else if (rowBytes < d->width * texelSize(d->format))
		fail("%llu bytes a row of %llu texels", rowBytes, d->width);
	else if (inRange(offset, rowBytes * d->height, b->length)) { // Metal has nothing to say where rows do not fit
		struct texture *t = newTexture(b->device, d);
		t->owner = own(b);
		t->bytes = b->bytes;
		t->size = b->length;
		t->is.linear = 1;
		t->is.offset = offset;
		t->is.rowBytes = rowBytes;
		return &t->head;
	}
	return NULL;
}

static id texture_view(id self, SEL sel, Q format, Q type, struct range levels, struct range slices)
{
	(void)sel;
	GUARD;
	struct texture *t = (struct texture *)self;
	Q old = t->is.viewFormat;
	if (!texelSize(format) || texelSize(format) != texelSize(old))
		fail("a view of format %llu of a texture of format %llu", format, old);
	else if (format != old && !(t->is.usage & usageView) &&
		(!settings.facts[formatViews] || texelsOf(format) != texelsOf(old)))
		fail("a view of another format of a texture without MTLTextureUsagePixelFormatView");
	else if (!levels.length || !inRange(levels.location, levels.length, t->is.viewLevels))
		fail("levels %llu to %llu of %llu", levels.location, levels.location + levels.length - 1, t->is.viewLevels);
	else if (!slices.length || !inRange(slices.location, slices.length, t->is.viewSlices))
		fail("slices %llu to %llu of %llu", slices.location, slices.location + slices.length - 1, t->is.viewSlices);
	else if (type > typeBuffer || slices.length % faces(type) || (!isArray(type) && slices.length != faces(type)))
		fail("a view of type %llu of %llu slices", type, slices.length);
	else if ((type == type3D) != (t->is.type == type3D) || isMS(type) != isMS(t->is.type) ||
		flat(type) != flat(t->is.type))
		fail("a view of type %llu of a texture of type %llu", type, t->is.type);
	else {
		struct texture *v = (struct texture *)make(&MTLTexture);
		struct object head = v->head;
		*v = *t;
		v->head = head;
		v->mapped = 0;
		v->owner = own(t);
		v->is.viewFormat = format;
		v->is.viewType = type;
		v->is.level += levels.location;
		v->is.viewLevels = levels.length;
		v->is.slice += slices.location;
		v->is.viewSlices = slices.length;
		giveNumber(v);
		return &v->head;
	}
	return NULL;
}

// Copies

static bool checkRegion(struct texture *t, struct region r, Q level, Q slice, Q rowBytes, Q imageBytes)
{
	if (level >= t->is.viewLevels || slice >= t->is.viewSlices) {
		fail("level %llu and slice %llu of %llu and %llu", level, slice, t->is.viewLevels, t->is.viewSlices);
		return false;
	}
	Q l = t->is.level + level;
	Q w = most(t->is.width >> l, 1), h = most(t->is.height >> l, 1), d = most(t->is.depth >> l, 1);
	if (!r.size.width || !r.size.height || !r.size.depth || !inRange(r.origin.x, r.size.width, w) ||
		!inRange(r.origin.y, r.size.height, h) || !inRange(r.origin.z, r.size.depth, d))
		fail("a region of (%llu, %llu, %llu) at (%llu, %llu, %llu) of a level of (%llu, %llu, %llu)", r.size.width,
			r.size.height, r.size.depth, r.origin.x, r.origin.y, r.origin.z, w, h, d);
	else if (rowBytes < r.size.width * texelSize(t->is.format) || rowBytes % texelSize(t->is.format))
		fail("%llu bytes a row of %llu texels", rowBytes, r.size.width);
	else if (r.size.depth > 1 && imageBytes < rowBytes * r.size.height)
		fail("%llu bytes an image of %llu rows of %llu", imageBytes, r.size.height, rowBytes);
	else if (isMS(t->is.type))
		fail("texels of a multisample texture are not copied");
	else
		return true;
	return false;
}

bool copyTexels(
	struct texture *t, struct region r, Q level, Q slice, uint8_t *bytes, Q rowBytes, Q imageBytes, bool write)
{
	Q row, image, whole, texel = texelSize(t->is.format);
	Q at = t->is.offset + levelOf(t, t->is.level + level, &row, &image, &whole) + (t->is.slice + slice) * whole;
	for (Q z = 0; z < r.size.depth; z++)
		for (Q y = 0; y < r.size.height; y++) {
			uint8_t *texels = t->bytes + at + (r.origin.z + z) * image + (r.origin.y + y) * row + r.origin.x * texel;
			uint8_t *line = bytes + z * imageBytes + y * rowBytes;
			memcpy(write ? texels : line, write ? line : texels, r.size.width * texel);
		}
	return true;
}

static void copyByHost(
	struct texture *t, struct region r, Q level, Q slice, uint8_t *bytes, Q rowBytes, Q imageBytes, bool write)
{
	if ((t->options >> 4 & 15) == modePrivate)
		fail("the texels of a private texture are not for the CPU");
	else if (checkRegion(t, r, level, slice, rowBytes, imageBytes)) {
		if (!readable(bytes, imageBytes * (r.size.depth - 1) + rowBytes * (r.size.height - 1) + r.size.width))
			fail("the bytes cannot be read");
		else
			copyTexels(t, r, level, slice, bytes, rowBytes, imageBytes, write);
	}
}

static void texture_replace(
	id self, SEL sel, struct region r, Q level, Q slice, const void *bytes, Q rowBytes, Q imageBytes)
{
	(void)sel;
	GUARD;
	copyByHost((struct texture *)self, r, level, slice, (uint8_t *)bytes, rowBytes, imageBytes, true);
}

static void texture_get(id self, SEL sel, void *bytes, Q rowBytes, Q imageBytes, struct region r, Q level, Q slice)
{
	(void)sel;
	GUARD;
	copyByHost((struct texture *)self, r, level, slice, bytes, rowBytes, imageBytes, false);
}

static void addCopy(struct encoder *e, struct op with, id texture, id buffer, Q offset, bool write)
{
	if (!expect(texture, &MTLTexture, "the texture") || !expect(buffer, &MTLBuffer, "the buffer"))
		return;
	struct texture *t = (struct texture *)texture;
	struct buffer *b = (struct buffer *)buffer;
	if (!checkRegion(t, with.region, with.level, with.slice, with.rowBytes, with.imageBytes))
		return;
	Q length = with.imageBytes * (with.region.size.depth - 1) + with.rowBytes * (with.region.size.height - 1) +
		with.region.size.width * texelSize(t->is.format);
	if (!inRange(offset, length, b->length)) {
		fail("%llu bytes at %llu of a buffer of %llu", length, offset, b->length);
		return;
	}
	struct op *o = addOp(e->buffer, write ? opToTexture : opFromTexture);
	o->region = with.region;
	o->level = with.level;
	o->slice = with.slice;
	o->rowBytes = with.rowBytes;
	o->imageBytes = with.imageBytes;
	o->texture = t;
	*(write ? &o->from : &o->to) = b;
	*(write ? &o->fromOffset : &o->toOffset) = offset;
	useResource(e->buffer, t);
	useResource(e->buffer, b);
}

static void copyIn(id self, SEL sel, id buffer, Q offset, Q rowBytes, Q imageBytes, struct size size, id texture,
	Q slice, Q level, struct origin origin)
{
	BLIT;
	struct op o = {
		.region = {origin, size}, .level = level, .slice = slice, .rowBytes = rowBytes, .imageBytes = imageBytes,
	};
	addCopy(e, o, texture, buffer, offset, true);
}

static void copyOut(id self, SEL sel, id texture, Q slice, Q level, struct origin origin, struct size size, id buffer,
	Q offset, Q rowBytes, Q imageBytes)
{
	BLIT;
	struct op o = {
		.region = {origin, size}, .level = level, .slice = slice, .rowBytes = rowBytes, .imageBytes = imageBytes,
	};
	addCopy(e, o, texture, buffer, offset, false);
}

const struct method textureBlitMethods[] = {
	{"copyFromBuffer:sourceOffset:sourceBytesPerRow:sourceBytesPerImage:sourceSize:toTexture:destinationSlice:"
		"destinationLevel:destinationOrigin:", "v@QQQ{?=QQQ}@QQ{?=QQQ}", copyIn, nothing},
	{"copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toBuffer:destinationOffset:"
		"destinationBytesPerRow:destinationBytesPerImage:", "v@QQ{?=QQQ}{?=QQQ}@QQQ", copyOut, nothing},
	{0},
};

// Textures themselves

static void texture_setLabel(id self, SEL sel, id label)
{
	(void)sel;
	GUARD;
	if (!label || expect(label, &NSString, "the label"))
		setLabel(self, label ? textOf(label) : NULL);
}

static struct resourceID texture_number(id self, SEL sel)
{
	(void)sel;
	GUARD;
	struct texture *t = (struct texture *)self;
	if (!hasMetal3())
		fail("gpuResourceID on a device without Metal 3");
	return (struct resourceID){t->is.number};
}

static void texture_dealloc(id self)
{
	struct texture *t = (struct texture *)self;
	if (t->owner) {
		disown(t->owner);
		return;
	}
	if (!t->mapped)
		return;
	allocated -= t->mapped;
	if (settings.bench)
		munmap(t->bytes, t->mapped);
	else
		memset(t->bytes, 0xdb, t->mapped);
}

static Q texture_size(id self, SEL sel)
{
	(void)sel;
	GUARD;
	return ((struct texture *)self)->mapped;
}

static const struct method textureMethods[] = {
	{"allocatedSize", "Q", texture_size, NULL},
	{"newTextureViewWithPixelFormat:textureType:levels:slices:", "@QQ{_NSRange=QQ}{_NSRange=QQ}", texture_view, NULL},
	{"replaceRegion:mipmapLevel:slice:withBytes:bytesPerRow:bytesPerImage:", "v{?={?=QQQ}{?=QQQ}}QQr^vQQ",
		texture_replace, NULL},
	{"getBytes:bytesPerRow:bytesPerImage:fromRegion:mipmapLevel:slice:", "v^vQQ{?={?=QQQ}{?=QQQ}}QQ", texture_get,
		NULL},
	{"setLabel:", "v@", texture_setLabel, NULL},
	{"gpuResourceID", "{MTLResourceID=Q}", texture_number, NULL},
	{0},
};
struct class MTLTexture = {
	.name = "MTLTexture",
	.size = sizeof(struct texture),
	.methods = textureMethods,
	.dealloc = texture_dealloc,
	.protocol = true,
};

static Q device_linearAlign(id self, SEL sel, Q format)
{
	(void)self, (void)sel;
	GUARD;
	if (!texelSize(format))
		fail("pixel format %llu is unknown to the fake", format);
	return settings.facts[linearAlign];
}

static dirty device_samples(id self, SEL sel, Q count)
{
	(void)self, (void)sel;
	return count == 1 || (!(count & (count - 1)) && (settings.facts[sampleCounts] & count)) ? YES : NO;
}

static dirty device_samples32(id self, SEL sel)
{
	(void)self, (void)sel;
	return settings.facts[samples32] ? YES : NO;
}

static Q device_readWrite(id self, SEL sel)
{
	(void)self, (void)sel;
	return settings.facts[readWriteTier];
}

// What devices make textures with.
const struct method textureDeviceMethods[] = {
	{"newTextureWithDescriptor:", "@@", newTextureWithDescriptor, NULL},
	{"minimumLinearTextureAlignmentForPixelFormat:", "QQ", device_linearAlign, NULL},
	{"minimumTextureBufferAlignmentForPixelFormat:", "QQ", device_linearAlign, NULL},
	{"supportsTextureSampleCount:", "BQ", device_samples, NULL},
	{"supports32BitMSAA", "B", device_samples32, NULL},
	{"readWriteTextureSupport", "Q", device_readWrite, NULL},
	{0},
};
