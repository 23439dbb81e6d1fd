/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of models/advisor/knowledge/clues.json, which embed_clues.py
 * writes into C. clues.json says what each of them is. */
#ifndef MODELS_ADVISOR_CLUES_INTERNAL_H
#define MODELS_ADVISOR_CLUES_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

struct clue {
    const char *name;
    const char *value; /* NULL in tables that are lists of names */
    const char *more;  /* third column if it is a text; else NULL */
    bool base;         /* of frameworks: false if it builds on PyTorch */
};
struct clues {
    const struct clue *at;
    size_t n;
};

extern const struct clues clues_of_tasks, clues_of_model_types,
    clues_of_datasets, clues_of_dataset_names, clues_of_optimizers,
    clues_of_augmentations, clues_of_frameworks, clues_of_option_names,
    clues_of_option_words, clues_of_layers, clues_of_model_classes,
    clues_of_task_calls;

#endif
