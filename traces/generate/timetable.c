/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which run is submitted at each of the given times. */
#include "traces/generate/generate_internal.h"

#include <math.h>
#include <stdlib.h>

/* runs of a session that may run at once are submitted at most this many
 * seconds apart, if arrivals and room allow it */
#define SWEEP_S 60.0
/* largest number of due sessions that are tried at one instant */
#define TIMETABLE_TRIES 32
/* largest number of planned sessions at which begin_early looks */
#define EARLY 256
/* planned sessions that were left out begin once at most this share of the runs
 * of short sessions has not begun */
#define LAST 0.04

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

void submit(struct maker *m, uint32_t session, double now)
{
    const struct session *s = &m->people->sessions[session];
    struct session_state *at = &m->progress[session];
    if (!at->has_begun)
        mark_begun(m, session);
    uint32_t run = s->first + at->next++;
    occupy(m, run, now, m->people->runs[run].seconds);
    at->active++;
    at->due = INFINITY;
    if (at->next == s->n || at->active + at->coming >= at->lanes)
        return;
    double gap = draw_gap(m, m->people->runs[run].state);
    make_due(m, session, s->is_sweep ? now : now + fmin(gap, SWEEP_S));
}

/* Submits the next run of a session at an arrival. */
static void submit_here(struct maker *m, uint32_t session, double now)
{
    submit(m, session, now);
    m->last = session;
    m->last_at = now;
}

/* True if the session is a planned sweep of jobs of one GPU that has begun: it
 * goes on although there is no room. */
static bool timetable_goes_on(const struct maker *m, uint32_t session)
{
    const struct session *s = &m->people->sessions[session];
    const struct session_state *at = &m->progress[session];
    return at->is_planned && s->is_sweep && s->gpus == 1 && at->has_begun;
}

/* Submits the next run of the session of the last arrival, if that session is a
 * sweep, the arrival was at most SWEEP_S ago and there is room. Returns true if
 * it has submitted the run. */
static bool go_on(struct maker *m, double now)
{
    if (m->last == UINT32_MAX)
        return false;
    const struct session *s = &m->people->sessions[m->last];
    const struct session_state *at = &m->progress[m->last];
    if (!s->is_sweep || at->next >= s->n ||
        at->active + at->coming >= at->lanes || now - m->last_at > SWEEP_S ||
        !(timetable_goes_on(m, m->last) || can_start(m, m->last, now)))
        return false;
    submit_here(m, m->last, now);
    return true;
}

/* Submits the earliest run of `due` that is due by `until` and has room; if
 * `crowded`, the earliest one. A session without room tries again later.
 * Returns true if it has submitted a run. */
static bool submit_due(struct maker *m, struct agenda *due, double now,
                       double until, bool crowded)
{
    for (int i = 0; i < TIMETABLE_TRIES && due->n > 0; i++) {
        if (due->heap[0].at > until)
            return false;
        struct later first = take(due);
        if (m->progress[first.item].due != first.at)
            continue; /* it was submitted before */
        if (crowded || timetable_goes_on(m, first.item) ||
            can_start(m, first.item, now)) {
            submit_here(m, first.item, now);
            return true;
        }
        make_due(m, first.item, now + RETRY_S * (1 + gsl_rng_uniform(m->gaps)));
    }
    return false;
}

/* Submits the next run of any session that is not over. */
static void submit_any(struct maker *m, double now)
{
    while (m->chained.n > 0) {
        uint32_t session = take(&m->chained).item;
        m->progress[session].coming--;
        if (m->progress[session].next < m->people->sessions[session].n) {
            submit_here(m, session, now);
            return;
        }
    }
    while (m->progress[m->cursor].next == m->people->sessions[m->cursor].n)
        m->cursor++;
    submit_here(m, m->cursor, now);
}

/* Returns by how many seconds the users are ahead of schedule with the short
 * sessions; negative if they are late. */
static double lead(const struct maker *m, double now)
{
    double left = 1 - now / m->options->span;
    return m->light > 0 ? (left - m->light_left / m->light) * m->options->span
                        : 0;
}

/* Submits the next run of a planned session that is due by `until`, if one of
 * the first EARLY in m->due can start. Returns true if it has submitted a run.
 */
static bool begin_early(struct maker *m, double now, double until)
{
    for (size_t i = 0; i < m->due.n && i < EARLY; i++) {
        const struct later *entry = &m->due.heap[i];
        uint32_t session = entry->item;
        if (m->progress[session].due == entry->at && entry->at <= until &&
            can_start(m, session, now)) {
            submit_here(m, session, now);
            return true;
        }
    }
    return false;
}

/* Begins a session that was left out, if it can start and short ones are
 * nearly used up. */
static bool begin_spare(struct maker *m, double now)
{
    if (m->light_left > LAST * m->light)
        return false;
    for (uint32_t i = 0; i < m->n_spare; i++) {
        m->next_spare = (m->next_spare + 1) % m->n_spare;
        uint32_t session = m->spare[m->next_spare];
        if (!m->progress[session].has_begun && can_start(m, session, now)) {
            submit_here(m, session, now);
            return true;
        }
    }
    return false;
}

/* Submits something although there is no room for it. */
static void submit_forced(struct maker *m, double now)
{
    if (submit_due(m, &m->due_light, now, now + RETRY_S * 2, true))
        return;
    uint32_t session = begin_any(m);
    if (session != UINT32_MAX)
        submit_here(m, session, now);
    else if (!submit_due(m, &m->due_light, now, INFINITY, true) &&
             !submit_due(m, &m->due, now, INFINITY, true))
        submit_any(m, now);
}

static void submit_next(struct maker *m, double now)
{
    if (submit_chained(m, now))
        return;
    end_runs(m, now);
    if (go_on(m, now) || submit_due(m, &m->due, now, now, false) ||
        submit_due(m, &m->due_light, now, now, false))
        return;
    double ahead = lead(m, now);
    if (ahead > 0 && begin_early(m, now, now + DAY_S + ahead))
        return;
    uint32_t session = begin_session(m, now);
    if (session != UINT32_MAX)
        submit_here(m, session, now);
    else if (!begin_early(m, now, INFINITY) && !begin_spare(m, now))
        submit_forced(m, now);
}

/* Adds the runs that run when the trace begins. Each run of the trace is one of
 * them with the probability that an instant of the trace lies within it, if
 * there is room, and is then anywhere between its start and its end. */
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
        const struct session *s = session_of(m, i);
        if (can_start_now(vc_of(m, s), s->gpus) && plan_running(m, s, left))
            occupy(m, i, 0, fmax(left, 1));
    }
    m->out->n_running = m->out->n;
}

static void open_maker(struct maker *m)
{
    const struct people *p = m->people;
    open_vcs(m);
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
    close_vcs(m);
    free(m->due.heap);
    free(m->due_light.heap);
    free(m->chained.heap);
    free(m->progress);
    rng_free(m->gaps);
    rng_free(m->choices);
}

void timetable_make(struct timetable *out, struct people *people,
                    const struct calibration *calibration,
                    const struct traits *traits,
                    const struct timetable_options *options)
{
    size_t vcs = calibration->n_vcs ? calibration->n_vcs : 1;
    /* each run once, and perhaps once more when the trace begins (warm_up) */
    size_t most = 2 * people->n_runs + 1;
    *out = (struct timetable){
        .entries = mem_alloc(most * sizeof *out->entries),
        .demands = mem_zalloc(vcs, sizeof *out->demands),
        .n_demands = vcs,
    };
    struct maker m = {
        .out = out,
        .people = people,
        .calibration = calibration,
        .traits = traits,
        .options = options,
        .vcs = mem_zalloc(vcs, sizeof *m.vcs),
        .n_vcs = vcs,
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
    for (m.turn = 0; m.turn < options->kept; m.turn++)
        submit_next(&m, options->times[m.turn]);
    end_runs(&m, options->trace_s);
    close_maker(&m);
}

void timetable_fini(struct timetable *timetable)
{
    free(timetable->entries);
    free(timetable->demands);
}
