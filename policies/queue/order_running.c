/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the running jobs in the order of their keys from one fill to the
 * next. */
#include <string.h>

#include "policies/queue/order_internal.h"

void order_left(struct order *order, const struct job *job)
{
    struct order_vc *vc = &order->vcs[job->vc];
    struct order_list *running = &vc->running;
    if (running->n == 0)
        return;
    struct order_runner *end = running->at + running->n, *at = end - 1;
    while (at > running->at && at->entry.job != job->id)
        at--; /* from the end: a job that ends has usually begun late */
    if (at->entry.job != job->id)
        return;
    vc->gpus_running -= at->gpus;
    vc->steady_left |= at->steady_until <= vc->steady;
    vc->n_steady -= at < running->at + vc->n_steady;
    running->n--;
    memmove(at, at + 1, (size_t)(end - at - 1) * sizeof *at);
}

void order_find_steady(struct order_vc *vc)
{
    vc->steady = TIME_NEVER;
    vc->steady_left = false;
    for (size_t i = 0; i < vc->running.n; i++) {
        sim_time until = vc->running.at[i].steady_until;
        vc->steady = until < vc->steady ? until : vc->steady;
    }
}

void order_doubt(struct order *order, const struct job *job)
{
    struct order_list *running = &order->vcs[job->vc].running;
    for (size_t i = 0; i < running->n; i++) {
        if (running->at[i].entry.job == job->id)
            running->at[i].steady_until = order->vcs[job->vc].steady = 0;
    }
}

void order_doubt_all(struct order *order)
{
    for (uint32_t v = 0; v < order->n_vcs; v++) {
        struct order_vc *vc = &order->vcs[v];
        for (size_t i = 0; i < vc->running.n; i++)
            vc->running.at[i].steady_until = 0;
        vc->steady = 0;
    }
}

static sim_span remaining_of(const struct view *view,
                             struct order_runner *runner)
{
    struct belief belief;
    sim_time now = view_now(view);
    if (now < runner->steady_until)
        return runner->end - now;
    if (!view_remaining(view, view_job(view, runner->entry.job), &belief))
        return INT64_MAX;
    runner->end = now + belief.mean;
    runner->steady_until = belief.steady_until;
    return belief.mean;
}

static int64_t key_of_runner(const struct order *order, const struct view *view,
                             struct order_runner *runner)
{
    if (!order->own)
        return order->key(runner->gpus, order->blind
                                            ? INT64_MAX
                                            : remaining_of(view, runner));
    if (view_now(view) < runner->steady_until)
        return runner->entry.key;
    const struct job *job = view_job(view, runner->entry.job);
    return order->own(order->own_self, view, job, runner);
}

/* Returns the index at which an entry belongs among the first `n`, which are in
 * order. Searches from the end, where the entry usually belongs. */
static size_t place_of(const struct order_runner *at, size_t n,
                       const struct order_entry *entry)
{
    size_t step = 1;
    while (step <= n && order_before(entry, &at[n - step].entry)) {
        n -= step;
        step *= 2;
    }
    size_t low = step <= n ? n - step + 1 : 0;
    while (low < n) {
        size_t middle = (low + n) / 2;
        if (order_before(entry, &at[middle].entry))
            n = middle;
        else
            low = middle + 1;
    }
    return n;
}

void order_renew_running(struct order *order, const struct view *view,
                         struct order_vc *vc)
{
    struct order_runner *at = vc->running.at;
    for (size_t i = 0; i < vc->running.n; i++) {
        int64_t key = at[i].entry.key;
        at[i].entry.key = key_of_runner(order, view, &at[i]);
        vc->sorted &= at[i].entry.key == key;
    }
    vc->n_steady = vc->running.n;
    if (order->own)
        order_find_steady(vc);
}

/* The list is nearly sorted already, so it is sorted by insertion, which is
 * stable. */
void order_sort_running(struct order_vc *vc)
{
    struct order_runner *at = vc->running.at;
    for (size_t i = 1; i < vc->running.n; i++) {
        if (!order_before(&at[i].entry, &at[i - 1].entry))
            continue;
        struct order_runner runner = at[i];
        size_t k = place_of(at, i, &runner.entry);
        memmove(&at[k + 1], &at[k], (i - k) * sizeof *at);
        at[k] = runner;
    }
    vc->sorted = true;
}

bool order_is_renewed(const struct order *order, const struct view *view,
                      const struct order_vc *vc)
{
    return order->own && vc->n_steady == vc->running.n &&
           view_now(view) < vc->steady;
}

static uint8_t type_held(const struct plan *plan, const struct job *job)
{
    const struct cluster *c = plan->cluster;
    if (c->n_types == 1)
        return 0;
    node_id node = plan_where(plan, job).at[0].node;
    return (uint8_t)c->pools[c->nodes[node].pool].type;
}

/* Turns the chosen jobs into entries of the list of running jobs. */
static void adopt_chosen(struct order *order, const struct plan *plan,
                         struct order_vc *vc)
{
    for (size_t i = 0; i < order->chosen.n; i++) {
        struct order_runner *runner = &order->chosen.at[i];
        if (order_rule(order)->start)
            runner->entry.tie = order_rule(order)->start(order);
        runner->gpu_type =
            type_held(plan, view_job(plan->view, runner->entry.job));
        vc->gpus_running += runner->gpus;
    }
}

void order_remember_running(struct order *order, const struct plan *plan,
                            struct order_vc *vc, size_t passed, size_t kept)
{
    struct order_list *running = &vc->running;
    size_t from = kept, n = kept + order->chosen.n, to = n;
    size_t steady = vc->n_steady == running->n ? kept : passed;
    running->at = mem_grow(running->at, &running->cap, n + order->victims.n,
                           sizeof *running->at);
    adopt_chosen(order, plan, vc);
    for (size_t i = order->chosen.n; i-- > 0;) {
        size_t before = order->chosen.at[i].before;
        while (from > before)
            running->at[--to] = running->at[--from];
        running->at[--to] = order->chosen.at[i];
        running->at[to].end = 0;
    }
    vc->n_steady = vc->n_steady < steady ? vc->n_steady : steady;
    vc->n_steady = vc->n_steady < from ? vc->n_steady : from;
    running->n = n;
    for (size_t i = 0; i < order->victims.n; i++)
        *order_push(running) = order->victims.at[i];
}
