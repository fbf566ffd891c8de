// Attention of the last layer where the head sees the first token alone.
//
// Scores are the query by keys, and keys are states by weights. In another order, the query by weights
// and that by states, no key is ever made; and no value, where states are blended before they are
// multiplied by weights. What is left is little, and done in floats.
#pragma once

#include "run.h"
#include "shares.h"

// What a state is multiplied by to give each head's score; the bias of keys gives all the same.
static size_t direct_all(struct run *run, size_t step, const struct layer *layer) {
    const size_t hidden = run->encoder->about.hidden, heads = run->encoder->about.heads;
    const size_t size = hidden / heads, stride = up_to(hidden, WIDTH);
    const int8_t *weight = layer->attention_weight + hidden * hidden;
    const float *scale = layer->attention.scale + hidden;
    const float shrink = LOG2_E / sqrtf((float)size);
    SHARED(head, heads) {
        float *direction = run->directions + head * stride;
        memset(direction, 0, stride * sizeof(float));
        for (size_t of = head * size; of < (head + 1) * size; of++) {
            const float by = run->projected[of] * scale[of] * shrink;
            for (size_t i = 0; i < hidden; i += LANES) {
                const floats weights = widened_bytes(weight + of * hidden + i, hidden - i);
                store(direction + i, load(direction + i) + weights * by);
            }
        }
        for (size_t i = 0; i < hidden; i += LANES)
            store(direction + i, load(direction + i) * load(layer->attention.smooth + i));
    }
    return step;
}

static size_t score_all(struct run *run, size_t step) {
    const struct description *about = &run->encoder->about;
    const size_t hidden = about->hidden, stride = up_to(hidden, WIDTH), most = about->most_tokens;
    SHARED_ROWS(t, run->tokens) {
        const float *state = run->states + t * stride;
        for (size_t head = 0; head < about->heads; head++) {
            const float *direction = run->directions + head * stride;
            floats sum = {};
            for (size_t i = 0; i < hidden; i += LANES) sum += load(state + i) * load(direction + i);
            float score = sum_of(sum);
            if (about->distances)
                score += about->distances[head * (2 * most - 1) + most - 1 + t] * LOG2_E;
            run->shares[t * up_to(about->heads, LANES) + head] = score;
        }
    }
    return step;
}

// Softmax of each head's scores, a head in each lane.
static size_t share_all(struct run *run, size_t step) {
    const size_t stride = up_to(run->encoder->about.heads, LANES);
    SHARED(block, stride / LANES) {
        float *scores = run->shares + block * LANES;
        floats largest = all(-INFINITY), sum = {};
        // As in `attend`: neither maxima nor powers keep what is not a number.
        floats poison = {};
        for (size_t t = 0; t < run->tokens; t++) {
            const floats values = load(scores + t * stride);
            largest = larger(values, largest);
            poison += values * 0.0f;
        }
        for (size_t t = 0; t < run->tokens; t++) {
            const floats power = two_to_the(load(scores + t * stride) - largest);
            sum += power;
            store(scores + t * stride, power);
        }
        const floats inverse = 1.0f / sum + poison;
        for (size_t t = 0; t < run->tokens; t++)
            store(scores + t * stride, load(scores + t * stride) * inverse);
    }
    return step;
}

static size_t blend_all(struct run *run, size_t step, const struct layer *layer) {
    const size_t hidden = run->encoder->about.hidden, heads = run->encoder->about.heads;
    const size_t stride = up_to(hidden, WIDTH);
    SHARED(block, up_to(hidden, LANES) / LANES) {
        floats sums[heads];
        memset(sums, 0, sizeof sums);
        for (size_t t = 0; t < run->tokens; t++) {
            const floats states = load(run->states + t * stride + block * LANES);
            const float *shares = run->shares + t * up_to(heads, LANES);
            for (size_t head = 0; head < heads; head++) sums[head] += states * shares[head];
        }
        const floats smooth = load(layer->attention.smooth + block * LANES);
        for (size_t head = 0; head < heads; head++)
            store(run->blends + head * stride + block * LANES, sums[head] * smooth);
    }
    return step;
}

static size_t value_all(struct run *run, size_t step, const struct layer *layer) {
    const size_t hidden = run->encoder->about.hidden, stride = up_to(hidden, WIDTH);
    const size_t size = hidden / run->encoder->about.heads;
    const int8_t *weight = layer->attention_weight + 2 * hidden * hidden;
    const float *scale = layer->attention.scale + 2 * hidden;
    const float *bias = layer->attention.bias + 2 * hidden;
    SHARED_ROWS(of, hidden) {
        const float *blend = run->blends + of / size * stride;
        floats sum = {};
        for (size_t i = 0; i < hidden; i += LANES)
            sum += load(blend + i) * widened_bytes(weight + of * hidden + i, hidden - i);
        run->contexts[of] = sum_of(sum) * scale[of] + bias[of];
    }
    return step;
}

// Of the first token, whose query is in the first row of what is projected.
static size_t attend_first(struct run *run, size_t step, const struct layer *layer) {
    step = direct_all(run, step, layer);
    step = score_all(run, step);
    step = share_all(run, step);
    step = blend_all(run, step, layer);
    return value_all(run, step, layer);
}
