// Blocks. Only global ones: Go has no others that would live long enough.
#include "fake.h"

EXPORT void *_NSConcreteGlobalBlock[32];

struct block {
	void *isa;
	int32_t flags, reserved;
	void *invoke;
	void *descriptor;
};

bool checkBlock(const void *p)
{
	const struct block *b = p;
	enum { global = 1 << 28 };
	if (!readable(b, sizeof *b))
		fail("the block %p cannot be read", p);
	else if (b->isa != _NSConcreteGlobalBlock)
		fail("the block is not one of _NSConcreteGlobalBlock");
	else if (!(b->flags & global))
		fail("the block's flags %#x lack BLOCK_IS_GLOBAL", (unsigned)b->flags);
	else if (!b->invoke)
		fail("the block has nothing to invoke");
	else if (!readable(b->descriptor, 16) || ((Q *)b->descriptor)[1] < sizeof *b)
		fail("the block's descriptor does not say its size");
	else
		return true;
	return false;
}

void callBlock1(void *block, id a) { ((void (*)(void *, id))((struct block *)block)->invoke)(block, a); }

void callBlock4(void *block, id a, id b, Q c, id d)
{
	((void (*)(void *, id, id, Q, id))((struct block *)block)->invoke)(block, a, b, c, d);
}

void callBlock2(void *block, void *a, Q b)
{
	((void (*)(void *, void *, Q))((struct block *)block)->invoke)(block, a, b);
}
