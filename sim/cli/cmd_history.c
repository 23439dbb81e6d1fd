/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `history`: the ended jobs that SchedMate compares new jobs with. This file
 * finds the subcommand and the history file. */
#include "sim/cli/cmd_history_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/text.h"

static const struct command *const subcommands[] = {
    &history_command_add,
    &history_command_import,
    &history_command_list,
    NULL,
};

/* Makes the missing folders above a file, with access for the owner only, as
 * the XDG specification demands. */
static enum status make_folders(char *path, struct error *err)
{
    for (char *slash = strchr(path + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = 0;
        int failed = mkdir(path, 0700) != 0 && errno != EEXIST;
        if (failed)
            return error_set(err, STATUS_FAILED, "%s: cannot be made: %s", path,
                             strerror(errno));
        *slash = '/';
    }
    return STATUS_OK;
}

enum status history_open(const char *path, bool create, struct jobdb **out,
                         struct error *err)
{
    char buf[4096];
    const char *home = getenv("XDG_DATA_HOME");
    if (!path || !*path)
        path = getenv("SCHEDSIM_HISTORY");
    if (path && *path)
        return jobdb_open(path, create, out, err);
    bool data = home && *home == '/';
    if (!data)
        home = getenv("HOME");
    if (!home || !*home)
        return error_set(err, STATUS_USAGE,
                         "there is no home directory to keep a job history "
                         "in; name one with --history FILE");
    int len = snprintf(buf, sizeof buf, "%s%s/schedsim/history.db", home,
                       data ? "" : "/.local/share");
    if (len < 0 || (size_t)len >= sizeof buf)
        return error_set(err, STATUS_USAGE, "%s: the path is too long", home);
    enum status st = create ? make_folders(buf, err) : STATUS_OK;
    return st == STATUS_OK ? jobdb_open(buf, create, out, err) : st;
}

const struct command command_history = {
    .name = "history",
    .summary = "the ended jobs that new ones are compared with: add, import, "
               "list",
    .members = subcommands,
};
