// Fences order encoders. The fake executes one after the other, and so there is
// nothing to them but their rules.
#include "fake.h"

id newFence(id self, SEL sel)
{
	(void)self, (void)sel;
	GUARD;
	return make(&MTLFence);
}

static const struct method fenceMethods[] = {{0}};
struct class MTLFence = {.name = "MTLFence", .size = sizeof(struct object), .methods = fenceMethods, .protocol = true};
