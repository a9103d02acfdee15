// The table of the kinds of arguments, and what is common to them.
#include "fake.h"

#define ENTRY(name) &name##Kind,
const struct argKind *const argKinds[argKindCount] = {ARG_KINDS(ENTRY)};

const struct argKind *argKindOf(Q binding)
{
	for (Q k = 0; k < argKindCount; k++)
		if (argKinds[k]->binding == binding)
			return argKinds[k];
	return NULL;
}

void *argState(struct compute *c, const struct argKind *kind)
{
	Q k = 0;
	while (argKinds[k] != kind)
		k++;
	return c->args[k];
}

const struct method *methodsOf(const struct class *c, bool isStatic, Q list)
{
	if (!list)
		return isStatic ? c->statics : c->methods;
	if (isStatic || !c->argMethods)
		return NULL;
	return *(const struct method *const *)((const char *)argKinds[list - 1] + c->argMethods);
}

struct bound *addBound(struct op *o)
{
	o->bound = realloc(o->bound, (o->boundCount + 1) * sizeof *o->bound);
	return &o->bound[o->boundCount++];
}

void bindArguments(struct compute *c, struct op *o, const struct kernel *k)
{
	for (const struct binding *b = k->bindings; b; b = b->next) {
		const struct argKind *kind = argKindOf(b->kind);
		if (kind && kind->check && kind->check(c, k, b))
			kind->bind(c, o, k, b);
	}
	addConstants(o, c->pipeline->function);
}
