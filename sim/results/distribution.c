/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes a distribution: mean with its interval, percentiles, maximum. */
#include "sim/results/bootstrap.h"
#include "sim/results/stats.h"
#include "sim/results/summary.h"
#include "sim/results/values.h"

struct distribution distribution_of(const struct bootstrap *bootstrap,
                                    const struct metric_sample *sample,
                                    size_t max_blocks)
{
    enum { N_PERCENTS = 4 };
    static const double percents[N_PERCENTS] = {50, 90, 95, 99};
    double at[N_PERCENTS], *values = sample->values;
    const size_t n = sample->n;
    if (n == 0)
        return (struct distribution){0};
    struct interval mean = bootstrap_interval(bootstrap, values, n, max_blocks);
    stats_percentiles(values, n, percents, N_PERCENTS, at);
    return (struct distribution){
        .count = n,
        .mean = sample->sum / (double)n,
        .mean_lo = mean.lo,
        .mean_hi = mean.hi,
        .p50 = at[0],
        .p90 = at[1],
        .p95 = at[2],
        .p99 = at[3],
        .max = sample->max,
    };
}
