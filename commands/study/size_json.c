/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the answer as JSON. */
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "commands/study/size.h"
#include "sim/results/report.h"

/* Writes the x of a unit: nodes, or the factor of the load. */
static void put_x(struct json_stream *js, const struct size *size,
                  const char *key, int64_t x)
{
    if (size->space.vary == SIZE_LOAD)
        json_stream_number(js, key, (double)x / 100);
    else
        json_stream_whole(js, key, x);
}

static void put_values(struct json_stream *js, const struct size *size,
                       const double *values)
{
    json_stream_object(js, "values");
    for (size_t i = 0; i < size->n_targets; i++)
        json_stream_number(js, size->targets[i].name, values[i]);
    json_stream_object_end(js);
}

static void put_interval(struct json_stream *js, const struct size *size,
                         const struct size_interval *interval)
{
    json_stream_object(js, "interval");
    json_stream_whole(js, "replications", interval->n);
    json_stream_whole(js, "without_answer", interval->n_failed);
    if (interval->n) {
        put_x(js, size, "lo", interval->lo);
        put_x(js, size, "hi", interval->hi);
    }
    json_stream_object_end(js);
}

static void put_points(struct json_stream *js, const struct size *size,
                       size_t unit)
{
    const struct size_series *s = size_series(size, 0, unit);
    json_stream_array(js, "tried");
    for (size_t i = 0; i < s->n; i++) {
        const struct size_point *p = &s->points[i];
        json_stream_object(js, NULL);
        put_x(js, size, "x", p->x);
        json_stream_bool(js, "met", p->holds);
        json_stream_whole(js, "rejected", (int64_t)p->rejected);
        json_stream_whole(js, "unfinished", (int64_t)p->unfinished);
        put_values(js, size, p->values);
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
}

static void put_order(struct json_stream *js, const struct size *size,
                      size_t unit)
{
    struct size_order order = size_order_of(size, unit);
    json_stream_bool(js, "monotone", order.is_kept);
    if (order.is_kept)
        return;
    put_x(js, size, "first_met", order.first);
    put_x(js, size, "missed_again", order.broken);
    if (order.has_safe)
        put_x(js, size, "met_from", order.safe);
}

static void size_json_put_unit(struct json_stream *js,
                               const struct size_report *report, size_t u)
{
    const struct size *size = report->size;
    const struct size_point *answer = size_answer(size_series(size, 0, u));
    struct size_interval interval = size_interval_of(size, u);
    char why[512];
    json_stream_object(js, NULL);
    json_stream_text(js, "name", size->space.units[u].name);
    put_x(js, size, "today", size->space.units[u].now);
    json_stream_bool(js, "met", answer != NULL);
    if (answer) {
        put_x(js, size, "answer", answer->x);
        put_values(js, size, answer->values);
        put_order(js, size, u);
    } else {
        size_why(size, u, why, sizeof why);
        json_stream_text(js, "why", why);
    }
    put_interval(js, size, &interval);
    if (answer && size->space.vary != SIZE_LOAD) {
        int64_t *x = size_answers(size, u);
        json_stream_number(js, "gpus", size_gpus(size, x, u));
        if (report->prices)
            json_stream_number(js, "per_month", size_month(report, x, u));
        free(x);
    }
    put_points(js, size, u);
    json_stream_object_end(js);
}

static void size_json_put_whole(struct json_stream *js,
                                const struct size_report *report, size_t choice)
{
    const struct size *size = report->size;
    struct arena arena;
    int64_t *x = size_answers(size, choice);
    arena_init(&arena);
    json_stream_text(js, "what_if",
                     size_space_clauses(&size->space, x, &arena));
    if (size->space.vary != SIZE_LOAD)
        json_stream_number(js, "gpus", size_gpus(size, x, SIZE_MAX));
    if (report->prices && size->space.vary != SIZE_LOAD) {
        json_stream_text(js, "currency", report->prices->currency);
        json_stream_number(js, "per_month", size_month(report, x, SIZE_MAX));
    }
    if (size->space.joint)
        put_values(js, size, size->whole.values);
    arena_fini(&arena);
    free(x);
}

static void size_json_put_all(struct json_stream *js,
                              const struct size_report *report)
{
    const struct size *size = report->size;
    size_t choice;
    bool met = size_is_met(report, &choice);
    json_stream_object(js, NULL);
    json_stream_text(js, "trace", report->trace);
    json_stream_text(js, "policy", report->policy);
    report_knowledge(js, report->knowledge);
    json_stream_text(js, "cluster", report->cluster);
    json_stream_text(js, "vary", size->space.what);
    json_stream_array(js, "targets");
    for (size_t i = 0; i < size->n_targets; i++)
        json_stream_text(js, NULL, size->targets[i].text);
    json_stream_array_end(js);
    json_stream_bool(js, "met", met);
    if (met && size->space.vary == SIZE_TYPE)
        json_stream_text(js, "cheapest", size->space.units[choice].name);
    if (met)
        size_json_put_whole(js, report, choice);
    json_stream_array(js, "units");
    for (size_t u = 0; u < size->space.n_units; u++)
        size_json_put_unit(js, report, u);
    json_stream_array_end(js);
    json_stream_whole(js, "replications", size->replications);
    json_stream_whole(js, "block_days", size->block_days);
    json_stream_whole(js, "runs", (int64_t)size->n_runs);
    json_stream_number(js, "seconds", report->seconds);
    report_remarks(js, report->remarks);
    json_stream_object_end(js);
    json_stream_end(js);
}

enum status size_print_json(const struct size_report *report, struct error *err)
{
    struct out *out;
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    struct json_stream stream = json_stream_to(out);
    size_json_put_all(&stream, report);
    return out_close(out, err);
}
