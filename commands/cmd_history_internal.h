/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The subcommands of `history`, and what all commands that use a job history
 * share: how it is found and opened. */
#ifndef SIM_CMD_HISTORY_INTERNAL_H
#define SIM_CMD_HISTORY_INTERNAL_H

#include "commands/cli.h"
#include "schedmate/jobs/jobdb.h"

extern const struct command history_command_add, history_command_import,
    history_command_list;

/* Help text of the option --history. */
#define HISTORY_HELP \
    "the job history; default $SCHEDSIM_HISTORY, else schedsim/history.db in " \
    "$XDG_DATA_HOME or ~/.local/share"

/* Opens the job history. `path` NULL or "": the default that HISTORY_HELP
 * names. If `create` is true, makes the file, and for the default its folders
 * too. */
enum status history_open(const char *path, bool create, struct jobdb **out,
                         struct error *err) MUST_USE;

#endif
