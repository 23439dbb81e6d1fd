/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which user begins a short session, and which of the user's sessions
 * that is. Users work on some days and not on others. The more work a user has
 * left for each day that is left, the more likely the user is chosen, so that
 * all users finish their work when the trace ends. */
#include <math.h>
#include <stdlib.h>

#include "traces/generate/generate_internal.h"

/* number of a user's next sessions among which the user chooses */
#define WORK_WINDOW 24
/* largest number of users who are drawn at one instant */
#define ASKED 12
/* the largest share of the days on which a user works, unless traits.on_share
 * is larger */
#define ON_MOST 0.9
/* a job of more than a node and of a larger share of vc_state.most than this is
 * submitted only if it can start at once */
#define LARGE 0.04
/* lower bound for work.day of today, in force if no user with work today has a
 * session that fits */
#define IDLE 0.02

bool can_start(const struct maker *m, uint32_t session, double now)
{
    const struct session *s = &m->people->sessions[session];
    const struct vc_state *vc = vc_of(m, s);
    double node = m->calibration->gpus_per_node;
    if (vc->running <= 0)
        return true;
    if (vc->running + s->gpus > vc->most)
        return false;
    if (can_start_now(vc, s->gpus))
        return true;
    if (s->gpus > fmax(LARGE * vc->most, node))
        return false;
    double waits = now - waits_since(m, vc); /* -INFINITY: no job waits */
    double jobs = (double)(m->out->n - m->out->n_running);
    double queue =
        vc->first < vc->n_queue ? (double)(vc->n_queue - vc->first) * waits : 0;
    return waits < m->traits->bearable &&
           m->out->waited_s + queue < m->traits->wait * jobs;
}

static size_t day_of(const struct maker *m, double at)
{
    size_t d = (size_t)(at / DAY_S);
    return d < m->n_days ? d : m->n_days - 1;
}

/* Draws the days on which a user works, and how much. */
static void draw_days(struct maker *m, struct work *work, gsl_rng *rng)
{
    const struct traits *t = m->traits;
    double mean = (double)m->people->n_runs / (double)m->people->n_users;
    double share = fmin(t->on_share * pow(work->left / mean, t->busy_on),
                        fmax(t->on_share, ON_MOST));
    double stop = 1 / fmax(t->on_days, 1), sum = 0;
    double begin = fmin(share / fmax(1 - share, 1e-6) * stop, 1);
    bool on = gsl_rng_uniform(rng) < share;
    for (size_t d = 0; d < m->n_days; d++) {
        double much = exp(gsl_ran_gaussian(rng, t->campaign));
        work->day[d] = on ? much : 0;
        sum += work->day[d] * m->arrivals[d];
        on = gsl_rng_uniform(rng) < (on ? 1 - stop : begin);
    }
    if (sum <= 0) { /* at least some days, from that of a submission on */
        size_t n = m->people->n_runs;
        size_t at = (size_t)(gsl_rng_uniform(rng) * (double)n);
        size_t d = day_of(m, m->options->times[at]);
        for (size_t k = 0; (double)k < t->on_days && d + k < m->n_days; k++)
            work->day[d + k] = 1;
    }
    double ahead = 0;
    for (size_t d = m->n_days; d-- > 0;) {
        work->ahead[d] = ahead;
        ahead += work->day[d] * m->arrivals[d];
    }
}

void open_work(struct maker *m)
{
    const struct people *p = m->people;
    m->n_days = (size_t)(m->options->span / DAY_S) + 1;
    m->arrivals = mem_zalloc(m->n_days, sizeof *m->arrivals);
    m->weights = mem_zalloc(p->n_users, sizeof *m->weights);
    for (size_t i = 0; i < p->n_runs; i++)
        m->arrivals[day_of(m, m->options->times[i])]++;
    gsl_rng *rng = rng_open(m->options->seed, "synthetic.days");
    for (size_t i = 0; i < p->n_users; i++) {
        struct work *work = &m->work[i];
        *work = (struct work){
            .next = p->users[i].first,
            .left = p->users[i].n_runs,
            .limit = m->traits->peak * p->users[i].gpu_s / m->options->span,
            .day = mem_zalloc(m->n_days, sizeof *work->day),
            .ahead = mem_zalloc(m->n_days, sizeof *work->ahead),
        };
        draw_days(m, work, rng);
    }
    rng_free(rng);
}

double time_of_work(const struct maker *m, uint32_t user, double share)
{
    const struct work *work = &m->work[user];
    double total = work->ahead[0] + work->day[0] * m->arrivals[0];
    double left = total * (1 - share);
    size_t d = 0;
    while (d + 1 < m->n_days && work->ahead[d] > left)
        d++;
    double of_day = work->day[d] * m->arrivals[d];
    double part = of_day > 0 ? (work->ahead[d] + of_day - left) / of_day : 0;
    return ((double)d + fmin(fmax(part, 0), 1)) * DAY_S;
}

void close_work(struct maker *m)
{
    for (size_t i = 0; i < m->people->n_users; i++) {
        free(m->work[i].day);
        free(m->work[i].ahead);
    }
    free(m->work);
    free(m->weights);
    free(m->arrivals);
}

/* Returns the first of the user's next unplanned sessions that has room;
 * UINT32_MAX if none has. */
static uint32_t fitting(struct maker *m, size_t user, double now)
{
    const struct person *person = &m->people->users[user];
    struct work *work = &m->work[user];
    uint32_t end = person->first + person->n, seen = 0;
    for (uint32_t i = work->next; i < end && seen < WORK_WINDOW; i++) {
        const struct session_state *at = &m->progress[i];
        if (at->has_begun || at->is_planned) {
            work->next += i == work->next;
            continue;
        }
        seen++;
        if (can_start(m, i, now))
            return i;
    }
    return UINT32_MAX;
}

/* Draws a user by the weights. */
static size_t work_draw_user(const struct maker *m, double total)
{
    double at = gsl_rng_uniform(m->choices) * total;
    size_t last = 0;
    for (size_t i = 0; i < m->people->n_users; i++) {
        if (m->weights[i] <= 0)
            continue;
        last = i;
        at -= m->weights[i];
        if (at < 0)
            break;
    }
    return last;
}

/* Draws up to ASKED users until one has a session that has room. Returns this
 * session; UINT32_MAX if none has. `least`: lower bound for work.day of today;
 * above 0, users without work today can be drawn too. */
static uint32_t work_ask(struct maker *m, double now, double least)
{
    size_t day = day_of(m, now);
    double total = 0, today = (double)(m->day_end - m->turn);
    for (size_t i = 0; i < m->people->n_users; i++) {
        const struct work *work = &m->work[i];
        double much = fmax(work->day[day], least);
        double ahead = work->ahead[day] + much * fmax(today, 1);
        m->weights[i] = ahead > 0 ? work->left * much / ahead : 0;
        total += m->weights[i];
    }
    for (int i = 0; i < ASKED && total > 1e-9; i++) {
        size_t user = work_draw_user(m, total);
        uint32_t session = fitting(m, user, now);
        if (session != UINT32_MAX)
            return session;
        total -= m->weights[user];
        m->weights[user] = 0;
    }
    return UINT32_MAX;
}

uint32_t begin_session(struct maker *m, double now)
{
    while (m->day_end <= m->turn)
        m->day_end += m->arrivals[m->today++];
    uint32_t session = work_ask(m, now, 0);
    if (session == UINT32_MAX)
        session = work_ask(m, now, IDLE);
    for (size_t i = 0; session == UINT32_MAX && i < m->people->n_users; i++) {
        if (m->work[i].left)
            session = fitting(m, i, now);
    }
    return session;
}

/* Returns a number >= 0 that grows as the room for a session shrinks. */
static double crowd(const struct maker *m, const struct session *s)
{
    const struct vc_state *vc = vc_of(m, s);
    bool fits = can_start_now(vc, s->gpus);
    return (vc->running + s->gpus) / vc->most + (fits ? 0 : 1);
}

uint32_t begin_any(const struct maker *m)
{
    uint32_t best = UINT32_MAX;
    double least = INFINITY;
    for (size_t u = 0; u < m->people->n_users; u++) {
        const struct person *person = &m->people->users[u];
        uint32_t end = person->first + person->n, seen = 0;
        for (uint32_t i = m->work[u].next; i < end && seen < WORK_WINDOW; i++) {
            if (m->progress[i].has_begun || m->progress[i].is_planned)
                continue;
            seen++;
            double now = crowd(m, &m->people->sessions[i]);
            if (now < least)
                least = now, best = i;
        }
    }
    return best;
}

void mark_begun(struct maker *m, uint32_t session)
{
    const struct session *s = &m->people->sessions[session];
    if (!m->progress[session].is_planned)
        m->work[s->user].left -= s->n, m->light_left -= s->n;
    m->progress[session].has_begun = true;
}
