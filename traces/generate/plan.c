/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Long and large sessions hold nearly all of the GPU time. Each is taken as a
 * rectangle of GPUs and time and laid where its virtual cluster has room, the
 * largest first, as near as possible to the time at which the user would come
 * to it. */
#include <math.h>
#include <stdlib.h>

#include "traces/generate/generate_internal.h"

#define PLAN_SLOT_S 1800.0
#define USER_SLOT_S 14400.0
/* time after the end of the trace in which sessions may still run */
#define AFTER_S (40 * DAY_S)
/* largest mean duration of the runs of a session without a planned time,
 * seconds */
#define SHORT_S 3600.0
/* the last run of a planned session is planned for this share of the trace at
 * the latest, so that there is room for runs that come late */
#define PLAN_END 0.96
/* time between the first runs of a session that run at once, seconds */
#define LANE_S 60.0
/* GPUs that planned sessions leave free: the larger of the share PLAN_SPARE of
 * vc_state.limit and SPARE_GPUS, but at most the share SPARE_MOST */
#define PLAN_SPARE 0.05
#define SPARE_GPUS 8
#define SPARE_MOST 0.15
/* the largest share of a virtual cluster that the parallel runs of one session
 * take, if one run does not take more */
#define WIDE 0.3

struct rectangle {
    uint32_t session;
    double width, seconds, latest; /* width in GPUs; length and latest start in
                                    * seconds */
};

static double spare_of(const struct vc_state *vc)
{
    return fmin(fmax(PLAN_SPARE * vc->limit, SPARE_GPUS),
                SPARE_MOST * vc->limit);
}

void open_plan(struct maker *m)
{
    double length = m->options->span + AFTER_S;
    uint32_t most = 1;
    for (size_t i = 0; i < m->people->n_sessions; i++)
        most =
            m->people->sessions[i].n > most ? m->people->sessions[i].n : most;
    m->lanes = mem_alloc(most * sizeof *m->lanes);
    m->n_slots = (size_t)(length / PLAN_SLOT_S) + 2;
    m->n_user_slots = (size_t)(length / USER_SLOT_S) + 2;
    for (size_t v = 0; v < m->n_vcs; v++)
        m->vcs[v].planned = mem_zalloc(m->n_slots, sizeof *m->vcs[v].planned);
    for (size_t i = 0; i < m->people->n_users; i++)
        m->work[i].planned =
            mem_zalloc(m->n_user_slots, sizeof *m->work[i].planned);
}

void close_plan(struct maker *m)
{
    free(m->lanes);
    free(m->spare);
    for (size_t v = 0; v < m->n_vcs; v++)
        free(m->vcs[v].planned);
    for (size_t i = 0; i < m->people->n_users; i++)
        free(m->work[i].planned);
}

/* Adds `width` to each of the n slots that the time from `at` to at + seconds
 * touches; less if that time is shorter than a slot. */
static void lay(float *slots, size_t n, double slot_s, double at,
                double seconds, double width)
{
    size_t first = (size_t)(at / slot_s);
    size_t end = (size_t)((at + seconds) / slot_s) + 1;
    if (seconds < slot_s) /* it fills only a part of a slot */
        width *= seconds / slot_s;
    for (size_t i = first; i < end && i < n; i++)
        slots[i] += (float)width;
}

/* Returns the last slot in first .. end - 1 that holds more than `most`;
 * SIZE_MAX if none does. */
static size_t conflict(const float *slots, size_t n, size_t first, size_t end,
                       double most)
{
    for (size_t i = end < n ? end : n; i-- > first;) {
        if ((double)slots[i] > most)
            return i;
    }
    return SIZE_MAX;
}

static bool user_has_room(const struct maker *m, const struct work *work,
                          const struct rectangle *r, double at)
{
    size_t first = (size_t)(at / USER_SLOT_S);
    size_t end = (size_t)((at + r->seconds) / USER_SLOT_S) + 1;
    return conflict(work->planned, m->n_user_slots, first, end,
                    fmax(work->limit - r->width, 0)) == SIZE_MAX;
}

/* A search for room in the slots of a virtual cluster. */
struct plan_search {
    const struct maker *m;
    const struct rectangle *r;
    const float *slots;
    size_t length; /* slots after the first that the rectangle covers */
    double most;   /* GPUs that others may use there */
    bool ask_user;
};

/* steps in slots at which a time is tried again after the user had no room */
#define USER_STEP 8

/* Finds the first time from `from` on at which there is room. Returns a
 * negative number if there is none. */
static double find_after(const struct plan_search *f, double from)
{
    size_t slot = (size_t)(from / PLAN_SLOT_S);
    for (;;) {
        double at = fmax((double)slot * PLAN_SLOT_S, from);
        if (at > f->r->latest)
            return -1;
        size_t bad = conflict(f->slots, f->m->n_slots, slot,
                              slot + f->length + 1, f->most);
        const struct session *s = &f->m->people->sessions[f->r->session];
        if (bad == SIZE_MAX &&
            (!f->ask_user ||
             user_has_room(f->m, &f->m->work[s->user], f->r, at)))
            return at;
        slot = bad == SIZE_MAX ? slot + USER_STEP : bad + 1;
    }
}

/* Finds the beginning of the last slot up to `from` at which there is room.
 * Returns a negative number if there is none. */
static double find_before(const struct plan_search *f, double from)
{
    size_t slot = (size_t)(from / PLAN_SLOT_S);
    const struct session *s = &f->m->people->sessions[f->r->session];
    for (;;) {
        double at = (double)slot * PLAN_SLOT_S;
        size_t bad = slot, end = slot + f->length + 1;
        while (bad < end && bad < f->m->n_slots &&
               (double)f->slots[bad] <= f->most)
            bad++;
        bool is_free = bad == end || bad >= f->m->n_slots;
        if (is_free && (!f->ask_user ||
                        user_has_room(f->m, &f->m->work[s->user], f->r, at)))
            return at;
        size_t back = is_free ? (slot >= USER_STEP ? USER_STEP : 1)
                              : end - bad; /* so that it ends before `bad` */
        if (back > slot)
            return -1;
        slot -= back;
    }
}

/* Returns a time for the rectangle near `wanted`: one at which its virtual
 * cluster and its user have room, or else its virtual cluster alone. Returns
 * `wanted`, or the latest start if that is earlier, if there is no such time.
 */
static double plan_choose(struct maker *m, const struct rectangle *r,
                          double wanted)
{
    const struct session *s = &m->people->sessions[r->session];
    const struct vc_state *vc = vc_of(m, s);
    struct plan_search f = {
        .m = m,
        .r = r,
        .slots = vc->planned,
        .length = (size_t)(r->seconds / PLAN_SLOT_S) + 1,
        .most = fmax(vc->limit - spare_of(vc) -
                         fmin(r->width, fmax(WIDE * vc->limit, s->gpus)),
                     0),
    };
    wanted = fmin(wanted, r->latest);
    for (int pass = 0; pass < 2; pass++) {
        f.ask_user = pass == 0;
        double after = find_after(&f, wanted);
        double before = find_before(&f, wanted);
        if (after >= 0 && (before < 0 || after - wanted < wanted - before))
            return after;
        if (before >= 0)
            return before;
    }
    return wanted;
}

/* Goes through the runs of a session as if it began at `at`. Returns how long
 * it takes, seconds, and sets m->last_start; keeps room for each run if `lays`.
 */
static double plan_walk(struct maker *m, uint32_t session, double at, bool lays)
{
    const struct session *s = &m->people->sessions[session];
    const uint32_t lanes = m->progress[session].lanes;
    const double gap = s->is_sweep ? 0 : m->gap_s;
    double last = 0;
    double *free_at = m->lanes;
    for (uint32_t i = 0; i < lanes; i++)
        free_at[i] = s->is_sweep ? 0 : i * LANE_S;
    for (uint32_t k = 0; k < s->n; k++) {
        double seconds = m->people->runs[s->first + k].seconds;
        uint32_t lane = 0;
        for (uint32_t i = 1; i < lanes; i++)
            lane = free_at[i] < free_at[lane] ? i : lane;
        if (lays) {
            lay(vc_of(m, s)->planned, m->n_slots, PLAN_SLOT_S,
                at + free_at[lane], seconds, s->gpus);
            lay(m->work[s->user].planned, m->n_user_slots, USER_SLOT_S,
                at + free_at[lane], seconds, s->gpus);
        }
        m->last_start = free_at[lane];
        free_at[lane] += seconds;
        last = fmax(last, free_at[lane]);
        free_at[lane] += gap;
    }
    return last;
}

/* Sets how many runs of a session may run at once, and fills its rectangle.
 * Returns false and fills no rectangle if the session is short and small, so
 * that it needs no plan. */
static bool plan_measure(struct maker *m, uint32_t session,
                         struct rectangle *out)
{
    const struct session *s = &m->people->sessions[session];
    struct session_state *at = &m->progress[session];
    const struct vc_state *vc = vc_of(m, s);
    double seconds = at->seconds + (s->is_sweep ? 0 : s->n * m->gap_s);
    double longest = fmin(m->traits->longest * DAY_S, m->options->span / 3);
    double lanes = ceil(seconds / longest);
    if (s->is_sweep)
        lanes = s->n;
    double wide = s->is_sweep ? m->traits->wide : WIDE;
    lanes = fmin(lanes, floor(wide * vc->limit / s->gpus));
    lanes = fmin(fmax(lanes, 1), s->n);
    at->lanes = (uint32_t)lanes;
    if (at->seconds <= SHORT_S * s->n && s->gpus <= spare_of(vc) / 2)
        return false;
    *out = (struct rectangle){
        .session = session,
        .width = s->gpus * lanes,
        .seconds = plan_walk(m, session, 0, false),
    };
    out->latest = fmax(PLAN_END * m->options->trace_s - m->last_start, 0);
    return true;
}

/* Returns the number by which leave_out sorts the sessions: by GPUs, then by
 * the mean duration of their runs. */
static double plan_part_of(const struct maker *m, const struct rectangle *r)
{
    const struct session *s = &m->people->sessions[r->session];
    double seconds = m->progress[r->session].seconds / s->n;
    return s->gpus * 100.0 + log2(seconds);
}

/* Moves the part of the planned sessions for which the trace has no submissions
 * from `all` to m->spare, evenly over small and large, short and long ones.
 * Returns how many are left. */
static uint32_t leave_out(struct maker *m, struct rectangle *all, uint32_t n)
{
    const struct people *p = m->people;
    const double part = 1 - (double)m->options->kept / (double)p->n_runs;
    struct rank *ranks = mem_alloc((n + 1) * sizeof *ranks);
    double sum = 0;
    m->spare = mem_alloc((n + 1) * sizeof *m->spare);
    for (uint32_t i = 0; i < n; i++)
        ranks[i] = (struct rank){plan_part_of(m, &all[i]), i};
    ranks_sort(ranks, n);
    for (uint32_t i = 0; i < n; i++) {
        struct rectangle *r = &all[ranks[i].item];
        double runs = p->sessions[r->session].n;
        sum += part * runs;
        if (sum < runs / 2)
            continue;
        sum -= runs;
        r->width = 0;
        m->spare[m->n_spare++] = r->session;
    }
    free(ranks);
    uint32_t left = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (all[i].width > 0)
            all[left++] = all[i];
    }
    return left;
}

/* Scales the runs of the planned sessions, so that these have the GPU time
 * which the other sessions leave of the published one, and measures their
 * rectangles again. */
static void plan_scale(struct maker *m, struct rectangle *all, uint32_t n)
{
    const struct people *p = m->people;
    double light = 0, runs = 0;
    uint32_t *items = mem_alloc((p->n_runs + 1) * sizeof *items);
    size_t k = 0;
    for (uint32_t i = 0; i < p->n_sessions; i++) {
        if (m->progress[i].is_planned)
            continue;
        light += m->progress[i].seconds * p->sessions[i].gpus;
        runs += p->sessions[i].n;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct session *s = &p->sessions[all[i].session];
        for (uint32_t r = s->first; r < s->first + s->n; r++)
            items[k++] = r;
    }
    double kept = (double)m->options->kept;
    double rest = m->options->mean * kept;
    if (runs > 0)
        rest -= light * fmax(kept - (double)k, 0) / runs;
    if (k > 0 && rest > 0)
        durations_meet(m->people, items, k,
                       rest / (1 - m->traits->undone) / (double)k);
    free(items);
    for (uint32_t i = 0; i < n; i++) {
        const struct session *s = &p->sessions[all[i].session];
        double *sum = &m->progress[all[i].session].seconds;
        *sum = 0;
        for (uint32_t r = s->first; r < s->first + s->n; r++)
            *sum += p->runs[r].seconds;
        plan_measure(m, all[i].session, &all[i]);
    }
}

void plan_sessions(struct maker *m)
{
    const struct people *p = m->people;
    struct rectangle *all = mem_alloc((p->n_sessions + 1) * sizeof *all);
    struct rank *ranks = mem_alloc((p->n_sessions + 1) * sizeof *ranks);
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_sessions; i++) {
        const struct session *s = &p->sessions[i];
        struct rectangle *r = &all[n];
        if (!plan_measure(m, i, r)) {
            m->light += s->n;
            continue;
        }
        m->progress[i].is_planned = true;
        m->work[s->user].left -= s->n;
        n++;
    }
    n = leave_out(m, all, n);
    plan_scale(m, all, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct rectangle *r = &all[i];
        double part = r->width / vc_of(m, &p->sessions[r->session])->limit;
        ranks[i] =
            (struct rank){-r->width * r->seconds * (part > 0.25 ? 10 : 1), i};
    }
    ranks_sort(ranks, n);
    for (uint32_t k = 0; k < n; k++) {
        const struct rectangle *r = &all[ranks[k].item];
        const struct session *s = &p->sessions[r->session];
        const struct person *user = &p->users[s->user];
        double share =
            (r->session - user->first + gsl_rng_uniform(m->choices)) / user->n;
        double at =
            plan_choose(m, r,
                        PLAN_END * m->options->trace_s / m->options->span *
                            time_of_work(m, s->user, share));
        plan_walk(m, r->session, at, true);
        m->progress[r->session].due = at;
        put(&m->due, at, r->session);
    }
    m->light_left = m->light;
    free(all);
    free(ranks);
}

bool plan_running(struct maker *m, const struct session *session,
                  double seconds)
{
    struct vc_state *vc = vc_of(m, session);
    if ((double)vc->planned[0] + session->gpus > vc->limit)
        return false;
    lay(vc->planned, m->n_slots, PLAN_SLOT_S, 0, seconds, session->gpus);
    lay(m->work[session->user].planned, m->n_user_slots, USER_SLOT_S, 0,
        seconds, session->gpus);
    return true;
}
