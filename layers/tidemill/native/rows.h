// What is done to each token by itself: quantising, normalising, adding.
#pragma once

#include "simd.h"

// Rows of activations in eight bits, each with a scale of its own: no token's rounding depends on
// another token.
struct activations {
    level *levels; // [tokens][stride]
    size_t stride; // a multiple of 64 with as much again: rows fall on different cache sets
    float *scales; // [tokens]: what a level is worth
};

struct norm {
    const float *weight;
    const float *bias;
};

static inline size_t activation_stride(size_t count) { return up_to(count, 64) + 64; }

// The largest magnitude, and what to multiply by to make that 127. NaN and infinity come through in
// the scale.
static inline float quantised_by(ints bits, float *inverse) {
    const float largest = largest_magnitude(bits);
    *inverse = largest > 1e-30f ? 127.0f / largest : 0.0f;
    return largest / 127.0f;
}

// Quantise `count` floats, each multiplied by its `smooth` first.
static inline void quantise(
    const float *values, const float *smooth, size_t count, struct activations *to, size_t row
) {
    ints bits = {};
    for (size_t i = 0; i < count; i += LANES)
        bits = larger_ints(bits, magnitudes(load(values + i) * load(smooth + i)));
    float inverse;
    to->scales[row] = quantised_by(bits, &inverse);
    level *levels = to->levels + row * to->stride;
    for (size_t i = 0; i < count; i += LANES)
        store_levels(levels + i, rounded(load(values + i) * load(smooth + i) * inverse));
}

// (values - mean) / sqrt(variance + epsilon) * weight + bias, in place. Beyond `count` zeros stay.
static inline void normalise(float *values, const struct norm *norm, size_t count, float epsilon) {
    floats sum = {};
    for (size_t i = 0; i < count; i += LANES) sum += load(values + i);
    const float mean = sum_of(sum) / (float)count;
    floats squares = {};
    for (size_t i = 0; i < count; i += LANES) {
        const floats off = first_of(load(values + i) - mean, count - i);
        squares += off * off;
    }
    const float by = 1.0f / sqrtf(sum_of(squares) / (float)count + epsilon);
    for (size_t i = 0; i < count; i += LANES) {
        const floats weight = load_first(norm->weight + i, count - i);
        const floats bias = load_first(norm->bias + i, count - i);
        const floats scaled = (load(values + i) - mean) * by * weight + bias;
        store(values + i, first_of(scaled, count - i));
    }
}

static inline void add(float *to, const float *values, size_t count) {
    for (size_t i = 0; i < count; i += LANES) store(to + i, load(to + i) + load(values + i));
}
