/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the summary of a run. Reads the facts of all jobs once, adds up totals
 * and puts the values of all metrics side by side, one row per job. Then
 * describes the values of each metric, for all jobs and for groups. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/results/metrics.h"
#include "sim/results/stats.h"

enum { GROUP_BLOCKS = 50 };

/* From this number of jobs on, saving memory is worth more than saving time. */
enum { MANY_JOBS = 1 << 17 };

/* The group of a job in each grouping, and its defined values as bits by lane.
 */
struct key {
    uint16_t vc;
    uint8_t gpus, outcome, defined;
};

/* Work space while a summary is made; see summary_init. */
struct work {
    struct summary *summary;
    struct facts_reader reader;
    struct facts_watcher watcher;
    struct bootstrap bootstrap;
    uint32_t n_jobs;
    /* Layout of a row: lane 0 holds 1. Each other lane that is a bit of `lanes`
     * holds one metric; the remaining lanes are unused. */
    size_t stride;
    unsigned metric[LANES], lanes, grouped;
    unsigned metrics[METRICS]; /* in the order of reading: grouped ones first */
    double *rows;              /* by job */
    struct key *keys;          /* by job */
    uint32_t *defined, *sorted; /* rows with a value; sorted by group */
    double *columns;            /* values of some lists, contiguous */
    unsigned n_columns;
    bool seen[1 << LANES]; /* indexed by key.defined: some job has exactly these
                              values */
};

/* A set of lists that are defined for the same jobs. */
struct bundle {
    unsigned lanes; /* bits */
    struct value_rows all;
    /* Intervals of a group that holds all jobs, valid if `known`. Often there
     * is one virtual cluster and one outcome; this saves computing them again.
     */
    bool known;
    struct interval whole[LANES];
};

static size_t key_of(const struct key *key, enum grouping grouping)
{
    return grouping == GROUP_VC     ? key->vc
           : grouping == GROUP_GPUS ? key->gpus
                                    : key->outcome;
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
}

static void add_up(struct totals *t, const struct totals *part)
{
    t->jobs += part->jobs;
    for (unsigned o = 0; o < OUTCOME_N; o++)
        t->outcome[o] += part->outcome[o];
    t->attempts += part->attempts;
    t->preemptions += part->preemptions;
    t->held += part->held;
    t->useful += part->useful;
    t->work += part->work;
    t->overhead += part->overhead;
    t->lost += part->lost;
    t->profiling += part->profiling;
}

/* Each job is added to two sums only, that of its virtual cluster and that of
 * its size and outcome. All other sums follow from these. */
struct sums {
    struct totals of[GPU_CLASSES][OUTCOME_N];
};

static void add_job(struct work *w, struct sums *sums, const struct facts *f)
{
    if (w->watcher.see)
        w->watcher.see(w->watcher.self, f);
    struct key *key = &w->keys[f->job->id];
    key->vc = f->job->vc;
    key->gpus = (uint8_t)gpu_class(f->job->gpus);
    key->outcome = (uint8_t)f->outcome;
    add_to(&w->summary->groups[GROUP_VC][key->vc].totals, f);
    add_to(&sums->of[key->gpus][key->outcome], f);
}

static void add_sums(struct summary *s, const struct sums *sums)
{
    for (unsigned g = 0; g < GPU_CLASSES; g++) {
        for (unsigned o = 0; o < OUTCOME_N; o++) {
            const struct totals *part = &sums->of[g][o];
            add_up(&s->totals, part);
            add_up(&s->groups[GROUP_GPUS][g].totals, part);
            add_up(&s->groups[GROUP_OUTCOME][o].totals, part);
        }
    }
}

/* Assigns metric number `first` and later ones, in the order of `metrics` of
 * the work, to the lanes of a row. */
static void set_lanes(struct work *w, unsigned first)
{
    memset(w->seen, 0, sizeof w->seen);
    w->lanes = w->grouped = 0;
    for (unsigned k = 1; k < w->stride; k++) {
        unsigned i = first + k - 1;
        w->metric[k] = i < METRICS ? w->metrics[i] : 0;
        w->lanes |= i < METRICS ? 1u << k : 0;
        w->grouped |=
            i < METRICS && metrics[w->metrics[i]].grouped ? 1u << k : 0;
    }
}

/* Returns the lanes of the metrics that are bits of `defined`. */
static unsigned lanes_with(const struct work *w, unsigned defined)
{
    unsigned lanes = 0;
    for (unsigned k = 1; k < LANES; k++)
        lanes |= (defined >> w->metric[k] & 1) << k;
    return lanes & w->lanes;
}

/* Reads the values of as many metrics as a row has room for, starting at
 * `first`. */
static void read_rows(struct work *w, unsigned first)
{
    struct sums sums = {0};
    double values[METRICS] = {0}, *row = w->rows;
    unsigned lanes = 0, defined = 0;
    struct facts f;
    set_lanes(w, first);
    for (job_id id = 0; id < w->n_jobs; id++, row += w->stride) {
        facts_read(&w->reader, id, &f);
        if (first == 0)
            add_job(w, &sums, &f);
        unsigned now = metrics_of(&f, values);
        if (now != defined || id == 0) /* rare */
            lanes = lanes_with(w, defined = now);
        row[0] = 1;
        for (unsigned k = 1; k < w->stride; k++)
            row[k] = values[w->metric[k]];
        w->keys[id].defined = (uint8_t)lanes;
        w->seen[lanes] = true;
    }
    if (first == 0)
        add_sums(w->summary, &sums);
}

/* Describes one list, without its interval. */
static void describe(struct distribution *out, struct stats_list list,
                     double sum)
{
    static const double percents[] = {50, 90, 95, 99};
    double at[STATS_PERCENTILES];
    stats_percentiles(list, percents, STATS_PERCENTILES, at);
    out->mean = sum / (double)list.n;
    out->max = list.most;
    out->p50 = at[0];
    out->p90 = at[1];
    out->p95 = at[2];
    out->p99 = at[3];
}

/* Describes the lists in `lanes`, at most as many as there are columns. */
static void describe_part(struct work *w, const struct value_rows *rows,
                          unsigned lanes, struct distribution *of)
{
    double *column = w->columns;
    struct lane_totals totals;
    value_rows_copy(rows, lanes, column, w->n_jobs, &totals);
    for (unsigned k = 1; k < LANES; k++) {
        if (!(lanes >> k & 1))
            continue;
        describe(&of[w->metric[k]],
                 (struct stats_list){column, rows->n, totals.least[k],
                                     totals.most[k]},
                 totals.sum[k]);
        column += w->n_jobs;
    }
}

/* Describes the lists of a bundle in `lanes`, for all jobs or for those of one
 * group, into `of`, by metric. */
static void describe_rows(struct work *w, const struct value_rows *rows,
                          unsigned lanes, struct distribution *of)
{
    while (lanes) {
        unsigned part = lanes;
        for (unsigned k = LANES - 1; mask_count(part) > w->n_columns; k--)
            part &= ~(1u << k);
        describe_part(w, rows, part, of);
        lanes &= ~part;
    }
}

static void set_intervals(const struct work *w, unsigned lanes,
                          const struct interval *intervals,
                          struct distribution *of)
{
    for (unsigned k = 1; k < LANES; k++) {
        if (lanes >> k & 1) {
            of[w->metric[k]].mean_lo = intervals[k].lo;
            of[w->metric[k]].mean_hi = intervals[k].hi;
        }
    }
}

static void describe_group(struct work *w, struct bundle *bundle,
                           const struct value_rows *rows,
                           struct distribution *of)
{
    unsigned lanes = bundle->lanes & w->grouped;
    struct interval own[LANES], *intervals = own;
    bool all = rows->n == bundle->all.n;
    for (unsigned k = 1; k < LANES; k++) {
        unsigned m = w->metric[k];
        if (lanes >> k & 1)
            of[m] = all ? w->summary->of[m]
                        : (struct distribution){.count = rows->n};
    }
    if (rows->n == 0)
        return;
    if (!all)
        describe_rows(w, rows, lanes, of);
    else
        intervals = bundle->whole;
    if (!all || !bundle->known)
        bootstrap_intervals(&w->bootstrap, rows, lanes, GROUP_BLOCKS,
                            intervals);
    bundle->known |= all;
    set_intervals(w, lanes, intervals, of);
}

/* Sorts the rows by group, stable within a group, and describes each group.
 * Each group reserves a place for every job in it, but only jobs that have a
 * value fill one. */
static void describe_groups(struct work *w, struct bundle *bundle,
                            enum grouping by)
{
    struct summary *s = w->summary;
    size_t *end = mem_zalloc(s->n_groups[by], sizeof *end), start = 0;
    for (size_t g = 0; g < s->n_groups[by]; g++) {
        end[g] = start;
        start += s->groups[by][g].totals.jobs;
    }
    for (job_id id = 0; id < w->n_jobs; id++) {
        if (w->keys[id].defined & bundle->lanes)
            w->sorted[end[key_of(&w->keys[id], by)]++] = id;
    }
    start = 0;
    for (size_t g = 0; g < s->n_groups[by]; g++) {
        struct value_rows rows = bundle->all;
        rows.order = w->sorted + start;
        rows.n = end[g] - start;
        describe_group(w, bundle, &rows, s->groups[by][g].of);
        start += s->groups[by][g].totals.jobs;
    }
    free(end);
}

static void describe_bundle(struct work *w, unsigned lanes)
{
    struct bundle bundle = {.lanes = lanes,
                            .all = {.at = w->rows, .stride = w->stride}};
    struct interval intervals[LANES];
    for (job_id id = 0; id < w->n_jobs; id++) {
        w->defined[bundle.all.n] = id;
        bundle.all.n += w->keys[id].defined & lanes ? 1 : 0;
    }
    if (bundle.all.n < w->n_jobs)
        bundle.all.order = w->defined;
    for (unsigned k = 1; k < LANES; k++) {
        if (lanes >> k & 1)
            w->summary->of[w->metric[k]].count = bundle.all.n;
    }
    if (bundle.all.n == 0)
        return;
    describe_rows(w, &bundle.all, lanes, w->summary->of);
    bootstrap_intervals(&w->bootstrap, &bundle.all, lanes, BOOTSTRAP_BLOCKS,
                        intervals);
    set_intervals(w, lanes, intervals, w->summary->of);
    for (unsigned by = 0; lanes & w->grouped && by < GROUPINGS; by++)
        describe_groups(w, &bundle, (enum grouping)by);
}

/* Returns the lanes that have a value for exactly the jobs for which lane `k`
 * has one. */
static unsigned alike(const struct work *w, unsigned k)
{
    unsigned lanes = w->lanes;
    for (unsigned seen = 0; seen < 1u << LANES; seen++) {
        if (w->seen[seen])
            lanes &= seen >> k & 1 ? seen : ~seen;
    }
    return lanes;
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

static void work_init(struct work *w, struct summary *summary,
                      struct results results)
{
    uint32_t n = results.run->jobset.n_jobs;
    *w = (struct work){
        .summary = summary,
        .n_jobs = n,
        /* for many jobs: few metrics per row, one list at a time */
        .stride = n < MANY_JOBS ? LANES : FEW_LANES,
        .n_columns = n < MANY_JOBS ? METRICS : 1,
        .keys = mem_alloc((n + 1u) * sizeof *w->keys),
        .defined = mem_alloc((n + 1u) * sizeof *w->defined),
        .sorted = mem_alloc((n + 1u) * sizeof *w->sorted),
    };
    w->rows = mem_alloc((n + 1u) * w->stride * sizeof *w->rows);
    w->columns = mem_alloc((n + 1u) * w->n_columns * sizeof *w->columns);
    for (unsigned m = 0, i = 0, rest = METRICS; m < METRICS; m++)
        w->metrics[metrics[m].grouped ? i++ : --rest] = m;
    facts_reader_init(&w->reader, results);
    bootstrap_init(&w->bootstrap, results.run->seed);
}

static void work_fini(struct work *w)
{
    bootstrap_fini(&w->bootstrap);
    facts_reader_fini(&w->reader);
    free(w->keys);
    free(w->defined);
    free(w->sorted);
    free(w->columns);
    free(w->rows);
}

void summary_init(struct summary *summary, struct results results,
                  struct facts_watcher watcher)
{
    struct work w;
    *summary = (struct summary){.makespan = results.meter->last_end,
                                .integrals = results.meter->total};
    work_init(&w, summary, results);
    w.watcher = watcher;
    name_groups(summary, &results.run->cluster);
    for (unsigned first = 0; first < METRICS; first += (unsigned)w.stride - 1) {
        read_rows(&w, first);
        for (unsigned k = 1, done = 0; k < LANES; k++) {
            if (!((w.lanes & ~done) >> k & 1))
                continue;
            unsigned lanes = alike(&w, k);
            describe_bundle(&w, lanes);
            done |= lanes;
        }
    }
    profiling_measure(&summary->profiling, &results);
    elastic_measure(&summary->elastic, &results);
    packing_measure(&summary->packing, &results, summary->totals.held);
    work_fini(&w);
}

void summary_fini(struct summary *summary)
{
    for (unsigned by = 0; by < GROUPINGS; by++)
        free(summary->groups[by]);
}
