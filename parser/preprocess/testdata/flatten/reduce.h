#ifndef REDUCE_H
#define REDUCE_H
#include "common.h"
inline float reduce(uint i) { return float(i); }
#endif
