/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks the wrapped policy in the turns that lending.h describes. */
#include "policies/quota/lending.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "policies/quota/lending_shares.h"

enum { VICTIMS_LOSS, VICTIMS_NEWEST };
enum { FAIR_NONE, FAIR_BOTH, FAIR_FINAL, FAIR_INITIAL, FAIR_DIVISION };
static const char *const victims_names[] = {"loss", "newest", NULL};
static const char *const fair_names[] = {"none",    "both",     "final",
                                         "initial", "division", NULL};

const struct option lending_options[] = {
    OPT_CHOICE(struct lending_config, victims, "victims", VICTIMS_LOSS,
               victims_names,
               "which jobs of the lowest priority are stopped first: loss (the "
               "least GPU time since their start) or newest (the latest start)",
               "newest: Kueue; loss: assumed"),
    OPT_DOUBLE(struct lending_config, preempt_above, "preempt_above", 0, 0, 1,
               "share of the GPUs that must be in use before jobs are stopped",
               "0: Kueue; Philly: 0.9 (ATC'19 section 2.3)"),
    OPT_CHOICE(struct lending_config, fair, "fair", FAIR_NONE, fair_names,
               "none: who borrows is decided by priority, then age; else by "
               "the share beyond the quota over the weight, also for stops: "
               "final (after the stop), initial (before it) or both; division: "
               "by the GPUs held over a fair share, which is divided anew at "
               "each decision",
               "Kueue's fair sharing, strategies LessThanOrEqualToFinalShare "
               "and LessThanInitialShare; division: KAI-Scheduler"),
    OPT_DOUBLE(struct lending_config, k, "k", 0, 0, 1000,
               "how much the usage of the past lowers a fair share",
               "KAI-Scheduler, time-based fair share; 0: not at all",
               OPT_WHEN("fair=division")),
    OPT_DOUBLE(struct lending_config, half_life_s, "half_life_s", 0, 0, 1e9,
               "time in which usage of the past loses half its weight, s; 0: "
               "it loses none",
               "KAI-Scheduler, time-based fair share",
               OPT_WHEN("fair=division")),
    OPT_TEXT(struct lending_config, priorities, "priorities",
             "spot+best-effort+low+normal+high",
             "words for priorities in the trace, from the lowest; a number is "
             "taken as it is, any other word and no word as normal",
             "assumed"),
    {0},
};

/* Why the policy is being asked. */
enum lending_mode {
    LEND_NOMINAL, /* within the nominal quotas */
    LEND_BORROW,  /* one start on borrowed GPUs */
    LEND_TRY,     /* not asked: the layer tries whether a job finds room */
};

struct lending_vc {
    uint32_t queue; /* its node in the tree */
    int64_t base;   /* GPUs in use when the policy was asked */
    job_id head;    /* JOB_NONE: no job waits, or none is known yet */
    uint32_t head_gpus;
    bool ask;   /* the policy is to be asked within the nominal quota */
    bool stuck; /* the head has quota and finds no place */
    /* head for which jobs were stopped last at this instant, and GPUs in use
     * then: if neither changes, further stops are of no use */
    job_id reclaimed;
    int64_t reclaimed_at;
};

struct lending_state {
    const struct lending *lending;
    void *inner; /* state of the wrapped policy, stored after this struct */
    struct quota_tree tree, trial; /* `trial`: for what-ifs */
    struct quota_fairness fairness;
    bool divides; /* by the fair shares of `shares` */
    struct lending_shares shares;
    struct view view; /* the engine's, with `about` in asked_about */
    struct vc_list about;
    struct plan_gate gate;
    enum lending_mode mode;
    struct lending_vc *vcs; /* by virtual cluster */
    uint16_t *list;         /* room for all virtual clusters */
    uint32_t n_vcs;
    uint16_t first;    /* asked before the others; UINT16_MAX: none */
    int32_t *priority; /* by job; NULL: all equal */
    sim_time at;       /* the instant that the marks are about */
    sim_time rest;     /* plan.rest as the policy set it last */
    uint32_t n_new;    /* jobs that the plan starts and that waited before */
    /* reclaims and plans with stops at this instant; at most one for each GPU,
     * should jobs take back from each other what they just got */
    uint32_t n_now;
    bool ask_all;    /* something has freed GPUs, or the policy woke */
    bool own_wake;   /* a wake is pending that the layer asked for */
    job_id *stopped; /* stops that the policy has not been told of */
    size_t n_stopped, cap_stopped;
    struct quota_load *loads; /* scratch: the running jobs */
    size_t n_loads, cap_loads;
    /* for the results */
    uint64_t n_borrowed, n_reclaims, n_victims;
    int64_t victim_time; /* GPU-microseconds of the attempts stopped */
    uint32_t n_odd;      /* jobs with a word of priority that is not listed */
};

static struct lending_vc *lending_of(struct lending_state *s,
                                     const struct job *job)
{
    return &s->vcs[job->vc];
}

static struct quota_node *lending_queue(const struct lending_state *s,
                                        const struct lending_vc *vc)
{
    return &s->tree.nodes[vc->queue];
}

/* False once more was changed at this instant than can be of use. */
static bool lending_may_go_on(const struct lending_state *s)
{
    return s->n_now < view_cluster(&s->view)->n_gpus;
}

/* Most that the jobs of a virtual cluster may use while the policy is asked
 * within the nominal quotas: those that borrow keep what they have. */
static int64_t lending_cap(const struct lending_state *s,
                           const struct lending_vc *vc)
{
    int64_t nominal = lending_queue(s, vc)->nominal;
    return nominal > vc->base ? nominal : vc->base;
}

/* The gate of the plan (plan.h). */

static bool gate_admits(void *self, const struct job *job, uint32_t gpus)
{
    struct lending_state *s = self;
    struct lending_vc *vc = lending_of(s, job);
    int64_t after = lending_queue(s, vc)->usage + gpus;
    if (after <= vc->base) /* it had as much before the plan */
        return true;
    if (gpus > quota_available(&s->tree, vc->queue))
        return false;
    if (s->mode == LEND_NOMINAL)
        return after <= lending_cap(s, vc);
    return s->mode == LEND_TRY || job->state != JOB_PENDING || s->n_new == 0;
}

static void gate_refused(void *self, const struct job *job, uint32_t gpus)
{
    struct lending_state *s = self;
    struct lending_vc *vc = lending_of(s, job);
    if (s->mode != LEND_NOMINAL || vc->head != JOB_NONE ||
        job->state != JOB_PENDING)
        return;
    vc->head = job->id;
    vc->head_gpus = gpus;
}

static void gate_uses(void *self, const struct job *job, int64_t gpus)
{
    struct lending_state *s = self;
    quota_use(&s->tree, lending_of(s, job)->queue, gpus);
    if (job->state == JOB_PENDING)
        s->n_new += gpus > 0 ? 1 : UINT32_MAX;
}

static uint32_t gate_room(const void *self, uint16_t number)
{
    const struct lending_state *s = self;
    const struct lending_vc *vc = &s->vcs[number];
    int64_t room = quota_available(&s->tree, vc->queue);
    int64_t most = s->mode == LEND_NOMINAL
                       ? lending_cap(s, vc) - lending_queue(s, vc)->usage
                       : (int64_t)view_cluster(&s->view)->n_free;
    room = room < most ? room : most;
    return room > 0 ? (uint32_t)room : 0;
}

static uint32_t gate_most(const void *self, uint16_t number)
{
    const struct lending_state *s = self;
    const struct lending_vc *vc = &s->vcs[number];
    uint32_t most =
        (uint32_t)lending_queue(s, vc)->usage + gate_room(self, number);
    return most > (uint32_t)vc->base ? most : (uint32_t)vc->base;
}

/* Brings the tree up to date with the running jobs. The plan must be empty. */
static void lending_sync(struct lending_state *s)
{
    for (uint32_t v = 0; v < s->n_vcs; v++) {
        struct lending_vc *vc = &s->vcs[v];
        int64_t held = s->view.board->held[v];
        quota_use(&s->tree, vc->queue, held - lending_queue(s, vc)->usage);
        vc->base = held;
    }
    s->n_new = 0;
}

/* Tells the policy that it may find room where it found none. */
static void lending_tell_room(struct lending_state *s)
{
    struct event event = {
        .at = view_now(&s->view), .kind = EVENT_CAPACITY, .node = NODE_NONE};
    if (s->lending->inner->observe)
        s->lending->inner->observe(s->inner, &s->view, &event);
}

/* Marks the virtual clusters in which the policy itself stops jobs, which may
 * start again on what is lent. */
static void lending_mark_stops(struct lending_state *s, const struct plan *plan)
{
    bool any = false;
    for (size_t i = 0; i < plan->n_actions && lending_may_go_on(s); i++) {
        if (plan->actions[i].kind != PLAN_STOP)
            continue;
        lending_of(s, plan->actions[i].job)->ask = true;
        any = true;
    }
    s->n_now += any;
}

/* Asks the policy about the virtual clusters s->list[0..n-1]. Returns true if
 * it plans anything but a wake. */
static bool lending_ask(struct lending_state *s, struct plan *plan, uint32_t n,
                        enum lending_mode mode)
{
    s->about = (struct vc_list){s->list, n};
    s->mode = mode;
    s->lending->inner->decide(s->inner, &s->view, plan);
    s->mode = LEND_TRY;
    s->rest = plan->rest;
    lending_mark_stops(s, plan);
    return plan->n_actions > 0 || plan->broken.status != STATUS_OK;
}

/* Asks within the nominal quotas about all virtual clusters that are marked. */
static bool lending_ask_nominal(struct lending_state *s, struct plan *plan)
{
    uint32_t n = 0;
    if (s->first != UINT16_MAX && s->vcs[s->first].ask)
        s->list[n++] = s->first;
    for (uint32_t v = 0; v < s->n_vcs; v++) {
        if (s->vcs[v].ask && v != s->first)
            s->list[n++] = (uint16_t)v;
    }
    s->first = UINT16_MAX;
    if (n == 0)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        struct lending_vc *vc = &s->vcs[s->list[i]];
        vc->ask = vc->stuck = false;
        vc->head = JOB_NONE;
    }
    lending_sync(s);
    bool acts = lending_ask(s, plan, n, LEND_NOMINAL);
    for (uint32_t i = 0; i < n; i++) {
        struct lending_vc *vc = &s->vcs[s->list[i]];
        const struct job *job = view_first_pending(&s->view, s->list[i]);
        while (job && plan_is_started(plan, job))
            job = view_next_pending(&s->view, job);
        /* a policy that looks for free GPUs first asks for nothing */
        if (vc->head == JOB_NONE && job) {
            vc->head = job->id;
            vc->head_gpus = job->gpus;
        }
    }
    return acts;
}

static bool lending_has_head(const struct lending_state *s,
                             const struct lending_vc *vc)
{
    return vc->head != JOB_NONE &&
           s->view.board->jobs[vc->head].state == JOB_PENDING;
}

static bool lending_is_nominal(const struct quota_tree *tree,
                               const struct lending_vc *vc)
{
    const struct quota_node *queue = &tree->nodes[vc->queue];
    return queue->usage + vc->head_gpus <= queue->nominal;
}

/* Returns the tree by which turns are ordered and jobs stopped. */
static const struct quota_tree *lending_rules(const struct lending_state *s)
{
    return s->divides ? &s->shares.tree : &s->tree;
}

static struct quota_load lending_load(const struct lending_state *s,
                                      const struct job *job, uint32_t gpus)
{
    return (struct quota_load){
        .id = job->id,
        .queue = s->vcs[job->vc].queue,
        .amount = gpus,
        .priority = s->priority ? s->priority[job->id] : 0,
        .created = job->submitted,
    };
}

/* Lists the running jobs, as candidates for stopping. */
static void lending_list_loads(struct lending_state *s)
{
    sim_time now = view_now(&s->view);
    s->n_loads = 0;
    for (uint16_t v = 0; v < s->n_vcs; v++) {
        const struct job *job = view_first_running(&s->view, v);
        for (; job; job = view_next_running(&s->view, job)) {
            const struct allocation *alloc =
                board_allocation(s->view.board, job);
            if (alloc->profiling)
                continue;
            struct quota_load load = lending_load(s, job, alloc->gpus);
            /* the latest goes first: for loss, that is the least lost */
            load.reserved = s->lending->config->victims == VICTIMS_NEWEST
                                ? alloc->started
                                : -(now - alloc->started) * alloc->gpus;
            s->loads = mem_grow(s->loads, &s->cap_loads, s->n_loads + 1,
                                sizeof *s->loads);
            s->loads[s->n_loads++] = load;
        }
    }
}

/* True if jobs were stopped for this head and nothing has started since. */
static bool lending_was_in_vain(const struct lending_state *s,
                                const struct lending_vc *vc)
{
    return vc->reclaimed == vc->head &&
           lending_queue(s, vc)->usage <= vc->reclaimed_at;
}

/* True if the rules let the head of a virtual cluster have jobs of others
 * stopped: it is within its quota, or its queue may for other reasons. */
static bool lending_has_claim(const struct lending_state *s,
                              const struct lending_vc *vc)
{
    const struct quota_tree *tree = lending_rules(s);
    const struct quota_node *own = &tree->nodes[vc->queue];
    bool is_nested = own->parent != QUOTA_NO_PARENT &&
                     tree->nodes[own->parent].parent != QUOTA_NO_PARENT;
    return own->reclaim != QUOTA_NEVER &&
           (lending_is_nominal(tree, vc) || own->borrow_within ||
            s->fairness.enabled || is_nested);
}

/* True if stops could help the head of a virtual cluster, and there is a job
 * that could go. */
static bool lending_may_reclaim(const struct lending_state *s,
                                const struct lending_vc *vc)
{
    const struct quota_tree *tree = lending_rules(s);
    const struct quota_node *own = &tree->nodes[vc->queue];
    if (vc->stuck || lending_was_in_vain(s, vc) || !lending_may_go_on(s))
        return false;
    if (own->within != QUOTA_NEVER && own->usage > 0)
        return true;
    if (!lending_has_claim(s, vc))
        return false;
    for (uint32_t v = 0; v < s->n_vcs; v++) {
        if (&s->vcs[v] != vc && quota_borrows(tree, s->vcs[v].queue, 0))
            return true;
    }
    return false;
}

/* True if enough GPUs are in use for stops to be allowed. */
static bool lending_is_full(const struct lending_state *s)
{
    const struct cluster *c = view_cluster(&s->view);
    double gpus = 0;
    for (uint32_t p = 0; p < c->n_pools; p++)
        gpus += c->pools[p].n_gpus;
    return gpus - c->n_free >= s->lending->config->preempt_above * gpus;
}

/* Whether the job finds a place once the chosen loads but one are stopped;
 * `without` >= n: all of them. Changes nothing. */
static bool lending_fits_without(struct lending_state *s, struct plan *plan,
                                 const struct job *job, const uint32_t *chosen,
                                 size_t n, size_t without)
{
    size_t mark = plan_mark(plan);
    for (size_t i = 0; i < n; i++) {
        if (i != without)
            plan_stop(plan, view_job(&s->view, s->loads[chosen[i]].id));
    }
    bool fits = plan_start(plan, job);
    plan_undo_to(plan, mark);
    return fits;
}

struct lending_asker {
    const struct lending_state *s;
    const struct quota_load *job;
};

static int lending_compare(const void *a, const void *b, void *asker)
{
    const struct lending_asker *of = asker;
    return quota_candidate_order(&of->s->loads[*(const uint32_t *)a],
                                 &of->s->loads[*(const uint32_t *)b], of->job);
}

/* Lists the jobs of other queues that borrow and that the head may have
 * stopped, the first to go first. Returns their number. */
static size_t lending_candidates(const struct lending_state *s,
                                 const struct quota_load *job, uint32_t *out)
{
    const struct quota_node *own = &s->tree.nodes[job->queue];
    size_t n = 0;
    for (uint32_t i = 0; i < s->n_loads; i++) {
        const struct quota_load *load = &s->loads[i];
        if (load->queue != job->queue &&
            quota_root(&s->tree, load->queue) ==
                quota_root(&s->tree, job->queue) &&
            quota_rule_allows(own->reclaim, job, load) &&
            quota_borrows(&s->tree, load->queue, 0))
            out[n++] = i;
    }
    struct lending_asker asker = {s, job};
    qsort_r(out, n, sizeof *out, lending_compare, &asker);
    return n;
}

/* Adds loads to the n chosen ones until the job finds a place, as long as their
 * queues borrow, and takes those away again that are not needed. Returns the
 * number of chosen loads; 0: no place can be made. */
static size_t lending_make_place(struct lending_state *s, struct plan *plan,
                                 const struct job *job, uint32_t *chosen,
                                 size_t n)
{
    struct quota_load load = lending_load(s, job, job->gpus);
    size_t mark = plan_mark(plan), counted = n;
    for (size_t i = 0; i < n; i++)
        plan_stop(plan, view_job(&s->view, s->loads[chosen[i]].id));
    bool fits = plan_start(plan, job);
    if (!fits) {
        uint32_t *more = mem_alloc((s->n_loads + 1) * sizeof *more);
        size_t n_more = lending_candidates(s, &load, more);
        for (size_t i = 0; i < n_more && !fits; i++) {
            const struct job *other = view_job(&s->view, s->loads[more[i]].id);
            if (plan_is_stopped(plan, other) ||
                !quota_borrows(&s->tree, s->loads[more[i]].queue, 0))
                continue;
            plan_stop(plan, other);
            chosen[n++] = more[i];
            fits = plan_start(plan, job);
        }
        free(more);
    }
    plan_undo_to(plan, mark);
    for (size_t i = n; fits && i-- > counted;) {
        if (n > 1 && lending_fits_without(s, plan, job, chosen, n, i)) {
            memmove(&chosen[i], &chosen[i + 1], (n - i - 1) * sizeof *chosen);
            n--;
        }
    }
    return fits ? n : 0;
}

/* Stops jobs so that the head of a virtual cluster can start: the victims by
 * the count of quotas, and more if the place needs it. Returns false if that is
 * not possible. */
static bool lending_reclaim(struct lending_state *s, struct plan *plan,
                            uint16_t number, const struct quota_victim *victims,
                            size_t n)
{
    struct lending_vc *vc = &s->vcs[number];
    const struct job *job = view_job(&s->view, vc->head);
    sim_time now = view_now(&s->view);
    if (job->gpus != vc->head_gpus || !lending_is_full(s))
        return false;
    uint32_t *chosen = mem_alloc((s->n_loads + 1) * sizeof *chosen);
    for (size_t i = 0; i < n; i++)
        chosen[i] = victims[i].load;
    n = lending_make_place(s, plan, job, chosen, n);
    for (size_t i = 0; i < n; i++) {
        const struct job *victim = view_job(&s->view, s->loads[chosen[i]].id);
        const struct allocation *alloc =
            board_allocation(s->view.board, victim);
        s->victim_time += (now - alloc->started) * alloc->gpus;
        plan_stop(plan, victim);
        s->stopped = mem_grow(s->stopped, &s->cap_stopped, s->n_stopped + 1,
                              sizeof *s->stopped);
        s->stopped[s->n_stopped++] = victim->id;
        lending_of(s, victim)->ask = true;
    }
    free(chosen);
    s->n_victims += n;
    s->n_reclaims += n > 0;
    vc->ask |= n > 0;
    s->ask_all |= n > 0;
    vc->reclaimed = vc->head;
    vc->reclaimed_at = vc->base;
    s->n_now += n > 0;
    s->first = number;
    return n > 0;
}

/* What a head that waits keeps from others: its nominal quota. */
static int64_t lending_claim(const struct lending_state *s,
                             const struct lending_vc *vc)
{
    const struct quota_node *queue = lending_queue(s, vc);
    int64_t left = queue->nominal - queue->usage;
    left = left > 0 ? left : 0;
    return vc->head_gpus < left ? vc->head_gpus : left;
}

/* One turn of the heads. */
struct lending_turn {
    struct quota_head *heads;
    uint16_t *vcs;   /* by head: its virtual cluster */
    uint32_t *order; /* heads in the order of their turns */
    size_t n;
};

/* Lists the heads that have a turn, and puts what the others keep into the
 * tree `trial`. Lists the running jobs if one of the heads may reclaim. */
static void lending_begin_turn(struct lending_state *s,
                               struct lending_turn *turn)
{
    bool reclaims = false;
    lending_sync(s);
    if (s->divides)
        lending_shares_divide(&s->shares, &s->view);
    memcpy(s->trial.nodes, lending_rules(s)->nodes,
           s->tree.n * sizeof *s->tree.nodes);
    turn->n = 0;
    for (uint16_t v = 0; v < s->n_vcs; v++) {
        struct lending_vc *vc = &s->vcs[v];
        if (!lending_has_head(s, vc))
            continue;
        if (vc->stuck) {
            quota_use(&s->trial, vc->queue, lending_claim(s, vc));
            continue;
        }
        turn->vcs[turn->n] = v;
        turn->heads[turn->n++] = (struct quota_head){
            .job =
                lending_load(s, view_job(&s->view, vc->head), vc->head_gpus)};
        reclaims |= lending_may_reclaim(s, vc);
    }
    s->n_loads = 0;
    if (reclaims && lending_is_full(s))
        lending_list_loads(s);
}

/* Lets the policy start one job of a virtual cluster on borrowed GPUs, while
 * the heads with earlier turns keep what they claim. */
static bool lending_borrow(struct lending_state *s, struct plan *plan,
                           const struct lending_turn *turn, size_t place)
{
    uint16_t v = turn->vcs[turn->order[place]];
    int64_t *claims = mem_zalloc(s->n_vcs, sizeof *claims);
    for (uint32_t w = 0; w < s->n_vcs; w++) {
        if (s->vcs[w].stuck && w != v && lending_has_head(s, &s->vcs[w]))
            claims[w] = lending_claim(s, &s->vcs[w]);
    }
    for (size_t i = 0; i < place; i++) {
        const struct quota_head *head = &turn->heads[turn->order[i]];
        if (head->outcome == QUOTA_CLAIM)
            claims[turn->vcs[turn->order[i]]] = quota_claim(&s->tree, head);
    }
    for (uint32_t w = 0; w < s->n_vcs; w++)
        quota_use(&s->tree, s->vcs[w].queue, claims[w]);
    s->list[0] = v;
    lending_tell_room(s);
    bool acts = view_cluster(&s->view)->n_free > 0 &&
                lending_ask(s, plan, 1, LEND_BORROW);
    for (uint32_t w = 0; w < s->n_vcs; w++)
        quota_use(&s->tree, s->vcs[w].queue, -claims[w]);
    free(claims);
    s->n_borrowed += s->n_new;
    s->vcs[v].ask |= acts;
    s->vcs[v].stuck |= !acts;
    return acts;
}

/* Acts on the first head that can start or have jobs stopped. *acts: the plan
 * has actions. Returns false if no head can do anything any more. */
static bool lending_act(struct lending_state *s, struct plan *plan,
                        const struct lending_turn *turn, bool *acts)
{
    for (size_t i = 0; i < turn->n; i++) {
        const struct quota_head *head = &turn->heads[turn->order[i]];
        uint16_t v = turn->vcs[turn->order[i]];
        struct lending_vc *vc = &s->vcs[v];
        if (head->outcome != QUOTA_ADMIT && head->outcome != QUOTA_PREEMPT)
            continue;
        if (head->outcome == QUOTA_ADMIT && !lending_is_nominal(&s->tree, vc))
            *acts = lending_borrow(s, plan, turn, i);
        else if (lending_may_reclaim(s, vc))
            *acts = lending_reclaim(s, plan, v, head->victims, head->n_victims);
        vc->stuck |= !*acts;
        return true;
    }
    return false;
}

/* One cycle of all heads. */
static bool lending_cycle(struct lending_state *s, struct plan *plan,
                          bool *acts)
{
    struct lending_turn turn = {
        .heads = mem_alloc((s->n_vcs + 1) * sizeof *turn.heads),
        .vcs = mem_alloc((s->n_vcs + 1) * sizeof *turn.vcs),
        .order = mem_alloc((s->n_vcs + 1) * sizeof *turn.order),
    };
    lending_begin_turn(s, &turn);
    quota_cycle(&s->trial, s->loads, s->n_loads, turn.heads, turn.n,
                &s->fairness, turn.order);
    bool goes_on = lending_act(s, plan, &turn, acts);
    for (size_t i = 0; i < turn.n; i++)
        free(turn.heads[i].victims);
    free(turn.heads);
    free(turn.vcs);
    free(turn.order);
    return goes_on;
}

/* Plans until the plan has actions, which the engine must commit first, or
 * nothing is left to do. */
static void lending_plan(struct lending_state *s, struct plan *plan)
{
    bool acts = lending_ask_nominal(s, plan);
    while (!acts && lending_cycle(s, plan, &acts))
        continue;
    if (acts && plan->broken.status == STATUS_OK) {
        plan_ask_again(plan);
        s->own_wake = true;
    }
}

/* Tells the policy of the jobs that the layer has stopped. */
static void lending_tell_stops(struct lending_state *s)
{
    for (size_t i = 0; i < s->n_stopped; i++) {
        struct event event = {
            .at = view_now(&s->view),
            .kind = EVENT_STOPPED,
            .node = NODE_NONE,
            .job = view_job(&s->view, s->stopped[i]),
        };
        if (s->lending->inner->observe)
            s->lending->inner->observe(s->inner, &s->view, &event);
    }
    s->n_stopped = 0;
}

static void lending_decide(void *self, const struct view *view,
                           struct plan *plan)
{
    struct lending_state *s = self;
    bool resumed = s->at == view_now(view);
    struct vc_list touched = view_touched(view);
    lending_tell_stops(s);
    for (uint32_t i = 0; i < touched.count && !resumed; i++)
        s->vcs[touched.at[i]].ask = true;
    for (uint32_t v = 0; v < s->n_vcs; v++) {
        struct lending_vc *vc = &s->vcs[v];
        vc->ask |= s->ask_all && view_n_pending(&s->view, (uint16_t)v) > 0;
        vc->reclaimed = resumed ? vc->reclaimed : JOB_NONE;
    }
    s->n_now = resumed ? s->n_now : 0;
    if (s->ask_all)
        lending_tell_room(s);
    s->ask_all = false;
    s->at = view_now(view);
    if (s->divides)
        lending_shares_note(&s->shares, view);
    plan->gate = &s->gate;
    plan->view = &s->view;
    lending_plan(s, plan);
    plan->view = view;
    plan->gate = NULL;
    plan->rest = s->rest;
}

static void lending_observe(void *self, const struct view *view,
                            const struct event *event)
{
    struct lending_state *s = self;
    (void)view;
    if (event->kind == EVENT_WAKE && s->own_wake) {
        s->own_wake = false;
        return;
    }
    if (event->kind == EVENT_SUBMITTED || event->kind == EVENT_BELIEF)
        s->vcs[event->job->vc].ask = true;
    else
        s->ask_all = true;
    if (event->kind == EVENT_WAKE) {
        for (uint32_t v = 0; v < s->n_vcs; v++)
            s->vcs[v].ask = true;
    }
    if (s->lending->inner->observe)
        s->lending->inner->observe(s->inner, &s->view, event);
}

static void lending_adopt(void *self, const struct view *view,
                          const struct job *job)
{
    struct lending_state *s = self;
    (void)view;
    s->lending->inner->adopt(s->inner, &s->view, job);
}

/* Returns the priority that a word of the trace means; false if it is neither a
 * number nor in the list. */
static bool lending_priority_of(const char *words, const char *word,
                                int32_t *out)
{
    char *end;
    long number = strtol(word, &end, 10);
    struct text rest = text_from(words);
    int32_t rank = 0, normal = 0, found = -1;
    if (end != word && *end == '\0') {
        *out = number < INT32_MIN   ? INT32_MIN
               : number > INT32_MAX ? INT32_MAX
                                    : (int32_t)number;
        return true;
    }
    for (; rest.len; rank++) {
        struct text one = text_split(rest, '+', &rest);
        normal = text_is(one, "normal") ? rank : normal;
        found = text_is(one, word) ? rank : found;
    }
    *out = found < 0 ? 0 : found - normal;
    return found >= 0;
}

static void lending_read_priorities(struct lending_state *s,
                                    const struct run_env *env)
{
    if (!env->terms || !env->string)
        return;
    s->priority = mem_zalloc(env->n_jobs, sizeof *s->priority);
    for (uint32_t i = 0; i < env->n_jobs; i++) {
        uint32_t symbol = env->terms[i].priority;
        if (symbol && !lending_priority_of(s->lending->config->priorities,
                                           env->string(env->strings, symbol),
                                           &s->priority[i]))
            s->n_odd++;
    }
}

static void lending_copy_tree(struct quota_tree *out,
                              const struct quota_tree *from)
{
    out->n = from->n;
    out->nodes = mem_alloc(from->n * sizeof *out->nodes);
    memcpy(out->nodes, from->nodes, from->n * sizeof *out->nodes);
    quota_tree_init(out);
}

static struct quota_fairness lending_fairness(unsigned fair)
{
    struct quota_fairness fairness = {.enabled = fair != FAIR_NONE &&
                                                 fair != FAIR_DIVISION};
    fairness.steps[0] =
        fair == FAIR_INITIAL ? QUOTA_INITIAL_SHARE : QUOTA_FINAL_SHARE;
    if (fair == FAIR_BOTH)
        fairness.steps[1] = QUOTA_INITIAL_SHARE;
    return fairness;
}

static enum status lending_init(void *self, const void *config,
                                const struct run_env *env, struct error *err)
{
    struct lending_state *s = self;
    const struct cluster *c = view_cluster(env->view);
    struct run_env of_inner = *env;
    s->lending = config;
    s->inner = s + 1;
    s->at = -1;
    s->mode = LEND_TRY;
    s->first = UINT16_MAX;
    s->gate = (struct plan_gate){s,         gate_admits, gate_refused,
                                 gate_uses, gate_room,   gate_most};
    s->fairness = lending_fairness(s->lending->config->fair);
    s->view = *env->view;
    s->view.asked_about = &s->about;
    of_inner.view = &s->view;
    lending_copy_tree(&s->tree, s->lending->quotas);
    lending_copy_tree(&s->trial, s->lending->quotas);
    s->divides = s->lending->config->fair == FAIR_DIVISION;
    if (s->divides) {
        lending_shares_init(&s->shares, &s->tree, env->view,
                            s->lending->config->k,
                            s->lending->config->half_life_s);
        s->fairness.order = s->shares.order;
    }
    s->n_vcs = c->n_vcs;
    s->vcs = mem_zalloc(c->n_vcs, sizeof *s->vcs);
    s->list = mem_zalloc(c->n_vcs, sizeof *s->list);
    for (uint32_t i = 0; i < s->tree.n; i++) {
        if (s->tree.nodes[i].is_queue)
            s->vcs[cluster_vc_find(c, s->tree.nodes[i].name)].queue = i;
    }
    for (uint32_t v = 0; v < c->n_vcs; v++)
        s->vcs[v].head = s->vcs[v].reclaimed = JOB_NONE;
    lending_read_priorities(s, env);
    if (!s->lending->inner->init)
        return STATUS_OK;
    return s->lending->inner->init(s->inner, s->lending->inner_config,
                                   &of_inner, err);
}

static const char *lending_never(const void *self, const struct view *view,
                                 const struct job *job)
{
    const struct lending_state *s = self;
    if (job->gpus > quota_potential(&s->tree, s->vcs[job->vc].queue))
        return "asks for more GPUs than its virtual cluster can ever use by "
               "the quotas";
    return s->lending->inner->never
               ? s->lending->inner->never(s->inner, view, job)
               : NULL;
}

static size_t lending_count(const void *self, struct policy_count *out)
{
    const struct lending_state *s = self;
    struct policy_count own[] = {
        {"quota_borrowed_starts",
         "starts on GPUs beyond the nominal quota of the virtual cluster",
         s->n_borrowed},
        {"quota_reclaims", "times that jobs were stopped for a virtual cluster",
         s->n_reclaims},
        {"quota_victims", "jobs stopped by reclaims, counted each time",
         s->n_victims},
        {"quota_victim_gpu_s",
         "GPU-seconds that the attempts stopped by reclaims had lasted",
         (uint64_t)(s->victim_time / 1000000)},
    };
    size_t n =
        s->lending->inner->count ? s->lending->inner->count(s->inner, out) : 0;
    for (size_t i = 0; i < sizeof own / sizeof *own && n < POLICY_COUNTS_MAX;
         i++)
        out[n++] = own[i];
    return n;
}

static void lending_remark(const void *self, struct remarks *remarks)
{
    const struct lending_state *s = self;
    remarks_add(remarks, REMARK_DETAIL,
                "quota: %" PRIu64 " jobs started beyond the quota of their "
                "virtual cluster; %" PRIu64 " stops in %" PRIu64
                " reclaims, of attempts that had used %.1f GPU-hours",
                s->n_borrowed, s->n_victims, s->n_reclaims,
                (double)s->victim_time / 3.6e9);
    if (s->n_odd)
        remarks_add(remarks, REMARK_NUMBERS,
                    "quota: %" PRIu32 " jobs have a priority that is neither a "
                    "number nor in the list; it counts as normal (--quota "
                    "priorities)",
                    s->n_odd);
    if (s->lending->inner->remark)
        s->lending->inner->remark(s->inner, remarks);
}

static void lending_fini(void *self)
{
    struct lending_state *s = self;
    if (!s->lending)
        return;
    if (s->lending->inner->fini)
        s->lending->inner->fini(s->inner);
    lending_shares_fini(&s->shares);
    free(s->tree.nodes);
    free(s->trial.nodes);
    free(s->vcs);
    free(s->list);
    free(s->priority);
    free(s->stopped);
    free(s->loads);
}

void lending_wrap(struct lending *lending, const struct policy_ops *inner,
                  const void *inner_config, const struct lending_config *config,
                  const struct quota_tree *quotas)
{
    *lending = (struct lending){.ops = *inner,
                                .inner = inner,
                                .inner_config = inner_config,
                                .config = config,
                                .quotas = quotas};
    lending->ops.state_size = sizeof(struct lending_state) + inner->state_size;
    lending->ops.needs = inner->needs | POLICY_PREEMPTS;
    lending->ops.init = lending_init;
    lending->ops.never = lending_never;
    lending->ops.observe = lending_observe;
    lending->ops.adopt = inner->adopt ? lending_adopt : NULL;
    lending->ops.decide = lending_decide;
    lending->ops.count = lending_count;
    lending->ops.remark = lending_remark;
    lending->ops.fini = lending_fini;
}
