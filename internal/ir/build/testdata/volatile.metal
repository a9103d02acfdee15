// What a kernel reads may change where it, or a function that it calls, says volatile or coherent.

static uint read(volatile coherent(device) device uint* p) { return p[0]; }

kernel void waits(device uint* x) {
    while (read(x) == 0) {}
    x[1] = 1;
}
