// An encoder's weights, packed in the order in which they are used.
#pragma once

#include "description.h"

struct layer {
    struct linear attention;
    struct linear output;
    struct linear up;
    struct linear down;
    const int8_t *attention_weight; // as the model's file has it
    const struct norm *attention_norm;
    const struct norm *norm;
};

struct encoder {
    struct description about;
    struct memory memory;
    struct layer *layers;
};

static void close_encoder(struct encoder *encoder) {
    if (!encoder) return;
    release(&encoder->memory);
    free(encoder->layers);
    free(encoder);
}

// NULL where there is no memory.
static struct encoder *open_encoder(const struct description *about) {
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
        close_encoder(encoder);
        return NULL;
    }
    for (size_t i = 0; i < about->weight_count; i++) {
        const struct layer_weights *from = about->weights + i;
        encoder->layers[i] = (struct layer){
            .attention = pack(&from->attention, &encoder->memory),
            .output = pack(&from->output, &encoder->memory),
            .up = pack(&from->up, &encoder->memory),
            .down = pack(&from->down, &encoder->memory),
            .attention_weight = from->attention.weight,
            .attention_norm = &from->attention_norm,
            .norm = &from->norm,
        };
    }
    return encoder;
}
