#include "fake.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t world = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

struct deferred {
	void (*function)(void *);
	void *argument;
	struct deferred *next;
};
static __thread struct deferred *deferred, **lastDeferred;

void lockWorld(void) { pthread_mutex_lock(&world); }

void unlockWorld(void)
{
	struct deferred *d = deferred;
	deferred = NULL;
	pthread_mutex_unlock(&world);
	while (d) {
		struct deferred *next = d->next;
		d->function(d->argument);
		free(d);
		d = next;
	}
}

void afterUnlock(void (*function)(void *), void *argument)
{
	struct deferred *d = calloc(1, sizeof *d);
	d->function = function;
	d->argument = argument;
	if (!deferred)
		lastDeferred = &deferred;
	*lastDeferred = d;
	lastDeferred = &d->next;
}

void waitWorld(double seconds)
{
	if (seconds <= 0) {
		pthread_cond_wait(&changed, &world);
		return;
	}
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	double at = t.tv_sec + t.tv_nsec / 1e9 + seconds;
	t.tv_sec = (time_t)at;
	t.tv_nsec = (long)((at - (double)t.tv_sec) * 1e9);
	pthread_cond_timedwait(&changed, &world, &t);
}

void wakeWorld(void) { pthread_cond_broadcast(&changed); }

int lockGuard(void)
{
	lockWorld();
	return 0;
}

void unlockGuard(int *guard)
{
	(void)guard;
	unlockWorld();
}

Q threadId(void)
{
	static __thread Q known;
	if (!known)
		known = (Q)syscall(SYS_gettid);
	return known;
}

double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

// In <time.h> of macOS. 8 is CLOCK_UPTIME_RAW, the clock of the GPU's times.
EXPORT uint64_t clock_gettime_nsec_np(int clock)
{
	if (clock != 8)
		fail("clock %d", clock);
	return (uint64_t)(now() * 1e9);
}

// A bad pointer is a mistake to report, not one to die of. The kernel looks at
// the set of signals before it refuses what it is to do with it.
static bool readableWord(uintptr_t at)
{
	return !(syscall(SYS_rt_sigprocmask, ~0L, at & ~(uintptr_t)7, NULL, 8) < 0 && errno == EFAULT);
}

bool readable(const void *from, Q length)
{
	uintptr_t at = (uintptr_t)from;
	return at && (!length || (readableWord(at) && readableWord(at + length - 1)));
}
