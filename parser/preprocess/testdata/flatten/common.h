#pragma once
/* Shared by all kernels. */
struct Params {
    uint rows;
    uint dim;
};
