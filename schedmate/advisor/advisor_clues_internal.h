/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lists of clues: schedmate/advisor/knowledge/clues.json, which
 * embed_clues.py writes into C, and the rows of a site. clues.json says what
 * each list is. */
#ifndef MODELS_ADVISOR_CLUES_INTERNAL_H
#define MODELS_ADVISOR_CLUES_INTERNAL_H

#include <stddef.h>

#include "schedmate/advisor/clues.h"

enum clue_kind {
    CLUES_TASKS,
    CLUES_MODEL_TYPES,
    CLUES_DATASETS,
    CLUES_DATASET_NAMES,
    CLUES_OPTIMIZERS,
    CLUES_AUGMENTATIONS,
    CLUES_FRAMEWORKS,
    CLUES_OPTION_NAMES,
    CLUES_OPTION_WORDS,
    CLUES_LAYERS,
    CLUES_MODEL_CLASSES,
    CLUES_TASK_CALLS,
    N_CLUE_KINDS,
};

struct clue {
    const char *name;
    const char *value; /* NULL in lists that have only names */
    const char *more;  /* third column if it is a text; else NULL */
    bool base;         /* for frameworks: false if it builds on PyTorch */
};
struct clue_list {
    const struct clue *at;
    size_t n;
};

struct clues {
    struct clue_list lists[N_CLUE_KINDS]; /* rows of a site come first */
    struct arena arena;
    /* files of the site, in the order in which they were read */
    struct clues_file *files;
    size_t n_files, cap_files;
};

#endif
