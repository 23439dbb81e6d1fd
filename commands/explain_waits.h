/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The waits of some jobs of a result, and why these jobs waited: one sweep over
 * the starts, ends and changes of nodes in order of time. Its cost is near
 * linear in the number of attempts. Its memory is 8 bytes a job of the result,
 * 90 bytes a wait above 0 and 300 bytes a wait of the jobs asked for. */
#ifndef SIM_CLI_EXPLAIN_WAITS_H
#define SIM_CLI_EXPLAIN_WAITS_H

#include "base/arena.h"
#include "commands/explain_reasons.h"
#include "sim/verify/verify_failures.h"

/* A time during which a job was on no GPU: from its submission or the end of an
 * attempt to its next attempt, to its end or to the end of the run. */
struct waiting {
    sim_time from, to;
    /* end of the time for which a recovery rule held the job back; `from`: none
     * did */
    sim_time released;
    bool after_failure;
    bool started;    /* true if it ended with a start */
    bool to_profile; /* true if it ended with the start of a profiling */
    /* Their sum is to - from. Most waits are empty, and all of these share one
     * with only zeroes. Owned by explain_waits. */
    struct explain_reasons *why;
    /* The rest is 0 if to_profile, or if the job was held back to the end. */
    uint32_t free_gpus; /* its GPUs that were free at `released` */
    /* jobs of its virtual cluster submitted earlier that waited at `released`
     */
    uint32_t ahead;
    /* starts, in its virtual cluster, of jobs submitted later while it waited:
     * their number and GPUs; and the GPU time that such jobs held during the
     * wait, GPU-us */
    uint64_t later_starts, later_gpus, later_time;
};

/* A time for which one job kept another one waiting (blocked-by,
 * reserved-for). */
struct explain_block {
    const struct waiting *wait;
    uint32_t job; /* the job in front, index in verify_data.jobs */
    sim_span span;
};

struct explain_waits {
    /* the jobs asked for, indices in verify_data.jobs, rising */
    uint32_t *jobs;
    size_t n_jobs;
    /* by place in `jobs`: index of the first wait of the job; it has one more
     * than attempts, the last of which can be empty */
    uint32_t *first;
    struct waiting *at;
    size_t n;
    /* blocks of the jobs, if asked for; several of one wait and one job */
    struct explain_block *blocks;
    size_t n_blocks, cap_blocks;
    struct arena arena; /* reasons of the waits */
};

/* Measures the waits of the n jobs `jobs`, which may come in any order and
 * twice. `blocks`: lists their blocks, each of which costs time at each change,
 * so there should be few jobs. The caller calls explain_waits_fini.
 *
 * A job is "in front" of another one if it started first, or at the same time
 * and was submitted first; under backfill, which starts jobs out of order, if
 * it became pending first. What the policy intended is not in a result. Rounds
 * are those of the option round_s of the policy; they begin where attempts
 * start.
 */
void explain_waits_of(const struct verify_failures *failures,
                      const uint32_t *jobs, size_t n, bool blocks,
                      struct explain_waits *out);
void explain_waits_fini(struct explain_waits *waits);
/* Returns the waits of a job that was asked for. */
const struct waiting *explain_waits_job(const struct explain_waits *waits,
                                        const struct verify_data *data,
                                        const struct verify_job *job);
/* Adds up the waits of a job. */
struct explain_reasons explain_waits_sum(const struct explain_waits *waits,
                                         const struct verify_data *data,
                                         const struct verify_job *job);

/* Fills `out`, which has room for n_max or all jobs, with the jobs that have
 * the longest queueing delays, the longest first and of equal ones the first
 * submitted. `user`: only the jobs of this user, 0: of all. Returns their
 * number. */
size_t explain_longest(const struct verify_data *data, uint32_t user,
                       size_t n_max, uint32_t *out);

#endif
