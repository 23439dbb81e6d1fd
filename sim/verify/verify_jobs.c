/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks each job on its own: its columns agree with its attempts, its gang is
 * whole and lies within its virtual cluster, and its times add up. */
#include <math.h>
#include <string.h>

#include "sim/verify/verify.h"

struct verify_jobs_check {
    const struct verify_data *data;
    const struct verify_job *job;
    const struct verify_job_row *row; /* of the job */
    struct verify_report *report;
};

/* True if the node is used for profiling at this time: it is a profiler node,
 * or is lent to the profiler. */
static bool is_for_profiling(const struct verify_data *data, uint32_t node,
                             sim_time at)
{
    bool lent = false;
    for (size_t i = 0; data->n_loans && i < data->n_changes; i++) {
        const struct verify_change *change = &data->changes[i];
        if (change->at > at)
            break;
        if (change->node == node && change->kind >= NODE_LENT)
            lent = change->kind == NODE_LENT;
    }
    return data->nodes[node].profiler || lent;
}

sim_span verify_life(const struct verify_job *job)
{
    sim_span life = job->finish - job->submitted;
    return life > 0 ? life : 0;
}

static void expect_span(struct verify_jobs_check *c, const char *column,
                        sim_span found, sim_span expected, sim_span tolerance)
{
    if (found - expected > tolerance || expected - found > tolerance)
        verify_say_job(c->data, c->report, c->job, column,
                       "%s is %.6f s, expected %.6f s", column,
                       span_seconds(found), span_seconds(expected));
}

static void jobs_check_place(struct verify_jobs_check *c,
                             const struct verify_attempt *a)
{
    const struct verify_data *d = c->data;
    uint32_t first = d->node_of[d->ranges[a->first_gpu_range].first];
    uint32_t type = d->nodes[first].type;
    const char *wrong = NULL;
    uint64_t next = 0;
    for (uint32_t i = 0; i < a->n_ranges; i++) {
        struct verify_range r = d->ranges[a->first_gpu_range + i];
        if (r.first < next)
            wrong = "names a GPU twice, or GPUs out of order";
        next = (uint64_t)r.last + 1;
        for (uint32_t n = d->node_of[r.first]; n <= d->node_of[r.last]; n++) {
            const struct verify_node *node = &d->nodes[n];
            if (is_for_profiling(d, n, a->start) != a->profiling &&
                (a->end > a->start || !d->n_loans))
                wrong = a->profiling ? "profiles on a node for jobs"
                                     : "runs on a node for profiling";
            else if (!a->profiling && node->vc != c->job->vc && !d->merged)
                wrong = "is outside its virtual cluster";
            else if (node->type != type)
                wrong = "is on GPUs of several types";
        }
    }
    if (wrong)
        verify_say_attempt(c->data, c->report, a, "allocated_resources", "%s",
                           wrong);
}

/* Checks that a profiling attempt lasts no longer than the limit, and exactly
 * as long if the limit ended it. */
static void jobs_check_profiling(struct verify_jobs_check *c,
                                 const struct verify_attempt *a)
{
    sim_span limit = c->data->profile_limit, length = a->end - a->start;
    if (limit < 0)
        return;
    if (length > limit || (a->how == 'p' && length < limit))
        verify_say_attempt(c->data, c->report, a, "profiling",
                           "is profiled for %.6f s, the limit is %.6f s",
                           span_seconds(length), span_seconds(limit));
}

static void check_attempt(struct verify_jobs_check *c,
                          const struct verify_attempt *a, sim_time earliest)
{
    const struct verify_job *job = c->job;
    if (a->start < earliest)
        verify_say_attempt(
            c->data, c->report, a, "starting_time",
            "starts before its submission, or during the attempt before");
    if (a->end < a->start)
        verify_say_attempt(c->data, c->report, a, "finish_time",
                           "ends before it starts");
    if (a->n_ranges == 0) {
        verify_say_attempt(c->data, c->report, a, "allocated_resources",
                           "holds no GPU");
        return;
    }
    if (a->gpus != job->gpus && !c->data->elastic)
        verify_say_attempt(c->data, c->report, a, "allocated_resources",
                           "holds %u GPUs, its gang is %u", a->gpus, job->gpus);
    jobs_check_place(c, a);
    if (a->profiling)
        jobs_check_profiling(c, a);
}

static void check_attempts(struct verify_jobs_check *c)
{
    const struct verify_job *job = c->job;
    const struct verify_attempt *all = c->data->attempts + job->first_attempt;
    sim_time earliest = job->submitted;
    sim_span running = 0;
    uint32_t stopped = 0;
    for (uint32_t i = 0; i < job->n_attempts; i++) {
        check_attempt(c, &all[i], earliest);
        earliest = all[i].end;
        running = verify_span_sum(running, all[i].end - all[i].start);
        stopped += all[i].how == 's';
        if ((all[i].how == 'f' || all[i].how == 'o') && i + 1 < job->n_attempts)
            verify_say_attempt(c->data, c->report, &all[i], "how",
                               "runs again after its end");
    }
    if (job->n_attempts != job->attempts)
        verify_say_job(c->data, c->report, job, "attempts",
                       "%u attempts, %u listed", job->attempts,
                       job->n_attempts);
    if (stopped != c->row->preemptions)
        verify_say_job(c->data, c->report, job, "preemptions",
                       "%u preemptions, %u listed", c->row->preemptions,
                       stopped);
    expect_span(c, "running", c->row->running, running, 0);
    if (job->n_attempts)
        expect_span(c, "starting_time", c->row->start, all[0].start, 0);
    if (!job->finished)
        return;
    if (!job->n_attempts || all[job->n_attempts - 1].how != 'f')
        verify_say_job(c->data, c->report, job, "outcome",
                       "finished without finishing an attempt");
    else
        expect_span(c, "finish_time", job->finish, all[job->n_attempts - 1].end,
                    0);
}

static void jobs_check_times(struct verify_jobs_check *c)
{
    const struct verify_job *job = c->job;
    const double slowdown = c->row->told.slowdown;
    sim_span life = verify_life(job), held = c->row->told.held;
    expect_span(c, "queue_delay", job->queue_delay,
                life - c->row->running - held, 0);
    bool defined = job->finished && job->duration > 0;
    if (defined == isnan(slowdown) ||
        (defined &&
         !verify_is_cell(slowdown, (double)life / (double)job->duration)))
        verify_say_job(c->data, c->report, job, "slowdown",
                       "slowdown is not JCT / duration");
}

/* Checks that the work of a job adds up over its attempts. Each attempt may be
 * off by 1 us of rounding. With a grid, each attempt may also be off by half a
 * grid step, because the end of its work was rounded; an elastic job by half a
 * step per phase. The number of phases is not known, so its running time is not
 * compared then. */
static void check_conservation(struct verify_jobs_check *c)
{
    const struct verify_job *job = c->job;
    sim_span tolerance = job->n_attempts;
    bool phases = c->data->grid > 0 && c->data->elastic;
    if (job->finished)
        expect_span(c, "work", c->row->work, job->duration + c->row->lost,
                    tolerance);
    if (c->data->unit_rates && !phases)
        expect_span(c, "running", c->row->running,
                    c->row->work + c->row->overhead,
                    tolerance + job->n_attempts * (c->data->grid / 2));
}

bool verify_sizes_may_change(const struct verify_data *data)
{
    const json_t *throughput = json_object_get(
        json_object_get(data->manifest, "configuration"), "throughput");
    const char *name = json_string_value(json_object_get(throughput, "name"));
    return name && strcmp(name, "rigid") != 0;
}

void verify_jobs(const struct verify_data *data, const struct verify_job *job,
                 const struct verify_job_row *row)
{
    struct verify_jobs_check c = {
        .data = data, .report = data->report, .job = job, .row = row};
    check_attempts(&c);
    jobs_check_times(&c);
    check_conservation(&c);
    if (job->finish < job->submitted && job->ended)
        verify_say_job(data, data->report, job, "finish_time",
                       "ends before its submission");
}
