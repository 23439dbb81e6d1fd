/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Users submit runs of scripts. A script fixes what a person repeats: the
 * size, the model, the name, and for each way to end a typical duration. Runs
 * of one script so resemble each other as the published jobs of one user do,
 * which is what history-based estimators live from, and no more than they do:
 * how a run ends is not known before. The sizes, ends and durations of all
 * scripts together follow the calibrated table. */
#include "traces/synthetic.h"

#include <gsl/gsl_randist.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/check.h"
#include "traces/arrivals.h"
#include "traces/trace.h"
#include "traces/urn.h"

#define REMEMBERED 8 /* scripts of a user that may come back */
#define TEXT_MAX 96

/* How far counts may run ahead of shares, in jobs: some times the length of the
 * runs in which they come. */
#define SLACK_USERS 128.0
#define SLACK_SIZES 64.0
#define SLACK_KINDS 64.0
#define SLACK_STATES 32.0
#define SLACK_BINS 16.0

struct script {
    uint64_t number;
    uint32_t gpus, size, kind;
    size_t count; /* of the published numbers of GPUs */
    bool ran;
    uint32_t state;
    double typical[CALIBRATION_STATES]; /* seconds, 0: not yet */
    double over;                        /* declared over typical duration */
    sim_span declared;
    const struct calibration_workload *workload;
};

struct user {
    struct script scripts[REMEMBERED];
    size_t n, current;
    size_t vc; /* n_vcs: none */
};

/* A size class and kind: how its jobs end, and how long each end takes. */
struct group {
    struct urn states;
    struct urn bins[CALIBRATION_STATES];
};

struct synthetic {
    struct arena arena;
    struct calibration calibration;
    struct calibration_workload *workloads;
    size_t n_workloads;
    struct arrivals arrivals;
    gsl_rng *people, *shapes, *durations, *causes;
    struct user *users;
    struct urn who, sizes, kinds[CALIBRATION_CLASSES];
    struct group *groups; /* class-major */
    double chance;        /* that two draws of a user agree */
    double rate, gpu_s;
    uint64_t limit, made, n_scripts;
    double horizon; /* seconds; 0: none */
    size_t n_sizes; /* sizes that fit the cluster */
    uint32_t last_user;
    const char *cause;
    char id[TEXT_MAX], user[TEXT_MAX], name[TEXT_MAX];
};

static struct group *group_of(const struct synthetic *s, uint32_t size,
                              uint32_t kind)
{
    return &s->groups[size * s->calibration.n_kinds + kind];
}

static double mean_of_bin(uint32_t bin)
{
    double hi = (double)(UINT32_C(1) << bin);
    return bin ? hi / 2 / log(2) : 1;
}

/* The table, cut to the sizes that fit, and its mean. */
static void build_jobs(struct synthetic *s, uint32_t gpus)
{
    struct calibration *c = &s->calibration;
    double share[CALIBRATION_CLASSES] = {0}, sum[CALIBRATION_CLASSES] = {0};
    urn_init(&s->sizes, &s->arena, c->n_gpu_counts, SLACK_SIZES);
    for (size_t i = 0; i < c->n_gpu_counts; i++) {
        if (c->gpu_counts[i].value > gpus)
            continue;
        uint32_t size = calibration_class((uint32_t)c->gpu_counts[i].value);
        share[size] += c->gpu_counts[i].weight;
        sum[size] += c->gpu_counts[i].weight * c->gpu_counts[i].value;
        urn_add(&s->sizes, i, c->gpu_counts[i].weight);
        s->n_sizes = i + 1;
    }
    urn_ready(&s->sizes);
    for (size_t i = 0; i < CALIBRATION_CLASSES; i++)
        urn_init(&s->kinds[i], &s->arena, c->n_kinds, SLACK_KINDS);
    s->groups =
        ARENA_ARRAY(&s->arena, struct group, CALIBRATION_CLASSES * c->n_kinds);
    for (size_t i = 0; i < CALIBRATION_CLASSES * c->n_kinds; i++)
        urn_init(&s->groups[i].states, &s->arena, CALIBRATION_STATES,
                 SLACK_STATES);
    double jobs = 0;
    for (size_t i = 0; i < c->n_cells; i++) {
        const struct calibration_cell *cell = &c->cells[i];
        struct group *group = group_of(s, cell->size, cell->kind);
        urn_add(&s->kinds[cell->size], cell->kind, cell->share);
        urn_add(&group->states, cell->state, cell->share);
        struct urn *bins = &group->bins[cell->state];
        urn_init(bins, &s->arena, CALIBRATION_BINS, SLACK_BINS);
        double seconds = 0;
        for (uint32_t b = 0; b < CALIBRATION_BINS; b++) {
            urn_add(bins, b, cell->bins[b]);
            seconds += cell->bins[b] * mean_of_bin(b);
        }
        urn_ready(bins);
        if (share[cell->size] > 0) {
            jobs += cell->share;
            s->gpu_s +=
                cell->share * seconds * sum[cell->size] / share[cell->size];
        }
    }
    s->gpu_s /= jobs;
    for (size_t i = 0; i < CALIBRATION_CLASSES; i++)
        urn_ready(&s->kinds[i]);
    for (size_t i = 0; i < CALIBRATION_CLASSES * c->n_kinds; i++)
        urn_ready(&s->groups[i].states);
}

/* The busiest users first, each into the virtual cluster that lacks most of its
 * share. */
static void build_users(struct synthetic *s)
{
    struct calibration *c = &s->calibration;
    double *given = ARENA_ARRAY(&s->arena, double, c->n_vcs + 1);
    s->users = ARENA_ARRAY(&s->arena, struct user, c->n_users);
    urn_init(&s->who, &s->arena, c->n_users, SLACK_USERS);
    for (size_t i = 0; i < c->n_users; i++)
        urn_add(&s->who, i, c->users[i]);
    urn_ready(&s->who);
    for (size_t i = 0; i < c->n_users; i++) {
        s->chance += s->who.share[i] * s->who.share[i];
        size_t best = 0;
        for (size_t v = 1; v < c->n_vcs; v++) {
            if (c->vcs[v].share - given[v] > c->vcs[best].share - given[best])
                best = v;
        }
        s->users[i].vc = best;
        given[best] += s->who.share[i];
    }
}

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

/* The rate at which the very jobs of this seed offer the load: durations have
 * such tails that a trace's mean is far from the expected one. Which jobs come
 * does not depend on the rate, so a first pass finds it. With days and no
 * number of jobs it also finds that: as many as come nearest to the load. */
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
    while ((!count || total < goal) && synthetic_next(s, &row)) {
        before = total;
        total += span_seconds(row.duration) * row.gpus;
    }
    uint64_t n = s->made;
    synthetic_close(s);
    if (count && n > 1 && goal - before < total - goal)
        n--;
    out->rate = count ? (double)n / options->days
                      : options->load * gpus * 86400 * (double)n / total;
    if (count)
        out->limit = n;
    else
        out->horizon = options->days * 86400;
    return STATUS_OK;
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
    st = calibration_workloads(options->workloads ? options->workloads
                                                  : c->workloads,
                               &s->arena, &s->workloads, &s->n_workloads, err);
    if (st != STATUS_OK)
        goto out;
    uint32_t gpus = options->gpus ? options->gpus : c->gpus;
    build_jobs(s, gpus);
    build_users(s);
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
    s->last_user = UINT32_MAX;
    s->cause = "";
    s->people = rng_open(options->seed, "synthetic.people");
    s->shapes = rng_open(options->seed, "synthetic.shapes");
    s->durations = rng_open(options->seed, "synthetic.durations");
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
    arrivals_fini(&s->arrivals);
    rng_free(s->people);
    rng_free(s->shapes);
    rng_free(s->durations);
    rng_free(s->causes);
    arena_fini(&s->arena);
    free(s);
}

double synthetic_rate(const struct synthetic *s)
{
    return s->rate;
}

double synthetic_gpu_seconds(const struct synthetic *s)
{
    return s->gpu_s;
}

const char *synthetic_cause(const struct synthetic *s)
{
    return s->cause;
}

static uint32_t pick_user(struct synthetic *s, double gap_s)
{
    const struct calibration *c = &s->calibration;
    double stay = 0;
    for (size_t i = 0; i < c->n_stay; i++) {
        stay = c->stay[i].weight;
        if (c->stay[i].value >= 0 && gap_s < c->stay[i].value + 1)
            break;
    }
    /* the measured share contains draws that agree by chance */
    stay = (stay - s->chance) / (1 - s->chance);
    if (s->last_user == UINT32_MAX || gsl_rng_uniform(s->people) >= stay)
        s->last_user = (uint32_t)urn_draw(&s->who, s->people, s->who.n);
    urn_count(&s->who, s->last_user);
    return s->last_user;
}

/* A user never asks for more than its virtual cluster has. */
static size_t sizes_for(const struct synthetic *s, const struct user *user)
{
    const struct calibration *c = &s->calibration;
    if (!c->n_vcs)
        return s->n_sizes;
    double most = c->vcs[user->vc].nodes * (double)c->gpus_per_node;
    size_t n = s->n_sizes;
    while (n > 1 && c->gpu_counts[n - 1].value > most)
        n--;
    return n;
}

static struct script *script_new(struct synthetic *s, struct user *user)
{
    const struct calibration *c = &s->calibration;
    user->current =
        user->n < REMEMBERED ? user->n++ : rng_below(s->shapes, REMEMBERED);
    struct script *t = &user->scripts[user->current];
    size_t i = urn_draw(&s->sizes, s->shapes, sizes_for(s, user));
    uint32_t gpus = (uint32_t)c->gpu_counts[i].value;
    *t = (struct script){
        .number = ++s->n_scripts,
        .gpus = gpus,
        .count = i,
        .size = calibration_class(gpus),
        /* declared limits: the run time is a uniform share of the limit, which
         * is a round value (Mu'alem and Feitelson, TPDS 2001, section 4) */
        .over = 1 / (1 - 0.95 * gsl_rng_uniform(s->shapes)),
    };
    t->kind = (uint32_t)urn_draw(&s->kinds[t->size], s->shapes, c->n_kinds);
    return t;
}

static struct script *pick_script(struct synthetic *s, struct user *user)
{
    const struct calibration *c = &s->calibration;
    if (!user->n)
        return script_new(s, user);
    if (gsl_rng_uniform(s->people) < c->keep)
        return &user->scripts[user->current];
    if (user->n < 2 || gsl_rng_uniform(s->people) >= c->back)
        return script_new(s, user);
    size_t step = 1 + rng_below(s->people, (uint32_t)user->n - 1);
    user->current = (user->current + step) % user->n;
    return &user->scripts[user->current];
}

/* A model for jobs of this much GPU time: among those with the highest bound
 * that it reaches, each as likely. */
static const struct calibration_workload *pick_workload(struct synthetic *s,
                                                        double gpu_hours)
{
    double best = 0;
    for (size_t i = 0; i < s->n_workloads; i++) {
        double bound = s->workloads[i].gpu_hours;
        if (bound <= gpu_hours && bound > best)
            best = bound;
    }
    size_t n = 0, seen = 0;
    for (size_t i = 0; i < s->n_workloads; i++)
        n += s->workloads[i].gpu_hours == best;
    size_t pick = rng_below(s->shapes, (uint32_t)n);
    size_t i = 0;
    while (s->workloads[i].gpu_hours != best || seen++ != pick)
        i++;
    return &s->workloads[i];
}

static double typical_seconds(struct synthetic *s, struct urn *bins)
{
    size_t bin = urn_draw(bins, s->durations, CALIBRATION_BINS);
    double hi = (double)(UINT32_C(1) << bin);
    return hi * exp2(-gsl_rng_uniform(s->durations));
}

/* The end and the seconds of one more run. */
static double run(struct synthetic *s, struct script *t)
{
    const struct calibration *c = &s->calibration;
    struct group *group = group_of(s, t->size, t->kind);
    if (!t->ran || gsl_rng_uniform(s->durations) >= c->persist)
        t->state = (uint32_t)urn_draw(&group->states, s->durations,
                                      CALIBRATION_STATES);
    t->ran = true;
    urn_count(&group->states, t->state);
    struct urn *bins = &group->bins[t->state];
    double *typical = &t->typical[t->state];
    if (*typical <= 0 || gsl_rng_uniform(s->durations) < c->jump)
        *typical = typical_seconds(s, bins);
    double seconds = *typical * exp(gsl_ran_gaussian(s->durations, c->spread));
    seconds = fmin(fmax(ceil(seconds), 1), UINT32_C(1) << 21);
    urn_count(bins, calibration_bin(seconds));
    if (!t->workload)
        t->workload = pick_workload(s, *typical * t->gpus / 3600);
    return seconds;
}

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

/* The cause is the likelier the more often it is seen and the better its run
 * time to failure fits this one: Bayes' rule. */
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

static void name_row(struct synthetic *s, const struct script *t,
                     const struct user *user, struct trace_row *row)
{
    const struct calibration *c = &s->calibration;
    snprintf(s->id, sizeof s->id, "%" PRIu64, s->made);
    snprintf(s->user, sizeof s->user, "u%zu", (size_t)(user - s->users) + 1);
    snprintf(s->name, sizeof s->name, "%s-%" PRIu64, t->workload->model,
             t->number);
    row->source_id = text_from(s->id);
    row->user = text_from(s->user);
    row->name = text_from(s->name);
    row->workload = text_from(t->workload->model);
    row->dataset = text_from(t->workload->dataset);
    row->batch_size = t->workload->batch_size;
    if (c->n_vcs)
        row->vc = text_from(c->vcs[user->vc].name);
    row->kind = text_from(c->kinds[t->kind].name);
    if (!row->kind.len)
        row->kind = text_from(s->cause);
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
    struct user *user = &s->users[pick_user(s, gap_s)];
    struct script *t = pick_script(s, user);
    double seconds = run(s, t);
    urn_count(&s->sizes, t->count);
    urn_count(&s->kinds[t->size], t->kind);
    s->cause = t->state == TRACE_END_FAILED ? pick_cause(s, seconds) : "";
    if (!t->declared)
        t->declared = round_limit(seconds * t->over);
    if (t->declared < span_from_seconds(seconds))
        t->declared = round_limit(seconds);

    trace_row_clear(row);
    row->submitted = submitted;
    row->duration = span_from_seconds(seconds);
    row->declared = t->declared;
    row->gpus = t->gpus;
    row->cpus = t->gpus * c->cpus_per_gpu;
    row->nodes = (t->gpus + c->gpus_per_node - 1) / c->gpus_per_node;
    row->attempts = pick_attempts(s, t->state);
    row->end = (enum trace_end)t->state;
    name_row(s, t, user, row);
    row->line = s->made;
    return true;
}
