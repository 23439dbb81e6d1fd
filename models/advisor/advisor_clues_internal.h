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
    bool base;         /* of frameworks: false if it builds on PyTorch */
};
struct clues {
    const struct clue *at;
    size_t n;
};

extern const struct clues clues_of_tasks, clues_of_model_types,
    clues_of_datasets, clues_of_dataset_names, clues_of_optimizers,
    clues_of_augmentations, clues_of_frameworks;

#endif
