/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings of a job: key and value, where the setting was found, and its
 * rank. The scanners of launch commands, Python sources and configuration files
 * make them; the rules of the Scheduling Advisor read them. */
#ifndef MODELS_SETTINGS_H
#define MODELS_SETTINGS_H

#include <stdbool.h>

#include "sim/base/text.h"

/* A smaller rank overrides a larger one. */
enum setting_rank {
    SETTING_COMMAND,  /* an argument of the command */
    SETTING_CARRIED,  /* a value of the command that the code reads by another
                         name */
    SETTING_CONFIG,   /* in a file that the command names */
    SETTING_USED,     /* a value of the code that reaches a call that trains */
    SETTING_DECLARED, /* default of a declared option */
    SETTING_ASSIGNED, /* assigned at the top level of a module, or as a field of
                         a class with a type */
    SETTING_LOCAL,    /* set anywhere else in the code */
};

struct setting {
    const char *key; /* lower case, '_' for '-'; dotted if nested */
    const char *value;
    const char *where; /* where it was found: "file:line", "file" if the line is
                          not known, or "command" */
    enum setting_rank rank;
    /* True if the value reaches a call that trains. Among settings of one rank,
     * such a setting comes first. */
    bool used;
    /* True if the value is an argument of a call that trains, such as that of a
     * loader. */
    bool trains;
    /* True if the code reads the value by this name. */
    bool is_read;
};

#define SETTINGS_MAX 5000
struct settings {
    struct arena *arena;
    struct setting *at; /* in the order in which they were found */
    size_t n, cap;
    struct setting_alias {
        const char *name, *means;
    } * aliases;
    size_t n_aliases, cap_aliases;
};

void settings_init(struct settings *settings, struct arena *arena);
void settings_fini(struct settings *settings);

/* Adds a setting. `line` 0 means no line. Quotes around the value are removed.
 * Underscores between digits, as in 10_000, are removed. An empty value, None,
 * null, a tag of HyperPyYAML and a value with 0 bytes are ignored. Settings
 * beyond SETTINGS_MAX are not added. */
void settings_add(struct settings *settings, enum setting_rank rank,
                  struct text key, struct text value, const char *path,
                  size_t line);

/* Declares that an option has two names. settings_resolve then renames what the
 * command sets by `name` to `means`. If a name is declared twice, the first
 * declaration counts. */
void settings_alias(struct settings *settings, struct text name,
                    struct text means);
void settings_resolve(struct settings *settings);

/* A function that returns true if a value is acceptable. NULL accepts all
 * values. */
typedef bool setting_fits(struct text value);
bool setting_is_positive(struct text value); /* a number above 0 */

/* Returns the setting of the smallest rank whose key is in `keys` or ends with
 * a dot and one of them. The list `keys` ends with NULL. An entry "~CORE
 * WORDS/OTHER WORDS" fits each key whose last part consists of such words, with
 * at least one core word, '_' aside. Within a rank, the setting whose key comes
 * first in `keys` is returned. Of several settings with this key, the last in a
 * command counts, but the first in any other source. Returns NULL if there is
 * none, if the command gives it a value that is not known, which is "$", or if
 * two sections of a configuration, none of which the code is known to read,
 * differ in it. */
const struct setting *settings_find(const struct settings *settings,
                                    const char *const *keys,
                                    setting_fits *fits);

/* Returns a line of a shell script, YAML or TOML without its comment, which
 * begins with a # at the start or after a blank, outside quotes. */
struct text settings_without_comment(struct text line);

#endif
