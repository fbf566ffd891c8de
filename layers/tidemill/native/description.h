// What `tidemill.native.structures` fills in: it has the same structures, field by field.
#pragma once

#include "linear.h"

enum select { FIRST, MEAN, MAX, EVERY };
enum failure { DONE, NO_MEMORY, UNKNOWN_TOKEN, TOO_LONG };

struct layer_weights {
    struct linear_weights attention; // queries, keys and values, one after another
    struct linear_weights output;
    struct norm attention_norm;
    struct linear_weights up;
    struct linear_weights down;
    struct norm norm;
};

// What it points to stays its owner's, and must outlive the encoder.
struct description {
    const _Float16 *words;     // [vocabulary][width]
    const _Float16 *positions; // [..][width]
    const _Float16 *types;     // [types][width], or NULL
    struct norm embeddings_norm;
    struct dense widen; // from width to hidden, where out is not 0
    const struct layer_weights *weights;
    const int32_t *layers; // [layer_count]: which weights each has
    const float *distances; // [heads][2 * most_tokens - 1], or NULL
    const struct dense *head;
    size_t vocabulary;
    size_t type_count;
    size_t most_tokens;
    size_t first_position; // the row of `positions` that the first token adds
    size_t width;
    size_t hidden;
    size_t inner;
    size_t heads;
    size_t weight_count;
    size_t layer_count;
    size_t head_count;
    int32_t activation;
    int32_t select;
    float epsilon;
};
