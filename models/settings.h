/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a job is set to: key and value, where it was said, and how much that
 * weighs. Made by the scanners of launch commands, Python sources and
 * configuration files; read by the Scheduling Advisor's rules. */
#ifndef MODELS_SETTINGS_H
#define MODELS_SETTINGS_H

#include <stdbool.h>

#include "sim/base/text.h"

/* A smaller rank overrules a larger one. */
enum setting_rank {
    SETTING_COMMAND,
    SETTING_CONFIG,   /* a file that the command names */
    SETTING_DECLARED, /* default of a declared option */
    SETTING_ASSIGNED, /* of a module or a class */
    SETTING_LOCAL,    /* anywhere else in the code */
};

struct setting {
    const char *key; /* lower case, '_' for '-'; dotted if it is nested */
    const char *value;
    const char *where; /* "file:line" or "command" */
    enum setting_rank rank;
};

#define SETTINGS_MAX 5000
struct settings {
    struct arena *arena;
    struct setting *at; /* in the order in which they were said */
    size_t n, cap;
    struct setting_alias {
        const char *name, *means;
    } * aliases;
    size_t n_aliases, cap_aliases;
};

void settings_init(struct settings *settings, struct arena *arena);
void settings_fini(struct settings *settings);

/* line 0: no line. Quotes around the value are taken off; an empty value, None,
 * null and bytes of 0 say nothing. Beyond SETTINGS_MAX nothing is added. */
void settings_add(struct settings *settings, enum setting_rank rank,
                  struct text key, struct text value, const char *path,
                  size_t line);

/* An option has two names: what a command says by the one counts for the other,
 * once settings_resolve is called. The first meaning of a name stays. */
void settings_alias(struct settings *settings, struct text name,
                    struct text means);
void settings_resolve(struct settings *settings);

/* What a value is taken for: NULL means anything. */
typedef bool setting_fits(struct text value);
bool setting_is_positive(struct text value); /* a number above 0 */

/* The weightiest setting whose key, or its last part behind a dot, is one of
 * `keys`, which end with NULL; earlier keys come first within a rank, then what
 * was said last (a command) or first (anything else). NULL if there is none. */
const struct setting *settings_find(const struct settings *settings,
                                    const char *const *keys,
                                    setting_fits *fits);

/* A line of a shell script, YAML or TOML without its comment, which begins with
 * a # at the start or behind a blank, outside of quotes. */
struct text settings_without_comment(struct text line);

#endif
