/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the outcome as JSON: all values, also those that are equal to the
 * expected ones. */
#include <math.h>

#include "base/json.h"
#include "commands/study/gate_internal.h"
#include "sim/results/report.h"

static void gate_json_put_value(struct json_stream *js, const char *key,
                                const struct gate_expected *value)
{
    if (isnan(value->lo)) {
        json_stream_number(js, key, value->mean);
        return;
    }
    json_stream_array(js, key);
    json_stream_number(js, NULL, value->mean);
    json_stream_number(js, NULL, value->lo);
    json_stream_number(js, NULL, value->hi);
    json_stream_array_end(js);
}

static void gate_json_put_metric(struct json_stream *js,
                                 const struct gate_cases *cases,
                                 const struct gate_case *c, size_t metric)
{
    static const char *const scales[] = {[GATE_PERCENT] = "tolerance_percent",
                                         [GATE_AMOUNT] = "tolerance",
                                         [GATE_INTERVAL] = NULL};
    static const char *const verdicts[] = {
        [GATE_EQUAL] = "equal",     [GATE_WITHIN] = "within",
        [GATE_IMPROVED] = "better", [GATE_OUTSIDE] = "outside",
        [GATE_UNKNOWN] = "unknown", [GATE_INCOMPARABLE] = "not comparable",
    };
    const struct gate_outcome *o = &c->outcomes[metric];
    const struct gate gate = gate_in_force(cases, &c->trace->metrics[metric]);
    double difference = gate_difference(o->now.mean, o->expected.mean);
    json_stream_object(js, NULL);
    json_stream_text(js, "metric", gate.name);
    gate_json_put_value(js, "value", &o->now);
    if (!o->is_new) {
        gate_json_put_value(js, "expected", &o->expected);
        if (o->verdict == GATE_INCOMPARABLE)
            difference = NAN;
        json_stream_number(js, "difference",
                           isnan(difference) ? NAN
                                             : o->now.mean - o->expected.mean);
        if (o->is_paired && o->verdict != GATE_INCOMPARABLE) {
            json_stream_number(js, "difference_lo", o->difference.interval.lo);
            json_stream_number(js, "difference_hi", o->difference.interval.hi);
            json_stream_whole(js, "pairs", (int64_t)o->difference.n);
        }
        json_stream_number(js, "difference_percent",
                           isinf(difference) ? NAN : difference);
    }
    if (scales[gate.scale])
        json_stream_number(js, scales[gate.scale], gate.tolerance);
    else
        json_stream_text(js, "tolerance", "interval");
    json_stream_text(js, "better", gate_better_words[gate.better]);
    json_stream_text(js, "verdict", o->is_new ? "new" : verdicts[o->verdict]);
    json_stream_bool(js, "holds", !gate_fails(o));
    json_stream_object_end(js);
}

static void gate_json_put_case(struct json_stream *js,
                               const struct gate_cases *cases,
                               const struct gate_case *c)
{
    json_stream_object(js, NULL);
    json_stream_text(js, "trace", c->trace->name);
    json_stream_text(js, "policy", c->policy->name);
    if (c->failed) {
        json_stream_text(js, "error", c->failed->message);
    } else {
        json_stream_whole(js, "unfinished", c->n_unfinished);
        json_stream_whole(js, "expected_unfinished", c->expected_unfinished);
        if (c->n_unfinished)
            json_stream_number(js, "finished_share", c->share);
        json_stream_bool(js, "comparable", !c->is_incomparable);
        json_stream_array(js, "metrics");
        for (size_t m = 0; m < c->trace->n_metrics; m++)
            gate_json_put_metric(js, cases, c, m);
        json_stream_array_end(js);
    }
    report_remarks(js, &c->runs[0].remarks);
    json_stream_object_end(js);
}

static void put_texts(struct json_stream *js, const char *key,
                      const struct remarks *texts)
{
    json_stream_array(js, key);
    for (size_t i = 0; i < texts->count; i++)
        json_stream_text(js, NULL, texts->at[i].text);
    json_stream_array_end(js);
}

void gate_json(const struct gate_cases *cases, struct out *out)
{
    struct json_stream stream = json_stream_to(out), *js = &stream;
    json_stream_object(js, NULL);
    json_stream_bool(js, "passes",
                     !gate_cases_moved(cases) && !cases->n_failed);
    json_stream_whole(js, "runs", (int64_t)cases->n);
    json_stream_whole(js, "failed", (int64_t)cases->n_failed);
    json_stream_whole(js, "left_out", (int64_t)cases->n_left);
    json_stream_whole(js, "outside", (int64_t)cases->n_outside);
    json_stream_whole(js, "not_comparable", (int64_t)cases->n_incomparable);
    json_stream_whole(js, "new", (int64_t)cases->n_new);
    json_stream_whole(js, "better", (int64_t)cases->n_improved);
    json_stream_whole(js, "within", (int64_t)cases->n_within);
    json_stream_whole(js, "equal", (int64_t)cases->n_equal);
    put_texts(js, "causes", &cases->causes);
    put_texts(js, "stale", &cases->stale);
    json_stream_array(js, "gone");
    for (size_t i = 0; i < cases->n_gone; i++) {
        const struct gate_recorded *row = &cases->file->rows[cases->gone[i]];
        json_stream_object(js, NULL);
        json_stream_text(js, "trace", row->trace);
        json_stream_text(js, "policy", row->policy);
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
    json_stream_array(js, "cases");
    for (size_t i = 0; i < cases->n; i++)
        gate_json_put_case(js, cases, &cases->at[i]);
    json_stream_array_end(js);
    json_stream_object_end(js);
    json_stream_end(js);
}
