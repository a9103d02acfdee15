/* Modules are texts that Go verifies, and kernels what it executes. */
#include "fake.h"
#include <stdlib.h>
#include <string.h>

API CUresult cuModuleLoadDataEx(Object **out, const char *text, unsigned n, const int *options, void **values) {
	char unused[256], *log = unused;
	uint64_t size = sizeof unused;
	for (unsigned i = 0; i < n; i++) {
		if (options[i] == 5) log = values[i];
		if (options[i] == 6) size = (uint64_t)(uintptr_t)values[i];
	}
	lockWorld();
	int has = current("cuModuleLoadDataEx");
	unlockWorld();
	if (!has) return CUDA_ERROR_INVALID_CONTEXT;
	uint64_t facts[3] = {0};
	uint64_t number = compile(text, log, size, facts);
	if (!number) return CUDA_ERROR_INVALID_PTX;
	lockWorld();
	Object *o = newObject(ModuleKind);
	o->number = number;
	memcpy(o->facts, facts, sizeof facts);
	*out = o;
	unlockWorld();
	return CUDA_SUCCESS;
}

API CUresult cuModuleUnload(uintptr_t module) {
	lockWorld();
	current("cuModuleUnload");
	Object *o = object(module, ModuleKind, "cuModuleUnload");
	if (o) endObject(o);
	unlockWorld();
	return o ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

API CUresult cuModuleGetFunction(Object **out, uintptr_t module, const char *name) {
	lockWorld();
	Object *o = object(module, ModuleKind, "cuModuleGetFunction");
	if (o && strncmp(name, "kernel_", 7)) fail("cuModuleGetFunction: there is no %s", name);
	if (o) {
		*out = newObject(FunctionKind);
		(*out)->of = o;
	}
	unlockWorld();
	return o ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

API CUresult cuFuncGetAttribute(int *out, int attribute, uintptr_t function) {
	lockWorld();
	Object *o = object(function, FunctionKind, "cuFuncGetAttribute");
	if (o) *out = attribute == 0 ? (int)o->of->facts[1] : 0;
	unlockWorld();
	return o ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

API CUresult cuLaunchKernel(uintptr_t function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
		unsigned bz, unsigned shared, uintptr_t stream, void **params, void **extra) {
	lockWorld();
	CUresult r = CUDA_ERROR_INVALID_VALUE;
	Object *f = object(function, FunctionKind, "cuLaunchKernel");
	Object *s = object(stream, StreamKind, "cuLaunchKernel");
	if (!current("cuLaunchKernel") || !f || !s) {
		unlockWorld();
		return CUDA_ERROR_INVALID_HANDLE;
	}
	size_t size = 0;
	const void *block = NULL;
	if (params || !extra || (uintptr_t)extra[0] != 1 || (uintptr_t)extra[2] != 2 || extra[4]) {
		fail("cuLaunchKernel: the parameters are not in one block");
	} else {
		block = extra[1];
		size = *(size_t *)extra[3];
	}
	uint64_t threads = (uint64_t)bx * by * bz;
	if (f->of->dead) {
		fail("cuLaunchKernel: the module of the function has ended");
	} else if (!gx || !gy || !gz || gy > 65535 || gz > 65535 || gx > 2147483647 || !threads || bz > 64) {
		fail("cuLaunchKernel: a grid of %u %u %u blocks of %u %u %u", gx, gy, gz, bx, by, bz);
	} else if (threads > f->of->facts[1]) {
		fail("cuLaunchKernel: %lu threads, and the kernel says %lu", (unsigned long)threads, (unsigned long)f->of->facts[1]);
	} else if (size != f->of->facts[0]) {
		fail("cuLaunchKernel: %zu bytes of parameters, not %lu", size, (unsigned long)f->of->facts[0]);
	} else if (shared + f->of->facts[2] > 48 << 10) {
		fail("cuLaunchKernel: %u bytes of shared memory", shared);
	} else {
		Node n = {.kind = LaunchNode, .function = f, .numbers = {gx, gy, gz, bx, by, bz, shared}, .size = size};
		n.params = malloc(size);
		memcpy(n.params, block, size);
		r = submit(s, n, "cuLaunchKernel");
	}
	unlockWorld();
	return r;
}
