/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds out from names what a job trains: the kind of model from the model's
 * name, the task from the dataset's name, the framework from an import.
 * Contains tables of such names and the functions that search them. */
#ifndef MODELS_ADVISOR_CLUES_H
#define MODELS_ADVISOR_CLUES_H

#include <stdbool.h>

#include "sim/base/text.h"

/* True if `t` contains `word` with no letter, digit or '_' next to it. Case
 * matters. */
bool clue_has_word(struct text t, const char *word);

/* Each function returns NULL if no clue matches. `evidence` is a list of names
 * in any case, split at each character that is neither letter nor digit. A clue
 * matches a whole name, or the beginning of a name if the clue has four letters
 * or more. */
const char *clue_task(struct text evidence);
const char *clue_model_type(struct text evidence);
const char *clue_dataset(struct text evidence);

/* Returns the dataset or the optimizer that the code mentions first, or
 * augmentation number i in the order of the table. NULL if there is none. */
const char *clue_dataset_in_code(struct text code);
const char *clue_optimizer_in_code(struct text code);
/* Returns the optimizer of this name, in any case; NULL if it is none. */
const char *clue_optimizer(struct text name);
const char *clue_augmentation_in_code(struct text code, size_t i);

/* Returns the names of the options that set a field ("batch_size"), as
 * settings_find takes them: the preferred names first, then a pattern of words
 * if the field has one. The list lies in the arena. */
const char *const *clue_options(const char *field, struct arena *arena);

/* Returns the name of the framework that an imported package is, or NULL if the
 * package is not a framework. *base becomes false for a package that builds on
 * PyTorch, true for any other framework. */
const char *clue_framework(struct text package, bool *base);

#endif
