/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Divides an axis of time into equal bins, and computes integrals by bin of
 * functions that are constant between events. */
#include "commands/report/report_internal.h"

struct axis axis_over(sim_time end)
{
    return (struct axis){end, end / AXIS_BINS + (end % AXIS_BINS != 0)};
}

sim_span axis_length(const struct axis *axis, unsigned bin, sim_time end)
{
    /* `to` does not overflow, because width * AXIS_BINS exceeds the end by less
     * than AXIS_BINS us */
    uint64_t from = (uint64_t)axis->width * bin,
             to = from + (uint64_t)axis->width;
    if (end > axis->end)
        end = axis->end;
    if (end <= 0 || from >= (uint64_t)end)
        return 0;
    return (sim_span)((to < (uint64_t)end ? to : (uint64_t)end) - from);
}

void axis_add(const struct axis *axis, struct axis_sum *sum, sim_time from,
              sim_time to, uint64_t weight)
{
    from = from < 0 ? 0 : from;
    to = to > axis->end ? axis->end : to;
    if (from >= to)
        return;
    uint64_t width = (uint64_t)axis->width;
    uint64_t first = (uint64_t)from / width, last = (uint64_t)to / width;
    if (first == last) {
        sum->at[first] += weight * (uint64_t)(to - from);
        return;
    }
    sum->at[first] += weight * ((first + 1) * width - (uint64_t)from);
    sum->steps[first + 1] += weight;
    sum->steps[last] -= weight;
    if (last < AXIS_BINS)
        sum->at[last] += weight * ((uint64_t)to - last * width);
}

void axis_finish(const struct axis *axis, struct axis_sum *sum)
{
    uint64_t level = 0;
    for (unsigned b = 0; b < AXIS_BINS; b++) {
        level += sum->steps[b];
        sum->at[b] += level * (uint64_t)axis_length(axis, b, axis->end);
        sum->steps[b] = 0;
    }
    sum->steps[AXIS_BINS] = 0;
}
