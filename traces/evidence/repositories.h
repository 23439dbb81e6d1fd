/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The index of the training repositories in a folder such as traces/evidence:
 * for each repository, what it can train, by which commands, how long a step
 * takes, and what users vary. The file index.json says where its figures come
 * from. */
#ifndef TRACES_REPOSITORIES_H
#define TRACES_REPOSITORIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

#define REPO_KNOBS_MAX 8

/* A setting that users vary from run to run, such as the learning rate. A
 * command names it in braces. */
struct repo_knob {
    const char *name;
    const char **values;
    uint32_t n;
};

struct repo_batch {
    uint32_t size;
    double step_s; /* seconds per step on one GPU */
};

/* A model that a repository can train on a data set. */
struct repo_task {
    /* directory of the repository, relative to that of the index */
    const char *directory;
    const char *name; /* short name, such as "resnet50" */
    /* family, model and data set of a row of models/usage/usage.json */
    const char *family, *model, *dataset;
    bool amp;                    /* true: mixed precision */
    uint32_t gpus_from, gpus_to; /* range of the number of GPUs that a job may
                                  * ask for */
    uint32_t gpus_per_rank;      /* GPUs that work on one batch, >= 1 */
    bool batch_per_job;          /* false: a batch size is the batch size of
                                  * one rank */
    double samples;              /* samples of an epoch, > 0 */
    uint32_t length;             /* index of the knob that sets the length of
                                  * a run */
    /* how many items of the knob `length` a step takes; 0: the knob counts
     * epochs */
    double items_per_step;
    double start_s;        /* seconds before the first step */
    const char *style;     /* a word of evidence_styles */
    uint32_t log_every;    /* steps from one progress line to the next; 0:
                            * one line per epoch */
    bool step_time;        /* true: the log states the time of a step */
    const char **commands; /* commands with knobs and numbers in braces */
    struct repo_batch *batches;
    struct repo_knob *knobs;
    uint32_t n_commands, n_batches, n_knobs;
};

struct repositories {
    struct repo_task *tasks; /* tasks of one repository are neighbours */
    uint32_t n_tasks;
    uint32_t n_directories; /* number of repositories */
    const char **branches;
    uint32_t n_branches;
    /* probability that a user submits the last command of a script unchanged */
    double repeat;
    uint32_t per_user;    /* largest number of repositories in which one user
                           * works */
    double communication; /* share of repo_batch.step_s that each doubling of
                           * the GPUs adds to a step */
    /* Standard deviation of the logarithm of the time of a step. */
    double spread;
    const char *folder; /* path of the folder that holds the index */
};

/* Reads FOLDER/index.json. The arena owns everything in *out. Errors name the
 * file and the place in it, such as the repository and the task. */
enum status repositories_read(const char *folder, struct arena *arena,
                              struct repositories *out,
                              struct error *err) MUST_USE;

#endif
