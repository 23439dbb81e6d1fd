/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/study/worth.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

const char *const worth_measure_names[WORTH_MEASURES] = {
    [WORTH_JCT] = "mean JCT",
    [WORTH_WAIT] = "mean waiting",
    [WORTH_PROFILING] = "GPU-hours of profiling",
    [WORTH_IDLE_WORK] = "GPU-hours lost, of overhead or slowed",
    [WORTH_RESTARTS] = "restarts",
};

/* Below this change of the mean JCT nobody would notice. */
#define WORTH_LEAST 0.01

static bool is_ratio(enum worth_measure measure)
{
    return measure == WORTH_JCT || measure == WORTH_WAIT;
}

struct worth_change worth_change_of(const struct worth *worth, size_t row,
                                    enum worth_measure measure)
{
    const double *a = worth->rows[WORTH_ALONE].value[measure];
    const double *b = worth->rows[row].value[measure];
    const double n = worth->draws;
    double sum = 0, squares = 0;
    struct worth_change c = {0};
    for (uint32_t i = 0; i < worth->draws; i++) {
        /* one second is added, so that a wait of 0 has a ratio */
        double d = measure == WORTH_JCT ? log(b[i] / a[i])
                   : is_ratio(measure)  ? log((b[i] + 1) / (a[i] + 1))
                                        : b[i] - a[i];
        sum += d;
        squares += d * d;
        c.alone += a[i] / n;
        c.with += b[i] / n;
    }
    c.mean = sum / n;
    double variance =
        n > 1 ? fmax(0, (squares - sum * sum / n) / (n - 1)) : NAN;
    double half =
        n > 1 ? gsl_cdf_tdist_Pinv(0.975, n - 1) * sqrt(variance * (1 + 1 / n))
              : NAN;
    c.lo = c.mean - half;
    c.hi = c.mean + half;
    if (is_ratio(measure)) {
        c.mean = expm1(c.mean);
        c.lo = expm1(c.lo);
        c.hi = expm1(c.hi);
    }
    return c;
}

struct worth_cost worth_cost_of(const struct worth *worth, size_t row)
{
    const struct worth_cost *all = worth->rows[row].cost;
    const double n = worth->draws;
    struct worth_cost mean = {0};
    for (uint32_t i = 0; i < worth->draws; i++) {
        for (unsigned m = 0; m < ADVICE_MODULES; m++)
            mean.questions[m] += all[i].questions[m] / n;
        mean.tokens_in += all[i].tokens_in / n;
        mean.tokens_out += all[i].tokens_out / n;
        mean.gpu_s += all[i].gpu_s / n;
        mean.n_unfinished += all[i].n_unfinished;
    }
    return mean;
}

/* Returns the mean change of the JCT in the i-th row with a quality. */
static double change_at(const struct worth *worth, size_t i)
{
    return worth_change_of(worth, worth->first_quality + i, WORTH_JCT).mean;
}

static double quality_at(const struct worth *worth, size_t i)
{
    return worth->rows[worth->first_quality + i].quality;
}

double worth_at_quality(const struct worth *worth, double quality)
{
    size_t i = 1;
    while (i + 1 < WORTH_QUALITIES && quality_at(worth, i) < quality)
        i++;
    double x = quality_at(worth, i - 1), y = quality_at(worth, i);
    double from = change_at(worth, i - 1), to = change_at(worth, i);
    return from + (to - from) * (quality - x) / (y - x);
}

bool worth_break_even(const struct worth *worth, double *quality)
{
    size_t i = WORTH_QUALITIES;
    while (i > 0 && change_at(worth, i - 1) <= 0)
        i--;
    if (i == WORTH_QUALITIES)
        return false;
    *quality = 0;
    if (i > 0) { /* it is lost at i - 1 and not lost at i */
        double x = quality_at(worth, i - 1), y = quality_at(worth, i);
        double from = change_at(worth, i - 1), to = change_at(worth, i);
        *quality = x + (y - x) * from / (from - to);
    }
    return true;
}

bool worth_quality_of(const struct worth *worth, size_t row, double *quality)
{
    double change = worth_change_of(worth, row, WORTH_JCT).mean;
    for (size_t i = WORTH_QUALITIES - 1; i > 0; i--) {
        double from = change_at(worth, i - 1), to = change_at(worth, i);
        if (from == to || (change - from) * (change - to) > 0)
            continue;
        double x = quality_at(worth, i - 1), y = quality_at(worth, i);
        *quality = x + (y - x) * (change - from) / (to - from);
        return true;
    }
    return false;
}

enum worth_verdict worth_judge(const struct worth *worth)
{
    struct worth_change c = worth_change_of(worth, WORTH_ALL, WORTH_JCT);
    if (c.mean > WORTH_LEAST && c.lo > 0)
        return WORTH_HARMS;
    if (c.mean < -WORTH_LEAST && c.hi < 0)
        return WORTH_PAYS;
    return fabs(c.mean) <= WORTH_LEAST ? WORTH_PAYS_NOT : WORTH_UNSURE;
}
