// Samplers: the fake knows that encoders bind them, and has none.
#include "fake.h"

enum { maxSamplers = 16 };

static void setSampler(id self, SEL sel, id sampler, Q index)
{
	ENCODE;
	if (index >= maxSamplers)
		fail("sampler index %llu: the last one is %d", index, maxSamplers - 1);
	else if (sampler)
		fail("the fake has no samplers");
}

static const struct method encoderMethods[] = {
	{"setSamplerState:atIndex:", "v@Q", setSampler, nothing},
	{0},
};

const struct argKind samplerKind = {.binding = bindSampler, .encoderMethods = encoderMethods};
