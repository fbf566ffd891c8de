// A post-LayerNorm encoder, as BERT is one, in eight bits: from token ids to what its head gives.
//
// One text at a time. Products by weights and by keys and values are of whole numbers and exact, and
// everything else is done to one token or one channel in one order: answers do not depend on how many
// threads there are, nor on anything but the text.

#include "forward.h"
#include "pool.h"

#define EXPORTED __attribute__((visibility("default")))

// NULL where there is no memory, or no such number of threads.
EXPORTED struct pool *encoder_open(
    const struct description *about, int32_t threads, int32_t side_by_side
) {
    return open_pool(about, threads, side_by_side);
}

EXPORTED void encoder_close(struct pool *pool) { close_pool(pool); }

// Encoders that count positions from another row than 0 do not count padding, whose id is the number
// of the row before: it stays there.
static void place_tokens(struct run *run) {
    const size_t first = run->encoder->about.first_position;
    int32_t next = (int32_t)first;
    for (size_t t = 0; t < run->tokens; t++) {
        const bool padding = first > 0 && run->ids[t] == (int64_t)first - 1;
        run->places[t] = padding ? (int32_t)first - 1 : next++;
    }
}

// Compute one text. `out` has [labels or dimensions], for `every` [tokens] of them.
static enum failure compute(
    struct run *run, const int64_t *ids, const int64_t *types, size_t tokens, float *out
) {
    const struct description *about = &run->encoder->about;
    for (size_t t = 0; t < tokens; t++) {
        if (ids[t] < 0 || (size_t)ids[t] >= about->vocabulary) return UNKNOWN_TOKEN;
        if (types && (types[t] < 0 || (size_t)types[t] >= about->type_count)) return UNKNOWN_TOKEN;
    }
    if (tokens > about->most_tokens) return TOO_LONG;
    if (!make_room(run, tokens)) return NO_MEMORY;
    run->ids = ids;
    run->types = types;
    run->tokens = tokens;
    run->out = out;
    place_tokens(run);
    lay_out_heads(run, run->head_memory, tokens);
    memset(run->steps, 0, run->step_count * sizeof *run->steps);
    together(&run->team, go_through, run);
    return DONE;
}

// The same, on the next run that is free.
EXPORTED int32_t encoder_run(
    struct pool *pool, const int64_t *ids, const int64_t *types, size_t tokens, float *out
) {
    struct run *run = take_run(pool);
    const enum failure failure = compute(run, ids, types, tokens, out);
    give_back(pool, run);
    return failure;
}
