// What Go's side calls.
#include "fake.h"

EXPORT void fakeRegister(void *compile, void *execute)
{
	compileInGo = compile;
	executeInGo = execute;
}

void fakeForgetFaults(void);

// A new world. Whatever is left of the old one is of no use any more, and says so.
EXPORT void fakeReset(const struct settings *s)
{
	fakeForgetFaults();
	GUARD;
	static char *hidden, *name, *kernel, *build;
	forgetObjects();
	forgetCommands();
	forgetReports();
	forgetViews();
	forgetAddresses();
	forgetSamplers();
	free(hidden);
	free(name);
	free(kernel);
	free(build);
	settings = *s;
	settings.hidden = hidden = copyText(s->hidden);
	settings.name = name = copyText(s->name);
	settings.kernel = kernel = copyText(s->kernel);
	settings.build = build = copyText(s->build);
	setFormats(s->formats);
	setUpClasses();
	setUpDevices();
	wakeWorld();
}

#define LIST(name) &name,
// The whole table, a method a line: class, "-" or "+", selector, encoding.
EXPORT char *fakeTable(void)
{
	static struct class *const all[] = {CLASSES(LIST)};
	struct text t = {0};
	for (size_t c = 0; c < sizeof all / sizeof *all; c++) {
		for (int isStatic = 0; isStatic < 2; isStatic++)
			for (Q list = 0; list < methodLists; list++)
				for (const struct method *m = methodsOf(all[c], isStatic, list); m && m->selector; m++)
					add(&t, "%s\x1f%s\x1f%s\x1f%s\x1e", all[c]->name, isStatic ? "+" : "-", m->selector, m->types);
	}
	return t.bytes;
}
