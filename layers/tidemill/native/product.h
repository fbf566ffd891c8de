// Rows of activations by columns of weights, both in eight bits, summed in 32: nothing is rounded.
#pragma once

#include "simd.h"

// A tile of ROWS x VECTORS sums stays in registers: it takes 24 of 32, where a vector is one of AVX-512's
// or four of NEON's, and 12 of 16, where it is two of AVX2's. Weights take VECTORS more.
#if AVX512
enum { ROWS = 12, VECTORS = 2 };
#else
enum { ROWS = 6, VECTORS = 1 };
#endif
enum { WIDTH = VECTORS * LANES };

// Columns are filled up with zeros to a multiple of so many.
enum { DEPTH = 4 };

// Few rows are done with weights before the processor has guessed which come next. Asking so many
// bytes ahead gives a MiniLM 10 % up to 32 tokens, takes 3 % from a DistilBERT up to 16, and is nothing
// above.
enum { AHEAD = 4096 };

struct columns {
    int8_t *panels;  // [count][depth / NEIGHBOURS][WIDTH][NEIGHBOURS]
    int32_t *starts; // [count * WIDTH]: -ZERO times the sum of each column
    size_t depth;    // a multiple of DEPTH
    size_t count;    // of panels, each of WIDTH columns
};

struct tile {
    ints sums[ROWS][VECTORS];
};

static inline int8_t *panel_of(const struct columns *columns, size_t panel) {
    return columns->panels + panel * columns->depth * WIDTH;
}

// Neighbours of a column, from `depth`, a multiple of NEIGHBOURS.
static inline int8_t *neighbours_of(const struct columns *columns, size_t column, size_t depth) {
    return panel_of(columns, column / WIDTH) + depth * WIDTH + column % WIDTH * NEIGHBOURS;
}

__attribute__((always_inline)) static inline void multiply_rows(
    const int rows, const level *levels, size_t stride, const struct columns *columns,
    size_t panel, struct tile *tile
) {
    ints sums[ROWS][VECTORS];
    for (int v = 0; v < VECTORS; v++) {
        const ints start = load_ints(columns->starts + panel * WIDTH + v * LANES);
        for (int r = 0; r < rows; r++) sums[r][v] = start;
    }
    const int8_t *weights = panel_of(columns, panel);
    const int8_t *end = weights + columns->depth * WIDTH;
    for (; weights < end; weights += DEPTH * WIDTH, levels += DEPTH) {
        for (int line = 0; line < DEPTH * WIDTH; line += 64)
            __builtin_prefetch(weights + AHEAD + line);
#pragma clang loop unroll(full)
        for (int d = 0; d < DEPTH; d += NEIGHBOURS)
#pragma clang loop unroll(full)
            for (int r = 0; r < rows; r++)
#pragma clang loop unroll(full)
                for (int v = 0; v < VECTORS; v++)
                    sums[r][v] = dot(
                        sums[r][v], weights + d * WIDTH + v * LANES * NEIGHBOURS,
                        levels + r * stride + d
                    );
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < VECTORS; v++) tile->sums[r][v] = sums[r][v];
}

// `rows`, from 1 to ROWS, by one panel.
static inline void multiply(
    size_t rows, const level *levels, size_t stride, const struct columns *columns,
    size_t panel, struct tile *tile
) {
#define CASE(n) \
    case n: multiply_rows(n, levels, stride, columns, panel, tile); break;
    switch (rows) {
        CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6)
#if AVX512
        CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12)
#endif
    }
#undef CASE
}
