/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "sim/results/statistics.h"

const struct metric metrics[METRICS + 1] = {
    [METRIC_JCT] =
        {.column = {"jct_s", "s", "object?, law metrics",
                    "job completion time: end - submission, of finished jobs"},
         .grouped = true},
    [METRIC_QUEUE_DELAY] = {.column = {"queue_delay_s", "s",
                                       "object?, law metrics",
                                       "all time pending, of finished jobs"},
                            .grouped = true},
    [METRIC_WAIT] = {.column = {"wait_s", "s", "object?, law metrics",
                                "first start - submission, of finished jobs"}},
    [METRIC_SLOWDOWN] =
        {.column = {"slowdown", "", "object?, law metrics",
                    "JCT / recorded running time, of finished jobs that "
                    "ran at all"},
         .follows = true},
    [METRIC_BOUNDED] =
        {.column = {"bounded_slowdown", "", "object?, law metrics",
                    "max(1, JCT / max(recorded running time, 10 s)), of "
                    "finished jobs (Feitelson)"},
         .follows = true},
    [METRIC_BY_LOAD] =
        {.column =
             {"slowdown_by_load", "", "object?, law metrics",
              "slowdown / max(1, mean load), of finished jobs that ran at all. "
              "The "
              "load of a virtual cluster: GPUs asked for by its active jobs "
              "(waiting, running or held back) / its GPUs, averaged over the "
              "life "
              "of the job. Here the fair share of a job is proportional to the "
              "GPUs it asks for; in rho each job has an equal share"}},
    [METRIC_RHO] =
        {.column =
             {"rho", "", "object?, law metrics",
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
     .rule = "count, law metrics",
     .help = "for which the metric is defined"},
    {.name = "mean",
     .unit = "",
     .rule = "number?, law metrics",
     .help = "arithmetic mean"},
    {.name = "mean_lo",
     .unit = "",
     .rule = "signed or null?, law metrics",
     .help = "lower end of the 95 % interval of the mean, which allows for "
             "the likeness of neighbouring jobs (docs/statistics.md); "
             "percentiles have no interval. If it is null, `no_interval` "
             "follows after `max`: `few-jobs` (fewer than 32), or "
             "`few-stretches` (the jobs amount to fewer than 4 independent "
             "ones, as in one long rush)"},
    {.name = "mean_hi",
     .unit = "",
     .rule = "signed or null?, law metrics",
     .help = "upper end of that interval"},
    {.name = "p50",
     .unit = "",
     .rule = "number?, law metrics",
     .help = "median, nearest rank"},
    {.name = "p90",
     .unit = "",
     .rule = "number?, law metrics",
     .help = "90th percentile, nearest rank"},
    {.name = "p95",
     .unit = "",
     .rule = "number?, law metrics",
     .help = "95th percentile, nearest rank"},
    {.name = "p99",
     .unit = "",
     .rule = "number?, law metrics",
     .help = "99th percentile, nearest rank"},
    {.name = "max",
     .unit = "",
     .rule = "number?, law metrics",
     .help = "largest value"},
    {.name = NULL},
};

const struct column lack_columns[] = {
    KEY("no_interval", "", "text?, law metrics",
        "why mean_lo and mean_hi are null, see there"),
    {.name = NULL},
};

const struct column grouping_columns[] = {
    [GROUP_VC] = {.name = "by_vc",
                  .unit = "",
                  .rule = "object, law metrics",
                  .help = "by virtual cluster"},
    [GROUP_GPUS] = {.name = "by_gpus",
                    .unit = "",
                    .rule = "object, law metrics",
                    .help = "by number of GPUs asked for"},
    [GROUP_OUTCOME] =
        {.name = "by_outcome",
         .unit = "",
         .rule = "object, law metrics",
         .help = "by how the job ended: as the trace recorded it (completed, "
                 "failed, cancelled, unknown) if it ran to its recorded end, "
                 "otherwise given-up, rejected or unfinished"},
    [GROUP_TYPE] = {.name = "by_type",
                    .unit = "",
                    .rule = "object?, law metrics",
                    .help = "by GPU type of the last attempt; `(never ran)`: "
                            "there was none. Only with `--by type`"},
    [GROUP_USER] = {.name = "by_user",
                    .unit = "",
                    .rule = "object?, law metrics",
                    .help =
                        "by user; `(no user)`: the trace names none. Only with "
                        "`--by user`"},
    [GROUPINGS] = {.name = NULL},
};

const struct column jain_columns[] = {
    {.name = "jain_users",
     .unit = "",
     .rule = "share or null?, law metrics",
     .help = "Jain's index of fairness over users, (sum x)^2 / (n sum x^2) "
             "(Jain, Chiu, Hawe 1984, DEC TR-301): 1 if all are served alike, "
             "1/n if one has everything. x: recorded running time / JCT, both "
             "summed over the finished jobs of the user: the share of the time "
             "in the system that they would have needed without waiting"},
    {.name = "jain_rho",
     .unit = "",
     .rule = "share or null?, law metrics",
     .help = "the same index over the rho of finished jobs"},
    {.name = NULL},
};

const struct column over_columns[] = {
    {.name = "share_waiting_over_*s",
     .unit = "",
     .rule = "share or null?, law metrics",
     .help = "with `--wait-over 600`, for each time given: share of jobs that "
             "are pending longer than that, until their end or the end of the "
             "run; a rejected job counts as waiting longer"},
    {.name = NULL}};

const struct scalar scalars[] = {
    {{"jobs", "jobs", "count, law metrics", "submitted"},
     SCALAR_FIELD(struct totals, jobs)},
    {{"attempts", "", "count, law metrics", "number of stays of jobs on GPUs"},
     SCALAR_FIELD(struct totals, attempts)},
    {{"preemptions", "", "count, law metrics",
      "attempts ended by the policy, resizes included"},
     SCALAR_FIELD(struct totals, preemptions)},
    {{"held_gpu_hours", "GPU h", "number, law metrics",
      "length of attempts x GPUs held; a shared GPU counts for each holder"},
     SCALAR_TIME(struct totals, held, SPAN_HOUR)},
    {{"useful_gpu_hours", "GPU h", "number, law metrics",
      "part of held_gpu_hours that produced work that was kept: for each job, "
      "(GPU time held - start-up and lag) x share of its work that was kept "
      "(work - lost, over all work done; 0 for a job that was given up or "
      "rejected)"},
     SCALAR_TIME(struct totals, useful, SPAN_HOUR)},
    {{"work_gpu_hours", "GPU h", "signed, law metrics",
      "work done x GPUs asked for"},
     SCALAR_TIME(struct totals, work, SPAN_HOUR)},
    {{"overhead_gpu_hours", "GPU h", "number, law metrics",
      "start-up, stop and resume x GPUs asked for"},
     SCALAR_TIME(struct totals, overhead, SPAN_HOUR)},
    {{"lost_gpu_hours", "GPU h", "number, law metrics",
      "work undone by failures, or because the work of a profile is not kept, "
      "x GPUs asked for"},
     SCALAR_TIME(struct totals, lost, SPAN_HOUR)},
    {{"profiling_gpu_hours", "GPU h", "number, law metrics",
      "GPU time held by profiling attempts"},
     SCALAR_TIME(struct totals, profiling, SPAN_HOUR)},
    {.column = {.name = NULL}},
};

static double run_utilisation(const void *part)
{
    const struct summary *s = part;
    return scalar_ratio((double)s->integrals.busy, (double)s->integrals.up) *
           scalar_ratio((double)s->totals.useful, (double)s->totals.held);
}

static double run_fragmentation(const void *part)
{
    const struct summary *s = part;
    return scalar_ratio((double)s->integrals.stranded,
                        (double)(s->integrals.up - s->integrals.busy));
}

const struct scalar run_scalars[] = {
    {{"makespan_s", "s", "time, law metrics",
      "last end of an attempt - first submission"},
     SCALAR_TIME(struct summary, makespan, SPAN_SECOND)},
    {{"allocation", "", "share or null, law metrics",
      "GPU time held by at least one job / GPU time of nodes that were up, "
      "over the makespan"},
     SCALAR_RATIO(struct summary, integrals.busy, integrals.up)},
    {{"goodput", "", "share or null, law metrics",
      "useful_gpu_hours / held_gpu_hours: share of the GPU time held that "
      "produced work that was kept"},
     SCALAR_RATIO(struct summary, totals.useful, totals.held)},
    {{"utilisation", "", "share or null, law metrics",
      "allocation x goodput: share of the GPU time of nodes that were up, over "
      "the makespan, in which GPUs produced work that was kept (if no GPU is "
      "shared, useful_gpu_hours / that time). The speed of the work does not "
      "count: neither co-location, nor the GPU type, nor more or fewer GPUs "
      "than asked for. Never above the allocation"},
     .compute = run_utilisation},
    {{"fragmentation", "", "share or null, law metrics",
      "share of the free GPU time that is on nodes whose other GPUs are in "
      "use"},
     .compute = run_fragmentation},
    {.column = {.name = NULL}},
};

static const char *gpu_class_name(unsigned class)
{
    static const char *const names[GPU_CLASSES] = {
        "1", "2", "3-4", "5-8", "9-16", "17-32", "33-64", "65-128", "129+"};
    return names[class];
}

void values_init(struct values *values, const struct run_result *run)
{
    size_t n = run->jobset.n_jobs + (size_t)1;
    *values = (struct values){.jobset = &run->jobset,
                              .counted = &run->counted,
                              .outcome = mem_alloc(n)};
    if (run->extras.by_type)
        values->type = mem_alloc(n);
    for (unsigned m = 0; m < METRICS; m++) {
        if (!metrics[m].follows && m != METRIC_WAIT)
            values->of[m] = mem_alloc(n * sizeof *values->of[m]);
    }
}

void values_fini(struct values *values)
{
    for (unsigned m = 0; m < METRICS; m++)
        free(values->of[m]);
    free(values->outcome);
    free(values->type);
}

/* Makes the array of METRIC_WAIT, for the first job whose wait is not its
 * queueing delay. */
static void summary_add_waits(struct values *values, job_id id)
{
    size_t n = values->jobset->n_jobs + (size_t)1;
    double *waits = mem_alloc(n * sizeof *waits);
    memcpy(waits, values->of[METRIC_QUEUE_DELAY], id * sizeof *waits);
    values->of[METRIC_WAIT] = waits;
    values->has_waits = true;
}

void values_add(struct values *values, const struct facts *f)
{
    job_id id = f->job->id;
    bool counts = counted_has(values->counted, f->job);
    if (!values->has_waits && f->finished && facts_wait(f) != f->queued)
        summary_add_waits(values, id);
    values->outcome[id] = (uint8_t)f->outcome;
    if (values->type)
        values->type[id] = f->type;
    for (unsigned m = 0; m < METRICS; m++) {
        if (values->of[m])
            values->of[m][id] = counts ? f->metric[m] : NAN;
    }
}

/* Computes a metric that follows from the JCT and the recorded running time;
 * NaN if it is not defined for the job. */
static double summary_follow(const struct values *values,
                             enum metric_number metric, job_id id)
{
    double seconds = values->of[METRIC_JCT][id];
    if (isnan(seconds))
        return NAN;
    sim_span jct = span_from_seconds(seconds);
    sim_span duration = jobset_duration(values->jobset, id);
    return metric == METRIC_BOUNDED ? facts_bounded_slowdown(jct, duration)
                                    : facts_slowdown(jct, duration);
}

struct metric_sample values_sample(const struct values *values,
                                   enum metric_number metric,
                                   const job_id *jobs, size_t n, double *to)
{
    const double *from = values->of[metric];
    struct metric_sample sample = {.values = to};
    if (metrics[metric].follows) {
        CHECK(!jobs);
        for (job_id id = 0; id < n; id++)
            to[id] = summary_follow(values, metric, id);
        from = to;
    }
    for (size_t i = 0; i < n; i++) {
        double value = from[jobs ? jobs[i] : i];
        if (isnan(value))
            continue;
        to[sample.n++] = value;
        sample.sum += value;
    }
    return sample;
}

/* Returns the name of a group; borrowed from the run, or static. */
static const char *grouping_name(const struct summary *summary,
                                 enum grouping by, unsigned number)
{
    const struct cluster *cluster = &summary->run->cluster;
    switch ((int)by) {
    case GROUP_VC:
        return cluster->vcs[number];
    case GROUP_GPUS:
        return gpu_class_name(number);
    case GROUP_TYPE:
        return number < cluster->n_types ? cluster->types[number].name
                                         : "(never ran)";
    case GROUP_USER:
        return summary->users.names[number];
    default: /* GROUP_OUTCOME */
        return outcome_name((enum outcome)number);
    }
}

static const char nobody[] = "(no user)";

/* Numbers the users of the jobs. Jobs without a user count as jobs of the user
 * "(no user)". */
static void users_init(struct users *users, const struct run_result *run)
{
    const struct jobset *w = &run->jobset;
    size_t cap = 0;
    *users = (struct users){
        .numbers = mem_zalloc(w->strings.n_strings + 1, sizeof(uint32_t))};
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        uint32_t symbol = w->jobs[i].user;
        if (users->numbers[symbol])
            continue;
        users->names =
            mem_grow(users->names, &cap, users->n + 1, sizeof *users->names);
        users->names[users->n++] =
            symbol ? interner_string(&w->strings, symbol) : nobody;
        users->numbers[symbol] = (uint32_t)users->n;
    }
    for (size_t s = 0; s < w->strings.n_strings; s++)
        users->numbers[s] -= users->numbers[s] ? 1 : 0;
    users->times = mem_zalloc(users->n + 1, sizeof *users->times);
}

static void users_fini(struct users *users)
{
    free(users->names);
    free(users->numbers);
    free(users->times);
}

/* Adds one job that counts. */
static void users_add(struct users *users, const struct facts *f)
{
    double rho = f->metric[METRIC_RHO];
    if (!f->finished)
        return;
    struct user_time *time = &users->times[users->numbers[f->job->user]];
    time->needed += f->duration;
    time->spent += facts_jct(f);
    if (isnan(rho))
        return;
    users->rho += rho;
    users->rho_squares += rho * rho;
    users->n_rho++;
}

static double jain(double sum, double squares, double n)
{
    return squares > 0 ? sum * sum / (n * squares) : NAN;
}

/* Returns Jain's index of needed / spent over the users who have finished jobs
 * that count. needed / spent is the share of the time in the system that these
 * jobs would have needed without waiting. Jobs without a user are left out.
 * NaN: there is no such user. */
static double users_jain(const struct users *users)
{
    double sum = 0, squares = 0, n = 0;
    for (size_t u = 0; u < users->n; u++) {
        const struct user_time *time = &users->times[u];
        if (time->spent <= 0 || users->names[u] == nobody)
            continue;
        double x = (double)time->needed / (double)time->spent;
        sum += x;
        squares += x * x;
        n++;
    }
    return jain(sum, squares, n);
}

/* Returns Jain's index of the rho of finished jobs that count; NaN: none has a
 * rho. */
static double users_jain_rho(const struct users *users)
{
    return jain(users->rho, users->rho_squares, users->n_rho);
}

void summary_init(struct summary *summary, const struct results *results)
{
    const struct cluster *cluster = &results->run->cluster;
    const struct extras *extras = &results->run->extras;
    *summary = (struct summary){
        .run = results->run,
        .extras = *extras,
        .n_groups = {[GROUP_VC] = cluster->n_vcs,
                     [GROUP_TYPE] = extras->by_type ? cluster->n_types + 1 : 0,
                     [GROUP_GPUS] = GPU_CLASSES,
                     [GROUP_OUTCOME] = OUTCOME_N},
        .makespan = results->meter->last_end,
        .integrals = results->meter->total,
    };
    gpu_time_init(&summary->gpu_time, results);
    if (extras->by_user)
        users_init(&summary->users, results->run);
    summary->n_groups[GROUP_USER] = summary->users.n;
    for (unsigned by = 0; by < GROUPINGS; by++) {
        size_t n = summary->n_groups[by];
        summary->groups[by] = mem_zalloc(n + 1, sizeof *summary->groups[by]);
        for (unsigned g = 0; g < n; g++)
            summary->groups[by][g].name =
                grouping_name(summary, (enum grouping)by, g);
    }
}

void summary_fini(struct summary *summary)
{
    for (unsigned by = 0; by < GROUPINGS; by++)
        free(summary->groups[by]);
    users_fini(&summary->users);
    failure_summary_fini(&summary->failures);
}

/* Adds a job that counts: to their number, and for each time of --wait-over to
 * the number of those that wait longer. A rejected job waits for ever. */
static void add_wait(const struct summary *summary, struct totals *t,
                     const struct facts *f)
{
    const struct extras *m = &summary->extras;
    t->counted++;
    for (size_t i = 0; i < m->n_over; i++)
        t->over[i] += f->queued > m->over[i] || f->outcome == OUTCOME_REJECTED;
}

static void add_to(struct totals *t, const struct facts *f)
{
    gpu_time gpus = f->job->gpus;
    t->jobs++;
    t->outcome[f->outcome]++;
    t->attempts += f->attempts;
    t->preemptions += f->preemptions;
    t->held += f->held_time;
    t->useful += f->useful;
    t->work += f->work * gpus;
    t->overhead += f->overhead * gpus;
    t->lost += f->lost * gpus;
    t->profiling += f->profiling;
    t->asked += f->duration * gpus;
    t->finished += f->outcome < OUTCOME_GIVEN_UP ? f->duration * gpus : 0;
}

void summary_add(struct summary *summary, const struct facts *f)
{
    bool counts = counted_has(&summary->run->counted, f->job);
    if (counts && summary->users.n)
        users_add(&summary->users, f);
    for (unsigned by = 0; by < GROUPINGS; by++) {
        if (summary->n_groups[by] < 2)
            continue;
        size_t g = grouping_of(summary, f->job, f->outcome, f->type,
                               (enum grouping)by);
        struct totals *totals = &summary->groups[by][g].totals;
        add_to(totals, f);
        if (counts && summary->extras.n_over)
            add_wait(summary, totals, f);
    }
}

double summary_finished_share(const struct totals *t)
{
    return t->asked > 0 ? (double)t->finished / (double)t->asked : NAN;
}

static void add_group(struct totals *t, const struct totals *group)
{
    t->jobs += group->jobs;
    for (size_t o = 0; o < OUTCOME_N; o++)
        t->outcome[o] += group->outcome[o];
    t->attempts += group->attempts;
    t->preemptions += group->preemptions;
    t->counted += group->counted;
    for (size_t i = 0; i < EXTRAS_OVER_MAX; i++)
        t->over[i] += group->over[i];
    t->held += group->held;
    t->useful += group->useful;
    t->work += group->work;
    t->overhead += group->overhead;
    t->lost += group->lost;
    t->profiling += group->profiling;
    t->asked += group->asked;
    t->finished += group->finished;
}

/* Fills the sums over all jobs, which are those over all outcomes, those of a
 * group that is the only one of its grouping, and from them `held` and
 * `profiling` of the GPU time. */
static void close_totals(struct summary *summary)
{
    for (unsigned o = 0; o < OUTCOME_N; o++)
        add_group(&summary->totals, &summary->groups[GROUP_OUTCOME][o].totals);
    for (unsigned by = 0; by < GROUPINGS; by++) {
        if (summary->n_groups[by] == 1)
            summary->groups[by][0].totals = summary->totals;
    }
    summary->gpu_time.held = summary->totals.held;
    summary->gpu_time.profiling = summary->totals.profiling;
}

void summary_describe(struct summary *summary, struct values *values,
                      const struct results *results)
{
    close_totals(summary);
    distribution_describe(summary, values);
    summary->jain_users = users_jain(&summary->users);
    summary->jain_rho = users_jain_rho(&summary->users);
    profiling_measure(&summary->profiling, results);
    if (results->run->elastic)
        elastic_measure(&summary->elastic, results);
    packing_measure(&summary->packing, results, summary->totals.held);
    failure_summary_init(&summary->failures, results, &summary->gpu_time);
    evictions_measure(&summary->evictions, results);
    if (results->run->ledger.station.servers) {
        advice_summary_init(&summary->advice, results);
        gpu_time_add_llm(&summary->gpu_time, &summary->advice);
    }
}
