/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides, from what was read of each job, which changes are reported. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/watch/watch_internal.h"

/* The step time is read when the job has shown MEASURE_LINES progress lines. It
 * is read again when their number has doubled and MEASURE_LEAST has passed, or
 * when there is a new progress line and MEASURE_MOST has passed. */
#define MEASURE_LINES 5
#define MEASURE_LEAST (20 * SPAN_SECOND)
#define MEASURE_MOST (300 * SPAN_SECOND)
/* Number of progress lines after a failure that show that the job goes on; as
 * many as the locator of failures needs by default. */
#define SURVIVED 3
/* Longest time to wait for the last lines of an ended job, because a scheduler
 * may report the end before a file server shows them. */
#define LAST_LINES (30 * SPAN_SECOND)

static void verdict_enter(struct watch_job *job, enum watch_phase phase)
{
    job->phase = phase;
    job->again = 0;
    job->dirty = true;
}

void watch_tell_seen(struct watch *w, struct watch_job *job)
{
    if (job->seen)
        return;
    job->seen = w->clock.now;
    job->dirty = true;
    event_tell(w, WATCH_EVENT_SEEN, event_begin(job, WATCH_EVENT_SEEN));
}

/* Resets a job that had ended and runs again, such as one that was put back
 * into the queue. */
static void verdict_run_again(struct watch_job *job)
{
    struct watch_job fresh = {.id = job->id,
                              .facts = job->facts,
                              .scheduled = true,
                              .files = job->files,
                              .index = job->index};
    *job = fresh;
    for (struct watch_file *f = job->files; f; f = f->next_of_job) {
        f->suspects = 0; /* the suspect lines belong to the run before */
        f->dirty = true;
    }
    json_object_del(job->facts, "exit_code");
    json_object_del(job->facts, "signal");
    json_object_del(job->facts, "reason");
    json_object_del(job->facts, "ended");
    verdict_enter(job, WATCH_RUNNING);
}

void watch_take_facts(struct watch *w, struct watch_job *job, json_t *facts)
{
    struct job_end end;
    json_t *before = json_deep_copy(job->facts);
    json_object_update(job->facts, facts);
    if (!json_equal(before, job->facts))
        job->dirty = true;
    json_decref(before);
    judge_end(w, job, &end);
    bool over = end.state != END_UNKNOWN;
    if (!over && job->over && json_object_get(facts, "state")) {
        verdict_run_again(job);
        watch_tell_seen(w, job);
    }
    if (over && !job->over) {
        job->over = job->dirty = true;
        job->over_at = w->clock.now;
    }
}

static bool verdict_is_due(const struct watch *w, const struct watch_job *job)
{
    sim_span since = w->clock.now - job->measured;
    if (job->progress < MEASURE_LINES || job->progress == job->read_at)
        return false;
    return since >= MEASURE_MOST ||
           (since >= MEASURE_LEAST && job->progress >= 2 * job->read_at);
}

static bool verdict_differs(double a, double b, double factor)
{
    return a > b * factor || b > a * factor;
}

static void tell_speed(struct watch *w, struct watch_job *job,
                       const struct track *t)
{
    json_t *row = event_begin(job, WATCH_EVENT_PROGRESS);
    json_put(row, "seconds_per_step", json_number(t->seconds_per_step));
    json_put(row, "previous",
             job->step_s > 0 ? json_number(job->step_s) : json_null());
    json_put(row, "unit", t->unit[0] ? event_text(t->unit) : json_null());
    json_put(row, "source", json_text(tracker_source_names[t->source]));
    json_put(row, "confidence", json_number(round(t->confidence * 100) / 100));
    json_put(row, "step", json_number(t->step));
    json_put(row, "steps", json_number(t->steps));
    json_put(row, "loss", json_number(t->loss));
    event_tell(w, WATCH_EVENT_PROGRESS, row);
    job->step_s = t->seconds_per_step;
    job->candidate_s = 0;
}

/* Reads the step time. Reports the first one at once. Reports a different one
 * only when the next reading agrees with it, because a few slow steps are no
 * change. */
static void verdict_measure(struct watch *w, struct watch_job *job)
{
    struct track t;
    judge_speed(w, job, &t);
    job->measured = w->clock.now;
    job->read_at = job->progress;
    job->dirty = true;
    if (t.source == TRACKER_NOT_FOUND || !(t.seconds_per_step > 0))
        return;
    double factor = w->config->factor;
    if (!isnan(t.step))
        job->step = t.step;
    if (!isnan(t.steps))
        job->steps = t.steps;
    if (job->step_s <= 0 ||
        (verdict_differs(t.seconds_per_step, job->step_s, factor) &&
         job->candidate_s > 0 &&
         !verdict_differs(t.seconds_per_step, job->candidate_s, factor)))
        tell_speed(w, job, &t);
    else if (verdict_differs(t.seconds_per_step, job->step_s, factor))
        job->candidate_s = t.seconds_per_step;
    else
        job->candidate_s = 0;
}

static int64_t suspects(const struct watch_job *job)
{
    int64_t n = 0;
    for (const struct watch_file *f = job->files; f; f = f->next_of_job)
        n += f->suspects;
    return n;
}

static void tell_failed(struct watch *w, struct watch_job *job,
                        const struct log_judgement *j, const char *basis)
{
    const struct diagnosis *d = &j->diagnosis;
    json_t *row = event_begin(job, WATCH_EVENT_FAILED);
    json_put(row, "basis", json_text(basis));
    judgement_put(w, j, row);
    if (*job_fact(job, "state"))
        json_put(row, "state", event_text(job_fact(job, "state")));
    if (*job_fact(job, "exit_code"))
        json_put(row, "exit_code", event_text(job_fact(job, "exit_code")));
    event_tell(w, WATCH_EVENT_FAILED, row);
    unsigned kind = judgement_kind(d);
    w->counts.failures[kind][d->part]++;
    json_put(job->facts, "failure",
             json_text(d->reason[0] ? d->reason : judgement_kind_name(kind)));
    verdict_enter(job, WATCH_FAILED);
}

/* Judges the logs of a running or stalled job if they hold lines that may be
 * errors, no new line has come for watch_config.settle, and they have grown
 * since they were last judged. Reports a failure that is certain enough. */
static void look_for_failure(struct watch *w, struct watch_job *job)
{
    struct log_judgement j;
    bool running = job->phase == WATCH_RUNNING || job->phase == WATCH_STALLED;
    if (!running || job->judged >= job->grown ||
        w->clock.now - job->grown < w->config->settle || suspects(job) == 0)
        return;
    job->judged = job->grown;
    job->dirty = true;
    judge_failure(w, job, &j);
    if (j.diagnosis.failed && j.diagnosis.confidence >= w->config->confidence)
        tell_failed(w, job, &j, "log");
}

/* Judges a job that stands still as `diagnose` would, whatever its lines looked
 * like when they came. Returns true if it reports a failure. */
static bool verdict_tell_failure(struct watch *w, struct watch_job *job)
{
    struct log_judgement j;
    if (job->phase == WATCH_FAILED || !job->files)
        return false;
    judge_failure(w, job, &j);
    if (j.diagnosis.failed)
        tell_failed(w, job, &j, "log");
    return j.diagnosis.failed;
}

/* Returns the time after which the job is stalled: without progress if its step
 * time is known, else without any new line. 0: the job is never taken for
 * stalled. */
static sim_span stall_after(const struct watch_config *c,
                            const struct watch_job *job)
{
    if (job->step_s <= 0)
        return c->silent;
    double steps = c->stall_steps * job->step_s * (double)SPAN_SECOND;
    double gaps = c->stall_gaps * (double)job->gap;
    double survived = 2 * (double)job->longest;
    double most = fmax((double)c->stall, fmax(fmax(steps, gaps), survived));
    return most < (double)TIME_NEVER ? (sim_span)most : TIME_NEVER;
}

static bool verdict_is_read(const struct watch_job *job)
{
    for (const struct watch_file *f = job->files; f; f = f->next_of_job) {
        if (f->stale)
            return false;
    }
    return true;
}

static void put_ended(struct watch *w, struct watch_job *job, json_t *row,
                      const char *basis)
{
    const struct gpu_use *gpu = &job->gpu;
    json_put(row, "basis", json_text(basis));
    json_put(row, "was", json_text(watch_phases[job->phase]));
    if (*job_fact(job, "state"))
        json_put(row, "state", event_text(job_fact(job, "state")));
    if (*job_fact(job, "exit_code"))
        json_put(row, "exit_code", event_text(job_fact(job, "exit_code")));
    json_put(row, "seconds_per_step",
             job->step_s > 0 ? json_number(job->step_s) : json_null());
    if (gpu->samples > 0) {
        json_put(row, "gpu_util", json_number(gpu->sum / (double)gpu->samples));
        json_put(row, "gpu_util_max", json_number(gpu->max));
    }
    if (gpu->mem_samples > 0) {
        json_put(row, "mem_mib",
                 json_number(gpu->mem_sum / (double)gpu->mem_samples));
        json_put(row, "mem_mib_max", json_number(gpu->mem_max));
    }
    if (w->history && job->scheduled)
        job->keep = true;
}

static void tell_ended(struct watch *w, struct watch_job *job,
                       const char *basis)
{
    json_t *row = event_begin(job, WATCH_EVENT_ENDED);
    put_ended(w, job, row, basis);
    event_tell(w, WATCH_EVENT_ENDED, row);
    verdict_enter(job, WATCH_ENDED);
}

/* Reports the end of a job that has ended according to a scheduler, and its
 * failure if it failed, once its logs are read or LAST_LINES has passed, but
 * not before watch_config.every has passed. */
static void verdict_finish(struct watch *w, struct watch_job *job)
{
    struct job_end end;
    struct log_judgement j;
    sim_span since = w->clock.now - job->over_at;
    bool late = since >= LAST_LINES;
    if (job->phase == WATCH_ENDED || since < w->config->every ||
        (!verdict_is_read(job) && !late))
        return;
    judge_end(w, job, &end);
    enum end_verdict verdict = job_end_verdict(&end);
    watch_tell_seen(w, job);
    if (job->phase != WATCH_FAILED &&
        (verdict == END_SAYS_FAILED || suspects(job) > 0)) {
        judge_failure(w, job, &j);
        if (j.diagnosis.failed)
            tell_failed(w, job, &j, "scheduler");
    }
    tell_ended(w, job, "scheduler");
}

static void verdict_recover(struct watch *w, struct watch_job *job)
{
    int64_t need = job->phase == WATCH_FAILED ? SURVIVED : 1;
    if (job->phase == WATCH_RUNNING || job->again < need)
        return;
    json_t *row = event_begin(job, WATCH_EVENT_RECOVERED);
    json_put(row, "from", json_text(watch_phases[job->phase]));
    event_tell(w, WATCH_EVENT_RECOVERED, row);
    verdict_enter(job, WATCH_RUNNING);
}

/* True if the scheduler has suspended or stopped the job or keeps it waiting:
 * it makes no progress then and is not stalled. */
static bool is_halted(const struct watch_job *job)
{
    struct text state = text_from(job_fact(job, "state"));
    return text_is_nocase(state, "SUSPENDED") ||
           text_is_nocase(state, "STOPPED") || text_is_nocase(state, "PENDING");
}

static void look_for_stall(struct watch *w, struct watch_job *job)
{
    sim_span limit = stall_after(w->config, job);
    sim_time since = job->step_s > 0 ? job->progressed : job->grown;
    sim_span idle = w->clock.now - since;
    if (job->phase != WATCH_RUNNING || limit == 0 || since == 0 ||
        idle < limit || !verdict_is_read(job) || is_halted(job))
        return;
    if (!job->scheduled && job->steps > 0 && job->step >= job->steps) {
        tell_ended(w, job, "last step");
        return;
    }
    if (verdict_tell_failure(w, job))
        return;
    json_t *row = event_begin(job, WATCH_EVENT_STALLED);
    json_put(row, "no_progress_s", json_number(round(span_seconds(idle))));
    json_put(row, "limit_s", json_number(round(span_seconds(limit))));
    json_put(row, "seconds_per_step",
             job->step_s > 0 ? json_number(job->step_s) : json_null());
    event_tell(w, WATCH_EVENT_STALLED, row);
    verdict_enter(job, WATCH_STALLED);
}

/* Reports the end of a job whose logs had no new line for watch_config.forget,
 * or whose logs are gone and which --job-list does not report. Not called for a
 * job of Slurm, which goes on as long as Slurm lists it. */
static void look_for_end(struct watch *w, struct watch_job *job)
{
    sim_time last = job->grown > job->seen ? job->grown : job->seen;
    if (job->phase == WATCH_ENDED)
        return;
    if (!job->files && !job->scheduled) {
        tell_ended(w, job, "log gone");
    } else if (w->clock.now - last >= w->config->forget) {
        verdict_tell_failure(w, job);
        tell_ended(w, job, "quiet");
    }
}

/* True if an ended job can be forgotten: it is not waiting to be added to the
 * history, and either watch_config.forget has passed since it was first seen,
 * since its logs grew and since a scheduler reported its end, or its logs are
 * gone and no scheduler reports it. */
static bool is_past(const struct watch *w, const struct watch_job *job)
{
    sim_time last = job->grown > job->over_at ? job->grown : job->over_at;
    last = last > job->seen ? last : job->seen;
    if (job->phase != WATCH_ENDED || job->keep)
        return false;
    return (!job->files && !job->scheduled) ||
           w->clock.now - last >= w->config->forget;
}

static void verdict_tell_job(struct watch *w, struct watch_job *job)
{
    if (job->over) {
        verdict_finish(w, job);
        return;
    }
    verdict_recover(w, job);
    if (job->phase != WATCH_ENDED && verdict_is_due(w, job))
        verdict_measure(w, job);
    look_for_failure(w, job);
    look_for_stall(w, job);
    if (strcmp(job_fact(job, "from"), "slurm") != 0)
        look_for_end(w, job);
}

void watch_tell_jobs(struct watch *w)
{
    for (size_t i = w->book.n_jobs; i-- > 0;) {
        struct watch_job *job = w->book.jobs[i];
        verdict_tell_job(w, job);
        if (is_past(w, job))
            watch_drop_job(w, job);
    }
}

const char *watch_end_word(struct watch *w, const struct watch_job *job)
{
    struct job_end end;
    judge_end(w, job, &end);
    if (end.state == END_CANCELLED || end.state == END_PREEMPTED)
        return "cancelled";
    switch (job_end_verdict(&end)) {
    case END_SAYS_WELL:
        return "completed";
    case END_SAYS_FAILED:
        return "failed";
    case END_SAYS_NOTHING:
        break;
    }
    return "unknown";
}
