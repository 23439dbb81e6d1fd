/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The next run of a session. If traits.shift > 0, a user submits it a drawn gap
 * after the end of the last run, and it takes the place of the next arrival;
 * otherwise it waits for the next arrival after that gap. */
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "traces/generate/generate_internal.h"

/* how many mean gaps between arrivals a due run is expected to wait for an
 * arrival: WAITS if traits.shift is 0, WAITS_PAUSED otherwise */
#define WAITS 3
#define WAITS_PAUSED 10
/* median of the pauses of a user within a session, seconds */
#define PAUSE_S 14400.0
/* the longest gap between two runs of a session without a pause, seconds,
 * before traits.gap_scale */
#define GAP_MOST_S 5400.0
/* factors of traits.shift: for a session with a planned time, and after a run
 * that has not completed */
#define PATIENT_PLANNED 8
#define PATIENT_FAILED 4

double draw_gap(struct maker *m, uint32_t state)
{
    const struct traits *t = m->traits;
    double z = gsl_ran_gaussian_ziggurat(m->gaps, 1);
    if (gsl_rng_uniform(m->gaps) < t->pause[state])
        return PAUSE_S * exp(z);
    double gap = t->gap_median[state] * exp(t->gap_sigma[state] * z);
    return t->gap_scale * fmin(gap, GAP_MOST_S);
}

double mean_gap(const struct maker *m)
{
    const struct traits *t = m->traits;
    double waits = t->shift > 0 ? WAITS_PAUSED : WAITS, sum = 0;
    for (size_t k = 0; k < CALIBRATION_STATES; k++) {
        for (size_t i = 0; i < 200; i++) {
            double z = gsl_cdf_ugaussian_Pinv(((double)i + 0.5) / 200);
            double gap = t->gap_median[k] * exp(t->gap_sigma[k] * z);
            sum += m->calibration->states[k] * fmin(gap, GAP_MOST_S) / 200;
        }
    }
    return t->gap_scale * sum +
           waits * m->options->span / (double)m->people->n_runs;
}

void make_due(struct maker *m, uint32_t session, double at)
{
    struct session_state *progress = &m->progress[session];
    progress->due = at;
    put(progress->is_planned ? &m->due : &m->due_light, at, session);
}

/* Lets the session of a run that has ended go on. */
static void chains_follow_one(struct maker *m, const struct people_run *run,
                              double end)
{
    const struct session *s = &m->people->sessions[run->session];
    struct session_state *at = &m->progress[run->session];
    at->active--;
    if (m->traits->shift <= 0) {
        if (at->next < s->n && isinf(at->due))
            make_due(m, run->session, end + draw_gap(m, run->state));
    } else if (at->next + at->coming < s->n) {
        at->coming++;
        put(&m->chained, ceil(end + draw_gap(m, run->state)), run->session);
    }
}

void end_runs(struct maker *m, double now)
{
    while (m->ends.n > 0 && m->ends.heap[0].at <= now) {
        struct later end = take(&m->ends);
        leave_vc(m, end.item);
        if (m->ends.n == 0 || m->ends.heap[0].at > end.at)
            serve_vcs(m, end.at);
        if (end.item >= m->out->n_running)
            chains_follow_one(
                m, &m->people->runs[m->out->entries[end.item].run], end.at);
    }
}

/* Returns how long before an arrival, in seconds, a user may submit the next
 * run of a session. A user who works on a failure goes on for longer than one
 * who has a result. */
static double patience(const struct maker *m, const struct session_state *at,
                       uint32_t state)
{
    double factor = at->is_planned ? PATIENT_PLANNED
                    : state == 0   ? 1
                                   : PATIENT_FAILED;
    return factor * m->traits->shift;
}

/* What becomes of a session whose next run is due. */
enum turn { TURN_SUBMIT, TURN_RETRY, TURN_PAUSE, TURN_PLAN };

static enum turn turn_of(const struct maker *m, uint32_t session, double due,
                         double until)
{
    const struct session *s = &m->people->sessions[session];
    const struct session_state *at = &m->progress[session];
    uint32_t state = m->people->runs[s->first + at->next - 1].state;
    bool late = until - due > patience(m, at, state);
    if (late)
        return at->is_planned ? TURN_PLAN : TURN_PAUSE;
    return can_start(m, session, due) ? TURN_SUBMIT : TURN_RETRY;
}

bool submit_chained(struct maker *m, double until)
{
    for (;;) {
        double due = m->chained.n > 0 ? m->chained.heap[0].at : INFINITY;
        double end = m->ends.n > 0 ? m->ends.heap[0].at : INFINITY;
        if (fmin(due, end) > until)
            return false;
        if (end <= due) {
            end_runs(m, end);
            continue;
        }
        uint32_t session = take(&m->chained).item;
        struct session_state *at = &m->progress[session];
        at->coming--;
        if (at->next == m->people->sessions[session].n)
            continue; /* it was submitted before */
        enum turn turn = turn_of(m, session, due, until);
        if (turn == TURN_SUBMIT) {
            submit(m, session, due);
            return true;
        }
        if (turn == TURN_PLAN) {
            make_due(m, session, until);
            continue;
        }
        double pause = turn == TURN_PAUSE ? PAUSE_S : RETRY_S;
        at->coming++;
        put(&m->chained, due + ceil(pause * (1 + gsl_rng_uniform(m->gaps))),
            session);
    }
}
