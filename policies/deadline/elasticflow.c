/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ElasticFlow (Gu et al., ASPLOS 2023). When a job with a deadline is
 * submitted, all jobs that were admitted and the new one are promised GPUs in
 * time slots, in the order of their deadlines, each the fewest with which it
 * ends in time (its minimum satisfactory share). If one of them gets none, the
 * new job is declined: rejected, or without a promise from then on (option
 * declined). At the beginning of a slot, jobs get what they were promised for
 * it, and the GPUs that are left go where they save most (spare_gpus). Jobs
 * that the model of throughput does not let scale have only the number of GPUs
 * that they ask for; for these, this is admission in the order of deadlines. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "policies/deadline/promises.h"

enum { DECLINED_REJECT, DECLINED_QUEUE };
static const char *const declined_names[] = {"reject", "queue", NULL};

struct elasticflow_config {
    sim_span round;
    unsigned declined;
    uint32_t gpus_most;
};

static const struct option elasticflow_options[] = {
    OPT_SPAN(struct elasticflow_config, round, "round_s", 60, 10, 86400,
             "length of a slot; GPUs are shared out when one begins",
             "ElasticFlow's artifact: 60 s in figure 8, else 240 s"),
    OPT_CHOICE(struct elasticflow_config, declined, "declined", DECLINED_REJECT,
               declined_names,
               "what becomes of a job whose deadline cannot be met: reject it, "
               "or queue it for the GPUs that are left",
               "ElasticFlow's artifact: reject"),
    OPT_U32(struct elasticflow_config, gpus_most, "gpus_most", 64, 1, 65536,
            "most GPUs of a job that scales", "ElasticFlow's artifact: 64"),
    {0},
};

/* The engine gives `never` no state that may change, so it is owned here. */
struct elasticflow {
    struct elasticflow_state {
        const struct elasticflow_config *config;
        struct promises book;
        sim_time decided; /* time of the last round; -1: none */
    } * state;
};

static int elasticflow_by_due(const void *a, const void *b)
{
    const struct promises_row *x = a, *y = b;
    if (x->due != y->due)
        return x->due < y->due ? -1 : 1;
    return (x->job->id > y->job->id) - (x->job->id < y->job->id);
}

/* See struct promises. */
static void elasticflow_describe(const void *config, const struct view *view,
                                 const struct pool *pool, sim_time from,
                                 struct promises_row *row)
{
    const struct elasticflow_config *c = config;
    const struct job *job = row->job;
    struct belief belief;
    levels_of(view, job, pool, c->gpus_most, &row->levels);
    row->due = view_deadline(view, job);
    row->left = LEFT_UNKNOWN;
    if (!view_remaining(view, job, &belief))
        return;
    row->left = belief.mean > 0 ? (double)belief.mean : 1;
    if (job->state != JOB_RUNNING || view_is_starting(view, job))
        return;
    int at = levels_within(&row->levels, gpu_set_size(view_where(view, job)));
    if (at >= 0)
        row->left -= row->levels.rate[at] * (double)(from - view_now(view));
    /* the engine may round its end up */
    row->done = row->left < -2;
    row->left = row->left > 1 ? row->left : 1;
}

static enum status elasticflow_init(void *self, const void *config,
                                    const struct run_env *env,
                                    struct error *err)
{
    struct elasticflow_state *s = mem_zalloc(1, sizeof *s);
    (void)err;
    ((struct elasticflow *)self)->state = s;
    s->config = config;
    s->decided = -1;
    s->book.describe = elasticflow_describe;
    s->book.order = elasticflow_by_due;
    s->book.config = config;
    promises_init(&s->book, env->view, s->config->round);
    return STATUS_OK;
}

static void elasticflow_fini(void *self)
{
    struct elasticflow_state *s = ((struct elasticflow *)self)->state;
    if (s)
        promises_fini(&s->book);
    free(s);
}

static const char *elasticflow_never(const void *self, const struct view *view,
                                     const struct job *job)
{
    struct elasticflow_state *s = ((const struct elasticflow *)self)->state;
    uint64_t declined = s->book.declined;
    if (view_deadline(view, job) == TIME_NEVER ||
        promises_admit(&s->book, view, job) || s->book.declined == declined ||
        s->config->declined == DECLINED_QUEUE)
        return NULL;
    return "declined: its deadline cannot be met";
}

static void elasticflow_observe(void *self, const struct view *view,
                                const struct event *event)
{
    (void)view;
    promises_observe(&((struct elasticflow *)self)->state->book, event);
}

/* Returns the GPU time that a job saves for each GPU of its next level that it
 * gets in the slot that begins, measured on its lowest level; 0: it can use no
 * more. A job that ends within the slot saves only what it still needs. */
static double spare_gain(const struct promises *book,
                         const struct promises_row *row, uint32_t spare)
{
    const struct levels *l = &row->levels;
    int at = levels_within(l, row->have);
    if (at + 1 >= (int)l->n || l->gpus[at + 1] - row->have > spare)
        return 0;
    double length = (double)book->slots.length;
    double now = at >= 0 ? l->rate[at] * length : 0;
    double then = l->rate[at + 1] * length;
    now = now < row->left ? now : row->left;
    then = then < row->left ? then : row->left;
    return (then - now) / (l->gpus[at + 1] - row->have) * l->gpus[0] /
           l->rate[0];
}

/* Shares out the GPUs of the pool that nobody was promised for this slot. Jobs
 * without GPUs come first, those with a promise before the others; then the
 * next level goes to the job with the largest gain, of equal ones to the first.
 */
static void spare_gpus(struct promises *book, struct plan *plan, uint32_t spare)
{
    double *gain = plan_scratch(plan, (book->n + 1) * sizeof *gain);
    for (size_t i = 0; i < book->n; i++) {
        struct promises_row *row = &book->rows[i];
        if (row->have == 0 && row->levels.n && row->levels.gpus[0] <= spare) {
            row->have = row->levels.gpus[0];
            spare -= row->have;
        }
    }
    for (size_t i = 0; i < book->n; i++)
        gain[i] =
            book->rows[i].have ? spare_gain(book, &book->rows[i], spare) : 0;
    for (;;) {
        size_t best = 0;
        for (size_t i = 1; i < book->n; i++)
            best = gain[i] > gain[best] ? i : best;
        if (book->n == 0 || !(gain[best] > 0))
            return;
        struct promises_row *row = &book->rows[best];
        /* more GPUs were spare when the gain was computed */
        if (spare_gain(book, row, spare) > 0) {
            uint32_t next =
                row->levels.gpus[levels_within(&row->levels, row->have) + 1];
            spare -= next - row->have;
            row->have = next;
        }
        gain[best] = spare_gain(book, row, spare);
    }
}

static void elasticflow_decide(void *self, const struct view *view,
                               struct plan *plan)
{
    struct elasticflow_state *s = ((struct elasticflow *)self)->state;
    struct promises *book = &s->book;
    const struct cluster *c = view_cluster(view);
    sim_time now = view_now(view), begin = promises_begin(book, now);
    if (begin != now || s->decided == now) {
        begin = begin == now ? now + s->config->round : begin;
        plan_wake_at(plan, begin);
        plan_rest_until(plan, begin);
        return;
    }
    s->decided = now;
    for (uint32_t p = 0; p < c->n_pools; p++) {
        if (c->pools[p].profiler)
            continue;
        uint32_t spare = promises_renew(book, view, p);
        promises_add_rest(book, view, plan, p);
        spare_gpus(book, plan, spare);
        promises_place(book, view, plan, p);
        sim_time rise = promises_next_rise(book);
        if (rise != TIME_NEVER)
            plan_wake_at(plan, rise);
    }
    plan_rest_until(plan, now + s->config->round);
}

static size_t elasticflow_count(const void *self, struct policy_count *out)
{
    return promises_count(&((const struct elasticflow *)self)->state->book,
                          out);
}

static void elasticflow_remark(const void *self, struct remarks *remarks)
{
    const struct elasticflow_state *s =
        ((const struct elasticflow *)self)->state;
    const struct promises *book = &s->book;
    promises_remark(book, "elasticflow", remarks);
    if (book->declined)
        remarks_add(remarks, REMARK_CONCLUSION,
                    "elasticflow declined %" PRIu64 " of %" PRIu64
                    " jobs with a deadline, because it could not be met%s",
                    book->declined,
                    book->admitted + book->declined + book->unknown,
                    s->config->declined == DECLINED_REJECT
                        ? ""
                        : "; they run on GPUs that are left");
}

const struct policy_ops policy_elasticflow = {
    .name = "elasticflow",
    .summary = "admits jobs whose deadlines can be met, and scales them",
    .options = elasticflow_options,
    .config_size = sizeof(struct elasticflow_config),
    .state_size = sizeof(struct elasticflow),
    .needs = POLICY_NEEDS_DURATION | POLICY_PREEMPTS | POLICY_OWNS_NODES,
    .init = elasticflow_init,
    .fini = elasticflow_fini,
    .never = elasticflow_never,
    .observe = elasticflow_observe,
    .decide = elasticflow_decide,
    .count = elasticflow_count,
    .remark = elasticflow_remark,
};
