/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes replications of a recorded trace on a shelf: the blocks of each
 * virtual cluster in another order, as `trace resample` makes them. */
#include "commands/study/size.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/made_trace.h"
#include "traces/shelf.h"

struct replica {
    struct made_trace *made;
    uint64_t seed;
};

struct replicas {
    struct made_trace *made;
    struct replica *all;
    /* name of the trace, which begins the names on the shelf */
    char *name;
    /* preset of the cluster that recorded the trace; NULL: not known */
    const char *cluster;
};

/* Returns the name of a replication on the shelf, in the arena. */
static const char *replicas_name_of(const struct replicas *replicas,
                                    uint32_t replication, struct arena *arena)
{
    const char *format = "%s, replication %" PRIu32;
    int len = snprintf(NULL, 0, format, replicas->name, replication);
    char *name = arena_alloc(arena, (size_t)len + 1);
    snprintf(name, (size_t)len + 1, format, replicas->name, replication);
    return name;
}

static enum status write_replica(void *self, struct out *bytes,
                                 struct error *err)
{
    const struct replica *replica = self;
    return made_trace_write(replica->made, replica->seed, bytes, err);
}

enum status replicas_open(const struct run_config *config, const char *name,
                          uint32_t n, uint32_t block_days, struct shelf *shelf,
                          struct replicas **out, struct error *err)
{
    struct replicas *replicas = mem_zalloc(1, sizeof *replicas);
    struct arena arena;
    char days[32];
    const char *words[] = {days};
    snprintf(days, sizeof days, "--block-days=%" PRIu32, block_days);
    enum status st = made_trace_of_run(config, words, 1, &replicas->made, err);
    if (st == STATUS_OK)
        st = made_trace_cluster(replicas->made, &replicas->cluster, err);
    if (st != STATUS_OK) {
        replicas_free(replicas);
        return st;
    }
    size_t len = strlen(name) + 1;
    replicas->name = memcpy(mem_alloc(len), name, len);
    replicas->all = mem_zalloc(n + (size_t)1, sizeof *replicas->all);
    arena_init(&arena);
    for (uint32_t r = 1; r <= n; r++) {
        replicas->all[r] = (struct replica){replicas->made, r};
        shelf_add(shelf, replicas_name_of(replicas, r, &arena),
                  (struct shelf_maker){write_replica, &replicas->all[r]});
    }
    arena_fini(&arena);
    *out = replicas;
    return STATUS_OK;
}

void replicas_free(struct replicas *replicas)
{
    if (!replicas)
        return;
    made_trace_free(replicas->made);
    free(replicas->all);
    free(replicas->name);
    free(replicas);
}

void replicas_configure(const struct replicas *replicas, uint32_t replication,
                        struct arena *arena, struct run_config *config)
{
    config->trace = replicas_name_of(replicas, replication, arena);
    config->format = "native";
    config->load.from = config->load.to = 0;
    config->cluster = config->cluster ? config->cluster : replicas->cluster;
}
