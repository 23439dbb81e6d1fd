/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a user chooses for a run from a repository: a task, one of its commands,
 * a branch, a batch size, and a value of each knob. All draws are keyed
 * (keyed_uniform), so a draw depends on its stream, its key and its number, and
 * on no earlier draw. */
#ifndef TRACES_CHOICE_H
#define TRACES_CHOICE_H

#include "base/out.h"
#include "traces/evidence/evidence_log.h"
#include "traces/evidence/repositories.h"

struct repo_choice {
    const struct repo_task *task;
    const char *branch;
    uint32_t command, batch; /* indices of task.commands, task.batches */
    uint32_t values[REPO_KNOBS_MAX]; /* by knob: index of its value */
};

/* The keyed draws of one purpose for one key. */
struct repo_draws {
    uint64_t stream; /* rng_stream of the purpose */
    uint64_t key;    /* key of the draws: a user, a script or a job */
    uint32_t k;      /* number of the next draw of this key */
};

/* Draws a whole number below n, n > 0, and advances draws->k. */
uint32_t repo_draw(struct repo_draws *draws, uint32_t n);

/* Draws command, branch, batch size and knobs of a run of the task. */
struct repo_choice repo_choice_new(const struct repositories *all,
                                   const struct repo_task *task,
                                   struct repo_draws draws);

/* Changes the choice for the next run. With probability repositories.repeat it
 * stays, else the batch size or one knob changes, if it has another value. */
void repo_choice_vary(const struct repositories *all,
                      struct repo_choice *choice, struct repo_draws draws);

/* Writes the command of a job on `gpus` GPUs, on nodes with `node_gpus` GPUs.
 */
void repo_choice_write(const struct repo_choice *choice, uint32_t gpus,
                       uint32_t node_gpus, struct out *out);

/* Fills the description of the log of a run on `gpus` GPUs. step_s has no
 * random part (repositories.spread): the caller may add it. */
void repo_choice_log(const struct repositories *all,
                     const struct repo_choice *choice, uint32_t gpus,
                     struct evidence_log *out);

#endif
