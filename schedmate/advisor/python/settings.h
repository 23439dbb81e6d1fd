/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings of a job: key and value, where the setting was found, and its
 * rank. The readers of launch commands, Python sources and configuration files
 * add them; the rules of the Scheduling Advisor search them. */
#ifndef MODELS_SETTINGS_H
#define MODELS_SETTINGS_H

#include <stdbool.h>

#include "base/text.h"

/* A smaller rank overrides a larger one. */
enum setting_rank {
    SETTING_COMMAND, /* an argument of the command, or a variable of its
                        environment */
    /* a value of the command under the name by which the code reads it, or an
     * option of the launcher */
    SETTING_CARRIED,
    SETTING_CONFIG,   /* in a configuration file */
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
    /* True if the evaluated code uses the value: reads or assigns it, or gives
     * it to a call of the training. Among settings of one rank, such a setting
     * comes first. */
    bool used;
    /* True if the value is an argument of a call of the training, such as the
     * call that makes the loader. */
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

/* Adds a setting with copies of the texts. `line` 0 means no line. Quotes
 * around the value, dashes before the key and underscores between digits, as in
 * 10_000, are removed. Nothing is added if the key is empty or longer than 100
 * bytes, if the value is empty, longer than 500 bytes, None, null or a tag of
 * HyperPyYAML, if either has a 0 byte, or if there are SETTINGS_MAX settings.
 */
void settings_add(struct settings *settings, enum setting_rank rank,
                  struct text key, struct text value, const char *path,
                  size_t line);

/* Declares that an option has two names. settings_resolve then renames what the
 * command sets by `name` to `means`. If a name is declared twice, the first
 * declaration counts. */
void settings_alias(struct settings *settings, struct text name,
                    struct text means);
void settings_resolve(struct settings *settings);

/* A function that returns true if a value is acceptable. A NULL pointer accepts
 * all values. */
typedef bool setting_fits(struct text value);
bool setting_is_positive(struct text value); /* a number above 0 */

/* Searches the settings whose key is in `keys` or ends with a dot and one of
 * them. The list `keys` ends with NULL. An entry "~CORE WORDS/OTHER WORDS" fits
 * each key whose last part consists of such words, with at least one core word,
 * '_' aside. Keys in a section of an evaluation, such as val.batch_size, do not
 * count.
 *
 * Returns the setting of the smallest rank. Within a rank, a setting that is
 * `used` comes first, then the key that comes first in `keys`, then the last
 * argument of a command, a value that the code reads, or else the first setting
 * found. A configuration file overrides an argument if the code has read the
 * argument, but gives the value of the file to a call of the training. Returns
 * NULL if there is no setting, if the command gives it a value that is not
 * known, which is "$", or if two sections of a configuration differ in it and
 * the code is not known to read either of them. */
const struct setting *settings_find(const struct settings *settings,
                                    const char *const *keys,
                                    setting_fits *fits);

/* Returns a line of a shell script, YAML or TOML without its comment, which
 * begins with a # at the start or after a blank, outside quotes. */
struct text settings_without_comment(struct text line);

#endif
