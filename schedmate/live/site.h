/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of a user, and what a site knows beside the built-in data.
 *
 * Where the files of a user lie, by the XDG base directory specification. */
#ifndef SIM_SITE_H
#define SIM_SITE_H

#include <limits.h>

#include "base/error.h"
#include "schedmate/advisor/clues.h"
#include "schedmate/logs/log_knowledge.h"

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

/* Reads what a site knows beside the built-in data. About failures: all files
 * NAME.json of $XDG_CONFIG_HOME/schedsim/signatures.d (~/.config without that
 * variable) in the order of their names, then the files of --signatures in the
 * order given. About names in jobs: those of clues.d and of --clues. */

/* Reads the built-in data and the files of the site. An absent directory is not
 * an error. The caller owns *out, also if this fails. */
enum status site_knowledge_open(const char *const *files, size_t n,
                                struct log_knowledge **out,
                                struct error *err) MUST_USE;

/* Reads the built-in clues of the advisor and those of the site, under the
 * rules of site_knowledge_open. */
enum status site_clues_open(const char *const *files, size_t n,
                            struct clues **out, struct error *err) MUST_USE;

#endif
