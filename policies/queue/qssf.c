/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quasi-shortest service first (Helios, SC'21): orders jobs by believed run
 * time x GPUs, without preemption; the first job that does not fit blocks its
 * virtual cluster. The belief comes from the estimators: the paper's mixture is
 * `blend,gbdt,history`. */
#include "policies/queue/order.h"

enum { NEWCOMERS_RANKED, NEWCOMERS_BY_SIZE };
static const char *const newcomers[] = {"ranked", "by-size", NULL};

struct qssf_config {
    unsigned ties, newcomers;
};

static const struct option qssf_options[] = {
    OPT_CHOICE(struct qssf_config, ties, "ties", ORDER_TIES_SOUND,
               order_ties_names, "which job goes first at equal keys",
               "Lucid's simulator: size"),
    OPT_CHOICE(struct qssf_config, newcomers, "newcomers", NEWCOMERS_RANKED,
               newcomers,
               "order of jobs that arrive together when no job waits",
               "Lucid's simulator: by-size, without an estimate"),
    {0},
};

struct qssf {
    struct order order;
    const struct qssf_config *config;
};

static enum status qssf_init(void *self, const void *config,
                             const struct run_env *env, struct error *err)
{
    const struct view *view = env->view;
    struct qssf *s = self;
    (void)err;
    s->config = config;
    order_init(&s->order, view, order_by_service);
    s->order.ties = (enum order_ties)s->config->ties;
    return STATUS_OK;
}

static void qssf_observe(void *self, const struct view *view,
                         const struct event *event)
{
    order_observe(&((struct qssf *)self)->order, view, event);
}

/* True if jobs are pending and all of them were submitted now. Checks only the
 * first one, because jobs that have waited longer, and jobs that return at this
 * instant, stand before those submitted now. */
static bool all_are_new(const struct view *view, uint16_t vc)
{
    const struct job *first = view_first_pending(view, vc);
    return first && first->submitted == view_now(view);
}

static void qssf_decide(void *self, const struct view *view, struct plan *plan)
{
    struct qssf *s = self;
    struct vc_list touched = view_touched(view);
    bool by_size = s->config->newcomers == NEWCOMERS_BY_SIZE;
    for (uint32_t i = 0; i < touched.count; i++) {
        if (by_size && all_are_new(view, touched.at[i]))
            order_fill_by_size(&s->order, plan, touched.at[i]);
        else
            order_fill(&s->order, plan, touched.at[i]);
    }
}

static void qssf_fini(void *self)
{
    order_fini(&((struct qssf *)self)->order);
}

const struct policy_ops policy_qssf = {
    .name = "qssf",
    .summary = "shortest believed GPU time first, no preemption",
    .options = qssf_options,
    .config_size = sizeof(struct qssf_config),
    .state_size = sizeof(struct qssf),
    .job_size = sizeof(struct order_mine),
    .needs = POLICY_NEEDS_DURATION,
    .init = qssf_init,
    .observe = qssf_observe,
    .decide = qssf_decide,
    .fini = qssf_fini,
};
