/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/summary.h"

#include <stdlib.h>

#include "sim/results/distribution.h"
#include "sim/results/grouping.h"

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
    elastic_measure(&summary->elastic, results);
    packing_measure(&summary->packing, results, summary->totals.held);
    failure_summary_init(&summary->failures, results, &summary->gpu_time);
    evictions_measure(&summary->evictions, results);
    advice_summary_init(&summary->advice, results);
    gpu_time_add_llm(&summary->gpu_time, &summary->advice);
}
