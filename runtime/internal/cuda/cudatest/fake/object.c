/* Contexts, and all that has a handle. Handles are never used again, so a late use is noticed. */
#include "fake.h"
#include <stdlib.h>

static Object *all;
static Object *primary[16];
static int retained[16];
static _Thread_local Object *mine;

static const char *names[] = {"", "context", "module", "function", "stream", "event", "graph", "executable graph"};

Object *newObject(Kind kind) {
	Object *o = calloc(1, sizeof *o);
	o->kind = kind;
	o->when = -1;
	o->last = &o->first;
	o->next = all;
	all = o;
	return o;
}

Object *object(uintptr_t handle, Kind kind, const char *function) {
	for (Object *o = all; o; o = o->next) {
		if ((uintptr_t)o != handle || o->kind != kind) continue;
		if (o->dead) {
			fail("%s: the %s has ended", function, names[kind]);
			return NULL;
		}
		return o;
	}
	fail("%s: %#lx is no %s", function, (unsigned long)handle, names[kind]);
	return NULL;
}

void endObject(Object *o) {
	o->dead = 1;
	for (Node *n = o->first; n;) {
		Node *next = n->next;
		free(n->params);
		free(n->before.list);
		free(n);
		n = next;
	}
	o->first = NULL;
	free(o->before.list);
	o->before = (Nodes){0};
}

void leaveCapture(const Object *graph) {
	for (Object *o = all; o; o = o->next) {
		if (o->kind == StreamKind && o->of == graph) {
			o->of = NULL;
			o->before.count = 0;
		}
	}
}

int current(const char *function) {
	if (mine && !mine->dead) return 1;
	fail("%s: the thread has no context", function);
	return 0;
}

API CUresult cuDevicePrimaryCtxRetain(Object **out, int device) {
	lockWorld();
	if (!primary[device]) primary[device] = newObject(ContextKind);
	retained[device]++;
	*out = primary[device];
	unlockWorld();
	return CUDA_SUCCESS;
}

API CUresult cuDevicePrimaryCtxRelease_v2(int device) {
	lockWorld();
	if (retained[device] == 0) {
		fail("cuDevicePrimaryCtxRelease: the context is not retained");
	} else if (--retained[device] == 0) {
		endObject(primary[device]);
		primary[device] = NULL;
	}
	unlockWorld();
	return CUDA_SUCCESS;
}

API CUresult cuCtxSetCurrent(Object *context) {
	lockWorld();
	Object *o = object((uintptr_t)context, ContextKind, "cuCtxSetCurrent");
	if (o) mine = o;
	unlockWorld();
	return o ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

/* fakeLeaks makes a failure of each thing that is left. */
API void fakeLeaks(void) {
	lockWorld();
	for (Object *o = all; o; o = o->next) {
		if (!o->dead && o->kind != FunctionKind) fail("%s: one is left", names[o->kind]);
		o->dead = 1;
	}
	for (int i = 0; i < 16; i++) {
		primary[i] = NULL;
		retained[i] = 0;
	}
	leaksOfMemory();
	unlockWorld();
}
