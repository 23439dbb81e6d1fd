/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A launch command taken apart: which launcher starts how many processes of
 * which script, with which arguments. Nothing is ever run. */
#ifndef MODELS_LAUNCH_H
#define MODELS_LAUNCH_H

#include "models/settings.h"

#define LAUNCH_WORDS_MAX 512

struct launch {
    const char *launcher; /* "python", "torchrun", "deepspeed", ...; or NULL */
    const char *dir;      /* of a `cd` before it, or NULL */
    const char *script;   /* path of a .py or shell script, or NULL */
    const char *module;   /* python -m MODULE, or NULL */
    bool is_shell;        /* the script is one of the shell */
    uint32_t processes;   /* on a node; 0: unsaid */
    bool all_gpus;        /* one a GPU that is there */
    uint32_t nodes;       /* 0: unsaid */
    const char *config;   /* of accelerate's own, or NULL */
    const char *words[LAUNCH_WORDS_MAX]; /* arguments of the script */
    size_t n_words;
};

/* Strings lie in the arena. Of several commands (&&, ;, |) the first that
 * starts Python or a script of the shell counts. False if none does. */
bool launch_read(struct text command, struct arena *arena,
                 struct launch *out) MUST_USE;

/* The arguments as settings: --key value, --key=value, key=value, flags as
 * "true"; options of the launcher are not among them. */
void launch_settings(const struct launch *launch, const char *where,
                     size_t line, struct settings *out);

/* The command of a shell script that starts the training: lines joined at a
 * backslash, variables set to plain text put in. NULL if there is none. */
const char *launch_in_script(struct text script, struct arena *arena,
                             size_t *line);

#endif
