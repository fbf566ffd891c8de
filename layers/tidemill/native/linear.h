// x W^T + b: by weights in eight bits, and by weights as they are.
#pragma once

#include <stdlib.h>

#include "functions.h"
#include "memory.h"
#include "product.h"
#include "rows.h"

// As the model's file has it.
struct linear_weights {
    const int8_t *weight; // [out][in]
    const float *scale;   // [out]
    const float *bias;    // [out]
    const float *smooth;  // [in]
    size_t out;
    size_t in;
};

struct linear {
    struct columns columns;
    float *scale;  // these two [columns]
    float *bias;
    float *smooth; // [up_to(in, LANES)]
    size_t in;
};

static size_t linear_bytes(size_t out, size_t in) {
    const size_t columns = up_to(out, WIDTH);
    return room_for(columns * up_to(in, DEPTH)) + 3 * room_for(columns * sizeof(float)) +
        room_for(up_to(in, LANES) * sizeof(float));
}

static struct linear pack(const struct linear_weights *from, struct memory *memory) {
    const size_t columns = up_to(from->out, WIDTH);
    struct linear linear = {
        .columns = {
            .panels = take(memory, columns * up_to(from->in, DEPTH)),
            .starts = take(memory, columns * sizeof(int32_t)),
            .depth = up_to(from->in, DEPTH),
            .count = columns / WIDTH,
        },
        .scale = take(memory, columns * sizeof(float)),
        .bias = take(memory, columns * sizeof(float)),
        .smooth = take(memory, up_to(from->in, LANES) * sizeof(float)),
        .in = from->in,
    };
    memcpy(linear.scale, from->scale, from->out * sizeof(float));
    memcpy(linear.bias, from->bias, from->out * sizeof(float));
    memcpy(linear.smooth, from->smooth, from->in * sizeof(float));
    for (size_t column = 0; column < from->out; column++) {
        const int8_t *weight = from->weight + column * from->in;
        int32_t sum = 0;
        for (size_t i = 0; i < from->in; i++) sum += weight[i];
        linear.columns.starts[column] = -ZERO * sum;
        for (size_t i = 0; i < from->in; i += 4)
            memcpy(
                four_of(&linear.columns, column, i), weight + i, from->in - i < 4 ? from->in - i : 4
            );
    }
    return linear;
}

// Write `count` rows of sums as what they stand for.
__attribute__((always_inline)) static inline void put_tile(
    const struct tile *tile, const struct linear *linear, const enum activation activation,
    const float *scales, size_t count, size_t panel, float *to, size_t stride
) {
    for (size_t v = 0; v < VECTORS; v++) {
        const size_t column = panel * WIDTH + v * LANES;
        const floats scale = load(linear->scale + column), bias = load(linear->bias + column);
        for (size_t r = 0; r < count; r++) {
            const floats values = to_floats(tile->sums[r][v]) * (scale * scales[r]) + bias;
            store(to + r * stride + column, activated(values, activation));
        }
    }
}

// One panel of columns for `count` rows from `first`. `to` has rows of `stride` floats.
static inline void apply(
    const struct linear *linear, enum activation activation, const struct activations *rows,
    size_t first, size_t count, size_t panel, float *to, size_t stride
) {
    const size_t tiles = (count + ROWS - 1) / ROWS;
    for (size_t i = 0; i < tiles; i++) {
        const size_t from = first + i * count / tiles, end = first + (i + 1) * count / tiles;
        const float *scales = rows->scales + from;
        float *at = to + from * stride;
        struct tile tile;
        // Long texts' rows are written to memory far away, which is asked for before it is needed.
        for (size_t r = 0; r < end - from; r++)
            for (size_t v = 0; v < VECTORS; v++)
                __builtin_prefetch(at + r * stride + panel * WIDTH + v * LANES, 1);
        multiply(
            end - from, rows->levels + from * rows->stride, rows->stride, &linear->columns, panel,
            &tile
        );
        // Known to the compiler, it is not looked up for every vector.
        if (activation == NONE)
            put_tile(&tile, linear, NONE, scales, end - from, panel, at, stride);
        else if (activation == GELU)
            put_tile(&tile, linear, GELU, scales, end - from, panel, at, stride);
        else
            put_tile(&tile, linear, activation, scales, end - from, panel, at, stride);
    }
}

// Few rows, few columns, and nothing gained by rounding: heads, and narrow embeddings.
struct dense {
    const float *weight; // [out][in]
    const float *bias;   // [out]
    size_t out;
    size_t in;
    enum activation activation;
};

static inline float dense_at(const struct dense *dense, const float *row, size_t column) {
    floats sum = {};
    for (size_t i = 0; i < dense->in; i += LANES)
        sum += load(row + i) * load_first(dense->weight + column * dense->in + i, dense->in - i);
    const floats value = all(sum_of(sum) + dense->bias[column]);
    return activated(value, dense->activation)[0];
}
