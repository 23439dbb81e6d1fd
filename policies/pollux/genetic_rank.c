/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts the members of the genetic search by the order in which to keep them:
 * by front, and within a front those far from others first (NSGA-II: Deb et al.
 * 2002, section III). With two objectives, one pass in the order of the first
 * objective finds all fronts. */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "policies/pollux/genetic_internal.h"

/* Compares two members by digest. This is the last criterion, so the order
 * depends only on the allocations of the members. */
static int by_digest(const struct genetic_member *a,
                     const struct genetic_member *b)
{
    return (a->digest > b->digest) - (a->digest < b->digest);
}

static int by_value(const void *x, const void *y)
{
    const struct genetic_member *a = x, *b = y;
    if (a->value < b->value || a->value > b->value)
        return a->value > b->value ? -1 : 1;
    if (a->use < b->use || a->use > b->use)
        return a->use > b->use ? -1 : 1;
    return by_digest(a, b);
}

static int by_front(const void *x, const void *y)
{
    const struct genetic_member *a = x, *b = y;
    if (a->front != b->front)
        return a->front < b->front ? -1 : 1;
    return by_value(x, y);
}

static int by_room(const void *x, const void *y)
{
    const struct genetic_member *a = x, *b = y;
    if (a->front != b->front)
        return a->front < b->front ? -1 : 1;
    if (a->room < b->room || a->room > b->room)
        return a->room > b->room ? -1 : 1;
    return by_value(x, y);
}

static bool same(const struct genetic_member *a, const struct genetic_member *b)
{
    return !(a->value < b->value || a->value > b->value || a->use < b->use ||
             a->use > b->use);
}

/* Finds the front of each member. Members are in order of falling value, so
 * the last member of a front has the largest use on it, and a member belongs to
 * the first front whose last member does not dominate it. `last` is by front,
 * and its use falls from front to front. */
static void set_fronts(struct genetic_member *members, uint32_t n)
{
    uint32_t fronts = 0;
    const struct genetic_member **last = mem_alloc((n + 1) * sizeof *last);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t low = 0, high = fronts;
        while (low < high) {
            uint32_t mid = (low + high) / 2;
            if (last[mid]->use < members[i].use || same(last[mid], &members[i]))
                high = mid;
            else
                low = mid + 1;
        }
        members[i].front = low;
        last[low] = &members[i];
        fronts += low == fronts;
    }
    free(last);
}

/* Sets the room of the members first .. end-1 of one front, which are in
 * order of falling value and so of rising use. */
static void set_room(struct genetic_member *members, uint32_t first,
                     uint32_t end)
{
    double values = members[first].value - members[end - 1].value;
    double uses = members[end - 1].use - members[first].use;
    for (uint32_t i = first; i < end; i++) {
        struct genetic_member *m = &members[i];
        if (i == first || i + 1 == end) {
            m->room = INFINITY;
            continue;
        }
        m->room = 0;
        if (values > 0)
            m->room += (m[-1].value - m[1].value) / values;
        if (uses > 0)
            m->room += (m[1].use - m[-1].use) / uses;
    }
}

/* Moves members that equal an earlier member to the end. Returns the number of
 * others. */
static uint32_t part(struct genetic_member *members, uint32_t n)
{
    uint32_t kept = 1;
    for (uint32_t i = 1; i < n; i++) {
        const struct genetic_member *last = &members[kept - 1];
        struct genetic_member m = members[i];
        if (last->digest == m.digest && same(last, &m))
            continue;
        members[i] = members[kept];
        members[kept++] = m;
    }
    return kept;
}

uint32_t genetic_rank(struct genetic_member *members, uint32_t n)
{
    qsort(members, n, sizeof *members, by_value);
    n = part(members, n);
    set_fronts(members, n);
    qsort(members, n, sizeof *members, by_front);
    for (uint32_t first = 0, end; first < n; first = end) {
        end = first + 1;
        while (end < n && members[end].front == members[first].front)
            end++;
        set_room(members, first, end);
    }
    qsort(members, n, sizeof *members, by_room);
    return n;
}
