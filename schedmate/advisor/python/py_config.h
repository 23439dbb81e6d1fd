/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads configuration files as values, and merges such values. */
#ifndef MODELS_ADVISOR_PY_CONFIG_H
#define MODELS_ADVISOR_PY_CONFIG_H

#include "schedmate/advisor/python/py_machine.h"

/* Returns the value of the configuration file at a path that the program names,
 * merged over its bases, which are the files under the key `_base_`,
 * `base_config` or the like. Returns NULL if there is no such file or it has no
 * value. If the value is a dictionary, adds a copy of it to machine->loaded. */
struct py_value *py_read_config(struct py_machine *machine, struct text path);

/* Returns what open(path) gives: an object that holds the path. */
struct py_value *py_open(struct py_machine *machine, struct text path);

/* Returns the value true if the project has the file, else unknown. */
struct py_value *py_exists(struct py_machine *machine, struct text path);

/* Sets the items of `from` in `into`. If `deep`, an item that is a dictionary
 * in both is merged instead of replaced. */
void py_merge(struct py_machine *machine, struct py_value *into,
              const struct py_value *from, bool deep);
/* Sets in `into` the pairs KEY VALUE or KEY=VALUE of a list; keys may be
 * dotted. Returns the value None. */
struct py_value *py_merge_list(struct py_machine *machine,
                               struct py_value *into,
                               const struct py_value *list);
/* Sets the value of a dotted key and makes the dictionaries around it that are
 * missing. */
void py_set_dotted(struct py_machine *machine, struct py_value *into,
                   struct text key, struct py_value *value);
struct py_value *py_get_dotted(const struct py_value *from, struct text key);
struct py_value *py_copy(struct py_machine *machine,
                         const struct py_value *value, unsigned depth);
/* Returns the value that a word of the command or of a file means: a truth
 * value, a number, None (also for an empty word), a list in brackets, or the
 * text without its quotes. */
struct py_value *py_plain_value(struct arena *arena, struct text word,
                                const char *where, enum setting_rank rank);
/* Replaces ${key}, ${.key}, ${oc.env:NAME,default} and ${env:NAME,default} in
 * the texts of a configuration by their values. A text with a reference that is
 * not known becomes unknown. */
void py_interpolate(struct py_machine *machine, struct py_value *root);

#endif
