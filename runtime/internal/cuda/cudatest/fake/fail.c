/* Failures, and the lock that all of the world is behind. */
#include "fake.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Settings settings = {1, 12040, 9, 0, 1ull << 36};
Compile compile;
Launch launch;

static pthread_mutex_t world = PTHREAD_MUTEX_INITIALIZER;
static char *failures;

void lockWorld(void) { pthread_mutex_lock(&world); }
void unlockWorld(void) { pthread_mutex_unlock(&world); }

void fail(const char *format, ...) {
	char text[512];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	size_t had = failures ? strlen(failures) : 0;
	failures = realloc(failures, had + strlen(text) + 2);
	strcpy(failures + had, text);
	strcat(failures, "\n");
}

API void fakeRegister(Compile c, Launch l) {
	compile = c;
	launch = l;
}

API void fakeReset(const Settings *s) {
	lockWorld();
	settings = *s;
	free(failures);
	failures = NULL;
	unlockWorld();
}

/* fakeFailures returns the failures, one a line, and forgets them. The caller frees them. */
API char *fakeFailures(void) {
	lockWorld();
	char *text = failures;
	failures = NULL;
	unlockWorld();
	return text;
}

API void fakeFree(void *p) { free(p); }
