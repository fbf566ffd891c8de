// A post-LayerNorm encoder, as BERT is one, in eight bits: from token ids to what its head gives.
//
// One text at a time. Products by weights and by keys and values are of whole numbers and exact, and
// everything else is done to one token or one channel in one order: answers do not depend on how many
// threads there are, nor on anything but the text.

#include "forward.h"

#define EXPORTED __attribute__((visibility("default")))

// NULL where there is no memory.
EXPORTED struct encoder *encoder_open(const struct description *about) {
    return open_encoder(about);
}

EXPORTED void encoder_close(struct encoder *encoder) { close_encoder(encoder); }

// NULL where there is no memory, or no such number of threads.
EXPORTED struct run *run_open(const struct encoder *encoder, int32_t threads) {
    return open_run(encoder, threads);
}

EXPORTED void run_close(struct run *run) { close_run(run); }

// Compute one text. `out` has [labels or dimensions], for `every` [tokens] of them.
EXPORTED int32_t run_text(
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
    lay_out_heads(run, run->head_memory, tokens);
    memset(run->steps, 0, run->step_count * sizeof *run->steps);
    together(&run->team, go_through, run);
    return DONE;
}
