#include "fake.h"

#include <sys/mman.h>

enum { modeShared, modeManaged, modePrivate, modeMemoryless };
enum { bigBuffer = 1 << 20 };

static Q mode(const struct buffer *b) { return b->options >> 4 & 15; }

bool isPrivate(const struct buffer *b) { return mode(b) == modePrivate; }

bool inRange(Q at, Q length, Q whole) { return at <= whole && length <= whole - at; }

static struct buffer *newBuffer(id device, Q length, Q options)
{
	Q how = options >> 4 & 15;
	if (!length)
		failDescriptor("a buffer of length 0");
	else if (length > (Q)1 << 36)
		failDescriptor("%llu bytes are more than maxBufferLength", length);
	else if (how == modeMemoryless || how > modeMemoryless || (options >> 8) > 2 || (options & 15) > 1)
		failDescriptor("options %#llx are not valid for a buffer", options);
	else if (!takeFault(outOfMemory, NULL)) {
		struct buffer *b = (struct buffer *)make(&MTLBuffer);
		b->device = device;
		b->length = length;
		b->options = options;
		return b;
	}
	return NULL;
}

static void setBytesOf(struct buffer *b, void *bytes)
{
	b->bytes = bytes;
	b->is.start = (uintptr_t)bytes;
	b->is.length = b->length;
	giveAddress(b);
}

// What memory begins as: a device promises nothing. Of a big buffer no more is filled than a test could look at.
static void soil(char *p, Q length)
{
	if (settings.bench)
		return;
	memset(p, 0xdb, length < bigBuffer ? length : 4096);
	if (length >= bigBuffer)
		memset(p + length - 4096, 0xdb, 4096);
}

// Mapped by itself, so that memory can be given back while its address stays taken.
static id withPages(struct buffer *b)
{
	if (!b)
		return NULL;
	b->mapped = (b->length + 16383) & ~(Q)16383;
	void *p = mmap(NULL, b->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) {
		b->mapped = 0;
		disown(b);
		return NULL;
	}
	setBytesOf(b, p);
	soil(p, b->length);
	allocated += b->mapped;
	return &b->head;
}

static id newBufferWithLength(id self, SEL sel, Q length, Q options)
{
	(void)sel;
	GUARD;
	return withPages(newBuffer(self, length, options));
}

static id newBufferWithBytes(id self, SEL sel, const void *bytes, Q length, Q options)
{
	(void)sel;
	GUARD;
	if (!readable(bytes, length)) {
		fail("the bytes cannot be read");
		return NULL;
	}
	if ((options >> 4 & 15) == modePrivate) {
		fail("bytes are given to a private buffer");
		return NULL;
	}
	id b = withPages(newBuffer(self, length, options));
	if (b)
		memcpy(((struct buffer *)b)->bytes, bytes, length);
	return b;
}

static id newBufferNoCopy(id self, SEL sel, void *bytes, Q length, Q options, void *deallocator)
{
	(void)sel;
	GUARD;
	if ((uintptr_t)bytes % settings.pageSize || length % settings.pageSize) {
		fail("address %p and length %llu are not both multiples of the page size, %llu", bytes, length, settings.pageSize);
		return NULL;
	}
	if (!readable(bytes, length)) {
		fail("the bytes cannot be read");
		return NULL;
	}
	if ((options >> 4 & 15) == modePrivate) {
		fail("bytes are given to a private buffer");
		return NULL;
	}
	if (inGoHeap(bytes)) {
		fail("%p is in Go's heap: Metal takes memory of mmap or vm_allocate, in one region", bytes);
		return NULL;
	}
	if (deallocator && !checkBlock(deallocator))
		return NULL;
	struct buffer *b = newBuffer(self, length, options);
	if (!b)
		return NULL;
	if (takeFault(noWrap, NULL) || !settings.facts[noCopy]) // as on the virtual Macs that run CI
		b->length = 0;
	setBytesOf(b, bytes);
	b->borrowed = true;
	b->deallocator = deallocator;
	return &b->head;
}

// What devices make buffers with.
const struct method bufferDeviceMethods[] = {
	{"newBufferWithLength:options:", "@QQ", newBufferWithLength, NULL},
	{"newBufferWithBytes:length:options:", "@r^vQQ", newBufferWithBytes, NULL},
	{"newBufferWithBytesNoCopy:length:options:deallocator:", "@^vQQ@?", newBufferNoCopy, NULL},
	{0},
};

struct release { void *block, *bytes; Q length; };

static void callDeallocator(void *p)
{
	struct release *r = p;
	callBlock2(r->block, r->bytes, r->length);
	free(r);
}

static void buffer_dealloc(id self)
{
	struct buffer *b = (struct buffer *)self;
	if (b->borrowed) {
		if (!b->deallocator)
			return;
		struct release *r = calloc(1, sizeof *r);
		*r = (struct release){b->deallocator, b->bytes, b->length};
		afterUnlock(callDeallocator, r);
		return;
	}
	if (!b->mapped)
		return;
	allocated -= b->mapped;
	if (settings.bench)
		munmap(b->bytes, b->mapped);
	else if (b->mapped >= bigBuffer)
		madvise(b->bytes, b->mapped, MADV_DONTNEED);
	else
		memset(b->bytes, 0xdb, b->mapped);
}

static void *buffer_contents(id self, SEL sel)
{
	(void)sel;
	struct buffer *b = (struct buffer *)self;
	if (!isPrivate(b))
		return b->bytes;
	GUARD;
	fail("the contents of a private buffer are not for the CPU");
	return NULL;
}

static Q buffer_length(id self, SEL sel)
{
	(void)sel;
	return ((struct buffer *)self)->length;
}

static void buffer_modified(id self, SEL sel, struct range r)
{
	(void)sel;
	GUARD;
	struct buffer *b = (struct buffer *)self;
	if (mode(b) != modeManaged)
		fail("the buffer is not managed");
	else if (!inRange(r.location, r.length, b->length))
		fail("bytes %llu to %llu of a buffer of %llu", r.location, (r.location + r.length), b->length);
}

static Q buffer_address(id self, SEL sel)
{
	(void)sel;
	GUARD;
	struct buffer *b = (struct buffer *)self;
	if (hasMetal3())
		return b->is.address;
	fail("gpuAddress on a device without Metal 3");
	return 0;
}

static Q buffer_storage(id self, SEL sel)
{
	(void)sel;
	return mode((struct buffer *)self);
}

static id buffer_device(id self, SEL sel)
{
	(void)sel;
	return ((struct buffer *)self)->device;
}

static id buffer_label(id self, SEL sel)
{
	(void)sel;
	GUARD;
	return self->label ? later(newString(self->label)) : NULL;
}

static void buffer_setLabel(id self, SEL sel, id label)
{
	(void)sel;
	GUARD;
	if (!label || expect(label, &NSString, "the label"))
		setLabel(self, label ? textOf(label) : NULL);
}

static Q buffer_size(id self, SEL sel)
{
	(void)sel;
	GUARD;
	return ((struct buffer *)self)->length;
}

static const struct method bufferMethods[] = {
	{"allocatedSize", "Q", buffer_size, NULL},
	{"contents", "^v", buffer_contents, NULL},
	{"length", "Q", buffer_length, NULL},
	{"didModifyRange:", "v{_NSRange=QQ}", buffer_modified, NULL},
	{"gpuAddress", "Q", buffer_address, NULL},
	{"storageMode", "Q", buffer_storage, NULL},
	{"device", "@", buffer_device, NULL},
	{"label", "@", buffer_label, NULL},
	{"setLabel:", "v@", buffer_setLabel, NULL},
	{"newTextureWithDescriptor:offset:bytesPerRow:", "@@QQ", newTextureOver, NULL},
	{0},
};
struct class MTLBuffer = {
	.name = "MTLBuffer",
	.size = sizeof(struct buffer),
	.methods = bufferMethods,
	.dealloc = buffer_dealloc,
	.protocol = true,
};

// Views: how long the piece of a buffer is that a kernel gets, which Metal itself
// is never told. Without one it ends with the buffer. One without an address says
// that the argument may be left out: what is bound then is not for the kernel.

struct piece { Q length, count; };
struct view { const void *address; char *kernel; Q index; struct piece *pieces; Q pieceCount; };
static struct view *views;
static Q viewCount, viewRoom;

static struct view *find(const void *address, const char *kernel, Q index)
{
	Q h = ((uintptr_t)address ^ index << 3) * 0x9e3779b97f4a7c15u;
	for (const char *s = kernel; *s; s++)
		h = (h ^ (uint8_t)*s) * 0x100000001b3u;
	for (Q at = h & (viewRoom - 1);; at = (at + 1) & (viewRoom - 1)) {
		struct view *v = &views[at];
		if (!v->kernel || (v->address == address && v->index == index && !strcmp(v->kernel, kernel)))
			return v;
	}
}

static Q longest(const struct view *v)
{
	Q n = 0;
	for (Q i = 0; i < v->pieceCount; i++)
		if (v->pieces[i].count && v->pieces[i].length > n)
			n = v->pieces[i].length;
	return n;
}

Q viewLength(const void *address, const char *kernel, Q index)
{
	if (!viewRoom)
		return 0;
	Q of = longest(find(address, kernel, index));
	return of ? of : longest(find(address, "", index));
}

static void count(struct view *v, Q length, Q by)
{
	for (Q i = 0; i < v->pieceCount; i++) {
		if (v->pieces[i].length == length) {
			v->pieces[i].count += by;
			return;
		}
	}
	v->pieces = realloc(v->pieces, (v->pieceCount + 1) * sizeof *v->pieces);
	v->pieces[v->pieceCount++] = (struct piece){length, by};
}

// Where the bytes of a buffer are that does not tell.
EXPORT void *fakeBytes(id buffer)
{
	GUARD;
	return expect(buffer, &MTLBuffer, "the buffer") ? ((struct buffer *)buffer)->bytes : NULL;
}

EXPORT void fakeView(const void *address, const char *kernel, Q index, Q length)
{
	GUARD;
	if (2 * (viewCount + 1) > viewRoom) {
		struct view *old = views;
		Q n = viewRoom;
		viewRoom = n ? 2 * n : 256;
		views = calloc(viewRoom, sizeof *views);
		for (Q i = 0; i < n; i++)
			if (old[i].kernel)
				*find(old[i].address, old[i].kernel, old[i].index) = old[i];
		free(old);
	}
	struct view *v = find(address, kernel, index);
	if (!v->kernel) {
		*v = (struct view){address, strdup(kernel), index, NULL, 0};
		viewCount++;
	}
	count(v, length, 1);
}

// Another buffer may begin where one did that is gone.
EXPORT void fakeForgetView(const void *address, const char *kernel, Q index, Q length)
{
	GUARD;
	struct view *v = viewRoom ? find(address, kernel, index) : NULL;
	if (v && v->kernel)
		count(v, length, (Q)-1);
}

void forgetViews(void)
{
	for (Q i = 0; i < viewRoom; i++) {
		free(views[i].kernel);
		free(views[i].pieces);
	}
	free(views);
	views = NULL;
	viewCount = viewRoom = 0;
}
