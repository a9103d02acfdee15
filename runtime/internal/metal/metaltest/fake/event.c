#include "fake.h"

struct event { struct object head; Q value; };

id newSharedEvent(id self, SEL sel)
{
	(void)self, (void)sel;
	GUARD;
	return make(&MTLSharedEvent);
}

static void signal(id self, Q value)
{
	struct event *e = (struct event *)self;
	if (value < e->value)
		fail("the value goes back from %llu to %llu", e->value, value);
	e->value = value;
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

static const struct method eventMethods[] = {
	{"signaledValue", "Q", event_value, NULL},
	{"setSignaledValue:", "vQ", event_set, NULL},
	{"waitUntilSignaledValue:timeoutMS:", "BQQ", event_wait, NULL},
	{0},
};
struct class MTLSharedEvent = {
	.name = "MTLSharedEvent",
	.size = sizeof(struct event),
	.methods = eventMethods,
	.protocol = true,
};
