/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slurm's priority/multifactor: starts waiting jobs by falling priority, which
 * policies/shares/priority.h defines; at equal priority by submission, then id.
 * The first job that does not fit blocks its virtual cluster, as in Slurm's
 * main loop (sched/builtin); with the option `skip`, later jobs may start
 * before it, and with plan=slurm as sched/backfill lets them. With all weights
 * but weight_fairshare at 0 it is plain fair share by decayed usage. */
#include "policies/queue/planner.h"
#include "policies/queue/ranked.h"
#include "policies/shares/priority.h"

struct multifactor_config {
    struct priority_config priority;
    struct planner_config planner;
    bool skip;
};

static const char *const multifactor_plans[] = {"head", "conservative", "slurm",
                                                NULL};

static const struct option multifactor_options[] = {
    PRIORITY_OPTIONS(struct multifactor_config, priority),
    OPT_BOOL(struct multifactor_config, skip, "skip", false,
             "pass over a job that does not fit", "false: sched/builtin",
             OPT_WHEN("plan=head")),
    OPT_CHOICE(struct multifactor_config, planner.plan, "plan", PLANNER_NONE,
               multifactor_plans,
               "head: a job that does not fit blocks the others; conservative: "
               "each job has a reservation that does not delay those of jobs "
               "with higher priority; slurm: so do whole nodes, as Slurm plans",
               "head: sched/builtin; conservative: Mu'alem and Feitelson 2001; "
               "slurm: sched/backfill, what Slurm ships (22.05)"),
    PLANNER_OPTIONS(struct multifactor_config, planner, OPT_WHEN("plan!=head")),
    {0},
};

struct multifactor {
    struct priority priority; /* first, so that a test finds it */
    struct order order;
    struct planner planner;
    const struct multifactor_config *config;
};

/* order_own: the priority, which falls in the order of the keys. */
static int64_t multifactor_key(void *self, const struct view *view,
                               const struct job *job,
                               struct order_runner *runner)
{
    struct multifactor *s = self;
    (void)view;
    if (runner)
        runner->steady_until = TIME_NEVER; /* running jobs are never stopped */
    return -(int64_t)priority_of(&s->priority, job);
}

static enum status multifactor_init(void *self, const void *config,
                                    const struct run_env *env,
                                    struct error *err)
{
    struct multifactor *s = self;
    (void)err;
    s->config = config;
    order_init(&s->order, env->view, NULL);
    s->order.own = multifactor_key;
    s->order.own_self = s;
    priority_init(&s->priority, &s->config->priority, env);
    planner_init(&s->planner, &s->config->planner, env->view);
    return STATUS_OK;
}

/* Brings the queue to the last tick. */
static void multifactor_renew(struct multifactor *s, const struct view *view)
{
    if (priority_renew(&s->priority))
        order_renew(&s->order, view);
}

static void multifactor_observe(void *self, const struct view *view,
                                const struct event *event)
{
    struct multifactor *s = self;
    multifactor_renew(s, view);
    priority_observe(&s->priority, event);
    order_observe(&s->order, view, event);
    planner_observe(&s->planner, event);
}

static void multifactor_adopt(void *self, const struct view *view,
                              const struct job *job)
{
    struct multifactor *s = self;
    (void)view;
    planner_adopt(&s->planner, job);
}

static void multifactor_plan(struct multifactor *s, struct plan *plan,
                             uint16_t vc)
{
    uint32_t n = planner_reach(&s->planner, plan, vc);
    struct waiting_jobs waiters = order_waiters(&s->order, plan, vc, n);
    planner_decide(&s->planner, plan, vc, waiters);
    order_take_started(&s->order, plan, waiters);
}

static void multifactor_decide(void *self, const struct view *view,
                               struct plan *plan)
{
    struct multifactor *s = self;
    const struct vc_list touched = view_touched(view);
    multifactor_renew(s, view);
    for (uint32_t i = 0; i < touched.count; i++) {
        if (s->planner.kind != PLANNER_NONE)
            multifactor_plan(s, plan, touched.at[i]);
        else if (s->config->skip)
            order_fill_around(&s->order, plan, touched.at[i]);
        else
            order_fill(&s->order, plan, touched.at[i]);
    }
    for (uint32_t vc = 0; vc < s->order.n_vcs; vc++) {
        if (s->order.vcs[vc].n_waiting)
            plan_wake_at(plan, priority_next(&s->priority));
    }
}

static void multifactor_remark(const void *self, struct remarks *remarks)
{
    priority_remark(&((const struct multifactor *)self)->priority, remarks);
}

static void multifactor_fini(void *self)
{
    struct multifactor *s = self;
    order_fini(&s->order);
    planner_fini(&s->planner);
    priority_fini(&s->priority);
}

static bool multifactor_asks_times(const void *config)
{
    return ((const struct multifactor_config *)config)->planner.plan !=
           PLANNER_NONE;
}

const struct policy_ops policy_multifactor = {
    .name = "multifactor",
    .summary = "Slurm's priority of age, fair share and size; no preemption",
    .needs = POLICY_USES_EXTRAS | POLICY_USES_DURATION,
    .options = multifactor_options,
    .config_size = sizeof(struct multifactor_config),
    .state_size = sizeof(struct multifactor),
    .job_size = sizeof(struct order_mine),
    .init = multifactor_init,
    .observe = multifactor_observe,
    .adopt = multifactor_adopt,
    .decide = multifactor_decide,
    .remark = multifactor_remark,
    .asks_times = multifactor_asks_times,
    .fini = multifactor_fini,
};
