/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job runs at the speed of the GPU type, and only on exactly as many GPUs as
 * it asked for. With `placement`, a job on more nodes than it needs is slower:
 * its speed is multiplied by the step time of its model on the fewest nodes and
 * divided by the step time on the nodes that it has (models/usage/usage.json).
 * If these times are unknown, the job is not slowed down. The run time in the
 * trace is taken as the run time on the fewest nodes. */
#include "models/elastic/throughput.h"
#include "models/usage/usage.h"

struct rigid_config {
    bool placement;
};

struct rigid {
    /* step times of models; NULL: the number of nodes is ignored */
    const struct usage_table *usage;
    /* by GPU type: number of GPUs of the widest node; 0: no node has this
     * type */
    uint32_t *widest;
};

static const struct option rigid_options[] = {
    OPT_BOOL(struct rigid_config, placement, "placement", false,
             "a job on more nodes than it needs is slower, by the step times "
             "of its model (--workloads schedmate)",
             "off: traces do not tell on how many nodes run times were "
             "recorded"),
    {0},
};

/* Adds a remark if there are jobs of several GPUs that the number of nodes does
 * not slow down because the step times of their model are unknown. */
static void rigid_report(const struct rigid *r, const struct run_env *env)
{
    uint32_t unknown = 0, gangs = 0;
    for (uint32_t i = 0; i < env->n_jobs; i++) {
        const struct job *job = &env->jobs[i];
        if (job->gpus < 2)
            continue;
        const struct usage *usage = &r->usage->rows[job->usage];
        gangs++;
        unknown += !(usage_step_seconds(usage, job->gpus, 1) > 0);
    }
    if (unknown)
        remarks_add(env->remarks, REMARK_NUMBERS,
                    "throughput rigid: the step times of %u of %u jobs of "
                    "several GPUs are unknown; the number of their nodes does "
                    "not slow them down (rigid:placement, --workloads)",
                    unknown, gangs);
}

static enum status rigid_init(void *self, const void *config,
                              const struct run_env *env, struct error *err)
{
    struct rigid *r = self;
    const struct cluster *c = env->cluster;
    (void)err;
    if (!((const struct rigid_config *)config)->placement || !env->usage)
        return STATUS_OK;
    r->usage = env->usage;
    r->widest = ARENA_ARRAY(env->arena, uint32_t, c->n_types);
    for (uint32_t p = 0; p < c->n_pools; p++) {
        uint32_t *widest = &r->widest[c->pools[p].type];
        if (c->pools[p].widest > *widest)
            *widest = c->pools[p].widest;
    }
    rigid_report(r, env);
    return STATUS_OK;
}

/* Returns the speed of a job in this shape divided by its speed on the fewest
 * nodes; 1 if the step times are unknown. */
static double rigid_placed(const struct rigid *r, const struct job *job,
                           struct shape shape)
{
    uint32_t widest = r->widest[shape.gpu_type];
    uint32_t fewest = widest ? (job->gpus + widest - 1) / widest : 1;
    const struct usage *usage = &r->usage->rows[job->usage];
    if (shape.nodes <= fewest)
        return 1;
    double here = usage_step_seconds(usage, job->gpus, shape.nodes);
    return here > 0 ? usage_step_seconds(usage, job->gpus, fewest) / here : 1;
}

static double rigid_rate(const struct throughput *model,
                         const struct cluster *cluster, const struct job *job,
                         struct shape shape)
{
    const struct rigid *r = model->self;
    double speed = cluster->types[shape.gpu_type].speed;
    if (shape.gpus != job->gpus)
        return 0;
    return r->usage ? speed * rigid_placed(r, job, shape) : speed;
}

const struct throughput_ops throughput_rigid = {
    .name = "rigid",
    .summary = "fixed number of GPUs, speed of the GPU type",
    .options = rigid_options,
    .config_size = sizeof(struct rigid_config),
    .state_size = sizeof(struct rigid),
    .init = rigid_init,
    .rate = rigid_rate,
};
