// Sixteen lanes at once, and the few operations that each processor calls otherwise.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512VNNI__) && defined(__AVX512BW__)
#define X86 1
#include <immintrin.h>
#elif defined(__ARM_FEATURE_DOTPROD)
#define X86 0
#include <arm_neon.h>
#else
#error "needs AVX-512 with VNNI, or NEON with the dot product"
#endif

enum { LANES = 16 };

typedef float floats __attribute__((vector_size(64)));
typedef int32_t ints __attribute__((vector_size(64)));
typedef int8_t quads __attribute__((vector_size(64))); // four bytes in each lane
typedef int8_t narrow __attribute__((vector_size(16)));
typedef _Float16 halves __attribute__((vector_size(32)));

static inline size_t up_to(size_t value, size_t step) { return (value + step - 1) / step * step; }

static inline floats all(float value) { return (floats){} + value; }

static inline floats load(const float *at) {
    floats values;
    memcpy(&values, at, sizeof values);
    return values;
}

static inline void store(float *at, floats values) { memcpy(at, &values, sizeof values); }

static inline ints load_ints(const int32_t *at) {
    ints values;
    memcpy(&values, at, sizeof values);
    return values;
}

// Whether a lane is among the first `count`, which may be more than there are.
static inline ints is_among(size_t count) {
    const ints lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return lane < (int32_t)count;
}

static inline floats chosen(ints mask, floats yes, floats no) {
    return (floats)(((ints)yes & mask) | ((ints)no & ~mask));
}

// The first `count` lanes, and zeros.
static inline floats first_of(floats values, size_t count) {
    return (floats)((ints)values & is_among(count));
}

// As `first_of` and `store`, and touch no memory beyond.
static inline floats load_first(const float *at, size_t count) {
    if (count >= LANES) return load(at);
    floats values = {};
    memcpy(&values, at, count * sizeof(float));
    return values;
}

static inline void store_first(float *at, floats values, size_t count) {
    memcpy(at, &values, (count < LANES ? count : LANES) * sizeof(float));
}

static inline floats widened(const _Float16 *at, size_t count) {
    halves values = {};
    memcpy(&values, at, (count < LANES ? count : LANES) * sizeof(_Float16));
    return __builtin_convertvector(values, floats);
}

static inline floats to_floats(ints values) { return __builtin_convertvector(values, floats); }

static inline floats larger(floats a, floats b) { return chosen(a > b, a, b); }

static inline floats smaller(floats a, floats b) { return chosen(a < b, a, b); }

static inline float sum_of(floats values) {
    for (int half = LANES / 2; half; half /= 2) {
        floats other = {};
        memcpy(&other, (const float *)&values + half, half * sizeof(float));
        values += other;
    }
    return values[0];
}

static inline float largest_of(floats values) {
    for (int half = LANES / 2; half; half /= 2) {
        floats other = values;
        memcpy(&other, (const float *)&values + half, half * sizeof(float));
        values = larger(values, other);
    }
    return values[0];
}

// Magnitudes by the bits that they are made of: so NaN is the largest, and is not lost in a maximum.
static inline ints magnitudes(floats values) { return (ints)values & 0x7fffffff; }

static inline ints larger_ints(ints a, ints b) {
    const ints mask = a > b;
    return (a & mask) | (b & ~mask);
}

static inline float largest_magnitude(ints bits) {
    int32_t largest = 0;
    for (int lane = 0; lane < LANES; lane++) largest = bits[lane] > largest ? bits[lane] : largest;
    float value;
    memcpy(&value, &largest, sizeof value);
    return value;
}

// Activations are signed bytes, kept as the processor's dot product wants them beside weights: x86
// multiplies unsigned by signed bytes, so that 128 is added here, and 128 times the weights is what
// every sum starts below zero (`columns.starts`).
#if X86
enum { ZERO = 128 };

static inline ints dot(ints sums, quads weights, const uint8_t *activations) {
    int32_t four;
    memcpy(&four, activations, sizeof four);
    return (ints)_mm512_dpbusd_epi32((__m512i)sums, _mm512_set1_epi32(four), (__m512i)weights);
}

static inline ints rounded(floats values) { return (ints)_mm512_cvtps_epi32((__m512)values); }

static inline void relax(void) { _mm_pause(); }
#else
enum { ZERO = 0 };

static inline ints dot(ints sums, quads weights, const uint8_t *activations) {
    int32_t four;
    memcpy(&four, activations, sizeof four);
    const int8x16_t all_lanes = vreinterpretq_s8_s32(vdupq_n_s32(four));
    int32x4_t sum[4];
    int8x16_t weight[4];
    memcpy(sum, &sums, sizeof sums);
    memcpy(weight, &weights, sizeof weights);
    for (int i = 0; i < 4; i++) sum[i] = vdotq_s32(sum[i], weight[i], all_lanes);
    memcpy(&sums, sum, sizeof sums);
    return sums;
}

static inline ints rounded(floats values) {
    float32x4_t part[4];
    int32x4_t whole[4];
    memcpy(part, &values, sizeof values);
    for (int i = 0; i < 4; i++) whole[i] = vcvtnq_s32_f32(part[i]);
    ints result;
    memcpy(&result, whole, sizeof result);
    return result;
}

static inline void relax(void) { __asm__ volatile("yield"); }
#endif

// Sixteen whole numbers from -127 to 127.
static inline void store_activations(uint8_t *at, ints values) {
    // Modulo 256, 128 is added by turning the highest bit over.
    const narrow bytes = __builtin_convertvector(values, narrow) ^ (int8_t)ZERO;
    memcpy(at, &bytes, sizeof bytes);
}
