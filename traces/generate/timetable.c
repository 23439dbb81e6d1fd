/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/timetable.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "sim/base/check.h"
#include "traces/generate/timetable_internal.h"

/* consecutive jobs of a sweep are at most this many seconds apart, if the
 * arrivals allow it */
#define SWEEP_S 60.0
/* how many mean gaps between arrivals a due run waits for one */
#define WAITS 3
/* due sessions that are tried at one instant */
#define TRIES 32
/* a session without room tries again after this time, seconds */
#define RETRY_S 600.0
/* the longest gap between two runs of a session, seconds */
#define GAP_MOST_S 5400.0

static bool earlier(const void *a, const void *b)
{
    const struct later *x = a, *y = b;
    return x->at != y->at ? x->at < y->at : x->item < y->item;
}

static const struct heap_kind earliest = {
    .size = sizeof(struct later),
    .before = earlier,
};

void put(struct agenda *agenda, double at, uint32_t item)
{
    struct later entry = {at, item};
    agenda->heap = mem_grow(agenda->heap, &agenda->cap, agenda->n + 1,
                            sizeof *agenda->heap);
    heap_put(&earliest, NULL, agenda->heap, agenda->n++, &entry);
}

struct later take(struct agenda *agenda)
{
    struct later first = agenda->heap[0];
    heap_take(&earliest, NULL, agenda->heap, agenda->n--, 0);
    return first;
}

static void count_room(struct room *room, double *since, double running,
                       double now)
{
    if (running > room->capacity)
        room->over_s += now - *since;
    *since = now;
}

/* Returns the seconds between the end of a run and the next submission. */
static double draw_gap(struct maker *m, uint32_t state)
{
    const struct traits *t = m->traits;
    double z = gsl_ran_gaussian_ziggurat(m->gaps, 1);
    double gap = t->gap_median[state] * exp(t->gap_sigma[state] * z);
    return t->gap_scale * fmin(gap, GAP_MOST_S);
}

/* Returns the mean of the gaps, and of the wait for the next arrival. */
static double mean_gap(const struct maker *m)
{
    const struct traits *t = m->traits;
    double sum = 0;
    for (size_t k = 0; k < CALIBRATION_STATES; k++) {
        for (size_t i = 0; i < 200; i++) {
            double z = gsl_cdf_ugaussian_Pinv(((double)i + 0.5) / 200);
            double gap = t->gap_median[k] * exp(t->gap_sigma[k] * z);
            sum += m->calibration->states[k] * fmin(gap, GAP_MOST_S) / 200;
        }
    }
    return t->gap_scale * sum +
           WAITS * m->options->span / (double)m->people->n_runs;
}

static void make_due(struct maker *m, uint32_t session, double at)
{
    struct session_state *progress = &m->progress[session];
    progress->due = at;
    put(progress->is_planned ? &m->due : &m->due_light, at, session);
}

/* Ends the runs that end by `now`. The next run of the session comes after a
 * gap. */
static void end_runs(struct maker *m, double now)
{
    while (m->ends.n > 0 && m->ends.heap[0].at <= now) {
        struct later end = take(&m->ends);
        const struct people_run *run = &m->people->runs[end.item];
        const struct session *s = &m->people->sessions[run->session];
        struct session_state *at = &m->progress[run->session];
        uint32_t vc = m->people->users[s->user].vc;
        struct hall *hall = &m->halls[vc];
        count_room(&m->out->rooms[vc], &hall->since, hall->running, end.at);
        hall->running -= s->gpus;
        if (!at->has_begun || at->active == 0)
            continue; /* it was running when the trace began */
        hall->light -= at->is_planned ? 0 : s->gpus;
        at->active--;
        if (at->next < s->n && isinf(at->due))
            make_due(m, run->session, end.at + draw_gap(m, run->state));
    }
}

static void occupy(struct maker *m, uint32_t run, double now, double seconds)
{
    const struct session *s = session_of(m, run);
    uint32_t vc = m->people->users[s->user].vc;
    struct hall *hall = &m->halls[vc];
    struct room *room = &m->out->rooms[vc];
    count_room(room, &hall->since, hall->running, now);
    hall->running += s->gpus;
    room->most = fmax(room->most, hall->running);
    room->gpu_s += seconds * s->gpus;
    put(&m->ends, now + seconds, run);
    m->out->entries[m->out->n++] = (struct entry){now, run, seconds};
}

static void submit(struct maker *m, uint32_t session, double now)
{
    const struct session *s = &m->people->sessions[session];
    struct session_state *at = &m->progress[session];
    if (!at->has_begun)
        mark_begun(m, session);
    uint32_t run = s->first + at->next++;
    occupy(m, run, now, m->people->runs[run].seconds);
    if (!at->is_planned)
        hall_of(m, s)->light += s->gpus;
    at->active++;
    at->due = INFINITY;
    m->last = session;
    m->last_at = now;
    if (at->next == s->n || at->active >= at->lanes)
        return;
    double gap = draw_gap(m, m->people->runs[run].state);
    make_due(m, session, s->is_sweep ? now : now + fmin(gap, SWEEP_S));
}

/* The last session goes on at once if it is a sweep. */
static bool go_on(struct maker *m, double now)
{
    if (m->last == UINT32_MAX)
        return false;
    const struct session *s = &m->people->sessions[m->last];
    const struct session_state *at = &m->progress[m->last];
    if (!s->is_sweep || at->next >= s->n || at->active >= at->lanes ||
        now - m->last_at > SWEEP_S ||
        (!at->is_planned && !has_room(m, m->last, now)))
        return false;
    submit(m, m->last, now);
    return true;
}

/* Submits the earliest planned run that is due by `until` and has room, or any
 * if `crowded`. A session without room tries again later. */
static bool submit_planned(struct maker *m, double now, double until,
                           bool crowded)
{
    for (int i = 0; i < TRIES && m->due.n > 0; i++) {
        if (m->due.heap[0].at > until)
            return false;
        struct later first = take(&m->due);
        const struct session *s = &m->people->sessions[first.item];
        const struct hall *hall = hall_of(m, s);
        if (m->progress[first.item].due != first.at)
            continue; /* it was submitted before */
        if (crowded || hall->running <= 0 ||
            hall->running + s->gpus <= hall->most) {
            submit(m, first.item, now);
            return true;
        }
        make_due(m, first.item, now + RETRY_S * (1 + gsl_rng_uniform(m->gaps)));
    }
    return false;
}

/* Submits the earliest other run that is due by `until` and has room, or any if
 * `crowded`. A session without room tries again later. */
static bool submit_light(struct maker *m, double now, double until,
                         bool crowded)
{
    for (int i = 0; i < TRIES && m->due_light.n > 0; i++) {
        if (m->due_light.heap[0].at > until)
            return false;
        struct later first = take(&m->due_light);
        if (m->progress[first.item].due != first.at)
            continue;
        if (crowded || has_room(m, first.item, now)) {
            submit(m, first.item, now);
            return true;
        }
        make_due(m, first.item, now + RETRY_S * (1 + gsl_rng_uniform(m->gaps)));
    }
    return false;
}

/* Submits the next run of a session whose runs have not ended. */
static void submit_early(struct maker *m, double now)
{
    for (size_t i = 0;; i++) {
        CHECK(i < m->ends.n);
        uint32_t session = m->people->runs[m->ends.heap[i].item].session;
        const struct session_state *at = &m->progress[session];
        if (at->has_begun && at->next < m->people->sessions[session].n) {
            submit(m, session, now);
            return;
        }
    }
}

static void submit_next(struct maker *m, double now)
{
    end_runs(m, now);
    if (go_on(m, now) || submit_planned(m, now, now, false) ||
        submit_light(m, now, now, false))
        return;
    uint32_t session = begin_session(m, now);
    if (session == UINT32_MAX) {
        m->out->forced++;
        if (submit_light(m, now, now + RETRY_S * 2, true))
            return;
        session = begin_any(m, now);
    }
    if (session != UINT32_MAX)
        submit(m, session, now);
    else if (!submit_light(m, now, INFINITY, true) &&
             !submit_planned(m, now, INFINITY, true))
        submit_early(m, now);
}

/* Adds the runs that are running when the trace begins. Each run of the trace
 * is one of them with the probability that an instant of the trace lies within
 * it, and is then anywhere between its start and its end. */
static void warm_up(struct maker *m, gsl_rng *rng)
{
    const struct people *p = m->people;
    double sum = gsl_rng_uniform(rng);
    for (uint32_t i = 0; i < p->n_runs; i++) {
        double seconds = p->runs[i].seconds;
        sum += fmin(seconds / m->options->span, 1);
        if (sum < 1)
            continue;
        sum -= 1;
        double left = ceil(seconds * gsl_rng_uniform(rng));
        if (plan_running(m, session_of(m, i), left))
            occupy(m, i, 0, fmax(left, 1));
    }
    m->out->n_running = m->out->n;
    for (size_t v = 0; v < m->n_halls; v++)
        m->out->running_gpu_s += m->out->rooms[v].gpu_s;
}

static void open_maker(struct maker *m)
{
    const struct people *p = m->people;
    const struct calibration *c = m->calibration;
    double published = 0;
    for (size_t v = 0; v < c->n_vcs; v++)
        published += c->vcs[v].nodes;
    for (size_t v = 0; v < m->n_halls; v++) {
        double part = c->n_vcs ? c->vcs[v].nodes / published : 1, load = 0;
        m->out->rooms[v].capacity = part * m->options->gpus;
        for (size_t i = 0; i < p->n_users; i++)
            load += p->users[i].vc == v ? p->users[i].gpu_s : 0;
        /* A load above the published one needs more room than there is. */
        load /= m->options->span;
        m->halls[v].limit =
            fmax(m->traits->plan * m->out->rooms[v].capacity, 1.15 * load);
        m->halls[v].most =
            fmax(m->traits->rho * m->out->rooms[v].capacity, 1.15 * load);
    }
    m->gap_s = mean_gap(m);
    for (size_t i = 0; i < p->n_sessions; i++) {
        const struct session *s = &p->sessions[i];
        m->progress[i].due = INFINITY;
        m->progress[i].lanes = s->is_sweep ? s->n : 1;
        for (uint32_t k = s->first; k < s->first + s->n; k++)
            m->progress[i].seconds += p->runs[k].seconds;
    }
}

static void close_maker(struct maker *m)
{
    close_plan(m);
    close_work(m);
    free(m->halls);
    free(m->due.heap);
    free(m->due_light.heap);
    free(m->ends.heap);
    free(m->progress);
    rng_free(m->gaps);
    rng_free(m->choices);
}

void timetable_make(struct timetable *out, const struct people *people,
                    const struct calibration *calibration,
                    const struct traits *traits,
                    const struct timetable_options *options)
{
    size_t halls = calibration->n_vcs ? calibration->n_vcs : 1;
    /* each run once, and perhaps once more among those that run at first */
    size_t most = 2 * people->n_runs + 1;
    *out = (struct timetable){
        .entries = mem_alloc(most * sizeof *out->entries),
        .rooms = mem_zalloc(halls, sizeof *out->rooms),
        .n_rooms = halls,
    };
    struct maker m = {
        .out = out,
        .people = people,
        .calibration = calibration,
        .traits = traits,
        .options = options,
        .halls = mem_zalloc(halls, sizeof *m.halls),
        .n_halls = halls,
        .work = mem_zalloc(people->n_users, sizeof *m.work),
        .progress = mem_zalloc(people->n_sessions, sizeof *m.progress),
        .last = UINT32_MAX,
        .gaps = rng_open(options->seed, "synthetic.gaps"),
        .choices = rng_open(options->seed, "synthetic.choices"),
    };
    open_maker(&m);
    open_work(&m);
    open_plan(&m);
    if (options->warm) {
        gsl_rng *rng = rng_open(options->seed, "synthetic.warm");
        warm_up(&m, rng);
        rng_free(rng);
    }
    plan_sessions(&m);
    for (m.turn = 0; m.turn < people->n_runs; m.turn++)
        submit_next(&m, options->times[m.turn]);
    end_runs(&m, options->span);
    close_maker(&m);
}

void timetable_fini(struct timetable *timetable)
{
    free(timetable->entries);
    free(timetable->rooms);
}
