/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Indolent packing (Lucid, section 3.4). A walk takes the waiting jobs by
 * priority and starts each on free GPUs of its own or beside a running job that
 * suits it. The option idle_first says which of the two is tried first.
 *
 * A walk passes over each job for which nothing has changed. A job that still
 * waits after a walk found no partner among the residents and no room. So a
 * walk looks only at the jobs that have arrived since, at the jobs that suit a
 * new resident, and at the first job of each class, unless a job of the class
 * has failed to fit since GPUs last came free. */
#include "policies/lucid/lucid.h"

#include <math.h>
#include <stdlib.h>

struct lucid_walk {
    struct lucid *s;
    struct plan *plan;
    struct lucid_vc *vc;
    struct lucid_key after; /* all jobs up to this key have been looked at */
    size_t arrived; /* the first `arrived` arrivals have been looked at */
    /* number of residents for which s->found has an entry */
    size_t n_residents;
    bool everybody; /* true if the walk looks at every waiting job */
    bool any;       /* true once the walk has started a job */
    bool held; /* true if the profiler drains for the last job looked at, which
                  no later job may overtake */
};

/* At every step, a walk may have to search for another newcomer for each new
 * resident. With more new residents than this it is cheaper to search for a
 * resident for every waiting job. */
#define MANY_RESIDENTS 64

static const struct lucid_key BEFORE_ALL = {INT64_MIN, 0};

void lucid_list_add(struct lucid_list *list, uint32_t node)
{
    list->at = mem_grow(list->at, &list->cap, list->n + 1, sizeof *list->at);
    list->at[list->n++] = node;
}

void lucid_list_drop(struct lucid_list *list, uint32_t node)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->n; i++) {
        if (list->at[i] != node)
            list->at[kept++] = list->at[i];
    }
    list->n = kept;
}

void lucid_wait(struct lucid *s, struct lucid_vc *vc, uint32_t node)
{
    const struct lucid_node *at = s->nodes.at;
    struct lucid_class *class = &vc->classes[at[node].class];
    lucid_insert(&s->nodes, &class->waiting, node);
    if (class->first == NODE_NIL ||
        lucid_before(at[node].key, at[class->first].key))
        class->first = node;
}

void lucid_wait_no_more(struct lucid *s, struct lucid_vc *vc, uint32_t node)
{
    struct lucid_class *class = &vc->classes[s->nodes.at[node].class];
    lucid_remove(&s->nodes, &class->waiting, node);
    if (class->first == node)
        class->first = lucid_first(&s->nodes, class->waiting);
}

static const struct job *job_of(const struct lucid_walk *w, uint32_t node)
{
    return view_job(w->plan->view, w->s->nodes.at[node].job);
}

static bool may_pair(const struct lucid *s, const struct lucid_class *class)
{
    return s->share_limit > 1 && class->gpus <= s->config->pair_gpus;
}

/* Returns the first waiting job after w->after that suits the resident;
 * NODE_NIL if none does. */
static uint32_t find_newcomer(const struct lucid_walk *w, uint32_t resident)
{
    const struct lucid_config *c = w->s->config;
    const struct lucid_node *node = &w->s->nodes.at[resident];
    const struct lucid_wish wish = {
        .memory = -node->memory,
        .score = (int)c->score_sum - node->score,
        .least = -INFINITY,
        .most = c->ratio * (double)node->priority,
        .after = w->after,
    };
    return lucid_find(&w->s->nodes, w->vc->classes[node->class].waiting, &wish);
}

/* Returns the resident with the earliest start that suits the waiting job;
 * NODE_NIL if none does. */
static uint32_t find_resident(const struct lucid_walk *w, uint32_t newcomer)
{
    const struct lucid_config *c = w->s->config;
    const struct lucid_node *node = &w->s->nodes.at[newcomer];
    const struct lucid_wish wish = {
        .memory = -node->memory,
        .score = (int)c->score_sum - node->score,
        .least = (double)node->priority / c->ratio,
        .most = INFINITY,
        .after = BEFORE_ALL,
    };
    return lucid_find(&w->s->nodes, w->vc->classes[node->class].residents,
                      &wish);
}

static void consider(const struct lucid_walk *w, uint32_t node, uint32_t *best)
{
    const struct lucid_node *at = w->s->nodes.at;
    if (node == NODE_NIL || !lucid_before(w->after, at[node].key))
        return;
    if (*best == NODE_NIL || lucid_before(at[node].key, at[*best].key))
        *best = node;
}

static void consider_heads(const struct lucid_walk *w, uint32_t *best)
{
    for (size_t i = 0; i < w->vc->n_classes; i++) {
        const struct lucid_class *class = &w->vc->classes[i];
        if (!class->blocked)
            consider(w, class->first, best);
    }
}

static void consider_arrived(struct lucid_walk *w, uint32_t *best)
{
    struct lucid_list *list = &w->vc->arrived;
    const struct lucid_node *at = w->s->nodes.at;
    while (w->arrived < list->n &&
           (at[list->at[w->arrived]].role != LUCID_WAITS ||
            !lucid_before(w->after, at[list->at[w->arrived]].key)))
        w->arrived++;
    if (w->arrived < list->n)
        consider(w, list->at[w->arrived], best);
}

/* Considers, in each class, the first waiting job at which this walk has not
 * looked yet. */
static void consider_everybody(const struct lucid_walk *w, uint32_t *best)
{
    for (size_t i = 0; i < w->vc->n_classes; i++)
        consider(w,
                 lucid_next(&w->s->nodes, w->vc->classes[i].waiting, w->after),
                 best);
}

/* Finds and considers, for each new resident, the first newcomer that suits.
 * The result is kept until that newcomer has started or the walk has passed
 * it. */
static void consider_newcomers(struct lucid_walk *w, uint32_t *best)
{
    const struct lucid_list *residents = &w->vc->residents;
    struct lucid_list *found = &w->s->found;
    for (size_t i = 0; i < residents->n; i++) {
        const struct lucid_node *at = w->s->nodes.at;
        bool known = i < w->n_residents;
        if (!known) {
            found->n = i;
            lucid_list_add(found, NODE_NIL);
            w->n_residents = i + 1;
        }
        if (at[residents->at[i]].role != LUCID_RESIDENT)
            continue;
        uint32_t *newcomer = &found->at[i];
        if (known && *newcomer == NODE_NIL)
            continue;
        if (!known || at[*newcomer].role != LUCID_WAITS ||
            !lucid_before(w->after, at[*newcomer].key))
            *newcomer = find_newcomer(w, residents->at[i]);
        consider(w, *newcomer, best);
    }
}

double lucid_gpu_memory(const struct lucid *s, const struct view *view,
                        struct gpu_set where)
{
    const struct cluster *c = view_cluster(view);
    const struct pool *pool = &c->pools[c->nodes[where.at[0].node].pool];
    double mib = c->types[pool->type].mem_mib;
    if (s->config->memory_mib > 0)
        mib = s->config->memory_mib;
    return mib > 0 ? mib : INFINITY;
}

/* Returns the memory, MiB, of a GPU on which the plan has put the job;
 * INFINITY: unknown. */
static double gpu_memory(const struct lucid_walk *w, const struct job *job)
{
    return lucid_gpu_memory(w->s, w->plan->view, plan_where(w->plan, job));
}

static void leave_queue(struct lucid_walk *w, uint32_t node)
{
    lucid_wait_no_more(w->s, w->vc, node);
    w->vc->n_waiting--;
    w->s->n_waiting--;
    w->any = true;
}

static void become_resident(struct lucid_walk *w, uint32_t number)
{
    struct lucid_node *node = &w->s->nodes.at[number];
    struct lucid_class *class = &w->vc->classes[node->class];
    node->key = (struct lucid_key){(int64_t)w->s->starts++, 0};
    node->role = LUCID_SOLE;
    if (!may_pair(w->s, class))
        return;
    node->role = LUCID_RESIDENT;
    /* INFINITY: the job must not share */
    if (node->memory < INFINITY)
        node->memory -= gpu_memory(w, job_of(w, number));
    lucid_insert(&w->s->nodes, &class->residents, number);
    lucid_list_add(&w->vc->residents, number);
}

void lucid_forget(struct lucid *s, const struct view *view,
                  const struct job *job)
{
    struct lucid_mine *mine = view_mine(view, job);
    struct lucid_vc *vc = &s->vcs[job->vc];
    uint32_t node = mine->node - 1;
    lucid_wait_no_more(s, vc, node);
    lucid_list_drop(&vc->arrived, node);
    lucid_node_free(&s->nodes, node);
    mine->node = 0;
    vc->n_waiting--;
    s->n_waiting--;
    vc->dirty = true;
}

static bool start_alone(struct lucid_walk *w, uint32_t node)
{
    struct lucid_class *class = &w->vc->classes[w->s->nodes.at[node].class];
    if (class->blocked)
        return false;
    const struct job *job = job_of(w, node);
    if (!plan_start(w->plan, job) &&
        !profiler_yield(&w->s->profiler, w->plan, job)) {
        class->blocked = true;
        w->held = w->s->profiler.drain == job;
        return false;
    }
    leave_queue(w, node);
    become_resident(w, node);
    return true;
}

static bool start_beside(struct lucid_walk *w, uint32_t node)
{
    struct lucid_node *at = w->s->nodes.at;
    struct lucid_class *class = &w->vc->classes[at[node].class];
    if (!may_pair(w->s, class))
        return false;
    uint32_t resident = find_resident(w, node);
    if (resident == NODE_NIL ||
        !plan_share(w->plan, job_of(w, node), job_of(w, resident)))
        return false;
    leave_queue(w, node);
    lucid_remove(&w->s->nodes, &class->residents, resident);
    at[node].memory -= gpu_memory(w, job_of(w, node));
    at[node].key = (struct lucid_key){(int64_t)w->s->starts++, 0};
    at[node].role = at[resident].role = LUCID_PAIRED;
    at[node].partner = resident;
    at[resident].partner = node;
    at[node].came_later = true;
    at[resident].came_later = false;
    return true;
}

/* Starts a job beside a resident or on free GPUs, if it can. */
static void start(struct lucid_walk *w, uint32_t node)
{
    if (w->s->config->idle_first && (start_alone(w, node) || w->held))
        return;
    if (!start_beside(w, node) && !w->s->config->idle_first)
        start_alone(w, node);
}

static int by_key(const void *a, const void *b, void *arg)
{
    const struct lucid_node *at = arg;
    const struct lucid_key x = at[*(const uint32_t *)a].key;
    const struct lucid_key y = at[*(const uint32_t *)b].key;
    return lucid_before(y, x) - lucid_before(x, y);
}

/* One pass through the queue. Residents that start in this pass stay in
 * vc->residents, because jobs that the pass looked at earlier have not been
 * compared with them. Returns true if a job started. */
static bool walk_once(struct lucid *s, struct plan *plan, struct lucid_vc *vc)
{
    struct lucid_walk w = {.s = s, .plan = plan, .vc = vc, .after = BEFORE_ALL};
    size_t n_old = vc->residents.n;
    uint32_t next;
    if (vc->arrived.n > 1)
        qsort_r(vc->arrived.at, vc->arrived.n, sizeof *vc->arrived.at, by_key,
                s->nodes.at);
    for (;;) {
        next = NODE_NIL;
        w.everybody |= vc->residents.n > MANY_RESIDENTS;
        if (w.everybody) {
            consider_everybody(&w, &next);
        } else {
            consider_heads(&w, &next);
            consider_arrived(&w, &next);
            consider_newcomers(&w, &next);
        }
        if (next == NODE_NIL)
            break;
        w.after = s->nodes.at[next].key;
        start(&w, next);
        vc->stale |= w.held; /* the walk does not look at the other jobs */
        if (w.held)
            break;
    }
    vc->arrived.n = 0;
    vc->residents.n -= n_old;
    for (size_t i = 0; i < vc->residents.n; i++)
        vc->residents.at[i] = vc->residents.at[n_old + i];
    return w.any;
}

/* Starts jobs without sharing, strictly in order until one does not fit.
 * Returns true if any started. */
static bool walk_without_pairs(struct lucid *s, struct plan *plan,
                               struct lucid_vc *vc)
{
    struct lucid_walk w = {.s = s, .plan = plan, .vc = vc, .after = BEFORE_ALL};
    uint32_t next;
    do {
        next = NODE_NIL;
        for (size_t i = 0; i < vc->n_classes; i++) {
            vc->classes[i].blocked = false;
            consider(&w, vc->classes[i].first, &next);
        }
    } while (next != NODE_NIL && start_alone(&w, next));
    vc->stale = true;
    vc->arrived.n = vc->residents.n = 0;
    return w.any;
}

/* Adds the residents in `queue` to the list, in the order of their starts. */
static void list_residents(const struct lucid *s, uint32_t queue,
                           struct lucid_list *list)
{
    if (queue == NODE_NIL)
        return;
    list_residents(s, s->nodes.at[queue].left, list);
    lucid_list_add(list, queue);
    list_residents(s, s->nodes.at[queue].right, list);
}

/* Called when sharing is on again: the next walk must look at every waiting
 * job. */
static void look_again(const struct lucid *s, struct lucid_vc *vc)
{
    vc->residents.n = 0;
    for (size_t i = 0; i < vc->n_classes; i++) {
        vc->classes[i].blocked = false;
        list_residents(s, vc->classes[i].residents, &vc->residents);
    }
    vc->stale = false;
}

/* Called before a pass, which begins the drain again if it is still needed. */
static void end_drain(struct lucid *s, uint16_t vc)
{
    if (s->profiler.drain && s->profiler.drain->vc == vc)
        s->profiler.drain = NULL;
}

bool lucid_walk(struct lucid *s, struct plan *plan, uint16_t id)
{
    struct lucid_vc *vc = &s->vcs[id];
    bool any, again;
    vc->walked = view_now(plan->view);
    if (!s->shares) {
        end_drain(s, id);
        any = walk_without_pairs(s, plan, vc);
        vc->dirty = false;
        return any;
    }
    any = false;
    do {
        end_drain(s, id);
        if (vc->stale)
            look_again(s, vc);
        again = walk_once(s, plan, vc);
        any |= again;
    } while (again && s->config->walks == LUCID_WALKS_SETTLED);
    vc->dirty = any && vc->n_waiting && s->config->walks == LUCID_WALKS_ONCE;
    if (vc->n_waiting == 0)
        vc->residents.n = 0;
    return any;
}
