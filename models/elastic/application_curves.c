/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step times from measured curves. For a placement that was measured, its curve
 * is interpolated in the batch size. The step time of any other placement is
 * interpolated between measured shapes (nodes, GPUs): first by GPUs, at the two
 * nearest node counts, then by nodes, at an equal number of GPUs per node.
 *
 * Sia's simulator interpolates on a Delaunay triangulation instead. Its tables
 * have no curve for five nodes with four T4 GPUs each, although its cluster has
 * such nodes. Between the curves of 16 and 24 GPUs, either diagonal gives a
 * valid triangulation; the result here is the mean of the two. It differs from
 * the simulator's by 0.5 to 0.9 % on average over batch sizes and by 7.4 % at
 * most (tests/unit/models/elastic/test_goodput_published.c). */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "models/elastic/elastic_internal.h"

static int by_placement(const void *a, const void *b);
static int by_shape(const void *a, const void *b);

/* Returns < 0, 0 or > 0 as placement `a` comes before, equals or comes after
 * `b`: fewer nodes come first, then placements are ordered by their first
 * difference. */
static int per_node_compare(const uint8_t *a, uint32_t n_a, const uint8_t *b,
                            uint32_t n_b)
{
    if (n_a != n_b)
        return n_a < n_b ? -1 : 1;
    return memcmp(a, b, n_a);
}

/* True if rotation i of the sequence comes before its rotation j in lexical
 * order. */
static bool rotation_before(const uint8_t *at, uint32_t n, uint32_t i,
                            uint32_t j)
{
    for (uint32_t k = 0; k < n; k++) {
        uint8_t a = at[(i + k) % n], b = at[(j + k) % n];
        if (a != b)
            return a < b;
    }
    return false;
}

static bool curves_without_empty(struct placement placement,
                                 uint8_t out[PLACEMENT_NODES_MAX],
                                 uint32_t *nodes, uint32_t *gpus)
{
    *nodes = *gpus = 0;
    for (uint32_t i = 0; i < placement.nodes; i++) {
        uint32_t here = placement.per_node ? placement.per_node[i]
                                           : placement.gpus / placement.nodes;
        if (here == 0)
            continue;
        if (*nodes == PLACEMENT_NODES_MAX || here > UINT8_MAX)
            return false;
        out[(*nodes)++] = (uint8_t)here;
        *gpus += here;
    }
    return *nodes > 0;
}

/* In application_curves.c: interpolation between measured points. */
static bool placement_canonical(struct placement placement,
                                uint8_t out[PLACEMENT_NODES_MAX],
                                uint32_t *nodes, uint32_t *gpus)
{
    uint8_t at[PLACEMENT_NODES_MAX];
    uint32_t first = 0;
    if (!curves_without_empty(placement, at, nodes, gpus))
        return false;
    for (uint32_t i = 1; placement.per_node && i < *nodes; i++) {
        if (rotation_before(at, *nodes, i, first))
            first = i;
    }
    for (uint32_t i = 0; i < *nodes; i++)
        out[i] = at[(first + i) % *nodes];
    return true;
}

/* Writes the canonical form of a placement. Returns false if it has none (see
 * placement_canonical). If the placement has more nodes than were measured,
 * first spreads its GPUs evenly over the largest measured number of nodes, as
 * Sia's simulator does. */
static bool within_tables(const struct type_tables *t,
                          struct placement placement,
                          uint8_t out[PLACEMENT_NODES_MAX], uint32_t *nodes,
                          uint32_t *gpus)
{
    uint32_t even[PLACEMENT_NODES_MAX], n = t->most_nodes;
    if (!placement_canonical(placement, out, nodes, gpus))
        return false;
    if (*nodes <= n)
        return true;
    for (uint32_t i = 0; i < n; i++)
        even[i] = *gpus / n + (i < *gpus % n);
    return placement_canonical(
        (struct placement){.per_node = even, .nodes = n, .gpus = *gpus}, out,
        nodes, gpus);
}

static const struct step_curve *curves_find(const struct curves *curves,
                                            const uint8_t *per_node,
                                            uint32_t nodes)
{
    size_t low = 0, high = curves->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct step_curve *at = &curves->at[middle];
        int sign = per_node_compare(at->per_node, at->nodes, per_node, nodes);
        if (sign == 0)
            return at;
        if (sign < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static struct step_time curves_between(struct step_time a, struct step_time b,
                                       double part)
{
    return (struct step_time){
        .step = a.step + part * (b.step - a.step),
        .sync = a.sync + part * (b.sync - a.sync),
    };
}

/* Interpolates on a curve. Outside the measured range, the first or last
 * segment of the curve is extended. */
static struct step_time along(const struct step_curve *curve, double local)
{
    size_t i = 1;
    while (i + 1 < curve->n && curve->points[i].local < local)
        i++;
    const struct step_point *a = &curve->points[i - 1], *b = a + 1;
    return curves_between((struct step_time){a->step, a->sync},
                          (struct step_time){b->step, b->sync},
                          (local - a->local) / (b->local - a->local));
}

static bool covers(const struct step_curve *curve, double local)
{
    return local >= curve->points[0].local &&
           local <= curve->points[curve->n - 1].local;
}

/* Finds the shapes with this number of nodes. Their indices are *first ..
 * *end-1. */
static void curves_row_of(const struct curves *shapes, uint32_t nodes,
                          size_t *first, size_t *end)
{
    *first = 0;
    while (*first < shapes->n && shapes->at[*first].nodes < nodes)
        ++*first;
    *end = *first;
    while (*end < shapes->n && shapes->at[*end].nodes == nodes)
        ++*end;
}

/* Interpolates the step time at `gpus`, which need not be a whole number,
 * between the shapes first .. end-1, which all have the same number of nodes.
 * Outside the range of these shapes the value is constant. */
static struct step_time across(const struct curves *shapes, size_t first,
                               size_t end, double gpus, double local)
{
    size_t i = first;
    while (i < end && shapes->at[i].gpus < gpus)
        i++;
    if (i == end)
        return along(&shapes->at[end - 1], local);
    if (i == first || shapes->at[i].gpus <= gpus)
        return along(&shapes->at[i], local);
    const struct step_curve *a = &shapes->at[i - 1], *b = &shapes->at[i];
    return curves_between(along(a, local), along(b, local),
                          (gpus - a->gpus) / (double)(b->gpus - a->gpus));
}

static bool step_between(const struct type_tables *t, uint32_t nodes,
                         uint32_t gpus, double local, struct step_time *out)
{
    const struct curves *shapes = &t->shapes;
    uint32_t above = nodes, below = nodes;
    size_t first, end;
    for (curves_row_of(shapes, above, &first, &end); first == end;
         curves_row_of(shapes, above, &first, &end))
        if (++above > t->most_nodes)
            return false;
    *out = across(shapes, first, end, (double)gpus * above / nodes, local);
    if (above == nodes)
        return true;
    for (curves_row_of(shapes, below, &first, &end); first == end;
         curves_row_of(shapes, below, &first, &end))
        if (--below == 0)
            return false;
    struct step_time low =
        across(shapes, first, end, (double)gpus * below / nodes, local);
    *out = curves_between(low, *out,
                          (double)(nodes - below) / (double)(above - below));
    return true;
}

bool tables_dense(const struct type_tables *t, uint32_t nodes, uint32_t gpus)
{
    return nodes == 1 || gpus == nodes * t->node_gpus;
}

/* Returns the factors of a dense shape, interpolated between the measured ones
 * or, beyond them, those of the nearest one; factors of 1 if the shape is not
 * dense or no factors are known. */
static struct shape_factor factor_of(const struct type_tables *t,
                                     uint32_t nodes, uint32_t gpus)
{
    const struct shape_factor *at = t->factors;
    size_t i = 0;
    if (!t->n_factors || !tables_dense(t, nodes, gpus))
        return (struct shape_factor){gpus, 1, 1};
    while (i < t->n_factors && at[i].gpus < gpus)
        i++;
    if (i == t->n_factors)
        return at[i - 1];
    if (i == 0 || at[i].gpus == gpus)
        return at[i];
    double part =
        (double)(gpus - at[i - 1].gpus) / (double)(at[i].gpus - at[i - 1].gpus);
    return (struct shape_factor){
        .gpus = gpus,
        .compute =
            at[i - 1].compute + part * (at[i].compute - at[i - 1].compute),
        .step = at[i - 1].step + part * (at[i].step - at[i - 1].step),
    };
}

bool fitted_shape_step(const struct type_tables *t, uint32_t nodes,
                       uint32_t gpus, double local, struct step_time *out)
{
    if (t->pipeline.stages) {
        out->step = t->pipeline.stage;
        out->sync = step_model_sync(&t->model, nodes, gpus);
        return true;
    }
    struct shape_factor by = factor_of(t, nodes, gpus);
    out->step = step_model_step(&t->model, nodes, gpus, local) * by.step;
    out->sync = out->step - step_model_grad(&t->model, local) * by.compute;
    if (out->sync < 0)
        out->sync = 0;
    return local >= t->local_min;
}

bool tables_step(const struct type_tables *t, struct placement placement,
                 double local, struct step_time *out)
{
    uint8_t per_node[PLACEMENT_NODES_MAX];
    uint32_t nodes, gpus;
    if (!within_tables(t, placement, per_node, &nodes, &gpus))
        return false;
    if (t->fitted)
        return local <= tables_local_max(t, placement) &&
               fitted_shape_step(t, nodes, gpus, local, out);
    const struct step_curve *curve =
        curves_find(&t->placements, per_node, nodes);
    if (curve) {
        *out = along(curve, local);
        return covers(curve, local);
    }
    return local >= t->local_min && local <= tables_local_max(t, placement) &&
           step_between(t, nodes, gpus, local, out);
}

uint32_t tables_local_max(const struct type_tables *t,
                          struct placement placement)
{
    uint8_t per_node[PLACEMENT_NODES_MAX];
    uint32_t nodes, gpus, most = 0;
    if (!within_tables(t, placement, per_node, &nodes, &gpus))
        return 0;
    if (t->fitted) {
        for (size_t i = 0; i < t->n_limits && t->limits[i].gpus <= gpus; i++)
            most = t->limits[i].local_max;
        return most;
    }
    const struct step_curve *curve =
        curves_find(&t->placements, per_node, nodes);
    if (curve)
        return (uint32_t)curve->points[curve->n - 1].local;
    for (size_t i = 0; i < t->shapes.n; i++) {
        const struct step_curve *at = &t->shapes.at[i];
        if (at->nodes >= nodes && at->gpus >= gpus && at->scaled_max > most)
            most = at->scaled_max;
    }
    return most;
}

uint32_t tables_widest(const struct type_tables *t, uint32_t gpus)
{
    uint32_t most = 0;
    for (size_t i = 0; i < t->placements.n; i++) {
        const struct step_curve *at = &t->placements.at[i];
        if (at->gpus == gpus && at->points[at->n - 1].local > most)
            most = (uint32_t)at->points[at->n - 1].local;
    }
    return most;
}

/* Reads the step times of one application from its folder, placements-TYPE.csv
 * and scalability-TYPE.csv. A placement or shape that was measured at one batch
 * size only is an error with file and line, because interpolation needs two. */

#define APPLICATION_CURVES_SECONDS_HIGH 1e6

#define LOCAL_HIGH 1e9

/* A row of placements-TYPE.csv or scalability-TYPE.csv. */
struct application_curves_measured {
    uint8_t per_node[PLACEMENT_NODES_MAX];
    uint32_t nodes, gpus;
    bool scalability; /* true for a row of scalability-TYPE.csv */
    struct step_point point;
    uint64_t line;
};

struct measurements {
    struct application_curves_measured *at;
    size_t n, cap;
};

static enum status read_placement(const struct table_reader *r, int at,
                                  struct application_curves_measured *out)
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
                              struct application_curves_measured *out)
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

static enum status curves_read_times(const struct table_reader *r,
                                     const int16_t *at, bool pipeline,
                                     struct step_point *out)
{
    enum status st = table_whole(r, at[1], LOCAL_HIGH, &out->local);
    if (st == STATUS_OK)
        st = table_number(r, at[2], GOODPUT_TINY,
                          APPLICATION_CURVES_SECONDS_HIGH, &out->step);
    if (st == STATUS_OK)
        st = table_number(r, at[3], 0, APPLICATION_CURVES_SECONDS_HIGH,
                          &out->sync);
    if (st == STATUS_OK && !pipeline && out->sync >= out->step)
        st = rows_bad(r->rows, at[3], r->err,
                      "%g s are not less than the step of %g s", out->sync,
                      out->step);
    return st;
}

static enum status curves_read_steps(struct table_reader *r, const char *type,
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
        struct application_curves_measured row = {
            .scalability = scalability, .line = rows_line_number(r->rows)};
        st = scalability ? read_shape(r, at, &row)
                         : read_placement(r, at[0], &row);
        if (st == STATUS_OK)
            st = curves_read_times(r, at, pipeline, &row.point);
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
    const struct application_curves_measured *x = a, *y = b;
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
    const struct application_curves_measured *x = a, *y = b;
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

static bool same_curve(const struct application_curves_measured *a,
                       const struct application_curves_measured *b,
                       bool placements)
{
    return placements ? per_node_compare(a->per_node, a->nodes, b->per_node,
                                         b->nodes) == 0
                      : a->nodes == b->nodes && a->gpus == b->gpus;
}

/* Moves *i past the rows of one batch size, and returns the mean of those that
 * come from the file of the first of these rows. */
static struct step_point curves_mean(const struct measurements *m, size_t *i,
                                     size_t end)
{
    const struct application_curves_measured *first = &m->at[*i];
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
    const struct application_curves_measured *first = &m->at[begin];
    out->nodes = first->nodes;
    out->gpus = first->gpus;
    memcpy(out->per_node, first->per_node, sizeof out->per_node);
    out->points = ARENA_ARRAY(&r->apps->arena, struct step_point, end - begin);
    for (size_t i = begin; i < end; i++) {
        if (m->at[i].scalability && m->at[i].point.local > out->scaled_max)
            out->scaled_max = (uint32_t)m->at[i].point.local;
    }
    for (size_t i = begin; i < end;)
        out->points[out->n++] = curves_mean(m, &i, end);
}

static enum status bad_line(const struct table_reader *r, const char *type,
                            const struct application_curves_measured *row,
                            const char *what)
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
    enum status st = curves_read_steps(r, type, false, &m);
    if (st == STATUS_OK)
        st = make_curves(r, type, &m, true, &t->placements);
    if (st == STATUS_OK)
        st = curves_read_steps(r, type, true, &m);
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
