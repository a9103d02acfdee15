// Log states: the messages of kernels, which handlers get when a command buffer has ended.
#include "fake.h"

enum { leastRoom = 1 << 10, mostRoom = 1 << 30, invalidSize = 1, invalidState = 2 };

struct stateDescriptor { struct object head; Q level, room; };

static void state_level(id self, SEL sel, int64_t level)
{
	(void)sel;
	GUARD;
	if (level < 0 || level > 5)
		fail("MTLLogLevel is 0 (undefined) to 5 (fault), not %lld", (long long)level);
	((struct stateDescriptor *)self)->level = (Q)level;
}

static void state_room(id self, SEL sel, int64_t bytes)
{
	(void)sel;
	GUARD;
	((struct stateDescriptor *)self)->room = (Q)bytes;
}

static const struct method stateDescriptorMethods[] = {
	{"setLevel:", "vq", state_level, NULL},
	{"setBufferSize:", "vq", state_room, NULL},
	{0},
};
struct class MTLLogStateDescriptor = {
	.name = "MTLLogStateDescriptor",
	.size = sizeof(struct stateDescriptor),
	.methods = stateDescriptorMethods,
};

struct message { struct message *next; char *subsystem, *category, *text; Q level; };
struct state {
	struct object head;
	Q level, room, used;
	void **handlers;
	Q handlerCount;
	struct message *first, **last;
};

id newLogState(id self, SEL sel, id descriptor, id *error)
{
	(void)self, (void)sel;
	GUARD;
	if (!expect(descriptor, &MTLLogStateDescriptor, "the descriptor"))
		return NULL;
	struct stateDescriptor *d = (struct stateDescriptor *)descriptor;
	struct fault *f = takeFault(logFault, NULL);
	if (f) {
		giveError(error, "MTLLogStateErrorDomain", f->code ? f->code : invalidState, "%s", f->text);
		return NULL;
	}
	if (d->room < leastRoom || d->room > mostRoom) {
		giveError(error, "MTLLogStateErrorDomain", invalidSize, "a buffer of %llu bytes", d->room);
		return NULL;
	}
	struct state *s = (struct state *)make(&MTLLogState);
	s->level = d->level;
	s->room = d->room;
	s->last = &s->first;
	return &s->head;
}

static void state_handler(id self, SEL sel, void *block)
{
	(void)sel;
	GUARD;
	struct state *s = (struct state *)self;
	if (!checkBlock(block))
		return;
	s->handlers = realloc(s->handlers, (s->handlerCount + 1) * sizeof *s->handlers);
	s->handlers[s->handlerCount++] = block;
}

static void freeMessage(struct message *m)
{
	free(m->subsystem);
	free(m->category);
	free(m->text);
	free(m);
}

static void state_dealloc(id self)
{
	struct state *s = (struct state *)self;
	for (struct message *m = s->first, *next; m; m = next) {
		next = m->next;
		freeMessage(m);
	}
	free(s->handlers);
}

static const struct method stateMethods[] = {{"addLogHandler:", "v@?", state_handler, NULL}, {0}};
struct class MTLLogState = {
	.name = "MTLLogState",
	.size = sizeof(struct state),
	.methods = stateMethods,
	.dealloc = state_dealloc,
	.protocol = true,
};

// What a kernel logs. What is not serious enough, or has no room any more, is lost.
EXPORT void fakeMessage(void *state, const char *subsystem, const char *category, Q level, const char *text)
{
	GUARD;
	struct state *s = state;
	Q size = strlen(text) + 16;
	if (level < s->level || s->used + size > s->room)
		return;
	s->used += size;
	struct message *m = calloc(1, sizeof *m);
	*m = (struct message){NULL, copyText(subsystem), copyText(category), copyText(text), level};
	*s->last = m;
	s->last = &m->next;
}

static id nameOf(const char *text) { return *text ? newString(text) : NULL; }

// Calls the handlers. os_log_default has neither subsystem nor category.
void drainLog(id state)
{
	struct state *s = (struct state *)state;
	if (s->first && !s->handlerCount)
		fail("messages without a handler: Metal would send them to the log of the system");
	for (struct message *m; (m = s->first);) {
		if (!(s->first = m->next))
			s->last = &s->first;
		id subsystem = nameOf(m->subsystem), category = nameOf(m->category), text = newString(m->text);
		for (Q i = 0; i < s->handlerCount; i++) {
			unlockWorld();
			callBlock4(s->handlers[i], subsystem, category, m->level, text);
			lockWorld();
		}
		disown(subsystem);
		disown(category);
		disown(text);
		freeMessage(m);
	}
	s->used = 0;
}

// MTLCommandBufferDescriptor

static void descriptor_log(id self, SEL sel, id log)
{
	(void)sel;
	GUARD;
	struct bufferDescriptor *d = (struct bufferDescriptor *)self;
	if (log && !expect(log, &MTLLogState, "the log state"))
		return;
	own(log);
	disown(d->log);
	d->log = log;
}

static void descriptor_retained(id self, SEL sel, Q on)
{
	(void)sel;
	GUARD;
	((struct bufferDescriptor *)self)->unretained = !(on & 0xff);
}

static void descriptor_dealloc(id self) { disown(((struct bufferDescriptor *)self)->log); }

static const struct method descriptorMethods[] = {
	{"setLogState:", "v@", descriptor_log, NULL},
	{"setRetainedReferences:", "vB", descriptor_retained, NULL},
	{0},
};
struct class MTLCommandBufferDescriptor = {
	.name = "MTLCommandBufferDescriptor",
	.size = sizeof(struct bufferDescriptor),
	.methods = descriptorMethods,
	.dealloc = descriptor_dealloc,
};
