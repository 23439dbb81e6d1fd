/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/metrics.h"

#include <math.h>

#include "sim/results/summary.h"

const struct metric metrics[METRICS + 1] = {
    [METRIC_JCT] =
        {.column = {"jct_s", "s",
                    "job completion time: end - submission, of finished jobs"},
         .grouped = true},
    [METRIC_QUEUE_DELAY] = {.column = {"queue_delay_s", "s",
                                       "all time pending, of finished jobs"},
                            .grouped = true},
    [METRIC_WAIT] = {.column = {"wait_s", "s",
                                "first start - submission, of finished jobs"}},
    [METRIC_SLOWDOWN] =
        {.column = {"slowdown", "",
                    "JCT / recorded running time, of finished jobs that "
                    "ran at all"},
         .follows = true},
    [METRIC_BOUNDED] =
        {.column = {"bounded_slowdown", "",
                    "max(1, JCT / max(recorded running time, 10 s)), of "
                    "finished jobs (Feitelson)"},
         .follows = true},
    [METRIC_BY_LOAD] =
        {.column =
             {"slowdown_by_load", "",
              "slowdown / max(1, mean load), of finished jobs that ran at all. "
              "The "
              "load of a virtual cluster: GPUs asked for by its active jobs "
              "(waiting, running or held back) / its GPUs, averaged over the "
              "life "
              "of the job. Here the fair share of a job is proportional to the "
              "GPUs it asks for; in rho each job has an equal share"}},
    [METRIC_RHO] =
        {.column =
             {"rho", "",
              "finish-time fairness: JCT / time alone on an equal share of "
              "its virtual cluster; above 1 the job is worse off than on "
              "that share. The share: GPUs / mean number of active jobs over "
              "the life of the job, itself included. The time: mean over GPU "
              "types, weighted by their GPUs, of recorded running time / "
              "speed of the type x max(1, GPUs asked for / share). For an "
              "elastic job it is the time at its batch size on the GPUs of "
              "the share, interpolated between whole numbers; below one GPU, "
              "the time on one GPU / share. Start-up is not included. "
              "(Themis, NSDI 2020, section 3; the share and the mean are "
              "those of Sia, SOSP 2023, section 5.5, which simulates the job "
              "alone and lets it tune its batch)"},
         .grouped = true},
    [METRICS] = {.column = {.name = NULL}},
};

const struct column distribution_columns[] = {
    {.name = "count",
     .unit = "jobs",
     .help = "for which the metric is defined"},
    {.name = "mean", .unit = "", .help = "arithmetic mean"},
    {.name = "mean_lo",
     .unit = "",
     .help = "lower end of the 95 % interval of the mean, which allows for "
             "the likeness of neighbouring jobs (docs/statistics.md); "
             "percentiles have no interval. If it is null, `no_interval` "
             "follows after `max`: `few-jobs` (fewer than 32), or "
             "`few-stretches` (the jobs amount to fewer than 4 independent "
             "ones, as in one long rush)"},
    {.name = "mean_hi", .unit = "", .help = "upper end of that interval"},
    {.name = "p50", .unit = "", .help = "median, nearest rank"},
    {.name = "p90", .unit = "", .help = "90th percentile, nearest rank"},
    {.name = "p95", .unit = "", .help = "95th percentile, nearest rank"},
    {.name = "p99", .unit = "", .help = "99th percentile, nearest rank"},
    {.name = "max", .unit = "", .help = "largest value"},
    {.name = NULL},
};

const struct column grouping_columns[] = {
    [GROUP_VC] = {.name = "by_vc", .unit = "", .help = "by virtual cluster"},
    [GROUP_GPUS] = {.name = "by_gpus",
                    .unit = "",
                    .help = "by number of GPUs asked for"},
    [GROUP_OUTCOME] =
        {.name = "by_outcome",
         .unit = "",
         .help = "by how the job ended: as the trace recorded it (completed, "
                 "failed, cancelled, unknown) if it ran to its recorded end, "
                 "otherwise given-up, rejected or unfinished"},
    [GROUP_TYPE] = {.name = "by_type",
                    .unit = "",
                    .help = "by GPU type of the last attempt; `(never ran)`: "
                            "there was none. Only with `--by type`"},
    [GROUP_USER] = {.name = "by_user",
                    .unit = "",
                    .help =
                        "by user; `(no user)`: the trace names none. Only with "
                        "`--by user`"},
    [GROUPINGS] = {.name = NULL},
};

const struct column jain_columns[] = {
    {.name = "jain_users",
     .unit = "",
     .help = "Jain's index of fairness over users, (sum x)^2 / (n sum x^2) "
             "(Jain, Chiu, Hawe 1984, DEC TR-301): 1 if all are served alike, "
             "1/n if one has everything. x: recorded running time / JCT, both "
             "summed over the finished jobs of the user: the share of the time "
             "in the system that they would have needed without waiting"},
    {.name = "jain_rho",
     .unit = "",
     .help = "the same index over the rho of finished jobs"},
    {.name = NULL},
};

const struct column over_column = {
    .name = "share_waiting_over_600s",
    .unit = "",
    .help = "with `--wait-over 600`, for each time given: share of jobs that "
            "are pending longer than that, until their end or the end of the "
            "run; a rejected job counts as waiting longer"};

static double gpu_hours(gpu_time time)
{
    return (double)time / (double)SPAN_HOUR;
}

static double s_jobs(const struct totals *t, const struct summary *s)
{
    (void)s;
    return (double)t->jobs;
}

static double s_attempts(const struct totals *t, const struct summary *s)
{
    (void)s;
    return (double)t->attempts;
}

static double s_preemptions(const struct totals *t, const struct summary *s)
{
    (void)s;
    return (double)t->preemptions;
}

static double s_held(const struct totals *t, const struct summary *s)
{
    (void)s;
    return gpu_hours(t->held);
}

static double s_useful(const struct totals *t, const struct summary *s)
{
    (void)s;
    return gpu_hours(t->useful);
}

static double s_work(const struct totals *t, const struct summary *s)
{
    (void)s;
    return gpu_hours(t->work);
}

static double s_overhead(const struct totals *t, const struct summary *s)
{
    (void)s;
    return gpu_hours(t->overhead);
}

static double s_lost(const struct totals *t, const struct summary *s)
{
    (void)s;
    return gpu_hours(t->lost);
}

static double s_profiling(const struct totals *t, const struct summary *s)
{
    (void)s;
    return gpu_hours(t->profiling);
}

const struct scalar scalars[] = {
    {{"jobs", "jobs", "submitted"}, s_jobs},
    {{"attempts", "", "number of stays of jobs on GPUs"}, s_attempts},
    {{"preemptions", "", "attempts ended by the policy, resizes included"},
     s_preemptions},
    {{"held_gpu_hours", "GPU h",
      "length of attempts x GPUs held; a shared GPU counts for each holder"},
     s_held},
    {{"useful_gpu_hours", "GPU h",
      "part of held_gpu_hours that produced work that was kept: for each job, "
      "(GPU time held - start-up and lag) x share of its work that was kept "
      "(work - lost, over all work done; 0 for a job that was given up or "
      "rejected)"},
     s_useful},
    {{"work_gpu_hours", "GPU h", "work done x GPUs asked for"}, s_work},
    {{"overhead_gpu_hours", "GPU h",
      "start-up, stop and resume x GPUs asked for"},
     s_overhead},
    {{"lost_gpu_hours", "GPU h",
      "work undone by failures, or because the work of a profile is not kept, "
      "x GPUs asked for"},
     s_lost},
    {{"profiling_gpu_hours", "GPU h", "GPU time held by profiling attempts"},
     s_profiling},
    {{NULL, NULL, NULL}, NULL},
};

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static double s_makespan(const struct totals *t, const struct summary *s)
{
    (void)t;
    return span_seconds(s->makespan);
}

static double s_allocation(const struct totals *t, const struct summary *s)
{
    (void)t;
    return ratio((double)s->integrals.busy, (double)s->integrals.up);
}

static double s_goodput(const struct totals *t, const struct summary *s)
{
    (void)s;
    return ratio((double)t->useful, (double)t->held);
}

static double s_utilisation(const struct totals *t, const struct summary *s)
{
    return s_allocation(t, s) * s_goodput(t, s);
}

static double s_fragmentation(const struct totals *t, const struct summary *s)
{
    (void)t;
    return ratio((double)s->integrals.stranded,
                 (double)(s->integrals.up - s->integrals.busy));
}

const struct scalar run_scalars[] = {
    {{"makespan_s", "s", "last end of an attempt - first submission"},
     s_makespan},
    {{"allocation", "",
      "GPU time held by at least one job / GPU time of nodes that were up, "
      "over the makespan"},
     s_allocation},
    {{"goodput", "",
      "useful_gpu_hours / held_gpu_hours: share of the GPU time held that "
      "produced work that was kept"},
     s_goodput},
    {{"utilisation", "",
      "allocation x goodput: share of the GPU time of nodes that were up, over "
      "the makespan, in which GPUs produced work that was kept (if no GPU is "
      "shared, useful_gpu_hours / that time). The speed of the work does not "
      "count: neither co-location, nor the GPU type, nor more or fewer GPUs "
      "than asked for. Never above the allocation"},
     s_utilisation},
    {{"fragmentation", "",
      "share of the free GPU time that is on nodes whose other GPUs are in "
      "use"},
     s_fragmentation},
    {{NULL, NULL, NULL}, NULL},
};

const char *gpu_class_name(unsigned class)
{
    static const char *const names[GPU_CLASSES] = {
        "1", "2", "3-4", "5-8", "9-16", "17-32", "33-64", "65-128", "129+"};
    return names[class];
}
