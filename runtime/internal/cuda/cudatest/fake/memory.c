/* Memory of devices and of the host: both are memory of this process, which begins as rubbish. */
#define _GNU_SOURCE
#include "fake.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Allocation *all;
static size_t taken;

Allocation *allocationAt(uintptr_t at, size_t size) {
	for (Allocation *a = all; a; a = a->next) {
		if (at >= a->at && at - a->at <= a->size && size <= a->size - (at - a->at)) return a;
	}
	return NULL;
}

/* fakeReach finds the memory that so many bytes are in, where kernels may touch them. */
API uint64_t fakeReach(uintptr_t at, uint64_t size, uint64_t *bounds) {
	lockWorld();
	Allocation *a = allocationAt(at, size);
	if (a) {
		bounds[0] = a->at;
		bounds[1] = a->at + a->size;
	}
	unlockWorld();
	return a != NULL;
}

static CUresult add(uintptr_t at, size_t size, int host) {
	Allocation *a = calloc(1, sizeof *a);
	a->at = at;
	a->size = size;
	a->host = host;
	a->next = all;
	all = a;
	return CUDA_SUCCESS;
}

static CUresult allocate(uintptr_t *out, size_t size, int host, const char *function) {
	CUresult r = CUDA_ERROR_OUT_OF_MEMORY;
	lockWorld();
	if (!current(function)) {
		r = CUDA_ERROR_INVALID_CONTEXT;
	} else if (size == 0) {
		fail("%s: 0 bytes", function);
		r = CUDA_ERROR_INVALID_VALUE;
	} else if (size <= settings.memory - taken) {
		void *p = aligned_alloc(4096, (size + 4095) & ~(size_t)4095);
		if (p) {
			memset(p, 0xa5, size);
			taken += size;
			*out = (uintptr_t)p;
			r = add(*out, size, host);
		}
	}
	unlockWorld();
	return r;
}

static CUresult release(uintptr_t at, int host, const char *function) {
	CUresult r = CUDA_ERROR_INVALID_VALUE;
	lockWorld();
	current(function);
	for (Allocation **a = &all; *a; a = &(*a)->next) {
		Allocation *found = *a;
		if (found->at != at || found->host != host) continue;
		*a = found->next;
		if (host != 2) {
			taken -= found->size;
			memset((void *)at, 0x5a, found->size);
			free((void *)at);
		}
		free(found);
		r = CUDA_SUCCESS;
		break;
	}
	if (r) fail("%s: %#lx is nothing to free", function, (unsigned long)at);
	unlockWorld();
	return r;
}

API CUresult cuMemAlloc_v2(uintptr_t *out, size_t size) { return allocate(out, size, 0, "cuMemAlloc"); }
API CUresult cuMemFree_v2(uintptr_t at) { return release(at, 0, "cuMemFree"); }
API CUresult cuMemHostAlloc(uintptr_t *out, size_t size, unsigned flags) {
	if (!(flags & 2)) fail("cuMemHostAlloc: the memory is not mapped");
	return allocate(out, size, 1, "cuMemHostAlloc");
}
API CUresult cuMemFreeHost(uintptr_t at) { return release(at, 1, "cuMemFreeHost"); }
API CUresult cuMemHostUnregister(uintptr_t at) { return release(at, 2, "cuMemHostUnregister"); }

API CUresult cuMemHostRegister_v2(uintptr_t at, size_t size, unsigned flags) {
	lockWorld();
	current("cuMemHostRegister");
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	if (at % page || size % page || !(flags & 2)) fail("cuMemHostRegister: not whole pages, or not mapped");
	CUresult r = add(at, size, 2);
	unlockWorld();
	return r;
}

API CUresult cuMemHostGetDevicePointer_v2(uintptr_t *out, uintptr_t at, unsigned flags) {
	lockWorld();
	Allocation *a = allocationAt(at, 1);
	if (!a || !a->host || flags) fail("cuMemHostGetDevicePointer: %#lx is not mapped", (unsigned long)at);
	*out = at;
	unlockWorld();
	return a ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuMemGetInfo_v2(size_t *rest, size_t *total) {
	lockWorld();
	int has = current("cuMemGetInfo");
	*rest = settings.memory - taken;
	*total = settings.memory;
	unlockWorld();
	return has ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

void leaksOfMemory(void) {
	while (all) {
		Allocation *a = all;
		fail("%zu bytes of memory are left", a->size);
		all = a->next;
		free(a);
	}
	taken = 0;
}
