/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The law of Sia's simulator, which has whole seconds only: work ends at the
 * multiple of a step, counted from the last change of speed, that is nearest to
 * its exact end (halves to even). The job then has done exactly its work, even
 * if the rounded time would give a little less or more. */
#include <math.h>

#include "sim/engine/progress.h"

struct grid_config {
    struct time_law_config shared;
    sim_span step;
};

static const struct option grid_options[] = {
    OPT_SPAN(struct grid_config, step, "step_s", 1, 1e-6, 60,
             "work of a running job ends on the nearest multiple of this after "
             "it began or last changed its speed",
             "Sia's simulator: 1"),
    OPT_SPAN(struct grid_config, shared.lag, "lag_s", 0, 0, 3600,
             "time for which a job whose work is done still holds its GPUs; if "
             "its node goes meanwhile, the job has finished then",
             NULL),
    {0},
};

static double grid_duration(const struct time_law *law,
                            const struct progress *p, sim_span work)
{
    double step = (double)((const struct grid_config *)law->config)->step;
    return rint((double)work / p->rate / step) * step;
}

static void grid_settle(const struct time_law *law, struct progress *p,
                        sim_time now)
{
    sim_span work = progress_work_in(now - p->since, p->rate);
    double span = grid_duration(law, p, p->left);
    sim_time until = now;
    if (work > p->left || span <= (double)(now - p->since)) {
        work = p->left;
        until = p->since + (sim_span)span;
    }
    p->left -= work;
    p->done += (double)work;
    p->since = until;
}

static sim_span grid_tick(const struct time_law *law)
{
    return ((const struct grid_config *)law->config)->step;
}

const struct time_law_ops time_law_grid = {
    .name = "grid",
    .summary = "work ends on a grid of seconds, as in Sia's simulator",
    .options = grid_options,
    .config_size = sizeof(struct grid_config),
    .rounds = true,
    .duration = grid_duration,
    .settle = grid_settle,
    .tick = grid_tick,
};
