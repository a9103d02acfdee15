/* Streams and events. What a stream gets is done at once, unless it captures. */
#include "fake.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

static CUresult failed = CUDA_SUCCESS; /* as on a card, an error stays */

static double now(void) {
	static double last;
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	double ms = t.tv_sec * 1e3 + t.tv_nsec / 1e6;
	last = ms > last ? ms : last + 1e-6;
	return last;
}

CUresult perform(Node *n) {
	switch (n->kind) {
	case CopyNode: memmove((void *)n->to, (void *)n->from, n->size); return CUDA_SUCCESS;
	case SetNode: memset((void *)n->to, n->value, n->size); return CUDA_SUCCESS;
	case LaunchNode: break;
	}
	if (n->function->of->dead) {
		fail("the module of a kernel has ended");
		return CUDA_ERROR_INVALID_HANDLE;
	}
	uint64_t number = n->function->of->number;
	unlockWorld(); /* kernels take their time, and look for memory */
	uint64_t r = launch(number, n->numbers, n->params, n->size);
	lockWorld();
	return r ? (failed = CUDA_ERROR_LAUNCH_FAILED) : CUDA_SUCCESS;
}

CUresult submit(Object *stream, Node node, const char *function) {
	(void)function;
	if (!stream->of) {
		CUresult r = perform(&node);
		free(node.params);
		return r && node.kind != LaunchNode ? r : CUDA_SUCCESS;
	}
	return addNode(stream, node);
}

int check(uintptr_t at, size_t size, const char *function) {
	if (allocationAt(at, size)) return 1;
	fail("%s: %zu bytes at %#lx are nobody's", function, size, (unsigned long)at);
	return 0;
}

API CUresult cuMemcpyAsync(uintptr_t to, uintptr_t from, size_t size, uintptr_t stream) {
	lockWorld();
	CUresult r = CUDA_ERROR_INVALID_HANDLE;
	Object *s = object(stream, StreamKind, "cuMemcpyAsync");
	check(to, size, "cuMemcpyAsync");
	check(from, size, "cuMemcpyAsync");
	if (current("cuMemcpyAsync") && s) {
		r = submit(s, (Node){.kind = CopyNode, .to = to, .from = from, .size = size}, "cuMemcpyAsync");
	}
	unlockWorld();
	return r;
}

API CUresult cuMemsetD8Async(uintptr_t to, unsigned char value, size_t size, uintptr_t stream) {
	lockWorld();
	CUresult r = CUDA_ERROR_INVALID_HANDLE;
	Object *s = object(stream, StreamKind, "cuMemsetD8Async");
	check(to, size, "cuMemsetD8Async");
	if (current("cuMemsetD8Async") && s) {
		r = submit(s, (Node){.kind = SetNode, .to = to, .value = value, .size = size}, "cuMemsetD8Async");
	}
	unlockWorld();
	return r;
}

static CUresult make(Object **out, Kind kind, const char *function) {
	lockWorld();
	int has = current(function);
	*out = newObject(kind);
	unlockWorld();
	return has ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult end(uintptr_t handle, Kind kind, const char *function) {
	lockWorld();
	current(function);
	Object *o = object(handle, kind, function);
	if (o && o->kind == StreamKind && o->of) fail("%s: the stream captures", function);
	if (o) endObject(o);
	unlockWorld();
	return o ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

API CUresult cuStreamCreate(Object **out, unsigned flags) {
	(void)flags;
	failed = CUDA_SUCCESS;
	return make(out, StreamKind, "cuStreamCreate");
}
API CUresult cuStreamDestroy_v2(uintptr_t s) { return end(s, StreamKind, "cuStreamDestroy"); }
API CUresult cuEventCreate(Object **out, unsigned flags) {
	(void)flags;
	return make(out, EventKind, "cuEventCreate");
}
API CUresult cuEventDestroy_v2(uintptr_t e) { return end(e, EventKind, "cuEventDestroy"); }
API CUresult cuGraphDestroy(uintptr_t g) { return end(g, GraphKind, "cuGraphDestroy"); }
API CUresult cuGraphExecDestroy(uintptr_t e) { return end(e, ExecKind, "cuGraphExecDestroy"); }

API CUresult cuStreamSynchronize(uintptr_t stream) {
	lockWorld();
	Object *s = object(stream, StreamKind, "cuStreamSynchronize");
	if (s && s->of) fail("cuStreamSynchronize: the stream captures");
	CUresult r = failed;
	unlockWorld();
	return r;
}

API CUresult cuEventRecord(uintptr_t event, uintptr_t stream) {
	lockWorld();
	current("cuEventRecord");
	Object *e = object(event, EventKind, "cuEventRecord"), *s = object(stream, StreamKind, "cuEventRecord");
	if (e && s) {
		e->of = s->of; /* NULL where nothing captures: then it happens now */
		e->before.count = 0;
		joinNodes(&e->before, &s->before);
		e->when = s->of ? -1 : now();
	}
	unlockWorld();
	return e && s ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

API CUresult cuEventSynchronize(uintptr_t event) {
	lockWorld();
	current("cuEventSynchronize");
	Object *e = object(event, EventKind, "cuEventSynchronize");
	if (e && e->when < 0) fail("cuEventSynchronize: the event was not recorded, or in a capture");
	CUresult r = failed;
	unlockWorld();
	return r;
}

API CUresult cuEventElapsedTime(float *ms, uintptr_t start, uintptr_t stop) {
	lockWorld();
	Object *from = object(start, EventKind, "cuEventElapsedTime"), *to = object(stop, EventKind, "cuEventElapsedTime");
	if (from && to) {
		if (from->when < 0 || to->when < from->when) fail("cuEventElapsedTime: not in the order of the events");
		*ms = (float)(to->when - from->when);
	}
	unlockWorld();
	return from && to ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
