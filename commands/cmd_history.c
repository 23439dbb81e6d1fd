/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `history`: the ended jobs that SchedMate compares new jobs with. This file
 * lists the subcommands and opens the history. */
#include "commands/cmd_history_internal.h"

#include <stdlib.h>

#include "schedmate/live/home.h"

static const struct command *const subcommands[] = {
    &history_command_add,
    &history_command_import,
    &history_command_list,
    NULL,
};

enum status history_open(const char *path, bool create, struct jobdb **out,
                         struct error *err)
{
    char buf[PATH_MAX];
    if (!path || !*path)
        path = getenv("SCHEDSIM_HISTORY");
    if (path && *path)
        return jobdb_open(path, create, out, err);
    enum status st = home_path(HOME_DATA, "history.db",
                               " to keep a job history in; name one with "
                               "--history FILE",
                               buf, err);
    if (st == STATUS_OK && create)
        st = home_make_folders(buf, err);
    return st == STATUS_OK ? jobdb_open(buf, create, out, err) : st;
}

const struct command command_history = {
    .name = "history",
    .summary = "the ended jobs that new ones are compared with: add, import, "
               "list",
    .members = subcommands,
};
