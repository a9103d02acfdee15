/* The driver and its devices. */
#include "fake.h"
#include <stdio.h>
#include <string.h>

API CUresult cuInit(unsigned flags) {
	if (flags) return CUDA_ERROR_INVALID_VALUE;
	return settings.devices ? CUDA_SUCCESS : 100;
}

API CUresult cuDriverGetVersion(int *version) {
	*version = (int)settings.version;
	return CUDA_SUCCESS;
}

static const struct {
	CUresult result;
	const char *name, *text;
} texts[] = {
	{CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
	{CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
	{CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
	{100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
	{CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
	{CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
	{CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
	{CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
	{CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};

static CUresult text(CUresult of, const char **out, int name) {
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		if (texts[i].result == of) {
			*out = name ? texts[i].name : texts[i].text;
			return CUDA_SUCCESS;
		}
	}
	*out = NULL;
	return CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuGetErrorName(CUresult of, const char **out) { return text(of, out, 1); }
API CUresult cuGetErrorString(CUresult of, const char **out) { return text(of, out, 0); }

API CUresult cuDeviceGetCount(int *n) {
	*n = (int)settings.devices;
	return CUDA_SUCCESS;
}

API CUresult cuDeviceGet(int *device, int index) {
	*device = index;
	return index >= 0 && (uint64_t)index < settings.devices ? CUDA_SUCCESS : 101;
}

API CUresult cuDeviceGetName(char *name, int size, int device) {
	snprintf(name, (size_t)size, "Fake GPU %d", device);
	return CUDA_SUCCESS;
}

API CUresult cuDeviceGetAttribute(int *out, int attribute, int device) {
	(void)device;
	switch (attribute) {
	case 1: *out = 1024; break;
	case 8: *out = 48 << 10; break;
	case 16: *out = 4; break;
	case 75: *out = (int)settings.major; break;
	case 76: *out = (int)settings.minor; break;
	default: return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}
