/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/replicas.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/args.h"
#include "sim/cli/made_trace.h"
#include "traces/evidence/sidecar.h"
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
static const char *name_of(const struct replicas *replicas,
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

/* Opens the trace for resampling, with the format and the time window of the
 * configuration. */
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

static enum status check_evidence(const struct run_config *config,
                                  struct error *err)
{
    struct arena arena;
    arena_init(&arena);
    bool given = config->evidence && strcmp(config->evidence, "generated") != 0;
    bool beside = !config->evidence &&
                  access(sidecar_path(config->trace, &arena), F_OK) == 0;
    arena_fini(&arena);
    if (!given && !beside)
        return STATUS_OK;
    return error_set(err, STATUS_USAGE,
                     "%s: its evidence is of the jobs as they ran and cannot "
                     "be resampled; --evidence generated makes other evidence",
                     config->trace);
}

enum status replicas_open(const struct run_config *config, const char *name,
                          uint32_t n, uint32_t block_days, struct shelf *shelf,
                          struct replicas **out, struct error *err)
{
    struct replicas *replicas = mem_zalloc(1, sizeof *replicas);
    struct arena arena;
    enum status st = check_evidence(config, err);
    if (st == STATUS_OK)
        st = open_made(config, block_days, &replicas->made, err);
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
        shelf_add(shelf, name_of(replicas, r, &arena),
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
    config->trace = name_of(replicas, replication, arena);
    config->format = "native";
    config->load.from = config->load.to = 0;
    config->cluster = config->cluster ? config->cluster : replicas->cluster;
}
