/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workloads, runs and checks, shared by the files of sim/judge. */
#ifndef SIM_JUDGE_INTERNAL_H
#define SIM_JUDGE_INTERNAL_H

#include "sim/judge/judge.h"
#include "sim/run/run.h"

/* In workload.c: random workloads. */
enum { WORKLOAD_JOBS_MAX = 512 };
struct workload_job {
    sim_span submitted, runs; /* submission and run time, us, whole seconds */
    uint32_t gpus, user, vc;
};
struct workload {
    char cluster[64]; /* in the shorthand of --cluster */
    struct workload_job jobs[WORKLOAD_JOBS_MAX];
    uint32_t n_jobs, n_vcs;
};
/* Draws a small jobset with many events at equal times, on one or two virtual
 * clusters. */
void workload_draw(struct workload *w, uint64_t seed, uint32_t number);
/* Draws a larger jobset, on 32 GPUs under a load of about 0.9. */
void workload_draw_load(struct workload *w, uint64_t seed, uint32_t number);
/* Writes the workload as a trace. Returns STATUS_FAILED if that fails. */
enum status workload_write(const struct workload *w, const char *path,
                           struct error *err) MUST_USE;

/* In judge_runs.c: runs of workloads. */
struct judge {
    const struct judge_config *config;
    struct judge_verdict *verdict;
    const char *dir; /* directory for traces; the caller removes it */
};
/* Runs a policy on a workload. The caller frees *out with run_free. *out is
 * NULL if the run failed, and its error is returned; a run that leaves jobs
 * unfinished has failed. `twice`: asks the policy a second time at each
 * instant. */
enum status judge_run(const struct judge *judge, const struct workload *w,
                      const char *policy, bool twice, struct run **out,
                      struct error *err) MUST_USE;
/* Compares the jobs, the starts and the GPUs of the attempts that begin at
 * `until` or before. Returns STATUS_BROKEN, and names the first difference in
 * `err`, if they differ. */
enum status judge_compare(struct run *a, struct run *b, sim_time until,
                          struct error *err) MUST_USE;
/* Returns the mean JCT of the jobs, seconds. Each job must have ended. */
double judge_mean_jct(struct run *run);
/* Returns the time of the first end of an attempt; TIME_NEVER: no attempt has
 * ended. */
sim_time judge_first_end(struct run *run);

/* judge.c: runs all checks in this process, and measures the score. */
void judge_all(const struct judge *judge);

/* cell.c: returns microseconds on a clock that only goes forward. */
sim_time cell_clock(void);

#endif
