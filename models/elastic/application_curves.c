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
#include <string.h>

#include "base/check.h"
#include "models/elastic/application_internal.h"

int per_node_compare(const uint8_t *a, uint32_t n_a, const uint8_t *b,
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

static bool without_empty(struct placement placement,
                          uint8_t out[PLACEMENT_NODES_MAX], uint32_t *nodes,
                          uint32_t *gpus)
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

bool placement_canonical(struct placement placement,
                         uint8_t out[PLACEMENT_NODES_MAX], uint32_t *nodes,
                         uint32_t *gpus)
{
    uint8_t at[PLACEMENT_NODES_MAX];
    uint32_t first = 0;
    if (!without_empty(placement, at, nodes, gpus))
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

static const struct step_curve *find(const struct curves *curves,
                                     const uint8_t *per_node, uint32_t nodes)
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

static struct step_time between(struct step_time a, struct step_time b,
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
    return between((struct step_time){a->step, a->sync},
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
static void row_of(const struct curves *shapes, uint32_t nodes, size_t *first,
                   size_t *end)
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
    return between(along(a, local), along(b, local),
                   (gpus - a->gpus) / (double)(b->gpus - a->gpus));
}

static bool step_between(const struct type_tables *t, uint32_t nodes,
                         uint32_t gpus, double local, struct step_time *out)
{
    const struct curves *shapes = &t->shapes;
    uint32_t above = nodes, below = nodes;
    size_t first, end;
    for (row_of(shapes, above, &first, &end); first == end;
         row_of(shapes, above, &first, &end))
        if (++above > t->most_nodes)
            return false;
    *out = across(shapes, first, end, (double)gpus * above / nodes, local);
    if (above == nodes)
        return true;
    for (row_of(shapes, below, &first, &end); first == end;
         row_of(shapes, below, &first, &end))
        if (--below == 0)
            return false;
    struct step_time low =
        across(shapes, first, end, (double)gpus * below / nodes, local);
    *out =
        between(low, *out, (double)(nodes - below) / (double)(above - below));
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
    const struct step_curve *curve = find(&t->placements, per_node, nodes);
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
    const struct step_curve *curve = find(&t->placements, per_node, nodes);
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
