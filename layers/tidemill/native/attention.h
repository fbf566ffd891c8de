// Softmax of queries by keys, times values, for one head of one text.
//
// Queries and keys are quantised by token, values by channel. From keys and values their mean over
// the text is taken first: softmax does not see what all keys share, and values get theirs back.
// Scores are summed exactly. Probabilities have fourteen bits, in two rows of seven; in one where levels
// are wide and sums of so many tokens stay within 32 bits, which gives the same.
#pragma once

#include "linear.h"

enum { STEPS = 16383, LOW_BITS = 7, MOST_IN_ONE = 1032 };

static inline size_t rows_of_query(size_t tokens) {
    return sizeof(wide_level) > 1 && tokens <= MOST_IN_ONE ? 1 : 2;
}

struct head {
    wide_level *queries; // [tokens][query_stride]
    size_t query_stride;
    float *query_scales;   // [tokens]
    struct columns keys;   // of tokens
    float *key_scales;     // [up_to(tokens, WIDTH)]
    struct columns values; // of channels
    float *value_scales;   // these two [up_to(size, WIDTH)]
    float *value_means;
};

static struct head lay_out_head(size_t tokens, size_t size, struct memory *memory) {
    const size_t columns = up_to(tokens, WIDTH), channels = up_to(size, WIDTH);
    return (struct head){
        .queries = take(memory, tokens * activation_stride(size) * sizeof(wide_level)),
        .query_stride = activation_stride(size),
        .query_scales = take(memory, tokens * sizeof(float)),
        .keys = {
            .panels = take(memory, columns * up_to(size, LANES)),
            .starts = take(memory, columns * sizeof(int32_t)),
            .depth = up_to(size, LANES),
            .count = columns / WIDTH,
        },
        .key_scales = take(memory, columns * sizeof(float)),
        .values = {
            .panels = take(memory, channels * up_to(tokens, DEPTH)),
            .starts = take(memory, channels * sizeof(int32_t)),
            .depth = up_to(tokens, DEPTH),
            .count = channels / WIDTH,
        },
        .value_scales = take(memory, channels * sizeof(float)),
        .value_means = take(memory, channels * sizeof(float)),
    };
}

static inline floats column_mean(const float *from, size_t stride, size_t tokens, size_t count) {
    floats sum = {};
    for (size_t t = 0; t < tokens; t++) sum += load_first(from + t * stride, count);
    return sum / (float)tokens;
}

static inline int32_t sum_of_ints(ints values) {
    int32_t sum = 0;
    for (int lane = 0; lane < LANES; lane++) sum += values[lane];
    return sum;
}

// Scores are divided by the root of the head's size, and are powers of two instead of e: so are queries.
static void prepare_queries(
    struct head *head, const float *from, size_t stride, size_t tokens, size_t size
) {
    const float shrink = LOG2_E / sqrtf((float)size);
    for (size_t t = 0; t < tokens; t++) {
        ints bits = {};
        for (size_t i = 0; i < size; i += LANES)
            bits = larger_ints(bits, magnitudes(load_first(from + t * stride + i, size - i)));
        float inverse;
        head->query_scales[t] = quantised_by(bits, &inverse) * shrink;
        for (size_t i = 0; i < size; i += LANES)
            store_wide_levels(
                head->queries + t * head->query_stride + i,
                rounded(load_first(from + t * stride + i, size - i) * inverse)
            );
    }
}

static void prepare_keys(
    struct head *head, const float *from, size_t stride, size_t tokens, size_t size, floats *means
) {
    for (size_t i = 0; i < size; i += LANES)
        means[i / LANES] = column_mean(from + i, stride, tokens, size - i);
    for (size_t t = 0; t < tokens; t++) {
        ints bits = {};
        for (size_t i = 0; i < size; i += LANES)
            bits = larger_ints(
                bits, magnitudes(load_first(from + t * stride + i, size - i) - means[i / LANES])
            );
        float inverse;
        head->key_scales[t] = quantised_by(bits, &inverse);
        int32_t sum = 0;
        for (size_t i = 0; i < size; i += LANES) {
            const floats off = load_first(from + t * stride + i, size - i) - means[i / LANES];
            const ints whole = rounded(off * inverse);
            const narrow bytes = __builtin_convertvector(whole, narrow);
            sum += sum_of_ints(whole);
            for (size_t four = 0; four < LANES; four += 4)
                memcpy(four_of(&head->keys, t, i + four), (const int8_t *)&bytes + four, 4);
        }
        head->keys.starts[t] = -WIDE_ZERO * sum;
    }
}

static void prepare_values(
    struct head *head, const float *from, size_t stride, size_t tokens, size_t size
) {
    for (size_t i = 0; i < size; i += LANES) {
        const floats mean = column_mean(from + i, stride, tokens, size - i);
        ints bits = {};
        for (size_t t = 0; t < tokens; t++)
            bits = larger_ints(
                bits, magnitudes(load_first(from + t * stride + i, size - i) - mean)
            );
        const floats largest = (floats)bits;
        const floats inverse = chosen(largest > 1e-30f, 127.0f / largest, (floats){});
        store(head->value_means + i, mean);
        store(head->value_scales + i, largest / 127.0f);
        ints sum = {};
        for (size_t t = 0; t < tokens; t += 4) {
            ints four = {};
            for (size_t of = 0; of < 4 && t + of < tokens; of++) {
                const floats off = load_first(from + (t + of) * stride + i, size - i) - mean;
                const ints whole = rounded(off * inverse);
                sum += whole;
                four |= (whole & 255) << (int32_t)(8 * of);
            }
            memcpy(four_of(&head->values, i, t), &four, sizeof four);
        }
        sum *= -WIDE_ZERO;
        memcpy(head->values.starts + i, &sum, sizeof sum);
    }
}

// What one block of queries takes, for each member of a team.
struct scratch {
    float *scores;       // [ROWS][stride of floats]
    size_t score_stride;
    wide_level *rows;    // [2 * ROWS][stride]: a query's probabilities, the high bits before the low
    size_t stride;
};

static struct scratch lay_out_scratch(size_t tokens, struct memory *memory) {
    return (struct scratch){
        .scores = take(memory, ROWS * up_to(tokens, WIDTH) * sizeof(float)),
        .score_stride = up_to(tokens, WIDTH),
        .rows = take(memory, 2 * ROWS * activation_stride(tokens) * sizeof(wide_level)),
        .stride = activation_stride(tokens),
    };
}

// Write scores, infinitely low where there is no key, and see to the largest.
static inline void put_scores(float *to, floats scores, size_t keys, floats *largest) {
    if (keys < LANES) scores = chosen(is_among(keys), scores, all(-INFINITY));
    *largest = larger(scores, *largest);
    store(to, scores);
}

// Write a row of scores as probabilities in steps, and return what a step is worth.
static inline float probabilities(
    const float *scores, size_t tokens, float most, const struct scratch *scratch, size_t row
) {
    const size_t rows = rows_of_query(tokens);
    wide_level *high = scratch->rows + rows * row * scratch->stride, *low = high + scratch->stride;
    ints total = {};
    for (size_t t = 0; t < tokens; t += LANES) {
        const ints steps = rounded(two_to_the(load(scores + t) - most) * (float)STEPS);
        total += steps;
        if (rows == 1) {
            store_wide_levels(high + t, steps);
        } else {
            store_wide_levels(high + t, steps >> LOW_BITS);
            store_wide_levels(low + t, steps & ((1 << LOW_BITS) - 1));
        }
    }
    return 1.0f / (float)sum_of_ints(total);
}

// Attend from `count` queries from `first`, up to ROWS, and write their contexts.
// `distances` is what a score gets for its key's distance, from that of query 0 to key 0; or NULL.
static void attend(
    const struct head *head, size_t first, size_t count, size_t tokens, size_t size,
    const float *distances, const struct scratch *scratch, float *to, size_t stride
) {
    struct tile tile;
    floats largest[ROWS];
    // Zeros, or NaN: neither maxima nor rounding keep that of scores, and none may become an answer.
    floats poison = {};
    for (size_t r = 0; r < count; r++) largest[r] = all(-INFINITY);
    for (size_t panel = 0; panel < head->keys.count; panel++) {
        multiply_wide(
            count, head->queries + first * head->query_stride, head->query_stride, &head->keys,
            panel, &tile
        );
        for (size_t v = 0; v < VECTORS; v++) {
            const size_t key = panel * WIDTH + v * LANES;
            if (key >= tokens) break;
            const floats scale = load(head->key_scales + key);
            poison += first_of(scale * 0.0f, tokens - key);
            for (size_t r = 0; r < count; r++) {
                floats scores = to_floats(tile.sums[r][v]) * (scale * head->query_scales[first + r]);
                if (distances)
                    scores += load_first(distances + key - (first + r), tokens - key) * LOG2_E;
                put_scores(
                    scratch->scores + r * scratch->score_stride + key, scores, tokens - key,
                    largest + r
                );
            }
        }
    }
    float steps[ROWS];
    for (size_t r = 0; r < count; r++) {
        const float *scores = scratch->scores + r * scratch->score_stride;
        steps[r] = probabilities(scores, tokens, largest_of(largest[r]), scratch, r);
        steps[r] += sum_of(poison) + head->query_scales[first + r] * 0.0f;
    }
    const size_t rows = rows_of_query(tokens), at_once = ROWS / rows;
    for (size_t r = 0; r < count; r += at_once) {
        const size_t some = count - r < at_once ? count - r : at_once;
        for (size_t panel = 0; panel < head->values.count; panel++) {
            multiply_wide(
                rows * some, scratch->rows + rows * r * scratch->stride, scratch->stride, &head->values,
                panel, &tile
            );
            for (size_t q = 0; q < some; q++)
                for (size_t v = 0; v < VECTORS; v++) {
                    const size_t channel = panel * WIDTH + v * LANES;
                    if (channel >= size) continue;
                    floats sums = to_floats(tile.sums[rows * q][v]);
                    if (rows == 2)
                        sums = sums * (float)(1 << LOW_BITS) + to_floats(tile.sums[2 * q + 1][v]);
                    store_first(
                        to + (first + r + q) * stride + channel,
                        sums * load(head->value_scales + channel) * steps[r + q] +
                            load(head->value_means + channel),
                        size - channel
                    );
                }
        }
    }
}
