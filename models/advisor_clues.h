/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What names give away: of a model its kind, of a dataset the task, of an
 * import the framework. Tables, and how they are looked up. */
#ifndef MODELS_ADVISOR_CLUES_H
#define MODELS_ADVISOR_CLUES_H

#include <stdbool.h>

#include "sim/base/text.h"

/* Does `word` stand in `t` by itself? Case counts. */
bool clue_has_word(struct text t, const char *word);

/* Each NULL if nothing is known. `evidence` is a list of names, in any case,
 * split at what is neither letter nor digit; a clue is a name, or if it is of
 * four letters or more the beginning of one. */
const char *clue_task(struct text evidence);
const char *clue_model_type(struct text evidence);
const char *clue_dataset(struct text evidence);

/* A dataset, optimizer, augmentation that code names: number i of what it
 * names, in the order of the tables; NULL behind the last. */
const char *clue_dataset_in_code(struct text code);
const char *clue_optimizer_in_code(struct text code);
const char *clue_augmentation_in_code(struct text code, size_t i);

/* The framework of an imported package; *base tells a framework from what is
 * built on PyTorch. NULL if it is none. */
const char *clue_framework(struct text package, bool *base);

#endif
