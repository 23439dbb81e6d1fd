/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads configuration files as values, and merges such values. */
#ifndef MODELS_ADVISOR_PY_CONFIG_H
#define MODELS_ADVISOR_PY_CONFIG_H

#include "models/advisor/python/py_machine.h"

/* Returns the value of a file of the project that the program names, merged
 * over the files that it names as its bases (`_base_`, `_BASE_`,
 * `base_config`); NULL if there is no such file. */
struct py_value *py_read_config(struct py_machine *machine, struct text path);
/* Returns the value of the file at a path that the host has found, with its
 * bases; NULL if there is none. */
struct py_value *py_read_found(struct py_machine *machine, const char *path);

/* Returns what open(path) gives: an object that holds the path. */
struct py_value *py_open(struct py_machine *machine, struct text path);

/* Returns the value true if the project has the file, else unknown. */
struct py_value *py_exists(struct py_machine *machine, struct text path);

/* Sets the items of `from` in `into`. Dictionaries within are merged too if
 * `deep`. */
void py_merge(struct py_machine *machine, struct py_value *into,
              const struct py_value *from, bool deep);
/* Sets KEY VALUE pairs, or KEY=VALUE, with dotted keys. Returns none. */
struct py_value *py_merge_list(struct py_machine *machine,
                               struct py_value *into,
                               const struct py_value *list);
/* Sets a dotted key, making the dictionaries in which it lies. */
void py_set_dotted(struct py_machine *machine, struct py_value *into,
                   struct text key, struct py_value *value);
struct py_value *py_get_dotted(const struct py_value *from, struct text key);
struct py_value *py_copy(struct py_machine *machine,
                         const struct py_value *value, unsigned depth);
/* Returns the value that a word of the command or of a file means: a truth
 * value, a number, none, a list in brackets, or the text. */
struct py_value *py_plain_value(struct arena *arena, struct text word,
                                const char *where, enum setting_rank rank);
/* Replaces ${key}, ${oc.env:NAME,default} and ${.key} in the texts of a
 * configuration by their values. */
void py_interpolate(struct py_machine *machine, struct py_value *root);

#endif
