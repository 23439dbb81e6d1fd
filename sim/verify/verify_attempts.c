/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks the attempts of a job: each row agrees with itself and with the row of
 * its job in jobs.csv, and they add up to its sums there. */
#include <string.h>

#include "sim/verify/verify.h"

struct verify_attempts_check {
    const struct verify_data *data;
    const struct verify_job *job;
    const struct verify_job_row *row; /* of the job */
    const struct verify_attempt *attempt;
    const struct verify_attempt_more *more;
    struct verify_report *report;
};

/* Compares the work of an attempt with its time, as verify_jobs.c does for a
 * job. Under a law of time that rounds ends to a grid, work and time differ by
 * up to half a grid step per phase. The number of phases is not known, so
 * nothing is compared then if jobs may work in phases. */
static void check_work(struct verify_attempts_check *c, sim_span length)
{
    const struct verify_attempt_more *m = c->more;
    sim_span off = m->idle + m->work - length, most = c->data->grid / 2;
    if (c->data->unit_rates && (off > most || off < -most) &&
        !(c->data->grid > 0 && c->data->elastic))
        verify_say_attempt(c->data, c->report, c->attempt, "work",
                           "idle + work is not execution_time");
}

static void check_sums(struct verify_attempts_check *c,
                       const struct verify_attempt *all,
                       const struct verify_attempt_more *more)
{
    const struct verify_job *job = c->job;
    const struct verify_job_row *m = c->row;
    sim_span overhead = 0, work = 0, lost = 0;
    bool shared = false;
    for (uint32_t i = 0; i < job->n_attempts; i++) {
        overhead = verify_span_sum(overhead, more[i].idle + more[i].resume);
        work = verify_span_sum(work, more[i].work - more[i].resume);
        lost = verify_span_sum(lost, more[i].lost);
        shared |= all[i].shared;
    }
    if (overhead != m->overhead)
        verify_say_job(c->data, c->report, job, "overhead",
                       "overhead is %.6f s, its attempts give %.6f s",
                       span_seconds(m->overhead), span_seconds(overhead));
    if (work != m->work)
        verify_say_job(c->data, c->report, job, "work",
                       "work is %.6f s, its attempts give %.6f s",
                       span_seconds(m->work), span_seconds(work));
    if (lost != m->lost)
        verify_say_job(c->data, c->report, job, "lost",
                       "lost is %.6f s, its attempts give %.6f s",
                       span_seconds(m->lost), span_seconds(lost));
    if (shared != m->shared)
        verify_say_job(c->data, c->report, job, "shared",
                       "shared is %d, its attempts give %d", m->shared, shared);
    const uint32_t last = job->n_attempts ? more[job->n_attempts - 1].allocated
                                          : (uint32_t)text_hash(text_from(""));
    if (m->allocated != last)
        verify_say_job(
            c->data, c->report, job, "allocated_resources",
            "allocated_resources differs from that of its last attempt");
}

/* Called if attempts.csv is missing. Checks that jobs.csv says everything about
 * the attempts: no GPU is shared, and a job that started ran once, to its
 * end. */
static void check_absence(const struct verify_data *data,
                          const struct verify_job *job,
                          const struct verify_job_row *row)
{
    if (job->attempts > 1 || row->shared || (row->started && !job->finished))
        verify_say_job(data, data->report, job, "attempts",
                       "attempts.csv is missing, and jobs.csv does not "
                       "say all of its attempts");
}

void verify_attempts(const struct verify_data *data,
                     const struct verify_job *job,
                     const struct verify_job_row *row)
{
    if (!data->has_attempts) {
        check_absence(data, job, row);
        return;
    }
    struct verify_attempts_check c = {
        .data = data, .report = data->report, .job = job, .row = row};
    const struct verify_attempt *all = data->attempts + job->first_attempt;
    const struct verify_attempt_more *more =
        job->n_attempts ? verify_more_of_attempt(data, all) : NULL;
    for (uint32_t k = 0; k < job->n_attempts; k++) {
        c.attempt = &all[k];
        c.more = &more[k];
        check_work(&c, all[k].end - all[k].start);
    }
    check_sums(&c, all, more);
}
