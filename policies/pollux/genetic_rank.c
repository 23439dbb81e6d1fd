/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts the members of the genetic search by the order in which to keep them:
 * by front, and within a front those far from others first (NSGA-II: Deb et al.
 * 2002, section III). With two objectives, one pass in the order of the first
 * objective finds all fronts. What is sorted are small keys, and members move
 * once, at the end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "policies/pollux/pollux_internal.h"

/* A member in a list to be sorted by rising rank. */
struct genetic_rank_key {
    uint64_t rank;
    uint32_t member;
};

struct ranking {
    const struct genetic_work *work;
    struct genetic_member *members;
    struct genetic_rank_key *keys, *spare;
    uint32_t n;
};

/* Returns a number that falls as x >= 0 rises: the bits of such doubles are in
 * their order. */
static uint64_t falling(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return UINT64_MAX - bits;
}

/* Sorts n keys; those of equal rank keep their order. `spare` has room for n.
 * Which half gives the next key is no branch, because nothing predicts it. */
static void sort_keys(struct genetic_rank_key *keys,
                      struct genetic_rank_key *spare, uint32_t n)
{
    if (n < 8) {
        for (uint32_t i = 1; i < n; i++) {
            struct genetic_rank_key key = keys[i];
            uint32_t at = i;
            for (; at > 0 && key.rank < keys[at - 1].rank; at--)
                keys[at] = keys[at - 1];
            keys[at] = key;
        }
        return;
    }
    uint32_t half = n / 2, at = 0;
    const struct genetic_rank_key *left = spare, *right = keys + half, *next;
    sort_keys(keys, spare, half);
    sort_keys(keys + half, spare, n - half);
    memcpy(spare, keys, half * sizeof *keys);
    while (left < spare + half && right < keys + n) {
        bool is_right = right->rank < left->rank;
        next = is_right ? right : left;
        keys[at].rank = next->rank;
        keys[at++].member = next->member;
        left += !is_right;
        right += is_right;
    }
    memcpy(keys + at, left, (size_t)(spare + half - left) * sizeof *keys);
}

/* Returns the FNV-1a digest (Fowler, Noll, Vo) of an allocation. Nodes without
 * GPUs only multiply the digest, four of them at a time. */
static uint64_t digest(const struct genetic_work *work, const uint16_t *gpus)
{
    const struct genetic_problem *p = work->problem;
    const uint64_t prime = 0x100000001b3ull;
    const uint64_t fourth = prime * prime * prime * prime;
    uint64_t hash = 0xcbf29ce484222325ull;
    for (uint32_t j = 0; j < p->n_jobs; j++) {
        const uint16_t *row = gpus + (size_t)j * work->stride;
        for (uint32_t n = 0, end; n < p->n_nodes; n = end) {
            uint64_t four;
            memcpy(&four, row + n, sizeof four);
            end = n + 4 < p->n_nodes ? n + 4 : p->n_nodes;
            if (four == 0 && end == n + 4)
                hash *= fourth;
            else
                for (uint32_t k = n; k < end; k++)
                    hash = (hash ^ row[k]) * prime;
        }
    }
    return hash;
}

/* Returns the digest of a member, computed once. */
static uint64_t rank_digest_of(const struct ranking *r, uint32_t member)
{
    struct genetic_member *m = &r->members[member];
    if (!m->has_digest)
        m->digest = digest(r->work, m->gpus);
    m->has_digest = true;
    return m->digest;
}

/* Compares members of equal value by use, then by digest, so that the order
 * depends only on the allocations of the members. */
static bool rank_is_before(const struct ranking *r, uint32_t a, uint32_t b)
{
    double x = r->members[a].use, y = r->members[b].use;
    return x < y || x > y ? x > y : rank_digest_of(r, a) < rank_digest_of(r, b);
}

static void sort_equal(const struct ranking *r, struct genetic_rank_key *keys,
                       uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        struct genetic_rank_key key = keys[i];
        uint32_t at = i;
        for (; at > 0 && rank_is_before(r, key.member, keys[at - 1].member);
             at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

/* Sorts the members by value, then by use, then by digest, and moves those that
 * equal an earlier member to the end. Returns the number of others. */
static uint32_t sort_members(const struct ranking *r)
{
    struct genetic_rank_key *keys = r->keys;
    uint32_t kept = 0, equal = 0;
    for (uint32_t i = 0; i < r->n; i++)
        keys[i] = (struct genetic_rank_key){falling(r->members[i].value), i};
    sort_keys(keys, r->spare, r->n);
    for (uint32_t i = 0, end; i < r->n; i = end) {
        end = i + 1;
        while (end < r->n && keys[end].rank == keys[i].rank)
            end++;
        sort_equal(r, keys + i, end - i);
        for (uint32_t k = i; k < end; k++) {
            if (k > i &&
                !rank_is_before(r, keys[kept - 1].member, keys[k].member))
                r->spare[equal++] = keys[k];
            else
                keys[kept++] = keys[k];
        }
    }
    memcpy(keys + kept, r->spare, equal * sizeof *keys);
    return kept;
}

static bool rank_same(const struct genetic_member *a,
                      const struct genetic_member *b)
{
    return !(a->value < b->value || a->value > b->value || a->use < b->use ||
             a->use > b->use);
}

/* Finds the front of each member, and sorts the members by front. Members are
 * in order of falling value, so the last member of a front has the largest use
 * on it, and a member belongs to the first front whose last member does not
 * dominate it. `last` is by front, and its use falls from front to front.
 * `n`: number of members without duplicates. */
static void set_fronts(const struct ranking *r, uint32_t n)
{
    uint32_t fronts = 0;
    const struct genetic_member **last = mem_alloc((n + 1) * sizeof *last);
    uint32_t *end = mem_zalloc(n + 1, sizeof *end);
    for (uint32_t i = 0; i < n; i++) {
        struct genetic_member *m = &r->members[r->keys[i].member];
        uint32_t low = 0, high = fronts;
        while (low < high) {
            uint32_t mid = (low + high) / 2;
            if (last[mid]->use < m->use || rank_same(last[mid], m))
                high = mid;
            else
                low = mid + 1;
        }
        m->front = low;
        last[low] = m;
        fronts += low == fronts;
        end[low + 1]++;
    }
    for (uint32_t f = 1; f < fronts; f++)
        end[f] += end[f - 1];
    for (uint32_t i = 0; i < n; i++)
        r->spare[end[r->members[r->keys[i].member].front]++] = r->keys[i];
    memcpy(r->keys, r->spare, n * sizeof *r->keys);
    free(last);
    free(end);
}

/* Sets the room of the n members of one front, which are in order of falling
 * value and so of rising use, and sorts them by falling room. */
static void set_room(const struct ranking *r, struct genetic_rank_key *keys,
                     uint32_t n)
{
    struct genetic_member *m = r->members;
    double values = m[keys[0].member].value - m[keys[n - 1].member].value;
    double uses = m[keys[n - 1].member].use - m[keys[0].member].use;
    for (uint32_t i = 0; i < n; i++) {
        struct genetic_member *mine = &m[keys[i].member];
        mine->room = INFINITY;
        if (i > 0 && i + 1 < n) {
            const struct genetic_member *a = &m[keys[i - 1].member];
            const struct genetic_member *b = &m[keys[i + 1].member];
            mine->room = values > 0 ? (a->value - b->value) / values : 0;
            mine->room += uses > 0 ? (b->use - a->use) / uses : 0;
        }
        keys[i].rank = falling(mine->room);
    }
    sort_keys(keys, r->spare, n);
}

uint32_t genetic_rank(const struct genetic_work *work,
                      struct genetic_member *members, uint32_t n)
{
    struct ranking r = {.work = work,
                        .members = members,
                        .keys = mem_alloc(n * sizeof *r.keys),
                        .spare = mem_alloc(n * sizeof *r.spare),
                        .n = n};
    struct genetic_member *sorted = mem_alloc(n * sizeof *sorted);
    uint32_t kept = sort_members(&r);
    set_fronts(&r, kept);
    for (uint32_t first = 0, end; first < kept; first = end) {
        uint32_t front = members[r.keys[first].member].front;
        end = first + 1;
        while (end < kept && members[r.keys[end].member].front == front)
            end++;
        set_room(&r, r.keys + first, end - first);
    }
    for (uint32_t i = 0; i < n; i++)
        sorted[i] = members[r.keys[i].member];
    memcpy(members, sorted, n * sizeof *sorted);
    free(r.keys);
    free(r.spare);
    free(sorted);
    return kept;
}
