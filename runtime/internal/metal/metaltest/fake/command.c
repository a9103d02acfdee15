// Queues and command buffers, and the device that works them off: in the order of
// their commit, on the thread of whoever waits, or on the one that pumps.
#include "fake.h"

#include <unistd.h>

Q (*executeInGo)(struct fakeDispatch *);

struct queue { struct object head; id device; Q limit, uncompleted; };

enum { notEnqueued, enqueued, committed, scheduled, completed, failed };
enum { errorTimeout = 2, errorPageFault = 3, errorOutOfMemory = 8, errorInvalidResource = 9 };

static struct commandBuffer *first, **last = &first;
static bool running, stopped;

const char *statusName(Q s)
{
	static const char *const names[] = {"not enqueued", "enqueued", "committed", "scheduled", "completed", "failed"};
	return names[s];
}

// Queues

id newQueueWithCount(id self, SEL sel, Q count)
{
	(void)sel;
	GUARD;
	if (!count) {
		fail("a queue of no command buffers");
		return NULL;
	}
	if (takeFault(noCommandQueue, NULL))
		return NULL;
	struct queue *q = (struct queue *)make(&MTLCommandQueue);
	q->device = self;
	q->limit = count;
	return &q->head;
}

id newQueue(id self, SEL sel) { return newQueueWithCount(self, sel, 64); }

static bool hasRoom(void *p)
{
	struct queue *q = p;
	return q->uncompleted < q->limit;
}

// Metal waits for room, for ever where nothing goes on.
static bool hasRoomOrNever(void *p) { return hasRoom(p) || (!running && !first); }

static id queueBuffer(id self, bool unretained, id log)
{
	struct queue *q = (struct queue *)self;
	if (takeFault(noCommandBuffer, NULL))
		return NULL;
	if (!hasRoom(q) && !settings.bench) {
		if (!runUntil(hasRoomOrNever, q, -1) || !hasRoom(q))
			fail("%llu command buffers are not completed, and the queue has no more than %llu: Metal would wait here",
				q->uncompleted, q->limit);
	}
	struct commandBuffer *b = (struct commandBuffer *)make(&MTLCommandBuffer);
	b->queue = own(self);
	b->unretained = unretained;
	b->log = own(log);
	b->lastOp = &b->ops;
	q->uncompleted++;
	counts.commandBuffers++;
	return later(&b->head);
}

static id queue_buffer(id self, SEL sel)
{
	(void)sel;
	GUARD;
	return queueBuffer(self, false, NULL);
}

static id queue_unretained(id self, SEL sel)
{
	(void)sel;
	GUARD;
	return queueBuffer(self, true, NULL);
}

static id queue_described(id self, SEL sel, id descriptor)
{
	(void)sel;
	GUARD;
	if (!expect(descriptor, &MTLCommandBufferDescriptor, "the descriptor"))
		return NULL;
	struct bufferDescriptor *d = (struct bufferDescriptor *)descriptor;
	return queueBuffer(self, d->unretained, d->log);
}

static id labelOf(id self, SEL sel)
{
	(void)sel;
	GUARD;
	return self->label ? later(newString(self->label)) : NULL;
}

static void setLabelOf(id self, SEL sel, id label)
{
	(void)sel;
	GUARD;
	if (!label || expect(label, &NSString, "the label"))
		setLabel(self, label ? textOf(label) : NULL);
}

static void queue_residency(id self, SEL sel, id set)
{
	(void)self, (void)sel;
	GUARD;
	expect(set, &MTLResidencySet, "the residency set");
}

static id queue_device(id self, SEL sel)
{
	(void)sel;
	return ((struct queue *)self)->device;
}

static const struct method queueMethods[] = {
	{"commandBuffer", "@", queue_buffer, NULL},
	{"commandBufferWithUnretainedReferences", "@", queue_unretained, NULL},
	{"commandBufferWithDescriptor:", "@@", queue_described, NULL},
	{"addResidencySet:", "v@", queue_residency, NULL},
	{"removeResidencySet:", "v@", queue_residency, NULL},
	{"device", "@", queue_device, NULL},
	{"label", "@", labelOf, NULL},
	{"setLabel:", "v@", setLabelOf, NULL},
	{0},
};
struct class MTLCommandQueue = {
	.name = "MTLCommandQueue",
	.size = sizeof(struct queue),
	.methods = queueMethods,
	.protocol = true,
};

// What a command buffer collects

struct use enterUse(id p)
{
	GUARD;
	struct commandBuffer *b = (struct commandBuffer *)p;
	if (settings.bench || !b)
		return (struct use){NULL};
	Q me = threadId();
	if (b->user) {
		b->shared = true;
		char name[256];
		describe(p, name, sizeof name);
		fail("%s is used by threads %llu and %llu at once", name, b->user, me);
		return (struct use){NULL};
	}
	b->user = me;
	if (takeFault(sharedEncoding, NULL)) {
		for (int ms = 0; ms < 10000 && !b->shared; ms++) {
			unlockWorld();
			usleep(1000);
			lockWorld();
		}
	}
	return (struct use){b};
}

void leaveUse(struct use *u)
{
	GUARD;
	if (u->buffer)
		u->buffer->user = 0;
}

struct op *addOp(struct commandBuffer *b, enum opKind kind)
{
	struct op *o = calloc(1, sizeof *o);
	o->kind = kind;
	*b->lastOp = o;
	b->lastOp = &o->next;
	return o;
}

void useResource(struct commandBuffer *b, void *resource)
{
	id r = resource;
	if (!r)
		return;
	if (b->resourceCount == b->resourceRoom) {
		b->resourceRoom = b->resourceRoom ? 2 * b->resourceRoom : 32;
		b->resources = realloc(b->resources, b->resourceRoom * sizeof *b->resources);
	}
	b->resources[b->resourceCount++] = r;
	if (b->unretained) {
		r->flying++;
		r->flight = &b->head;
	} else {
		own(r);
	}
}

static void letGo(struct commandBuffer *b)
{
	enterFake();
	for (Q i = 0; i < b->resourceCount; i++) {
		id r = b->resources[i];
		if (b->unretained)
			r->flying--;
		else
			disown(r);
	}
	leaveFake();
	b->resourceCount = 0;
	for (struct op *o = b->ops, *next; o; o = next) {
		next = o->next;
		for (Q i = 0; i < o->boundCount; i++)
			free(o->bound[i].owned);
		free(o->bound);
		free(o);
	}
	b->ops = NULL;
	b->lastOp = &b->ops;
}

static void finish(struct commandBuffer *b, Q status)
{
	b->status = status;
	((struct queue *)b->queue)->uncompleted--;
	letGo(b);
}

static void buffer_dealloc(id self)
{
	struct commandBuffer *b = (struct commandBuffer *)self;
	if (b->status < completed) {
		((struct queue *)b->queue)->uncompleted--;
		letGo(b);
	}
	free(b->resources);
	free(b->handlers);
	disown(b->error);
	disown(b->log);
	disown(b->queue);
}

// Execution

static Q executeDispatch(struct commandBuffer *b, struct op *o, char *text, size_t room)
{
	struct function *f = o->pipeline->function;
	struct fakeDispatch *d = calloc(1, sizeof *d);
	struct fakeArg *args = calloc(o->boundCount + 1, sizeof *args);
	for (Q i = 0; i < o->boundCount; i++)
		args[i] = o->bound[i].arg;
	struct size groups = o->groups, size = o->size;
	if (o->indirect) {
		uint32_t g[3];
		memcpy(g, o->indirect->bytes + o->fromOffset, sizeof g);
		groups = (struct size){g[0], g[1], g[2]};
		size = (struct size){g[0] * o->threads.width, g[1] * o->threads.height, g[2] * o->threads.depth};
	}
	*d = (struct fakeDispatch){
		.library = libraryNumber(f->library),
		.kernel = f->kernel->name,
		.label = b->head.label ? b->head.label : "",
		.args = args,
		.argCount = o->boundCount,
		.threadgroups = {groups.width, groups.height, groups.depth},
		.threads = {o->threads.width, o->threads.height, o->threads.depth},
		.size = {size.width, size.height, size.depth},
		.log = libraryLogs(f->library) ? b->log : NULL,
	};
	Q code = 0;
	if (executeInGo && groups.width && groups.height && groups.depth) {
		own(o->pipeline);
		unlockWorld();
		code = executeInGo(d);
		lockWorld();
		disown(o->pipeline);
	}
	if (code)
		snprintf(text, room, "%s", d->error);
	if (code && code != errorTimeout && !settings.faults) {
		context(NULL, NULL);
		fail("kernel %s: %s", f->kernel->name, d->error);
	}
	free(args);
	free(d);
	return code;
}

struct awaited { id event; Q value; };

static bool reached(void *p)
{
	struct awaited *a = p;
	return eventReached(a->event, a->value);
}

// The code of the error that ends the command buffer, or 0.
static Q executeOp(struct commandBuffer *b, struct op *o, char *text, size_t room)
{
	void *needs[] = {o->pipeline, o->indirect, o->from, o->to, o->texture, o->event};
	bool gone = false;
	for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
		gone |= needs[i] && ((id)needs[i])->dead;
	for (Q i = 0; i < o->boundCount; i++)
		gone |= o->bound[i].object && o->bound[i].object->dead;
	if (gone) {
		snprintf(text, room, "Invalid Resource (00000009:kIOGPUCommandBufferCallbackErrorInvalidResource)");
		return errorInvalidResource;
	}
	switch (o->kind) {
	case opDispatch:
		return executeDispatch(b, o, text, room);
	case opCopy:
		memcpy(o->to->bytes + o->toOffset, o->from->bytes + o->fromOffset, o->length);
		break;
	case opFill:
		memset(o->to->bytes + o->toOffset, o->byte, o->length);
		break;
	case opToTexture:
		copyTexels(o->texture, o->region, o->level, o->slice, o->from->bytes + o->fromOffset, o->rowBytes, o->imageBytes,
			true);
		break;
	case opFromTexture:
		copyTexels(o->texture, o->region, o->level, o->slice, o->to->bytes + o->toOffset, o->rowBytes, o->imageBytes,
			false);
		break;
	case opSignal:
		signalEvent(o->event, o->value);
		unlockWorld(); // for those who want to be told
		lockWorld();
		break;
	case opWait: {
		struct awaited a = {o->event, o->value};
		while (!reached(&a) && !stopped)
			waitWorld(0.01);
		break;
	}
	}
	return 0;
}

static void callHandlers(struct commandBuffer *b)
{
	own(&b->head);
	for (Q i = 0; i < b->handlerCount; i++) {
		unlockWorld();
		callBlock1(b->handlers[i], &b->head);
		lockWorld();
	}
	disown(&b->head);
}

static void execute(struct commandBuffer *b)
{
	char text[4096] = "";
	Q code = 0;
	b->status = scheduled;
	b->start = now();
	struct fault *f = takeFault(hang, b->head.label);
	while (f && !resumeHung() && !stopped)
		waitWorld(0);
	f = takeFault(commandFault, b->head.label);
	if (f) {
		code = (Q)f->code;
		snprintf(text, sizeof text, "%s", *f->text ? f->text : "an error that the test asked for");
	}
	for (struct op *o = b->ops; o && !code; o = o->next)
		code = executeOp(b, o, text, sizeof text);
	b->end = now();
	f = takeFault(gpuTimes, b->head.label);
	if (f) {
		b->start = f->start;
		b->end = f->end;
	}
	if (code)
		b->error = newError("MTLCommandBufferErrorDomain", (int64_t)code, text);
	finish(b, code ? failed : completed);
	if (b->log)
		drainLog(b->log);
	callHandlers(b);
	b->finished = true;
	disown(b);
}

// Takes the next one that was committed, with the lock held but not while it runs.
static bool runNext(void)
{
	if (running || !first)
		return false;
	struct commandBuffer *b = first;
	first = b->next;
	if (!first)
		last = &first;
	running = true;
	enterFake();
	execute(b);
	leaveFake();
	running = false;
	wakeWorld();
	return true;
}

bool runUntil(bool (*done)(void *), void *argument, double seconds)
{
	double end = now() + seconds;
	uint32_t mine = era;
	while (!done(argument)) {
		if (stopped || era != mine || (seconds >= 0 && now() >= end))
			return false;
		waitWorld(seconds >= 0 ? end - now() : 0);
	}
	return true;
}

// Works off what is committed until the world ends.
EXPORT void fakePump(void)
{
	GUARD;
	while (!stopped)
		if (!runNext())
			waitWorld(0);
}

EXPORT void fakeStop(void)
{
	GUARD;
	stopped = true;
	wakeWorld();
	while (running)
		waitWorld(0.1);
}

void forgetCommands(void)
{
	first = NULL;
	last = &first;
	stopped = false;
}

// Command buffers

static bool isOpen(struct commandBuffer *b, const char *what)
{
	if (b->status < committed)
		return true;
	fail("%s after commit", what);
	return false;
}

static id openEncoder(id self, id (*create)(struct commandBuffer *, bool), bool concurrent)
{
	struct commandBuffer *b = (struct commandBuffer *)self;
	if (!isOpen(b, "an encoder"))
		return NULL;
	if (b->encoder) {
		char name[256];
		describe(b->encoder, name, sizeof name);
		fail("%s is still open", name);
		closeEncoder(b->encoder);
	}
	if (takeFault(noEncoder, NULL))
		return NULL;
	counts.encoders++;
	return later(b->encoder = create(b, concurrent));
}

static id buffer_serial(id self, SEL sel)
{
	(void)sel;
	USING(self);
	GUARD;
	return openEncoder(self, newComputeEncoder, false);
}

static id buffer_typed(id self, SEL sel, Q type)
{
	(void)sel;
	USING(self);
	GUARD;
	if (type > 1)
		fail("MTLDispatchType is 0 (serial) or 1 (concurrent), not %llu", type);
	if (type == 1 && !isUnified())
		fail("concurrent dispatch on a device without unified memory: its barriers are not to be relied on");
	return openEncoder(self, newComputeEncoder, type == 1);
}

static id blit(struct commandBuffer *b, bool concurrent)
{
	(void)concurrent;
	return newBlitEncoder(b);
}

static id buffer_blit(id self, SEL sel)
{
	(void)sel;
	USING(self);
	GUARD;
	return openEncoder(self, blit, false);
}

static void buffer_commit(id self, SEL sel)
{
	(void)sel;
	USING(self);
	GUARD;
	struct commandBuffer *b = (struct commandBuffer *)self;
	if (b->status >= committed) {
		fail("committed already");
		return;
	}
	if (b->encoder) {
		char name[256];
		describe(b->encoder, name, sizeof name);
		fail("%s is still open", name);
		closeEncoder(b->encoder);
	}
	b->status = committed;
	own(self);
	*last = b;
	last = &b->next;
	wakeWorld();
}

static void buffer_commitBench(id self, SEL sel)
{
	(void)sel;
	GUARD;
	struct commandBuffer *b = (struct commandBuffer *)self;
	finish(b, completed);
	callHandlers(b);
}

static void buffer_enqueue(id self, SEL sel)
{
	(void)sel;
	GUARD;
	struct commandBuffer *b = (struct commandBuffer *)self;
	if (b->status == notEnqueued)
		b->status = enqueued;
}

static bool isDone(void *p) { return ((struct commandBuffer *)p)->finished; }

static void buffer_wait(id self, SEL sel)
{
	(void)sel;
	GUARD;
	struct commandBuffer *b = (struct commandBuffer *)self;
	if (b->status < committed) {
		fail("not committed: Metal would wait for ever");
		return;
	}
	own(self);
	runUntil(isDone, b, -1);
	disown(self);
}

static void buffer_waitScheduled(id self, SEL sel)
{
	(void)sel;
	GUARD;
	if (((struct commandBuffer *)self)->status < committed)
		fail("not committed: Metal would wait for ever");
}

static void buffer_handler(id self, SEL sel, void *block)
{
	(void)sel;
	USING(self);
	GUARD;
	struct commandBuffer *b = (struct commandBuffer *)self;
	if (!isOpen(b, "a handler") || !checkBlock(block))
		return;
	b->handlers = realloc(b->handlers, (b->handlerCount + 1) * sizeof *b->handlers);
	b->handlers[b->handlerCount++] = block;
}

static Q buffer_status(id self, SEL sel)
{
	(void)sel;
	GUARD;
	return ((struct commandBuffer *)self)->status;
}

static id buffer_error(id self, SEL sel)
{
	(void)sel;
	GUARD;
	return ((struct commandBuffer *)self)->error;
}

static double timeOf(id self, bool end)
{
	GUARD;
	struct commandBuffer *b = (struct commandBuffer *)self;
	if (b->status >= completed)
		return end ? b->end : b->start;
	fail("not completed: there is no time yet");
	return 0;
}

static double buffer_start(id self, SEL sel)
{
	(void)sel;
	return timeOf(self, false);
}

static double buffer_end(id self, SEL sel)
{
	(void)sel;
	return timeOf(self, true);
}

static void encodeEvent(id self, id event, Q value, enum opKind kind)
{
	GUARD;
	struct commandBuffer *b = (struct commandBuffer *)self;
	if (!isOpen(b, "an event") || !expect(event, &MTLSharedEvent, "the event"))
		return;
	if (b->encoder) {
		fail("an encoder is still open");
		return;
	}
	struct op *o = addOp(b, kind);
	o->event = event;
	o->value = value;
	useResource(b, event);
}

static void buffer_signal(id self, SEL sel, id event, Q value)
{
	(void)sel;
	USING(self);
	encodeEvent(self, event, value, opSignal);
}

static void buffer_waitEvent(id self, SEL sel, id event, Q value)
{
	(void)sel;
	USING(self);
	encodeEvent(self, event, value, opWait);
}

static dirty buffer_retains(id self, SEL sel)
{
	(void)sel;
	return ((struct commandBuffer *)self)->unretained ? NO : YES;
}

static const struct method commandBufferMethods[] = {
	{"commit", "v", buffer_commit, buffer_commitBench},
	{"enqueue", "v", buffer_enqueue, NULL},
	{"waitUntilCompleted", "v", buffer_wait, nothing},
	{"waitUntilScheduled", "v", buffer_waitScheduled, nothing},
	{"addCompletedHandler:", "v@?", buffer_handler, NULL},
	{"status", "Q", buffer_status, NULL},
	{"error", "@", buffer_error, NULL},
	{"GPUStartTime", "d", buffer_start, NULL},
	{"GPUEndTime", "d", buffer_end, NULL},
	{"computeCommandEncoder", "@", buffer_serial, NULL},
	{"computeCommandEncoderWithDispatchType:", "@Q", buffer_typed, NULL},
	{"blitCommandEncoder", "@", buffer_blit, NULL},
	{"encodeSignalEvent:value:", "v@Q", buffer_signal, nothing},
	{"encodeWaitForEvent:value:", "v@Q", buffer_waitEvent, nothing},
	{"retainedReferences", "B", buffer_retains, NULL},
	{"label", "@", labelOf, NULL},
	{"setLabel:", "v@", setLabelOf, nothing},
	{0},
};
struct class MTLCommandBuffer = {
	.name = "MTLCommandBuffer",
	.size = sizeof(struct commandBuffer),
	.methods = commandBufferMethods,
	.dealloc = buffer_dealloc,
	.protocol = true,
};
