/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool of_jct(const struct facts *f, const struct results *r, double *out)
{
    (void)r;
    *out = span_seconds(facts_jct(f));
    return f->finished;
}

static bool of_queue_delay(const struct facts *f, const struct results *r,
                           double *out)
{
    (void)r;
    *out = span_seconds(f->queued);
    return f->finished;
}

static bool of_wait(const struct facts *f, const struct results *r, double *out)
{
    (void)r;
    *out = span_seconds(facts_wait(f));
    return f->finished;
}

static bool of_slowdown(const struct facts *f, const struct results *r,
                        double *out)
{
    (void)r;
    return facts_slowdown(f, out);
}

static bool of_bounded(const struct facts *f, const struct results *r,
                       double *out)
{
    (void)r;
    *out = facts_bounded_slowdown(f);
    return f->finished;
}

static bool of_rho(const struct facts *f, const struct results *r, double *out)
{
    return facts_rho(f, r, out);
}

const struct metric metrics[] = {
    [METRIC_JCT] = {{"jct_s", "s",
                     "job completion time: end - submission, of finished jobs"},
                    true,
                    of_jct},
    [METRIC_QUEUE_DELAY] = {{"queue_delay_s", "s",
                             "all time pending, of finished jobs"},
                            true,
                            of_queue_delay},
    {{"wait_s", "s", "first start - submission, of finished jobs"},
     false,
     of_wait},
    {{"slowdown", "",
      "JCT / recorded running time, of finished jobs that ran at all"},
     false,
     of_slowdown},
    {{"bounded_slowdown", "",
      "max(1, JCT / max(recorded running time, 10 s)), of finished jobs "
      "(Feitelson)"},
     false,
     of_bounded},
    {{"rho", "",
      "finish-time fairness: JCT / (recorded running time x max(1, mean "
      "contention)), where contention is the GPUs asked for by the active "
      "jobs of its virtual cluster / the GPUs of that cluster, averaged over "
      "the job's life (Themis, NSDI 2020; estimator of Sia, SOSP 2023)"},
     true,
     of_rho},
    {{NULL, NULL, NULL}, false, NULL},
};

const struct column distribution_columns[] = {
    {"count", "jobs", "for which the metric is defined"},
    {"mean", "", "arithmetic mean"},
    {"mean_lo", "",
     "lower end of the 95 % interval of the mean: moving-block bootstrap over "
     "jobs in the order of submission, 1000 resamples of at most 200 blocks "
     "(50 in groups); null below 8 blocks; percentiles have no interval"},
    {"mean_hi", "", "upper end of that interval"},
    {"p50", "", "median, nearest rank"},
    {"p90", "", "90th percentile, nearest rank"},
    {"p95", "", "95th percentile, nearest rank"},
    {"p99", "", "99th percentile, nearest rank"},
    {"max", "", "largest value"},
    {NULL, NULL, NULL},
};

const struct column grouping_columns[] = {
    [GROUP_VC] = {"by_vc", "", "by virtual cluster"},
    [GROUP_GPUS] = {"by_gpus", "", "by number of GPUs asked for"},
    [GROUP_OUTCOME] = {"by_outcome", "",
                       "by how the job ended: as the trace recorded it "
                       "(completed, failed, cancelled, unknown) if it ran to "
                       "its recorded end, otherwise given-up, rejected or "
                       "unfinished"},
    [GROUPINGS] = {NULL, NULL, NULL},
};

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
    {{"attempts", "", "stays on GPUs"}, s_attempts},
    {{"preemptions", "", "attempts ended by the policy, resizes included"},
     s_preemptions},
    {{"held_gpu_hours", "GPU h",
      "length of attempts x GPUs held; a shared GPU counts for each holder"},
     s_held},
    {{"work_gpu_hours", "GPU h", "work done x GPUs asked for"}, s_work},
    {{"overhead_gpu_hours", "GPU h",
      "start-up, stop and resume x GPUs asked for"},
     s_overhead},
    {{"lost_gpu_hours", "GPU h", "work lost by failures x GPUs asked for"},
     s_lost},
    {{"profiling_gpu_hours", "GPU h", "held by profiling attempts"},
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

static double s_utilisation(const struct totals *t, const struct summary *s)
{
    return ratio((double)t->work, (double)s->integrals.up);
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
    {{"utilisation", "",
      "GPU time of work done / GPU time of nodes that were up, over the "
      "makespan; can exceed the allocation where jobs share GPUs"},
     s_utilisation},
    {{"fragmentation", "",
      "share of the free GPU time that lies on nodes of which other GPUs are "
      "in use"},
     s_fragmentation},
    {{NULL, NULL, NULL}, NULL},
};

unsigned gpu_class(uint32_t gpus)
{
    if (gpus <= 1)
        return 0;
    unsigned class = 32 - (unsigned)__builtin_clz(gpus - 1);
    return class < GPU_CLASSES ? class : GPU_CLASSES - 1;
}

const char *gpu_class_name(unsigned class)
{
    static const char *const names[GPU_CLASSES] = {
        "1", "2", "3-4", "5-8", "9-16", "17-32", "33-64", "65-128", "129+"};
    return names[class];
}

static size_t key_of(enum grouping grouping, const struct job *job,
                     enum outcome outcome)
{
    switch (grouping) {
    case GROUP_VC:
        return job->vc;
    case GROUP_GPUS:
        return gpu_class(job->gpus);
    case GROUP_OUTCOME:
    case GROUPINGS:
        break;
    }
    return outcome;
}

static void add_to(struct totals *t, const struct facts *f)
{
    gpu_time gpus = f->job->gpus;
    t->jobs++;
    t->outcome[f->outcome]++;
    t->attempts += f->attempts;
    t->preemptions += f->preemptions;
    t->held += f->held_time;
    t->work += f->work * gpus;
    t->overhead += f->overhead * gpus;
    t->lost += f->lost * gpus;
    t->profiling += f->profiling;
}

/* Facts are dear to read and values dear to keep: three metrics at a time. */
enum { AT_ONCE = 3 };

/* What is needed while a summary is made; see summary_init. */
struct work {
    struct summary *summary;
    struct facts_reader reader;
    struct bootstrap bootstrap;
    uint32_t n_jobs;
    double *values[AT_ONCE]; /* by job; NaN: not defined for it */
    double *scratch;
    uint16_t (*keys)[GROUPINGS]; /* groups of each job */
};

/* Most clusters have one virtual cluster: `whole`, if given, is what a group
 * of all values shares with all of them, apart from the interval. */
static void describe(const struct work *w, double *values, size_t n,
                     size_t max_blocks, const struct distribution *whole,
                     struct distribution *out)
{
    double sum = 0;
    size_t from = 0;
    *out = (struct distribution){.count = n};
    if (n == 0)
        return;
    struct interval interval =
        stats_mean_interval(&w->bootstrap, values, n, max_blocks);
    if (whole && whole->count == n) {
        *out = *whole;
        out->mean_lo = interval.lo;
        out->mean_hi = interval.hi;
        return;
    }
    struct least least = {values[0], 0};
    out->max = values[0];
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
        out->max = values[i] > out->max ? values[i] : out->max;
        least_add(&least, values[i]);
    }
    out->mean = sum / (double)n;
    out->mean_lo = interval.lo;
    out->mean_hi = interval.hi;
    out->p50 = stats_percentile_above(values, n, 50, least, &from);
    out->p90 = stats_percentile_above(values, n, 90, least, &from);
    out->p95 = stats_percentile_above(values, n, 95, least, &from);
    out->p99 = stats_percentile_above(values, n, 99, least, &from);
}

/* Sorts the values by group, keeping their order within one, and describes
 * each group. There is room for each of its jobs, used by those that have a
 * value. */
static void describe_groups(struct work *w, size_t metric, const double *values,
                            enum grouping by)
{
    enum { GROUP_BLOCKS = 50 };
    struct summary *s = w->summary;
    size_t n_groups = s->n_groups[by], start = 0;
    size_t *end = mem_zalloc(n_groups, sizeof *end);
    for (size_t g = 0; g < n_groups; g++) {
        end[g] = start;
        start += s->groups[by][g].totals.jobs;
    }
    for (job_id id = 0; id < w->n_jobs; id++) {
        if (!isnan(values[id]))
            w->scratch[end[w->keys[id][by]]++] = values[id];
    }
    start = 0;
    for (size_t g = 0; g < n_groups; g++) {
        describe(w, w->scratch + start, end[g] - start, GROUP_BLOCKS,
                 &s->of[metric], &s->groups[by][g].of[metric]);
        start += s->groups[by][g].totals.jobs;
    }
    free(end);
}

static void describe_metric(struct work *w, size_t metric, const double *values)
{
    size_t n = 0;
    for (job_id id = 0; id < w->n_jobs; id++) {
        if (!isnan(values[id]))
            w->scratch[n++] = values[id];
    }
    describe(w, w->scratch, n, STATS_BLOCKS, NULL, &w->summary->of[metric]);
    for (unsigned by = 0; metrics[metric].grouped && by < GROUPINGS; by++)
        describe_groups(w, metric, values, (enum grouping)by);
}

static void add_totals(struct work *w, const struct facts *f)
{
    struct summary *s = w->summary;
    add_to(&s->totals, f);
    for (unsigned by = 0; by < GROUPINGS; by++) {
        size_t key = key_of((enum grouping)by, f->job, f->outcome);
        w->keys[f->job->id][by] = (uint16_t)key;
        add_to(&s->groups[by][key].totals, f);
    }
}

/* The values of the metrics from `first` on; returns how many they are. */
static size_t read_values(struct work *w, size_t first)
{
    const struct results *results = &w->reader.results;
    struct facts f;
    size_t n = 0;
    while (n < AT_ONCE && metrics[first + n].of)
        n++;
    for (job_id id = 0; n && id < w->n_jobs; id++) {
        facts_read(&w->reader, id, &f);
        if (first == 0)
            add_totals(w, &f);
        for (size_t m = 0; m < n; m++) {
            double value;
            bool defined = metrics[first + m].of(&f, results, &value);
            w->values[m][id] = defined ? value : NAN;
        }
    }
    return n;
}

static void name_groups(struct summary *s, const struct cluster *cluster)
{
    s->n_groups[GROUP_VC] = cluster->n_vcs;
    s->n_groups[GROUP_GPUS] = GPU_CLASSES;
    s->n_groups[GROUP_OUTCOME] = OUTCOME_N;
    for (unsigned by = 0; by < GROUPINGS; by++) {
        s->groups[by] = mem_zalloc(s->n_groups[by], sizeof *s->groups[by]);
        for (unsigned g = 0; g < s->n_groups[by]; g++)
            s->groups[by][g].name = by == GROUP_VC ? cluster->vcs[g]
                                    : by == GROUP_GPUS
                                        ? gpu_class_name(g)
                                        : outcome_name((enum outcome)g);
    }
}

void summary_init(struct summary *summary, struct results results)
{
    uint32_t n = results.run->workload.n_jobs;
    *summary = (struct summary){.makespan = results.gauge->last_end,
                                .integrals = results.gauge->total};
    struct work w = {
        .summary = summary,
        .n_jobs = n,
        .scratch = mem_zalloc(n + 1, sizeof *w.scratch),
        .keys = mem_zalloc(n + 1, sizeof *w.keys),
    };
    for (size_t m = 0; m < AT_ONCE; m++)
        w.values[m] = mem_zalloc(n + 1, sizeof *w.values[m]);
    facts_reader_init(&w.reader, results);
    bootstrap_init(&w.bootstrap, results.run->seed);
    name_groups(summary, &results.run->cluster);
    for (size_t first = 0, read = AT_ONCE; read == AT_ONCE; first += read) {
        read = read_values(&w, first);
        w.reader.times_only = true; /* the totals are made */
        for (size_t m = 0; m < read; m++)
            describe_metric(&w, first + m, w.values[m]);
    }
    profiling_measure(&summary->profiling, &results);
    packing_measure(&summary->packing, &results, summary->totals.held);
    bootstrap_fini(&w.bootstrap);
    facts_reader_fini(&w.reader);
    for (size_t m = 0; m < AT_ONCE; m++)
        free(w.values[m]);
    free(w.scratch);
    free(w.keys);
}

void summary_fini(struct summary *summary)
{
    for (unsigned by = 0; by < GROUPINGS; by++)
        free(summary->groups[by]);
}
