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

#include "base/out.h"
#include "base/rng.h"
#include "traces/generate/generate_internal.h"
#include "traces/trace.h"

#define SYNTHETIC_TEXT_MAX 96
/* in recorded traces, the demand of a virtual cluster exceeds its GPUs for at
 * most this share of the time */
#define OVER_MOST 0.08
/* largest number of jobs; each takes about 150 bytes of memory while the trace
 * is made */
#define MOST_JOBS 5e7

struct synthetic {
    struct arena arena;
    struct calibration calibration;
    struct calibration_model *models;
    size_t n_models;
    struct population population;
    struct habits *habits; /* NULL: the trace has no repositories */
    gsl_rng *causes;
    uint64_t made; /* number of rows made so far */
    bool limits;   /* true: jobs declare a limit */
    uint32_t gpus; /* GPUs of the cluster */
    /* time after which no job is submitted, seconds; 0: no limit */
    double horizon;
    /* cause of the current job's failure; "": the job did not fail */
    const char *cause;
    /* Texts of the current row. */
    char id[SYNTHETIC_TEXT_MAX], user[SYNTHETIC_TEXT_MAX],
        name[SYNTHETIC_TEXT_MAX];
};

static enum status synthetic_check(const struct synthetic_options *o,
                                   struct error *err)
{
    if (o->days < 0 || !(o->days <= 36525))
        return error_set(err, STATUS_USAGE, "--days: not in 0 .. 36525");
    if (o->load < 0 || !(o->load <= 1000))
        return error_set(err, STATUS_USAGE, "--load: not in 0 .. 1000");
    if (o->jobs > UINT32_MAX)
        return error_set(err, STATUS_USAGE, "--jobs: more than %u", UINT32_MAX);
    return STATUS_OK;
}

/* Measures the mean GPU time of a job, GPU seconds, if repositories decide how
 * long jobs run, by making `jobs` of them; 0: SYNTHETIC_JOBS. */
static enum status synthetic_measure(const struct synthetic_options *options,
                                     uint64_t jobs, double *mean,
                                     struct error *err)
{
    struct synthetic_options same = *options;
    struct synthetic *s;
    struct trace_row row;
    double total = 0;
    same.load = same.days = 0;
    same.jobs = jobs;
    enum status st = synthetic_open(&same, &s, err);
    if (st != STATUS_OK)
        return st;
    while (synthetic_next(s, &row))
        total += span_seconds(row.duration) * row.gpus;
    *mean = total / (double)s->made;
    synthetic_close(s);
    return STATUS_OK;
}

/* Decides the number of jobs and the length of the trace. */
static enum status synthetic_plan(const struct synthetic_options *o,
                                  const struct calibration *c,
                                  struct population_options *out,
                                  struct error *err)
{
    double jobs = (double)o->jobs;
    out->gpus = o->gpus ? o->gpus : c->gpus;
    out->seed = o->seed;
    out->warm = o->warm;
    out->span = o->days * 86400;
    out->exact = o->load > 0;
    if (o->load > 0) {
        double mean = population_mean(c, out->gpus);
        double work = o->load * out->gpus * out->span;
        uint64_t sample = o->jobs || o->days <= 0 ? o->jobs : SYNTHETIC_JOBS;
        enum status st = STATUS_OK;
        if (o->repositories)
            st = synthetic_measure(o, sample, &mean, err);
        if (st != STATUS_OK)
            return st;
        if (!o->jobs)
            jobs = o->days > 0 ? fmax(round(work / mean), 1) : SYNTHETIC_JOBS;
        out->span = jobs * mean / (o->load * out->gpus);
    } else if (o->days > 0 && !o->jobs) {
        jobs = fmax(round(o->days * c->jobs_per_day), 1);
    }
    if (!(out->span <= SECONDS_MAX))
        return error_set(err, STATUS_USAGE,
                         "the jobs would come within %.3g years, at most 100 "
                         "can be generated: raise --load, or give fewer days "
                         "or jobs",
                         out->span / (365.25 * 86400));
    if (jobs > MOST_JOBS)
        return error_set(err, STATUS_USAGE,
                         "%.0f jobs; at most %.0f can be generated", jobs,
                         MOST_JOBS);
    out->jobs = jobs > 0 ? (uint32_t)jobs : SYNTHETIC_JOBS;
    return STATUS_OK;
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
    enum status st = synthetic_check(options, err);
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
    struct population_options wanted = {0};
    st = synthetic_plan(options, c, &wanted, err);
    if (st == STATUS_OK)
        st = population_open(c, s->models, s->n_models, &wanted, &s->arena,
                             &s->population, err);
    if (st != STATUS_OK)
        goto out;
    s->limits = options->limits;
    s->gpus = wanted.gpus;
    if (options->load > 0 && options->jobs)
        s->horizon = options->days * 86400;
    s->cause = "";
    s->causes = rng_open(options->seed, "synthetic.causes");
    *out = s;
    s = NULL;
out:
    synthetic_close(s);
    return st;
}

void synthetic_report(const struct synthetic *s, struct out *out)
{
    const struct timetable *t = &s->population.timetable;
    double capacity = 0, gpu_s = 0, jobs = (double)(t->n - t->n_running);
    for (size_t v = 0; v < t->n_demands; v++) {
        capacity += t->demands[v].capacity;
        gpu_s += t->demands[v].gpu_s;
    }
    gpu_s -= t->running_gpu_s;
    out_printf(out, "%.0f jobs, %.0f GPU s a job, load %.2f of %.0f GPUs", jobs,
               gpu_s / jobs, gpu_s / capacity / s->population.span, capacity);
    if (t->n_running)
        out_printf(out, ", and %zu that run at the start", t->n_running);
    out_printf(out,
               "\n%.1f %% of the jobs wait under fifo, a job %.0f s on "
               "average; time in which demand exceeds the GPUs:",
               100 * (double)t->n_waiting / jobs, t->waited_s / jobs);
    for (size_t v = 0; v < t->n_demands; v++)
        out_printf(out, "%s %s%s%.1f %%", v ? "," : "",
                   s->calibration.n_vcs ? s->calibration.vcs[v].name : "",
                   s->calibration.n_vcs ? " " : "",
                   100 * t->demands[v].over_s / s->population.span);
    out_text(out, "\n");
    for (size_t v = 0; v < t->n_demands; v++) {
        if (t->demands[v].over_s > OVER_MOST * s->population.span)
            out_printf(out,
                       "warning: demand exceeds the GPUs%s%s in more than "
                       "%.0f %% of the time; in a real cluster it does so in "
                       "less: jobs will wait longer than published\n",
                       s->calibration.n_vcs ? " of " : "",
                       s->calibration.n_vcs ? s->calibration.vcs[v].name : "",
                       100 * OVER_MOST);
    }
}

void synthetic_cluster(const struct synthetic *s, struct out *out)
{
    const struct calibration *c = &s->calibration;
    const uint32_t width = c->gpus_per_node, whole = s->gpus / width;
    if (s->gpus == c->gpus && c->n_vcs) {
        for (size_t v = 0; v < c->n_vcs; v++)
            out_printf(out, "%s%s=%" PRIu32 "x%" PRIu32, v ? "," : "",
                       c->vcs[v].name, c->vcs[v].nodes, width);
        return;
    }
    if (whole)
        out_printf(out, "%" PRIu32 "x%" PRIu32, whole, width);
    if (s->gpus % width)
        out_printf(out, "%s1x%" PRIu32, whole ? "+" : "", s->gpus % width);
}

void synthetic_close(struct synthetic *s)
{
    if (!s)
        return;
    habits_close(s->habits);
    population_close(&s->population);
    rng_free(s->causes);
    arena_fini(&s->arena);
    free(s);
}

/* Returns the shortest of the usual limits that is at least `seconds`; the
 * longest one, 30 days, if none is. */
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

/* Returns the limit that the script declares for a run: that of its last run,
 * or a longer one if the run is longer. No limit is above 30 days. */
static sim_span synthetic_limit_of(struct script *script, sim_span duration)
{
    double seconds = span_seconds(duration);
    if (!script->declared)
        script->declared = round_limit(seconds * script->over);
    if (script->declared < duration)
        script->declared = round_limit(seconds);
    return script->declared;
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
    snprintf(s->name, sizeof s->name, "%s-%" PRIu32, t->model->model,
             job->user + 1);
    row->source_id = text_from(s->id);
    row->user = text_from(s->user);
    row->name = text_from(s->name);
    row->model = text_from(t->model->model);
    row->dataset = text_from(t->model->dataset);
    row->batch_size = t->model->batch_size;
    if (c->n_vcs)
        row->vc = text_from(c->vcs[job->vc].name);
    row->kind = text_from(c->kinds[t->kind].name);
}

bool synthetic_next(struct synthetic *s, struct trace_row *row)
{
    const struct calibration *c = &s->calibration;
    struct submission job;
    if (!population_next(&s->population, &job))
        return false;
    if (s->horizon > 0 && job.at >= s->horizon)
        return false;
    s->made++;
    struct script *t = job.script;
    trace_row_clear(row);
    row->submitted = c->start + (sim_time)job.at * SPAN_SECOND;
    row->duration = span_from_seconds(job.seconds);
    row->gpus = t->gpus;
    row->end = job.end;
    name_row(s, &job, row);
    if (s->habits)
        habits_next(s->habits, &job, row);

    double seconds = span_seconds(row->duration);
    s->cause = job.end == TRACE_END_FAILED ? pick_cause(s, seconds) : "";
    if (!row->kind.len)
        row->kind = text_from(s->cause);
    if (s->limits)
        row->declared = synthetic_limit_of(t, row->duration);
    row->cpus = t->gpus * c->cpus_per_gpu;
    row->nodes = (t->gpus + c->gpus_per_node - 1) / c->gpus_per_node;
    row->attempts = pick_attempts(s, (uint32_t)job.end);
    row->line = s->made;
    return true;
}

const struct sidecar_row *synthetic_evidence(const struct synthetic *s)
{
    return s->habits ? habits_evidence(s->habits) : NULL;
}
