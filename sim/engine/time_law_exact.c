/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The law of this simulator: work is rate x time, to the microsecond. At rate 1
 * nothing is rounded. */
#include <math.h>

#include "sim/engine/progress.h"

static const struct option exact_options[] = {
    OPT_SPAN(struct time_law_config, lag, "lag_s", 0, 0, 3600,
             "time for which a job whose work is done still holds its GPUs; if "
             "its node goes meanwhile, the job has finished then",
             "0: exact; Lucid's simulator: 1 for preemptive policies"),
    {0},
};

static double exact_duration(const struct time_law *law,
                             const struct progress *p, sim_span work)
{
    (void)law;
    return p->rate == 1 ? (double)work : ceil((double)work / p->rate);
}

static void exact_settle(const struct time_law *law, struct progress *p,
                         sim_time now)
{
    sim_span work = progress_work_in(now - p->since, p->rate);
    sim_time until = now;
    /* all work was done before now; the job is in its lag */
    if (work > p->left) {
        work = p->left;
        until = p->since + (sim_span)exact_duration(law, p, work);
    }
    p->left -= work;
    p->done += (double)work;
    p->since = until;
}

const struct time_law_ops time_law_exact = {
    .name = "exact",
    .summary = "work is rate x time, to the microsecond",
    .options = exact_options,
    .config_size = sizeof(struct time_law_config),
    .duration = exact_duration,
    .settle = exact_settle,
};
