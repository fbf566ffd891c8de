// A run's threads and memory, laid out once and used for every text.
#pragma once

#include "attention.h"
#include "team.h"
#include "weights.h"

// One run at a time, with threads and memory of its own.
struct run {
    const struct encoder *encoder;
    struct team team;
    struct memory memory;      // for `room` tokens
    struct memory head_memory; // the same; laid out anew for every text
    size_t room;

    const int64_t *ids;
    const int64_t *types; // NULL where all are of type 0
    size_t tokens;
    int32_t *places;  // [tokens]: rows of the position table
    float *states;    // these [tokens][up_to(.., WIDTH)]
    float *projected; // queries, keys, values
    float *contexts;
    float *raised;
    // These where the head sees the first token alone.
    float *directions; // [heads][up_to(hidden, WIDTH)]
    float *shares;     // [tokens][up_to(heads, LANES)]
    float *blends;     // [heads][up_to(hidden, WIDTH)]
    struct activations of_states;
    struct activations of_contexts;
    struct activations of_raised;
    struct head *heads;
    struct scratch *scratch; // [members]
    float *selected;   // [up_to(hidden, WIDTH)]
    float *between[2]; // what one part of the model's head gives the next
    float *out;
    struct step *steps;
    size_t step_count;
};

static size_t rows_of(const struct description *about, size_t tokens) {
    return about->select == EVERY ? tokens : 1;
}

static size_t widest(const struct description *about) {
    size_t most = 0;
    for (size_t i = 0; i < about->head_count; i++)
        most = about->head[i].out > most ? about->head[i].out : most;
    return up_to(most, WIDTH);
}

static struct activations take_activations(struct memory *memory, size_t tokens, size_t count) {
    return (struct activations){
        .levels = take(memory, tokens * activation_stride(count) * sizeof(level)),
        .stride = activation_stride(count),
        .scales = take(memory, tokens * sizeof(float)),
    };
}

// These two say how much they have taken: in no memory, they count what they need.
static size_t lay_out_rows(struct run *run, struct memory memory, size_t tokens) {
    const struct description *about = &run->encoder->about;
    const size_t hidden = up_to(about->hidden, WIDTH), floats_of = tokens * sizeof(float);
    run->places = take(&memory, tokens * sizeof(int32_t));
    run->states = take(&memory, floats_of * hidden);
    run->contexts = take(&memory, floats_of * hidden);
    run->projected = take(&memory, floats_of * up_to(3 * about->hidden, WIDTH));
    run->raised = take(&memory, floats_of * up_to(about->inner, WIDTH));
    const size_t heads = about->select == FIRST ? about->heads : 0;
    run->directions = take(&memory, heads * hidden * sizeof(float));
    run->shares = take(&memory, floats_of * up_to(heads, LANES));
    run->blends = take(&memory, heads * hidden * sizeof(float));
    run->selected = take(&memory, hidden * sizeof(float));
    for (int i = 0; i < 2; i++)
        run->between[i] = take(&memory, rows_of(about, tokens) * widest(about) * sizeof(float));
    run->of_states = take_activations(&memory, tokens, about->hidden);
    run->of_contexts = take_activations(&memory, tokens, about->hidden);
    run->of_raised = take_activations(&memory, tokens, about->inner);
    for (int i = 0; i < run->team.size; i++) run->scratch[i] = lay_out_scratch(tokens, &memory);
    return memory.taken;
}

static size_t lay_out_heads(struct run *run, struct memory memory, size_t tokens) {
    const struct description *about = &run->encoder->about;
    for (size_t i = 0; i < about->heads; i++)
        run->heads[i] = lay_out_head(tokens, about->hidden / about->heads, &memory);
    return memory.taken;
}

static bool make_room(struct run *run, size_t tokens) {
    if (tokens <= run->room) return true;
    const struct memory nothing = {};
    const size_t room = up_to(tokens, 64);
    release(&run->memory);
    release(&run->head_memory);
    run->memory = run->head_memory = nothing;
    run->room = 0;
    if (!reserve(&run->memory, lay_out_rows(run, nothing, room))) return false;
    if (!reserve(&run->head_memory, lay_out_heads(run, nothing, room))) return false;
    lay_out_rows(run, run->memory, room);
    run->room = room;
    return true;
}

static void close_run(struct run *run) {
    if (!run) return;
    if (run->team.size) dissolve(&run->team);
    release(&run->memory);
    release(&run->head_memory);
    free(run->heads);
    free(run->scratch);
    free(run->steps);
    free(run);
}

// NULL where there is no memory, or no more threads.
static struct run *open_run(const struct encoder *encoder, int32_t threads) {
    const struct description *about = &encoder->about;
    struct run *run = calloc(1, sizeof *run);
    if (!run) return NULL;
    run->encoder = encoder;
    // A layer has ten steps, and the last may have three more; before come embeddings, and after them
    // selecting and the model's head.
    run->step_count = 10 * about->layer_count + about->head_count + 7;
    run->steps = calloc(run->step_count, sizeof *run->steps);
    run->heads = calloc(about->heads, sizeof *run->heads);
    run->scratch = calloc(threads, sizeof *run->scratch);
    if (!run->steps || !run->heads || !run->scratch || !gather(&run->team, threads)) {
        run->team.size = 0;
        close_run(run);
        return NULL;
    }
    return run;
}
