/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes rows from three sources: arrivals.c decides when a job is submitted,
 * population.c decides its user, size and duration, and this file adds the rest
 * of a log: names, causes of failures, attempts, declared limits. */
#include "traces/generate/synthetic.h"

#include <gsl/gsl_randist.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/check.h"
#include "traces/generate/arrivals.h"
#include "traces/generate/habits.h"
#include "traces/generate/population.h"
#include "traces/trace.h"

#define TEXT_MAX 96
/* with more jobs, the pass that finds the rate takes minutes */
#define MOST_JOBS 1e8

struct synthetic {
    struct arena arena;
    struct calibration calibration;
    struct calibration_model *models;
    size_t n_models;
    struct arrivals arrivals;
    struct population population;
    struct habits *habits; /* NULL: the trace has no repositories */
    gsl_rng *causes;
    double rate;    /* submissions per day in the generated trace */
    uint64_t limit; /* number of rows at which the trace ends */
    uint64_t made;  /* number of rows made so far */
    /* time after which no job is submitted, seconds; 0: no limit */
    double horizon;
    /* cause of the current job's failure; "": the job did not fail */
    const char *cause;
    /* Texts of the current row. */
    char id[TEXT_MAX], user[TEXT_MAX], name[TEXT_MAX];
};

static enum status check(const struct synthetic_options *o, struct error *err)
{
    if (o->days < 0 || !(o->days <= 36525))
        return error_set(err, STATUS_USAGE, "--days: not in 0 .. 36525");
    if (o->load < 0 || !(o->load <= 1000))
        return error_set(err, STATUS_USAGE, "--load: not in 0 .. 1000");
    if (o->jobs > UINT32_MAX)
        return error_set(err, STATUS_USAGE, "--jobs: more than %u", UINT32_MAX);
    return STATUS_OK;
}

/* Sets out->rate so that the jobs offer the load of the options. Durations are
 * so long-tailed that the mean of one trace is far from the expected mean, so
 * the rate must be computed from the jobs of this seed. A first pass can do
 * that, because the jobs do not depend on the rate. If `days` is given and
 * `jobs` is not, the pass also sets out->limit to the number of jobs that comes
 * nearest to the load. */
static enum status rate_for_load(const struct synthetic_options *options,
                                 uint32_t gpus, struct synthetic *out,
                                 struct error *err)
{
    struct synthetic *s;
    struct synthetic_options same = *options;
    bool count = options->days > 0 && !options->jobs;
    same.load = same.days = 0;
    if (count)
        same.jobs = UINT32_MAX;
    enum status st = synthetic_open(&same, &s, err);
    if (st != STATUS_OK)
        return st;
    struct trace_row row;
    double total = 0, before = 0;
    double goal = options->load * gpus * options->days * 86400;
    if (count && goal / out->population.gpu_s > MOST_JOBS) {
        st = error_set(err, STATUS_USAGE,
                       "--load for --days: more than %.0f jobs", MOST_JOBS);
        goto out;
    }
    while ((!count || total < goal) && synthetic_next(s, &row)) {
        before = total;
        total += span_seconds(row.duration) * row.gpus;
    }
    uint64_t n = s->made;
    if (count && n > 1 && goal - before < total - goal)
        n--;
    out->rate = count ? (double)n / options->days
                      : options->load * gpus * 86400 * (double)n / total;
    if (count)
        out->limit = n;
    else
        out->horizon = options->days * 86400;
out:
    synthetic_close(s);
    return st;
}

/* Loads what the jobs run: models, and repositories if there are any. */
static enum status open_models(const struct synthetic_options *options,
                               struct synthetic *s, struct error *err)
{
    const struct calibration *c = &s->calibration;
    const char *family = options->family;
    if (options->repositories) {
        const struct habits_options habits = {
            .repositories = options->repositories,
            .family = family,
            .early_exits = options->early_exits,
            .node_gpus = c->gpus_per_node,
            .seed = options->seed,
        };
        enum status st = habits_open(&habits, &s->arena, &s->habits, err);
        if (st != STATUS_OK)
            return st;
        family = NULL;
    }
    return calibration_models(family ? family : c->family, &s->arena,
                              &s->models, &s->n_models, err);
}

enum status synthetic_open(const struct synthetic_options *options,
                           struct synthetic **out, struct error *err)
{
    enum status st = check(options, err);
    if (st != STATUS_OK)
        return st;
    struct synthetic *s = mem_zalloc(1, sizeof *s);
    arena_init(&s->arena);
    st = calibration_load(options->like, &s->arena, &s->calibration, err);
    if (st != STATUS_OK)
        goto out;
    struct calibration *c = &s->calibration;
    st = open_models(options, s, err);
    if (st != STATUS_OK)
        goto out;
    uint32_t gpus = options->gpus ? options->gpus : c->gpus;
    population_init(&s->population, c, s->models, s->n_models, gpus,
                    options->seed, &s->arena);
    s->rate = c->jobs_per_day;
    s->limit = options->jobs       ? options->jobs
               : options->days > 0 ? UINT64_MAX
                                   : SYNTHETIC_JOBS;
    if (options->load > 0)
        st = rate_for_load(options, gpus, s, err);
    else if (options->jobs && options->days > 0)
        s->rate = (double)options->jobs / options->days;
    else
        s->horizon = options->days * 86400;
    if (st != STATUS_OK)
        goto out;
    s->cause = "";
    s->causes = rng_open(options->seed, "synthetic.causes");
    arrivals_init(&s->arrivals, c, s->rate, options->seed, &s->arena);
    *out = s;
    s = NULL;
out:
    synthetic_close(s);
    return st;
}

void synthetic_close(struct synthetic *s)
{
    if (!s)
        return;
    habits_close(s->habits);
    arrivals_fini(&s->arrivals);
    population_fini(&s->population);
    rng_free(s->causes);
    arena_fini(&s->arena);
    free(s);
}

/* Returns the shortest of the usual limits that is at least `seconds`. */
static sim_span round_limit(double seconds)
{
    static const double limits[] = {300,    600,    900,    1800,    3600,
                                    7200,   14400,  28800,  43200,   86400,
                                    172800, 259200, 604800, 1209600, 2592000};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (seconds <= limits[i])
            return span_from_seconds(limits[i]);
    }
    return span_from_seconds(limits[sizeof limits / sizeof *limits - 1]);
}

/* Draws the cause of a failure that came after `seconds`. By Bayes' rule, the
 * weight of a cause is its share times the density of its run times at
 * `seconds`. */
static const char *pick_cause(struct synthetic *s, double seconds)
{
    const struct calibration *c = &s->calibration;
    double total = 0, sums[64];
    size_t n = c->n_causes < 64 ? c->n_causes : 64;
    for (size_t i = 0; i < n; i++) {
        const struct calibration_name *cause = &c->causes[i];
        total += cause->share *
                 gsl_ran_lognormal_pdf(seconds, cause->mu, cause->sigma);
        sums[i] = total;
    }
    double at = gsl_rng_uniform(s->causes) * total;
    size_t i = 0;
    while (i + 1 < n && sums[i] <= at)
        i++;
    return n ? c->causes[i].name : "";
}

static uint32_t pick_attempts(struct synthetic *s, uint32_t state)
{
    const struct calibration *c = &s->calibration;
    if (!c->n_attempts)
        return 0;
    double at = gsl_rng_uniform(s->causes);
    uint32_t n = 1;
    while (n < c->n_attempts && at >= c->attempts[state][n - 1])
        at -= c->attempts[state][n++ - 1];
    return n;
}

static void name_row(struct synthetic *s, const struct submission *job,
                     struct trace_row *row)
{
    const struct calibration *c = &s->calibration;
    const struct script *t = job->script;
    snprintf(s->id, sizeof s->id, "%" PRIu64, s->made);
    snprintf(s->user, sizeof s->user, "u%" PRIu32, job->user + 1);
    snprintf(s->name, sizeof s->name, "%s-%" PRIu64, t->model->model,
             t->number);
    row->source_id = text_from(s->id);
    row->user = text_from(s->user);
    row->name = text_from(s->name);
    row->model = text_from(t->model->model);
    row->dataset = text_from(t->model->dataset);
    row->batch_size = t->model->batch_size;
    if (c->n_vcs)
        row->vc = text_from(c->vcs[s->population.users[job->user].vc].name);
    row->kind = text_from(c->kinds[t->kind].name);
}

bool synthetic_next(struct synthetic *s, struct trace_row *row)
{
    const struct calibration *c = &s->calibration;
    if (s->made == s->limit)
        return false;
    double gap_s, elapsed = arrivals_next(&s->arrivals, &gap_s);
    if (s->horizon > 0 && elapsed >= s->horizon)
        return false;
    sim_time submitted = c->start + (sim_time)elapsed * SPAN_SECOND;
    s->made++;
    struct submission job = population_next(&s->population, gap_s);
    struct script *t = job.script;
    trace_row_clear(row);
    row->submitted = submitted;
    row->duration = span_from_seconds(job.seconds);
    row->gpus = t->gpus;
    row->end = (enum trace_end)t->state;
    name_row(s, &job, row);
    if (s->habits)
        habits_next(s->habits, &job, row);

    double seconds = span_seconds(row->duration);
    s->cause = t->state == TRACE_END_FAILED ? pick_cause(s, seconds) : "";
    if (!row->kind.len)
        row->kind = text_from(s->cause);
    if (!t->declared)
        t->declared = round_limit(seconds * t->over);
    if (t->declared < row->duration)
        t->declared = round_limit(seconds);
    row->declared = t->declared;
    row->cpus = t->gpus * c->cpus_per_gpu;
    row->nodes = (t->gpus + c->gpus_per_node - 1) / c->gpus_per_node;
    row->attempts = pick_attempts(s, t->state);
    row->line = s->made;
    return true;
}

const struct sidecar_row *synthetic_evidence(const struct synthetic *s)
{
    return s->habits ? habits_evidence(s->habits) : NULL;
}
