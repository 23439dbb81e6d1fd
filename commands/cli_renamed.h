/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options, kinds of `list`, keys of configuration files and environment
 * variables that were renamed, so that one name means one thing in all
 * commands. The old names are accepted for one release, with a note on
 * stderr. The code is in cli.c. */
#ifndef SIM_CLI_RENAMED_H
#define SIM_CLI_RENAMED_H

/* Returns a copy of argv in which old names of options and of kinds of `list`
 * are replaced by new ones. `command`: its full name, such as "trace info". An
 * option and its value may become two words, so *argc becomes the new length.
 * For a command that asks a language model, environment variables with old
 * names are also set under their new names, unless these are set already. The
 * caller frees the array; its words are borrowed. */
char **cli_renamed(const char *command, int *argc, char **argv);
/* Returns the current name of a key of the configuration file `path`: `key`
 * itself, or its new name after a note on stderr. */
const char *cli_renamed_key(const char *path, const char *key);

#endif
