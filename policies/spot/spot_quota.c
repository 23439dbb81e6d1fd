/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The quota of spot GPUs: what guaranteed jobs asked for so far, what they are
 * expected to leave, and how often spot jobs were stopped. */
#include <math.h>
#include <string.h>

#include "policies/spot/spot_internal.h"

/* Returns the first pool of its virtual cluster in which the job may run; those
 * of jobs that accept any type count there. */
static uint32_t demand_pool(const struct view *view, const struct job *job)
{
    const struct cluster *c = view_cluster(view);
    uint32_t p = c->vc_pools[job->vc].first;
    while (p + 1 < c->vc_pools[job->vc].end && !spot_suits(c, job, p))
        p++;
    return p;
}

/* Adds the time up to now. The hours that ended get their means. */
static void demand_settle(struct spot_demand *d, sim_time now)
{
    int64_t hour = d->since / SPAN_HOUR;
    const int64_t last = now / SPAN_HOUR;
    while (hour < last) {
        const sim_time end = (hour + 1) * SPAN_HOUR;
        d->sum += d->gpus * (double)(end - d->since);
        d->hours[hour % SPOT_HOURS] = (float)(d->sum / (double)SPAN_HOUR);
        d->sum = 0;
        d->since = end;
        hour++;
        if (last - hour > SPOT_HOURS) { /* all remembered hours are alike */
            hour = last - SPOT_HOURS;
            d->since = hour * SPAN_HOUR;
        }
    }
    d->sum += d->gpus * (double)(now - d->since);
    d->since = now;
}

void spot_demand_add(struct spot *s, const struct view *view,
                     const struct job *job)
{
    struct spot_mine *mine = spot_mine(view, job);
    const uint32_t pool = demand_pool(view, job);
    uint32_t *at =
        &s->demand_of[(size_t)s->user_of[job->user] * s->n_pools + pool];
    if (mine->demand)
        return; /* it returns after a failure */
    if (!*at) {
        s->demands = mem_grow(s->demands, &s->cap_demands, s->n_demands + 1,
                              sizeof *s->demands);
        s->demands[s->n_demands] = (struct spot_demand){.pool = pool};
        *at = (uint32_t)++s->n_demands;
    }
    mine->demand = *at;
    demand_settle(&s->demands[*at - 1], view_now(view));
    s->demands[*at - 1].gpus += job->gpus;
}

void spot_demand_remove(struct spot *s, const struct view *view,
                        const struct job *job)
{
    struct spot_mine *mine = spot_mine(view, job);
    if (!mine->demand)
        return;
    struct spot_demand *d = &s->demands[mine->demand - 1];
    demand_settle(d, view_now(view));
    d->gpus -= job->gpus;
    mine->demand = 0;
}

void spot_windows_add(struct spot_pool *pool, sim_time at, uint32_t failed,
                      uint32_t succeeded)
{
    const int64_t number = at / (SPOT_RATE_HOURS * SPAN_HOUR / SPOT_BUCKETS);
    struct spot_bucket *b = &pool->buckets[number % SPOT_BUCKETS];
    pool->failed += failed;
    pool->succeeded += succeeded;
    if (b->number > number)
        return; /* too long ago for the rate */
    if (b->number < number)
        *b = (struct spot_bucket){.number = number};
    b->failed += failed;
    b->succeeded += succeeded;
}

void spot_windows_pass(struct spot *s, const struct view *view,
                       const struct job *job)
{
    struct spot_mine *mine = spot_mine(view, job);
    const sim_span guarantee = view_guarantee(view);
    while (view_now(view) - mine->mark >= guarantee) {
        mine->mark += guarantee;
        mine->passed = true;
        spot_windows_add(&s->pools[mine->pool], mine->mark, 0, 1);
    }
}

/* Returns the eviction rate of the last hours; 0 if no window ended, because
 * eta could never grow again otherwise. */
static double quota_rate(const struct spot_pool *pool, sim_time now)
{
    const int64_t last = now / (SPOT_RATE_HOURS * SPAN_HOUR / SPOT_BUCKETS);
    double failed = 0, all = 0;
    for (size_t i = 0; i < SPOT_BUCKETS; i++) {
        const struct spot_bucket *b = &pool->buckets[i];
        if (b->number > last - SPOT_BUCKETS) {
            failed += b->failed;
            all += b->failed + b->succeeded;
        }
    }
    return all > 0 ? failed / all : 0;
}

/* Adds the expected demand of one user in an hour, and its variance. */
static void quota_add_user(const struct spot *s, const struct spot_demand *d,
                           int64_t hour, double *mean, double *variance)
{
    double sum = 0, squares = 0;
    float peak = 0;
    unsigned n = 0;
    for (int64_t h = hour - 24; h >= 0 && h >= hour - SPOT_HOURS; h -= 24) {
        const double gpus = (double)d->hours[h % SPOT_HOURS];
        sum += gpus;
        squares += gpus * gpus;
        n++;
    }
    if (s->config->forecast == SPOT_PEAK) {
        for (size_t i = 0; i < SPOT_HOURS; i++)
            peak = d->hours[i] > peak ? d->hours[i] : peak;
        *mean += fmax((double)peak, d->gpus);
    } else if (!n) {
        *mean += d->gpus; /* the first day */
    } else {
        *mean += sum / n;
        if (n > 1)
            *variance += fmax(0, squares - sum * sum / n) / (n - 1);
    }
}

/* Returns the GPUs of a pool that guaranteed jobs leave in an hour, with
 * probability `rate`. */
static double quota_free(const struct spot *s, uint32_t pool, int64_t hour,
                         double capacity)
{
    double mean = 0, variance = 0;
    for (size_t i = 0; i < s->n_demands; i++) {
        if (s->demands[i].pool == pool)
            quota_add_user(s, &s->demands[i], hour, &mean, &variance);
    }
    return capacity -
           fmin(fmax(floor(mean + s->z * sqrt(variance)), 0), capacity);
}

/* Corrects eta by the eviction rate (SPOT_OPTIONS). */
static void quota_correct(const struct spot_room *room, struct spot_pool *pool,
                          const struct job *first, double free, double capacity)
{
    const struct spot_config *config = room->spot->config;
    const struct view *view = room->plan->view;
    const double e = quota_rate(pool, view_now(view)), r = 1 - config->rate;
    if (!config->feedback)
        return;
    if (e >= 1.5 * r)
        pool->eta = fmax(config->eta_min, pool->eta * r / e);
    else if (e <= r / 2 && first && free * pool->eta < capacity &&
             view_now(view) - spot_mine(view, first)->waits > SPAN_HOUR)
        pool->eta *= 1.5 - e / r;
}

sim_time spot_quota_next(const struct spot_room *room)
{
    const struct view *view = room->plan->view;
    sim_span step = room->spot->config->update;
    if (!view_first_running(view, room->vc) && step < SPAN_HOUR)
        step = SPAN_HOUR;
    return (view_now(view) / step + 1) * step;
}

/* Settles demands and windows, for all pools. */
static void quota_settle(struct spot_room *room)
{
    const struct view *view = room->plan->view;
    for (size_t i = 0; i < room->spot->n_demands; i++)
        demand_settle(&room->spot->demands[i], view_now(view));
    for (uint32_t i = 0; i < room->n_running; i++)
        spot_windows_pass(room->spot, view, room->running[i]);
}

void spot_quota_update(struct spot_room *room, const struct job *first)
{
    struct spot *s = room->spot;
    const struct cluster *c = view_cluster(room->plan->view);
    const sim_time now = view_now(room->plan->view);
    const sim_span guarantee = view_guarantee(room->plan->view);
    const int64_t number = now / s->config->update;
    const uint32_t end = c->vc_pools[room->vc].end;
    bool settled = false;
    for (uint32_t p = c->vc_pools[room->vc].first;
         s->config->forecast != SPOT_NONE && p < end; p++) {
        struct spot_pool *pool = &s->pools[p];
        const double capacity = c->pools[p].n_gpus;
        double free = capacity;
        if (pool->updated == number)
            continue;
        if (!settled)
            quota_settle(room);
        settled = true;
        for (int64_t h = now / SPAN_HOUR; h <= (now + guarantee) / SPAN_HOUR;
             h++)
            free = fmin(free, quota_free(s, p, h, capacity));
        quota_correct(room, pool, first, free, capacity);
        pool->quota = floor(free * pool->eta + 1e-9);
        pool->updated = number;
        s->updates++;
        s->violations += room->in_use[p] > pool->quota;
    }
}
