/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Divides an axis of time into equal bins, and computes integrals by bin of
 * functions that are constant between events. */
#ifndef REPORT_AXIS_H
#define REPORT_AXIS_H

#include <stdint.h>

#include "base/units.h"

enum { AXIS_BINS = 360 };

struct axis {
    sim_time end;   /* the axis is 0 .. end, > 0 */
    sim_span width; /* length of a bin; the last bins may be shorter or empty */
};

/* An integral by bin. Before axis_finish, `at` has only the first and the last
 * bin of each range that was added; for the bins between them, steps[i] is the
 * change of the function at the beginning of bin i. axis_finish adds both up in
 * `at`. The numbers are unsigned, because sums over hostile times may wrap
 * around. The caller sets them to 0 before the first axis_add. */
struct axis_sum {
    uint64_t at[AXIS_BINS], steps[AXIS_BINS + 1];
};

struct axis axis_over(sim_time end);
/* Returns the length of the part of a bin that lies before `end` and on the
 * axis; 0 if no part does. */
sim_span axis_length(const struct axis *axis, unsigned bin, sim_time end);
/* Adds `weight` from `from` until `to`; what lies outside the axis is left
 * out. */
void axis_add(const struct axis *axis, struct axis_sum *sum, sim_time from,
              sim_time to, uint64_t weight);
void axis_finish(const struct axis *axis, struct axis_sum *sum);

#endif
