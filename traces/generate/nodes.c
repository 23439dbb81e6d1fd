/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The nodes of a virtual cluster and the jobs on them. */
#include "traces/generate/generate_internal.h"

#include <stdlib.h>

#include "base/arena.h"

/* no job, or no node */
static const uint32_t nodes_none = UINT32_MAX;

void nodes_open(struct nodes *nodes, uint32_t n, uint32_t size)
{
    *nodes = (struct nodes){
        .n = n,
        .size = size,
        .idle = mem_alloc((n + 1) * sizeof *nodes->idle),
        .owner = mem_alloc((n + 1) * sizeof *nodes->owner),
        .count = mem_zalloc(size + 1, sizeof *nodes->count),
    };
    for (uint32_t i = 0; i < n; i++) {
        nodes->idle[i] = size;
        nodes->owner[i] = nodes_none;
    }
    nodes->count[size] = n;
}

void nodes_close(struct nodes *nodes)
{
    free(nodes->idle);
    free(nodes->owner);
    free(nodes->count);
}

bool nodes_fit(const struct nodes *nodes, uint32_t gpus)
{
    uint32_t whole = gpus / nodes->size, rest = gpus % nodes->size;
    if (nodes->count[nodes->size] < whole)
        return false;
    if (rest == 0 || nodes->count[nodes->size] > whole)
        return true;
    for (uint32_t idle = rest; idle < nodes->size; idle++) {
        if (nodes->count[idle] > 0)
            return true;
    }
    return false;
}

static void set_idle(struct nodes *nodes, uint32_t node, uint32_t idle)
{
    nodes->count[nodes->idle[node]]--;
    nodes->idle[node] = idle;
    nodes->count[idle]++;
}

struct place nodes_take(struct nodes *nodes, uint32_t job, uint32_t gpus)
{
    uint32_t whole = gpus / nodes->size, rest = gpus % nodes->size;
    struct place place = {nodes_none, nodes_none};
    for (uint32_t i = 0; i < nodes->n && whole > 0; i++) {
        if (nodes->idle[i] < nodes->size)
            continue;
        place.first = place.first == nodes_none ? i : place.first;
        set_idle(nodes, i, 0);
        nodes->owner[i] = job;
        whole--;
    }
    uint32_t least = rest;
    while (rest > 0 && least < nodes->size && nodes->count[least] == 0)
        least++;
    for (uint32_t i = 0; i < nodes->n && rest > 0; i++) {
        if (nodes->idle[i] != least)
            continue;
        place.rest = i;
        set_idle(nodes, i, least - rest);
        break;
    }
    return place;
}

void nodes_leave(struct nodes *nodes, uint32_t job, uint32_t gpus,
                 struct place place)
{
    uint32_t whole = gpus / nodes->size, rest = gpus % nodes->size;
    if (place.rest != nodes_none)
        set_idle(nodes, place.rest, nodes->idle[place.rest] + rest);
    for (uint32_t i = place.first; i < nodes->n && whole > 0; i++) {
        if (nodes->owner[i] != job)
            continue;
        set_idle(nodes, i, nodes->size);
        nodes->owner[i] = nodes_none;
        whole--;
    }
}
