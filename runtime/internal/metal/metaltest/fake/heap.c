// Whether memory is of Go's heap, which a driver must not hand to Metal.
#include "fake.h"

#include <inttypes.h>

// Go's heap consists of arenas: pieces of this size, at multiples of it, that nothing else is mapped into.
enum { arenaBytes = 64 << 20 };

// inGoHeap looks for the mappings around an address that belong to no file and lie side by side.
bool inGoHeap(const void *p)
{
	FILE *f = fopen("/proc/self/maps", "r");
	if (!f)
		return false;
	uintptr_t at = (uintptr_t)p, from = 0, to = 0;
	bool found = false;
	char line[512];
	while (!found && fgets(line, sizeof line, f)) {
		uintptr_t start, end;
		unsigned long inode;
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %lu", &start, &end, &inode) != 3)
			continue;
		if (start != to || inode) {
			found = from <= at && at < to;
			if (!found)
				from = start;
		}
		if (!found)
			to = inode ? 0 : end;
	}
	fclose(f);
	found = found || (from <= at && at < to);
	return found && from % arenaBytes == 0 && to % arenaBytes == 0;
}
