/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Presets of conventions: the options that `--conventions NAME` sets so that a
 * run follows the simulator of a paper, including its oddities. A preset only
 * sets options that can also be set one by one. */
#ifndef SIM_CONVENTIONS_H
#define SIM_CONVENTIONS_H

#include "base/error.h"
#include "base/text.h"

struct convention {
    const char *preset;
    /* policy for which the option is set; NULL: all */
    const char *policy;
    /* kind of plug-in, such as "policy" or "time-law"; or "profilers" or
     * "estimators" */
    const char *owner;
    /* key NULL: `value` is the default of the option --OWNER, such as the name
     * of a plug-in */
    const char *key, *value;
};

extern const struct convention conventions[]; /* ends with a NULL preset */

struct conventions_name {
    const char *name, *summary;
};
extern const struct conventions_name
    conventions_names[]; /* ends with a NULL name */

enum status conventions_check(const char *name, struct error *err) MUST_USE;

#endif
