/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the results that the user asks for (--wait-over, --by), beside those
 * that results always have. */
#ifndef SIM_EXTRAS_H
#define SIM_EXTRAS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/units.h"

enum { EXTRAS_OVER_MAX = 8 };

struct extras {
    /* times of --wait-over, distinct and ascending, us; for each of them the
     * results have the share of jobs that wait longer */
    sim_span over[EXTRAS_OVER_MAX];
    size_t n_over;
    bool by_user, by_type; /* --by: groups of jobs in the summary */
};

/* Parses the texts of --wait-over, lengths of time separated by commas, and of
 * --by, "user" and "type" separated by commas. NULL: not given. Returns
 * STATUS_USAGE if a text is not understood or has more than EXTRAS_OVER_MAX
 * times. */
enum status extras_parse(const char *wait_over, const char *by,
                         struct extras *out, struct error *err) MUST_USE;

enum { EXTRAS_NAME_MAX = 64 };
/* Writes the name of the metric of a time, such as "share_waiting_over_600s",
 * to `buf`, and returns it. */
const char *extras_over_name(sim_span over, char buf[EXTRAS_NAME_MAX]);
enum { EXTRAS_TEXT_MAX = 256 };
/* Writes the times in seconds, separated by commas, to `buf`, and returns
 * it. */
const char *extras_over_text(const struct extras *extras,
                             char buf[EXTRAS_TEXT_MAX]);

#endif
