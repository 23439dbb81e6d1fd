/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks evictions: an evicted attempt shared GPUs and was no profile, it lost
 * all work of its job (or none, by an option of the monitor), and the job never
 * shares GPUs again. Computes the part `evictions` of summary.json again. */
#include <stdio.h>
#include <string.h>

#include "sim/verify/verify.h"

struct verify_evictions {
    const struct verify_data *data;
    struct verify_report *report;
    bool loses; /* true if evicted jobs lose their work */
    double n, jobs, lost, held;
};

static void evictions_wrong(const struct verify_evictions *e,
                            const struct verify_attempt *a, const char *what)
{
    verify_say_attempt(e->data, e->report, a, "lost", "%s", what);
}

static const json_t *configuration(const struct verify_data *data)
{
    return json_object_get(data->manifest, "configuration");
}

bool verify_has_monitor(const struct verify_data *data)
{
    return json_object_get(configuration(data), "monitor") != NULL;
}

/* Returns a setting of the monitor, or else the setting of this name that the
 * modules of SchedMate share; NULL: neither exists. */
static const char *evictions_setting(const struct verify_data *data,
                                     const char *key)
{
    char owner[128];
    const json_t *all = configuration(data);
    const char *name = json_string_value(
        json_object_get(json_object_get(all, "monitor"), "name"));
    snprintf(owner, sizeof owner, "monitor %.100s", name ? name : "");
    const char *own =
        json_string_value(json_object_get(json_object_get(all, owner), key));
    return own ? own
               : json_string_value(
                     json_object_get(json_object_get(all, "schedmate"), key));
}

static bool loses_work(const struct verify_data *data)
{
    const char *value = evictions_setting(data, "lose_work");
    return !value || strcmp(value, "true") == 0;
}

/* Checks the work lost. `number`: that of the attempt. `work`: work that the
 * job had done up to the eviction, less the work lost before. Allows for the
 * rounding of each attempt to microseconds. Checks nothing if jobs may change
 * their size or under a law of time with a grid. */
static void evictions_check_lost(const struct verify_evictions *e,
                                 const struct verify_attempt *a,
                                 uint32_t number, sim_span work)
{
    const struct verify_attempt_more *m = verify_more_of_attempt(e->data, a);
    sim_span slack = (sim_span)number + 1;
    sim_span want = e->loses && work > 0 ? work : 0;
    if (e->data->elastic || e->data->grid)
        return;
    if (m->lost > want + slack || m->lost < want - slack)
        evictions_wrong(e, a,
                        e->loses ? "evicted: lost is not all work of the job"
                                 : "evicted: lost is not 0");
}

static void evictions_add_job(struct verify_evictions *e,
                              const struct verify_job *job)
{
    const struct verify_attempt *all = e->data->attempts + job->first_attempt;
    sim_span work = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < job->n_attempts; i++) {
        const struct verify_attempt *a = &all[i];
        const struct verify_attempt_more *m =
            verify_more_of_attempt(e->data, a);
        work = verify_span_sum(work, m->work - m->resume);
        if (n > 0 && a->shared)
            evictions_wrong(e, a,
                            "shares GPUs although the job was evicted before");
        if (a->how == 'e') {
            n++;
            e->lost += (double)m->lost * job->gpus;
            e->held += (double)(a->end - a->start) * a->gpus;
            if (!a->shared || a->profiling)
                evictions_wrong(e, a, "evicted: did not share GPUs");
            evictions_check_lost(e, a, i + 1, work);
        }
        work = verify_span_sum(work, -m->lost);
    }
    e->n += n;
    e->jobs += n > 0;
}

void verify_evictions(const struct verify_data *data,
                      struct verify_report *report)
{
    struct verify_evictions e = {
        .data = data, .report = report, .loses = loses_work(data)};
    struct verify_part part;
    bool wanted = verify_has_monitor(data);
    for (size_t i = 0; i < data->n_jobs && data->has_attempts && wanted; i++)
        evictions_add_job(&e, &data->jobs[i]);
    for (size_t i = 0; i < data->n_attempts && !wanted; i++)
        e.n += data->attempts[i].how == 'e';
    if (e.n > 0 && !wanted)
        verify_say(report, "attempts.csv: has evictions without a monitor");
    if (!verify_part_find(data, "evictions", wanted, report, &part))
        return;
    verify_part_expect(&part, "evictions", e.n);
    verify_part_expect(&part, "jobs", e.jobs);
    verify_part_expect(&part, "lost_gpu_hours", e.lost / 3600e6);
    verify_part_expect(&part, "held_gpu_hours", e.held / 3600e6);
    /* No file names the residents, so only their numbers are checked. */
    double hosts = verify_part_number(&part, "hosts");
    double most = verify_part_number(&part, "host_most");
    if (hosts > e.n || hosts * most < e.n || hosts + most > e.n + 1)
        verify_say(report,
                   "summary.evictions.hosts, host_most: %g hosts, at most %g "
                   "evictions beside one, do not add up to %g",
                   hosts, most, e.n);
}
