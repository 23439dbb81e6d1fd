/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/live/home.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum status home_path(enum home home, const char *name, const char *instead,
                      char out[PATH_MAX], struct error *err)
{
    static const struct {
        const char *variable, *folder;
    } all[] = {
        [HOME_CONFIG] = {"XDG_CONFIG_HOME", "/.config"},
        [HOME_DATA] = {"XDG_DATA_HOME", "/.local/share"},
        [HOME_STATE] = {"XDG_STATE_HOME", "/.local/state"},
    };
    const char *base = getenv(all[home].variable);
    /* The specification demands that a relative path is ignored. */
    bool named = base && *base == '/';
    if (!named)
        base = getenv("HOME");
    if (!base || !*base)
        return error_set(err, STATUS_USAGE, "there is no home directory%s",
                         instead);
    int len = snprintf(out, PATH_MAX, "%s%s/schedsim/%s", base,
                       named ? "" : all[home].folder, name);
    return len > 0 && len < PATH_MAX
               ? STATUS_OK
               : error_set(err, STATUS_USAGE, "%s: the path is too long", base);
}

enum status home_make_folders(const char *path, struct error *err)
{
    char at[PATH_MAX];
    if (snprintf(at, sizeof at, "%s", path) >= PATH_MAX)
        return error_set(err, STATUS_USAGE, "%s: the path is too long", path);
    for (char *slash = strchr(at + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(at, 0700) != 0 && errno != EEXIST)
            return error_set(err, STATUS_FAILED, "%s: cannot be made: %s", at,
                             strerror(errno));
        *slash = '/';
    }
    return STATUS_OK;
}
