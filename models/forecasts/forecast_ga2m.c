/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lucid's throughput model (ASPLOS'23): an additive model with pairwise terms.
 * It predicts how much is submitted in a period of 10 minutes from the calendar
 * and from what was submitted in earlier hours, up to 24 hours before. These
 * features are known 50 minutes ahead, which is as far as the outlook goes. The
 * model is fitted to the past periods. It is fitted again after `refit_s`, or
 * sooner if the number of past periods has doubled. Before the first fit the
 * forecast is the mean of the last hour. */
#include <math.h>
#include <stdlib.h>

#include "models/estimators/pairwise.h"
#include "models/forecasts/submissions.h"

enum {
    FORECAST_GA2M_HOUR = 6,
    FORECAST_GA2M_DAY = 144
}; /* an hour and a day, in periods */

enum {
    FORECAST_HOUR,
    FORECAST_WEEKDAY,
    FORECAST_LAGS, /* counts of the periods 1 h, 3 h and 24 h before */
    /* For each lag: the mean of that period and the two periods before it. */
    FORECAST_SOFT = FORECAST_LAGS + 3,
    /* Mean, median and deviation of the counts of the hour that began two hours
     * before the period. */
    FORECAST_MEAN = FORECAST_SOFT + 3,
    FORECAST_MEDIAN,
    FORECAST_DEVIATION,
    N_TIME_FEATURES
};

struct ga2m_config {
    uint32_t rounds, pairs, least, most;
    double eta, min_child_weight, utc_offset;
    sim_span refit;
};

static const struct option forecast_ga2m_options[] = {
    OPT_U32(struct ga2m_config, rounds, "rounds", 10, 1, 10000,
            "number of rounds, each of one tree for each feature", "assumed"),
    OPT_DOUBLE(struct ga2m_config, eta, "eta", 0.1, 1e-4, 1,
               "learning rate: weight of each new tree",
               "Lucid's simulator: 0.1"),
    OPT_U32(struct ga2m_config, pairs, "pairs", 10, 0, 100,
            "number of pairs of features that may act together",
            "Lucid's simulator: 10"),
    OPT_DOUBLE(struct ga2m_config, min_child_weight, "min_child_weight", 20, 0,
               1e9, "least number of periods in a leaf",
               "LightGBM's default is 20"),
    OPT_U32(struct ga2m_config, least, "least", 2 * FORECAST_GA2M_DAY, 2,
            1000000, "number of periods at which the first fit is made",
            "assumed: two days"),
    OPT_U32(struct ga2m_config, most, "most", 180 * FORECAST_GA2M_DAY, 2,
            1000000, "number of periods, the latest, that are fitted",
            "assumed: 180 days; Lucid fits five months"),
    OPT_SPAN(struct ga2m_config, refit, "refit_s", 604800, 1, SECONDS_MAX,
             "time between two fits; a fit comes sooner when the known periods "
             "have doubled",
             "Lucid: weekly"),
    OPT_DOUBLE(struct ga2m_config, utc_offset, "utc_offset_h", 0, -12, 14,
               "local time of the cluster minus UTC, hours", "assumed: 0"),
    {0},
};

struct ga2m {
    const struct ga2m_config *config;
    struct submissions submissions;
    struct shapes shapes[N_SUBMISSIONS];
    int64_t seen;        /* period of the last event */
    int64_t fitted;      /* period of the last fit; 0: no fit yet */
    int64_t refit_at;    /* an event in this period or later refits */
    struct outlook last; /* the last answer */
    /* period of the last answer; -1: the answer is out of date */
    int64_t asked;
};

static enum status forecast_ga2m_ga2m_init(void *self, const void *config,
                                           const struct run_env *env,
                                           struct error *err)
{
    struct ga2m *s = self;
    (void)err;
    s->config = config;
    s->asked = -1;
    submissions_init(&s->submissions, env);
    return STATUS_OK;
}

static float ga2m_median(float *values, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        for (size_t k = i; k > 0 && values[k - 1] > values[k]; k--) {
            float swap = values[k];
            values[k] = values[k - 1];
            values[k - 1] = swap;
        }
    }
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* Fills in the features of a period. */
static void ga2m_describe(const struct ga2m *s, int64_t period,
                          enum submissions_of what, float row[N_TIME_FEATURES])
{
    static const int64_t lags[] = {FORECAST_GA2M_HOUR, 3 * FORECAST_GA2M_HOUR,
                                   FORECAST_GA2M_DAY};
    const struct submissions *sub = &s->submissions;
    float hour[FORECAST_GA2M_HOUR];
    int64_t local = sub->first + period +
                    (int64_t)lround(s->config->utc_offset * FORECAST_GA2M_HOUR);
    row[FORECAST_HOUR] =
        (float)(local % FORECAST_GA2M_DAY) / FORECAST_GA2M_HOUR;
    row[FORECAST_WEEKDAY] =
        (float)((local / FORECAST_GA2M_DAY + 4) % 7); /* 0: Sunday */
    for (int i = 0; i < 3; i++) {
        int64_t at = period - lags[i];
        row[FORECAST_LAGS + i] = submissions_count(sub, at, what);
        row[FORECAST_SOFT + i] =
            (float)submissions_mean(sub, at - 2, at + 1, what);
    }
    int64_t from = period - 2 * FORECAST_GA2M_HOUR;
    double mean = submissions_mean(sub, from, from + FORECAST_GA2M_HOUR, what),
           squares = 0;
    for (int i = 0; i < FORECAST_GA2M_HOUR; i++) {
        hour[i] = submissions_count(sub, from + i, what);
        squares += ((double)hour[i] - mean) * ((double)hour[i] - mean);
    }
    row[FORECAST_MEAN] = (float)mean;
    row[FORECAST_MEDIAN] = ga2m_median(hour, FORECAST_GA2M_HOUR);
    row[FORECAST_DEVIATION] = (float)sqrt(squares / FORECAST_GA2M_HOUR);
}

/* Fits the model to the latest completed periods before `now`, at most `most`,
 * except those of the first day, whose 24-hour lag is unknown. */
static void forecast_ga2m_fit(struct ga2m *s, int64_t now,
                              enum submissions_of what)
{
    int64_t from = now - (int64_t)s->config->most;
    from = from < FORECAST_GA2M_DAY ? FORECAST_GA2M_DAY : from;
    size_t n = (size_t)(now - from);
    float(*rows)[N_TIME_FEATURES] = mem_alloc(n * sizeof *rows);
    float *targets = mem_alloc(n * sizeof *targets);
    for (size_t i = 0; i < n; i++) {
        ga2m_describe(s, from + (int64_t)i, what, rows[i]);
        targets[i] =
            submissions_count(&s->submissions, from + (int64_t)i, what);
    }
    const struct pairwise_params params = {
        .rounds = s->config->rounds,
        .pairs = s->config->pairs,
        .rows = s->config->most,
        .eta = s->config->eta,
        .min_child_weight = s->config->min_child_weight,
    };
    pairwise_fit(&s->shapes[what], &params, rows[0], targets, n,
                 N_TIME_FEATURES);
    free(rows);
    free(targets);
}

static void ga2m_refit(struct ga2m *s, int64_t now)
{
    bool grown = now >= 2 * s->fitted && s->fitted < (int64_t)s->config->most;
    if (now < FORECAST_GA2M_DAY + (int64_t)s->config->least ||
        (now < s->refit_at && !grown))
        return;
    s->refit_at = now + s->config->refit / FORECAST_PERIOD;
    s->fitted = now;
    s->asked = -1;
    for (int what = 0; what < N_SUBMISSIONS; what++)
        forecast_ga2m_fit(s, now, (enum submissions_of)what);
}

/* Refits the model, if that is due, at the first event of a period. A call for
 * a forecast never causes a fit, so a forecast does not depend on earlier
 * calls. */
static void ga2m_observe(void *self, const struct event *event)
{
    struct ga2m *s = self;
    submissions_observe(&s->submissions, event);
    if (s->submissions.n == 0)
        return;
    int64_t now = submissions_period(&s->submissions, event->at);
    if (now > s->seen)
        ga2m_refit(s, now);
    s->seen = now;
}

/* Returns the mean of the predictions for the next periods, each at least 0;
 * without a model, the mean of the last hour. */
static double ga2m_expected(const struct ga2m *s, int64_t now,
                            enum submissions_of what)
{
    float row[N_TIME_FEATURES];
    double sum = 0;
    if (s->fitted == 0)
        return submissions_mean(
            &s->submissions,
            now < FORECAST_GA2M_HOUR ? 0 : now - FORECAST_GA2M_HOUR, now, what);
    for (int64_t p = now + 1; p <= now + FORECAST_AHEAD; p++) {
        ga2m_describe(s, p, what, row);
        double count = shapes_value(&s->shapes[what], row);
        sum += count > 0 ? count : 0;
    }
    return sum / FORECAST_AHEAD;
}

static bool ga2m_expect(void *self, sim_time at, struct outlook *out)
{
    struct ga2m *s = self;
    int64_t now = submissions_period(&s->submissions, at);
    *out = (struct outlook){.until = at + FORECAST_PERIOD};
    if (s->submissions.n == 0 || now <= 0)
        return false;
    if (now != s->asked) {
        s->asked = now;
        s->last = (struct outlook){
            .jobs = ga2m_expected(s, now, SUBMISSIONS_JOBS),
            .gpus = ga2m_expected(s, now, SUBMISSIONS_GPUS),
            .until = submissions_begin(&s->submissions, now + 1),
        };
    }
    *out = s->last;
    return true;
}

static void ga2m_fini(void *self)
{
    struct ga2m *s = self;
    submissions_fini(&s->submissions);
    for (int what = 0; what < N_SUBMISSIONS; what++)
        shapes_fini(&s->shapes[what]);
}

const struct forecast_ops forecast_ga2m = {
    .name = "ga2m",
    .summary = "an additive model of the calendar and of earlier submissions, "
               "as Lucid's",
    .options = forecast_ga2m_options,
    .config_size = sizeof(struct ga2m_config),
    .state_size = sizeof(struct ga2m),
    .init = forecast_ga2m_ga2m_init,
    .observe = ga2m_observe,
    .expect = ga2m_expect,
    .fini = ga2m_fini,
};
