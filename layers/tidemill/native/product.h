// Rows of activations by columns of weights, both in eight bits, summed in 32: nothing is rounded.
#pragma once

#include "simd.h"

// A tile of ROWS x VECTORS sums stays in registers: of 32 they take 24 and the weights VECTORS.
#if X86
enum { ROWS = 12, VECTORS = 2 };
#else
enum { ROWS = 6, VECTORS = 1 }; // a vector takes four registers
#endif
enum { WIDTH = VECTORS * LANES };

// Few rows are done with weights before the processor has guessed which come next. Asking so many
// bytes ahead gives a MiniLM 10 % up to 32 tokens, takes 3 % from a DistilBERT up to 16, and is nothing
// above.
enum { AHEAD = 4096 };

struct columns {
    int8_t *panels;  // [count][depth / 4][WIDTH][4]
    int32_t *starts; // [count * WIDTH]: -ZERO times the sum of each column
    size_t depth;    // a multiple of 4
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
    const int rows, const uint8_t *activations, size_t stride, const struct columns *columns,
    size_t panel, struct tile *tile
) {
    ints sums[ROWS][VECTORS];
    for (int v = 0; v < VECTORS; v++) {
        const ints start = load_ints(columns->starts + panel * WIDTH + v * LANES);
        for (int r = 0; r < rows; r++) sums[r][v] = start;
    }
    const int8_t *weights = panel_of(columns, panel);
    const int8_t *end = weights + columns->depth * WIDTH;
    for (; weights < end; weights += 4 * WIDTH, activations += 4) {
        quads weight[VECTORS];
        memcpy(weight, weights, sizeof weight);
        for (int v = 0; v < VECTORS; v++) __builtin_prefetch(weights + AHEAD + v * 64);
#pragma clang loop unroll(full)
        for (int r = 0; r < rows; r++)
#pragma clang loop unroll(full)
            for (int v = 0; v < VECTORS; v++)
                sums[r][v] = dot(sums[r][v], weight[v], activations + r * stride);
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < VECTORS; v++) tile->sums[r][v] = sums[r][v];
}

// `rows`, from 1 to ROWS, by one panel.
static inline void multiply(
    size_t rows, const uint8_t *activations, size_t stride, const struct columns *columns,
    size_t panel, struct tile *tile
) {
#define CASE(n) \
    case n: multiply_rows(n, activations, stride, columns, panel, tile); break;
    switch (rows) {
        CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6)
#if X86
        CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12)
#endif
    }
#undef CASE
}
