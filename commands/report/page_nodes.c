/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the map of nodes over time. A cell is a character: a state and, in
 * eighths, the share of GPU time that was out of service (if that is the state)
 * or busy. A blank: the run was over. */
#include "commands/report/report_internal.h"

enum { PAGE_NODES_ROWS_MAX = 160, LEVELS = 8, SERVERS_MAX = 16 };

/* The state that a cell shows: the first of these that holds. DOWN: the GPUs
 * were out of service for at least 1/8 of their time. PROFILING: at least 1/2
 * of the time for which jobs held them was for profiling. SHARED: two or more
 * jobs held them for at least 1/8 of that time. BUSY: all other cells, also
 * idle ones. A row of a server of the language model shows MODEL only. */
enum page_nodes_shown {
    SHOWN_BUSY,
    SHOWN_SHARED,
    SHOWN_PROFILING,
    SHOWN_DOWN,
    SHOWN_MODEL
};

/* Consecutive nodes of one virtual cluster and GPU type, all set aside for
 * profiling or none. */
struct page_nodes_row {
    size_t first, last;
    uint64_t gpus;
};

static bool belong_together(const struct verify_node *a,
                            const struct verify_node *b)
{
    return a->vc == b->vc && a->type == b->type && a->profiler == b->profiler;
}

/* Returns the character of a cell: 'A' + state * (LEVELS + 1) + level, from 'A'
 * to 'm'. commands/report/page/nodes.js reads it. */
static char letter(enum page_nodes_shown state, double share)
{
    int level = (int)(share * LEVELS + 0.5);
    level = level > LEVELS ? LEVELS : level;
    level = share > 0 && level == 0 ? 1 : level;
    return (char)('A' + (int)state * (LEVELS + 1) + level);
}

static char nodes_cell(const struct occupancy *o,
                       const struct page_nodes_row *row, unsigned bin,
                       sim_time end)
{
    double of[OCCUPANCY_STATES] = {0};
    double whole = (double)row->gpus * (double)axis_length(&o->axis, bin, end);
    if (whole <= 0)
        return ' ';
    for (size_t n = row->first; n <= row->last; n++) {
        for (unsigned s = 0; s < OCCUPANCY_STATES; s++)
            of[s] += (double)occupancy_at(o, n, s, bin) / whole;
    }
    if (of[OCCUPANCY_DOWN] * LEVELS >= 1)
        return letter(SHOWN_DOWN, of[OCCUPANCY_DOWN]);
    double busy = of[OCCUPANCY_BUSY];
    if (busy > 0 && of[OCCUPANCY_PROFILING] * 2 >= busy)
        return letter(SHOWN_PROFILING, busy);
    if (busy > 0 && of[OCCUPANCY_SHARED] * LEVELS >= busy)
        return letter(SHOWN_SHARED, busy);
    return letter(SHOWN_BUSY, of[OCCUPANCY_BUSY]);
}

static json_t *nodes_row_json(const struct report_run *run,
                              const struct occupancy *o,
                              const struct page_nodes_row *row)
{
    const struct verify_data *d = &run->data;
    const struct verify_node *node = &d->nodes[row->first];
    char cells[AXIS_BINS];
    json_t *json = json_object();
    for (unsigned b = 0; b < AXIS_BINS; b++)
        cells[b] = nodes_cell(o, row, b, d->end);
    json_put(json, "first", json_integer((json_int_t)row->first));
    json_put(json, "last", json_integer((json_int_t)row->last));
    json_put(json, "gpus", json_integer((json_int_t)row->gpus));
    json_put(json, "vc", json_text(interner_string(&d->vcs, node->vc)));
    json_put(json, "type", json_text(interner_string(&d->types, node->type)));
    json_put(json, "profiler", json_boolean(node->profiler));
    json_put(json, "cells", json_stringn(cells, AXIS_BINS));
    return json;
}

/* Makes the rows of nodes. Merges neighbouring nodes if there are more nodes
 * than PAGE_NODES_ROWS_MAX. */
static json_t *nodes_rows_json(const struct report_run *run,
                               const struct occupancy *o)
{
    const struct verify_data *d = &run->data;
    size_t most = d->n_nodes / PAGE_NODES_ROWS_MAX +
                  (d->n_nodes % PAGE_NODES_ROWS_MAX != 0);
    json_t *rows = json_array();
    for (size_t n = 0; n < d->n_nodes;) {
        struct page_nodes_row row = {.first = n, .gpus = 0};
        while (n < d->n_nodes && n - row.first < most &&
               belong_together(&d->nodes[row.first], &d->nodes[n]))
            row.gpus += d->nodes[n++].gpus;
        row.last = n - 1;
        json_array_append_new(rows, nodes_row_json(run, o, &row));
    }
    return rows;
}

/* Makes a row for each server of the language model, at most SERVERS_MAX. */
static json_t *servers_json(const struct report_run *run,
                            const struct occupancy *o)
{
    json_t *rows = json_array();
    for (uint32_t s = 0; s < run->servers && s < SERVERS_MAX; s++) {
        struct axis_sum sum = {0};
        char cells[AXIS_BINS];
        for (size_t i = 0; i < run->n_questions; i++) {
            const struct report_question *q = &run->questions[i];
            if (q->server == s)
                axis_add(&o->axis, &sum, q->begun, q->answered, 1);
        }
        axis_finish(&o->axis, &sum);
        for (unsigned b = 0; b < AXIS_BINS; b++) {
            double length = (double)axis_length(&o->axis, b, run->data.end);
            cells[b] = length > 0
                           ? letter(SHOWN_MODEL, (double)sum.at[b] / length)
                           : ' ';
        }
        json_array_append_new(rows, json_stringn(cells, AXIS_BINS));
    }
    return rows;
}

/* Returns the GPU hours of a virtual cluster by state. */
static json_t *hours_json(const struct report_run *run,
                          const struct occupancy *o, uint32_t vc)
{
    static const char *const names[] = {"busy", "shared", "profiling", "down"};
    const struct verify_data *d = &run->data;
    double of[OCCUPANCY_STATES] = {0};
    uint64_t gpus = 0;
    json_t *json = json_object();
    for (size_t n = 0; n < d->n_nodes; n++) {
        if (d->nodes[n].vc != vc)
            continue;
        gpus += d->nodes[n].gpus;
        for (unsigned s = 0; s < OCCUPANCY_STATES; s++) {
            for (unsigned b = 0; b < AXIS_BINS; b++)
                of[s] += (double)occupancy_at(o, n, s, b);
        }
    }
    json_put(json, "vc", json_text(interner_string(&d->vcs, vc)));
    json_put(json, "gpus", json_integer((json_int_t)gpus));
    json_put(json, "whole",
             json_number((double)gpus * span_seconds(d->end) / 3600));
    for (unsigned s = 0; s < OCCUPANCY_STATES; s++)
        json_put(json, names[s], json_number(of[s] / (double)SPAN_HOUR));
    return json;
}

json_t *page_nodes(const struct report_run *run, const struct occupancy *o)
{
    json_t *json = json_object(), *hours = json_array();
    for (uint32_t vc = 1;
         vc < run->data.vcs.n_strings && vc <= PAGE_NODES_ROWS_MAX; vc++)
        json_array_append_new(hours, hours_json(run, o, vc));
    json_put(json, "rows", nodes_rows_json(run, o));
    json_put(json, "servers", servers_json(run, o));
    json_put(json, "servers_in_all", json_integer(run->servers));
    json_put(json, "hours", hours);
    return json;
}
