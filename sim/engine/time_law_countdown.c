/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The law of Lucid's simulator: each second after the start subtracts `rate`
 * from a double of seconds, and the job ends one second after the double has
 * become 0 or less. An attempt that is profiled is timed as in the law
 * `exact`. */
#include "sim/engine/time_law_internal.h"

#include <math.h>

#include "base/check.h"
#include "sim/engine/progress.h"

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
