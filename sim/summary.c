/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the summary of a run: reads the facts of all jobs, adds up totals and
 * describes the values of each metric, of all jobs and of groups. */
#include <math.h>
#include <stdlib.h>

#include "sim/metrics.h"
#include "sim/stats.h"

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

/* Facts are dear to read, and values of many jobs dear to keep: all metrics at
 * a time, or a few of which one is described at a time. */
enum { AT_ONCE = STATS_LISTS, FEW_AT_ONCE = 3, MANY_JOBS = 1 << 17 };
enum { GROUP_BLOCKS = 50 };

/* What is needed while a summary is made; see summary_init. */
struct work {
    struct summary *summary;
    struct facts_reader reader;
    struct bootstrap bootstrap;
    uint32_t n_jobs;
    size_t at_once, together; /* metrics: read; described */
    double *values[AT_ONCE];  /* by job; NaN: not defined for it */
    double *scratch[AT_ONCE];
    uint16_t (*keys)[GROUPINGS]; /* groups of each job */
    /* Most clusters have one virtual cluster, and most jobs one outcome. Of a
     * group that holds all: by metric at hand, NaN if not known yet. */
    struct interval whole[AT_ONCE];
};

/* The values of one metric, of all jobs or of a group. */
struct list {
    double *values;
    size_t n;
    struct distribution *out;
    struct distribution *whole; /* of all jobs, or NULL if these are all */
};

static bool holds_all(const struct list *list)
{
    return list->whole && list->whole->count == list->n;
}

static void set_interval(struct list *list, struct interval interval)
{
    list->out->mean_lo = interval.lo;
    list->out->mean_hi = interval.hi;
}

/* Lists of one length together. */
static void find_intervals(struct work *w, struct list *lists, size_t n_lists,
                           size_t max_blocks)
{
    bool known[AT_ONCE] = {false};
    for (size_t i = 0; i < n_lists; i++) {
        known[i] = holds_all(&lists[i]) && !isnan(w->whole[i].lo);
        if (known[i])
            set_interval(&lists[i], w->whole[i]);
    }
    for (size_t i = 0; i < n_lists; i++) {
        const double *values[AT_ONCE];
        size_t index[AT_ONCE], n = 0;
        struct interval intervals[AT_ONCE];
        for (size_t k = i; k < n_lists && !known[i]; k++) {
            if (known[k] || lists[k].n != lists[i].n)
                continue;
            values[n] = lists[k].values;
            index[n++] = k;
        }
        if (n == 0)
            continue;
        stats_mean_intervals(&w->bootstrap, values, n, lists[i].n, max_blocks,
                             intervals);
        for (size_t k = 0; k < n; k++) {
            set_interval(&lists[index[k]], intervals[k]);
            known[index[k]] = true;
            if (holds_all(&lists[index[k]]))
                w->whole[index[k]] = intervals[k];
        }
    }
}

/* Reorders the values. */
static void describe(const struct list *list)
{
    static const double percents[] = {50, 90, 95, 99};
    struct distribution *out = list->out;
    double sum = 0, at[STATS_PERCENTILES], max = list->values[0];
    for (size_t i = 0; i < list->n; i++) {
        sum += list->values[i];
        max = list->values[i] > max ? list->values[i] : max;
    }
    stats_percentiles(list->values, list->n, percents, STATS_PERCENTILES, at);
    out->mean = sum / (double)list->n;
    out->max = max;
    out->p50 = at[0];
    out->p90 = at[1];
    out->p95 = at[2];
    out->p99 = at[3];
}

static void describe_lists(struct work *w, struct list *lists, size_t n_lists,
                           size_t max_blocks)
{
    for (size_t i = 0; i < n_lists; i++)
        *lists[i].out = (struct distribution){.count = lists[i].n};
    find_intervals(w, lists, n_lists, max_blocks);
    for (size_t i = 0; i < n_lists; i++) {
        struct interval own = {lists[i].out->mean_lo, lists[i].out->mean_hi};
        if (holds_all(&lists[i])) {
            *lists[i].out = *lists[i].whole;
            set_interval(&lists[i], own);
        } else if (lists[i].n) {
            describe(&lists[i]);
        } else {
            set_interval(&lists[i], (struct interval){0, 0});
        }
    }
}

/* Where the values of each group go: there is room for each of its jobs, used
 * by those that have a value. */
static size_t *group_starts(const struct summary *s, enum grouping by)
{
    size_t *at = mem_zalloc(s->n_groups[by], sizeof *at), start = 0;
    for (size_t g = 0; g < s->n_groups[by]; g++) {
        at[g] = start;
        start += s->groups[by][g].totals.jobs;
    }
    return at;
}

/* Sorts the values by group, keeping their order within one, and describes
 * each group. */
static void describe_groups(struct work *w, size_t first, const size_t *metric,
                            size_t n, enum grouping by)
{
    struct summary *s = w->summary;
    size_t *end[AT_ONCE], start = 0;
    for (size_t i = 0; i < n; i++) {
        const double *values = w->values[metric[i] - first];
        end[i] = group_starts(s, by);
        for (job_id id = 0; id < w->n_jobs; id++) {
            if (!isnan(values[id]))
                w->scratch[i][end[i][w->keys[id][by]]++] = values[id];
        }
    }
    for (size_t g = 0; g < s->n_groups[by]; g++) {
        struct list lists[AT_ONCE];
        for (size_t i = 0; i < n; i++)
            lists[i] = (struct list){w->scratch[i] + start, end[i][g] - start,
                                     &s->groups[by][g].of[metric[i]],
                                     &s->of[metric[i]]};
        describe_lists(w, lists, n, GROUP_BLOCKS);
        start += s->groups[by][g].totals.jobs;
    }
    for (size_t i = 0; i < n; i++)
        free(end[i]);
}

/* `n` metrics from `from` on, of those from `first` on whose values have been
 * read. */
static void describe_metrics(struct work *w, size_t first, size_t from,
                             size_t n)
{
    struct list lists[AT_ONCE];
    size_t grouped[AT_ONCE], n_grouped = 0;
    for (size_t i = 0; i < n; i++) {
        const double *values = w->values[from - first + i];
        size_t defined = 0;
        for (job_id id = 0; id < w->n_jobs; id++) {
            w->scratch[i][defined] = values[id];
            defined += isnan(values[id]) ? 0 : 1;
        }
        lists[i] = (struct list){w->scratch[i], defined,
                                 &w->summary->of[from + i], NULL};
        w->whole[i] = (struct interval){NAN, NAN};
        if (metrics[from + i].grouped)
            grouped[n_grouped++] = from + i;
    }
    describe_lists(w, lists, n, STATS_BLOCKS);
    for (unsigned by = 0; n_grouped && by < GROUPINGS; by++)
        describe_groups(w, first, grouped, n_grouped, (enum grouping)by);
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
    while (n < w->at_once && metrics[first + n].of)
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
        .at_once = n < MANY_JOBS ? AT_ONCE : FEW_AT_ONCE,
        .together = n < MANY_JOBS ? AT_ONCE : 1,
        .keys = mem_zalloc(n + 1, sizeof *w.keys),
    };
    for (size_t m = 0; m < w.at_once; m++)
        w.values[m] = mem_zalloc(n + 1, sizeof *w.values[m]);
    for (size_t m = 0; m < w.together; m++)
        w.scratch[m] = mem_zalloc(n + 1, sizeof *w.scratch[m]);
    facts_reader_init(&w.reader, results);
    bootstrap_init(&w.bootstrap, results.run->seed);
    name_groups(summary, &results.run->cluster);
    for (size_t first = 0, read = w.at_once; read == w.at_once; first += read) {
        read = read_values(&w, first);
        w.reader.times_only = true; /* the totals are made */
        for (size_t from = first; from < first + read; from += w.together) {
            size_t rest = first + read - from;
            describe_metrics(&w, first, from,
                             rest < w.together ? rest : w.together);
        }
    }
    profiling_measure(&summary->profiling, &results);
    elastic_measure(&summary->elastic, &results);
    packing_measure(&summary->packing, &results, summary->totals.held);
    bootstrap_fini(&w.bootstrap);
    facts_reader_fini(&w.reader);
    for (size_t m = 0; m < AT_ONCE; m++) {
        free(w.values[m]);
        free(w.scratch[m]);
    }
    free(w.keys);
}

void summary_fini(struct summary *summary)
{
    for (unsigned by = 0; by < GROUPINGS; by++)
        free(summary->groups[by]);
}
