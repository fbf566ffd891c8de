// Threads that go through the steps of a run together.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "simd.h"

// Between two steps of a run others are awaited spinning, for they come within microseconds. If the
// system has taken a core away they do not, and this one is better given up than burnt.
enum { SPINS = 4000 };

typedef void (*work)(void *run, int member);

struct team {
    int size;
    pthread_t *threads; // of all but member 0, which is whoever calls
    pthread_mutex_t mutex;
    pthread_cond_t begun;
    work work;
    void *run;
    unsigned runs; // begun so far
    bool closing;
    char apart[64]; // what follows changes often, and what stands before is read by all
    atomic_int waiting;
    char apart_too[64];
    atomic_uint passed; // meetings so far
};

struct member {
    struct team *team;
    int number;
};

// Wait until every member is here.
static inline void meet(struct team *team) {
    if (team->size == 1) return;
    const unsigned meeting = atomic_load_explicit(&team->passed, memory_order_relaxed);
    if (atomic_fetch_add(&team->waiting, 1) == team->size - 1) {
        atomic_store_explicit(&team->waiting, 0, memory_order_relaxed);
        atomic_fetch_add(&team->passed, 1);
        return;
    }
    for (int spins = 0; atomic_load_explicit(&team->passed, memory_order_acquire) == meeting; spins++) {
        if (spins < SPINS) relax();
        else sched_yield();
    }
}

static void *serve(void *argument) {
    const struct member self = *(struct member *)argument;
    free(argument);
    struct team *team = self.team;
    for (unsigned done = 0;; done++) {
        pthread_mutex_lock(&team->mutex);
        while (team->runs == done && !team->closing) pthread_cond_wait(&team->begun, &team->mutex);
        const bool closing = team->closing;
        pthread_mutex_unlock(&team->mutex);
        if (closing) return NULL;
        team->work(team->run, self.number);
        meet(team);
    }
}

// Let every member do `work`, the caller as number 0, and wait until all have.
static void together(struct team *team, work work, void *run) {
    if (team->size > 1) {
        pthread_mutex_lock(&team->mutex);
        team->work = work;
        team->run = run;
        team->runs++;
        pthread_cond_broadcast(&team->begun);
        pthread_mutex_unlock(&team->mutex);
    }
    work(run, 0);
    meet(team);
}

static void dissolve(struct team *team) {
    pthread_mutex_lock(&team->mutex);
    team->closing = true;
    pthread_cond_broadcast(&team->begun);
    pthread_mutex_unlock(&team->mutex);
    for (int i = 1; i < team->size; i++) pthread_join(team->threads[i], NULL);
    pthread_cond_destroy(&team->begun);
    pthread_mutex_destroy(&team->mutex);
    free(team->threads);
}

// False where the system gives no more threads; then there is none.
static bool gather(struct team *team, int size) {
    *team = (struct team){.threads = calloc(size, sizeof(pthread_t))};
    if (!team->threads) return false;
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->begun, NULL);
    for (team->size = 1; team->size < size; team->size++) {
        struct member *member = malloc(sizeof *member);
        if (member) *member = (struct member){team, team->size};
        if (!member || pthread_create(&team->threads[team->size], NULL, serve, member)) {
            free(member);
            dissolve(team);
            return false;
        }
    }
    return true;
}
