/* A libcuda for tests. Each function has the prototype of cuda.h, so the C compiler sees to its ABI. Whatever is called
 * wrongly is a failure, which ends up in the list of fakeFailures. */
#ifndef FAKE_H
#define FAKE_H

#include <stddef.h>
#include <stdint.h>

#define API __attribute__((visibility("default")))

typedef int CUresult;
enum {
	CUDA_SUCCESS = 0,
	CUDA_ERROR_INVALID_VALUE = 1,
	CUDA_ERROR_OUT_OF_MEMORY = 2,
	CUDA_ERROR_INVALID_CONTEXT = 201,
	CUDA_ERROR_INVALID_PTX = 218,
	CUDA_ERROR_INVALID_HANDLE = 400,
	CUDA_ERROR_NOT_FOUND = 500,
	CUDA_ERROR_LAUNCH_FAILED = 719,
};

/* What the tests say and what Go does for the fake. */
typedef struct {
	uint64_t devices, version, major, minor, memory;
} Settings;

typedef uint64_t (*Compile)(const char *text, char *log, uint64_t size, uint64_t *facts); /* a number, 0 for an error */
typedef uint64_t (*Launch)(uint64_t module, const uint32_t *numbers, const void *params, uint64_t size);

extern Settings settings;
extern Compile compile;
extern Launch launch;

/* fail.c */
void lockWorld(void);
void unlockWorld(void);
void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* object.c: all that has a handle. */
typedef enum { ContextKind = 1, ModuleKind, FunctionKind, StreamKind, EventKind, GraphKind, ExecKind } Kind;

typedef struct Node Node;

/* Nodes is a set of those of a graph. */
typedef struct {
	Node **list;
	int count;
} Nodes;

typedef struct Object {
	Kind kind;
	int dead;
	uint64_t number;        /* of a module, as Go knows it */
	struct Object *of;      /* of a function its module, of a stream that captures, or an event in one, its graph */
	Nodes before;           /* of these, what comes before all that is sent or waits now */
	struct Object *origin;  /* of a graph, the stream that began its capture */
	uint64_t facts[3];      /* of a module: bytes of parameters, threads of a block, bytes of shared memory */
	double when;            /* of an event: milliseconds; below 0 where it has not been recorded */
	Node *first, **last;    /* of a graph */
	struct Object *next;
} Object;

Object *newObject(Kind kind);
Object *object(uintptr_t handle, Kind kind, const char *function);
void endObject(Object *o);
void leaveCapture(const Object *graph); /* what streams were part of */
int current(const char *function); /* whether the thread has a context */

/* memory.c */
typedef struct Allocation {
	uintptr_t at;
	size_t size;
	int host; /* 1 allocated, 2 registered */
	struct Allocation *next;
} Allocation;

Allocation *allocationAt(uintptr_t at, size_t size);
void leaksOfMemory(void);

/* stream.c: what a stream is to do, at once or in a graph. */
struct Node {
	enum { CopyNode, SetNode, LaunchNode } kind;
	uintptr_t to, from;
	size_t size;
	int value;
	Object *function;
	uint32_t numbers[7];
	void *params;
	Nodes before; /* what has to be done first */
	int done;
	Node *next;
};

/* capture.c */
CUresult addNode(Object *stream, Node node);
void joinNodes(Nodes *to, const Nodes *from);

/* stream.c: check fails for memory that nobody has allocated or registered, and returns 0. */
int check(uintptr_t at, size_t size, const char *function);
CUresult perform(Node *n);
CUresult submit(Object *stream, Node node, const char *function);

#endif
