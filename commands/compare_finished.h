/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `compare DIR DIR...`: finished results in one table, without a simulation. */
#ifndef SIM_COMPARE_FINISHED_H
#define SIM_COMPARE_FINISHED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Prints the results and their differences to the first one, job by job, as
 * tables or as JSON. Returns STATUS_BAD_INPUT if one is not a whole result or
 * they are not of the same jobs, STATUS_INCOMPLETE if some job of a result did
 * not finish. */
enum status compare_finished(const char *const *dirs, size_t n, bool json,
                             bool all_remarks, struct error *err) MUST_USE;

#endif
