// What lies between the router and the experts. A slot is one of the experts that a token has chosen: slot s is of
// token s / top_k.
#include <metal_stdlib>
using namespace metal;

/// Fills the slots: each gets the input of its token, and finds its expert in a matrix that holds all experts, one
/// after the other. The host need not know what the router has chosen.
kernel void fill_slots(
    device const uint* chosen,  // [n_slots] by the router
    device const float* x,      // [n_slots / top_k, dim] inputs of tokens
    device float* slot_x,       // [n_slots, dim] inputs of slots
    device uint* words_from,    // [n_slots] where the words of the expert begin
    device uint* groups_from,   // [n_slots] where its scales and biases begin
    constant uint& n_slots,
    constant uint& top_k,
    constant uint& dim,
    constant uint& words,  // of each expert
    constant uint& groups, // of each expert
    uint2 at [[thread_position_in_grid]]) {
    if (at.x >= dim || at.y >= n_slots) return;
    const uint slot = at.y;
    slot_x[slot * dim + at.x] = x[slot / top_k * dim + at.x];
    if (at.x == 0) {
        words_from[slot] = chosen[slot] * words;
        groups_from[slot] = chosen[slot] * groups;
    }
}
