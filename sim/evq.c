/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/evq.h"

#include <stdlib.h>

#include "sim/base/arena.h"
#include "sim/base/check.h"

void evq_init(struct evq *q)
{
    *q = (struct evq){.free_handle = EVQ_NONE};
}

void evq_fini(struct evq *q)
{
    free(q->heap);
    free(q->where);
    *q = (struct evq){0};
}

static bool before(const struct evq_entry *a, const struct evq_entry *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->order < b->order;
}

static void put(struct evq *q, size_t i, struct evq_entry entry)
{
    q->heap[i] = entry;
    q->where[entry.handle] = (uint32_t)i;
}

static void sift_up(struct evq *q, size_t i, struct evq_entry entry)
{
    while (i > 0) {
        size_t parent = (i - 1) / 2;
        if (!before(&entry, &q->heap[parent]))
            break;
        put(q, i, q->heap[parent]);
        i = parent;
    }
    put(q, i, entry);
}

/* Bottom-up: walk the hole to a leaf along the smaller children, then let the
 * entry rise. It nearly always belongs near the leaves, so this saves about
 * half of the comparisons. */
static void sift_down(struct evq *q, size_t i, struct evq_entry entry)
{
    size_t child;
    while ((child = 2 * i + 1) < q->n) {
        if (child + 1 < q->n && before(&q->heap[child + 1], &q->heap[child]))
            child++;
        put(q, i, q->heap[child]);
        i = child;
    }
    sift_up(q, i, entry);
}

evq_handle evq_add(struct evq *q, sim_time at, uint32_t rank, uint32_t payload)
{
    evq_handle handle = q->free_handle;
    if (handle != EVQ_NONE) {
        q->free_handle = q->where[handle];
    } else {
        handle = q->n_handles++;
        q->where =
            mem_grow(q->where, &q->cap_where, q->n_handles, sizeof *q->where);
    }
    q->heap = mem_grow(q->heap, &q->cap, q->n + 1, sizeof *q->heap);
    sift_up(q, q->n++,
            (struct evq_entry){.at = at,
                               .rank = rank,
                               .payload = payload,
                               .order = q->next_order++,
                               .handle = handle});
    return handle;
}

void evq_move(struct evq *q, evq_handle handle, sim_time to)
{
    size_t i = q->where[handle];
    struct evq_entry entry = q->heap[i];
    bool earlier = to < entry.at;
    entry.at = to;
    if (earlier)
        sift_up(q, i, entry);
    else
        sift_down(q, i, entry);
}

static void release(struct evq *q, evq_handle handle)
{
    q->where[handle] = q->free_handle;
    q->free_handle = handle;
}

void evq_cancel(struct evq *q, evq_handle handle)
{
    size_t i = q->where[handle];
    CHECK(i < q->n && q->heap[i].handle == handle);
    struct evq_entry last = q->heap[--q->n];
    release(q, handle);
    if (i == q->n)
        return;
    if (i > 0 && before(&last, &q->heap[(i - 1) / 2]))
        sift_up(q, i, last);
    else
        sift_down(q, i, last);
}

sim_time evq_time(const struct evq *q, evq_handle handle)
{
    return q->heap[q->where[handle]].at;
}

struct evq_entry evq_pop(struct evq *q)
{
    CHECK(q->n > 0);
    struct evq_entry first = q->heap[0], last = q->heap[--q->n];
    release(q, first.handle);
    if (q->n > 0)
        sift_down(q, 0, last);
    return first;
}
