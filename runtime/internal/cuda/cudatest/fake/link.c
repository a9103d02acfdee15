/* A linker makes an image of one text, which is its own until it ends. */
#include "fake.h"
#include <stdlib.h>
#include <string.h>

static const char head[] = IMAGE;

API CUresult cuLinkCreate_v2(unsigned n, const int *options, void **values, Object **out) {
	(void)n, (void)options, (void)values;
	lockWorld();
	int has = current("cuLinkCreate");
	if (has) *out = newObject(LinkKind);
	unlockWorld();
	return has ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

API CUresult cuLinkAddData_v2(uintptr_t state, int type, const char *text, size_t size, const char *name, unsigned n,
		const int *options, void **values) {
	(void)name, (void)options, (void)values;
	lockWorld();
	Object *o = object(state, LinkKind, "cuLinkAddData");
	if (o && (type != 1 || n || !size || text[size - 1] || o->image)) {
		fail("cuLinkAddData: not one text of PTX that ends with 0");
	} else if (o) {
		o->size = sizeof head - 1 + size;
		o->image = malloc(o->size);
		memcpy(o->image, head, sizeof head - 1);
		memcpy(o->image + sizeof head - 1, text, size);
	}
	unlockWorld();
	if (!o) return CUDA_ERROR_INVALID_HANDLE;
	uint64_t facts[3];
	char log[256];
	return compile(text, log, sizeof log, facts) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX;
}

API CUresult cuLinkComplete(uintptr_t state, void **out, size_t *size) {
	lockWorld();
	Object *o = object(state, LinkKind, "cuLinkComplete");
	if (o && !o->image) fail("cuLinkComplete: there is no text");
	if (o) *out = o->image, *size = o->size;
	unlockWorld();
	return o && o->image ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

API CUresult cuLinkDestroy(uintptr_t state) {
	lockWorld();
	Object *o = object(state, LinkKind, "cuLinkDestroy");
	if (o) {
		free(o->image);
		o->image = NULL;
		endObject(o);
	}
	unlockWorld();
	return o ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
