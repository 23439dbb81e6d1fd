/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses a launch command: which launcher starts how many processes of which
 * script, with which arguments. The command is never run. */
#ifndef MODELS_LAUNCH_H
#define MODELS_LAUNCH_H

#include "models/advisor/settings.h"

#define LAUNCH_WORDS_MAX 512

struct launch {
    /* such as "python", "torchrun" or "deepspeed"; or NULL */
    const char *launcher;
    /* folder to which a `cd` before the launch changes, or NULL */
    const char *dir;
    const char *script; /* path of a Python or shell script, or NULL */
    /* module of `python -m MODULE`, or NULL */
    const char *module;
    /* true if the script is a shell script */
    bool is_shell;
    /* number of processes per node; 0: not given */
    uint32_t processes;
    uint32_t nodes;     /* number of nodes; 0: not given */
    const char *config; /* accelerate's configuration file, or NULL */
    const char *words[LAUNCH_WORDS_MAX]; /* arguments of the script */
    size_t n_words;
};

/* Reads a command. If there are several commands (joined by &&, ; or |), the
 * first one that starts Python or a shell script is read. Returns false if none
 * of them does. Strings lie in the arena. */
bool launch_read(struct text command, struct arena *arena,
                 struct launch *out) MUST_USE;

/* Adds the arguments of the script as settings: --key value, --key=value,
 * key=value. A flag gets the value "true". Options of the launcher are not
 * added. */
void launch_settings(const struct launch *launch, const char *where,
                     size_t line, struct settings *out);

/* Returns the command in a shell script that starts the training, and its line.
 * Lines that end with a backslash are joined to the next line, and variables
 * that were set to plain text are replaced by their values. `caller` is the
 * command that starts the script: its arguments replace "$@", $* and $1 to $9;
 * NULL: they are not replaced. Returns NULL if the script has no such
 * command. */
const char *launch_in_script(struct text script, const struct launch *caller,
                             struct arena *arena, size_t *line);

#endif
