// Sources, libraries, functions and their constants. What is in a source, Go says.
#include "fake.h"

Q (*compileInGo)(struct fakeCompile *);

struct options { struct object head; id macros; Q language; bool logging; };
struct library { struct object head; struct kernel *kernels, **last; struct type *types; bool logs; };

// MTLCompileOptions

static void options_macros(id self, SEL sel, id macros)
{
	(void)sel;
	GUARD;
	struct options *o = (struct options *)self;
	if (macros && !expect(macros, &NSDictionary, "the dictionary of macros"))
		return;
	own(macros);
	disown(o->macros);
	o->macros = macros;
}

static void ignoreWord(id self, SEL sel, Q value)
{
	(void)self, (void)sel, (void)value;
}

static void options_mathMode(id self, SEL sel, int64_t mode)
{
	(void)self, (void)sel;
	GUARD;
	if (mode < 0 || mode > 2)
		fail("MTLMathMode is 0 (safe), 1 (relaxed) or 2 (fast), not %lld", (long long)mode);
}

#define MSL(major, minor) ((Q)(major) << 16 | (minor))

// What Metal compiles where no version is set depends on the SDK that the executable was linked with. Go's linker,
// where there is no cgo, names that of macOS 12.
enum { linkedLanguage = MSL(2, 4) };

static void options_language(id self, SEL sel, Q version)
{
	(void)sel;
	GUARD;
	Q major = version >> 16, minor = version & 0xffff, newest = settings.language;
	if (major < 1 || major > 4 || minor > 9)
		fail("no version of the language is %#llx", version);
	else if (version > newest)
		fail("version %llu.%llu of the language is beyond the system's, %llu.%llu", major, minor, newest >> 16,
			newest & 0xffff);
	((struct options *)self)->language = version;
}

static void options_logging(id self, SEL sel, Q on)
{
	(void)sel;
	GUARD;
	((struct options *)self)->logging = on & 0xff;
}

static void options_dealloc(id self) { disown(((struct options *)self)->macros); }

static const struct method optionsMethods[] = {
	{"setPreprocessorMacros:", "v@", options_macros, NULL},
	{"setFastMathEnabled:", "vB", ignoreWord, NULL},
	{"setMathMode:", "vq", options_mathMode, NULL},
	{"setMathFloatingPointFunctions:", "vq", ignoreWord, NULL},
	{"setLanguageVersion:", "vQ", options_language, NULL},
	{"setOptimizationLevel:", "vq", ignoreWord, NULL},
	{"setEnableLogging:", "vB", options_logging, NULL},
	{0},
};
struct class MTLCompileOptions = {
	.name = "MTLCompileOptions",
	.size = sizeof(struct options),
	.methods = optionsMethods,
	.dealloc = options_dealloc,
};

// MTLLibrary

static const char libraryDomain[] = "MTLLibraryErrorDomain";
enum {
	libraryUnsupported = 1,
	libraryInternal = 2,
	compileFailure = 3,
	compileWarned = 4,
	functionNotFound = 5,
	fileNotFound = 6,
};

static id compile(const char *source, Q length, id options, Q language, bool logs, id *error)
{
	struct fault *f = takeFault(compileFault, NULL);
	if (f) {
		giveError(error, libraryDomain, f->code ? f->code : compileFailure, "%s", f->text);
		return NULL;
	}
	struct library *l = (struct library *)make(&MTLLibrary);
	l->last = &l->kernels;
	l->logs = logs;
	struct fakeCompile *c = calloc(1, sizeof *c);
	struct text defines = {0};
	definesOf(options ? ((struct options *)options)->macros : NULL, &defines);
	c->library = l;
	c->number = l->head.number;
	c->source = source;
	c->length = length;
	c->defines = defines.bytes;
	c->language = language;
	Q bad = 0;
	if (compileInGo) {
		unlockWorld();
		bad = compileInGo(c);
		lockWorld();
	}
	free(defines.bytes);
	if (bad) {
		giveError(error, libraryDomain, compileFailure, "%s", c->error);
		enterFake();
		disown(l);
		leaveFake();
		l = NULL;
	} else if ((f = takeFault(compileWarning, NULL))) {
		// there is a library, and an error that only warns
		giveError(error, libraryDomain, compileWarned, "%s", f->text);
	}
	free(c);
	return (id)l;
}

Q libraryNumber(id l) { return l->number; }

bool libraryLogs(id l) { return ((struct library *)l)->logs; }

id newLibraryWithSource(id self, SEL sel, id source, id options, id *error)
{
	(void)self, (void)sel;
	GUARD;
	if (!expect(source, &NSString, "the source") || (options && !expect(options, &MTLCompileOptions, "options")))
		return NULL;
	Q language = options ? ((struct options *)options)->language : 0;
	language = language ? language : linkedLanguage;
	bool logs = options && ((struct options *)options)->logging;
	if (logs && language < MSL(3, 2))
		fail("logging is enabled for version %llu.%llu of the language", language >> 16, language & 0xffff);
	return compile(textOf(source), strlen(textOf(source)), options, language, logs, error);
}

// A compiled library of the fake is its source after the mark of one of Apple's.
static id fromBytes(const char *bytes, Q length, id *error)
{
	if (length < 4 || memcmp(bytes, "MTLB", 4)) {
		giveError(error, libraryDomain, libraryUnsupported, "Invalid library file");
		return NULL;
	}
	return compile(bytes + 4, length - 4, NULL, settings.language, true, error);
}

id newLibraryWithData(id self, SEL sel, id data, id *error)
{
	(void)self, (void)sel;
	GUARD;
	if (!expect(data, &OS_dispatch_data, "the data"))
		return NULL;
	Q length;
	const void *bytes = dataOf(data, &length);
	return fromBytes(bytes, length, error);
}

id newLibraryWithURL(id self, SEL sel, id url, id *error)
{
	(void)self, (void)sel;
	GUARD;
	if (!expect(url, &NSURL, "the URL"))
		return NULL;
	FILE *f = fopen(url->label, "rb");
	if (!f) {
		giveError(error, libraryDomain, fileNotFound, "library not found: %s", url->label);
		return NULL;
	}
	struct text t = {0};
	char part[4096];
	for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
		add(&t, "%.*s", (int)n, part);
	fclose(f);
	id l = fromBytes(t.length ? t.bytes : "", t.length, error);
	free(t.bytes);
	return l;
}

static id library_names(id self, SEL sel)
{
	(void)sel;
	GUARD;
	id names[1024];
	Q n = 0;
	for (struct kernel *k = ((struct library *)self)->kernels; k && n < 1024; k = k->next)
		names[n++] = newString(k->name);
	id a = newArray((void **)names, n);
	for (Q i = 0; i < n; i++)
		disown(names[i]);
	return later(a);
}

static id newFunction(id self, id name, id *error)
{
	if (!expect(name, &NSString, "the name"))
		return NULL;
	struct fault *f = takeFault(functionFault, textOf(name));
	if (f) {
		giveError(error, libraryDomain, f->code ? f->code : functionNotFound, "%s", f->text);
		return NULL;
	}
	for (struct kernel *k = ((struct library *)self)->kernels; k; k = k->next) {
		if (strcmp(k->name, textOf(name)))
			continue;
		struct function *fn = (struct function *)make(&MTLFunction);
		fn->library = own(self);
		fn->kernel = k;
		fn->head.label = copyText(k->name);
		return &fn->head;
	}
	giveError(error, libraryDomain, functionNotFound, "function %s was not found in the library", textOf(name));
	return NULL;
}

static id library_function(id self, SEL sel, id name)
{
	(void)sel;
	GUARD;
	return newFunction(self, name, NULL);
}

static id library_functionWithConstants(id self, SEL sel, id name, id values, id *error)
{
	(void)sel;
	GUARD;
	if (!expect(values, &MTLFunctionConstantValues, "the values of constants"))
		return NULL;
	struct function *f = (struct function *)newFunction(self, name, error);
	if (!f)
		return NULL;
	const char *wrong = specialise(f, values);
	if (wrong) {
		giveError(error, libraryDomain, compileFailure, "%s", wrong);
		enterFake();
		disown(f);
		leaveFake();
		return NULL;
	}
	return &f->head;
}

static void library_dealloc(id self)
{
	struct library *l = (struct library *)self;
	for (struct kernel *k = l->kernels, *next; k; k = next) {
		next = k->next;
		for (struct binding *b = k->bindings, *after; b; b = after) {
			after = b->next;
			free(b->name);
			free(b);
		}
		forgetConstants(k);
		free(k->name);
		free(k);
	}
	l->kernels = NULL;
	freeTypes(l->types);
	l->types = NULL;
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

static const struct method libraryMethods[] = {
	{"functionNames", "@", library_names, NULL},
	{"newFunctionWithName:", "@@", library_function, NULL},
	{"newFunctionWithName:constantValues:error:", "@@@^@", library_functionWithConstants, NULL},
	{"label", "@", labelOf, NULL},
	{"setLabel:", "v@", setLabelOf, NULL},
	{0},
};
struct class MTLLibrary = {
	.name = "MTLLibrary",
	.size = sizeof(struct library),
	.methods = libraryMethods,
	.dealloc = library_dealloc,
	.protocol = true,
};

// MTLFunction

static void function_dealloc(id self)
{
	struct function *f = (struct function *)self;
	freeConstants(f);
	disown(f->library);
}

static const struct method functionMethods[] = {
	{"functionConstantsDictionary", "@", functionConstants, NULL},
	{"name", "@", labelOf, NULL},
	{"label", "@", labelOf, NULL},
	{"setLabel:", "v@", setLabelOf, NULL},
	{0},
};
struct class MTLFunction = {
	.name = "MTLFunction",
	.size = sizeof(struct function),
	.methods = functionMethods,
	.dealloc = function_dealloc,
	.protocol = true,
};

// With these, and those of type.c, Go describes what it found in a source.

EXPORT struct kernel *fakeKernel(id library, const char *name, Q maxThreads, Q width, Q staticMemory, Q simd)
{
	struct library *l = (struct library *)library;
	struct kernel *k = calloc(1, sizeof *k);
	k->name = strdup(name);
	k->maxThreads = maxThreads;
	k->width = width;
	k->staticMemory = staticMemory;
	k->simd = simd;
	*l->last = k;
	l->last = &k->next;
	return k;
}

struct type *newTypeIn(id library)
{
	struct library *l = (struct library *)library;
	struct type *t = calloc(1, sizeof *t);
	t->next = l->types;
	return l->types = t;
}

EXPORT void fakeBinding(id library, struct kernel *k, const char *name, const Q *numbers, struct type *type)
{
	struct binding *b = calloc(1, sizeof *b);
	b->name = strdup(name);
	memcpy(&b->kind, numbers, offsetof(struct binding, type) - offsetof(struct binding, kind));
	b->type = type;
	if (b->flags & isPointer)
		b->pointer = fakePointer(library, (Q[]){b->dataType, b->access, b->size, b->align}, type);
	struct binding **last = &k->bindings;
	while (*last)
		last = &(*last)->next;
	*last = b;
}

// Classes that came with a system, and say nothing else.

#define MARK(of) struct class of = {.name = #of, .size = sizeof(struct object)};
MARK(MTLIOCommandQueueDescriptor)
MARK(MTL4LibraryDescriptor)
