/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The policy mypolicy: the smallest waiting job first, but a job that has
 * waited for patience_s goes before all others. Change by_rank and decide.
 *
 *     schedsim policy build mypolicy.c
 *     schedsim policy check mypolicy.so
 *     schedsim run TRACE --policy mypolicy.so:patience_s=7200
 *
 * policies/decide/view.h in the folder of schedsim's headers says what a policy
 * may know, policies/decide/plan.h what it may do. */
#include <schedsim_policy.h>

/* A setting has a default and a range, which the program checks and shows. */
struct config {
    sim_span patience; /* microseconds, as all times are */
};
static const struct option options[] = {
    OPT_SPAN(struct config, patience, "patience_s", 3600, 0, SECONDS_MAX,
             "time after which a waiting job goes first", "assumed"),
    {0},
};

struct state {
    const struct config *config;
};

static enum status init(void *self, const void *config,
                        const struct run_env *env, struct error *err)
{
    (void)env;
    (void)err;
    ((struct state *)self)->config = config;
    return STATUS_OK;
}

struct rank {
    bool late;
    const struct job *job;
};

/* The job numbers leave no tie open: two runs must decide alike. */
static int by_rank(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    if (x->late != y->late)
        return x->late ? -1 : 1;
    if (x->job->gpus != y->job->gpus)
        return x->job->gpus < y->job->gpus ? -1 : 1;
    return x->job->id < y->job->id ? -1 : 1;
}

static void start_all(const struct state *s, const struct view *view,
                      struct plan *plan, uint16_t vc)
{
    size_t n = 0, room = view_n_pending(view, vc) + 1;
    struct rank *all = plan_scratch(plan, room * sizeof *all);
    for (const struct job *job = view_first_pending(view, vc); job;
         job = view_next_pending(view, job)) {
        bool late = view_now(view) - job->submitted >= s->config->patience;
        all[n++] = (struct rank){late, job};
    }
    qsort(all, n, sizeof *all, by_rank);
    for (size_t i = 0; i < n; i++)
        plan_start(plan, all[i].job); /* false if the job does not fit */
}

/* Called once per instant at which something has happened. */
static void decide(void *self, const struct view *view, struct plan *plan)
{
    /* In other virtual clusters nothing has changed, so nothing can start. */
    struct vc_list touched = view_touched(view);
    for (uint32_t i = 0; i < touched.count; i++)
        start_all(self, view, plan, touched.at[i]);
}

static const struct policy_ops own = {
    .name = "mypolicy",
    .summary = "smallest first, but a job that has waited for long goes first",
    .options = options,
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    /* POLICY_NEEDS_DURATION: view_remaining answers; POLICY_PREEMPTS: plan_stop
     * is allowed */
    .needs = 0,
    .init = init,
    .decide = decide,
};

SCHEDSIM_POLICY(own);
