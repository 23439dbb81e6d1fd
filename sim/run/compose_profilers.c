/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides how many nodes are set aside for profiling, and which, and whether
 * jobs that need them get them. Adds a remark on it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/run_internal.h"

/* Default share of nodes for a policy that profiles, rounded up to whole nodes:
 * the share of Venus that Lucid's simulator sets aside, 2 of 135 nodes. On 8
 * nodes this gives 1 node, as in SchedMate. */
#define SHARE "1.48%"
#define SHARE_SOURCE \
    "1.48 % where a policy profiles: Lucid's simulator, 2 of Venus' 135 " \
    "nodes; SchedMate 5.1, one node of 8"

/* Returns the number of GPUs of the largest job that the policy profiles; 0 if
 * it profiles none, CLUSTER_NODES_MAX if it does not say. */
static uint32_t largest_profile(const struct run *run)
{
    const struct policy_ops *policy = run->parts.policy.ops;
    if (!(policy->needs & POLICY_PROFILES))
        return 0;
    return policy->profiles ? policy->profiles(run->parts.policy.config)
                            : CLUSTER_NODES_MAX;
}

/* Sets the number of profiler nodes: the user's, else that of the conventions,
 * else a share of the nodes if the policy profiles. */
enum status compose_partition(struct run *run, struct error *err)
{
    const char *deflt = largest_profile(run) ? SHARE : "0";
    run->asks_profilers = run->config.profilers != NULL;
    run->profilers = run->asks_profilers
                         ? run->config.profilers
                         : compose_ruled(run, "profilers", deflt);
    return partition_parse(text_from(run->profilers), &run->partition, err);
}

static void profilers_note(struct run *run, uint32_t asked, bool owned)
{
    char value[16];
    uint32_t nodes = 0;
    for (size_t i = 0; i < run->spec.n_groups; i++) {
        const struct node_group *g = &run->spec.groups[i];
        nodes += g->profiler || g->lends ? g->count : 0;
    }
    if (nodes == 0 && !run->asks_profilers && !asked)
        return;
    snprintf(value, sizeof value, "%" PRIu32, nodes);
    compose_note(run, "profilers", "nodes", value,
                 "nodes set aside for profiling", SHARE_SOURCE);
    if (owned)
        return; /* the cluster file sets profiler nodes aside */
    compose_note(run, "profilers", "asked", run->profilers,
                 "a number of nodes, or a share of the nodes of the cluster, "
                 "rounded up",
                 SHARE_SOURCE);
}

enum { NAMED = 4 }; /* largest number of kinds of nodes that the remark names */

static bool alike(const struct node_group *a, const struct node_group *b)
{
    return (b->profiler || b->lends) && a->vc == b->vc && a->type == b->type &&
           a->gpus == b->gpus;
}

/* Counts the profiler nodes of the same kind as group i. Returns 0 if an
 * earlier group is of this kind, so that each kind is listed once. */
static uint32_t count_alike(const struct cluster_spec *spec, size_t i)
{
    uint32_t n = 0;
    for (size_t k = 0; k < spec->n_groups; k++) {
        bool same = alike(&spec->groups[i], &spec->groups[k]);
        if (same && k < i)
            return 0;
        n += same ? spec->groups[k].count : 0;
    }
    return n;
}

/* Writes a list such as "2 with 8 V100 of vcJsw, 1 with 4 T4 of vcYVn". */
static void profilers_list_nodes(const struct cluster_spec *spec, char *out,
                                 size_t size)
{
    size_t n = 0, groups = 0;
    out[0] = '\0';
    for (size_t i = 0; i < spec->n_groups && n < size; i++) {
        const struct node_group *g = &spec->groups[i];
        uint32_t count = g->profiler || g->lends ? count_alike(spec, i) : 0;
        if (count == 0)
            continue;
        if (groups++ == NAMED) {
            snprintf(out + n, size - n, ", ...");
            return;
        }
        n += (size_t)snprintf(
            out + n, size - n, "%s%" PRIu32 " with %" PRIu32 " %.32s%s%.32s",
            groups > 1 ? ", " : "", count, g->gpus, spec->types[g->type].name,
            spec->n_vcs > 1 ? " of " : "",
            spec->n_vcs > 1 ? spec->vcs[g->vc] : "");
    }
}

/* Adds remarks on nodes that were set aside although the user did not ask for
 * them, and on nodes that could not be set aside. */
static void profilers_say(struct run *run, uint32_t asked, uint32_t taken)
{
    struct remarks *remarks = &run->result.remarks;
    char nodes[400];
    uint64_t all = 0;
    for (size_t i = 0; i < run->spec.n_groups; i++)
        all += run->spec.groups[i].count;
    profilers_list_nodes(&run->spec, nodes, sizeof nodes);
    if (taken)
        remarks_add(remarks, REMARK_NUMBERS,
                    "profiling: %" PRIu32 " of %" PRIu64 " nodes set aside (%s "
                    "asked for): %s; --profilers changes it",
                    taken, all, run->profilers, nodes);
    if (taken < asked)
        remarks_add(remarks, REMARK_NUMBERS,
                    "profiling: no more than %" PRIu32 " of %" PRIu32
                    " profiler nodes could be set aside, because each virtual "
                    "cluster keeps a node of each GPU type (--profilers N:NAME "
                    "takes the last one)",
                    taken, asked);
}

enum status compose_set_aside_named(struct run *run, struct error *err)
{
    struct partition *p = &run->partition;
    if (run->asks_profilers && partition_has_profilers(&run->spec))
        return error_set(err, STATUS_USAGE,
                         "--profilers: cluster %s has its own profiler nodes",
                         run->spec.name);
    if (p->names.len == 0)
        return STATUS_OK;
    return partition_take_named(p, &run->spec, &run->result.arena, err);
}

/* Returns the largest number of GPUs of one type that a job of the virtual
 * cluster can have. `type`: the GPU type that it asks for; n_types: any. */
static uint64_t most_gpus(const struct cluster_spec *spec, uint16_t vc,
                          size_t type)
{
    uint64_t gpus[CLUSTER_TYPES_MAX] = {0}, most = 0;
    for (size_t i = 0; i < spec->n_groups; i++) {
        const struct node_group *g = &spec->groups[i];
        if (g->vc == vc && !g->profiler &&
            (type == spec->n_types || type == g->type))
            gpus[g->type] += (uint64_t)g->count * g->gpus;
        most = gpus[g->type] > most ? gpus[g->type] : most;
    }
    return most;
}

/* Counts the jobs that had enough GPUs before nodes were set aside and now have
 * too few. `*gpus`: number of GPUs of the smallest of them. */
static uint32_t count_excluded(const struct run *run,
                               const struct cluster_spec *before,
                               uint32_t *gpus)
{
    const struct jobset *jobs = &run->result.jobset;
    const struct cluster_spec *now = &run->spec;
    size_t n_kinds = now->n_types + 1;
    uint64_t *most = mem_alloc(now->n_vcs * n_kinds * 2 * sizeof *most);
    uint32_t n = 0;
    for (size_t i = 0; i < now->n_vcs * n_kinds; i++) {
        most[2 * i] = most_gpus(before, (uint16_t)(i / n_kinds), i % n_kinds);
        most[2 * i + 1] = most_gpus(now, (uint16_t)(i / n_kinds), i % n_kinds);
    }
    *gpus = UINT32_MAX;
    for (uint32_t i = 0; i < jobs->n_jobs; i++) {
        const struct job *job = &jobs->jobs[i];
        size_t type =
            job->gpu_type == GPU_TYPE_ANY ? now->n_types : job->gpu_type;
        const uint64_t *limits = &most[2 * (job->vc * n_kinds + type)];
        if (job->gpu_type == GPU_TYPE_NONE || job->gpus > limits[0] ||
            job->gpus <= limits[1])
            continue;
        n++;
        *gpus = job->gpus < *gpus ? job->gpus : *gpus;
    }
    free(most);
    return n;
}

/* Makes the profiler nodes nodes for jobs again, which the policy lends to the
 * profiler and takes back for the jobs that need them. Adds a remark. */
static void lend_instead(struct run *run, uint32_t taken, uint32_t excluded,
                         uint32_t smallest)
{
    struct cluster_spec *spec = &run->spec;
    char nodes[400];
    uint64_t all = 0;
    struct node_group *groups =
        ARENA_ARRAY(&run->result.arena, struct node_group, spec->n_groups);
    for (size_t i = 0; i < spec->n_groups; i++) {
        groups[i] = spec->groups[i];
        groups[i].lends = groups[i].profiler;
        groups[i].profiler = false;
        all += groups[i].count;
    }
    spec->groups = groups;
    profilers_list_nodes(spec, nodes, sizeof nodes);
    remarks_add(&run->result.remarks, REMARK_NUMBERS,
                "profiling: %" PRIu32 " of %" PRIu64 " nodes profile (%s asked "
                "for): %s; %" PRIu32 " jobs of %" PRIu32 " GPUs or more need "
                "them and get them, and nothing is profiled there meanwhile "
                "(--profilers 0 profiles nothing)",
                taken, all, run->profilers, nodes, excluded, smallest);
}

/* Sets nodes aside that the user did not ask for. If some job then had too few
 * GPUs, and no conventions ask for it, the nodes are lent instead or, if the
 * policy cannot lend them, none is set aside and the function returns false. */
static bool set_aside_default(struct run *run, uint32_t asked, uint32_t gpus)
{
    const struct cluster_spec before = run->spec;
    uint32_t smallest,
        taken = partition_take_any(asked, gpus, &run->spec, &run->result.arena);
    uint32_t excluded = taken ? count_excluded(run, &before, &smallest) : 0;
    bool is_ruled = compose_ruled(run, "profilers", NULL) != NULL;
    if (excluded == 0 || is_ruled) {
        profilers_say(run, asked, taken);
        return true;
    }
    const struct policy_ops *policy = run->parts.policy.ops;
    if (policy->lends && policy->lends(run->parts.policy.config)) {
        lend_instead(run, taken, excluded, smallest);
        return true;
    }
    run->spec = before;
    run->profilers = "0";
    remarks_add(&run->result.remarks, REMARK_CONCLUSION,
                "profiling: %s profiles no job: with %" PRIu32 " of the nodes "
                "set aside, %" PRIu32 " jobs of %" PRIu32 " GPUs or more would "
                "be rejected (--profilers %" PRIu32 " does)",
                policy->name, taken, excluded, smallest, taken);
    return false;
}

enum status compose_set_aside_any(struct run *run, struct error *err)
{
    struct partition *p = &run->partition;
    uint32_t asked = partition_nodes(p, &run->spec);
    /* The conventions of other simulators take any node, however many GPUs it
     * has. */
    uint32_t gpus =
        compose_ruled(run, "profilers", NULL) ? 0 : largest_profile(run);
    bool owned = p->names.len == 0 && partition_has_profilers(&run->spec);
    bool any = asked && p->names.len == 0 && !owned;
    if (any && !run->asks_profilers) {
        asked = set_aside_default(run, asked, gpus) ? asked : 0;
    } else if (any) {
        uint32_t taken =
            partition_take_any(asked, gpus, &run->spec, &run->result.arena);
        if (taken < asked)
            return error_set(err, STATUS_USAGE,
                             "--profilers: cluster %s can spare %" PRIu32
                             " nodes, not %" PRIu32,
                             run->spec.name, taken, asked);
    }
    profilers_note(run, asked, owned);
    return STATUS_OK;
}
