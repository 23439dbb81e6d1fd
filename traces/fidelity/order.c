/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures how far successive jobs resemble each other. */
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "traces/fidelity/measures.h"
#include "traces/fidelity/series.h"

static const double order_week_s = 7 * 86400.0;
/* WEEK_JOBS_MIN: a week with fewer jobs says little about their mix. WEEKS_MAX:
 * largest number of weeks that are measured. */
enum { WEEK_JOBS_MIN = 50, WEEKS_MAX = 2048 };

static double order_log_run(const struct fidelity_job *job)
{
    return log(fmax(job->run, 1));
}

static double order_log_gpus(const struct fidelity_job *job)
{
    return log(job->gpus);
}

static double is_single(const struct fidelity_job *job)
{
    return job->gpus == 1;
}

static void add_lags(const struct fidelity_job *jobs, size_t n,
                     double (*of)(const struct fidelity_job *),
                     const char *name, struct measures *out)
{
    static const size_t lags[] = {1, 20, 200};
    double *values = mem_alloc(n * sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i] = of(&jobs[i]);
    for (size_t i = 0; i < sizeof lags / sizeof *lags; i++)
        measures_add(out, series_autocorrelation(values, n, lags[i]),
                     "order.%s_autocorrelation_%zu", name, lags[i]);
    free(values);
}

/* Adds the autocorrelation of the run times of completed jobs alone, because
 * Acme publishes it. */
static void add_completed(const struct fidelity_job *jobs, size_t n,
                          struct measures *out)
{
    double *values = mem_alloc(n * sizeof *values);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (jobs[i].end == TRACE_END_COMPLETED)
            values[count++] = order_log_run(&jobs[i]);
    }
    measures_add(out, series_autocorrelation(values, count, 1),
                 "order.completed_log_run_autocorrelation_1");
    measures_add(out, series_autocorrelation(values, count, 20),
                 "order.completed_log_run_autocorrelation_20");
    free(values);
}

/* Returns the standard deviation, over the whole weeks of a trace, of the
 * weekly mean of a figure of the jobs. NaN if fewer than two weeks have enough
 * jobs. */
static double weekly(const struct fidelity_job *jobs, size_t n,
                     double (*of)(const struct fidelity_job *))
{
    double means[WEEKS_MAX], end = jobs[n - 1].at;
    size_t n_weeks = 0, i = 0;
    for (double from = jobs[0].at;
         from + order_week_s <= end + 1 && n_weeks < WEEKS_MAX;
         from += order_week_s) {
        double sum = 0;
        size_t count = 0;
        for (; i < n && jobs[i].at < from + order_week_s; i++, count++)
            sum += of(&jobs[i]);
        if (count >= WEEK_JOBS_MIN)
            means[n_weeks++] = sum / (double)count;
    }
    return n_weeks >= 2 ? gsl_stats_sd(means, 1, n_weeks) : NAN;
}

void measure_order(const struct fidelity_job *jobs, size_t n,
                   struct measures *out)
{
    add_lags(jobs, n, order_log_run, "log_run", out);
    add_lags(jobs, n, order_log_gpus, "log_gpus", out);
    add_completed(jobs, n, out);
    measures_add(out, weekly(jobs, n, is_single), "order.weekly_sd_1_gpu");
    measures_add(out, weekly(jobs, n, order_log_run),
                 "order.weekly_sd_log_run");
}
