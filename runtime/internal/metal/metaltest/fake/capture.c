#include "fake.h"

struct captureDescriptor { struct object head; id object, url; Q destination; };
struct manager { struct object head; bool capturing; Q before; char *path; };

enum { toXcode = 1, toFile = 2 };

static void put(id *to, id value)
{
	own(value);
	disown(*to);
	*to = value;
}

static void descriptor_object(id self, SEL sel, id object)
{
	(void)sel;
	GUARD;
	put(&((struct captureDescriptor *)self)->object, object);
}

static void descriptor_url(id self, SEL sel, id url)
{
	(void)sel;
	GUARD;
	if (!url || expect(url, &NSURL, "the URL"))
		put(&((struct captureDescriptor *)self)->url, url);
}

static void descriptor_destination(id self, SEL sel, int64_t to)
{
	(void)sel;
	GUARD;
	if (to != toXcode && to != toFile)
		fail("MTLCaptureDestination is 1 (developer tools) or 2 (file), not %lld", (long long)to);
	((struct captureDescriptor *)self)->destination = (Q)to;
}

static void descriptor_dealloc(id self)
{
	disown(((struct captureDescriptor *)self)->object);
	disown(((struct captureDescriptor *)self)->url);
}

static const struct method descriptorMethods[] = {
	{"setCaptureObject:", "v@", descriptor_object, NULL},
	{"setDestination:", "vq", descriptor_destination, NULL},
	{"setOutputURL:", "v@", descriptor_url, NULL},
	{0},
};
struct class MTLCaptureDescriptor = {
	.name = "MTLCaptureDescriptor",
	.size = sizeof(struct captureDescriptor),
	.methods = descriptorMethods,
	.dealloc = descriptor_dealloc,
};

static id manager_shared(id self, SEL sel)
{
	(void)self, (void)sel;
	GUARD;
	static id one;
	static uint32_t of;
	if (of != era) {
		one = make(&MTLCaptureManager);
		one->base = 1;
		of = era;
	}
	return one;
}

static dirty manager_start(id self, SEL sel, id descriptor, id *error)
{
	(void)sel;
	GUARD;
	struct manager *m = (struct manager *)self;
	if (!expect(descriptor, &MTLCaptureDescriptor, "the descriptor"))
		return NO;
	struct captureDescriptor *d = (struct captureDescriptor *)descriptor;
	const char *wrong = NULL;
	if (m->capturing)
		wrong = "already capturing";
	else if (!d->object)
		wrong = "no capture object";
	else if (d->destination == toFile && !d->url)
		wrong = "no output URL";
	if (wrong) {
		giveError(error, "MTLCaptureErrorDomain", 3, "%s", wrong);
		return NO;
	}
	m->capturing = true;
	m->before = counts.commandBuffers;
	free(m->path);
	m->path = d->destination == toFile ? copyText(d->url->label) : NULL;
	return YES;
}

static void manager_stop(id self, SEL sel)
{
	(void)sel;
	GUARD;
	struct manager *m = (struct manager *)self;
	if (!m->capturing)
		fail("nothing is captured");
	m->capturing = false;
	// A capture in which nothing happened leaves nothing behind.
	FILE *f = m->path && counts.commandBuffers > m->before ? fopen(m->path, "w") : NULL;
	if (f)
		fclose(f);
}

static dirty manager_capturing(id self, SEL sel)
{
	(void)sel;
	return ((struct manager *)self)->capturing ? YES : NO;
}

static dirty manager_supports(id self, SEL sel, int64_t to)
{
	(void)self, (void)sel;
	GUARD;
	return to == toFile && !takeFault(noCapture, NULL) ? YES : NO;
}

static const struct method managerMethods[] = {
	{"startCaptureWithDescriptor:error:", "B@^@", manager_start, NULL},
	{"stopCapture", "v", manager_stop, NULL},
	{"isCapturing", "B", manager_capturing, NULL},
	{"supportsDestination:", "Bq", manager_supports, NULL},
	{0},
};
static const struct method managerStatics[] = {{"sharedCaptureManager", "@", manager_shared, NULL}, {0}};
struct class MTLCaptureManager = {
	.name = "MTLCaptureManager",
	.size = sizeof(struct manager),
	.methods = managerMethods,
	.statics = managerStatics,
};
