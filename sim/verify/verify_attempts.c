/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks attempts.csv: each row agrees with itself and with the row of its job,
 * and the attempts of a job add up to its sums in jobs.csv. */
#include <string.h>

#include "sim/verify/verify.h"

struct verify_attempts_check {
    const struct verify_data *data;
    const struct verify_job *job;
    const struct verify_job_more *job_more;
    const struct verify_attempt *attempt;
    const struct verify_attempt_more *more;
    struct verify_report *report;
};

static void attempts_wrong(struct verify_attempts_check *c, const char *what)
{
    verify_say(c->report, "attempts.csv: job %s, attempt at %.6f s: %s",
               c->job->id, span_seconds(c->attempt->start), what);
}

/* Returns Batsim's word for how an attempt ended. verify_jobs.c checks the word
 * of the job itself. */
static const char *attempts_state_of(const struct verify_job *job,
                                     const struct verify_attempt *a)
{
    const char *outcome = verify_outcomes[job->outcome];
    switch (a->how) {
    case 'f':
        return strcmp(outcome, "failed") == 0      ? "COMPLETED_FAILED"
               : strcmp(outcome, "cancelled") == 0 ? "COMPLETED_KILLED"
                                                   : "COMPLETED_SUCCESSFULLY";
    case 'x':
        return "COMPLETED_FAILED";
    case 'o':
        return "RUNNING";
    default:
        return "COMPLETED_KILLED";
    }
}

/* Compares the work of an attempt with its time, as verify_jobs.c does for a
 * job. Under a law of time that rounds ends to a grid, work and time differ by
 * up to half a grid step per phase. The number of phases is not known, so
 * nothing is compared then if jobs may work in phases. */
static void check_work(struct verify_attempts_check *c, sim_span length)
{
    const struct verify_attempt_more *m = c->more;
    sim_span off = m->idle + m->work - length, most = c->data->grid / 2;
    if (m->idle < 0 || m->work < 0 || m->resume < 0 || m->lost < 0)
        attempts_wrong(c, "negative idle, work, resume or lost");
    if (c->data->unit_rates && (off > most || off < -most) &&
        !(c->data->grid > 0 && verify_sizes_may_change(c->data)))
        attempts_wrong(c, "idle + work is not execution_time");
}

static void attempts_check_row(struct verify_attempts_check *c, sim_time since)
{
    const struct verify_attempt *a = c->attempt;
    const struct verify_attempt_more *m = c->more;
    const struct verify_job *job = c->job;
    sim_span length = a->end - a->start;
    if (m->since != since)
        attempts_wrong(
            c, "submission_time is not the time when the job began to wait");
    if (m->asked != job->gpus)
        attempts_wrong(
            c, "requested_number_of_resources differs from that of the job");
    if (m->length != length || m->wait != a->start - m->since ||
        m->turnaround != a->end - m->since)
        attempts_wrong(c, "times do not agree with each other");
    if (m->success != (a->how == 'f' && c->job_more->success))
        attempts_wrong(c, "success does not match how the attempt ended");
    if (strcmp(m->state, attempts_state_of(job, a)) != 0)
        attempts_wrong(c, "final_state does not match how the attempt ended");
    if (m->told_gpus != a->gpus)
        attempts_wrong(c,
                       "gpus differs from the number of allocated_resources");
    if (m->nodes_differ)
        attempts_wrong(c, "nodes do not match allocated_resources");
    if (a->n_ranges &&
        m->type !=
            c->data
                ->nodes[c->data->node_of[c->data->ranges[a->first_gpu_range]
                                             .first]]
                .type)
        attempts_wrong(c, "gpu_type does not match allocated_resources");
    check_work(c, length);
}

static void check_sums(struct verify_attempts_check *c,
                       const struct verify_attempt *all,
                       const struct verify_attempt_more *more)
{
    const struct verify_job *job = c->job;
    const struct verify_job_more *m = c->job_more;
    sim_span overhead = 0, work = 0, lost = 0;
    bool shared = false;
    for (uint32_t i = 0; i < job->n_attempts; i++) {
        overhead += more[i].idle + more[i].resume;
        work += more[i].work - more[i].resume;
        lost += more[i].lost;
        shared |= all[i].shared;
    }
    if (overhead != m->overhead)
        verify_say(c->report,
                   "job %s: overhead is %.6f s, its attempts give %.6f s",
                   job->id, span_seconds(m->overhead), span_seconds(overhead));
    if (work != m->work)
        verify_say(c->report,
                   "job %s: work is %.6f s, its attempts give %.6f s", job->id,
                   span_seconds(m->work), span_seconds(work));
    if (lost != m->lost)
        verify_say(c->report,
                   "job %s: lost is %.6f s, its attempts give %.6f s", job->id,
                   span_seconds(m->lost), span_seconds(lost));
    if (shared != m->shared)
        verify_say(c->report, "job %s: shared is %d, its attempts give %d",
                   job->id, m->shared, shared);
    const char *last =
        job->n_attempts ? more[job->n_attempts - 1].allocated : "";
    if (strcmp(m->allocated, last) != 0)
        verify_say(
            c->report,
            "job %s: allocated_resources differs from that of its last attempt",
            job->id);
}

/* Called if attempts.csv is missing. Checks that jobs.csv says everything about
 * the attempts: no GPU is shared, and a job that started ran once, to its
 * end. */
static void check_absence(const struct verify_data *data,
                          struct verify_report *report)
{
    for (size_t i = 0; i < data->n_jobs; i++) {
        const struct verify_job *job = &data->jobs[i];
        const struct verify_job_more *m = &data->job_more[i];
        if (job->attempts > 1 || m->shared || (m->started && !job->finished))
            verify_say(report,
                       "job %s: attempts.csv is missing, and jobs.csv does not "
                       "say all of its attempts",
                       job->id);
    }
}

void verify_attempts(const struct verify_data *data,
                     struct verify_report *report)
{
    if (!data->has_attempts) {
        check_absence(data, report);
        return;
    }
    struct verify_attempts_check c = {.data = data, .report = report};
    for (size_t i = 0; i < data->n_jobs; i++) {
        c.job = &data->jobs[i];
        c.job_more = &data->job_more[i];
        const struct verify_attempt *all =
            data->attempts + c.job->first_attempt;
        const struct verify_attempt_more *more =
            data->attempt_more + c.job->first_attempt;
        sim_time since = c.job->submitted;
        for (uint32_t k = 0; k < c.job->n_attempts; k++) {
            c.attempt = &all[k];
            c.more = &more[k];
            if (more[k].number != k + 1)
                attempts_wrong(&c, "is not numbered from 1 on");
            attempts_check_row(&c, since);
            since = all[k].end;
        }
        check_sums(&c, all, more);
    }
}
