// Threads that go through the steps of a run together.
//
// Each step falls into shares that whoever is there takes, one after another. A step is over when all
// its shares are done, not when all members have come: one that the system wakes late holds nobody up,
// and finds what it missed done.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "simd.h"

// Shares take microseconds, so others' last ones are awaited spinning. Where one takes longer, its
// member has lost its core, and this one is better given up than burnt.
enum { SPINS = 2000 };

struct step {
    atomic_size_t taken;
    atomic_size_t done;
    char apart[48]; // from the next one, on another cache line
};

typedef void (*work)(void *run, int member);

struct team {
    int size;
    pthread_t *threads; // of all but member 0, which is whoever calls
    pthread_mutex_t mutex;
    pthread_cond_t begun;
    work work;
    void *run; // that under way, or NULL
    unsigned runs; // begun so far
    bool closing;
    atomic_int inside; // members other than the caller that take part in the run under way
};

struct member {
    struct team *team;
    int number;
};

// A share that nobody has taken, or `count` where there is none left.
static inline size_t next_share(struct step *step, size_t count) {
    const size_t share = atomic_fetch_add_explicit(&step->taken, 1, memory_order_relaxed);
    return share < count ? share : count;
}

static inline void finish_share(struct step *step) {
    atomic_fetch_add_explicit(&step->done, 1, memory_order_release);
}

static inline void wait_a_little(int *spins) {
    if (++*spins < SPINS) relax();
    else sched_yield();
}

static inline void await_step(struct step *step, size_t count) {
    for (int spins = 0; atomic_load_explicit(&step->done, memory_order_acquire) < count;)
        wait_a_little(&spins);
}

static void *serve(void *argument) {
    const struct member self = *(struct member *)argument;
    free(argument);
    struct team *team = self.team;
    for (unsigned seen = 0;;) {
        pthread_mutex_lock(&team->mutex);
        while (team->runs == seen && !team->closing) pthread_cond_wait(&team->begun, &team->mutex);
        seen = team->runs;
        void *run = team->run;
        const bool closing = team->closing;
        if (run) atomic_fetch_add_explicit(&team->inside, 1, memory_order_relaxed);
        pthread_mutex_unlock(&team->mutex);
        if (closing) return NULL;
        if (!run) continue; // it was over before this member woke
        team->work(run, self.number);
        atomic_fetch_sub_explicit(&team->inside, 1, memory_order_release);
    }
}

// Let members do `work`, the caller as number 0, and return when it is done and none is at it.
static void together(struct team *team, work work, void *run) {
    if (team->size == 1) {
        work(run, 0);
        return;
    }
    pthread_mutex_lock(&team->mutex);
    team->work = work;
    team->run = run;
    team->runs++;
    pthread_cond_broadcast(&team->begun);
    pthread_mutex_unlock(&team->mutex);
    work(run, 0);
    pthread_mutex_lock(&team->mutex);
    team->run = NULL;
    pthread_mutex_unlock(&team->mutex);
    for (int spins = 0; atomic_load_explicit(&team->inside, memory_order_acquire);)
        wait_a_little(&spins);
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
