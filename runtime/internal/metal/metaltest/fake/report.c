#include "fake.h"

// Parts of what Go reads are set apart by bytes that no text has.
enum { partMark = 0x1f, recordMark = 0x1e };

struct text failures, remarks;
struct counts counts;

struct record {
	id object; // NULL for a remark
	const struct method *method;
	bool isStatic;
	int count;
	Q first; // of its words, or of its text
};
static struct record *records;
static Q recordCount, recordRoom;
static Q *words;
static Q wordCount, wordRoom;

static __thread id currentObject;
static __thread const char *currentSelector;

char *copyText(const char *text)
{
	return text ? strdup(text) : NULL;
}

static void addList(struct text *t, const char *format, va_list list)
{
	va_list again;
	va_copy(again, list);
	size_t n = (size_t)vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (t->length + n + 1 > t->room) {
		t->room = 2 * (t->length + n + 1);
		t->bytes = realloc(t->bytes, t->room);
	}
	vsnprintf(t->bytes + t->length, n + 1, format, list);
	t->length += n;
}

void add(struct text *t, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	addList(t, format, list);
	va_end(list);
}

void context(id object, const char *selector)
{
	currentObject = object;
	currentSelector = selector;
}

static void report(bool ends, const char *format, va_list list)
{
	if (settings.bench)
		return;
	size_t start = failures.length;
	if (currentSelector) {
		char name[256] = "";
		if (currentObject && isObject(currentObject))
			describe(currentObject, name, sizeof name);
		add(&failures, "%s%s%s: ", name, *name ? " " : "", currentSelector);
	}
	addList(&failures, format, list);
	if (ends || settings.abort) {
		fprintf(stderr, "metaltest: %s\n", failures.bytes + start);
		abort();
	}
	add(&failures, "%c", recordMark);
}

void fail(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	report(false, format, list);
	va_end(list);
}

void failDescriptor(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	report(settings.machine, format, list);
	va_end(list);
}

static struct record *addRecord(void)
{
	if (recordCount == recordRoom) {
		recordRoom = recordRoom ? 2 * recordRoom : 1024;
		records = realloc(records, recordRoom * sizeof *records);
	}
	return &records[recordCount++];
}

void logMessage(id object, const struct method *m, bool isStatic, const Q *from, int count)
{
	counts.messages++;
	if (settings.quiet)
		return;
	if (wordCount + (Q)count > wordRoom) {
		wordRoom = 2 * (wordCount + (Q)count) + 1024;
		words = realloc(words, wordRoom * sizeof *words);
	}
	*addRecord() = (struct record){
		.object = object, .method = m, .isStatic = isStatic, .count = count, .first = wordCount,
	};
	memcpy(words + wordCount, from, (size_t)count * sizeof *words);
	wordCount += (Q)count;
}

void logRemark(const char *format, ...)
{
	if (settings.quiet || settings.bench)
		return;
	*addRecord() = (struct record){.first = remarks.length};
	va_list list;
	va_start(list, format);
	addList(&remarks, format, list);
	va_end(list);
	add(&remarks, "%c", recordMark);
}

static void addObject(struct text *t, id object)
{
	char name[256] = "nil";
	if (object)
		describe(object, name, sizeof name);
	add(t, "%s", name);
}

static const Q *addArgument(struct text *t, const char *type, const Q *w)
{
	bool in = type[0] == 'r';
	if (in)
		type++;
	switch (type[0]) {
	case '@':
		if (type[1] == '?')
			add(t, w[0] ? "block" : "nil");
		else
			addObject(t, (id)w[0]);
		return w + 1;
	case ':':
		add(t, "%s", ((SEL)w[0])->name);
		return w + 1;
	case 'B':
		add(t, (w[0] & 0xff) ? "YES" : "NO");
		return w + 1;
	case 'C':
		add(t, "%llu", (w[0] & 0xff));
		return w + 1;
	case 'i':
		add(t, "%d", (int)w[0]);
		return w + 1;
	case 'q':
		add(t, "%lld", (long long)w[0]);
		return w + 1;
	case 'd': {
		double d;
		memcpy(&d, w, sizeof d);
		add(t, "%g", d);
		return w + 1;
	}
	case 'f': {
		float f;
		memcpy(&f, w, sizeof f);
		add(t, "%g", (double)f);
		return w + 1;
	}
	case '{':
		if (type[1] == '?') {
			int n = wordsIn(type);
			for (int i = 0; i < n; i += 3)
				add(t, "%s(%llu, %llu, %llu)", i ? "+" : "", w[i], w[i + 1], w[i + 2]);
			return w + n;
		}
		add(t, "[%llu, %llu]", w[0], w[1]);
		return w + 2;
	case '^':
		// addresses differ from run to run, and logs are to be compared
		if (!in || (type[1] != '@' && type[1] != 'Q')) {
			add(t, w[0] ? "pointer" : "nil");
			return w + 1;
		}
		if (w[0] == ~(Q)0) {
			add(t, "pointer");
			return w + 1;
		}
		add(t, "{");
		for (Q i = 0; i < w[0]; i++) {
			add(t, i ? ", " : "");
			if (type[1] == '@')
				addObject(t, (id)w[1 + i]);
			else
				add(t, "%llu", w[1 + i]);
		}
		add(t, "}");
		return w + 1 + w[0];
	case '*':
		add(t, "pointer");
		return w + 1;
	}
	add(t, "%llu", w[0]);
	return w + 1;
}

EXPORT char *fakeLog(void)
{
	GUARD;
	struct text t = {0};
	add(&t, "%s", "");
	for (Q i = 0; i < recordCount; i++) {
		struct record *r = &records[i];
		if (!r->object) {
			const char *text = remarks.bytes + r->first;
			add(&t, "%c%c%.*s%c", partMark, partMark, (int)strcspn(text, "\x1e"), text, recordMark);
			continue;
		}
		add(&t, "%s%c", r->isStatic ? ((struct class *)r->object)->name : r->object->class->name, partMark);
		addObject(&t, r->object);
		add(&t, "%c%s", partMark, r->method->selector);
		const char *types = r->method->types;
		nextType(&types);
		const Q *w = words + r->first;
		for (const char *type; (type = nextType(&types));) {
			add(&t, "%c", partMark);
			w = addArgument(&t, type, w);
		}
		add(&t, "%c", recordMark);
	}
	return t.bytes;
}

EXPORT Q fakeNumber(id object)
{
	GUARD;
	return isObject(object) ? object->number : 0;
}

EXPORT void fakeForgetLog(void)
{
	GUARD;
	recordCount = wordCount = 0;
	remarks.length = 0;
	counts = (struct counts){0};
}

EXPORT char *fakeFailures(void)
{
	GUARD;
	struct text t = {0};
	add(&t, "%s", failures.length ? failures.bytes : "");
	failures.length = 0;
	return t.bytes;
}

EXPORT char *fakeLeaks(void)
{
	GUARD;
	struct text t = {0};
	add(&t, "%s", "");
	listLeaks(&t);
	listPools(&t);
	return t.bytes;
}

EXPORT void fakeFree(void *p) { free(p); }

EXPORT void fakeCounts(struct counts *out)
{
	GUARD;
	*out = counts;
}

void forgetReports(void)
{
	recordCount = wordCount = 0;
	remarks.length = failures.length = 0;
	counts = (struct counts){0};
}
