/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options that had another name. One name means one thing in all commands; the
 * old names are taken for one release, with a note on stderr. */
#ifndef SIM_CLI_RENAMED_H
#define SIM_CLI_RENAMED_H

/* A copy of argv, owned by the caller, with new names for old ones and *argc
 * its length. Words are borrowed from argv. */
char **cli_renamed(int *argc, char **argv);

#endif
