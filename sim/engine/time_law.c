/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/engine/time_law.h"

#include <math.h>

#include "base/check.h"
#include "sim/engine/progress.h"
#include "sim/engine/time_law_internal.h"

/* The law of this simulator: work is rate x time, to the microsecond. At rate 1
 * nothing is rounded. */

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

/* The law of Sia's simulator, which has whole seconds only: work ends at the
 * multiple of a step, counted from the last change of speed, that is nearest to
 * its exact end (halves to even). The job then has done exactly its work, even
 * if the rounded time would give a little less or more. */

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

/* The law of Lucid's simulator: each second after the start subtracts `rate`
 * from a double of seconds, and the job ends one second after the double has
 * become 0 or less. An attempt that is profiled is timed as in the law
 * `exact`. */

static const struct option countdown_options[] = {
    OPT_BOOL(struct time_law_config, later_stays_slow, "later_stays_slow",
             false,
             "a job keeps the rate that it had beside another job even after "
             "that job, if it came earlier, has ended",
             "Lucid's simulator: true, a defect"),
    {0},
};

uint64_t countdown_run(double *remain, double rate, uint64_t most)
{
    double r = *remain;
    uint64_t n = 0;
    int exponent;
    while (n < most && r > 0) {
        double next = r - rate, step = r - next;
        /* All doubles between `low` and 2 * `low` are `unit` apart, so each
         * subtraction takes an equal step, except at ties. */
        frexp(r, &exponent);
        double low = ldexp(0.5, exponent), unit = ldexp(1, exponent - 53);
        double units = rate / unit, many = floor((r - low) / step) - 1;
        CHECK(next < r);
        if (many < 2 || units - floor(units) == 0.5) {
            r = next;
            n++;
            continue;
        }
        if (many > (double)(most - n))
            many = (double)(most - n);
        r -= many * step;
        n += (uint64_t)many;
    }
    *remain = r;
    return n;
}

static bool is_profiled(const struct progress *p)
{
    return p->limit != TIME_NEVER;
}

static void countdown_begin(struct progress *p)
{
    p->countdown = span_seconds(p->left);
}

static double countdown_duration(const struct time_law *law,
                                 const struct progress *p, sim_span work)
{
    return time_law_exact.duration(law, p, work);
}

static void countdown_settle(const struct time_law *law, struct progress *p,
                             sim_time now)
{
    if (is_profiled(p)) {
        time_law_exact.settle(law, p, now);
        return;
    }
    uint64_t seconds = (uint64_t)((now - p->since) / SPAN_SECOND);
    if (seconds == 0)
        return; /* p->left stays as the caller set it until a whole second
                 * has passed */
    countdown_run(&p->countdown, p->rate, seconds);
    sim_span rest = p->countdown > 0 ? span_from_seconds(p->countdown) : 0;
    sim_span passed = (sim_span)seconds * SPAN_SECOND, work = p->left - rest;
    if (rest == 0)
        p->idle += passed - (sim_span)llrint((double)work / p->rate);
    p->done += (double)work;
    p->left = rest;
    p->since += passed;
}

static sim_time countdown_end(const struct time_law *law,
                              const struct progress *p)
{
    double remain = p->countdown;
    if (is_profiled(p))
        return progress_after(p->since, countdown_duration(law, p, p->left), 0);
    uint64_t n = countdown_run(&remain, p->rate, UINT32_MAX);
    return p->since + (sim_span)(n + 1) * SPAN_SECOND;
}

static sim_span countdown_tick(const struct time_law *law)
{
    (void)law;
    return SPAN_SECOND;
}

static bool countdown_idles(const struct progress *p)
{
    return !is_profiled(p);
}

const struct time_law_ops time_law_countdown = {
    .name = "countdown",
    .summary = "work is counted down once a second, as in Lucid's simulator",
    .options = countdown_options,
    .config_size = sizeof(struct time_law_config),
    .one_speed = true,
    .begin = countdown_begin,
    .duration = countdown_duration,
    .settle = countdown_settle,
    .end = countdown_end,
    .tick = countdown_tick,
    .idles = countdown_idles,
};

/* All laws of time that a run can choose by name. */

const struct plugin *const time_laws[] = {
    &time_law_exact.plugin,
    &time_law_countdown.plugin,
    &time_law_grid.plugin,
    NULL,
};

static const struct plugin *time_law_at(size_t i)
{
    return time_laws[i];
}

const struct plugin_kind time_laws_kind = {
    .owner = "time-law", .words = "law of time", .at = time_law_at};
