/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/state/evq.h"

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

/* Larger heaps do not stay in the fast caches. */
enum { CACHED = 16384 };

/* The sort key of an entry as one number: two of them are compared without a
 * branch, which would be mispredicted half of the time.
 *
 * Entries are moved within the heap and written there field by field: an entry
 * that is built elsewhere and copied as a whole would defeat store forwarding.
 */
__extension__ typedef unsigned __int128 key;

static key key_from(sim_time at, uint64_t order)
{
    return (key)((uint64_t)at ^ UINT64_C(1) << 63) << 64 | order;
}

static key key_of(const struct evq_entry *entry)
{
    return key_from(entry->at, entry->order);
}

static void shift(struct evq *q, size_t to, size_t from)
{
    q->heap[to] = q->heap[from];
    q->where[q->heap[to].handle] = (uint32_t)to;
}

/* Moves the hole `i` up to where `own` belongs; returns its new index. */
static size_t rise(struct evq *q, size_t i, key own)
{
    while (i > 0) {
        size_t parent = (i - 1) / 2;
        if (own > key_of(&q->heap[parent]))
            break;
        shift(q, i, parent);
        i = parent;
    }
    return i;
}

/* Bottom-up: moves the hole down to a leaf along the smaller children; the
 * entry will rise from there. It nearly always belongs near the leaves, so this
 * saves about half of the comparisons. */
static size_t sink(struct evq *q, size_t i)
{
    size_t child;
    bool far = q->n > CACHED;
    while ((child = 2 * i + 1) < q->n) {
        /* both pairs below, because the one needed is not known yet */
        if (far && 4 * i + 6 < q->n) {
            __builtin_prefetch(&q->heap[4 * i + 3]);
            __builtin_prefetch(&q->heap[4 * i + 6]);
        }
        if (child + 1 < q->n)
            child += key_of(&q->heap[child + 1]) < key_of(&q->heap[child]);
        shift(q, i, child);
        i = child;
    }
    return i;
}

/* Fills the hole `i` with the last entry, which is outside the heap already. */
static void fill(struct evq *q, size_t i)
{
    size_t last = q->n;
    key own = key_of(&q->heap[last]);
    if (i == last)
        return;
    if (i == 0 || own > key_of(&q->heap[(i - 1) / 2]))
        i = sink(q, i);
    shift(q, rise(q, i, own), last);
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
    uint64_t order = (uint64_t)rank << EVQ_RANK_SHIFT | q->next_order++;
    size_t i = rise(q, q->n++, key_from(at, order));
    q->heap[i] = (struct evq_entry){
        .at = at, .order = order, .payload = payload, .handle = handle};
    q->where[handle] = (uint32_t)i;
    return handle;
}

void evq_move(struct evq *q, evq_handle handle, sim_time to)
{
    size_t i = q->where[handle];
    struct evq_entry entry = q->heap[i];
    bool earlier = to < entry.at;
    entry.at = to;
    if (!earlier)
        i = sink(q, i);
    i = rise(q, i, key_of(&entry));
    q->heap[i] = entry;
    q->where[handle] = (uint32_t)i;
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
    q->n--;
    release(q, handle);
    fill(q, i);
}

sim_time evq_time(const struct evq *q, evq_handle handle)
{
    return q->heap[q->where[handle]].at;
}

struct evq_entry evq_pop(struct evq *q)
{
    CHECK(q->n > 0);
    struct evq_entry first = q->heap[0];
    q->n--;
    release(q, first.handle);
    fill(q, 0);
    return first;
}
