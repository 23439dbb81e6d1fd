/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the GPU time of a run went, by two identities that must hold.
 *
 * Of jobs: held = useful + lost + overhead + slowed. Work counts as the time
 * that it takes alone on the GPUs held. Work is lost if a failure or an
 * eviction undid it, if the job was given up, or if it was done in a profiling
 * attempt and not kept. `slowed`, the time that sharing cost, is an integral of
 * speeds and not a remainder, so that the identity can fail. Skipped for
 * elastic jobs, whose work has another measure.
 *
 * Of the machine: described GPUs x makespan = down + idle + busy, and busy =
 * held - what second and further holders of a GPU held. GPUs of the cluster
 * that serve the language model run no jobs; their time is added on the left,
 * and on the right as busy and idle time of the model. */
#ifndef SIM_GPU_TIME_H
#define SIM_GPU_TIME_H

#include "sim/results/advice.h"
#include "sim/results/columns.h"

/* All times are GPU-microseconds. */
struct gpu_time_books {
    bool rigid; /* true if the identity of jobs applies: no job is elastic, and
                   results.alone is set */
    gpu_time held;
    gpu_time profiling; /* part of `held` in profiling attempts */
    gpu_time writing;   /* part of `overhead` spent on writing checkpoints */
    double useful, lost, overhead, slowed;
    gpu_time described, down, idle, busy;
    /* GPU time of shared GPUs, times the number of holders minus one */
    gpu_time again;
    /* true if GPUs of the cluster serve the language model: llm_busy and
     * llm_idle are then part of the identity of the machine */
    bool serves;
    gpu_time llm_busy, llm_idle;
};

/* ends with a NULL name */
extern const struct scalar gpu_time_scalars[];

void gpu_time_init(struct gpu_time_books *books, const struct results *results);
/* Adds a job, but not to `held` and `profiling`, which the summary sets. */
void gpu_time_add(struct gpu_time_books *books, const struct results *results,
                  const struct facts *facts);
/* Adds the GPUs of the cluster that serve the language model. */
void gpu_time_add_llm(struct gpu_time_books *books,
                      const struct advice_summary *advice);
#endif
