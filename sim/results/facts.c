/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/facts.h"

#include <stdlib.h>

#include "traces/trace.h"

struct results results_of(const struct run_result *run,
                          const struct meter *meter)
{
    return (struct results){
        .run = run, .meter = meter, .end = run->ledger.last};
}

const char *outcome_name(enum outcome outcome)
{
    static const char *const names[OUTCOME_N] = {
#define OUTCOME_NAME(name, words) words,
        OUTCOMES(OUTCOME_NAME)
#undef OUTCOME_NAME
    };
    return names[outcome];
}

static int by_job(const void *a, const void *b, void *arg)
{
    const struct rejection *all = arg;
    job_id x = all[*(const uint32_t *)a].job, y = all[*(const uint32_t *)b].job;
    return (x > y) - (x < y);
}

void facts_reader_init(struct facts_reader *reader, struct results results)
{
    const struct ledger *ledger = &results.run->ledger;
    size_t n = ledger->n_rejections;
    *reader = (struct facts_reader){
        .results = results, .gpus = fairness_gpus(&results.run->cluster)};
    reader->rejections = mem_zalloc(n + 1, sizeof *reader->rejections);
    for (uint32_t i = 0; i < n; i++)
        reader->rejections[i] = i;
    if (n > 1)
        qsort_r(reader->rejections, n, sizeof *reader->rejections, by_job,
                ledger->rejections);
}

void facts_reader_fini(struct facts_reader *reader)
{
    free(reader->slices);
    free(reader->rejections);
    free(reader->gpus);
}

struct gpu_set facts_where(struct facts_reader *reader, uint32_t attempt)
{
    const struct ledger *ledger = &reader->results.run->ledger;
    const struct attempt *a = &ledger->attempts[attempt];
    uint32_t n =
        ledger_where(ledger, a, reader->slices, (uint32_t)reader->room);
    if (n > reader->room) {
        reader->slices =
            mem_grow(reader->slices, &reader->room, n, sizeof *reader->slices);
        ledger_where(ledger, a, reader->slices, n);
    }
    return (struct gpu_set){reader->slices, n};
}

sim_time facts_attempt_end(const struct results *results, uint32_t attempt)
{
    sim_time end = results->run->ledger.attempts[attempt].end;
    return end == TIME_NEVER ? results->end : end;
}

const struct rejection *facts_rejection(const struct facts_reader *reader,
                                        job_id job)
{
    const struct ledger *ledger = &reader->results.run->ledger;
    size_t lo = 0, hi = ledger->n_rejections;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        const struct rejection *r =
            &ledger->rejections[reader->rejections[mid]];
        if (r->job == job)
            return r;
        if (r->job < job)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

/* Rounds as llround does, without a function call. */
static sim_span facts_nearest(double micros)
{
    sim_span whole = (sim_span)micros;
    double rest = micros - (double)whole;
    return whole + (rest >= 0.5) - (rest <= -0.5);
}

struct stay facts_stay(const struct results *results, uint32_t attempt)
{
    const struct ledger *ledger = &results->run->ledger;
    const struct attempt *a = &ledger->attempts[attempt];
    const struct attempt_cost *cost = ledger_cost(ledger, attempt);
    struct stay stay = {.start = a->start,
                        .end = facts_attempt_end(results, attempt)};
    stay.work = stay.end - stay.start;
    if (cost) {
        stay.work = facts_nearest(cost->work);
        stay.resume = cost->resume;
        stay.lost = cost->lost;
        stay.idle = cost->overhead - cost->resume;
    }
    return stay;
}

/* Returns the part of `worked` that produced work which was kept. In attempts
 * of some microseconds, rounding can make `worked` negative. */
static int64_t useful_of(const struct facts *f)
{
    sim_span kept = f->work - f->lost, done = f->work + f->resume;
    if (f->outcome == OUTCOME_GIVEN_UP || f->outcome == OUTCOME_REJECTED ||
        kept <= 0 || f->worked <= 0)
        return 0;
    if (kept == done)
        return f->worked;
    return (int64_t)((double)f->worked * ((double)kept / (double)done));
}

/* Adds up the attempts of a job, from the last to the first. */
static void add_attempts(const struct facts_reader *reader, struct facts *f)
{
    const struct ledger *ledger = &reader->results.run->ledger;
    for (uint32_t number = f->last_attempt; number != ATTEMPT_NONE;) {
        const struct attempt *a = &ledger->attempts[number];
        const struct attempt_cost *cost = ledger_cost(ledger, number);
        bool open = a->end == TIME_NEVER;
        sim_span length = (open ? reader->results.end : a->end) - a->start;
        int64_t gpus = ledger_gpus(ledger, a), held = length * gpus;
        f->worked += held;
        if (cost) {
            f->work += facts_nearest(cost->work) - cost->resume;
            f->resume += cost->resume;
            f->overhead += cost->overhead;
            f->lost += cost->lost;
            f->writing += cost->writing * gpus;
            f->worked -= (cost->overhead - cost->resume) * gpus;
        } else {
            f->work += length;
        }
        f->running += length;
        f->held_time += held;
        f->profiling += a->profiling ? held : 0;
        f->shared |= a->shared;
        f->preemptions += !open && a->how == LEDGER_STOPPED;
        f->attempts++;
        f->start = a->start;
        number = a->previous;
    }
    f->useful = useful_of(f);
}

static enum outcome outcome_of(const struct job *job, enum trace_end recorded)
{
    switch (job->state) {
    case JOB_FINISHED:
        break;
    case JOB_FAILED:
        return OUTCOME_GIVEN_UP;
    case JOB_REJECTED:
        return OUTCOME_REJECTED;
    default:
        return OUTCOME_UNFINISHED;
    }
    switch ((int)recorded) {
    case TRACE_END_COMPLETED:
        return OUTCOME_COMPLETED;
    case TRACE_END_FAILED:
        return OUTCOME_FAILED;
    case TRACE_END_CANCELLED:
        return OUTCOME_CANCELLED;
    default: /* TRACE_END_UNKNOWN */
        return OUTCOME_UNKNOWN;
    }
}

static sim_time facts_end_of(const struct facts_reader *reader,
                             const struct facts *f)
{
    const struct results *results = &reader->results;
    if (f->outcome == OUTCOME_REJECTED) {
        const struct rejection *r = facts_rejection(reader, f->job->id);
        return r ? r->at : f->job->submitted;
    }
    if (f->ended)
        return results->run->ledger.attempts[f->last_attempt].end;
    return results->end > f->job->submitted ? results->end : f->job->submitted;
}

/* Measures a finished job against the other jobs of its virtual cluster, by the
 * mean load of that virtual cluster and the mean number of active jobs in it
 * during the life of the job. Sets the metrics `slowdown_by_load` and `rho`.
 * Both stay NaN if the recorded running time is 0 or the virtual cluster has no
 * GPUs; `rho` also if the job can run on none of its GPUs. */
static void compare_with_others(const struct facts_reader *reader,
                                struct facts *f)
{
    const struct results *results = &reader->results;
    const struct cluster *c = &results->run->cluster;
    const struct meter_life *life = &results->meter->lives[f->job->id];
    double span = (double)facts_jct(f), load = 0, active = 1;
    double gpus = (double)results->meter->vcs[f->job->vc].gpus;
    if (f->duration <= 0 || gpus <= 0)
        return;
    if (span > 0) {
        load = (double)life->demand / (span * gpus);
        active = (double)life->active / span;
    }
    f->metric[METRIC_BY_LOAD] =
        f->metric[METRIC_SLOWDOWN] / (load > 1 ? load : 1);
    double fair = fairness_time(results->run,
                                reader->gpus + (size_t)f->job->vc * c->n_types,
                                f->job, f->duration, active);
    if (fair > 0)
        f->metric[METRIC_RHO] = span / fair;
}

static void facts_measure(const struct facts_reader *reader, struct facts *f)
{
    for (unsigned m = 0; m < METRICS; m++)
        f->metric[m] = NAN;
    if (!f->finished)
        return;
    sim_span jct = facts_jct(f);
    f->metric[METRIC_JCT] = span_seconds(jct);
    f->metric[METRIC_QUEUE_DELAY] = span_seconds(f->queued);
    f->metric[METRIC_WAIT] = span_seconds(facts_wait(f));
    f->metric[METRIC_SLOWDOWN] = facts_slowdown(jct, f->duration);
    f->metric[METRIC_BOUNDED] = facts_bounded_slowdown(jct, f->duration);
    compare_with_others(reader, f);
}

/* Returns the GPU type of an attempt; the number of types if `attempt` is
 * ATTEMPT_NONE. */
static uint8_t facts_type_of(struct facts_reader *reader, uint32_t attempt)
{
    const struct cluster *c = &reader->results.run->cluster;
    if (attempt == ATTEMPT_NONE)
        return (uint8_t)c->n_types;
    struct gpu_set where = facts_where(reader, attempt);
    return (uint8_t)c->pools[c->nodes[where.at[0].node].pool].type;
}

void facts_read(struct facts_reader *reader, job_id id, struct facts *f)
{
    const struct results *results = &reader->results;
    const struct run_result *run = results->run;
    const struct ledger *ledger = &run->ledger;
    const struct job *job = &run->jobset.jobs[id];
    const enum trace_end recorded =
        (enum trace_end)jobset_end(&run->jobset, id);
    *f = (struct facts){
        .job = job,
        .outcome = outcome_of(job, recorded),
        .recorded = (uint8_t)recorded,
        .finished = job->state == JOB_FINISHED,
        .ended = job_is_terminal(job),
        .last_attempt = ledger->last_attempt[id],
        .duration = jobset_duration(&run->jobset, id),
        .held = results->meter->held ? results->meter->held[id] : 0,
    };
    add_attempts(reader, f);
    f->end = facts_end_of(reader, f);
    /* A hold that was never closed lasts to the end of the run. Until that end
     * is added, the sum of the holds is negative. */
    if (f->held < 0)
        f->held += f->end;
    f->queued = f->end - job->submitted - f->running - f->held;
    facts_measure(reader, f);
    if (run->extras.by_type)
        f->type = facts_type_of(reader, f->last_attempt);
}
