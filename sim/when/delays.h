/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who is delayed by a change, and by how much: a state is simulated in two
 * worlds, which differ in the changes of --what-if or in the policy. A draw
 * gives every job the same run time in both, so each answer is a quantile of
 * the differences of one job, not a difference of quantiles. */
#ifndef SIM_WHEN_DELAYS_H
#define SIM_WHEN_DELAYS_H

#include "sim/when/when.h"

/* A delay of a job counts from here on. */
#define DELAYS_LEAST (60 * SPAN_SECOND)
/* Delays of a job that starts in the first world alone: DELAYS_NEVER; in the
 * second alone: -DELAYS_NEVER. */
#define DELAYS_NEVER TIME_NEVER

/* A job that waits, and its start; or one that runs, and its end. */
struct delay_row {
    size_t job;             /* index in the state */
    bool runs;              /* it runs at the present */
    sim_time before, after; /* medians, us since 1970; TIME_NEVER: never */
    sim_span p10, p50, p90; /* by how much later in the second world */
};

struct delay_sum {
    const char *user;                   /* "": not known */
    uint32_t n_jobs, n_later, n_sooner; /* of their p50: beyond DELAYS_LEAST */
    /* Sum of the delays that are not infinite: quantiles over the draws. */
    sim_span p10, p50, p90;
};

struct delays {
    const struct state *state; /* borrowed */
    struct delay_row *rows;    /* waiting jobs, then running ones; each with the
                                * largest p50 first */
    size_t n_waiting, n_rows;
    struct delay_sum all;    /* of the waiting jobs */
    struct delay_sum *users; /* of the waiting jobs, by the sum of their delays,
                              * the largest first */
    size_t n_users;
    sim_span later;       /* median p50 of the waiting jobs that are later */
    uint32_t n_never;     /* waiting jobs that start in the first world alone */
    uint32_t n_only_then; /* in the second alone */
    uint32_t draws;
    char words[160];            /* on what the beliefs rest */
    const char *before, *after; /* the policies; borrowed */
    const char **changes;       /* what --what-if does, one sentence each */
    size_t n_changes;
    struct arena arena;
};

/* `options->config` describes the second world, and names its policy.
 * `against`: policy of the first world, which has no --what-if; NULL: the same.
 * The caller calls delays_fini. On failure there is nothing to free. */
enum status delays_ask(const struct state *state,
                       const struct when_options *options, const char *against,
                       struct delays *out, struct error *err) MUST_USE;
void delays_fini(struct delays *delays);

#endif
