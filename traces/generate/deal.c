/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deals numbers of GPUs, kinds, final states and durations to the runs of all
 * sessions. */
#include "traces/generate/generate_internal.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/rng.h"

/* Deals `counts[i]` jobs of value i to the sessions in order of their scores. A
 * session that would get two values is cut. `give` stores a value. */
static void deal_sessions(struct people *p, struct rank *ranks, size_t n,
                          const uint32_t *counts, size_t n_counts,
                          void (*give)(struct session *, size_t, const void *),
                          const void *context)
{
    size_t value = 0;
    uint32_t left = counts[0];
    ranks_sort(ranks, n);
    for (size_t i = 0; i < n; i++) {
        size_t at = ranks[i].item;
        for (bool more = true; more;) {
            while (left == 0 && value + 1 < n_counts)
                left = counts[++value];
            more = p->sessions[at].n > left && left > 0;
            size_t rest = more ? people_cut(p, at, left) : at;
            give(&p->sessions[at], value, context);
            left -= p->sessions[at].n < left ? p->sessions[at].n : left;
            at = rest;
        }
    }
}

static void give_gpus(struct session *s, size_t value, const void *context)
{
    const struct sizes *sizes = context;
    s->gpus = sizes->gpus[value];
    s->size = calibration_class(s->gpus);
}

static void give_kind(struct session *s, size_t value, const void *context)
{
    (void)context;
    s->kind = (uint32_t)value;
}

static void deal_sizes(struct people *p, const struct sizes *sizes)
{
    struct rank *ranks = mem_alloc((p->n_sessions + 1) * sizeof *ranks);
    uint32_t *counts = mem_alloc(sizes->n * sizeof *counts);
    size_t sessions = p->n_sessions;
    for (uint32_t v = 0; v < sizes->n_vcs; v++) {
        size_t n = 0;
        for (uint32_t i = 0; i < sessions; i++) {
            const struct session *s = &p->sessions[i];
            if (p->users[s->user].vc == v)
                ranks[n++] = (struct rank){s->scores.size, i};
        }
        for (size_t i = 0; i < sizes->n; i++)
            counts[i] = sizes->jobs[i * sizes->n_vcs + v];
        deal_sessions(p, ranks, n, counts, sizes->n, give_gpus, sizes);
    }
    free(ranks);
    free(counts);
}

static void deal_kinds(struct people *p, const struct calibration *c)
{
    if (c->n_kinds < 2)
        return;
    struct rank *ranks = mem_alloc((p->n_sessions + 1) * sizeof *ranks);
    double *wanted = mem_alloc(c->n_kinds * sizeof *wanted);
    uint32_t *counts = mem_alloc(c->n_kinds * sizeof *counts);
    size_t sessions = p->n_sessions;
    for (uint32_t size = 0; size < CALIBRATION_CLASSES; size++) {
        size_t n = 0;
        uint32_t jobs = 0;
        for (uint32_t i = 0; i < sessions; i++) {
            const struct session *s = &p->sessions[i];
            if (s->size != size)
                continue;
            ranks[n++] = (struct rank){s->scores.kind, i};
            jobs += s->n;
        }
        for (size_t k = 0; k < c->n_kinds; k++)
            wanted[k] = 0;
        for (size_t i = 0; i < c->n_cells; i++) {
            if (c->cells[i].size == size)
                wanted[c->cells[i].kind] += c->cells[i].share;
        }
        if (n == 0)
            continue;
        ranks_apportion(wanted, c->n_kinds, jobs, counts);
        deal_sessions(p, ranks, n, counts, c->n_kinds, give_kind, NULL);
    }
    free(ranks);
    free(wanted);
    free(counts);
}

/* Draws the score of the state of each run, or of its failure if `failure`: the
 * session's part; the run's own part with the variance `own`, which is kept
 * from one run of a session to the next with probability `keep`; and noise with
 * the standard deviation `spread`. */
static void score_runs(const struct people *p, double own, double keep,
                       double spread, gsl_rng *rng, double *out, bool failure)
{
    for (size_t i = 0; i < p->n_sessions; i++) {
        const struct session *s = &p->sessions[i];
        double base = failure ? s->scores.failure : s->scores.state;
        double last = gsl_ran_gaussian_ziggurat(rng, 1);
        for (uint32_t k = 0; k < s->n; k++) {
            if (k > 0 && gsl_rng_uniform(rng) >= keep)
                last = gsl_ran_gaussian_ziggurat(rng, 1);
            out[s->first + k] = base + sqrt(fmax(own, 0)) * last +
                                spread * gsl_ran_gaussian_ziggurat(rng, 1);
        }
    }
}

/* Gives final states to the runs of one size class and kind: those with high
 * scores complete; of the others, those with a high score of failure fail, and
 * the rest are cancelled. */
static void give_states(struct people *p, struct rank *ranks, size_t n,
                        const double *failure, const double *wanted)
{
    uint32_t counts[CALIBRATION_STATES];
    ranks_apportion(wanted, CALIBRATION_STATES, (uint32_t)n, counts);
    ranks_sort(ranks, n);
    size_t others = n - counts[0];
    for (size_t i = others; i < n; i++)
        p->runs[ranks[i].item].state = 0;
    for (size_t i = 0; i < others; i++)
        ranks[i].score = failure[ranks[i].item];
    ranks_sort(ranks, others);
    for (size_t i = 0; i < others; i++)
        p->runs[ranks[i].item].state = i < counts[2] ? 2 : 1;
}

static void deal_states(struct people *p, const struct calibration *c,
                        const struct traits *t, gsl_rng *rng)
{
    size_t groups = CALIBRATION_CLASSES * c->n_kinds;
    double *state = mem_alloc(p->n_runs * sizeof *state);
    double *failure = mem_alloc(p->n_runs * sizeof *failure);
    struct rank *ranks = mem_alloc(p->n_runs * sizeof *ranks);
    double own = 1 - t->state_user - t->state_session;
    score_runs(p, own, t->keep_state, 0, rng, state, false);
    score_runs(p, own, t->keep_state, 0, rng, failure, true);
    for (size_t g = 0; g < groups; g++) {
        double wanted[CALIBRATION_STATES] = {0};
        size_t n = 0;
        for (size_t i = 0; i < c->n_cells; i++) {
            const struct calibration_cell *cell = &c->cells[i];
            if (cell->size * c->n_kinds + cell->kind == g)
                wanted[cell->state] += cell->share;
        }
        for (size_t i = 0; i < p->n_sessions; i++) {
            const struct session *s = &p->sessions[i];
            if (s->size * c->n_kinds + s->kind != g)
                continue;
            for (uint32_t k = s->first; k < s->first + s->n; k++)
                ranks[n++] = (struct rank){state[k], k};
        }
        if (n > 0)
            give_states(p, ranks, n, failure, wanted);
    }
    free(state);
    free(failure);
    free(ranks);
}

/* With probability traits.finish, lets a session end with a completed run if it
 * has one, because users stop when they have their result. */
static void deal_finish(struct people *p, const struct traits *t, gsl_rng *rng)
{
    for (size_t i = 0; i < p->n_sessions; i++) {
        const struct session *s = &p->sessions[i];
        struct people_run *runs = &p->runs[s->first];
        if (gsl_rng_uniform(rng) >= t->finish)
            continue;
        for (uint32_t k = s->n - 1; k-- > 0 && runs[s->n - 1].state != 0;) {
            if (runs[k].state == 0) {
                runs[k].state = runs[s->n - 1].state;
                runs[s->n - 1].state = 0;
            }
        }
    }
}

void deal(struct people *people, const struct calibration *calibration,
          const struct traits *traits, const struct sizes *sizes, double mean,
          uint64_t seed)
{
    gsl_rng *rng = rng_open(seed, "synthetic.states");
    deal_sizes(people, sizes);
    deal_kinds(people, calibration);
    deal_states(people, calibration, traits, rng);
    deal_finish(people, traits, rng);
    rng_free(rng);
    durations_deal(people, calibration, traits, sizes, mean, seed);
}
