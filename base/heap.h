/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A binary heap in an array that the caller owns, for entries of any type.
 * Entry 0 is the first; the others are in no order that a caller may rely on.
 * Which of two equal entries comes first depends on the history of the heap, so
 * an order that affects a result must be total.
 *
 * The functions are inline so that the compiler knows the kind and expands
 * `before` and memcpy in place. */
#ifndef SIM_BASE_HEAP_H
#define SIM_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct heap_kind {
    size_t size; /* size of an entry, bytes */
    bool (*before)(const void *a, const void *b);
    /* Optional. Called each time an entry is placed at index `at`. */
    void (*placed)(const void *owner, const void *entry, size_t at);
};

#define HEAP_INLINE static inline __attribute__((always_inline))

HEAP_INLINE void *heap_at(const struct heap_kind *kind, void *heap, size_t at)
{
    return (char *)heap + at * kind->size;
}

HEAP_INLINE void heap_place(const struct heap_kind *kind, const void *owner,
                            void *heap, size_t at, const void *entry)
{
    memcpy(heap_at(kind, heap, at), entry, kind->size);
    if (kind->placed)
        kind->placed(owner, entry, at);
}

/* Moves the free slot at index `at` up to where `entry` belongs and puts
 * `entry` there; returns the index of the entry. */
HEAP_INLINE size_t heap_rise(const struct heap_kind *kind, const void *owner,
                             void *heap, size_t at, const void *entry)
{
    while (at > 0) {
        const size_t up = (at - 1) / 2;
        const void *parent = heap_at(kind, heap, up);
        if (!kind->before(entry, parent))
            break;
        heap_place(kind, owner, heap, at, parent);
        at = up;
    }
    heap_place(kind, owner, heap, at, entry);
    return at;
}

/* Moves the free slot at index `at` of a heap of n entries down to where
 * `entry` belongs and puts `entry` there; returns the index of the entry. */
HEAP_INLINE size_t heap_sink(const struct heap_kind *kind, const void *owner,
                             void *heap, size_t n, size_t at, const void *entry)
{
    size_t child;
    while ((child = 2 * at + 1) < n) {
        if (child + 1 < n)
            child += kind->before(heap_at(kind, heap, child + 1),
                                  heap_at(kind, heap, child));
        if (!kind->before(heap_at(kind, heap, child), entry))
            break;
        heap_place(kind, owner, heap, at, heap_at(kind, heap, child));
        at = child;
    }
    heap_place(kind, owner, heap, at, entry);
    return at;
}

/* Adds an entry to a heap of n entries, which has room for one more; returns
 * its index. */
HEAP_INLINE size_t heap_put(const struct heap_kind *kind, const void *owner,
                            void *heap, size_t n, const void *entry)
{
    return heap_rise(kind, owner, heap, n, entry);
}

/* Removes entry `at` of a heap of n entries. If it is not the last entry, the
 * gap sinks to a leaf, and the last entry rises from there. It rarely rises
 * far, so this costs about one comparison a level; to sink the last entry from
 * the gap would cost two. */
HEAP_INLINE void heap_take(const struct heap_kind *kind, const void *owner,
                           void *heap, size_t n, size_t at)
{
    const size_t last = n - 1;
    size_t child;
    if (at == last)
        return;
    while ((child = 2 * at + 1) < last) {
        if (child + 1 < last)
            child += kind->before(heap_at(kind, heap, child + 1),
                                  heap_at(kind, heap, child));
        heap_place(kind, owner, heap, at, heap_at(kind, heap, child));
        at = child;
    }
    heap_rise(kind, owner, heap, at, heap_at(kind, heap, last));
}

#endif
