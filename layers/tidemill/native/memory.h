// One block for all arrays of an owner, in large pages where the system has them.
#pragma once

#include <stdbool.h>
#include <sys/mman.h>

#include "simd.h"

struct memory {
    char *start;
    size_t size;
    size_t taken;
};

enum { LARGE_PAGE = 2 << 20 };

static inline size_t room_for(size_t bytes) { return up_to(bytes, 64); }

// Zeros; false where there is no more.
static bool reserve(struct memory *memory, size_t size) {
    *memory = (struct memory){.size = up_to(size, LARGE_PAGE) + LARGE_PAGE};
    void *start = mmap(
        NULL, memory->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0
    );
    if (start == MAP_FAILED) return false;
    memory->start = start;
    memory->taken = up_to((uintptr_t)start, LARGE_PAGE) - (uintptr_t)start;
#ifdef MADV_HUGEPAGE
    // Weights are read from end to end for each text: with small pages the addresses alone cost.
    madvise(memory->start + memory->taken, up_to(size, LARGE_PAGE), MADV_HUGEPAGE);
#endif
    return true;
}

static inline void *take(struct memory *memory, size_t bytes) {
    void *at = memory->start + memory->taken;
    memory->taken += room_for(bytes);
    return at;
}

static void release(struct memory *memory) {
    if (memory->start) munmap(memory->start, memory->size);
}
