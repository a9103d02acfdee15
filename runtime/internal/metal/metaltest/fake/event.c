#include "fake.h"

// Who is to be told when the event has a value.
struct notice { struct notice *next; id event; void *block; Q value; };
struct event { struct object head; Q value; struct notice *notices; };

id newSharedEvent(id self, SEL sel)
{
	(void)self, (void)sel;
	GUARD;
	return make(&MTLSharedEvent);
}

// Blocks are called without the lock, as from a queue of the listener's.
static void tell(void *p)
{
	struct notice *n = p;
	callBlock2(n->block, n->event, n->value);
	lockWorld();
	disown(n->event);
	unlockWorld();
	free(n);
}

static void notify(struct event *e)
{
	for (struct notice **at = &e->notices, *n; (n = *at);) {
		if (n->value > e->value) {
			at = &n->next;
			continue;
		}
		*at = n->next;
		n->event = own(&e->head);
		n->value = e->value;
		afterUnlock(tell, n);
	}
}

static void signal(id self, Q value)
{
	struct event *e = (struct event *)self;
	if (value < e->value)
		fail("the value goes back from %llu to %llu", e->value, value);
	e->value = value;
	notify(e);
	wakeWorld();
}

void signalEvent(id self, Q value) { signal(self, value); }

bool eventReached(id self, Q value) { return ((struct event *)self)->value >= value; }

static Q event_value(id self, SEL sel)
{
	(void)sel;
	GUARD;
	return ((struct event *)self)->value;
}

static void event_set(id self, SEL sel, Q value)
{
	(void)sel;
	GUARD;
	signal(self, value);
}

struct awaited { id event; Q value; };

static bool reached(void *p)
{
	struct awaited *a = p;
	return eventReached(a->event, a->value);
}

static dirty event_wait(id self, SEL sel, Q value, Q milliseconds)
{
	(void)sel;
	GUARD;
	struct awaited a = {self, value};
	return runUntil(reached, &a, (double)milliseconds / 1000) ? YES : NO;
}

static void event_notify(id self, SEL sel, id listener, Q value, void *block)
{
	(void)sel;
	GUARD;
	struct event *e = (struct event *)self;
	if (!expect(listener, &MTLSharedEventListener, "the listener") || !checkBlock(block))
		return;
	struct notice *n = calloc(1, sizeof *n);
	*n = (struct notice){.next = e->notices, .block = block, .value = value};
	e->notices = n;
	notify(e);
}

static void event_dealloc(id self)
{
	for (struct notice *n = ((struct event *)self)->notices, *next; n; n = next) {
		next = n->next;
		free(n);
	}
}

struct class MTLSharedEventListener = {.name = "MTLSharedEventListener", .size = sizeof(struct object)};

static const struct method eventMethods[] = {
	{"signaledValue", "Q", event_value, NULL},
	{"setSignaledValue:", "vQ", event_set, NULL},
	{"waitUntilSignaledValue:timeoutMS:", "BQQ", event_wait, NULL},
	{"notifyListener:atValue:block:", "v@Q@?", event_notify, NULL},
	{0},
};
struct class MTLSharedEvent = {
	.name = "MTLSharedEvent",
	.size = sizeof(struct event),
	.methods = eventMethods,
	.dealloc = event_dealloc,
	.protocol = true,
};
