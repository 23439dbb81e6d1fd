/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/state/evq.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/heap.h"

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

/* The sort key of an entry: time and order as one number. Two keys are then
 * compared without a branch, which would be mispredicted half of the time. */
__extension__ typedef unsigned __int128 key;

static inline key evq_key_of(const struct evq_entry *entry)
{
    return (key)((uint64_t)entry->at ^ UINT64_C(1) << 63) << 64 | entry->order;
}

static inline bool evq_before(const void *a, const void *b)
{
    return evq_key_of(a) < evq_key_of(b);
}

static inline void evq_placed(const void *q, const void *entry, size_t at)
{
    ((const struct evq *)q)->where[((const struct evq_entry *)entry)->handle] =
        (uint32_t)at;
}

static const struct heap_kind evq_events = {
    .size = sizeof(struct evq_entry),
    .before = evq_before,
    .placed = evq_placed,
};

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
    uint64_t order = (uint64_t)rank << EVQ_RANK_SHIFT | q->next_order++;
    heap_put(
        &evq_events, q, q->heap, q->n++,
        &(struct evq_entry){
            .at = at, .order = order, .payload = payload, .handle = handle});
    return handle;
}

void evq_move(struct evq *q, evq_handle handle, sim_time to)
{
    size_t i = q->where[handle];
    struct evq_entry entry = q->heap[i];
    bool earlier = to < entry.at;
    entry.at = to;
    if (earlier)
        heap_rise(&evq_events, q, q->heap, i, &entry);
    else
        heap_sink(&evq_events, q, q->heap, q->n, i, &entry);
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
    heap_take(&evq_events, q, q->heap, q->n--, i);
    release(q, handle);
}

sim_time evq_time(const struct evq *q, evq_handle handle)
{
    return q->heap[q->where[handle]].at;
}

void evq_pop(struct evq *q)
{
    CHECK(q->n > 0);
    evq_handle first = q->heap[0].handle;
    heap_take(&evq_events, q, q->heap, q->n--, 0);
    release(q, first);
}
