/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dominant resource fairness (Ghodsi et al., NSDI 2011, algorithm 1), without
 * preemption: the user, or account, with the smallest weighted dominant share
 * of the GPUs, CPUs and main memory of the cluster starts its first waiting
 * job, again and again until a job does not fit; with the option `skip` its
 * owner is passed over instead. Weights are the shares of the cluster file. A
 * resource that the cluster file does not limit does not count. At equal shares
 * the owner goes first whose first job was submitted first, then by id. */
#include <stdlib.h>
#include <string.h>

#include "policies/policy.h"
#include "policies/shares/dominant.h"
#include "policies/shares/share_owners.h"

static const char *const drf_by_names[] = {"user", "account", NULL};

struct drf_config {
    unsigned by;
    bool skip;
};

static const struct option drf_options[] = {
    OPT_CHOICE(struct drf_config, by, "by", 0, drf_by_names,
               "whose shares are equal; the account of a job is its vc in the "
               "trace",
               NULL),
    OPT_BOOL(struct drf_config, skip, "skip", false,
             "pass over an owner whose first job does not fit",
             "false: algorithm 1 of the paper"),
    {0},
};

struct drf {
    const struct drf_config *config;
    struct share_owners owners;
    struct dominant capacity, *used; /* `used`: by node of the tree */
};

/* A waiting job, in the queue of its owner. */
struct drf_waiter {
    uint32_t owner, place; /* place: in the queue of the virtual cluster */
    const struct job *job;
};

static enum status drf_init(void *self, const void *config,
                            const struct run_env *env, struct error *err)
{
    struct drf *s = self;
    (void)err;
    s->config = config;
    share_owners_init(&s->owners, env,
                      s->config->by ? SHARE_BY_ACCOUNT : SHARE_BY_USER);
    s->used = mem_zalloc(s->owners.tree.n, sizeof *s->used);
    s->capacity = (struct dominant){{[DOMINANT_GPUS] = env->cluster->n_gpus,
                                     [DOMINANT_CPUS] = env->cpus,
                                     [DOMINANT_MEMORY] = env->mem_mib}};
    if (!env->extras || (!(env->cpus > 0) && !(env->mem_mib > 0)))
        remarks_add(env->remarks, REMARK_CONCLUSION,
                    "only GPUs count: trace and cluster file do not tell CPUs "
                    "or main memory, so that dominant shares are those of "
                    "GPUs");
    return STATUS_OK;
}

static struct dominant drf_demand(const struct view *view,
                                  const struct job *job)
{
    const struct job_extras x = view_extras(view, job);
    return (struct dominant){{[DOMINANT_GPUS] = job->gpus,
                              [DOMINANT_CPUS] = x.cpus,
                              [DOMINANT_MEMORY] = (double)x.mem_mib}};
}

/* Finds what all owners hold. */
static void drf_measure(struct drf *s, const struct view *view)
{
    memset(s->used, 0, s->owners.tree.n * sizeof *s->used);
    for (uint16_t vc = 0; vc < view_cluster(view)->n_vcs; vc++) {
        for (const struct job *job = view_first_running(view, vc); job;
             job = view_next_running(view, job)) {
            const struct dominant demand = drf_demand(view, job);
            dominant_add(&s->used[s->owners.leaf[job->id]], &demand);
        }
    }
}

static double drf_share(const struct drf *s, uint32_t leaf)
{
    const struct share_tree *tree = &s->owners.tree;
    const uint32_t parent = tree->at[leaf].parent;
    const double weight =
        s->config->by ? tree->at[parent].shares : tree->at[leaf].shares;
    return dominant_share(&s->used[leaf], &s->capacity, weight);
}

static int drf_compare(const void *a, const void *b)
{
    const struct drf_waiter *x = a, *y = b;
    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Returns the first job of the owner that is served next; NULL: none is left.
 * `heads` has the index of the first job of each of the `n` owners; `queue`
 * ends with a waiter without a job. */
static const struct drf_waiter *drf_next(const struct drf *s,
                                         const struct drf_waiter *queue,
                                         const size_t *heads, size_t n,
                                         size_t *owner)
{
    const struct drf_waiter *best = NULL;
    double least = 0;
    for (size_t i = 0; i < n; i++) {
        if (heads[i] == SIZE_MAX)
            continue;
        const struct drf_waiter *head = &queue[heads[i]];
        const double share = drf_share(s, head->owner);
        if (best &&
            (share > least || (share == least && head->place > best->place)))
            continue;
        best = head;
        least = share;
        *owner = i;
    }
    return best;
}

static void drf_serve(struct drf *s, struct plan *plan,
                      const struct drf_waiter *queue, size_t *heads, size_t n)
{
    const struct drf_waiter *next;
    size_t i = 0;
    while ((next = drf_next(s, queue, heads, n, &i))) {
        const bool starts = plan_start(plan, next->job);
        if (starts) {
            const struct dominant demand = drf_demand(plan->view, next->job);
            dominant_add(&s->used[next->owner], &demand);
        }
        /* a job that advance reservations keep out blocks no other */
        if (starts || plan_is_booked_out(plan, next->job)) {
            heads[i] = next[1].owner == next->owner ? heads[i] + 1 : SIZE_MAX;
        } else if (s->config->skip) {
            heads[i] = SIZE_MAX;
        } else {
            return;
        }
    }
}

static void drf_decide_in(struct drf *s, const struct view *view,
                          struct plan *plan, uint16_t vc)
{
    const size_t n = view_n_pending(view, vc);
    if (!n || !plan_free_gpus(plan, vc))
        return;
    struct drf_waiter *queue = plan_scratch(plan, (n + 1) * sizeof *queue);
    size_t *heads = plan_scratch(plan, n * sizeof *heads), n_heads = 0;
    uint32_t i = 0;
    for (const struct job *job = view_first_pending(view, vc); job;
         job = view_next_pending(view, job), i++)
        queue[i] = (struct drf_waiter){s->owners.leaf[job->id], i, job};
    qsort(queue, n, sizeof *queue, drf_compare);
    queue[n].owner = UINT32_MAX;
    for (size_t k = 0; k < n; k++) {
        if (k == 0 || queue[k].owner != queue[k - 1].owner)
            heads[n_heads++] = k;
    }
    drf_serve(s, plan, queue, heads, n_heads);
}

static void drf_decide(void *self, const struct view *view, struct plan *plan)
{
    struct drf *s = self;
    const struct vc_list touched = view_touched(view);
    drf_measure(s, view);
    for (uint32_t i = 0; i < touched.count; i++)
        drf_decide_in(s, view, plan, touched.at[i]);
}

static void drf_fini(void *self)
{
    struct drf *s = self;
    share_owners_fini(&s->owners);
    free(s->used);
}

const struct policy_ops policy_drf = {
    .name = "drf",
    .summary = "smallest dominant share of GPUs, CPUs, memory; no preemption",
    .needs = POLICY_USES_EXTRAS,
    .options = drf_options,
    .config_size = sizeof(struct drf_config),
    .state_size = sizeof(struct drf),
    .init = drf_init,
    .decide = drf_decide,
    .fini = drf_fini,
};
