/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Horus (Yeung et al., TPDS 33(1), 2022): lightest job first, packed by
 * predicted utilisation and memory. The waiting jobs of a virtual cluster are a
 * heap by predicted utilisation. Among the few lightest jobs, the first one
 * that can be placed starts; this is repeated until none of them can be placed.
 * The policy preempts no job.
 *
 * In the authors' simulator one job starts in a time step, and a job has a mean
 * and a maximum utilisation. Here any number of jobs may start at an instant,
 * and a job has one utilisation. */
#include "policies/packing/horus_cost.h"

#include <stdlib.h>

#include "base/heap.h"

#define LOOKAHEAD_MAX 64
#define HORUS "Horus' released simulator"

static const char *const cost_names[] = {"intended", "coded", NULL};

static const struct option horus_options[] = {
    OPT_U32(struct horus_config, lookahead, "lookahead", 5, 1, LOOKAHEAD_MAX,
            "number of the lightest waiting jobs that are tried in turn; the "
            "first that fits starts",
            HORUS),
    OPT_DOUBLE(struct horus_config, headroom_mib, "headroom_mib", 500, 0, 1e9,
               "memory that stays free on a GPU that jobs share, MiB", HORUS),
    OPT_DOUBLE(struct horus_config, memory_weight, "memory_weight", 1.3, 0, 1e6,
               "weight of memory in the cost of a GPU", HORUS),
    OPT_DOUBLE(struct horus_config, overload, "overload", 1.6, 0, 1e6,
               "weight of utilisation beyond 100 % in the cost of a GPU",
               HORUS),
    OPT_CHOICE(
        struct horus_config, cost, "cost", HORUS_COST_INTENDED, cost_names,
        "memory in the cost of a GPU: intended: the share in use; coded: "
        "MiB in use plus the job's share, as the released code computes",
        "assumed: intended; the code lacks a pair of brackets"),
    {0},
};

/* An entry of the queue. A job that is ranked again gets a new entry; its old
 * one stays in the heap until it is at the top. */
struct horus_entry {
    double util; /* predicted utilisation, percent */
    /* position of the job in the order in which jobs began to wait */
    uint64_t seq;
    uint64_t number; /* number of the entry, from 1 */
    const struct job *job;
};

struct queue {
    struct horus_entry *heap;
    size_t n, cap;
    /* 1 + number of events after which a job that did not fit before may fit */
    uint32_t releases;
};

struct horus {
    const struct horus_config *config;
    struct horus_offers offers;
    struct queue *queues; /* queues by virtual cluster */
    uint32_t n_vcs;
    uint64_t seq;       /* `seq` of the next job that begins to wait */
    uint64_t n_entries; /* number of entries made so far */
};

static enum status horus_init(void *self, const void *config,
                              const struct run_env *env, struct error *err)
{
    const struct view *view = env->view;
    struct horus *h = self;
    (void)err;
    h->config = config;
    h->n_vcs = view_cluster(view)->n_vcs;
    horus_offers_init(&h->offers, config, view_cluster(view));
    h->queues = mem_zalloc(h->n_vcs, sizeof *h->queues);
    for (uint32_t vc = 0; vc < h->n_vcs; vc++)
        h->queues[vc].releases = 1;
    return STATUS_OK;
}

static void horus_fini(void *self)
{
    struct horus *h = self;
    for (uint32_t vc = 0; vc < h->n_vcs; vc++)
        free(h->queues[vc].heap);
    free(h->queues);
    horus_offers_fini(&h->offers);
}

static bool horus_before(const void *x, const void *y)
{
    const struct horus_entry *a = x, *b = y;
    return a->util < b->util || (a->util <= b->util && a->seq < b->seq);
}

static const struct heap_kind lightest_first = {
    .size = sizeof(struct horus_entry),
    .before = horus_before,
};

static void horus_push(struct queue *q, struct horus_entry entry)
{
    q->heap = mem_grow(q->heap, &q->cap, q->n + 1, sizeof *q->heap);
    heap_put(&lightest_first, NULL, q->heap, q->n++, &entry);
}

static struct horus_entry horus_pop(struct queue *q)
{
    struct horus_entry top = q->heap[0];
    heap_take(&lightest_first, NULL, q->heap, q->n--, 0);
    return top;
}

/* Sets the believed demand of a job. Unknown demand counts as full utilisation
 * and no memory. */
static void horus_believe(const struct view *view, const struct job *job)
{
    struct horus_mine *mine = view_mine(view, job);
    struct demand demand;
    if (!view_demand(view, job, &demand))
        demand = (struct demand){.compute = 1};
    mine->util = 100 * demand.compute;
    mine->mem_mib = demand.mem_mib;
}

/* Puts a waiting job into the queue of its virtual cluster, by its believed
 * demand. */
static void horus_rank(struct horus *h, const struct view *view,
                       const struct job *job)
{
    struct horus_mine *mine = view_mine(view, job);
    horus_believe(view, job);
    mine->refused = 0;
    mine->entry = ++h->n_entries;
    horus_push(&h->queues[job->vc], (struct horus_entry){.util = mine->util,
                                                         .seq = mine->seq,
                                                         .number = mine->entry,
                                                         .job = job});
}

/* Called for an event about a pending job. A job that begins to wait comes
 * after all jobs of equal utilisation; one that is ranked again keeps its turn
 * among them. */
static void horus_enter(struct horus *h, const struct view *view,
                        const struct event *event)
{
    struct horus_mine *mine = view_mine(view, event->job);
    if (mine->entry && event->kind != EVENT_BELIEF)
        return;
    if (!mine->entry)
        mine->seq = h->seq++;
    horus_rank(h, view, event->job);
}

static void horus_observe(void *self, const struct view *view,
                          const struct event *event)
{
    struct horus *h = self;
    const struct job *job = event->job;
    if (!job) {
        for (uint32_t vc = 0; vc < h->n_vcs; vc++)
            h->queues[vc].releases++;
        return;
    }
    bool is_news = event->kind == EVENT_BELIEF;
    if (event->kind != EVENT_SUBMITTED &&
        (!is_news || job->state == JOB_RUNNING))
        h->queues[job->vc].releases++; /* a job that did not fit may fit now */
    /* A job that a monitor has evicted may leave a host that must not share. */
    h->offers.news +=
        event->kind == EVENT_STOPPED || (is_news && job->state == JOB_RUNNING);
    if (job->state == JOB_REJECTED)
        ((struct horus_mine *)view_mine(view, job))->entry = 0;
    else if (job->state == JOB_PENDING)
        horus_enter(h, view, event);
    else if (is_news && job->state == JOB_RUNNING)
        horus_believe(view, job);
}

/* Starts a job if it fits, and then returns true. A job that did not fit is
 * tried again only after GPUs may have come free, or after news about it or
 * about a running job. */
static bool try_start(struct horus *h, struct plan *plan, const struct queue *q,
                      const struct job *job)
{
    struct horus_mine *mine = view_mine(plan->view, job);
    if (mine->refused == q->releases)
        return false;
    struct gpu_set where = horus_place(&h->offers, plan, job);
    if (where.count && plan_share_on(plan, job, where)) {
        mine->entry = 0;
        return true;
    }
    mine->refused = q->releases;
    return false;
}

/* False if the job has started or was ranked again since this entry was
 * made. */
static bool is_current(const struct view *view, const struct horus_entry *entry)
{
    const struct horus_mine *mine = view_mine(view, entry->job);
    return mine->entry == entry->number;
}

/* Starts the first of the lightest jobs that fits. Returns false if none of
 * them fits. */
static bool start_one(struct horus *h, struct plan *plan, struct queue *q)
{
    struct horus_entry seen[LOOKAHEAD_MAX];
    uint32_t n = 0;
    bool started = false;
    while (q->n && n < h->config->lookahead && !started) {
        seen[n] = horus_pop(q);
        if (!is_current(plan->view, &seen[n]))
            continue;
        started = try_start(h, plan, q, seen[n].job);
        n += !started;
    }
    while (n)
        horus_push(q, seen[--n]);
    return started;
}

static void horus_decide(void *self, const struct view *view, struct plan *plan)
{
    struct horus *h = self;
    struct vc_list touched = view_touched(view);
    for (uint32_t i = 0; i < touched.count; i++) {
        struct queue *q = &h->queues[touched.at[i]];
        while (start_one(h, plan, q)) {
        }
    }
}

const struct policy_ops policy_horus = {
    .name = "horus",
    .summary = "lightest job first, packed by predicted utilisation",
    .options = horus_options,
    .config_size = sizeof(struct horus_config),
    .state_size = sizeof(struct horus),
    .job_size = sizeof(struct horus_mine),
    .needs = POLICY_NEEDS_DEMAND | POLICY_SHARES,
    .init = horus_init,
    .observe = horus_observe,
    .decide = horus_decide,
    .fini = horus_fini,
};
