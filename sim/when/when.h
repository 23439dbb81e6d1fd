/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When the waiting jobs of a state start. The state is simulated several times,
 * each time with other run times drawn from what is believed of them
 * (sim/present/beliefs.h); the policy knows the limits alone. Jobs that are
 * submitted later are not foreseen. */
#ifndef SIM_WHEN_H
#define SIM_WHEN_H

#include "sim/present/beliefs.h"
#include "sim/run/run.h"

enum { WHEN_DRAWS_MAX = 10000 };

/* How often a start came between p10 and p90, which should be 80 %: least and
 * most of the twelve replays of docs/when.md, "How good it is". */
#define WHEN_HELD "75 to 100 % of the starts in 12 replays beside a real Slurm"

struct when_options {
    struct run_config config; /* policy, placer and so on; no trace */
    uint32_t draws;           /* 1 .. WHEN_DRAWS_MAX */
    bool limits_only;         /* jobs run up to their limits: one draw */
};

/* The answer about one job. Times are us since 1970; TIME_NEVER: it does not
 * start in that share of the draws. */
struct when_row {
    size_t job;             /* index in the state */
    sim_time p10, p50, p90; /* start */
    uint32_t ahead; /* waiting jobs that start before it, median of the draws */
    uint32_t free;  /* GPUs of its kind that are free at the present */
    /* The user whose running jobs most often hold the GPUs that it gets, the
     * number of these jobs (mean of the draws, rounded), whether other users'
     * jobs hold some too, and when the first of them ends with 80 %. NULL: no
     * running job holds them. */
    const char *holder;
    uint32_t n_holders;
    bool has_others;
    sim_time first_end;
    /* the reservation plus 1 that keeps it from GPUs that are free, in at least
     * half of the draws; 0: none */
    size_t kept_by;
};

struct when {
    const struct state *state; /* borrowed */
    struct when_row *rows;     /* jobs that wait, in the order of the state */
    size_t n_rows;
    uint32_t draws;
    char words[160];    /* on what the beliefs rest */
    const char *policy; /* name of the policy; in the arena */
    struct arena arena;
};

/* Answers about all jobs of the state that wait. The caller calls when_fini. On
 * failure there is nothing to free. */
enum status when_ask(const struct state *state,
                     const struct when_options *options, struct when *out,
                     struct error *err) MUST_USE;
void when_fini(struct when *when);

void when_sort(sim_time *at, size_t n);
/* Returns the value that a share of the n sorted values does not exceed. */
sim_time when_quantile(const sim_time *sorted, uint32_t n, double share);

enum { WHEN_AFTER_MAX = 32 };
/* Writes the length of time from the present to `at`, such as "2h 10min", and
 * returns it. */
const char *when_after(const struct state *state, sim_time at,
                       char out[WHEN_AFTER_MAX]);

/* Writes why the job waits, as a sentence without a stop. */
void when_reason(const struct when *when, const struct when_row *row, char *out,
                 size_t room);

#endif
