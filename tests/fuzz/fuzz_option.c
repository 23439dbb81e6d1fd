/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer target: reads any bytes as the spec of a policy, as a cluster, and
 * as the nodes to set aside. The text of the value of an accepted setting must
 * be accepted again. */
#include <string.h>

#include "base/check.h"
#include "policies/registry.h"
#include "sim/run/describe.h"
#include "sim/run/run_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_policy(struct text text, struct arena *arena)
{
    static struct error err;
    const struct policy_ops *policy;
    struct spec spec;
    char buf[OPTION_TEXT_MAX];
    if (spec_parse("policy", text, &spec, &err) != STATUS_OK ||
        policy_find(spec.name, &policy, &err) != STATUS_OK)
        return;
    void *config = arena_alloc(arena, policy->config_size + 1);
    if (spec_apply(&spec, policy->options, config, policy->name, arena, &err) !=
        STATUS_OK)
        return;
    for (const struct option *row = policy->options;
         row && row->kind != OPTION_END; row++) {
        struct text value = text_from(option_value(row, config, buf));
        CHECK(option_set(policy->options, config, policy->name,
                         text_from(row->name), value, arena,
                         &err) == STATUS_OK);
    }
}

/* Sets nodes aside for profiling. The total number of nodes must not change. */
static void try_partition(struct text text, struct arena *arena)
{
    static struct error err;
    struct cluster_spec cluster;
    struct partition p;
    uint32_t nodes = 0;
    if (partition_parse(text, &p, &err) != STATUS_OK || p.nodes > 100 ||
        p.percent > 0 ||
        describe_cluster("a=3x8:A+2x4:B,b=2x8:A", arena, &cluster, &err) !=
            STATUS_OK)
        return;
    if (p.names.len == 0)
        partition_take_any(p.nodes, 8, &cluster, arena);
    else if (partition_take_named(&p, &cluster, arena, &err) != STATUS_OK)
        return;
    for (size_t i = 0; i < cluster.n_groups; i++)
        nodes += cluster.groups[i].count;
    CHECK(nodes == 7);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct error err;
    struct cluster_spec cluster;
    struct arena arena;
    arena_init(&arena);
    char *text = arena_copy(&arena, (const char *)data, size);
    try_policy((struct text){text, size}, &arena);
    try_partition((struct text){text, size}, &arena);
    /* Texts such as 2x8 describe a cluster; other texts are names of files. */
    if (strchr(text, 'x') && !strchr(text, '/') && !strstr(text, ".json") &&
        describe_cluster(text, &arena, &cluster, &err) == STATUS_OK)
        CHECK(cluster.n_groups > 0 && cluster.n_vcs > 0);
    arena_fini(&arena);
    return 0;
}
