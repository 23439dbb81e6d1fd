/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the part `advice` of summary.json again. */
#include <math.h>
#include <stdlib.h>

#include "sim/verify/verify_advice.h"

void verify_advice_add(struct verify_advices *v,
                       const struct verify_question *q)
{
    struct verify_advice_sums *s = &v->sums;
    sim_time end = v->data->last_end;
    s->tokens_in += q->tokens_in;
    s->tokens_out += q->tokens_out;
    if (q->module == ADVISOR) {
        s->by_basis[q->basis]++;
        s->k += q->k;
    }
    if (q->server == VERIFY_NO_SERVER) {
        s->unasked++;
        return;
    }
    s->first = s->questions == 0 ? q->asked : s->first;
    s->last = q->answered > s->last ? q->answered : s->last;
    s->questions++;
    s->by_module[q->module]++;
    s->counted += q->counted;
    s->wait += (double)(q->begun - q->asked);
    s->delay += (double)(q->answered - q->asked);
    s->service += (double)(q->answered - q->begun);
    s->busy +=
        fmax(0, (double)((q->answered < end ? q->answered : end) - q->begun));
    s->delays =
        mem_grow(s->delays, &s->cap_delays, s->n_delays + 1, sizeof *s->delays);
    s->delays[s->n_delays++] = span_seconds(q->answered - q->asked);
}

static int advice_parts_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double advice_parts_p99_of(const struct verify_advice_sums *s)
{
    size_t n = s->n_delays, rank = (n * 99 + 99) / 100;
    if (n == 0)
        return NAN;
    qsort(s->delays, n, sizeof *s->delays, advice_parts_by_value);
    return s->delays[rank - 1];
}

/* Returns part / whole; NaN, which stands for null, if the whole is 0. */
static double advice_parts_ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static void check_shares(const struct verify_part *part,
                         const struct verify_advice_sums *s)
{
    const double *by = s->by_basis;
    double settled = 0;
    for (unsigned b = 0; b < VERIFY_BASES; b++)
        settled += b == BASIS_WAITS ? 0 : by[b];
    verify_part_expect(part, "resubmission_share",
                       advice_parts_ratio(by[BASIS_RESUBMISSION], settled));
    verify_part_expect(part, "similar_share",
                       advice_parts_ratio(by[BASIS_SIMILAR], settled));
    verify_part_expect(part, "law_share",
                       advice_parts_ratio(by[BASIS_LAW], settled));
    verify_part_expect(part, "nothing_share",
                       advice_parts_ratio(by[BASIS_NOTHING], settled));
    verify_part_expect(
        part, "k_mean",
        advice_parts_ratio(s->k, by[BASIS_RESUBMISSION] + by[BASIS_SIMILAR]));
}

static void advice_parts_check_times(const struct verify_part *part,
                                     const struct verify_advices *v)
{
    const struct verify_advice_sums *s = &v->sums;
    double servers = v->options.servers;
    double all = servers * (double)v->data->last_end;
    verify_part_expect(part, "wait_mean_s",
                       advice_parts_ratio(s->wait / 1e6, s->questions));
    verify_part_expect(part, "delay_mean_s",
                       advice_parts_ratio(s->delay / 1e6, s->questions));
    verify_part_expect(part, "delay_p99_s", advice_parts_p99_of(s));
    verify_part_expect(part, "per_hour",
                       advice_parts_ratio(s->questions * 3600e6,
                                          (double)(s->last - s->first)));
    verify_part_expect(
        part, "capacity_per_hour",
        advice_parts_ratio(s->questions * servers * 3600e6, s->service));
    verify_part_expect(part, "busy_gpu_hours", s->busy / 3600e6);
    verify_part_expect(part, "idle_gpu_hours", (all - s->busy) / 3600e6);
    verify_part_expect(part, "utilisation", advice_parts_ratio(s->busy, all));
}

/* Gives the counts by word; those of 0 only if `zeroes`. */
static void advice_expect_words(const struct verify_part *part,
                                const char *name, const char *const *words,
                                const double *counts, unsigned n, bool zeroes)
{
    const struct verify_part inner = verify_part_inner(part, name);
    for (unsigned i = 0; i < n; i++) {
        if (counts[i] > 0 || zeroes)
            verify_part_expect(&inner, words[i], counts[i]);
    }
}

void verify_advice_parts(const struct verify_advices *v,
                         const struct verify_part *of)
{
    const struct verify_advice_sums *s = &v->sums;
    const struct verify_part part = *of;
    verify_part_expect(&part, "questions", s->questions);
    verify_part_expect(&part, "unasked", s->unasked);
    verify_part_expect(&part, "tokens_in", s->tokens_in);
    verify_part_expect(&part, "tokens_out", s->tokens_out);
    verify_part_expect(&part, "counted", s->counted);
    verify_part_expect(&part, "servers", v->options.servers);
    verify_part_expect(&part, "cluster_gpus", v->data->llm_gpus);
    check_shares(&part, s);
    advice_parts_check_times(&part, v);
    advice_expect_words(&part, "by_module", verify_module_names, s->by_module,
                        VERIFY_MODULES, true);
    advice_expect_words(&part, "by_basis", verify_basis_names, s->by_basis,
                        VERIFY_BASES, false);
}
