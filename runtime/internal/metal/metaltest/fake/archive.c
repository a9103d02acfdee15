// Binary archives: a list of the kernels whose pipelines are in them.
#include "fake.h"

struct archiveDescriptor { struct object head; id url; };
struct archive { struct object head; struct text kernels; };

static const char archiveDomain[] = "MTLBinaryArchiveDomain";
static const char mark[] = "metaltest archive\n";
enum { invalidFile = 1, unexpectedElement, compilationFailure };

static void descriptor_url(id self, SEL sel, id url)
{
	(void)sel;
	GUARD;
	struct archiveDescriptor *d = (struct archiveDescriptor *)self;
	if (url && !expect(url, &NSURL, "the URL"))
		return;
	own(url);
	disown(d->url);
	d->url = url;
}

static void descriptor_dealloc(id self) { disown(((struct archiveDescriptor *)self)->url); }

static const struct method descriptorMethods[] = {{"setUrl:", "v@", descriptor_url, NULL}, {0}};
struct class MTLBinaryArchiveDescriptor = {
	.name = "MTLBinaryArchiveDescriptor",
	.size = sizeof(struct archiveDescriptor),
	.methods = descriptorMethods,
	.dealloc = descriptor_dealloc,
};

id newBinaryArchive(id self, SEL sel, id descriptor, id *error)
{
	(void)self, (void)sel;
	GUARD;
	if (!expect(descriptor, &MTLBinaryArchiveDescriptor, "the descriptor"))
		return NULL;
	if (!settings.facts[archivesMade]) {
		giveError(error, archiveDomain, compilationFailure, "Binary archives are not supported by this device");
		return NULL;
	}
	id url = ((struct archiveDescriptor *)descriptor)->url;
	struct fault *f = takeFault(archiveFault, NULL);
	if (f) {
		giveError(error, archiveDomain, f->code ? f->code : invalidFile, "%s", f->text);
		return NULL;
	}
	struct text kernels = {0};
	add(&kernels, "%s", "");
	if (url) {
		FILE *file = fopen(url->label, "rb");
		char line[1024] = "";
		if (!file || !fgets(line, sizeof line, file) || strcmp(line, mark)) {
			giveError(error, archiveDomain, invalidFile, "Invalid URL or file: %s", url->label);
			if (file)
				fclose(file);
			free(kernels.bytes);
			return NULL;
		}
		while (fgets(line, sizeof line, file))
			add(&kernels, "%s", line);
		fclose(file);
	}
	struct archive *a = (struct archive *)make(&MTLBinaryArchive);
	a->kernels = kernels;
	return &a->head;
}

bool archiveHas(id self, const char *kernel)
{
	size_t n = strlen(kernel);
	for (const char *s = ((struct archive *)self)->kernels.bytes; *s; s += strcspn(s, "\n") + 1)
		if (strcspn(s, "\n") == n && !memcmp(s, kernel, n))
			return true;
	return false;
}

static dirty archive_add(id self, SEL sel, id descriptor, id *error)
{
	(void)sel;
	GUARD;
	if (!expect(descriptor, &MTLComputePipelineDescriptor, "the descriptor"))
		return NO;
	struct descriptor *d = (struct descriptor *)descriptor;
	if (!d->function) {
		giveError(error, archiveDomain, compilationFailure, "the descriptor has no function");
		return NO;
	}
	const char *name = ((struct function *)d->function)->kernel->name;
	if (!archiveHas(self, name))
		add(&((struct archive *)self)->kernels, "%s\n", name);
	return YES;
}

static dirty archive_serialize(id self, SEL sel, id url, id *error)
{
	(void)sel;
	GUARD;
	if (!expect(url, &NSURL, "the URL"))
		return NO;
	FILE *file = fopen(url->label, "wb");
	if (!file) {
		giveError(error, archiveDomain, invalidFile, "%s cannot be written", url->label);
		return NO;
	}
	fprintf(file, "%s%s", mark, ((struct archive *)self)->kernels.bytes);
	fclose(file);
	return YES;
}

static void archive_dealloc(id self) { free(((struct archive *)self)->kernels.bytes); }

static const struct method archiveMethods[] = {
	{"addComputePipelineFunctionsWithDescriptor:error:", "B@^@", archive_add, NULL},
	{"serializeToURL:error:", "B@^@", archive_serialize, NULL},
	{0},
};
struct class MTLBinaryArchive = {
	.name = "MTLBinaryArchive",
	.size = sizeof(struct archive),
	.methods = archiveMethods,
	.dealloc = archive_dealloc,
	.protocol = true,
};
