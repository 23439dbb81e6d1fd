/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/out.h"

const struct column identity_columns[] = {
    {.name = "trace", .unit = "", .help = "SHA-256 of the trace"},
    {.name = "jobs",
     .unit = "jobs",
     .help = "those of the trace that were simulated"},
    {.name = "first_submission",
     .unit = "",
     .help = "of these jobs: a date of UTC"},
    {.name = "cluster",
     .unit = "",
     .help = "SHA-256 of the numbers of nodes by virtual cluster, GPU type, "
             "speed and GPUs a node; which of them profile does not count"},
    {.name = "policy", .unit = "", .help = "its name, without its settings"},
    {.name = "rules", .unit = "", .help = "the preset of --conventions"},
    {.name = "counted",
     .unit = "s",
     .help = "first and last submission that the metrics of jobs count; only "
             "with `--warmup` or `--cooldown`"},
    {.name = NULL},
};

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Returns virtual cluster, GPU type and number of GPUs of a node, packed into
 * one number. */
static uint64_t kind_of(const struct cluster *c, uint32_t node)
{
    const struct pool *pool = &c->pools[c->nodes[node].pool];
    pool = pool->loan ? &c->pools[pool->home] : pool;
    return (uint64_t)pool->vc << 32 | (uint64_t)pool->type << 16 |
           c->nodes[node].gpus;
}

static void write_kinds(const struct cluster *c, struct out *out)
{
    uint64_t *kinds = mem_alloc((c->n_nodes + 1) * sizeof *kinds);
    for (uint32_t i = 0; i < c->n_nodes; i++)
        kinds[i] = kind_of(c, i);
    qsort(kinds, c->n_nodes, sizeof *kinds, by_value);
    for (uint32_t i = 0, n; i < c->n_nodes; i += n) {
        const struct gpu_type_spec *type = &c->types[kinds[i] >> 16 & 0xffff];
        for (n = 1; i + n < c->n_nodes && kinds[i + n] == kinds[i];)
            n++;
        out_printf(out, "%" PRIu32 "x%u ", n, (unsigned)(kinds[i] & 0xffff));
        out_double(out, type->speed);
        out_printf(out, " %s\n%s\n", type->name, c->vcs[kinds[i] >> 32]);
    }
    free(kinds);
}

static const char *cluster_digest(const struct cluster *c, struct arena *arena)
{
    char hex[DIGEST_HEX_MAX];
    struct out *out = out_to_memory();
    struct digest *digest = digest_new();
    write_kinds(c, out);
    digest_add(digest, out_memory(out).at, out_memory(out).len);
    digest_end(digest, hex);
    out_abandon(out);
    return arena_copy(arena, hex, strlen(hex));
}

static const char *counted_text(const struct counted *counted,
                                struct arena *arena)
{
    char text[2 * SPAN_TEXT_MAX + 4];
    size_t n = 0;
    if (counted->some) {
        n = span_to_text(counted->from, text);
        memcpy(text + n, " to ", 4);
        n += 4 + span_to_text(counted->to, text + n + 4);
    }
    return arena_copy(arena, text, n);
}

void identity_of(const struct run_result *run, struct arena *arena,
                 struct identity *out)
{
    const struct jobset *w = &run->jobset;
    char jobs[U64_TEXT_MAX], zero[TIME_TEXT_MAX], utc[TIME_TEXT_MAX + 1];
    time_to_text(w->zero, zero);
    snprintf(utc, sizeof utc, "%sZ", zero);
    *out = (struct identity){
        .values =
            {
                arena_copy(arena, w->digest, strlen(w->digest)),
                arena_copy(arena, jobs, u64_to_text(w->n_jobs, jobs)),
                arena_copy(arena, utc, strlen(utc)),
                cluster_digest(&run->cluster, arena),
                arena_copy(arena, run->policy, strlen(run->policy)),
                arena_copy(arena, run->conventions, strlen(run->conventions)),
                counted_text(&run->counted, arena),
            },
        .cluster_name =
            arena_copy(arena, run->cluster_name, strlen(run->cluster_name))};
}

void identity_write(struct json_stream *js, const struct run_result *run)
{
    const size_t n = run->counted.some ? IDENTITY_N : IDENTITY_COUNTED;
    struct identity identity;
    struct arena arena;
    arena_init(&arena);
    identity_of(run, &arena, &identity);
    json_stream_object(js, "identity");
    for (size_t i = 0; i < n; i++)
        json_stream_text(js, identity_columns[i].name, identity.values[i]);
    json_stream_object_end(js);
    arena_fini(&arena);
}
