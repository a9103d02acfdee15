/* Captures and graphs. A stream that waits for an event of a capture becomes part of it. A graph is executed in an
 * order of its own, the last first, so that what should wait for something and does not comes too early. */
#include "fake.h"
#include <stdlib.h>

void joinNodes(Nodes *to, const Nodes *from) {
	to->list = realloc(to->list, (to->count + from->count) * sizeof *to->list + 1);
	for (int i = 0; i < from->count; i++) {
		to->list[to->count++] = from->list[i];
	}
}

CUresult addNode(Object *stream, Node node) {
	Node *n = malloc(sizeof *n);
	*n = node;
	n->next = NULL;
	n->before = stream->before;
	stream->before = (Nodes){0};
	joinNodes(&stream->before, &(Nodes){&n, 1});
	*stream->of->last = n;
	stream->of->last = &n->next;
	return CUDA_SUCCESS;
}

API CUresult cuStreamWaitEvent(uintptr_t stream, uintptr_t event, unsigned flags) {
	(void)flags;
	lockWorld();
	current("cuStreamWaitEvent");
	Object *s = object(stream, StreamKind, "cuStreamWaitEvent"), *e = object(event, EventKind, "cuStreamWaitEvent");
	if (s && e) {
		if (!e->of && e->when < 0) fail("cuStreamWaitEvent: the event was not recorded");
		if (e->of && e->of->dead) fail("cuStreamWaitEvent: the capture of the event has ended");
		if (s->of && s->of != e->of) fail("cuStreamWaitEvent: the stream captures, and not the event");
		if (!s->of) s->of = e->of;
		joinNodes(&s->before, &e->before);
	}
	unlockWorld();
	return s && e ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

API CUresult cuStreamBeginCapture_v2(uintptr_t stream, int mode) {
	(void)mode;
	lockWorld();
	current("cuStreamBeginCapture");
	Object *s = object(stream, StreamKind, "cuStreamBeginCapture");
	if (s && s->of) fail("cuStreamBeginCapture: the stream captures already");
	if (s) {
		s->of = newObject(GraphKind);
		s->of->origin = s;
	}
	unlockWorld();
	return s ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* mark sets what comes before some nodes, and them. */
static void mark(Nodes *nodes) {
	for (int i = 0; i < nodes->count; i++) {
		Node *n = nodes->list[i];
		if (n->done) continue;
		n->done = 1;
		mark(&n->before);
	}
}

API CUresult cuStreamEndCapture(uintptr_t stream, Object **out) {
	lockWorld();
	Object *s = object(stream, StreamKind, "cuStreamEndCapture");
	if (s && !s->of) fail("cuStreamEndCapture: the stream does not capture");
	if (s && s->of) {
		*out = s->of;
		if (s->of->origin != s) fail("cuStreamEndCapture: another stream began the capture");
		mark(&s->before);
		for (Node *n = s->of->first; n; n = n->next) {
			if (!n->done) fail("cuStreamEndCapture: the work of another stream was not joined");
			n->done = 0;
		}
		leaveCapture(s->of);
	}
	unlockWorld();
	return s && *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

API CUresult cuGraphInstantiateWithFlags(Object **out, uintptr_t graph, unsigned long long flags) {
	(void)flags;
	lockWorld();
	Object *g = object(graph, GraphKind, "cuGraphInstantiate");
	if (g) {
		*out = newObject(ExecKind);
		(*out)->first = g->first;
		g->first = NULL;
	}
	unlockWorld();
	return g ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static int isReady(const Node *n) {
	for (int i = 0; i < n->before.count; i++) {
		if (!n->before.list[i]->done) return 0;
	}
	return 1;
}

/* hasMemory fails for memory that was freed since the capture. Kernels find that themselves. */
static int hasMemory(const Node *n) {
	const char *function = "cuGraphLaunch";
	return n->kind == LaunchNode ||
		(check(n->to, n->size, function) && (n->kind == SetNode || check(n->from, n->size, function)));
}

API CUresult cuGraphLaunch(uintptr_t exec, uintptr_t stream) {
	lockWorld();
	current("cuGraphLaunch");
	Object *e = object(exec, ExecKind, "cuGraphLaunch"), *s = object(stream, StreamKind, "cuGraphLaunch");
	if (s && s->of) fail("cuGraphLaunch: the stream captures");
	Node *first = e && s ? e->first : NULL;
	for (Node *next = first; next;) {
		next = NULL;
		for (Node *n = first; n; n = n->next) {
			if (!n->done && isReady(n)) next = n;
		}
		if (!next) break;
		next->done = 1;
		if (hasMemory(next)) perform(next);
	}
	for (Node *n = first; n; n = n->next) {
		n->done = 0;
	}
	unlockWorld();
	return e && s ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
