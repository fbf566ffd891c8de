// From token ids to what the model's head gives: the steps that all members of a team go through.
#pragma once

#include "first.h"
#include "shares.h"

static void embed(const struct run *run, size_t token, float *to) {
    const struct description *about = &run->encoder->about;
    const size_t width = about->width;
    const _Float16 *word = about->words + (size_t)run->ids[token] * width;
    const _Float16 *position = about->positions + (size_t)run->places[token] * width;
    const size_t type_of = run->types ? (size_t)run->types[token] : 0;
    const _Float16 *type = about->types ? about->types + type_of * width : NULL;
    for (size_t i = 0; i < width; i += LANES) {
        floats sum = widened(word + i, width - i) + widened(position + i, width - i);
        if (type) sum += widened(type + i, width - i);
        store(to + i, sum);
    }
    normalise(to, &about->embeddings_norm, width, about->epsilon);
}

static size_t embed_all(struct run *run, size_t step) {
    const struct description *about = &run->encoder->about;
    const size_t stride = up_to(about->hidden, WIDTH);
    const float *smooth = run->encoder->layers[about->layers[0]].attention.smooth;
    SHARED_ROWS(t, run->tokens) {
        float *row = run->states + t * stride;
        if (about->widen.out) {
            float *narrow_row = run->contexts + t * stride;
            embed(run, t, narrow_row);
            for (size_t i = 0; i < stride; i++)
                row[i] = i < about->hidden ? dense_at(&about->widen, narrow_row, i) : 0.0f;
        } else {
            embed(run, t, row);
        }
        quantise(row, smooth, about->hidden, &run->of_states, t);
    }
    return step;
}

// As many rows as stay in a core's own cache with a panel of weights.
enum { ROWS_AT_ONCE = 10 * ROWS };

// The first `rows` rows by the first `panels`.
static size_t apply_panels(
    struct run *run, size_t step, const struct linear *linear, size_t panels,
    enum activation activation, const struct activations *from, size_t rows, float *to
) {
    const size_t stride = linear->columns.count * WIDTH;
    const size_t blocks = (rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
    // Sixteen shares or so for each member: taking one costs as much as a small product.
    const size_t grain = panels / (16 * run->team.size) + 1;
    const size_t groups = (panels + grain - 1) / grain;
    SHARED(share, blocks * groups) {
        const size_t block = share / groups, group = share % groups;
        const size_t first = block * rows / blocks, end = (block + 1) * rows / blocks;
        for (size_t panel = group * grain; panel < panels && panel < (group + 1) * grain; panel++)
            apply(linear, activation, from, first, end - first, panel, to, stride);
    }
    return step;
}

static size_t apply_all(
    struct run *run, size_t step, const struct linear *linear, enum activation activation,
    const struct activations *from, size_t rows, float *to
) {
    return apply_panels(run, step, linear, linear->columns.count, activation, from, rows, to);
}

static size_t attend_all(struct run *run, size_t step, const struct layer *layer, int member) {
    const struct description *about = &run->encoder->about;
    const size_t hidden = about->hidden, size = hidden / about->heads, tokens = run->tokens;
    const size_t stride = up_to(3 * hidden, WIDTH);
    step = apply_all(run, step, &layer->attention, NONE, &run->of_states, tokens, run->projected);
    SHARED(number, about->heads) {
        struct head *head = run->heads + number;
        const float *from = run->projected + number * size;
        floats means[up_to(size, LANES) / LANES];
        prepare_queries(head, from, stride, tokens, size);
        prepare_keys(head, from + hidden, stride, tokens, size, means);
        prepare_values(head, from + 2 * hidden, stride, tokens, size);
    }
    const size_t blocks = (tokens + ROWS - 1) / ROWS;
    SHARED(share, about->heads * blocks) {
        const size_t number = share / blocks, block = share % blocks;
        const size_t first = block * tokens / blocks, end = (block + 1) * tokens / blocks;
        const size_t most = about->most_tokens;
        const float *distances =
            about->distances ? about->distances + number * (2 * most - 1) + most - 1 : NULL;
        attend(
            run->heads + number, first, end - first, tokens, size, distances, run->scratch + member,
            run->contexts + number * size, up_to(hidden, WIDTH)
        );
    }
    return step;
}

static size_t quantise_all(
    struct run *run, size_t step, const float *from, const struct linear *linear, size_t rows,
    struct activations *to
) {
    SHARED_ROWS(t, rows)
        quantise(from + t * up_to(linear->in, WIDTH), linear->smooth, linear->in, to, t);
    return step;
}

// Add `from` to the states, normalise, and quantise for `next`, which is NULL after the last layer.
static size_t add_all(
    struct run *run, size_t step, const float *from, const struct norm *norm, size_t rows,
    const struct linear *next
) {
    const size_t hidden = run->encoder->about.hidden, stride = up_to(hidden, WIDTH);
    SHARED_ROWS(t, rows) {
        float *state = run->states + t * stride;
        add(state, from + t * stride, hidden);
        normalise(state, norm, hidden, run->encoder->about.epsilon);
        if (next) quantise(state, next->smooth, hidden, &run->of_states, t);
    }
    return step;
}

static size_t layer_all(
    struct run *run, size_t step, const struct layer *layer, const struct layer *next, int member
) {
    const struct description *about = &run->encoder->about;
    // Of the last layer's states, some heads see the first token's alone.
    const bool first_alone = !next && about->select == FIRST;
    const size_t rows = first_alone ? 1 : run->tokens;
    if (first_alone) {
        const size_t panels = up_to(about->hidden, WIDTH) / WIDTH;
        step = apply_panels(
            run, step, &layer->attention, panels, NONE, &run->of_states, rows, run->projected
        );
        step = attend_first(run, step, layer);
    } else {
        step = attend_all(run, step, layer, member);
    }
    step = quantise_all(run, step, run->contexts, &layer->output, rows, &run->of_contexts);
    // Queries, keys and values are used up.
    step = apply_all(run, step, &layer->output, NONE, &run->of_contexts, rows, run->projected);
    step = add_all(run, step, run->projected, layer->attention_norm, rows, &layer->up);
    step = apply_all(
        run, step, &layer->up, about->activation, &run->of_states, rows, run->raised
    );
    step = quantise_all(run, step, run->raised, &layer->down, rows, &run->of_raised);
    step = apply_all(run, step, &layer->down, NONE, &run->of_raised, rows, run->projected);
    return add_all(run, step, run->projected, layer->norm, rows, next ? &next->attention : NULL);
}

// What the head sees of the states: `rows` of it.
static size_t select_all(struct run *run, size_t step, const float **from, size_t *rows) {
    const struct description *about = &run->encoder->about;
    const size_t hidden = about->hidden, stride = up_to(hidden, WIDTH);
    *rows = about->select == EVERY ? run->tokens : 1;
    *from = run->states;
    if (about->select == FIRST || about->select == EVERY) return step;
    SHARED(share, up_to(hidden, LANES) / LANES) {
        floats sum = {}, largest = all(-INFINITY);
        for (size_t t = 0; t < run->tokens; t++) {
            const floats values = load(run->states + t * stride + share * LANES);
            sum += values;
            largest = larger(largest, values);
        }
        // What is not a number is in the sum, and is lost in a maximum.
        store(
            run->selected + share * LANES,
            about->select == MEAN ? sum / (float)run->tokens : largest + sum * 0.0f
        );
    }
    *from = run->selected;
    return step;
}

// Outputs are shared out by so many.
enum { AT_ONCE = 16 };

static size_t dense_all(
    struct run *run, size_t step, const struct dense *dense, const float *from, size_t stride,
    size_t rows, float *to, size_t to_stride
) {
    const size_t count = rows * dense->out;
    SHARED(share, up_to(count, AT_ONCE) / AT_ONCE) {
        const size_t first = share * AT_ONCE, end = first + AT_ONCE;
        for (size_t i = first; i < end && i < count; i++) {
            const size_t row = i / dense->out, column = i % dense->out;
            to[row * to_stride + column] = dense_at(dense, from + row * stride, column);
        }
    }
    return step;
}

static void head_all(struct run *run, size_t step) {
    const struct description *about = &run->encoder->about;
    const float *from;
    size_t rows, stride = up_to(about->hidden, WIDTH);
    step = select_all(run, step, &from, &rows);
    for (size_t i = 0; i < about->head_count; i++) {
        const struct dense *dense = about->head + i;
        const bool last = i == about->head_count - 1;
        const size_t to_stride = last ? dense->out : up_to(dense->out, WIDTH);
        float *to = last ? run->out : run->between[i % 2];
        step = dense_all(run, step, dense, from, stride, rows, to, to_stride);
        from = to;
        stride = to_stride;
    }
    if (about->head_count) return;
    const size_t width = about->hidden;
    SHARED(row, rows) memcpy(run->out + row * width, from + row * stride, width * sizeof(float));
}

static void go_through(void *argument, int member) {
    struct run *run = argument;
    const struct encoder *encoder = run->encoder;
    const int32_t *layers = encoder->about.layers;
    size_t step = embed_all(run, 0);
    for (size_t i = 0; i < encoder->about.layer_count; i++) {
        const bool last = i == encoder->about.layer_count - 1;
        step = layer_all(
            run, step, encoder->layers + layers[i], last ? NULL : encoder->layers + layers[i + 1],
            member
        );
    }
    head_all(run, step);
}
