// Samplers: how they are made, and that encoders bind them.
#include "fake.h"

enum { maxSamplers = 16 };
enum { clampToEdge, mirrorClampToEdge, repeat, mirrorRepeat, clampToZero, clampToBorder };

// What Go is told of a sampler. Levels of detail are the bits of floats.
struct samplerNumbers {
	Q min, mag, mip, address[3], border, compare, normalized, lodMin, lodMax, anisotropy;
};
struct samplerObject { // a descriptor, or a state
	struct object head;
	struct samplerNumbers is;
	bool inMemory; // it may be
	Q number; // gpuResourceID, 0 of what may not be in memory
};

// The samplers that may be in memory, by their gpuResourceID. What is the same has the same.
static struct samplerNumbers inMemory[1024];
static Q inMemoryCount;

Q samplerCount(void) { return inMemoryCount; }

const Q *samplerAt(Q number) { return (const Q *)&inMemory[number - 1]; }

void forgetSamplers(void) { inMemoryCount = 0; }

static Q numberOf(const struct samplerNumbers *is)
{
	Q i = 0;
	while (i < inMemoryCount && memcmp(&inMemory[i], is, sizeof *is))
		i++;
	if (i == sizeof inMemory / sizeof *inMemory)
		return 0;
	inMemory[i] = *is;
	if (i == inMemoryCount)
		inMemoryCount++;
	return i + 1;
}

static struct samplerNumbers *numbersOf(id self) { return &((struct samplerObject *)self)->is; }

static Q bitsOf(float f)
{
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	return bits;
}

#define SETTER(name, field, last) \
	static void sampler_##name(id self, SEL sel, Q v) \
	{ \
		(void)sel; \
		GUARD; \
		if (v > (last)) \
			failDescriptor("%llu is beyond %d", v, (int)(last)); \
		else \
			numbersOf(self)->field = v; \
	}
SETTER(min, min, 1)
SETTER(mag, mag, 1)
SETTER(mip, mip, 2)
SETTER(s, address[0], clampToBorder)
SETTER(t, address[1], clampToBorder)
SETTER(r, address[2], clampToBorder)
SETTER(border, border, 2)
SETTER(compare, compare, 7)
SETTER(anisotropy, anisotropy, 16)

static void sampler_normalized(id self, SEL sel, bool yes)
{
	(void)sel;
	GUARD;
	numbersOf(self)->normalized = yes ? 0 : 1; // turned around: a new descriptor is zero, and normalized
}

static void sampler_lodMin(id self, SEL sel, float lod)
{
	(void)sel;
	GUARD;
	numbersOf(self)->lodMin = bitsOf(lod);
}

static void sampler_lodMax(id self, SEL sel, float lod)
{
	(void)sel;
	GUARD;
	numbersOf(self)->lodMax = bitsOf(lod);
}

static void sampler_inMemory(id self, SEL sel, bool yes)
{
	(void)sel;
	GUARD;
	((struct samplerObject *)self)->inMemory = yes;
}

static struct resourceID sampler_number(id self, SEL sel)
{
	(void)sel;
	GUARD;
	struct samplerObject *s = (struct samplerObject *)self;
	if (!hasMetal3())
		fail("gpuResourceID on a device without Metal 3");
	else if (!s->number)
		fail("gpuResourceID of a sampler that was made without supportArgumentBuffers");
	return (struct resourceID){s->number};
}

static const struct method descriptorMethods[] = {
	{"setMinFilter:", "vQ", sampler_min, NULL},
	{"setMagFilter:", "vQ", sampler_mag, NULL},
	{"setMipFilter:", "vQ", sampler_mip, NULL},
	{"setMaxAnisotropy:", "vQ", sampler_anisotropy, NULL},
	{"setSAddressMode:", "vQ", sampler_s, NULL},
	{"setTAddressMode:", "vQ", sampler_t, NULL},
	{"setRAddressMode:", "vQ", sampler_r, NULL},
	{"setBorderColor:", "vQ", sampler_border, NULL},
	{"setNormalizedCoordinates:", "vB", sampler_normalized, NULL},
	{"setCompareFunction:", "vQ", sampler_compare, NULL},
	{"setLodMinClamp:", "vf", sampler_lodMin, NULL},
	{"setLodMaxClamp:", "vf", sampler_lodMax, NULL},
	{"setSupportArgumentBuffers:", "vB", sampler_inMemory, NULL},
	{0},
};
struct class MTLSamplerDescriptor = {
	.name = "MTLSamplerDescriptor",
	.size = sizeof(struct samplerObject),
	.methods = descriptorMethods,
};
static const struct method stateMethods[] = {
	{"gpuResourceID", "{MTLResourceID=Q}", sampler_number, NULL},
	{0},
};
struct class MTLSamplerState = {
	.name = "MTLSamplerState",
	.size = sizeof(struct samplerObject),
	.methods = stateMethods,
	.protocol = true,
};

static bool clamps(const struct samplerNumbers *s)
{
	for (int i = 0; i < 3; i++)
		if (s->address[i] != clampToEdge && s->address[i] != clampToZero && s->address[i] != clampToBorder)
			return false;
	return true;
}

static bool addresses(const struct samplerNumbers *s, Q mode)
{
	return s->address[0] == mode || s->address[1] == mode || s->address[2] == mode;
}

static id newSampler(id self, SEL sel, id descriptor)
{
	(void)self, (void)sel;
	GUARD;
	if (!expect(descriptor, &MTLSamplerDescriptor, "the descriptor"))
		return NULL;
	const struct samplerNumbers *is = numbersOf(descriptor);
	if (is->normalized && (is->min != is->mag || is->mip || is->anisotropy > 1 || !clamps(is))) {
		failDescriptor("coordinates in texels go with one filter, no mip filter, no anisotropy, and clamping");
		return NULL;
	}
	if (!is->anisotropy) {
		failDescriptor("a maximal anisotropy of 0");
		return NULL;
	}
	if (!settings.facts[borders] && (addresses(is, clampToBorder) || addresses(is, mirrorClampToEdge))) {
		failDescriptor("border colors and mirroring once are since family Apple7, and of Mac2");
		return NULL;
	}
	struct samplerObject *s = (struct samplerObject *)make(&MTLSamplerState);
	s->is = *is;
	if (((struct samplerObject *)descriptor)->inMemory)
		s->number = numberOf(is);
	return &s->head;
}

static struct samplerObject **samplersOf(struct compute *c) { return argState(c, &samplerKind); }

static void setSlot(struct compute *c, id sampler, Q index)
{
	if (index >= maxSamplers)
		fail("sampler index %llu: the last one is %d", index, maxSamplers - 1);
	else if (!sampler || expect(sampler, &MTLSamplerState, "the sampler")) {
		samplersOf(c)[index] = (struct samplerObject *)sampler;
		useResource(c->encoder.buffer, sampler);
	}
}

static void setSampler(id self, SEL sel, id sampler, Q index)
{
	ENCODE;
	setSlot(c, sampler, index);
}

static void setSamplers(id self, SEL sel, id *samplers, struct range r)
{
	ENCODE;
	if (!inRange(r.location, r.length, maxSamplers)) {
		fail("indexes %llu to %llu: the last one is %d", r.location, (r.location + r.length - 1), maxSamplers - 1);
		return;
	}
	if (!readable(samplers, 8 * r.length)) {
		fail("the list of samplers cannot be read");
		return;
	}
	for (Q i = 0; i < r.length; i++)
		setSlot(c, samplers[i], r.location + i);
}

static const struct method encoderMethods[] = {
	{"setSamplerState:atIndex:", "v@Q", setSampler, nothing},
	{"setSamplerStates:withRange:", "vr^@{_NSRange=QQ}", setSamplers, nothing},
	{0},
};

static const struct method deviceMethods[] = {
	{"newSamplerStateWithDescriptor:", "@@", newSampler, NULL},
	{0},
};

static bool check(struct compute *c, const struct kernel *k, const struct binding *b)
{
	bool some = false;
	for (Q i = b->index; i < b->index + b->length && i < maxSamplers; i++) {
		struct samplerObject *s = samplersOf(c)[i];
		if (s && isAlive(s))
			some = true;
		else if (s)
			fail("%s: sampler %s (index %llu) was freed", k->name, b->name, i);
		else if (!(b->flags & isOptional))
			fail("%s: sampler %s (index %llu) is not bound", k->name, b->name, i);
	}
	return some;
}

static void bind(struct compute *c, struct op *o, const struct kernel *k, const struct binding *b)
{
	(void)k;
	for (Q i = 0; i < b->length && b->index + i < maxSamplers; i++) {
		struct samplerObject *s = samplersOf(c)[b->index + i];
		if (s && isAlive(s))
			*addBound(o) = (struct bound){.arg = {bindSampler, b->index, NULL, 0, i, (const Q *)&s->is}, .object = &s->head};
	}
}

const struct argKind samplerKind = {
	.binding = bindSampler,
	.size = maxSamplers * sizeof(struct samplerObject *),
	.encoderMethods = encoderMethods,
	.deviceMethods = deviceMethods,
	.check = check,
	.bind = bind,
};
