/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State and functions that the files of `sweep --slurm` share. */
#ifndef STUDY_SLURM_INTERNAL_H
#define STUDY_SLURM_INTERNAL_H

#include <limits.h>

#include "base/out.h"
#include "commands/study/slurm.h"

/* A submission while it is made. */
struct slurm_submission {
    const struct sweep *sweep;
    const struct slurm_options *options;
    uint32_t n_shards;
    uint32_t max_index; /* largest index that the site allows in an array */
    /* by shard, from 0: true if the shard has runs to make */
    bool *has_work;
    char program[PATH_MAX], here[PATH_MAX];
    struct out *jobs; /* job ids of the arrays, each after a colon */
    size_t n_arrays, n_tasks;
};

/* The words of a call of sbatch (slurm_sbatch.c). sbatch_add puts copies into
 * the arena. */
enum { SBATCH_WORDS_MAX = 96 };
struct sbatch_words {
    const char *at[SBATCH_WORDS_MAX]; /* words; ends with NULL */
    size_t n;
    struct arena *arena;
};
void sbatch_add(struct sbatch_words *words, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds --output for a file of DIR/slurm, then the options of the user. */
void sbatch_add_last(struct sbatch_words *words,
                     const struct slurm_submission *sub, const char *name);
/* Returns the script of a task, which computes its shard with the shell
 * expression `shard`; NULL: the script of the job that collects. */
const char *sbatch_script(const struct slurm_submission *sub, const char *shard,
                          struct arena *arena);
/* Calls sbatch; `job` becomes the id of the job. Returns STATUS_FAILED if
 * sbatch cannot be started or fails. A dry run prints the call instead, and
 * `job` becomes "JOB". */
enum status sbatch_submit(const struct slurm_submission *sub,
                          const struct sbatch_words *words, const char *script,
                          char job[32], struct error *err) MUST_USE;
/* Copies the bytes of a stream in memory to the arena and frees the stream. */
const char *sbatch_text(struct out *out, struct arena *arena);

#endif
