/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What explain_waits.c (which waits there are, in which order) and
 * explain_sweep.c (the sweep) share. */
#ifndef SIM_CLI_EXPLAIN_WAITS_INTERNAL_H
#define SIM_CLI_EXPLAIN_WAITS_INTERNAL_H

#include "commands/explain_pools.h"
#include "commands/explain_waits.h"

#define EXPLAIN_NO_WAIT UINT32_MAX

/* Whether a job of a class could start. */
enum explain_fit { FIT_OUT, FIT_FULL, FIT_LENT, FIT_FRAGMENTED, FIT_PLACED };

/* How a class is off. It holds from `since` on. */
struct explain_state {
    enum explain_fit fit;
    /* FIT_FULL: the first n_passed jobs of the class are overtaken */
    uint32_t n_passed;
    bool quota; /* FIT_FULL: other virtual clusters have enough free GPUs */
    /* FIT_PLACED: place in explain_line.order of the first job of the virtual
     * cluster that waits and cannot be placed; EXPLAIN_NO_WAIT: none */
    uint32_t front;
    sim_time rest_until; /* FIT_PLACED: the next round begins then */
};

/* The jobs of one virtual cluster, GPU type and number of GPUs: all could
 * start, or none. Its totals count from the start of the sweep; a wait takes
 * the difference between its end and its start. */
struct explain_class {
    uint32_t vc, type, gpus;
    uint32_t *jobs, n_jobs; /* ranks in the virtual cluster, rising */
    /* places in explain_line.order of its waits, rising */
    uint32_t *places, n_places;
    uint32_t *heap, n_heap; /* places of waits that have begun; lazily taken */
    uint32_t n_waiting;
    struct explain_state state;
    sim_time since;
    sim_span spans[FIT_PLACED + 1], rested; /* rested: of FIT_PLACED */
    /* by number of overtaken jobs: time of FIT_FULL, in all and with `quota` */
    struct explain_sums passed, quota;
    /* by number of waits of the class before `front`: time of FIT_PLACED
     * without rest in which there was a `front` */
    struct explain_sums blocked;
};

/* Starts of a virtual cluster, by rank of the job. The GPU time held up to t is
 * t x gpus_now - begun. */
struct explain_vc {
    uint32_t first_class, n_classes, n_waiting;
    struct explain_sums starts, gpus, gpus_now, begun, waiting;
};

/* Kinds of edges, in their order within an instant. Waits end before anything
 * starts, so that a job that starts no longer counts as waiting. */
enum explain_edge_kind {
    EDGE_WAIT_ENDS,
    EDGE_ROUND, /* the first round of a wait begins */
    EDGE_WAIT_BEGINS,
    EDGE_STOP,
    EDGE_NODE,
    EDGE_START
};

struct explain_edge {
    sim_time at;
    enum explain_edge_kind kind;
    uint32_t index; /* of the wait, the attempt or the change */
};

/* The waits and classes of a result. */
struct explain_line {
    struct arena arena;
    const struct verify_data *data;
    struct explain_pools pools;
    struct explain_waits *waits;
    struct explain_class *classes;
    struct explain_vc *vcs;
    uint32_t n_classes, n_vcs;
    /* waits that a policy must end, in the order in which it does: see
     * explain_waits_of */
    uint32_t *order, n_order;
    /* by wait: its job, its place in `order` (EXPLAIN_NO_WAIT: not in it), and
     * its index among the places of its class */
    uint32_t *job_of, *place, *in_class;
    /* by job: its class, and its index among the jobs of the class */
    uint32_t *class_of, *job_in_class;
    bool reserves;  /* the policy keeps GPUs for the head of its queue */
    sim_span round; /* length of a round; 0: the policy has none */
    sim_time phase; /* a time at which a round begins */
    const bool *watched;
};

/* Returns all edges of the sweep, in order of time. The caller frees them. */
struct explain_edge *explain_edges_of(const struct explain_line *line,
                                      size_t *n);
/* Returns the time of the first round at or after a time; the time itself if
 * the policy has no rounds. */
sim_time explain_next_round(const struct explain_line *line, sim_time at);
/* In explain_sweep.c. Fills all reasons of the waits in line->order. */
void explain_sweep(struct explain_line *line);
/* In explain_judge.c. Judges whether the jobs of a class could start now; sets
 * all fields but `front` and `rest_until`. */
struct explain_state explain_judge(const struct explain_line *line,
                                   const struct explain_class *c);
/* True if the other virtual clusters have as many free GPUs as a job of the
 * class asks for. */
bool explain_is_quota(const struct explain_line *line,
                      const struct explain_class *c);
/* True if jobs of the class may run in the pool. */
bool explain_in_reach(const struct explain_class *c,
                      const struct explain_pool *pool);
/* Returns the number of elements of a rising list that are below a value. */
uint32_t explain_below(const uint32_t *list, uint32_t n, uint32_t value);

#endif
