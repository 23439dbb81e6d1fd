/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the files of a user lie, by the XDG base directory specification. The
 * code is in site.c. */
#ifndef SIM_HOME_H
#define SIM_HOME_H

#include <limits.h>

#include "base/error.h"

enum home {
    HOME_CONFIG, /* $XDG_CONFIG_HOME, otherwise ~/.config */
    HOME_DATA,   /* $XDG_DATA_HOME, otherwise ~/.local/share */
    HOME_STATE,  /* $XDG_STATE_HOME, otherwise ~/.local/state */
};

/* Writes the path of the file schedsim/NAME in a folder of the user.
 * STATUS_USAGE if the path is too long or the user has no home directory; the
 * message about the latter ends with `instead`, which says what to do. */
enum status home_path(enum home home, const char *name, const char *instead,
                      char out[PATH_MAX], struct error *err) MUST_USE;

/* Makes the missing folders above a file, with access for the owner only, as
 * the XDG specification demands. */
enum status home_make_folders(const char *path, struct error *err) MUST_USE;

#endif
