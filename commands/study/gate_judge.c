/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the values of all cases with the expected ones, and looks for
 * causes: inputs that have changed, metrics that no run has. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/study/gate_internal.h"
#include "sim/results/difference.h"

/* Returns the value of a metric: that of the case's run, or the mean over its
 * replications with an interval. */
static struct gate_expected judge_value_of(const struct gate_case *c,
                                           size_t metric)
{
    if (!c->trace->replications)
        return (struct gate_expected){c->runs[0].values[metric], NAN, NAN};
    double *values = mem_zalloc(c->n_runs, sizeof *values);
    for (uint32_t i = 0; i < c->n_runs; i++)
        values[i] = c->runs[i].values[metric];
    struct estimate e = estimate_of(values, NULL, c->n_runs);
    free(values);
    return (struct gate_expected){e.mean, e.interval.lo, e.interval.hi};
}

static double judge_mean_of(const double *values, size_t n)
{
    return estimate_of(values, NULL, n).mean;
}

/* Judges the values of the replications that the row has recorded, paired by
 * seed. Returns false, and changes nothing, if there is no pair. */
static bool judge_pairs(struct gate_cases *cases, const struct gate_case *c,
                        const struct gate_recorded *row, size_t metric,
                        const struct gate *gate, struct gate_outcome *o)
{
    const double *was = gate_recorded_values(row, gate->name, &cases->arena);
    if (!was || !c->trace->replications)
        return false;
    double *now = ARENA_ARRAY(&cases->arena, double, row->n_seeds);
    double *expected = ARENA_ARRAY(&cases->arena, double, row->n_seeds);
    size_t n = 0;
    for (size_t i = 0; i < row->n_seeds; i++) {
        /* replication i has seed i + 1 */
        if (row->seeds[i] > c->n_runs)
            continue;
        now[n] = c->runs[row->seeds[i] - 1].values[metric];
        expected[n++] = was[i];
    }
    if (!n)
        return false;
    o->verdict = gate_judge_pairs(gate, now, expected, n, &o->difference);
    o->now = (struct gate_expected){judge_mean_of(now, n), NAN, NAN};
    o->expected = (struct gate_expected){judge_mean_of(expected, n), NAN, NAN};
    o->is_paired = true;
    cases->n_partly += n < c->n_runs || n < row->n_seeds;
    return true;
}

static void judge_count(struct gate_cases *cases, const struct gate_outcome *o)
{
    if (o->is_new) {
        cases->n_new++;
        return;
    }
    switch (o->verdict) {
    case GATE_EQUAL:
        cases->n_equal++;
        break;
    case GATE_WITHIN:
        cases->n_within++;
        break;
    case GATE_IMPROVED:
        cases->n_improved++;
        break;
    case GATE_OUTSIDE:
    case GATE_UNKNOWN:
        cases->n_outside++;
        break;
    case GATE_INCOMPARABLE: /* the case is counted */
        break;
    }
}

struct gate gate_in_force(const struct gate_cases *cases,
                          const struct gate *gate)
{
    struct gate in_force = *gate;
    if (!isnan(cases->tolerance)) {
        in_force.tolerance = cases->tolerance;
        in_force.scale = GATE_PERCENT;
    }
    return in_force;
}

bool gate_fails(const struct gate_outcome *o)
{
    return o->is_new || o->verdict == GATE_OUTSIDE ||
           o->verdict == GATE_UNKNOWN || o->verdict == GATE_INCOMPARABLE;
}

/* Adds to `stale` the values of an expected row that belong to no metric. */
static void look_for_stale(struct gate_cases *cases, const struct gate_case *c,
                           const struct gate_recorded *row)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)row->values, key, value)
    {
        size_t i = 0;
        if (gate_recorded_is_own_key(key))
            continue;
        while (i < c->trace->n_metrics &&
               strcmp(c->trace->metrics[i].name, key) != 0)
            i++;
        if (i == c->trace->n_metrics)
            remarks_add(&cases->stale, REMARK_CONCLUSION,
                        "%s, %s: %s:%zu expects a value of '%s', which is not "
                        "among the metrics",
                        row->trace, row->policy, cases->file->path,
                        row->place.line, key);
    }
}

/* Adds up what the runs finished, and finds out whether these are the jobs that
 * finished when the values were recorded. row: NULL if there are none. */
static void judge_done(struct gate_cases *cases, struct gate_case *c,
                       const struct gate_recorded *row)
{
    struct jobs_done now = {0};
    for (uint32_t i = 0; i < c->n_runs; i++) {
        now.unfinished += c->runs[i].done.unfinished;
        now.share += c->runs[i].done.share / c->n_runs;
    }
    const struct jobs_done was = row ? gate_recorded_done(row) : now;
    c->n_unfinished = (int64_t)now.unfinished;
    c->expected_unfinished = (int64_t)was.unfinished;
    c->share = now.share;
    c->expected_share = was.share;
    c->is_incomparable = !difference_same_jobs(&was, &now);
    cases->n_incomparable += c->is_incomparable;
    cases->n_incomplete += c->n_unfinished && !c->is_incomparable;
}

static void judge_case(struct gate_cases *cases, struct gate_case *c)
{
    const struct gate_recorded *row =
        c->row == SIZE_MAX ? NULL : &cases->file->rows[c->row];
    judge_done(cases, c, row);
    for (size_t i = 0; i < c->trace->n_metrics; i++) {
        const struct gate gate = gate_in_force(cases, &c->trace->metrics[i]);
        struct gate_outcome *o = &c->outcomes[i];
        bool known = false;
        *o = (struct gate_outcome){.now = judge_value_of(c, i),
                                   .expected = {NAN, NAN, NAN}};
        if (row)
            o->expected = gate_recorded_value(row, gate.name, &known);
        o->is_new = !known;
        if (!known || !judge_pairs(cases, c, row, i, &gate, o)) {
            o->verdict = gate_judge(&gate, o->now.mean, &o->expected);
            cases->n_unpaired += known && c->trace->replications > 0;
        }
        if (c->is_incomparable && o->verdict != GATE_EQUAL)
            o->verdict = GATE_INCOMPARABLE;
        judge_count(cases, o);
    }
    if (row)
        look_for_stale(cases, c, row);
}

/* True if the policy has settings of its own, which may change the jobs or
 * nodes, so that these cannot be compared. */
static bool has_own_settings(const struct gate_case *c)
{
    return c->policy->settings.n > 0;
}

static void compare_input(struct gate_cases *cases, const struct gate_case *c)
{
    const struct gate_run *run = &c->runs[0];
    const struct gate_input *was =
        gate_file_input(cases->file, false, c->trace->name);
    const char *name = c->trace->name;
    if (!was || !run->sha256[0])
        return;
    if (*was->sha256 && strcmp(was->sha256, run->sha256) != 0) {
        remarks_add(&cases->causes, REMARK_CONCLUSION,
                    "the trace '%s' has changed: its SHA-256 is %.12s..., was "
                    "%.12s... when its values were recorded",
                    name, run->sha256, was->sha256);
    }
    if (has_own_settings(c) || c->trace->replications)
        return;
    if (was->jobs >= 0 && was->jobs != run->jobs)
        remarks_add(&cases->causes, REMARK_CONCLUSION,
                    "'%s': %" PRId64 " jobs are simulated, were %" PRId64, name,
                    run->jobs, was->jobs);
    if (*was->cluster && strcmp(was->cluster, run->cluster) != 0)
        remarks_add(&cases->causes, REMARK_CONCLUSION,
                    "'%s': the nodes of the cluster are not those for which "
                    "the values were recorded",
                    name);
}

static void judge_compare_files(struct gate_cases *cases,
                                const struct gate_run *run)
{
    for (size_t i = 0; i < run->n_files; i++) {
        const struct run_file *file = &run->files[i];
        const struct gate_input *was =
            gate_file_input(cases->file, true, file->path);
        if (was && strcmp(was->sha256, file->sha256) != 0)
            remarks_add(&cases->causes, REMARK_CONCLUSION,
                        "the file '%s' has changed: its SHA-256 is %.12s..., "
                        "was %.12s... when the values were recorded",
                        file->path, file->sha256, was->sha256);
    }
}

/* True if a run of some case has the metric. */
static bool judge_has_value(const struct gate_cases *cases, const char *metric)
{
    for (size_t i = 0; i < cases->n; i++) {
        const struct gate_case *c = &cases->at[i];
        for (size_t m = 0; m < c->trace->n_metrics && !c->failed; m++) {
            if (strcmp(c->trace->metrics[m].name, metric) == 0 &&
                !isnan(c->outcomes[m].now.mean))
                return true;
        }
    }
    return false;
}

/* Adds to `causes` the metric that each case misses first, if no other run has
 * it either: the path of the metric probably has a mistake in it. Sets
 * is_missing if there is one. */
static void look_for_missing(struct gate_cases *cases)
{
    for (size_t i = 0; i < cases->n; i++) {
        const struct gate_run *run = &cases->at[i].runs[0];
        if (!run->missing || cases->at[i].failed ||
            judge_has_value(cases, run->missing))
            continue;
        remarks_add(&cases->causes, REMARK_CONCLUSION,
                    "no run has the metric %s%s", run->missing,
                    run->hint ? run->hint : "");
        cases->is_missing = true;
    }
}

void gate_cases_judge(struct gate_cases *cases)
{
    for (size_t i = 0; i < cases->n; i++) {
        struct gate_case *c = &cases->at[i];
        for (uint32_t k = 0; k < c->n_runs && !c->failed; k++) {
            if (c->runs[k].message)
                c->failed = &c->runs[k];
        }
        if (c->failed) {
            cases->n_failed++;
            continue;
        }
        judge_case(cases, c);
        compare_input(cases, c);
        judge_compare_files(cases, &c->runs[0]);
    }
    look_for_missing(cases);
}
