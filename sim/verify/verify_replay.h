/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The starts and ends of attempts and the changes of nodes of a result, one
 * after another in order of time; at one time ends first, then changes of
 * nodes, then starts, each in the order of the files. Holds the ends of the
 * attempts that run, not a list of all ends. */
#ifndef SIM_VERIFY_REPLAY_H
#define SIM_VERIFY_REPLAY_H

#include "sim/verify/verify.h"

/* Packed, because there is one for each attempt of millions, and two while they
 * are sorted. */
struct verify_timed {
    sim_time at;
    uint32_t index;
} __attribute__((packed));

/* In verify_sort.c. Sorts by time; of equal times the first stays first. */
void verify_sort_timed(struct verify_timed *list, size_t n);

struct verify_edge {
    sim_time at;
    enum verify_edge_kind {
        VERIFY_EDGE_END,
        VERIFY_EDGE_NODE,
        VERIFY_EDGE_START
    } kind;
    uint32_t index; /* of the attempt or of the change */
};

struct verify_replay {
    const struct verify_data *data;
    struct verify_timed *starts; /* attempts by start */
    size_t n_starts, next_start;
    struct verify_timed *changes;
    size_t n_changes, next_change;
    struct verify_timed *ends; /* a heap: the ends of attempts that run */
    size_t n_ends, cap_ends;
    bool open_ends;
};

/* Leaves out attempts of no length and, unless `profiling`, those for
 * profiling. An attempt that was still running at the end of the run ends then
 * if `open_ends`; otherwise it has no end, and may have no length. The caller
 * calls verify_replay_fini. */
void verify_replay_init(struct verify_replay *replay,
                        const struct verify_data *data, bool profiling,
                        bool open_ends);
void verify_replay_fini(struct verify_replay *replay);

/* Sets *edge to the next edge without passing it; false if there is none. */
bool verify_replay_peek(const struct verify_replay *replay,
                        struct verify_edge *edge);
/* Passes the edge that verify_replay_peek found. */
void verify_replay_pass(struct verify_replay *replay,
                        const struct verify_edge *edge);

#endif
