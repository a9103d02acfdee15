// Mishaps that a test asks for.
#include "fake.h"

static struct fault faults[64];
static int faultCount;
static Q resumed;

struct fault *takeFault(enum faultKind kind, const char *name)
{
	for (int i = 0; i < faultCount; i++) {
		struct fault *f = &faults[i];
		if (f->kind != kind || f->times == 0 || (*f->name && name && strcmp(f->name, name)))
			continue;
		if (f->skip > 0) {
			f->skip--;
			return NULL;
		}
		if (f->times > 0)
			f->times--;
		return f;
	}
	return NULL;
}

EXPORT void fakeFault(const struct fault *f)
{
	GUARD;
	int at = 0;
	while (at < faultCount && faults[at].times)
		at++;
	if (at == (int)(sizeof faults / sizeof *faults)) {
		context(NULL, NULL);
		fail("too many faults at once");
		return;
	}
	faults[at] = *f;
	if (at == faultCount)
		faultCount++;
}

bool resumeHung(void)
{
	static Q taken;
	if (taken == resumed)
		return false;
	taken++;
	return true;
}

EXPORT void fakeResume(void)
{
	GUARD;
	resumed++;
	wakeWorld();
}

EXPORT void fakeForgetFaults(void)
{
	GUARD;
	faultCount = 0;
	while (resumeHung())
		;
}
