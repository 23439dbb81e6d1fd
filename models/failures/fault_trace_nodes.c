/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts and draws the nodes of a fault trace. */
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "models/failures/fault_trace_internal.h"

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = 0, y = 0;
    (void)(text_to_u32(text_from(*(const char *const *)a), &x) &&
           text_to_u32(text_from(*(const char *const *)b), &y));
    if (x != y)
        return x < y ? -1 : 1;
    return by_name(a, b);
}

void trace_nodes_init(struct trace_nodes *names, const struct fault_file *file)
{
    size_t n = 0;
    uint32_t number;
    names->at = mem_zalloc(file->n + 1, sizeof *names->at);
    names->numbers = true;
    for (size_t i = 0; i < file->n; i++) {
        names->at[i] = file->at[i].node;
        names->numbers &= text_to_u32(text_from(names->at[i]), &number);
    }
    qsort(names->at, file->n, sizeof *names->at,
          names->numbers ? by_number : by_name);
    for (size_t i = 0; i < file->n; i++) {
        if (n == 0 || strcmp(names->at[n - 1], names->at[i]) != 0)
            names->at[n++] = names->at[i];
    }
    names->n = n;
}

uint32_t trace_nodes_rank(const struct trace_nodes *names, const char *name)
{
    const char **found = bsearch(&name, names->at, names->n, sizeof *names->at,
                                 names->numbers ? by_number : by_name);
    return (uint32_t)(found - names->at);
}

/* A node of the trace and the random number, 0..1, by which the nodes are
 * sorted. */
struct lot {
    double draw;
    uint32_t rank;
};

static int by_draw(const void *a, const void *b)
{
    const struct lot *x = a, *y = b;
    if (x->draw != y->draw)
        return x->draw < y->draw ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

uint32_t *trace_nodes_draw(uint32_t n, uint64_t seed)
{
    uint64_t stream = rng_stream(seed, "fault trace nodes");
    struct lot *lots = mem_zalloc(n + 1, sizeof *lots);
    uint32_t *place = mem_zalloc(n + 1, sizeof *place);
    for (uint32_t i = 0; i < n; i++)
        lots[i] = (struct lot){keyed_uniform(stream, i, 0), i};
    qsort(lots, n, sizeof *lots, by_draw);
    for (uint32_t i = 0; i < n; i++)
        place[lots[i].rank] = i;
    free(lots);
    return place;
}
