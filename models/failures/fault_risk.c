/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/failures/fault_risk.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "base/rng.h"

uint64_t risk_key(uint32_t place, enum fault_scope kind, uint32_t number)
{
    return (uint64_t)place << 40 | (uint64_t)kind << 36 | number;
}

/* The mean of Weibull's distribution is scale x Gamma(1 + 1/shape), which gives
 * the scale. The gap that covers an instant far from the start is drawn with
 * its length as weight. The gap, divided by the scale and raised to the power
 * `shape`, then has the distribution Gamma(1 + 1/shape) and not the exponential
 * one. The part of the gap that is left is uniform. */
double risk_gap(const struct fault_risk *risk, uint64_t stream, uint64_t key,
                bool first)
{
    if (!(risk->rate > 0))
        return INFINITY;
    double power = 1 / risk->shape;
    double scale = 86400e3 / risk->rate / tgamma(1 + power);
    double u = keyed_uniform(stream, key, DRAW_GAP);
    if (!first || risk->shape == 1)
        return scale * pow(-log(u), power);
    double left = keyed_uniform(stream, key, DRAW_AGE);
    return left * scale * pow(gsl_cdf_gamma_Pinv(u, 1 + power, 1), power);
}

sim_span risk_repair(const struct fault_figures *figures, enum fault_scope kind,
                     uint64_t stream, uint64_t key)
{
    const struct fault_risk *risk = &figures->risk[kind];
    double z = keyed_normal(stream, key, DRAW_REPAIR);
    double seconds = 3600 * exp(risk->repair_mu + risk->repair_sigma * z);
    return span_from_seconds(fmin(seconds, figures->repair_max_s));
}

double risk_frailty(const struct fault_figures *figures, uint32_t k)
{
    double n = fmin(k, figures->frailty_most);
    return figures->frailty > 0 && n > 0
               ? 1 + figures->frailty_a * pow(n, figures->frailty_b)
               : 1;
}

/* The size of a batch is geometric on 1, 2, ..., but at most 1e6. */
uint32_t risk_burst(const struct fault_figures *figures, uint64_t stream,
                    uint64_t key)
{
    if (!(figures->bursts > 0) ||
        keyed_uniform(stream, key, DRAW_BURST) >= figures->burst_chance)
        return 0;
    double u = keyed_uniform(stream, key, DRAW_BURST_SIZE);
    double stay = 1 - 1 / figures->burst_size;
    double n = stay > 0 ? 1 + floor(log(u) / log(stay)) : 1;
    return (uint32_t)fmin(n, 1e6);
}

bool risk_refaults(const struct fault_figures *figures, uint64_t stream,
                   uint64_t key, sim_span repair, double *gap)
{
    double chance = repair <= SPAN_DAY ? figures->refault_chance
                                       : figures->refault_long_chance;
    if (!(figures->bursts > 0) ||
        keyed_uniform(stream, key, DRAW_REFAULT) >= chance)
        return false;
    double z = keyed_normal(stream, key, DRAW_REFAULT_GAP);
    *gap = 3600 * exp(figures->refault_mu + figures->refault_sigma * z);
    return true;
}

void risk_prepare(struct fault_figures *figures)
{
    double factor = (figures->frailty > 0 ? figures->frailty_new : 1) *
                    (figures->bursts > 0 ? figures->burst_own : 1);
    for (unsigned k = 0; k < FAULT_STORAGE; k++)
        figures->risk[k].rate *= factor;
}

double risk_total(const struct fault_figures *figures)
{
    double sum = 0;
    for (unsigned k = 0; k < FAULT_STORAGE; k++)
        sum += figures->risk[k].rate;
    return sum;
}
