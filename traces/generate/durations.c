/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each size class, kind and final state is a cell with durations of its own:
 * the quantiles of the calibrated bins, one in each of n equal parts. They are
 * dealt by the rank of the scores. A virtual cluster that gets more or less GPU
 * time than its share has its scores moved, and the durations are dealt again.
 */
#include "traces/generate/generate_internal.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/rng.h"

#define LONGEST_S 2097152.0 /* 2^21 */
#define ROUNDS 8
/* the share of the runs, those with the most GPU time, whose durations
 * durations_meet scales */
#define TAIL 0.01

struct durations_cells {
    struct people *people;
    const struct calibration *calibration;
    double *score;      /* by run: score of the duration */
    double *seconds;    /* durations of all cells, each cell ascending */
    struct rank *ranks; /* runs, cell by cell */
    /* by cell: index of its first run in `ranks` and `seconds` */
    size_t *first;
    size_t n;      /* number of cells */
    double *shift; /* by virtual cluster: what is added to the scores */
};

static size_t durations_cell_of(const struct durations_cells *c,
                                const struct people_run *run)
{
    const struct session *s = &c->people->sessions[run->session];
    return (s->size * c->calibration->n_kinds + s->kind) * CALIBRATION_STATES +
           run->state;
}

/* Draws the scores: a run keeps its own part from the last one of its session
 * with probability keep_duration. */
static void draw_scores(struct durations_cells *c, const struct traits *t,
                        gsl_rng *rng)
{
    const struct people *p = c->people;
    double own = fmax(1 - t->duration_user - t->duration_session - t->trend, 0);
    for (size_t i = 0; i < p->n_sessions; i++) {
        const struct session *s = &p->sessions[i];
        double last = gsl_ran_gaussian_ziggurat(rng, 1);
        for (uint32_t k = s->first; k < s->first + s->n; k++) {
            if (k > s->first && gsl_rng_uniform(rng) >= t->keep_duration)
                last = gsl_ran_gaussian_ziggurat(rng, 1);
            c->score[k] = s->scores.duration + sqrt(own) * last +
                          t->spread * gsl_ran_gaussian_ziggurat(rng, 1);
        }
    }
}

/* Returns the duration, in whole seconds, at a quantile, 0 to 1, of a cell. */
static double durations_quantile(const struct calibration_cell *cell, double at)
{
    double sum = 0;
    uint32_t b = 0;
    for (uint32_t i = 0; i < CALIBRATION_BINS; i++)
        sum += cell->bins[i];
    at *= sum;
    while (b + 1 < CALIBRATION_BINS && at >= cell->bins[b])
        at -= cell->bins[b++];
    double part = cell->bins[b] > 0 ? fmin(at / cell->bins[b], 1) : 1;
    double seconds = (double)(UINT32_C(1) << b) * exp2(part - 1);
    return b ? ceil(seconds) : 1;
}

/* Counts the runs of each cell and fills its durations. */
static void durations_fill(struct durations_cells *c, gsl_rng *rng)
{
    const struct people *p = c->people;
    for (size_t i = 0; i < p->n_runs; i++)
        c->first[durations_cell_of(c, &p->runs[i]) + 1]++;
    for (size_t k = 0; k < c->n; k++)
        c->first[k + 1] += c->first[k];
    for (size_t i = 0; i < c->calibration->n_cells; i++) {
        const struct calibration_cell *cell = &c->calibration->cells[i];
        size_t k = (cell->size * c->calibration->n_kinds + cell->kind) *
                       CALIBRATION_STATES +
                   cell->state;
        size_t n = c->first[k + 1] - c->first[k];
        for (size_t q = 0; q < n; q++)
            c->seconds[c->first[k] + q] = durations_quantile(
                cell, ((double)q + gsl_rng_uniform(rng)) / (double)n);
    }
}

static void deal_once(struct durations_cells *c)
{
    struct people *p = c->people;
    size_t *at = mem_alloc(c->n * sizeof *at);
    for (size_t k = 0; k < c->n; k++)
        at[k] = c->first[k];
    for (size_t i = 0; i < p->n_runs; i++) {
        const struct session *s = &p->sessions[p->runs[i].session];
        double score = c->score[i] + c->shift[p->users[s->user].vc];
        c->ranks[at[durations_cell_of(c, &p->runs[i])]++] =
            (struct rank){score, (uint32_t)i};
    }
    for (size_t k = 0; k < c->n; k++)
        ranks_sort(&c->ranks[c->first[k]], c->first[k + 1] - c->first[k]);
    for (size_t i = 0; i < p->n_runs; i++)
        p->runs[c->ranks[i].item].seconds = c->seconds[i];
    free(at);
}

static void add_gpu_time(struct people *p)
{
    for (size_t i = 0; i < p->n_users; i++)
        p->users[i].gpu_s = 0;
    for (size_t i = 0; i < p->n_runs; i++) {
        const struct session *s = &p->sessions[p->runs[i].session];
        p->users[s->user].gpu_s += p->runs[i].seconds * s->gpus;
    }
}

/* Changes what is added to the scores of each virtual cluster, so that its GPU
 * time comes nearer to its share. */
static void durations_shift(struct durations_cells *c,
                            const struct sizes *sizes)
{
    const struct people *p = c->people;
    double *got = mem_zalloc(sizes->n_vcs, sizeof *got), total = 0;
    for (size_t i = 0; i < p->n_users; i++) {
        got[p->users[i].vc] += p->users[i].gpu_s;
        total += p->users[i].gpu_s;
    }
    for (size_t v = 0; v < sizes->n_vcs; v++) {
        double by = sizes->gpu_time[v] * total / fmax(got[v], 1);
        c->shift[v] += 0.5 * fmin(fmax(log(fmax(by, 1e-6)), -2), 2);
    }
    free(got);
}

/* Returns the GPU time of the n runs if those from `tail` on, in order of GPU
 * time, are `factor` times as long. */
static double durations_scaled(const struct people *p, const struct rank *ranks,
                               size_t n, size_t tail, double factor)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const struct people_run *run = &p->runs[ranks[i].item];
        double gpus = p->sessions[run->session].gpus, s = run->seconds;
        sum += gpus * (i < tail ? s : fmin(ceil(s * factor), LONGEST_S));
    }
    return sum;
}

void durations_meet(struct people *p, const uint32_t *runs, size_t n,
                    double mean)
{
    struct rank *ranks = mem_alloc((n + 1) * sizeof *ranks);
    for (size_t i = 0; i < n; i++) {
        const struct people_run *run = &p->runs[runs[i]];
        ranks[i] = (struct rank){run->seconds * p->sessions[run->session].gpus,
                                 runs[i]};
    }
    ranks_sort(ranks, n);
    size_t tail = (size_t)((double)n * (1 - TAIL));
    double low = log(0.05), high = log(20);
    for (int i = 0; i < 24; i++) {
        double middle = (low + high) / 2;
        if (durations_scaled(p, ranks, n, tail, exp(middle)) < mean * (double)n)
            low = middle;
        else
            high = middle;
    }
    for (size_t i = tail; i < n; i++) {
        double *s = &p->runs[ranks[i].item].seconds;
        *s = fmin(ceil(*s * exp(low)), LONGEST_S);
    }
    free(ranks);
}

void durations_deal(struct people *people,
                    const struct calibration *calibration,
                    const struct traits *traits, const struct sizes *sizes,
                    double mean, uint64_t seed)
{
    size_t n = CALIBRATION_CLASSES * calibration->n_kinds * CALIBRATION_STATES;
    struct durations_cells c = {
        .people = people,
        .calibration = calibration,
        .score = mem_alloc(people->n_runs * sizeof *c.score),
        .seconds = mem_zalloc(people->n_runs, sizeof *c.seconds),
        .ranks = mem_alloc(people->n_runs * sizeof *c.ranks),
        .first = mem_zalloc(n + 1, sizeof *c.first),
        .n = n,
        .shift = mem_zalloc(sizes->n_vcs, sizeof *c.shift),
    };
    gsl_rng *rng = rng_open(seed, "synthetic.durations");
    draw_scores(&c, traits, rng);
    durations_fill(&c, rng);
    rng_free(rng);
    int rounds = sizes->n_vcs > 1 ? ROUNDS : 1;
    for (int i = 0; i < rounds; i++) {
        if (i > 0)
            durations_shift(&c, sizes);
        deal_once(&c);
        add_gpu_time(people);
    }
    uint32_t *all = mem_alloc(people->n_runs * sizeof *all);
    for (uint32_t i = 0; i < people->n_runs; i++)
        all[i] = i;
    durations_meet(people, all, people->n_runs, mean);
    free(all);
    add_gpu_time(people);
    free(c.score);
    free(c.seconds);
    free(c.ranks);
    free(c.first);
    free(c.shift);
}

double deal_mean(const struct calibration *calibration, uint32_t gpus)
{
    const struct calibration *c = calibration;
    double share[CALIBRATION_CLASSES] = {0}, sum[CALIBRATION_CLASSES] = {0};
    double jobs = 0, total = 0;
    for (size_t i = 0; i < c->n_gpu_counts; i++) {
        uint32_t size = calibration_class((uint32_t)c->gpu_counts[i].value);
        if (c->gpu_counts[i].value > gpus)
            continue;
        share[size] += c->gpu_counts[i].weight;
        sum[size] += c->gpu_counts[i].weight * c->gpu_counts[i].value;
    }
    for (size_t i = 0; i < c->n_cells; i++) {
        const struct calibration_cell *cell = &c->cells[i];
        double seconds = 0;
        for (uint32_t b = 0; b < CALIBRATION_BINS; b++)
            seconds += cell->bins[b] *
                       (b ? (double)(UINT32_C(1) << b) / 2 / log(2) : 1);
        if (share[cell->size] > 0) {
            jobs += cell->share;
            total +=
                cell->share * seconds * sum[cell->size] / share[cell->size];
        }
    }
    return total / jobs;
}
