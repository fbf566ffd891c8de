// An encoder and its runs, so many as may be under way at the same time; callers wait for a free one.
#pragma once

#include "run.h"

struct pool {
    struct encoder *encoder;
    pthread_mutex_t mutex;
    pthread_cond_t freed;
    struct run **free; // [size], of which the first `count` are
    size_t count;
    size_t size;
};

static struct run *take_run(struct pool *pool) {
    pthread_mutex_lock(&pool->mutex);
    while (!pool->count) pthread_cond_wait(&pool->freed, &pool->mutex);
    struct run *run = pool->free[--pool->count];
    pthread_mutex_unlock(&pool->mutex);
    return run;
}

static void give_back(struct pool *pool, struct run *run) {
    pthread_mutex_lock(&pool->mutex);
    pool->free[pool->count++] = run;
    pthread_cond_signal(&pool->freed);
    pthread_mutex_unlock(&pool->mutex);
}

// Nobody may be in a run.
static void close_pool(struct pool *pool) {
    if (!pool) return;
    while (pool->count) close_run(pool->free[--pool->count]);
    close_encoder(pool->encoder);
    pthread_cond_destroy(&pool->freed);
    pthread_mutex_destroy(&pool->mutex);
    free(pool->free);
    free(pool);
}

// NULL where there is no memory, or no such number of threads.
static struct pool *open_pool(const struct description *about, int32_t threads, int32_t size) {
    if (threads < 1 || size < 1) return NULL;
    struct pool *pool = calloc(1, sizeof *pool);
    if (!pool) return NULL;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->freed, NULL);
    pool->size = size;
    pool->free = calloc(size, sizeof *pool->free);
    pool->encoder = open_encoder(about);
    while (pool->free && pool->encoder && pool->count < pool->size) {
        struct run *run = open_run(pool->encoder, threads);
        if (!run) break;
        pool->free[pool->count++] = run;
    }
    if (pool->count == pool->size) return pool;
    close_pool(pool);
    return NULL;
}
