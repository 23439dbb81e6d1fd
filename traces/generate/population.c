/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All submissions of a generated cluster in their order: who submits what, and
 * when. */
#include "traces/generate/generate_internal.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"

/* largest relative difference between the mean GPU time of a job and
 * population_mean for which durations stay as they are */
#define OFF_MOST 0.04
/* a session may run the script of one of this many sessions before it */
#define REMEMBERED 8

/* Draws the model of a script. A user has two models for each size class, drawn
 * from the models of jobs of that class: the model says who runs a job and on
 * how many GPUs, and nothing about how long it runs. */
static const struct calibration_model *pick_model(
    const struct calibration_model *models, size_t n, uint32_t size,
    uint64_t stream, uint64_t user, uint32_t which)
{
    double left = keyed_uniform(stream, user, which);
    size_t i = 0;
    while (i + 1 < n && left >= models[i].share[size])
        left -= models[i++].share[size];
    return &models[i];
}

/* Returns the earlier session of the same user whose script this session runs
 * again, or the session itself. */
static uint32_t repeated(const struct population *p, uint32_t session,
                         gsl_rng *rng)
{
    const struct session *s = &p->people.sessions[session];
    uint32_t first = p->people.users[s->user].first;
    double at = gsl_rng_uniform(rng);
    for (uint32_t back = 1; back <= REMEMBERED && first + back <= session;
         back++) {
        const struct session *old = s - back;
        if (old->gpus == s->gpus && old->kind == s->kind)
            return at < p->calibration->back ? session - back : session;
    }
    return session;
}

static void write_scripts(struct population *p,
                          const struct calibration_model *models,
                          size_t n_models, uint64_t seed)
{
    const struct people *people = &p->people;
    gsl_rng *rng = rng_open(seed, "synthetic.scripts");
    uint64_t stream = rng_stream(seed, "synthetic.models");
    p->scripts = mem_zalloc(people->n_sessions, sizeof *p->scripts);
    p->script_of = mem_alloc(people->n_sessions * sizeof *p->script_of);
    for (uint32_t i = 0; i < people->n_sessions; i++) {
        const struct session *s = &people->sessions[i];
        uint32_t from = repeated(p, i, rng);
        double over = 1 / (1 - 0.95 * gsl_rng_uniform(rng));
        uint32_t which = s->size * 2 + (gsl_rng_uniform(rng) < 0.3);
        p->script_of[i] = from == i ? i : p->script_of[from];
        if (from != i)
            continue;
        p->scripts[i] = (struct script){
            .number = i + 1,
            .gpus = s->gpus,
            .kind = s->kind,
            /* The run time is a uniform share, 0.05 to 1, of the limit, and
             * limits are round values (Mu'alem and Feitelson, TPDS 2001,
             * section 4). */
            .over = over,
            .model =
                pick_model(models, n_models, s->size, stream, s->user, which),
        };
    }
    rng_free(rng);
}

double population_mean(const struct calibration *c, uint32_t gpus)
{
    return c->gpu_s * deal_mean(c, gpus) / deal_mean(c, UINT32_MAX);
}

/* Returns the GPU time of a submission, GPU seconds. */
static double population_gpu_time(const struct population *p,
                                  const struct entry *entry)
{
    const struct people_run *run = &p->people.runs[entry->run];
    return entry->seconds * p->people.sessions[run->session].gpus;
}

/* Gives the submissions, without those that run at the beginning, a mean GPU
 * time of `mean` GPU seconds if theirs differs by more than the share
 * `off_most`. Otherwise they stay as they are, because users chose their times
 * by these durations. */
static void population_meet(struct population *p, double mean, double off_most)
{
    struct timetable *t = &p->timetable;
    size_t first = t->n_running, n = t->n - first;
    double sum = 0;
    for (size_t i = first; i < t->n; i++)
        sum += population_gpu_time(p, &t->entries[i]);
    if (n == 0 || fabs(sum / (double)n / mean - 1) <= off_most)
        return;
    uint32_t *runs = mem_alloc(n * sizeof *runs);
    for (size_t i = 0; i < n; i++)
        runs[i] = t->entries[first + i].run;
    durations_meet(&p->people, runs, n, mean);
    for (size_t i = 0; i < n; i++)
        t->entries[first + i].seconds = p->people.runs[runs[i]].seconds;
    free(runs);
}

/* Makes the times of `options->jobs` submissions of the trace and of `after`
 * submissions after it, and lets users submit at these times. */
static void population_fill(struct population *p,
                            const struct population_options *options,
                            uint32_t after)
{
    const struct calibration *c = p->calibration;
    uint32_t jobs = options->jobs;
    double rest = p->span * after / jobs;
    double *times = mem_alloc(((size_t)jobs + after) * sizeof *times);
    arrivals_make(c, &p->traits, p->span, options->seed, times, jobs);
    if (after > 0)
        arrivals_make(c, &p->traits, rest, options->seed, times + jobs, after);
    for (uint32_t i = 0; i < after; i++)
        times[jobs + i] += p->span;
    const struct timetable_options table = {
        .times = times,
        .span = p->span + rest,
        .kept = jobs,
        .mean = population_mean(c, options->gpus),
        .trace_s = p->span,
        .gpus = options->gpus,
        .warm = options->warm,
        .seed = options->seed,
    };
    timetable_make(&p->timetable, &p->people, c, &p->traits, &table);
    free(times);
}

enum status population_open(const struct calibration *calibration,
                            const struct calibration_model *models,
                            size_t n_models,
                            const struct population_options *options,
                            struct arena *arena, struct population *out,
                            struct error *err)
{
    struct sizes sizes;
    double mean = population_mean(calibration, options->gpus);
    *out = (struct population){.calibration = calibration};
    enum status st = traits_load(calibration->name, &out->traits, err);
    uint32_t after = (uint32_t)ceil(out->traits.reserve * options->jobs);
    if (st == STATUS_OK)
        st = sizes_make(calibration, options->gpus, options->jobs + after,
                        arena, &sizes, err);
    if (st != STATUS_OK)
        return st;
    people_init(&out->people, calibration, &out->traits, sizes.of_vc,
                options->seed);
    deal(&out->people, calibration, &out->traits, &sizes, mean, options->seed);
    people_sort(&out->people);
    write_scripts(out, models, n_models, options->seed);
    out->span = options->span;
    if (out->span <= 0)
        out->span = options->jobs / calibration->jobs_per_day * 86400;
    out->span = fmax(out->span, 1);
    population_fill(out, options, after);
    population_meet(out, mean, options->exact ? 0 : OFF_MOST);
    timetable_count(&out->timetable, &out->people, out->span);
    return STATUS_OK;
}

void population_close(struct population *population)
{
    people_fini(&population->people);
    timetable_fini(&population->timetable);
    free(population->scripts);
    free(population->script_of);
}

bool population_next(struct population *population, struct submission *out)
{
    struct population *p = population;
    if (p->next == p->timetable.n)
        return false;
    const struct entry *entry = &p->timetable.entries[p->next++];
    const struct people_run *run = &p->people.runs[entry->run];
    const struct session *s = &p->people.sessions[run->session];
    *out = (struct submission){
        .at = entry->at,
        .user = s->user,
        .vc = p->people.users[s->user].vc,
        .end = (enum trace_end)run->state,
        .script = &p->scripts[p->script_of[run->session]],
        .seconds = entry->seconds,
    };
    return true;
}
