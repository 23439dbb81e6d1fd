/* SPDX-License-Identifier: GPL-3.0-or-later */
/* summary.json: the metrics, overall and by group. */
#include <stdio.h>

#include "sim/json_out.h"
#include "sim/report.h"

static json_t *distribution(const struct distribution *d)
{
    const double values[] = {(double)d->count, d->mean, d->mean_lo,
                             d->mean_hi,       d->p50,  d->p90,
                             d->p95,           d->p99,  d->max};
    json_t *object = json_object();
    for (size_t i = 0; distribution_columns[i].name; i++) {
        if (i > 0 && d->count == 0)
            break;
        json_put(object, distribution_columns[i].name, json_number(values[i]));
    }
    return object;
}

static json_t *group_of(const struct totals *totals,
                        const struct distribution *of,
                        const struct summary *summary, bool whole)
{
    json_t *object = json_object();
    for (size_t i = 0; whole && run_scalars[i].of; i++)
        json_put(object, run_scalars[i].column.name,
                 json_number(run_scalars[i].of(totals, summary)));
    for (size_t i = 0; scalars[i].of; i++)
        json_put(object, scalars[i].column.name,
                 json_number(scalars[i].of(totals, summary)));
    for (size_t m = 0; metrics[m].column.name; m++) {
        if (whole || metrics[m].grouped)
            json_put(object, metrics[m].column.name, distribution(&of[m]));
    }
    return object;
}

json_t *summary_json(const struct summary *summary)
{
    return group_of(&summary->totals, summary->of, summary, true);
}

static json_t *outcomes(const struct totals *totals)
{
    json_t *object = json_object();
    for (unsigned i = 0; i < OUTCOME_N; i++) {
        if (totals->outcome[i])
            json_put(object, outcome_name((enum outcome)i),
                     json_integer((json_int_t)totals->outcome[i]));
    }
    return object;
}

static json_t *profiling(const struct profiling *p)
{
    json_t *object = json_object();
    for (size_t i = 0; profiling_scalars[i].of; i++)
        json_put(object, profiling_scalars[i].column.name,
                 json_number(profiling_scalars[i].of(p)));
    return object;
}

/* "ResNet50 64 amp" */
static json_t *workload_text(const struct run_result *run, uint16_t number)
{
    char batch[16] = "", words[256];
    const struct profile *p =
        number < run->workloads.n ? &run->workloads.rows[number] : NULL;
    if (number == 0 || !p)
        return json_text("unknown");
    if (p->batch_size)
        snprintf(batch, sizeof batch, " %u", p->batch_size);
    snprintf(words, sizeof words, "%.200s%s%s", p->model, batch,
             p->amp > 0 ? " amp" : "");
    return json_text(words);
}

static json_t *pairs(const struct run_result *run, const struct packing *p)
{
    const struct company_pair *rows[PACKING_PAIRS];
    json_t *array = json_array();
    size_t n = packing_pairs(p, rows);
    for (size_t i = 0; i < n; i++) {
        double time = (double)rows[i]->time;
        json_t *values[] = {workload_text(run, rows[i]->profile),
                            workload_text(run, rows[i]->beside),
                            json_number(time / (double)SPAN_HOUR),
                            json_number(rows[i]->work / time)};
        json_t *row = json_object();
        for (size_t c = 0; pair_columns[c].name; c++)
            json_put(row, pair_columns[c].name, values[c]);
        json_array_append_new(array, row);
    }
    return array;
}

static json_t *packing(const struct run_result *run, const struct packing *p)
{
    json_t *object = json_object(), *by_pace = json_object();
    double whole = (double)company_time(p->company);
    for (size_t i = 0; packing_scalars[i].of; i++)
        json_put(object, packing_scalars[i].column.name,
                 json_number(packing_scalars[i].of(p)));
    for (size_t i = 0; i < PACE_N && whole > 0; i++)
        json_put(by_pace, pace_columns[i].name,
                 json_number((double)p->company->of_pace[i] / whole));
    json_put(object, "by_pace", by_pace);
    json_put(object, "pairs", pairs(run, p));
    return object;
}

static json_t *elastic(const struct elastic *e)
{
    json_t *object = json_object();
    for (size_t i = 0; elastic_scalars[i].of; i++)
        json_put(object, elastic_scalars[i].column.name,
                 json_number(elastic_scalars[i].of(e)));
    return object;
}

static json_t *counts(const struct run_result *run)
{
    json_t *object = json_object();
    for (size_t i = 0; i < run->n_counts; i++)
        json_put(object, run->counts[i].name,
                 json_integer((json_int_t)run->counts[i].value));
    return object;
}

void report_summary(struct out *out, struct results results,
                    const struct summary *summary)
{
    const struct run_result *run = results.run;
    json_t *root = json_object();
    json_put(root, "policy", json_text(run->policy));
    json_put(root, "placer", json_text(run->placer));
    json_put(root, "rules", json_text(run->rules));
    json_put(root, "cluster", json_text(run->cluster_name));
    json_put(root, "format", json_text(run->workload.format));
    json_put(root, "complete", json_boolean(run->n_unfinished == 0));
    json_put(root, "unfinished", json_integer(run->n_unfinished));
    if (run->n_unfinished)
        json_put(root, "unfinished_why", json_text(run->unfinished));
    json_put(root, "outcomes", outcomes(&summary->totals));
    json_put(root, "metrics", summary_json(summary));
    if (summary->profiling.gpus)
        json_put(root, "profiling", profiling(&summary->profiling));
    if (summary->packing.company)
        json_put(root, "packing", packing(run, &summary->packing));
    if (summary->elastic.any)
        json_put(root, "elastic", elastic(&summary->elastic));
    if (run->n_counts)
        json_put(root, "counts", counts(run));
    for (unsigned by = 0; by < GROUPINGS; by++) {
        json_t *groups = json_object();
        for (size_t g = 0; g < summary->n_groups[by]; g++) {
            const struct group *group = &summary->groups[by][g];
            if (group->totals.jobs)
                json_put(groups, group->name,
                         group_of(&group->totals, group->of, summary, false));
        }
        json_put(root, grouping_columns[by].name, groups);
    }
    json_write(out, root);
    json_decref(root);
}
