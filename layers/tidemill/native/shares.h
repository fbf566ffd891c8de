// Steps of a run, shared out among the members of its team.
#pragma once

#include "run.h"

// For every share that this member gets of a step of `count`; then until the others' are done, too.
#define SHARED(share, count) \
    for (size_t of_ = (count), open_ = 1; open_; open_ = 0, await_step(run->steps + step++, of_)) \
        for (size_t share; (share = next_share(run->steps + step, of_)) < of_; \
             finish_share(run->steps + step))

// Rows are shared out in blocks, four or so for each member.
static inline size_t block_of(const struct run *run, size_t rows) {
    return rows / (4 * run->team.size) + 1;
}

// For every row of the blocks that this member gets of the first `rows`.
#define SHARED_ROWS(row, rows) \
    SHARED(block_, (rows + block_of(run, rows) - 1) / block_of(run, rows)) \
        for (size_t row = block_ * block_of(run, rows); \
             row < rows && row < (block_ + 1) * block_of(run, rows); row++)
