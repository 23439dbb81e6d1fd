/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The users of a generated cluster and their sessions. */
#include "traces/generate/generate_internal.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/rng.h"

/* largest number of jobs of a session */
#define SESSION_MOST 1000

static size_t people_n_vcs(const struct calibration *c)
{
    return c->n_vcs ? c->n_vcs : 1;
}

/* Gives each user a virtual cluster, the busiest users first: the one whose
 * users still lack the largest share of all jobs. */
static void people_choose_vcs(struct people *p, const struct calibration *c,
                              const uint32_t *jobs)
{
    double given[256] = {0}, total = 0;
    CHECK(people_n_vcs(c) <= 256);
    for (size_t v = 0; v < people_n_vcs(c); v++)
        total += jobs[v];
    for (size_t i = 0; i < p->n_users; i++) {
        size_t best = 0;
        double most = -INFINITY;
        for (size_t v = 0; v < people_n_vcs(c); v++) {
            double missing = jobs[v] / total - given[v];
            if (missing > most)
                most = missing, best = v;
        }
        p->users[i].vc = (uint32_t)best;
        given[best] += c->users[i];
    }
}

/* Moves the last user of the virtual cluster with the most users to each that
 * has jobs and no user. */
static void fill_vcs(struct people *p, const struct calibration *c,
                     const uint32_t *jobs)
{
    uint32_t count[256] = {0};
    for (size_t i = 0; i < p->n_users; i++)
        count[p->users[i].vc]++;
    for (uint32_t v = 0; v < people_n_vcs(c); v++) {
        uint32_t full = 0;
        for (uint32_t k = 1; k < people_n_vcs(c); k++)
            full = count[k] > count[full] ? k : full;
        if (count[v] > 0 || jobs[v] == 0 || count[full] < 2)
            continue;
        size_t i = p->n_users - 1;
        while (p->users[i].vc != full)
            i--;
        p->users[i].vc = v;
        count[v]++;
        count[full]--;
    }
}

/* Shares the jobs of each virtual cluster among its users. */
static void share_jobs(struct people *p, const struct calibration *c,
                       const uint32_t *jobs)
{
    double *wanted = mem_alloc(p->n_users * sizeof *wanted);
    uint32_t *n = mem_alloc(p->n_users * sizeof *n);
    for (uint32_t v = 0; v < people_n_vcs(c); v++) {
        for (size_t i = 0; i < p->n_users; i++)
            wanted[i] = p->users[i].vc == v ? c->users[i] : 0;
        if (jobs[v] == 0)
            continue;
        ranks_apportion(wanted, p->n_users, jobs[v], n);
        for (size_t i = 0; i < p->n_users; i++)
            p->users[i].n_runs += n[i];
    }
    free(wanted);
    free(n);
}

static void people_draw_user(const struct traits *t, gsl_rng *rng, double busy,
                             struct scores *out)
{
    *out = (struct scores){
        .size = gsl_ran_ugaussian(rng),
        .kind = gsl_ran_ugaussian(rng),
        .state = gsl_ran_ugaussian(rng),
        .failure = gsl_ran_ugaussian(rng),
    };
    double own = gsl_ran_ugaussian(rng);
    double large = t->few_large;
    out->size = sqrt(1 - large * large) * out->size - large * busy;
    double link = t->size_duration, few = t->few_long, done = t->busy_done;
    out->state = done * busy + sqrt(1 - done * done) * out->state;
    out->duration = link * out->size - few * busy +
                    sqrt(fmax(1 - link * link - few * few, 0)) * own;
}

/* Replaces the scores of a user's last session by those of the next one, whose
 * correlation with them is traits.drift. */
static void drift(const struct traits *t, gsl_rng *rng, struct scores *at)
{
    double *each[] = {&at->size, &at->kind, &at->state, &at->failure,
                      &at->duration};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        *each[i] = t->drift * *each[i] +
                   sqrt(1 - t->drift * t->drift) * gsl_ran_ugaussian(rng);
}

/* Adds the scores of a user and those of a session, each weighted by the square
 * root of its share of the variance. */
static struct scores people_mix(const struct traits *t,
                                const struct scores *user,
                                const struct scores *own)
{
    return (struct scores){
        .size = sqrt(t->size_user) * user->size +
                sqrt(1 - t->size_user) * own->size,
        .kind = sqrt(t->kind_user) * user->kind +
                sqrt(1 - t->kind_user) * own->kind,
        .state = sqrt(t->state_user) * user->state +
                 sqrt(t->state_session) * own->state,
        .failure = sqrt(t->state_user) * user->failure +
                   sqrt(t->state_session) * own->failure,
        .duration = sqrt(t->duration_user) * user->duration +
                    sqrt(t->duration_session) * own->duration,
    };
}

static struct session *add_session(struct people *p)
{
    p->sessions = mem_grow(p->sessions, &p->cap_sessions, p->n_sessions + 1,
                           sizeof *p->sessions);
    return &p->sessions[p->n_sessions++];
}

/* Draws the sessions of a user; the runs are numbered from `first`. */
static void draw_sessions(struct people *p, const struct traits *t,
                          uint32_t user, uint32_t first, gsl_rng *rng)
{
    double mu = log(t->session_mean) - t->session_sigma * t->session_sigma / 2;
    struct scores own;
    people_draw_user(&(struct traits){0}, rng, 0, &own);
    uint32_t left = p->users[user].n_runs;
    for (uint32_t turn = 0; left > 0; turn++) {
        double n = ceil(exp(mu + gsl_ran_gaussian(rng, t->session_sigma)));
        n = fmin(n, SESSION_MOST);
        struct session *s = add_session(p);
        drift(t, rng, &own);
        *s = (struct session){
            .user = user,
            .turn = turn,
            .first = first,
            .n = n < left ? (uint32_t)n : left,
            .is_sweep = gsl_rng_uniform(rng) < t->sweep,
            .scores = people_mix(t, &p->users[user].scores, &own),
        };
        double done = 1 - (left - 0.5 * s->n) / p->users[user].n_runs;
        s->scores.duration -= sqrt(t->trend) * gsl_cdf_ugaussian_Pinv(done);
        for (uint32_t i = 0; i < s->n; i++)
            p->runs[first++].session = (uint32_t)p->n_sessions - 1;
        left -= s->n;
    }
}

void people_init(struct people *out, const struct calibration *calibration,
                 const struct traits *traits, const uint32_t *jobs,
                 uint64_t seed)
{
    size_t n_runs = 0;
    for (size_t v = 0; v < people_n_vcs(calibration); v++)
        n_runs += jobs[v];
    *out = (struct people){
        .users = mem_zalloc(calibration->n_users, sizeof *out->users),
        .n_users = calibration->n_users,
        .runs = mem_zalloc(n_runs, sizeof *out->runs),
        .n_runs = n_runs,
    };
    people_choose_vcs(out, calibration, jobs);
    fill_vcs(out, calibration, jobs);
    share_jobs(out, calibration, jobs);
    gsl_rng *rng = rng_open(seed, "synthetic.people");
    for (size_t i = 0; i < out->n_users; i++) {
        /* The user's place by number of jobs, from 1.7 (busiest) to -1.7, which
         * has a mean of 0 and a standard deviation of about 1. */
        double busy = 1.7 - 3.4 * ((double)i + 0.5) / (double)out->n_users;
        people_draw_user(traits, rng, busy, &out->users[i].scores);
        if (i < calibration->n_busiest && traits->busiest > 0)
            out->users[i].scores.duration = traits->busiest *
                                            calibration->busiest_durations[i] /
                                            sqrt(traits->duration_user);
    }
    rng_free(rng);
    rng = rng_open(seed, "synthetic.sessions");
    uint32_t first = 0;
    for (uint32_t i = 0; i < out->n_users; i++) {
        draw_sessions(out, traits, i, first, rng);
        first += out->users[i].n_runs;
    }
    rng_free(rng);
}

void people_fini(struct people *people)
{
    free(people->users);
    free(people->sessions);
    free(people->runs);
}

size_t people_cut(struct people *people, size_t session, uint32_t n)
{
    struct session *rest = add_session(people);
    struct session *s = &people->sessions[session];
    CHECK(n > 0 && n < s->n);
    *rest = *s;
    rest->first += n;
    rest->n -= n;
    s->n = n;
    for (uint32_t i = 0; i < rest->n; i++)
        people->runs[rest->first + i].session =
            (uint32_t)people->n_sessions - 1;
    return people->n_sessions - 1;
}

static int people_by_turn(const void *a, const void *b)
{
    const struct session *x = a, *y = b;
    if (x->user != y->user)
        return x->user < y->user ? -1 : 1;
    if (x->turn != y->turn)
        return x->turn < y->turn ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

void people_sort(struct people *people)
{
    qsort(people->sessions, people->n_sessions, sizeof *people->sessions,
          people_by_turn);
    for (uint32_t i = 0; i < people->n_users; i++)
        people->users[i].n = 0;
    for (uint32_t i = 0; i < people->n_sessions; i++) {
        struct session *s = &people->sessions[i];
        struct person *user = &people->users[s->user];
        if (user->n++ == 0)
            user->first = i;
        for (uint32_t k = 0; k < s->n; k++)
            people->runs[s->first + k].session = i;
    }
}
