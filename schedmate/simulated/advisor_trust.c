/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a careful advisor is trusted (--schedmate careful). Each job that
 * ends tells how far the advisor was off, and how far the layers below were
 * off about the same job: the advisor counts while its recent mean error is no
 * larger. Run times and demand are judged apart. Before enough jobs have ended
 * the layers below count.
 *
 * A demand can be compared only if the job was profiled too. So some jobs are
 * profiled all the same while the advisor is trusted (advisor_trust_control);
 * from them it can lose the trust again. */
#include <math.h>

#include "base/rng.h"
#include "schedmate/simulated/simulated_internal.h"

enum {
    /* A job counts 1/64 of the mean error: about the last 100 jobs matter. */
    TRUST_MEMORY = 64,
    /* jobs that must be compared before the advisor can be trusted */
    TRUST_LEAST = 32,
    /* of this many jobs one is profiled although the advisor is trusted */
    TRUST_CONTROL = 16,
    DRAW_CONTROL = 16, /* argument `k` of the keyed draw */
};

/* Run times are compared by their ratio; below this many seconds a difference
 * does not matter to a queue. */
#define TRUST_FLOOR_S 10.0

void advisor_trust_init(struct advisor_trust *t, uint64_t draws, uint32_t n,
                        struct arena *arena)
{
    t->draws = draws;
    t->below_s = ARENA_ARRAY(arena, float, n);
    t->below_compute = ARENA_ARRAY(arena, float, n);
    for (uint32_t i = 0; i < n; i++)
        t->below_s[i] = t->below_compute[i] = NAN;
}

bool advisor_trust_score_holds(const struct trust_score *score)
{
    return score->n >= TRUST_LEAST && score->advisor <= score->below;
}

bool advisor_trust_control(const struct advisor_trust *t, job_id job)
{
    return keyed_uniform(t->draws, job, DRAW_CONTROL) * TRUST_CONTROL < 1;
}

static void score_add(struct trust_score *score, double advisor, double below)
{
    if (isnan(advisor) || isnan(below))
        return;
    uint32_t n = score->n < TRUST_MEMORY ? ++score->n : TRUST_MEMORY;
    score->advisor += (advisor - score->advisor) / n;
    score->below += (below - score->below) / n;
}

static double ratio_error(double believed, double ran)
{
    return fabs(log((believed + TRUST_FLOOR_S) / (ran + TRUST_FLOOR_S)));
}

void advisor_trust_learn(struct advisor_trust *t, job_id job, double seconds,
                         double told, double ran, double compute)
{
    score_add(&t->times, ratio_error(seconds, ran),
              ratio_error((double)t->below_s[job], ran));
    score_add(&t->demand, fabs(told - compute),
              fabs((double)t->below_compute[job] - compute));
}
