/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/summary.h"

#include <stdlib.h>
#include <string.h>

#include "sim/results/bootstrap.h"

enum { GROUP_BLOCKS = 50 }; /* largest number of bootstrap blocks for a group */

static const char *group_name(const struct summary *summary, enum grouping by,
                              unsigned number)
{
    const struct cluster *cluster = &summary->run->cluster;
    switch (by) {
    case GROUP_VC:
        return cluster->vcs[number];
    case GROUP_GPUS:
        return gpu_class_name(number);
    case GROUP_TYPE:
        return number < cluster->n_types ? cluster->types[number].name
                                         : "(never ran)";
    case GROUP_USER:
        return summary->users.names[number];
    case GROUP_OUTCOME:
    case GROUPINGS:
        break;
    }
    return outcome_name((enum outcome)number);
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
                group_name(summary, (enum grouping)by, g);
    }
}

void summary_fini(struct summary *summary)
{
    for (unsigned by = 0; by < GROUPINGS; by++)
        free(summary->groups[by]);
    users_fini(&summary->users);
    failure_summary_fini(&summary->failures);
}

static size_t group_of(const struct summary *summary, const struct job *job,
                       unsigned outcome, unsigned type, unsigned by)
{
    switch ((enum grouping)by) {
    case GROUP_VC:
        return job->vc;
    case GROUP_GPUS:
        return gpu_class(job->gpus);
    case GROUP_TYPE:
        return type;
    case GROUP_USER:
        return summary->users.numbers[job->user];
    case GROUP_OUTCOME:
    case GROUPINGS:
        break;
    }
    return outcome;
}

/* Counts a job among those that wait longer than the times of --wait-over. A
 * rejected job waits for ever. */
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
}

void summary_add(struct summary *summary, const struct facts *f)
{
    bool counts = counted_has(&summary->run->counted, f->job);
    add_to(&summary->totals, f);
    if (counts && summary->extras.n_over)
        add_wait(summary, &summary->totals, f);
    if (counts && summary->users.n)
        users_add(&summary->users, f);
    for (unsigned by = 0; by < GROUPINGS; by++) {
        if (!summary->n_groups[by])
            continue;
        size_t g = group_of(summary, f->job, f->outcome, f->type, by);
        struct totals *totals = &summary->groups[by][g].totals;
        add_to(totals, f);
        if (counts && summary->extras.n_over)
            add_wait(summary, totals, f);
    }
}

/* Work space. `values`: one metric, for all jobs or for one group. `order`: the
 * jobs by group, within a group by submission. */
struct work {
    struct bootstrap bootstrap;
    double *values;
    job_id *order;
};

/* Fills w->order by a counting sort, and ends[g] with the index there at which
 * group g ends. */
static void sort_by_group(struct work *w, const struct summary *summary,
                          const struct values *values, unsigned by,
                          size_t *ends)
{
    const struct jobset *jobset = values->jobset;
    size_t start = 0;
    for (size_t g = 0; g < summary->n_groups[by]; g++) {
        ends[g] = start;
        start += summary->groups[by][g].totals.jobs;
    }
    for (job_id id = 0; id < jobset->n_jobs; id++) {
        size_t g = group_of(summary, &jobset->jobs[id], values->outcome[id],
                            values->type ? values->type[id] : 0, by);
        w->order[ends[g]++] = id;
    }
}

/* Describes the metrics of a group that has all jobs, such as the only virtual
 * cluster. Only its interval differs from that of all jobs, because groups have
 * fewer blocks. */
static void describe_whole(struct work *w, const struct summary *summary,
                           const struct values *values, struct group *group)
{
    for (unsigned m = 0; m < METRICS; m++) {
        if (!metrics[m].grouped)
            continue;
        struct metric_sample all =
            values_sample(values, m, NULL, group->totals.jobs, w->values);
        struct interval mean =
            bootstrap_interval(&w->bootstrap, all.values, all.n, GROUP_BLOCKS);
        group->of[m] = summary->of[m];
        group->of[m].mean_lo = all.n ? mean.lo : 0;
        group->of[m].mean_hi = all.n ? mean.hi : 0;
    }
}

static void describe_groups(struct work *w, struct summary *summary,
                            const struct values *values, unsigned by)
{
    struct group *group = summary->groups[by];
    if (!summary->n_groups[by])
        return;
    for (size_t g = 0; g < summary->n_groups[by]; g++) {
        if (group[g].totals.jobs == values->jobset->n_jobs) {
            describe_whole(w, summary, values, &group[g]);
            return;
        }
    }
    size_t *ends = mem_alloc((summary->n_groups[by] + 1) * sizeof *ends);
    sort_by_group(w, summary, values, by, ends);
    for (size_t g = 0; g < summary->n_groups[by]; g++, group++) {
        const job_id *jobs = w->order + ends[g] - group->totals.jobs;
        for (unsigned m = 0; m < METRICS; m++) {
            if (!metrics[m].grouped)
                continue;
            struct metric_sample sample =
                values_sample(values, m, jobs, group->totals.jobs, w->values);
            group->of[m] =
                distribution_of(&w->bootstrap, &sample, GROUP_BLOCKS);
        }
    }
    free(ends);
}

/* Describes a metric for all jobs. `room` takes its values; it may be the array
 * of the metric itself. */
static void describe_all(const struct work *w, struct summary *summary,
                         const struct values *values, unsigned m, double *room)
{
    struct metric_sample sample =
        values_sample(values, m, NULL, values->jobset->n_jobs, room);
    summary->of[m] = distribution_of(&w->bootstrap, &sample, BOOTSTRAP_BLOCKS);
}

void summary_describe(struct summary *summary, struct values *values,
                      const struct results *results)
{
    struct work w;
    size_t n = values->jobset->n_jobs + (size_t)1;
    bootstrap_init(&w.bootstrap, results->run->seed);
    /* Metrics that are described in place come first, so that their memory is
     * free for the copies of the others. */
    for (unsigned m = 0; m < METRICS; m++) {
        if (metrics[m].grouped || !values->of[m])
            continue;
        describe_all(&w, summary, values, m, values->of[m]);
        free(values->of[m]);
        values->of[m] = NULL;
    }
    w.values = mem_alloc(n * sizeof *w.values);
    w.order = mem_alloc(n * sizeof *w.order);
    for (unsigned m = 0; m < METRICS; m++) {
        if (metrics[m].grouped || metrics[m].follows)
            describe_all(&w, summary, values, m, w.values);
    }
    if (!values->has_waits)
        summary->of[METRIC_WAIT] = summary->of[METRIC_QUEUE_DELAY];
    for (unsigned by = 0; by < GROUPINGS; by++)
        describe_groups(&w, summary, values, by);
    summary->jain_users = users_jain(&summary->users);
    summary->jain_rho = users_jain_rho(&summary->users);
    bootstrap_fini(&w.bootstrap);
    free(w.values);
    free(w.order);
    profiling_measure(&summary->profiling, results);
    elastic_measure(&summary->elastic, results);
    packing_measure(&summary->packing, results, summary->totals.held);
    failure_summary_init(&summary->failures, results, &summary->gpu_time);
    evictions_measure(&summary->evictions, results);
    advice_summary_init(&summary->advice, results);
    gpu_time_add_llm(&summary->gpu_time, &summary->advice);
}
