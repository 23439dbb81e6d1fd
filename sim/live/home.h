/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a user's files lie, after the XDG base directory specification. */
#ifndef SIM_HOME_H
#define SIM_HOME_H

#include <limits.h>

#include "sim/base/error.h"

enum home {
    HOME_CONFIG, /* $XDG_CONFIG_HOME, otherwise ~/.config */
    HOME_DATA,   /* $XDG_DATA_HOME, otherwise ~/.local/share */
    HOME_STATE,  /* $XDG_STATE_HOME, otherwise ~/.local/state */
};

/* Writes the path of schedsim/NAME in this folder. STATUS_USAGE if the path is
 * too long, or if the user has no home; that message ends with `instead`, which
 * says what to do. */
enum status home_path(enum home home, const char *name, const char *instead,
                      char out[PATH_MAX], struct error *err) MUST_USE;

/* Makes the missing folders above a file, with access for the owner only, as
 * the XDG specification demands. */
enum status home_make_folders(const char *path, struct error *err) MUST_USE;

#endif
