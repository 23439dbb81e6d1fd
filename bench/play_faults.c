/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the faults of a fault model for a cluster as CSV, without a
 * simulation:
 *
 *     play_faults NODES GPUS DAYS SEED MODEL[:KEY=VALUE,...] [SEEDS]
 *
 * SEEDS: number of seeds, from SEED on, whose faults are printed; default 1. */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/text.h"
#include "sim/run/registry.h"

static int fail(const char *message)
{
    fprintf(stderr, "play_faults: %s\n", message);
    return 2;
}

static void print(uint64_t seed, const struct fault *f)
{
    char at[SPAN_TEXT_MAX + 1], repair[SPAN_TEXT_MAX + 1];
    at[span_to_text(f->at, at)] = 0;
    repair[span_to_text(f->repair, repair)] = 0;
    printf("%llu,%s,%s,%d,%s,%s,%u,%d,%s,%llu\n", (unsigned long long)seed, at,
           repair, f->node == NODE_NONE ? -1 : (int)f->node,
           fault_scope_name((enum fault_scope)f->scope),
           fault_after_name((enum fault_after)f->after), f->gpu, f->harmless,
           f->cause, (unsigned long long)f->key);
}

/* Prints the faults of one seed up to `end`. */
static enum status play(const struct fault_ops *ops, const struct spec *spec,
                        const struct cluster *cluster, uint64_t seed,
                        sim_time end, struct error *err)
{
    struct arena arena;
    struct fault fault;
    arena_init(&arena);
    void *config = arena_alloc(&arena, ops->config_size + 1);
    void *self = arena_alloc(&arena, ops->state_size + 1);
    const struct run_env env = {
        .cluster = cluster, .seed = seed, .arena = &arena};
    enum status st =
        spec_apply(spec, ops->options, config, "faults", &arena, err);
    if (st == STATUS_OK && ops->init)
        st = ops->init(self, config, &env, err);
    while (st == STATUS_OK && ops->next(self, &fault) && fault.at < end)
        print(seed, &fault);
    if (ops->fini)
        ops->fini(self);
    arena_fini(&arena);
    return st;
}

int main(int argc, char **argv)
{
    struct error err = {0};
    struct spec spec;
    const struct fault_ops *ops;
    struct cluster cluster = {0};
    uint64_t seed;
    double days;
    uint32_t n_seeds = 1;
    struct node_group group = {0};
    if (argc < 6 || argc > 7 ||
        !text_to_u32(text_from(argv[1]), &group.count) ||
        !text_to_u32(text_from(argv[2]), &group.gpus) ||
        !text_to_double(text_from(argv[3]), &days) ||
        !text_to_u64(text_from(argv[4]), &seed) ||
        (argc == 7 && !text_to_u32(text_from(argv[6]), &n_seeds)))
        return fail("NODES GPUS DAYS SEED MODEL[:KEY=VALUE,...] [SEEDS]");
    const struct gpu_type_spec type = {.name = "GPU", .speed = 1};
    const char *const vcs[] = {"all"};
    const struct cluster_spec described = {.name = "bench",
                                           .types = &type,
                                           .vcs = vcs,
                                           .groups = &group,
                                           .n_types = 1,
                                           .n_vcs = 1,
                                           .n_groups = 1};
    enum status st = cluster_init(&cluster, &described, 1, &err);
    if (st == STATUS_OK)
        st = spec_parse("faults", text_from(argv[5]), &spec, &err);
    if (st == STATUS_OK)
        st = fault_find(spec.name, &ops, &err);
    puts("seed,at_s,repair_s,node,scope,after,gpu,harmless,cause,key");
    for (uint32_t i = 0; i < n_seeds && st == STATUS_OK; i++)
        st = play(ops, &spec, &cluster, seed + i,
                  span_from_seconds(days * 86400), &err);
    cluster_fini(&cluster);
    return st == STATUS_OK ? EXIT_SUCCESS : fail(err.message);
}
