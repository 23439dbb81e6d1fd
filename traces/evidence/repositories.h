/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The index of the training repositories in a folder such as traces/evidence:
 * for each repository, what it can train, by which commands, how long a step
 * takes, and what users vary. The file says where its figures come from. */
#ifndef TRACES_REPOSITORIES_H
#define TRACES_REPOSITORIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/base/error.h"

#define REPO_KNOBS_MAX 8

/* What users vary from run to run, such as the learning rate. A command names
 * it in braces. */
struct repo_knob {
    const char *name;
    const char **values;
    uint32_t n;
};

struct repo_batch {
    uint32_t size;
    double step_s; /* seconds per step on one GPU */
};

/* Something that a repository can train. */
struct repo_task {
    const char *directory; /* of the repository, below the index */
    const char *name;      /* short name, such as "resnet50" */
    /* family, model and data set of a row of models/usage/usage.json */
    const char *family, *model, *dataset;
    bool amp;                    /* true: mixed precision */
    uint32_t gpus_from, gpus_to; /* GPUs that a job may ask for */
    uint32_t gpus_per_rank;      /* GPUs that work on one batch, >= 1 */
    bool batch_per_job;          /* false: a batch is that of one rank */
    double samples;              /* samples of an epoch, > 0 */
    uint32_t length;             /* knob that sets the length of a run */
    /* items of that knob per step; 0: the knob counts epochs */
    double items_per_step;
    double start_s;        /* seconds before the first step */
    const char *style;     /* a word of evidence_styles */
    uint32_t log_every;    /* steps; 0: one line per epoch */
    bool step_time;        /* true: the log states the time of a step */
    const char **commands; /* templates */
    struct repo_batch *batches;
    struct repo_knob *knobs;
    uint32_t n_commands, n_batches, n_knobs;
};

struct repositories {
    struct repo_task *tasks; /* those of one repository lie side by side */
    uint32_t n_tasks;
    uint32_t n_directories; /* number of repositories */
    const char **branches;
    uint32_t n_branches;
    /* probability that a user submits the last command of a script again */
    double repeat;
    uint32_t per_user;    /* most repositories in which one user works */
    double communication; /* share of a step per doubling of the GPUs */
    double spread;      /* standard deviation of the logarithm of the time of a
                           step */
    const char *folder; /* folder of the index */
};

/* Reads FOLDER/index.json. The arena owns *out. Errors name the file and the
 * repository. */
enum status repositories_read(const char *folder, struct arena *arena,
                              struct repositories *out,
                              struct error *err) MUST_USE;

#endif
