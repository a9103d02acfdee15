// Textures: the fake knows that encoders bind them, and has none.
#include "fake.h"

enum { maxTextures = 128 };

static void setTexture(id self, SEL sel, id texture, Q index)
{
	ENCODE;
	if (index >= maxTextures)
		fail("texture index %llu: the last one is %d", index, maxTextures - 1);
	else if (texture)
		fail("the fake has no textures");
}

static const struct method encoderMethods[] = {
	{"setTexture:atIndex:", "v@Q", setTexture, nothing},
	{0},
};

const struct argKind textureKind = {.binding = bindTexture, .encoderMethods = encoderMethods};
