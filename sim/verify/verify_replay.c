/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/verify/verify_replay.h"

#include <stdlib.h>

#include "base/heap.h"

static bool replay_is_before(const void *a, const void *b)
{
    const struct verify_timed *x = a, *y = b;
    return x->at != y->at ? x->at < y->at : x->index < y->index;
}

static const struct heap_kind end_heap = {.size = sizeof(struct verify_timed),
                                          .before = replay_is_before};

static bool replay_is_open(const struct verify_replay *r,
                           const struct verify_attempt *a)
{
    return a->how == 'o' && !r->open_ends;
}

/* Lists the attempts by start. */
static void list_starts(struct verify_replay *r, bool profiling)
{
    const struct verify_data *d = r->data;
    r->starts = mem_alloc((d->n_attempts + 1) * sizeof *r->starts);
    for (uint32_t i = 0; i < d->n_attempts; i++) {
        const struct verify_attempt *a = &d->attempts[i];
        if ((!a->profiling || profiling) &&
            (a->end > a->start || replay_is_open(r, a)))
            r->starts[r->n_starts++] = (struct verify_timed){a->start, i};
    }
    verify_sort_timed(r->starts, r->n_starts);
}

void verify_replay_init(struct verify_replay *r, const struct verify_data *data,
                        bool profiling, bool open_ends)
{
    *r = (struct verify_replay){
        .data = data,
        .changes = mem_alloc((data->n_changes + 1) * sizeof *r->changes),
        .n_changes = data->n_changes,
        .open_ends = open_ends};
    for (uint32_t i = 0; i < data->n_changes; i++)
        r->changes[i] = (struct verify_timed){data->changes[i].at, i};
    verify_sort_timed(r->changes, r->n_changes);
    list_starts(r, profiling);
}

void verify_replay_fini(struct verify_replay *r)
{
    free(r->starts);
    free(r->changes);
    free(r->ends);
}

bool verify_replay_peek(const struct verify_replay *r, struct verify_edge *edge)
{
    bool any = false;
    if (r->n_ends) {
        *edge = (struct verify_edge){r->ends[0].at, VERIFY_EDGE_END,
                                     r->ends[0].index};
        any = true;
    }
    if (r->next_change < r->n_changes) {
        const struct verify_timed *c = &r->changes[r->next_change];
        if (!any || c->at < edge->at)
            *edge = (struct verify_edge){c->at, VERIFY_EDGE_NODE, c->index};
        any = true;
    }
    if (r->next_start < r->n_starts) {
        const struct verify_timed *s = &r->starts[r->next_start];
        if (!any || s->at < edge->at)
            *edge = (struct verify_edge){s->at, VERIFY_EDGE_START, s->index};
        any = true;
    }
    return any;
}

void verify_replay_pass(struct verify_replay *r, const struct verify_edge *edge)
{
    if (edge->kind == VERIFY_EDGE_END) {
        heap_take(&end_heap, NULL, r->ends, r->n_ends--, 0);
        return;
    }
    if (edge->kind == VERIFY_EDGE_NODE) {
        r->next_change++;
        return;
    }
    const struct verify_attempt *a = &r->data->attempts[edge->index];
    r->next_start++;
    if (replay_is_open(r, a))
        return;
    struct verify_timed end = {a->end, edge->index};
    r->ends = mem_grow(r->ends, &r->cap_ends, r->n_ends + 1, sizeof *r->ends);
    heap_put(&end_heap, NULL, r->ends, r->n_ends++, &end);
}
