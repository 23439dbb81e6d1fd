/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scalars in the part `failures` of summary.json, and the functions that
 * write the parts `failures` and `gpu_time`. */
#include <math.h>

#include "base/json_stream.h"
#include "models/failures/causes.h"
#include "sim/results/failure_summary.h"

static double of_faults(const struct failure_summary *s)
{
    return (double)s->faults;
}

static double of_harmless(const struct failure_summary *s)
{
    return (double)s->harmless;
}

static double of_missed(const struct failure_summary *s)
{
    return (double)s->missed;
}

static double of_failures(const struct failure_summary *s)
{
    return (double)s->failures;
}

static double of_jobs(const struct failure_summary *s)
{
    return (double)s->jobs;
}

static double of_restarts(const struct failure_summary *s)
{
    return (double)s->restarts;
}

static double of_given_up(const struct failure_summary *s)
{
    return (double)s->given_up;
}

static double hours(gpu_time time)
{
    return (double)time / (double)SPAN_HOUR;
}

static double of_lost(const struct failure_summary *s)
{
    return hours(s->lost);
}

static double of_held(const struct failure_summary *s)
{
    return hours(s->held);
}

static double of_waiting(const struct failure_summary *s)
{
    return hours(s->waiting);
}

static double of_ettr(const struct failure_summary *s)
{
    return s->ettr;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static double of_availability(const struct failure_summary *s)
{
    return ratio((double)(s->nodes - s->down), (double)s->nodes);
}

static double of_outages(const struct failure_summary *s)
{
    return (double)s->outages;
}

static double of_mtbf(const struct failure_summary *s)
{
    return ratio((double)(s->nodes - s->down) / (double)SPAN_SECOND,
                 (double)s->outages);
}

static double of_mttr(const struct failure_summary *s)
{
    return ratio((double)s->repaired / (double)SPAN_SECOND,
                 (double)s->outages_over);
}

const struct failure_scalar failure_scalars[] = {
    {{"faults", "", "faults of hardware until the last move of a job"},
     of_faults},
    {{"harmless", "",
      "part of faults: acts of operators that make no job fail"},
     of_harmless},
    {{"missed", "", "part of faults: the node was out of service already"},
     of_missed},
    {{"failures", "", "failures of jobs, each time that one failed"},
     of_failures},
    {{"jobs", "jobs", "that failed at least once"}, of_jobs},
    {{"restarts", "", "failures after which the job started again"},
     of_restarts},
    {{"given_up", "", "failures after which the job was given up"},
     of_given_up},
    {{"lost_gpu_hours", "GPU h",
      "work undone by failures x GPUs asked for, that of jobs given up "
      "included"},
     of_lost},
    {{"held_gpu_hours", "GPU h",
      "time from failures until the job was pending again x GPUs asked for"},
     of_held},
    {{"waiting_gpu_hours", "GPU h",
      "time from then until the job started again, or the run ended, x GPUs "
      "asked for"},
     of_waiting},
    {{"ettr", "",
      "effective training time ratio over all jobs: useful / (useful + lost + "
      "overhead of `gpu_time` + held_gpu_hours + waiting_gpu_hours), that is "
      "productive time over wallclock from the first start, requeues "
      "included, weighted by GPUs (Meta RSC, HPCA 2025). Slowness by sharing "
      "and waits after preemptions do not count. null for elastic jobs"},
     of_ettr},
    {{"availability", "", "time in service of nodes / (nodes x makespan)"},
     of_availability},
    {{"outages", "", "times that a node went out of service"}, of_outages},
    {{"node_mtbf_s", "s", "time in service of nodes / outages"}, of_mtbf},
    {{"node_mttr_s", "s",
      "mean length of the outages that were over before the last end of an "
      "attempt"},
     of_mttr},
    {{NULL, NULL, NULL}, NULL},
};

const struct column failure_span_columns[FAILURE_SPANS + 1] = {
    [SPAN_DETECT] = {.name = "detect_s",
                     .unit = "s",
                     .help = "failure until it was noticed"},
    [SPAN_PENDING] =
        {.name = "pending_s",
         .unit = "s",
         .help = "failure until the job was pending again, as ruled; of "
                 "failures after which it was not given up"},
    [SPAN_RESTART] =
        {.name = "restart_s",
         .unit = "s",
         .help = "failure until the job started again; of failures after "
                 "which it did"},
};

const struct column failure_groupings[] = {
    {.name = "by_scope", .unit = "", .help = "faults by what failed"},
    {.name = "by_kind", .unit = "", .help = "failures by who has to act"},
    {.name = "by_verdict", .unit = "", .help = "failures by the ruling"},
    {.name = "by_cause",
     .unit = "",
     .help = "an object for each cause, see below"},
    {.name = NULL},
};

const struct column failure_cause_columns[] = {
    {.name = "faults", .unit = "", .help = "of this cause"},
    {.name = "failures", .unit = "", .help = "of jobs, for this cause"},
    {.name = "lost_gpu_hours",
     .unit = "GPU h",
     .help = "work that they undid x GPUs asked for"},
    {.name = NULL},
};

static void put_spread(struct json_stream *js, const char *key,
                       const struct failure_spread *d)
{
    const struct {
        const char *name;
        double value;
    } values[] = {{"mean", d->mean}, {"p50", d->p50}, {"p90", d->p90},
                  {"p95", d->p95},   {"p99", d->p99}, {"max", d->max}};
    json_stream_object(js, key);
    json_stream_number(js, "count", (double)d->count);
    for (size_t i = 0; d->count && i < sizeof values / sizeof *values; i++)
        json_stream_number(js, values[i].name, values[i].value);
    json_stream_object_end(js);
}

static void put_causes(struct json_stream *js, const struct failure_summary *s)
{
    json_stream_object(js, failure_groupings[3].name);
    for (size_t i = 0; i < s->n_causes; i++) {
        const struct cause_total *c = &s->causes[i];
        json_stream_object(js, c->cause);
        json_stream_whole(js, failure_cause_columns[0].name,
                          (int64_t)c->faults);
        json_stream_whole(js, failure_cause_columns[1].name,
                          (int64_t)c->failures);
        json_stream_number(js, failure_cause_columns[2].name, hours(c->lost));
        json_stream_object_end(js);
    }
    json_stream_object_end(js);
}

void report_failure_summary(struct json_stream *js,
                            const struct failure_summary *s)
{
    json_stream_object(js, "failures");
    for (const struct failure_scalar *row = failure_scalars; row->of; row++)
        json_stream_number(js, row->column.name, row->of(s));
    for (unsigned i = 0; i < FAILURE_SPANS; i++)
        put_spread(js, failure_span_columns[i].name, &s->spans[i]);
    json_stream_object(js, failure_groupings[0].name);
    for (unsigned i = 0; i < FAULT_N_SCOPES; i++)
        json_stream_whole(js, fault_scope_name((enum fault_scope)i),
                          (int64_t)s->by_scope[i]);
    json_stream_object_end(js);
    json_stream_object(js, failure_groupings[1].name);
    for (unsigned i = 0; i < FAILURE_N_SIMULATED; i++)
        json_stream_whole(js, failure_kind_name((enum failure_kind)i),
                          (int64_t)s->by_kind[i]);
    json_stream_object_end(js);
    json_stream_object(js, failure_groupings[2].name);
    for (unsigned i = 0; i < VERDICT_N; i++)
        json_stream_whole(js, verdict_name((enum verdict)i),
                          (int64_t)s->by_verdict[i]);
    json_stream_object_end(js);
    put_causes(js, s);
    json_stream_object_end(js);
}

void report_gpu_time(struct json_stream *js, const struct gpu_time_books *b)
{
    json_stream_object(js, "gpu_time");
    for (const struct gpu_time_scalar *row = gpu_time_scalars; row->of; row++) {
        if (gpu_time_has(b, row))
            json_stream_number(js, row->column.name, row->of(b));
    }
    if (!b->rigid)
        json_stream_text(js, "jobs_skipped",
                         "elastic jobs: work has another measure");
    json_stream_object_end(js);
}
