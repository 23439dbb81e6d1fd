/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface between the files of the Scheduling Advisor's rules: the
 * gathered evidence, and functions that set fields. */
#ifndef MODELS_SCHEDMATE_ADVISOR_RULES_INTERNAL_H
#define MODELS_SCHEDMATE_ADVISOR_RULES_INTERNAL_H

#include "schedmate/advisor/gather.h"

struct rules {
    struct gather gather;
    struct arena *arena;
    struct metadata *out;
};

/* Sets a field that is not set yet. A NULL value sets nothing. */
void rules_set(struct rules *rules, enum metadata_field field,
               const char *value, const char *where);
bool rules_has(const struct rules *rules, enum metadata_field field);
const struct setting *rules_find(const struct rules *rules,
                                 const char *const *keys, setting_fits *fits);

/* Returns the names of the options that set a field (clue_options). */
const char *const *rules_options(const struct rules *rules,
                                 enum metadata_field field);

/* Returns true if the value can be a name: it has two characters or more, is
 * not a number, not a switch, not unknown ("$..."), and not a file of weights
 * or notes. */
bool rules_is_name(struct text value);

/* Returns the last part of a path, without slashes after it. */
struct text rules_last_part(struct text path);
/* Finds the first `call`, such as "load_dataset(", and returns the string
 * literal that is its first argument; NULL if there is none. */
const char *rules_literal(struct text code, const char *call,
                          struct arena *arena);

/* Returns true if the evaluated code calls `word` or, if the evaluation found
 * no training, if a source has the word (clue_has_word). */
bool rules_code_has(const struct rules *rules, const char *word);
/* Returns the `where` of a field that was found in the code: the path of the
 * script, or "command" if no script was read. */
const char *rules_where(const struct rules *rules);

/* Returns true if a source imports the package or a module of it. */
bool rules_imports(const struct rules *rules, const char *package);

void rules_set_dataset(struct rules *rules);

/* The first sets the framework; the second, the kind of distribution, the
 * number of processes and the hardware. */
void rules_set_framework(struct rules *rules);
void rules_set_processes(struct rules *rules);

/* In hardware.c. Sets the number of GPUs, of nodes, and of GPUs on each
 * node. */
void rules_set_gpus(struct rules *rules);

/* In hardware.c. Sets the precision of the training, such as bf16. */
void rules_set_precision(struct rules *rules);

#endif
