/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Companies: jobs that share GPUs and that a monitor watches. Tells the monitor
 * of each new company, asks it at the time that it set for a look, and evicts.
 * When one of the two attempts of a company ends, the watch and its queued
 * event are removed, so that the queue holds no event of an ended company. */
#include <stdlib.h>
#include <string.h>

#include "sim/engine/engine_internal.h"

/* Indices of company_watch.next: a watch is in the list of its resident and in
 * the list of its newcomer, the guest. */
enum { AS_RESIDENT, AS_GUEST };

void company_init(struct engine *e)
{
    e->companies.free = WATCH_NONE;
}

void company_fini(struct engine *e)
{
    free(e->companies.at);
    free(e->companies.first);
    free(e->companies.guests);
    free(e->companies.met);
}

void company_note(struct engine *e, const struct job *guest)
{
    struct companies *w = &e->companies;
    if (!board_allocation(&e->board, guest)->shared)
        return;
    w->guests =
        mem_grow(w->guests, &w->cap_guests, w->n_guests + 1, sizeof *w->guests);
    w->guests[w->n_guests++] = guest->id;
}

/* Returns the link to the first watch in the list of a running job. */
static uint32_t *company_first_of(struct engine *e, const struct job *job)
{
    struct companies *w = &e->companies;
    uint32_t alloc = e->board.alloc_of[job->id];
    size_t before = w->cap_first;
    w->first = mem_grow(w->first, &w->cap_first, alloc + 1u, sizeof *w->first);
    if (w->cap_first > before)
        memset(w->first + before, 0xff,
               (w->cap_first - before) * sizeof *w->first);
    return &w->first[alloc];
}

/* Returns the link by which a watch continues the list of a job. */
static uint32_t *next_of(struct company_watch *watch, const struct job *job)
{
    return &watch->next[watch->company.guest == job ? AS_GUEST : AS_RESIDENT];
}

static struct company_watch *new_watch(struct engine *e, uint32_t *index)
{
    struct companies *w = &e->companies;
    if (w->free == WATCH_NONE) {
        w->at = mem_grow(w->at, &w->cap, w->n + 1, sizeof *w->at);
        *index = (uint32_t)w->n++;
    } else {
        *index = w->free;
        w->free = w->at[w->free].next[0];
    }
    w->n_live++;
    return &w->at[*index];
}

static void unlink_from(struct engine *e, const struct job *job, uint32_t index)
{
    struct companies *w = &e->companies;
    uint32_t *at = company_first_of(e, job);
    while (*at != index)
        at = next_of(&w->at[*at], job);
    *at = *next_of(&w->at[index], job);
}

static void company_drop(struct engine *e, uint32_t index)
{
    struct companies *w = &e->companies;
    struct company_watch *watch = &w->at[index];
    if (watch->event != EVQ_NONE)
        evq_cancel(&e->queue, watch->event);
    unlink_from(e, watch->company.resident, index);
    unlink_from(e, watch->company.guest, index);
    watch->next[0] = w->free;
    w->free = index;
    w->n_live--;
}

void company_end(struct engine *e, const struct job *job)
{
    uint32_t index;
    while (e->companies.n_live &&
           (index = *company_first_of(e, job)) != WATCH_NONE)
        company_drop(e, index);
}

/* Queues the event of a watch. Moves the time to the next tick, because some
 * laws of time have whole ticks only. */
static void schedule(struct engine *e, uint32_t index, sim_time at)
{
    struct company_watch *watch = &e->companies.at[index];
    const struct time_law *law = &e->parts.law;
    sim_span tick = law->ops->tick ? law->ops->tick(law) : 1;
    CHECK_IN(&e->where, at >= e->board.now);
    at = progress_after(at, (double)((tick - at % tick) % tick), 0);
    watch->event = evq_add(&e->queue, at, EVENT_TRACKED, index);
}

/* Returns what the monitor sees of the job now. Does not settle the work of the
 * job: settling rounds, and looks would then change the run. */
static struct sighting sight(const struct engine *e, const struct job *job,
                             double rel_speed)
{
    sim_span since = progress_of(&e->book, job)->left -
                     progress_remaining(&e->book.truth, job->id, e->board.now);
    return (struct sighting){.rel_speed = rel_speed,
                             .work = rates_work_done(e, job) + since};
}

static void watch_pair(struct engine *e, const struct job *resident,
                       const struct job *guest)
{
    const struct monitor *monitor = &e->parts.monitor;
    const struct allocation *host = board_allocation(&e->board, resident);
    const struct allocation *own = board_allocation(&e->board, guest);
    struct company company = {
        .resident = resident,
        .guest = guest,
        .resident_serial = host->serial,
        .guest_serial = own->serial,
        .joined = e->board.now,
        .ready = own->ready,
        .before =
            sight(e, resident, rates_speed_beside(e, resident, own->serial)),
        .beside = rates_speed_beside(e, resident, own->serial + 1),
        .where = host->where,
    };
    sim_time at = monitor->ops->joined(monitor->self, &company);
    if (at == TIME_NEVER)
        return;
    uint32_t index;
    struct company_watch *watch = new_watch(e, &index);
    *watch = (struct company_watch){
        .company = company,
        .next = {*company_first_of(e, resident), *company_first_of(e, guest)}};
    *company_first_of(e, resident) = index;
    *company_first_of(e, guest) = index;
    schedule(e, index, at);
}

/* Adds a resident to the residents that the newcomer has met. Returns false if
 * the newcomer has met this resident on another GPU already. */
static bool company_meet(struct companies *w, const struct job *resident)
{
    for (size_t i = 0; i < w->n_met; i++) {
        if (w->met[i] == resident->id)
            return false;
    }
    w->met = mem_grow(w->met, &w->cap_met, w->n_met + 1, sizeof *w->met);
    w->met[w->n_met++] = resident->id;
    return true;
}

/* Begins a company with each job that held a GPU of the newcomer before the
 * newcomer started. */
static void watch_guest(struct engine *e, const struct job *guest)
{
    const struct allocation *own = board_allocation(&e->board, guest);
    const struct cluster *c = e->parts.cluster;
    const struct job *holders[SHARE_LIMIT_MAX];
    e->companies.n_met = 0;
    for (uint32_t i = 0; i < own->where.count; i++) {
        struct gpu_slice slice = own->where.at[i];
        for (struct gpu_walk w =
                 gpu_walk(c->nodes[slice.node].first_gpu, slice.mask);
             gpu_walk_next(&w);) {
            uint32_t n = rates_holders(e, w.gpu, own->serial, holders);
            for (uint32_t k = 0; k < n; k++) {
                if (company_meet(&e->companies, holders[k]))
                    watch_pair(e, holders[k], guest);
            }
        }
    }
}

void company_begin(struct engine *e)
{
    struct companies *w = &e->companies;
    for (size_t i = 0; i < w->n_guests; i++)
        watch_guest(e, &e->board.jobs[w->guests[i]]);
    w->n_guests = 0;
}

static void company_evict(struct engine *e, const struct company *company,
                          const struct judgement *judgement)
{
    struct job *guest = &e->board.jobs[company->guest->id];
    if (fail_ends_in_lag(e, guest))
        return;
    sim_span lost = judgement->keeps_work ? 0 : rates_work_done(e, guest);
    progress_of(&e->book, guest)->left += lost;
    e->board.jobs[company->resident->id].barred |= judgement->bar_host;
    guest->barred = true;
    struct ledger *ledger = e->parts.ledger;
    ledger_add_eviction(ledger, (struct eviction_row){
                                    .attempt = ledger->last_attempt[guest->id],
                                    .host = company->resident->id,
                                    .why = judgement->why,
                                });
    commit_leave(e, guest, LEDGER_EVICTED, lost, judgement->why);
    board_move(&e->board, guest, JOB_PENDING);
    engine_note_lost(e, EVENT_STOPPED, guest, lost, !judgement->keeps_work);
}

/* Asks the monitor about a company and keeps its decision in the watch. Returns
 * false if the monitor does not evict the newcomer. */
static bool company_look(struct engine *e, struct company_watch *watch)
{
    const struct monitor *monitor = &e->parts.monitor;
    const struct job *resident = watch->company.resident;
    const struct allocation *host = board_allocation(&e->board, resident);
    struct sighting now = sight(e, resident, host->rel_speed);
    watch->company.where = host->where;
    watch->judgement = (struct judgement){.at = e->board.now};
    monitor->ops->look(monitor->self, &watch->company, &now, &watch->judgement);
    watch->is_judged = true;
    return watch->judgement.evict;
}

/* True if both jobs still run the attempts of the company. */
static bool company_lasts(const struct engine *e, const struct company *company)
{
    return company->resident->state == JOB_RUNNING &&
           company->guest->state == JOB_RUNNING &&
           company->resident_serial ==
               board_allocation(&e->board, company->resident)->serial &&
           company->guest_serial ==
               board_allocation(&e->board, company->guest)->serial;
}

void company_tracked(struct engine *e, uint32_t index)
{
    struct companies *w = &e->companies;
    struct company_watch *watch = &w->at[index];
    bool first = !watch->is_judged;
    CHECK_IN(&e->where, company_lasts(e, &watch->company));
    watch->event = EVQ_NONE;
    if (first && !company_look(e, watch)) {
        company_drop(e, index);
        w->n_idle++;
    } else if (first && watch->judgement.at > e->board.now) {
        schedule(e, index, watch->judgement.at);
        w->n_idle++;
    } else {
        struct company company = watch->company;
        struct judgement judgement = watch->judgement;
        company_evict(e, &company, &judgement);
    }
}
