/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event queue: an indexed binary heap ordered by (time, rank, insertion).
 * The code that added an entry moves or cancels it by its handle, so the queue
 * never holds an outdated entry. */
#ifndef SIM_EVQ_H
#define SIM_EVQ_H

#include <stdbool.h>
#include <stddef.h>

#include "base/units.h"

typedef uint32_t evq_handle;
#define EVQ_NONE UINT32_MAX

struct evq_entry {
    sim_time at;
    uint64_t order; /* bits EVQ_RANK_SHIFT and above: the rank; bits below: the
                       number of the insertion */
    /* number of a job, a watch or a node, depending on the rank; that of a node
     * may have flags (engine_internal.h) */
    uint32_t payload;
    evq_handle handle;
};
#define EVQ_RANK_SHIFT 56

/* Returns the rank, which is an enum event_kind. Entries of one instant are
 * ordered by rank first. */
static inline uint32_t evq_rank(const struct evq_entry *entry)
{
    return (uint32_t)(entry->order >> EVQ_RANK_SHIFT);
}

struct evq {
    struct evq_entry *heap;
    uint32_t *where; /* by handle: index into heap; of a free handle: the next
                        free one */
    size_t n, cap, cap_where;
    uint32_t n_handles, free_handle;
    uint64_t next_order;
};

void evq_init(struct evq *q);
void evq_fini(struct evq *q);

evq_handle evq_add(struct evq *q, sim_time at, uint32_t rank, uint32_t payload);
/* Moves an entry to another time. The entry keeps its insertion number, so
 * moving it to another time and back changes nothing. */
void evq_move(struct evq *q, evq_handle handle, sim_time to);
void evq_cancel(struct evq *q, evq_handle handle);
sim_time evq_time(const struct evq *q, evq_handle handle);

/* Returns the next entry, borrowed until the queue changes; NULL if the queue
 * is empty. */
static inline const struct evq_entry *evq_peek(const struct evq *q)
{
    return q->n ? &q->heap[0] : NULL;
}
/* Removes the next entry, whose handle is then no longer valid. The queue must
 * not be empty. */
void evq_pop(struct evq *q);

#endif
