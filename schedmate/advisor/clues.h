/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds from names what a job trains, such as the kind of model from the name
 * of the model, the task from the name of the dataset, or the framework from an
 * import. Such a name is a clue; clues are kept in lists. */
#ifndef SIM_CLUES_H
#define SIM_CLUES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/digest.h"
#include "base/text.h"
#include "schedmate/advisor/python/py_machine.h"

struct clues; /* defined in advisor_internal.h */

/* The clues of schedmate/advisor/knowledge/clues.json. */
extern const struct clues clues_built_in;

/* A file of clues that a site adds to the built-in ones. */
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

/* Adds a file of a site; knowledge/clues.schema.json describes its format. Its
 * rows come before all other rows of their lists; older rows of the same names
 * are dropped. Invalid content is STATUS_BAD_INPUT, and the error begins with
 * FILE:LINE:COLUMN; the lists that were read before the invalid one then have
 * the new rows. */
enum status clues_add(struct clues *clues, const char *path, struct text json,
                      struct error *err) MUST_USE;

void clues_free(struct clues *clues); /* accepts NULL */

/* Returns file i, from 0, of those that were added, in the order in which they
 * were read; NULL after the last. */
const struct clues_file *clues_file(const struct clues *clues, size_t i);

/* Writes the SHA-256 of all rows to `hex`. */
void clues_digest(const struct clues *clues, char hex[DIGEST_HEX_MAX]);

/* True if `t` contains `word` with no letter, digit or '_' next to it. Case
 * matters. */
bool clue_has_word(struct text t, const char *word);

/* Each of the next three functions returns the value of the first clue of its
 * list that matches; NULL if none does. `evidence` is a list of names, split at
 * each character that is neither letter nor digit. A clue matches a name that
 * equals it and, if the clue has four characters or more, a name that begins
 * with it; the case of letters does not matter. The rest of a name from a
 * capital that follows no other capital counts as a name, too: the clue ViT
 * matches SmallViT. */
const char *clue_task(const struct clues *clues, struct text evidence);

const char *clue_model_type(const struct clues *clues, struct text evidence);

const char *clue_dataset(const struct clues *clues, struct text evidence);

/* The first returns the dataset whose name comes first in the code. The second
 * returns the optimizer whose call, such as "Adam(", comes first; of each name
 * only the first occurrence counts. Both return NULL if there is none. */
const char *clue_dataset_in_code(const struct clues *clues, struct text code);

const char *clue_optimizer_in_code(const struct clues *clues, struct text code);

/* Returns the optimizer of this name, spelled as in the list of clues; the case
 * of `name` does not matter. Returns NULL if the list does not have it. */
const char *clue_optimizer(const struct clues *clues, struct text name);

/* Returns augmentation i, from 0, of those that the code names, in the order in
 * which the list of clues has them; NULL after the last. */
const char *clue_augmentation_in_code(const struct clues *clues,
                                      struct text code, size_t i);

/* Returns the names of the options that set a field ("batch_size"), as
 * settings_find takes them: the preferred names first, then a pattern of words
 * if the field has one. The list ends with NULL and lies in the arena. */
const char *const *clue_options(const struct clues *clues, const char *field,
                                struct arena *arena);

/* Returns the name of the framework to which an imported package belongs; NULL
 * if it belongs to none. Sets *base to false for a framework that builds on
 * PyTorch, to true for any other, and leaves it unchanged if NULL is
 * returned. */
const char *clue_framework(const struct clues *clues, struct text package,
                           bool *base);

/* Tells the kind of a model from its class in a library or from its layers, and
 * the task from the classes of libraries that the code uses. */

/* Both functions return NULL if no clue fits. `model` may be NULL. */
const char *advisor_kind_of_model(const struct clues *clues,
                                  const struct py_machine *machine,
                                  const struct py_value *model);

const char *advisor_task_of_calls(const struct clues *clues,
                                  const struct py_machine *machine,
                                  const struct py_value *model);

#endif
