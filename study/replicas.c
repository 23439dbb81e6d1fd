/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/replicas.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/args.h"
#include "sim/cli/made_trace.h"
#include "traces/shelf.h"

enum { NAME_MAX_BYTES = 40 };

struct replica {
    struct made_trace *made;
    uint64_t seed;
};

struct replicas {
    struct made_trace *made;
    struct replica *all;
    const char *cluster; /* preset that recorded the trace; NULL: not known */
};

static void name_of(uint32_t replication, char name[NAME_MAX_BYTES])
{
    snprintf(name, NAME_MAX_BYTES, "replication %" PRIu32, replication);
}

static enum status write_replica(void *self, struct out *bytes,
                                 struct error *err)
{
    const struct replica *replica = self;
    return made_trace_write(replica->made, replica->seed, bytes, err);
}

/* Opens the trace with the selection of the configuration. */
static enum status open_made(const struct run_config *config,
                             uint32_t block_days, struct made_trace **out,
                             struct error *err)
{
    const struct load_options *load = &config->load;
    char days[32], from[64], to[64], format[4096];
    const char *words[4];
    size_t n = 0;
    snprintf(days, sizeof days, "--block-days=%" PRIu32, block_days);
    words[n++] = days;
    snprintf(from, sizeof from, "--from=%.6f", span_seconds(load->from));
    if (load->from && load->from != ARG_NO_TIME)
        words[n++] = from;
    snprintf(to, sizeof to, "--to=%.6f", span_seconds(load->to));
    if (load->to && load->to != ARG_NO_TIME)
        words[n++] = to;
    snprintf(format, sizeof format, "--format=%.4000s",
             config->format ? config->format : "");
    if (config->format)
        words[n++] = format;
    return made_trace_open(MADE_RESAMPLED, config->trace, words, n, out, err);
}

enum status replicas_open(const struct run_config *config, uint32_t n,
                          uint32_t block_days, struct shelf *shelf,
                          struct replicas **out, struct error *err)
{
    struct replicas *replicas = mem_zalloc(1, sizeof *replicas);
    enum status st = open_made(config, block_days, &replicas->made, err);
    if (st == STATUS_OK)
        st = made_trace_cluster(replicas->made, &replicas->cluster, err);
    if (st != STATUS_OK) {
        replicas_free(replicas);
        return st;
    }
    replicas->all = mem_zalloc(n + (size_t)1, sizeof *replicas->all);
    for (uint32_t r = 1; r <= n; r++) {
        char name[NAME_MAX_BYTES];
        replicas->all[r] = (struct replica){replicas->made, r};
        name_of(r, name);
        shelf_add(shelf, name,
                  (struct shelf_maker){write_replica, &replicas->all[r]});
    }
    *out = replicas;
    return STATUS_OK;
}

void replicas_free(struct replicas *replicas)
{
    if (!replicas)
        return;
    made_trace_free(replicas->made);
    free(replicas->all);
    free(replicas);
}

void replicas_configure(const struct replicas *replicas, uint32_t replication,
                        struct arena *arena, struct run_config *config)
{
    char name[NAME_MAX_BYTES];
    name_of(replication, name);
    config->trace = arena_copy(arena, name, strlen(name));
    config->format = "native";
    config->load.from = config->load.to = 0;
    config->cluster = config->cluster ? config->cluster : replicas->cluster;
}
