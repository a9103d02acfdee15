// Autorelease pools: a stack for each thread.
#include "fake.h"

struct pool {
	struct pool *below; // of the same thread
	struct pool *next;  // open, of any thread
	struct thread *thread;
	id *objects;
	Q count, room;
	uint32_t era;
	bool draining;
};

struct thread {
	Q id;
	struct pool *top;
	int inside; // of the fake's own work
};

static struct pool *open;

static struct thread *current(void)
{
	static __thread struct thread *mine;
	if (!mine) {
		mine = calloc(1, sizeof *mine);
		mine->id = threadId();
	}
	return mine;
}

bool hasPool(void)
{
	struct thread *t = current();
	return t->inside > 0 || (t->top && t->top->era == era);
}

void enterFake(void) { current()->inside++; }
void leaveFake(void) { current()->inside--; }

id later(id o)
{
	struct pool *p = current()->top;
	if (!o)
		return NULL;
	if (!p || p->era != era) {
		char name[256];
		if (!settings.bench)
			describe(o, name, sizeof name);
		fail("%s is autoreleased on a thread without a pool: it leaks", settings.bench ? "" : name);
		return o;
	}
	if (p->count == p->room) {
		p->room = p->room ? 2 * p->room : 16;
		p->objects = realloc(p->objects, p->room * sizeof *p->objects);
	}
	p->objects[p->count++] = o;
	return o;
}

static void drain(struct pool *p)
{
	p->draining = true;
	for (Q i = 0; i < p->count; i++) {
		id o = p->objects[i];
		if (p->era != era)
			break;
		if (!settings.bench && (o->dead || o->era != era)) {
			char name[256];
			describe(o, name, sizeof name);
			fail("%s, which the pool holds, was released once too often", name);
			continue;
		}
		disown(o);
	}
	struct pool **at = &open;
	while (*at && *at != p)
		at = &(*at)->next;
	if (*at)
		*at = p->next;
	for (at = &p->thread->top; *at && *at != p; at = &(*at)->below)
		;
	if (*at)
		*at = p->below;
	free(p->objects);
	free(p);
}

EXPORT void *objc_autoreleasePoolPush(void)
{
	GUARD;
	struct thread *t = current();
	struct pool *p = calloc(1, sizeof *p);
	p->thread = t;
	p->below = t->top;
	p->era = era;
	p->next = open;
	open = t->top = p;
	return p;
}

EXPORT void objc_autoreleasePoolPop(void *token)
{
	GUARD;
	context(NULL, "objc_autoreleasePoolPop");
	struct pool *p = open;
	while (p && p != token)
		p = p->next;
	if (!p) {
		fail("%p is no open pool", token);
		return;
	}
	struct thread *t = current();
	if (p->era == era && p->thread != t)
		fail("the pool was pushed on thread %llu and is popped on thread %llu", p->thread->id, t->id);
	else if (p->thread->top != p) {
		fail("pools that were pushed later are still open");
		while (p->thread->top != p)
			drain(p->thread->top);
	}
	drain(p);
}

void listPools(struct text *t)
{
	for (struct pool *p = open; p; p = p->next)
		if (p->era == era)
			add(t, "autorelease pool of thread %llu, with %llu objects%c", p->thread->id, p->count, 0x1e);
}
