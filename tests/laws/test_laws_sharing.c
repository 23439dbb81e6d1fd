/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relations that hold for each policy that lets jobs share GPUs, on random
 * jobsets: without interference sharing costs nothing, the sums of GPU time
 * agree with each other, and a constant slowdown gives both jobs of a pair the
 * same speed. */
#include <stdio.h>
#include <string.h>

#include "policies/registry.h"
#include "tests/support/draw.h"
#include "tests/support/lab_replay.h"

enum { JOBSETS = 60 };

/* A law about one run. It returns false with a message if it does not hold. */
typedef bool (*law)(const struct lab *lab, struct run_config config,
                    struct error *err);

static bool broken(struct error *err, const char *what, double a, double b)
{
    error_set(err, STATUS_BROKEN, "%s: %.17g and %.17g", what, a, b);
    return false;
}

/* Without interference, co-located jobs are as fast as alone: each attempt does
 * one second of work per second. */
static bool packing_is_free_without_interference(const struct lab *lab,
                                                 struct run_config config,
                                                 struct error *err)
{
    struct replay r;
    config.interference = "none";
    if (!lab_replay(lab, config, &r, err))
        return false;
    const struct ledger *ledger = &r.results.run->ledger;
    double time = (double)coloc_time(r.results.coloc);
    bool good = true;
    for (uint32_t i = 0; good && i < ledger->n_attempts; i++) {
        const struct attempt *a = &ledger->attempts[i];
        const struct attempt_cost *cost = ledger_cost(ledger, i);
        if (cost && cost->work != (double)(a->end - a->start))
            good = broken(err, "work and length of an attempt", cost->work,
                          (double)(a->end - a->start));
    }
    if (good && !r.meter.unit_rates)
        good = broken(err, "a rate was not", 1, 1);
    if (good && r.results.coloc->work != time)
        good = broken(err, "work and time of co-located jobs",
                      r.results.coloc->work, time);
    replay_fini(&r);
    return good;
}

/* With at most two jobs per GPU, the sum of the GPU times of attempts equals
 * the GPU time held by at least one job plus the GPU time held by two jobs. */
static bool gpu_time_is_conserved(const struct lab *lab,
                                  struct run_config config, struct error *err)
{
    struct replay r;
    if (!lab_replay(lab, config, &r, err))
        return false;
    const struct ledger *ledger = &r.results.run->ledger;
    const struct coloc *c = r.results.coloc;
    gpu_time held = 0, busy = r.meter.total.busy, pairs = 0;
    for (size_t i = 0; i < ledger->n_attempts; i++) {
        const struct attempt *a = &ledger->attempts[i];
        struct gpu_slice slices[64];
        struct gpu_set where = {slices, ledger_where(ledger, a, slices, 64)};
        sim_time end = a->end == TIME_NEVER ? ledger->last : a->end;
        held += (gpu_time)gpu_set_size(where) * (end - a->start);
    }
    for (size_t i = 0; i < c->n_pairs; i++)
        pairs += c->pairs[i].time;
    bool good = true;
    if (held != busy + c->crowded)
        good = broken(err, "held, and busy + crowded", (double)held,
                      (double)(busy + c->crowded));
    else if (coloc_time(c) < 2 * c->crowded || coloc_time(c) > held)
        good =
            broken(err, "co-located time is not between twice crowded and held",
                   (double)coloc_time(c), (double)c->crowded);
    else if (pairs != coloc_time(c))
        good = broken(err, "pairs and co-located time", (double)pairs,
                      (double)coloc_time(c));
    else if (c->work > (double)coloc_time(c) * (1 + 1e-12))
        good =
            broken(err, "more work than time", c->work, (double)coloc_time(c));
    replay_fini(&r);
    return good;
}

/* A constant slowdown affects both jobs of a pair equally, so all time of
 * co-located jobs passes at one relative speed. */
static bool both_of_a_pair_are_slowed_alike(const struct lab *lab,
                                            struct run_config config,
                                            struct error *err)
{
    struct replay r;
    config.interference =
        /* relative speed 1 / 1.25 = 0.8, which the results count as class jumbo
         */
        "constant:slowdown=1.25";
    if (!lab_replay(lab, config, &r, err))
        return false;
    const struct coloc *c = r.results.coloc;
    double time = (double)coloc_time(c);
    bool good = c->of_speed[SPEED_JUMBO] == coloc_time(c);
    if (!good)
        broken(err, "not all at that speed", (double)c->of_speed[SPEED_JUMBO],
               time);
    else if (c->work < 0.8 * time * (1 - 1e-9) ||
             c->work > 0.8 * time * (1 + 1e-9))
        good = broken(err, "work and 0.8 x time", c->work, 0.8 * time);
    replay_fini(&r);
    return good;
}

static const struct {
    const char *name;
    law is_kept;
} laws[] = {
    {"packing is free without interference",
     packing_is_free_without_interference},
    {"GPU time is conserved", gpu_time_is_conserved},
    {"both of a pair are slowed alike", both_of_a_pair_are_slowed_alike},
};

static bool holds(struct lab *lab, const struct policy_ops *policy, size_t nth,
                  const char **name, struct error *err)
{
    *name = laws[nth].name;
    for (uint64_t seed = 0; seed < JOBSETS; seed++) {
        gsl_rng *rng = rng_open(seed, "test laws sharing");
        struct run_config config = {.policy = policy->name,
                                    .overhead = "none",
                                    .engine = "share_limit=2",
                                    .seed = seed};
        lab_clear(lab);
        draw_lab(rng, lab);
        for (size_t i = 0; i < lab->n_jobs; i++)
            lab->jobs[i].util = 1 + rng_below(rng, 100);
        rng_free(rng);
        if (lab_write(lab, err) == STATUS_OK &&
            laws[nth].is_kept(lab, config, err))
            continue;
        printf("# jobset %d: %s\n", (int)seed, err->message);
        return false;
    }
    return true;
}

int main(void)
{
    return draw_check_laws(sizeof laws / sizeof *laws, holds);
}
