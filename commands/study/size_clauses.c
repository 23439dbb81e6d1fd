/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns the x of the units into nodes, and into clauses of --what-if. */
#include <inttypes.h>
#include <string.h>

#include "base/out.h"
#include "commands/study/size.h"

/* Shares x nodes among the pools of a unit by the method of Sainte-Lague. Each
 * pool gets one node. Each further node goes to the pool with the largest
 * quotient of today's nodes and 2 n + 1, n being the nodes it has got; among
 * equal quotients, to the first pool. */
static void share_out(const struct size_space *space, uint32_t unit, int64_t x,
                      uint32_t *nodes)
{
    int64_t left = x;
    for (size_t i = 0; i < space->n_pools; i++) {
        if (space->pools[i].varies == unit + 1)
            left -= nodes[i] = 1;
    }
    for (; left > 0; left--) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < space->n_pools; i++) {
            const struct size_pool *p = &space->pools[i];
            if (p->varies == unit + 1 &&
                (best == SIZE_MAX ||
                 (uint64_t)p->nodes * (2 * nodes[best] + 1) >
                     (uint64_t)space->pools[best].nodes * (2 * nodes[i] + 1)))
                best = i;
        }
        nodes[best]++;
    }
}

void size_space_nodes(const struct size_space *space, const int64_t *x,
                      uint32_t *nodes)
{
    for (size_t i = 0; i < space->n_pools; i++)
        nodes[i] = space->pools[i].nodes;
    for (size_t u = 0; u < space->n_units; u++) {
        size_t n = 0, last = 0;
        for (size_t i = 0; i < space->n_pools; i++) {
            if (space->pools[i].varies != u + 1)
                continue;
            last = i;
            n++;
        }
        if (n == 1)
            nodes[last] = (uint32_t)x[u];
        else if (n)
            share_out(space, (uint32_t)u, x[u], nodes);
    }
}

const char *size_space_clauses(const struct size_space *space, const int64_t *x,
                               struct arena *arena)
{
    struct out *out = out_to_memory();
    uint32_t *nodes = mem_zalloc(space->n_pools + 1, sizeof *nodes);
    const char *before = "";
    if (space->vary == SIZE_LOAD && x[0] != 100)
        out_printf(out, "x%" PRId64 ".%02" PRId64 " load", x[0] / 100,
                   x[0] % 100);
    if (space->vary != SIZE_LOAD)
        size_space_nodes(space, x, nodes);
    for (size_t i = 0; i < space->n_pools && space->vary != SIZE_LOAD; i++) {
        const struct size_pool *p = &space->pools[i];
        int64_t more = (int64_t)nodes[i] - p->nodes;
        if (!more)
            continue;
        out_printf(out, "%s%+" PRId64 " node%s of %" PRIu32 "x%s", before, more,
                   more == 1 || more == -1 ? "" : "s", p->gpus, p->type);
        if (space->vary == SIZE_TYPE && p->speed > 0) {
            out_char(out, '@');
            out_double(out, p->speed);
        }
        if (p->vc)
            out_printf(out, " in %s", p->vc);
        before = "; ";
    }
    struct text text = out_memory(out);
    const char *clauses = arena_copy(arena, text.at, text.len);
    out_abandon(out);
    free(nodes);
    return clauses;
}
