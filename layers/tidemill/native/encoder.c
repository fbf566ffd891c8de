// A post-LayerNorm encoder, as BERT is one, in eight bits: from token ids to what its head gives.
//
// One text at a time. Products by weights and by keys and values are of whole numbers and exact, and
// everything else is done to one token or one channel in one order: answers do not depend on how many
// threads there are, nor on anything but the text.

#include "attention.h"
#include "team.h"

#define EXPORTED __attribute__((visibility("default")))

enum select { FIRST, MEAN, MAX, EVERY };
enum failure { DONE, NO_MEMORY, UNKNOWN_TOKEN, TOO_LONG };

// What `tidemill.engines.native` fills in; it has the same structures. All of it stays its own and
// must outlive the encoder.
struct layer_weights {
    struct linear_weights attention; // queries, keys and values, one after another
    struct linear_weights output;
    struct norm attention_norm;
    struct linear_weights up;
    struct linear_weights down;
    struct norm norm;
};

struct description {
    const _Float16 *words;     // [vocabulary][width]
    const _Float16 *positions; // [..][width], that of the first token first
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

struct layer {
    struct linear attention;
    struct linear output;
    struct linear up;
    struct linear down;
    const struct norm *attention_norm;
    const struct norm *norm;
};

struct encoder {
    struct description about;
    struct memory memory;
    struct layer *layers;
};

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
    float *states;    // these [tokens][up_to(.., WIDTH)]
    float *projected; // queries, keys, values
    float *contexts;
    float *raised;
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

EXPORTED void encoder_close(struct encoder *encoder) {
    if (!encoder) return;
    release(&encoder->memory);
    free(encoder->layers);
    free(encoder);
}

// NULL where there is no memory.
EXPORTED struct encoder *encoder_open(const struct description *about) {
    struct encoder *encoder = calloc(1, sizeof *encoder);
    if (!encoder) return NULL;
    encoder->about = *about;
    encoder->layers = calloc(about->weight_count, sizeof *encoder->layers);
    size_t bytes = 0;
    for (size_t i = 0; i < about->weight_count; i++) {
        const struct layer_weights *from = about->weights + i;
        bytes += linear_bytes(from->attention.out, from->attention.in);
        bytes += linear_bytes(from->output.out, from->output.in);
        bytes += linear_bytes(from->up.out, from->up.in);
        bytes += linear_bytes(from->down.out, from->down.in);
    }
    if (!encoder->layers || !reserve(&encoder->memory, bytes)) {
        encoder_close(encoder);
        return NULL;
    }
    for (size_t i = 0; i < about->weight_count; i++) {
        const struct layer_weights *from = about->weights + i;
        encoder->layers[i] = (struct layer){
            .attention = pack(&from->attention, &encoder->memory),
            .output = pack(&from->output, &encoder->memory),
            .up = pack(&from->up, &encoder->memory),
            .down = pack(&from->down, &encoder->memory),
            .attention_norm = &from->attention_norm,
            .norm = &from->norm,
        };
    }
    return encoder;
}

// For every share that this member gets of a step of `count`; then until the others' are done, too.
#define SHARED(share, count) \
    for (size_t of = (count), open = 1; open; open = 0, await_step(run->steps + step++, of)) \
        for (size_t share; (share = next_share(run->steps + step, of)) < of; \
             finish_share(run->steps + step))

// Rows are shared out in blocks, four or so for each member.
static inline size_t block_of(const struct run *run) {
    return run->tokens / (4 * run->team.size) + 1;
}

static inline size_t blocks_of(const struct run *run) {
    return (run->tokens + block_of(run) - 1) / block_of(run);
}

static inline size_t end_of(const struct run *run, size_t block) {
    const size_t end = (block + 1) * block_of(run);
    return end < run->tokens ? end : run->tokens;
}

static void embed(const struct run *run, size_t token, float *to) {
    const struct description *about = &run->encoder->about;
    const size_t width = about->width;
    const _Float16 *word = about->words + (size_t)run->ids[token] * width;
    const _Float16 *position = about->positions + token * width;
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
    SHARED(block, blocks_of(run)) {
        for (size_t t = block * block_of(run); t < end_of(run, block); t++) {
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
    }
    return step;
}

// As many rows as stay in a core's own cache with a panel of weights.
enum { ROWS_AT_ONCE = 10 * ROWS };

static size_t apply_all(
    struct run *run, size_t step, const struct linear *linear, enum activation activation,
    const struct activations *rows, float *to
) {
    const size_t panels = linear->columns.count;
    const size_t blocks = (run->tokens + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
    // Sixteen shares or so for each member: taking one costs as much as a small product.
    const size_t grain = panels / (16 * run->team.size) + 1;
    const size_t groups = (panels + grain - 1) / grain;
    SHARED(share, blocks * groups) {
        const size_t block = share / groups, group = share % groups;
        const size_t first = block * run->tokens / blocks, end = (block + 1) * run->tokens / blocks;
        for (size_t panel = group * grain; panel < panels && panel < (group + 1) * grain; panel++)
            apply(linear, activation, rows, first, end - first, panel, to, panels * WIDTH);
    }
    return step;
}

static size_t attend_all(struct run *run, size_t step, const struct layer *layer, int member) {
    const struct description *about = &run->encoder->about;
    const size_t hidden = about->hidden, size = hidden / about->heads, tokens = run->tokens;
    const size_t stride = up_to(3 * hidden, WIDTH);
    step = apply_all(run, step, &layer->attention, NONE, &run->of_states, run->projected);
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
    struct run *run, size_t step, const float *rows, const struct linear *linear,
    struct activations *to
) {
    SHARED(block, blocks_of(run))
        for (size_t t = block * block_of(run); t < end_of(run, block); t++)
            quantise(rows + t * up_to(linear->in, WIDTH), linear->smooth, linear->in, to, t);
    return step;
}

// Add `rows` to the states, normalise, and quantise for `next`, which is NULL after the last layer.
static size_t add_all(
    struct run *run, size_t step, const float *rows, const struct norm *norm,
    const struct linear *next
) {
    const size_t hidden = run->encoder->about.hidden, stride = up_to(hidden, WIDTH);
    SHARED(block, blocks_of(run)) {
        for (size_t t = block * block_of(run); t < end_of(run, block); t++) {
            float *state = run->states + t * stride;
            add(state, rows + t * stride, hidden);
            normalise(state, norm, hidden, run->encoder->about.epsilon);
            if (next) quantise(state, next->smooth, hidden, &run->of_states, t);
        }
    }
    return step;
}

static size_t layer_all(
    struct run *run, size_t step, const struct layer *layer, const struct layer *next, int member
) {
    step = attend_all(run, step, layer, member);
    step = quantise_all(run, step, run->contexts, &layer->output, &run->of_contexts);
    // Queries, keys and values are used up.
    step = apply_all(run, step, &layer->output, NONE, &run->of_contexts, run->projected);
    step = add_all(run, step, run->projected, layer->attention_norm, &layer->up);
    step = apply_all(
        run, step, &layer->up, run->encoder->about.activation, &run->of_states, run->raised
    );
    step = quantise_all(run, step, run->raised, &layer->down, &run->of_raised);
    step = apply_all(run, step, &layer->down, NONE, &run->of_raised, run->projected);
    return add_all(run, step, run->projected, layer->norm, next ? &next->attention : NULL);
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
        .bytes = take(memory, tokens * activation_stride(count)),
        .stride = activation_stride(count),
        .scales = take(memory, tokens * sizeof(float)),
    };
}

// These two say how much they have taken: in no memory, they count what they need.
static size_t lay_out_rows(struct run *run, struct memory memory, size_t tokens) {
    const struct description *about = &run->encoder->about;
    const size_t hidden = up_to(about->hidden, WIDTH), floats_of = tokens * sizeof(float);
    run->states = take(&memory, floats_of * hidden);
    run->contexts = take(&memory, floats_of * hidden);
    run->projected = take(&memory, floats_of * up_to(3 * about->hidden, WIDTH));
    run->raised = take(&memory, floats_of * up_to(about->inner, WIDTH));
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

EXPORTED void run_close(struct run *run) {
    if (!run) return;
    if (run->team.size) dissolve(&run->team);
    release(&run->memory);
    release(&run->head_memory);
    free(run->heads);
    free(run->scratch);
    free(run->steps);
    free(run);
}

// NULL where there is no memory, or no such number of threads.
EXPORTED struct run *run_open(const struct encoder *encoder, int32_t threads) {
    const struct description *about = &encoder->about;
    struct run *run = calloc(1, sizeof *run);
    if (!run) return NULL;
    run->encoder = encoder;
    // A layer has ten steps; before come embeddings, and after them selecting and the model's head.
    run->step_count = 10 * about->layer_count + about->head_count + 4;
    run->steps = calloc(run->step_count, sizeof *run->steps);
    run->heads = calloc(about->heads, sizeof *run->heads);
    run->scratch = calloc(threads, sizeof *run->scratch);
    if (!run->steps || !run->heads || !run->scratch || !gather(&run->team, threads)) {
        run->team.size = 0;
        run_close(run);
        return NULL;
    }
    return run;
}

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
