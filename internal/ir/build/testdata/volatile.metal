// What a kernel reads may change where it, or what it uses, says volatile or coherent.

static uint read(volatile coherent(device) device uint* p) { return p[0]; }

kernel void waits(device uint* x) {
    while (read(x) == 0) {}
    x[1] = 1;
}

struct Flag { volatile uint is; };

kernel void polls(device Flag* flag) {
    while (flag->is == 0) {}
}
