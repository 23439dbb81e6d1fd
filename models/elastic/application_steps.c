/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the step times of one application from its folder, placements-TYPE.csv
 * and scalability-TYPE.csv. A placement or shape that was measured at one batch
 * size only is an error with file and line, because interpolation needs two. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "models/elastic/application_internal.h"

#define SECONDS_HIGH 1e6
#define LOCAL_HIGH 1e9

/* A row of placements-TYPE.csv or scalability-TYPE.csv. */
struct measured {
    uint8_t per_node[PLACEMENT_NODES_MAX];
    uint32_t nodes, gpus;
    bool scalability; /* true for a row of scalability-TYPE.csv */
    struct step_point point;
    uint64_t line;
};

struct measurements {
    struct measured *at;
    size_t n, cap;
};

static enum status read_placement(const struct table_reader *r, int at,
                                  struct measured *out)
{
    uint32_t digits[PLACEMENT_NODES_MAX];
    struct text cell = rows_cell(r->rows, at);
    struct placement placement = {.per_node = digits};
    for (size_t i = 0; i < cell.len && cell.len <= PLACEMENT_NODES_MAX; i++) {
        if (cell.at[i] < '1' || cell.at[i] > '9')
            break;
        digits[placement.nodes++] = (uint32_t)(cell.at[i] - '0');
    }
    if (!cell.len || placement.nodes != cell.len)
        return rows_bad(r->rows, at, r->err,
                        "'%.*s' is not GPUs by node, one digit of 1..9 each",
                        TEXT_ARGS(cell));
    CHECK(
        placement_canonical(placement, out->per_node, &out->nodes, &out->gpus));
    return STATUS_OK;
}

static enum status read_shape(const struct table_reader *r, const int16_t *at,
                              struct measured *out)
{
    double nodes = 0, gpus = 0;
    enum status st = table_whole(r, at[0], PLACEMENT_NODES_MAX, &nodes);
    if (st == STATUS_OK)
        st = table_whole(r, at[4], PLACEMENT_NODES_MAX * 64.0, &gpus);
    if (st == STATUS_OK && gpus < nodes)
        st = rows_bad(r->rows, at[4], r->err,
                      "%g GPUs cannot lie on %g "
                      "nodes: expected at least one "
                      "GPU on each node",
                      gpus, nodes);
    /* return now: after an error the numbers may be too large for the casts */
    if (st != STATUS_OK)
        return st;
    out->nodes = (uint32_t)nodes;
    out->gpus = (uint32_t)gpus;
    return STATUS_OK;
}

static enum status read_times(const struct table_reader *r, const int16_t *at,
                              bool pipeline, struct step_point *out)
{
    enum status st = table_whole(r, at[1], LOCAL_HIGH, &out->local);
    if (st == STATUS_OK)
        st = table_number(r, at[2], GOODPUT_TINY, SECONDS_HIGH, &out->step);
    if (st == STATUS_OK)
        st = table_number(r, at[3], 0, SECONDS_HIGH, &out->sync);
    if (st == STATUS_OK && !pipeline && out->sync >= out->step)
        st = rows_bad(r->rows, at[3], r->err,
                      "%g s are not less than the step of %g s", out->sync,
                      out->step);
    return st;
}

static enum status read_steps(struct table_reader *r, const char *type,
                              bool scalability, struct measurements *out)
{
    static const struct rows_column by_placement[] = {
        {.names = "placement", .required = true},
        {.names = "local_bsz", .required = true},
        {.names = "step_time", .required = true},
        {.names = "sync_time", .required = true},
    };
    static const struct rows_column by_shape[] = {
        {.names = "num_nodes", .required = true},
        {.names = "local_bsz", .required = true},
        {.names = "step_time", .required = true},
        {.names = "sync_time", .required = true},
        {.names = "num_replicas", .required = true},
    };
    int16_t at[5];
    size_t before = out->n;
    bool pipeline = application_stages(r->facts, type).stages > 0;
    enum status st =
        scalability ? table_open(r, "scalability", type, by_shape, 5, at)
                    : table_open(r, "placements", type, by_placement, 4, at);
    while (st == STATUS_OK && (st = rows_next(r->rows, r->err)) == STATUS_OK) {
        struct measured row = {.scalability = scalability,
                               .line = rows_line_number(r->rows)};
        st = scalability ? read_shape(r, at, &row)
                         : read_placement(r, at[0], &row);
        if (st == STATUS_OK)
            st = read_times(r, at, pipeline, &row.point);
        out->at = mem_grow(out->at, &out->cap, out->n + 1, sizeof *out->at);
        out->at[out->n++] = row;
    }
    if (st == STATUS_END && out->n == before)
        st = rows_bad_at(r->rows, 1, 1, "rows", r->err,
                         "expected a row below the header");
    table_close(r, st == STATUS_END);
    return st == STATUS_END ? STATUS_OK : st;
}

static int by_placement(const void *a, const void *b)
{
    const struct measured *x = a, *y = b;
    int sign = per_node_compare(x->per_node, x->nodes, y->per_node, y->nodes);
    if (sign != 0)
        return sign;
    if (x->point.local != y->point.local)
        return x->point.local < y->point.local ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Orders rows by shape and batch size. At equal shape and batch size, rows of
 * placements-TYPE.csv come first, so that mean() ignores those of
 * scalability-TYPE.csv. */
static int by_shape(const void *a, const void *b)
{
    const struct measured *x = a, *y = b;
    if (x->nodes != y->nodes)
        return x->nodes < y->nodes ? -1 : 1;
    if (x->gpus != y->gpus)
        return x->gpus < y->gpus ? -1 : 1;
    if (x->point.local != y->point.local)
        return x->point.local < y->point.local ? -1 : 1;
    if (x->scalability != y->scalability)
        return x->scalability ? 1 : -1;
    return (x->line > y->line) - (x->line < y->line);
}

static bool same_curve(const struct measured *a, const struct measured *b,
                       bool placements)
{
    return placements ? per_node_compare(a->per_node, a->nodes, b->per_node,
                                         b->nodes) == 0
                      : a->nodes == b->nodes && a->gpus == b->gpus;
}

/* Moves *i past the rows of one batch size, and returns the mean of those that
 * come from the file of the first of these rows. */
static struct step_point mean(const struct measurements *m, size_t *i,
                              size_t end)
{
    const struct measured *first = &m->at[*i];
    struct step_point sum = {.local = first->point.local};
    double n = 0;
    for (; *i < end && m->at[*i].point.local == sum.local; ++*i) {
        if (m->at[*i].scalability != first->scalability)
            continue;
        sum.step += m->at[*i].point.step;
        sum.sync += m->at[*i].point.sync;
        n++;
    }
    sum.step /= n;
    sum.sync /= n;
    return sum;
}

/* Makes a curve from the rows begin .. end-1, which are of one placement or
 * shape and ordered by batch size. */
static void make_curve(struct table_reader *r, const struct measurements *m,
                       size_t begin, size_t end, struct step_curve *out)
{
    const struct measured *first = &m->at[begin];
    out->nodes = first->nodes;
    out->gpus = first->gpus;
    memcpy(out->per_node, first->per_node, sizeof out->per_node);
    out->points = ARENA_ARRAY(&r->apps->arena, struct step_point, end - begin);
    for (size_t i = begin; i < end; i++) {
        if (m->at[i].scalability && m->at[i].point.local > out->scaled_max)
            out->scaled_max = (uint32_t)m->at[i].point.local;
    }
    for (size_t i = begin; i < end;)
        out->points[out->n++] = mean(m, &i, end);
}

static enum status bad_line(const struct table_reader *r, const char *type,
                            const struct measured *row, const char *what)
{
    return error_set(r->err, STATUS_BAD_INPUT, "%s/%s-%s.csv:%llu:1: row: %s",
                     r->folder, row->scalability ? "scalability" : "placements",
                     type, (unsigned long long)row->line, what);
}

static enum status make_curves(struct table_reader *r, const char *type,
                               struct measurements *m, bool placements,
                               struct curves *out)
{
    qsort(m->at, m->n, sizeof *m->at, placements ? by_placement : by_shape);
    out->at = ARENA_ARRAY(&r->apps->arena, struct step_curve, m->n);
    for (size_t begin = 0, end; begin < m->n; begin = end) {
        for (end = begin + 1;
             end < m->n && same_curve(&m->at[begin], &m->at[end], placements);
             end++) {
            if (placements &&
                m->at[end].point.local == m->at[end - 1].point.local)
                return bad_line(r, type, &m->at[end],
                                "this placement and batch size come twice");
        }
        struct step_curve *curve = &out->at[out->n++];
        make_curve(r, m, begin, end, curve);
        if (curve->n < 2)
            return bad_line(r, type, &m->at[begin],
                            "the only batch size of its kind; two at least are "
                            "needed");
    }
    return STATUS_OK;
}

/* Computes the limits and the speed of one GPU or one pipeline from the curves.
 * A local_max in applications.json replaces the measured one. */
static void summarise(const struct application_facts *facts, const char *type,
                      struct type_tables *t)
{
    const struct curves *all[] = {&t->placements, &t->shapes};
    const json_t *most =
        json_object_get(json_object_get(facts->entry, "local_max"), type);
    double slowest = 0, largest = 0;
    t->local_min = UINT32_MAX;
    for (size_t i = 0; i < t->placements.n; i++) {
        const struct step_curve *at = &t->placements.at[i];
        uint32_t low = (uint32_t)at->points[0].local;
        uint32_t high = (uint32_t)at->points[at->n - 1].local;
        t->local_min = low < t->local_min ? low : t->local_min;
        t->local_max = high > t->local_max ? high : t->local_max;
        if (at->nodes == 1 && at->gpus > t->node_gpus)
            t->node_gpus = at->gpus;
        for (size_t k = 0; at->gpus == 1 && k < at->n; k++) {
            largest = fmax(largest, at->points[k].local);
            slowest = fmax(slowest, at->points[k].step);
        }
    }
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < all[k]->n; i++) {
            if (all[k]->at[i].nodes > t->most_nodes)
                t->most_nodes = all[k]->at[i].nodes;
        }
    }
    t->one_gpu = slowest > 0 ? largest / slowest : 0;
    if (t->pipeline.stages) {
        t->pipeline.stage = t->placements.at[0].points[0].step /
                            t->placements.at[0].points[0].local;
        t->one_gpu = t->pipeline.micro_batches /
                     pipeline_time(t->pipeline, t->pipeline.stage, 0);
    }
    if (json_is_integer(most))
        t->local_max = (uint32_t)json_integer_value(most);
}

enum status application_read_type(struct table_reader *r, const char *type,
                                  struct type_tables *t)
{
    struct measurements m = {0};
    snprintf(r->path, sizeof r->path, "%s/placements-%s.csv", r->folder, type);
    if (access(r->path, F_OK) != 0)
        return STATUS_OK; /* the application does not run on this type */
    enum status st = read_steps(r, type, false, &m);
    if (st == STATUS_OK)
        st = make_curves(r, type, &m, true, &t->placements);
    if (st == STATUS_OK)
        st = read_steps(r, type, true, &m);
    if (st == STATUS_OK)
        st = make_curves(r, type, &m, false, &t->shapes);
    if (st == STATUS_OK) {
        t->there = true;
        t->pipeline = application_stages(r->facts, type);
        summarise(r->facts, type, t);
    }
    free(m.at);
    return st;
}
