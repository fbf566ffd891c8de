// Sixteen lanes at once, and the few operations that each processor calls otherwise.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512VNNI__) && defined(__AVX512BW__)
#define AVX512 1
#include <immintrin.h>
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define AVX2 1
#include <immintrin.h>
#elif defined(__ARM_FEATURE_DOTPROD)
#define NEON 1
#include <arm_neon.h>
#else
#error "needs AVX-512 with VNNI, AVX2 with FMA and F16C, or NEON with the dot product"
#endif

enum { LANES = 16 };

typedef float floats __attribute__((vector_size(64)));
typedef int32_t ints __attribute__((vector_size(64)));
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

static inline floats widened_bytes(const int8_t *at, size_t count) {
    narrow values = {};
    if (count >= LANES) memcpy(&values, at, sizeof values);
    else memcpy(&values, at, count);
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

// Activations are levels from -127 to 127. A dot product takes STEP of them, and of each of sixteen
// columns as many signed bytes, in fours.
//
// Levels are kept as the processor multiplies them. VNNI takes unsigned bytes: 128 is added here, and 128
// times the weights is what every sum starts below zero (`columns.starts`). So does AVX2, but it adds
// four products in sixteen bits: nothing is cut there of weights that are narrow
// (`tidemill.native.narrow`). Keys and values are not; queries and probabilities are wide for them.
#if AVX512
enum { ZERO = 128, STEP = 4 };
typedef uint8_t level;

static inline ints dot(ints sums, const int8_t *weights, const void *levels) {
    int32_t four;
    memcpy(&four, levels, sizeof four);
    const __m512i weight = _mm512_loadu_si512(weights);
    return (ints)_mm512_dpbusd_epi32((__m512i)sums, _mm512_set1_epi32(four), weight);
}

static inline ints rounded(floats values) { return (ints)_mm512_cvtps_epi32((__m512)values); }
#elif AVX2
enum { ZERO = 128, STEP = 8 };
typedef uint8_t level;

static inline __m256i to_all_lanes(const void *at) {
    int32_t lane;
    memcpy(&lane, at, sizeof lane);
    return _mm256_set1_epi32(lane);
}

// Four levels by four weights of eight columns, in pairs.
static inline __m256i pairs(const int8_t *weights, const level *levels) {
    return _mm256_maddubs_epi16(
        to_all_lanes(levels), _mm256_loadu_si256((const __m256i *)weights)
    );
}

static inline ints dot(ints sums, const int8_t *weights, const void *levels) {
    __m256i sum[2];
    memcpy(sum, &sums, sizeof sums);
    for (int half = 0; half < 2; half++) {
        const int8_t *of = weights + 32 * half;
        const __m256i both = _mm256_add_epi16(
            pairs(of, levels), pairs(of + 64, (const level *)levels + 4)
        );
        const __m256i products = _mm256_madd_epi16(both, _mm256_set1_epi16(1));
        sum[half] = _mm256_add_epi32(sum[half], products);
    }
    memcpy(&sums, sum, sizeof sums);
    return sums;
}

static inline ints rounded(floats values) {
    __m256 half[2];
    memcpy(half, &values, sizeof values);
    const __m256i whole[2] = {_mm256_cvtps_epi32(half[0]), _mm256_cvtps_epi32(half[1])};
    ints result;
    memcpy(&result, whole, sizeof result);
    return result;
}
#else
enum { ZERO = 0, STEP = 4 };
typedef uint8_t level;

static inline ints dot(ints sums, const int8_t *weights, const void *levels) {
    int32_t four;
    memcpy(&four, levels, sizeof four);
    const int8x16_t all_lanes = vreinterpretq_s8_s32(vdupq_n_s32(four));
    int32x4_t sum[4];
    memcpy(sum, &sums, sizeof sums);
    for (int i = 0; i < 4; i++) sum[i] = vdotq_s32(sum[i], vld1q_s8(weights + 16 * i), all_lanes);
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
#endif

// Sixteen whole numbers from -127 to 127.
static inline void store_levels(level *at, ints values) {
    // Modulo 256, 128 is added by turning the highest bit over.
    const narrow bytes = __builtin_convertvector(values, narrow) ^ (int8_t)ZERO;
    memcpy(at, &bytes, sizeof bytes);
}

#if AVX2
// In sixteen bits, of which nothing is cut. Of four the second and the third change places, since two
// products are added at a time and bytes are widened most cheaply one of two at a time.
enum { WIDE_ZERO = 0, WIDE_STEP = 4 };
typedef int16_t wide_level;

static inline void store_wide_levels(wide_level *at, ints values) {
    typedef wide_level levels __attribute__((vector_size(LANES * sizeof(wide_level))));
    const ints placed = __builtin_shufflevector(
        values, values, 0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15
    );
    const levels kept = __builtin_convertvector(placed, levels);
    memcpy(at, &kept, sizeof kept);
}

static inline ints dot_wide(ints sums, const int8_t *weights, const void *levels) {
    const __m256i even = to_all_lanes(levels), odd = to_all_lanes((const wide_level *)levels + 2);
    __m256i sum[2];
    memcpy(sum, &sums, sizeof sums);
    for (int half = 0; half < 2; half++) {
        const __m256i bytes = _mm256_loadu_si256((const __m256i *)(weights + 32 * half));
        const __m256i evens = _mm256_srai_epi16(_mm256_slli_epi16(bytes, 8), 8);
        const __m256i odds = _mm256_srai_epi16(bytes, 8);
        sum[half] = _mm256_add_epi32(sum[half], _mm256_madd_epi16(evens, even));
        sum[half] = _mm256_add_epi32(sum[half], _mm256_madd_epi16(odds, odd));
    }
    memcpy(&sums, sum, sizeof sums);
    return sums;
}
#else
enum { WIDE_ZERO = ZERO, WIDE_STEP = STEP };
typedef level wide_level;

static inline void store_wide_levels(wide_level *at, ints values) { store_levels(at, values); }

static inline ints dot_wide(ints sums, const int8_t *weights, const void *levels) {
    return dot(sums, weights, levels);
}
#endif

// For as long as a thread waits.
static inline void relax(void) {
#if NEON
    __asm__ volatile("yield");
#else
    _mm_pause();
#endif
}
