// Rows of activations by columns of weights, both in eight bits, summed in 32: nothing is rounded.
#pragma once

#include <stdbool.h>

#include "simd.h"

// A tile of ROWS x VECTORS sums stays in registers. A vector is one register of AVX-512, two of AVX2 and
// four of NEON: sums take 24 of 32, and 8 of AVX2's 16, which has products in between to keep as well.
#if AVX512
enum { ROWS = 12, VECTORS = 2 };
#elif AVX2
enum { ROWS = 4, VECTORS = 1 };
#else
enum { ROWS = 6, VECTORS = 1 };
#endif
enum { WIDTH = VECTORS * LANES };

// Columns are filled up with zeros to a multiple of so many.
enum { DEPTH = STEP };

// Few rows are done with weights before the processor has guessed which come next. Asking so many
// bytes ahead gives a MiniLM 10 % up to 32 tokens, takes 3 % from a DistilBERT up to 16, and is nothing
// above.
enum { AHEAD = 4096 };

struct columns {
    int8_t *panels;  // [count][depth / 4][WIDTH][4]
    int32_t *starts; // [count * WIDTH]: minus the levels' zero times the sum of each column
    size_t depth;    // a multiple of DEPTH
    size_t count;    // of panels, each of WIDTH columns
};

struct tile {
    ints sums[ROWS][VECTORS];
};

static inline int8_t *panel_of(const struct columns *columns, size_t panel) {
    return columns->panels + panel * columns->depth * WIDTH;
}

// Four neighbours of a column, from `depth`, a multiple of 4.
static inline int8_t *four_of(const struct columns *columns, size_t column, size_t depth) {
    return panel_of(columns, column / WIDTH) + depth * WIDTH + column % WIDTH * 4;
}

__attribute__((always_inline)) static inline void multiply_rows(
    const int rows, const bool wide, const char *levels, size_t stride,
    const struct columns *columns, size_t panel, struct tile *tile
) {
    const int step = wide ? WIDE_STEP : STEP;
    const int size = wide ? sizeof(wide_level) : sizeof(level);
    ints sums[ROWS][VECTORS];
    for (int v = 0; v < VECTORS; v++) {
        const ints start = load_ints(columns->starts + panel * WIDTH + v * LANES);
        for (int r = 0; r < rows; r++) sums[r][v] = start;
    }
    const int8_t *weights = panel_of(columns, panel);
    const int8_t *end = weights + columns->depth * WIDTH;
    for (; weights < end; weights += step * WIDTH, levels += step * size) {
        for (int line = 0; line < step * WIDTH; line += 64)
            __builtin_prefetch(weights + AHEAD + line);
#pragma clang loop unroll(full)
        for (int r = 0; r < rows; r++)
#pragma clang loop unroll(full)
            for (int v = 0; v < VECTORS; v++) {
                const int8_t *of = weights + v * LANES * 4;
                const char *row = levels + r * stride * size;
                sums[r][v] = wide ? dot_wide(sums[r][v], of, row) : dot(sums[r][v], of, row);
            }
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < VECTORS; v++) tile->sums[r][v] = sums[r][v];
}

__attribute__((always_inline)) static inline void multiply_some(
    const size_t rows, const bool wide, const void *levels, size_t stride,
    const struct columns *columns, size_t panel, struct tile *tile
) {
#define CASE(n) \
    case n: multiply_rows(n, wide, levels, stride, columns, panel, tile); break;
    switch (rows) {
        CASE(1) CASE(2) CASE(3) CASE(4)
#if !AVX2
        CASE(5) CASE(6)
#endif
#if AVX512
        CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12)
#endif
    }
#undef CASE
}

// `rows`, from 1 to ROWS, by one panel.
static inline void multiply(
    size_t rows, const level *levels, size_t stride, const struct columns *columns, size_t panel,
    struct tile *tile
) {
    multiply_some(rows, false, levels, stride, columns, panel, tile);
}

static inline void multiply_wide(
    size_t rows, const wide_level *levels, size_t stride, const struct columns *columns,
    size_t panel, struct tile *tile
) {
#if AVX2
    multiply_some(rows, true, levels, stride, columns, panel, tile);
#else
    multiply(rows, levels, stride, columns, panel, tile);
#endif
}
