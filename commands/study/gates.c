/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gates of `compare`: its options, and for each policy a row of
 * differences to a baseline or, without one, to the first policy. */
#include "commands/study/compare_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/remarks.h"

const struct arg gates_args[] = {
    TAKE_LIST(struct gates, paths, "baseline", "FILE",
              "compare the row of a policy with this summary.json or result "
              "directory instead of with the first row; may be given once for "
              "each policy"),
    TAKE_FLAG(struct gates, any_baseline, "any-baseline",
              "also accept a baseline of another trace, cluster or policy; the "
              "table says what differs"),
    TAKE_LIST(struct gates, metrics, "metric", "NAME[:PCT]",
              "compare this metric ('schedsim list columns'), such as "
              "makespan_s or jct_s.p99; default jct_s.mean and makespan_s"),
    TAKE_DOUBLE(struct gates, tolerance, "tolerance", "PCT",
                "exit status 6 if a metric is worse by more than this; "
                "default: only show the difference, or 0 with --metric",
                .hi = INFINITY),
    TAKE_FLAG(
        struct gates, two_sided, "two-sided",
        "exit status 6 also if a metric is better by more than the tolerance"),
    {0},
};

void gates_fini(struct gates *gates)
{
    for (size_t i = 0; i < gates->n_open; i++)
        baseline_close(&gates->baselines[i]);
}

static enum status read_metrics(struct gates *gates, struct error *err)
{
    static const struct arg_list defaults = {{"jct_s.mean", "makespan_s"}, 2};
    const struct arg_list *names =
        gates->metrics.n ? &gates->metrics : &defaults;
    double tolerance = gates->tolerance;
    enum status st = STATUS_OK;
    if (gates->metrics.n && isnan(tolerance))
        tolerance = 0;
    for (; gates->n < names->n && st == STATUS_OK; gates->n++) {
        struct gate *gate = &gates->all[gates->n];
        st = gate_parse(names->at[gates->n], gate, err);
        if (!gate->own)
            gate->tolerance = tolerance;
        if (gates->two_sided)
            gate->better = GATE_EITHER;
    }
    return st;
}

enum status gates_open(struct gates *gates, struct error *err)
{
    enum status st = read_metrics(gates, err);
    for (; gates->n_open < gates->paths.n && st == STATUS_OK; gates->n_open++)
        st = baseline_open(gates->paths.at[gates->n_open],
                           &gates->baselines[gates->n_open], err);
    return st;
}

/* Finds the baseline that is nearest to a run. If it is of another run, that is
 * an error or, with --any-baseline, a remark. *out becomes NULL if no baseline
 * was given. */
static enum status find_baseline(const struct gates *gates,
                                 const struct run_result *run,
                                 struct remarks *remarks,
                                 const struct baseline **out, struct error *err)
{
    struct identity identity;
    struct arena arena;
    *out = NULL;
    if (gates->n_open == 0)
        return STATUS_OK;
    arena_init(&arena);
    identity_of(run, &arena, &identity);
    *out = &gates->baselines[baseline_nearest(gates->baselines, gates->n_open,
                                              &identity)];
    enum status st = baseline_check(*out, &identity, err);
    arena_fini(&arena);
    if (st == STATUS_OK)
        return STATUS_OK;
    if (!gates->any_baseline) {
        error_prefix(err, "policy %s: ", run->policy);
        size_t len = strlen(err->message);
        snprintf(err->message + len, sizeof err->message - len,
                 "; --any-baseline compares anyway");
        return st;
    }
    remarks_add(remarks, REMARK_CONCLUSION, "baseline %s", err->message);
    return STATUS_OK;
}

/* Fills the differences to row->expected, which belongs to what a run with
 * `was` finished. */
static void gates_subtract(const struct gates *gates,
                           const struct jobs_done *was, struct gate_row *row)
{
    row->is_incomparable = !difference_same_jobs(was, &row->done);
    for (size_t i = 0; i < gates->n; i++)
        row->difference[i] =
            row->is_incomparable
                ? NAN
                : gate_difference(row->value[i], row->expected[i]);
}

enum status gates_fill(const struct gates *gates, struct results results,
                       const struct summary *summary, struct remarks *remarks,
                       struct gate_row *out, struct error *err)
{
    const struct baseline *baseline;
    enum status st = find_baseline(gates, results.run, remarks, &baseline, err);
    if (st != STATUS_OK)
        return st;
    json_t *document = gate_summary(results, summary);
    *out = (struct gate_row){.against = baseline ? baseline->path : NULL,
                             .done = jobs_done_of(document)};
    const struct jobs_done was =
        baseline ? jobs_done_of(baseline->root) : out->done;
    for (size_t i = 0; i < gates->n; i++) {
        const struct gate *gate = &gates->all[i];
        out->value[i] = gate_value(gate, document);
        out->expected[i] =
            baseline ? gate_value(gate, baseline->root) : out->value[i];
    }
    gates_subtract(gates, &was, out);
    json_decref(document);
    return STATUS_OK;
}

void gates_pair(const struct gates *gates, const struct gate_row *first,
                struct gate_row *row)
{
    if (row->against)
        return;
    memcpy(row->expected, first->value, sizeof row->expected);
    gates_subtract(gates, &first->done, row);
}

static bool is_asked(const struct gates *gates)
{
    return gates->paths.n > 0 || !isnan(gates->all[0].tolerance);
}

size_t gates_columns(const struct gates *gates)
{
    return is_asked(gates) ? gates->n : 0;
}

void gates_heads(const struct gates *gates, struct table *table)
{
    for (size_t i = 0; i < gates_columns(gates); i++)
        table_add(table, "%s to %s", gates->all[i].name,
                  gates->paths.n ? "baseline" : "first");
}

/* Returns the number of decimals with which a percentage shows three
 * significant digits, at most 3. */
static int digits_of(double percent)
{
    double size = fabs(percent);
    return !(size > 0) || size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
}

void gates_cells(const struct gates *gates, const struct gate_row *row,
                 bool first, struct table *table)
{
    for (size_t i = 0; i < gates_columns(gates); i++) {
        double difference = row->difference[i];
        bool holds = gate_holds(&gates->all[i], difference);
        if (first && !gates->paths.n)
            table_add(table, "%s", "");
        else if (isnan(difference))
            table_add(table, "%s%s",
                      row->is_incomparable ? "not comparable" : "?",
                      holds ? "" : " fails");
        else
            table_add(table, "%+.*f %%%s", digits_of(difference), difference,
                      holds ? "" : " fails");
        if (!holds)
            table_tone(table, TONE_WORSE);
    }
}

void gates_write(const struct gates *gates, const struct gate_row *row,
                 struct json_stream *js)
{
    if (!is_asked(gates))
        return;
    json_stream_text(js, "baseline", row->against);
    json_stream_array(js, "gates");
    for (size_t i = 0; i < gates->n; i++) {
        const struct gate *gate = &gates->all[i];
        json_stream_object(js, NULL);
        json_stream_text(js, "metric", gate->name);
        json_stream_number(js, "value", row->value[i]);
        json_stream_number(js, "expected", row->expected[i]);
        json_stream_number(js, "difference_percent",
                           isinf(row->difference[i]) ? NAN
                                                     : row->difference[i]);
        json_stream_number(js, "tolerance_percent", gate->tolerance);
        json_stream_text(js, "better", gate_better_words[gate->better]);
        json_stream_bool(js, "holds", gate_holds(gate, row->difference[i]));
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
}

enum status gates_judge(const struct gates *gates, const struct gate_row *row,
                        const char *policy, size_t *failed, struct error *err)
{
    for (size_t i = 0; i < gates->n; i++) {
        const struct gate *gate = &gates->all[i];
        double difference = row->difference[i];
        const char *side = gate->better == GATE_EITHER ? "off" : "worse than";
        if (gate_holds(gate, difference) || (*failed)++ > 0)
            continue;
        if (row->is_incomparable)
            error_set(err, STATUS_TOLERANCE,
                      "%s: %s is not comparable: %s did not finish the same "
                      "jobs",
                      policy, gate->name,
                      row->against ? row->against : "the first run");
        else if (isnan(difference))
            error_set(err, STATUS_TOLERANCE, "%s: %s is unknown in %s", policy,
                      gate->name,
                      isnan(row->value[i]) ? "this run"
                      : row->against       ? row->against
                                           : "the first run");
        else
            error_set(err, STATUS_TOLERANCE,
                      "%s: %s is %.6g, %.*f %% %s %.6g (tolerance %g %%)",
                      policy, gate->name, row->value[i], digits_of(difference),
                      fabs(difference), side, row->expected[i],
                      gate->tolerance);
    }
    return *failed ? STATUS_TOLERANCE : STATUS_OK;
}
