/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The directory of `compare --out`: a result directory for each policy, and
 * compare.json, which lists them in the order of the options. */
#ifndef COMMANDS_COMPARED_H
#define COMMANDS_COMPARED_H

#include "base/arena.h"
#include "base/error.h"
#include "commands/args.h"

/* Makes a name for the result of each policy: the specification with '_' for
 * what is awkward in a file name, and a number if two would be equal. Sets
 * names[i], in the arena. */
void compared_names(const struct arg_list *policies, struct arena *arena,
                    const char *names[ARG_LIST_MAX]);

/* Writes DIR/compare.json. */
enum status compared_write(const char *dir, const char *const *names, size_t n,
                           struct error *err) MUST_USE;

/* Replaces each word that is such a directory by the results in it. Returns
 * STATUS_BAD_INPUT if a compare.json is not as compared_write writes it. */
enum status compared_expand(struct arg_words *words, struct arena *arena,
                            struct error *err) MUST_USE;

#endif
