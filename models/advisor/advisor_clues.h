/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds from names what a job trains: the kind of model from the name of the
 * model, the task from the name of the dataset, the framework from an import.
 * Declares the lists of such names, the clues, and the functions that search
 * them. */
#ifndef MODELS_ADVISOR_CLUES_H
#define MODELS_ADVISOR_CLUES_H

#include <stdbool.h>

#include "sim/base/arena.h"
#include "sim/base/digest.h"
#include "sim/base/text.h"

struct clues; /* opaque */

/* The clues of models/advisor/knowledge/clues.json. */
extern const struct clues clues_built_in;

/* A file of a site. */
struct clues_file {
    const char *path;
    size_t added; /* number of rows whose name is new to their list */
    /* number of rows that replace a row of the built-in clues or of an earlier
     * file */
    size_t replaced;
};

/* Returns a copy of the built-in clues, to which files can be added. The caller
 * owns it and frees it with clues_free. */
struct clues *clues_new(void);
/* Adds a file of a site, which knowledge/clues.schema.json describes. Its rows
 * come before all other rows of their lists; older rows of the same names are
 * dropped. Invalid content is STATUS_BAD_INPUT, and the error begins with
 * FILE:LINE:COLUMN. */
enum status clues_add(struct clues *clues, const char *path, struct text json,
                      struct error *err) MUST_USE;
void clues_free(struct clues *clues); /* accepts NULL */

/* Returns file i of a site in the order of reading; NULL after the last. */
const struct clues_file *clues_file(const struct clues *clues, size_t i);
/* Computes the SHA-256 of all rows. */
void clues_digest(const struct clues *clues, char hex[DIGEST_HEX_MAX]);

/* True if `t` contains `word` with no letter, digit or '_' next to it. Case
 * matters. */
bool clue_has_word(struct text t, const char *word);

/* Each of the next three functions returns the value of the first matching
 * clue; NULL if no clue matches. `evidence` is a list of names in any case,
 * split at each character that is neither letter nor digit. A clue matches a
 * whole name, or the beginning of a name if the clue has four letters or more.
 */
const char *clue_task(const struct clues *clues, struct text evidence);
const char *clue_model_type(const struct clues *clues, struct text evidence);
const char *clue_dataset(const struct clues *clues, struct text evidence);

/* Return the dataset, and the optimizer, whose name comes first in the code;
 * NULL if there is none. */
const char *clue_dataset_in_code(const struct clues *clues, struct text code);
const char *clue_optimizer_in_code(const struct clues *clues, struct text code);
/* Returns the optimizer of this name, in any case; NULL if the name is not that
 * of an optimizer. */
const char *clue_optimizer(const struct clues *clues, struct text name);
/* Returns the i-th augmentation, in the order of the list, that the code names;
 * NULL if there is none. */
const char *clue_augmentation_in_code(const struct clues *clues,
                                      struct text code, size_t i);

/* Returns the names of the options that set a field ("batch_size"), as
 * settings_find takes them: the preferred names first, then a pattern of words
 * if the field has one. The list lies in the arena. */
const char *const *clue_options(const struct clues *clues, const char *field,
                                struct arena *arena);

/* Returns the name of the framework that an imported package is, or NULL if the
 * package is not a framework. Sets *base to false for a package that builds on
 * PyTorch, to true for any other framework. */
const char *clue_framework(const struct clues *clues, struct text package,
                           bool *base);

#endif
