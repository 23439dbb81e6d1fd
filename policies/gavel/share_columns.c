/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Solves the linear program of gavel_internal.h by column generation (Dantzig
 * and Wolfe 1960). Only the capacities couple the jobs. So the master program
 * has a row for each pool and one more, whose columns are whole allocations
 * that mix to 1; its revised simplex keeps a basis of n_pools + 1. At given
 * prices of the pools, the best next column takes one pass: each job buys the
 * work need x t as cheaply as it can, and the profit of t is concave and
 * piecewise linear. Where the objective is the weighted work, the columns are
 * allocations that meet the needs, and the best one takes a pass, too.
 *
 * Where several solutions are optimal, the rules below choose: each job gets
 * no more work than need x t; of equally dear pools it takes the fastest, then
 * the first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "policies/gavel/gavel_internal.h"

/* A corner of the least cost of a job as a function of its rate: the job spends
 * all its time in `pool`. Between two corners it mixes both pools; before the
 * first it idles for a part of its time. */
struct corner {
    double rate, cost;
    uint32_t pool;
};

/* A t at which a job changes to dearer pools: the profit of one more t falls by
 * `by`. */
struct bend {
    double t, by;
    uint32_t job;
};

struct share_columns_master {
    const struct share_lp *lp;
    uint32_t rows;          /* n_pools capacities, then the mix */
    double scale;           /* largest need: t is multiplied by it inside */
    double *inverse;        /* rows x rows: inverse of the basis */
    double *value;          /* by row: value of its basic column */
    double *worth;          /* by row: objective of its basic column */
    double *price;          /* by row: price of its resource */
    double *column, *step;  /* by row: the entering column; its direction */
    double *basis;          /* by row, job and pool: x of its basic column */
    double *x;              /* by job and pool: x of the entering column */
    struct corner *corners; /* by job: up to n_pools */
    uint32_t *n_corners;    /* by job */
    struct bend *bends;     /* room for n_jobs x n_pools */
};

/* Makes a basis of the allocation x and of the GPUs that it leaves idle. */
static void master_begin(struct share_columns_master *m, const double *x)
{
    const struct share_lp *lp = m->lp;
    uint32_t rows = m->rows, pools = lp->n_pools;
    size_t cells = (size_t)lp->n_jobs * pools;
    memset(m->inverse, 0, (size_t)rows * rows * sizeof *m->inverse);
    memset(m->worth, 0, rows * sizeof *m->worth);
    memset(m->basis, 0, rows * cells * sizeof *m->basis);
    memcpy(m->basis + pools * cells, x, cells * sizeof *x);
    m->inverse[pools * rows + pools] = m->value[pools] = 1;
    for (uint32_t p = 0; p < pools; p++) {
        double used = 0;
        for (uint32_t j = 0; j < lp->n_jobs; j++) {
            double part = x[j * pools + p];
            used += part * lp->gpus[j];
            if (lp->weight)
                m->worth[pools] +=
                    lp->weight[j] * part * lp->rate[j * pools + p];
        }
        m->value[p] = fmax(0, lp->capacity[p] - used);
        m->inverse[p * rows + p] = 1;
        m->inverse[p * rows + pools] = -used;
    }
}

static void master_init(struct share_columns_master *m,
                        const struct share_lp *lp)
{
    uint32_t rows = lp->n_pools + 1;
    size_t cells = (size_t)lp->n_jobs * lp->n_pools;
    *m = (struct share_columns_master){
        .lp = lp,
        .rows = rows,
        .inverse = mem_zalloc((size_t)rows * rows, sizeof *m->inverse),
        .value = mem_zalloc(rows, sizeof *m->value),
        .worth = mem_zalloc(rows, sizeof *m->worth),
        .price = mem_zalloc(rows, sizeof *m->price),
        .column = mem_zalloc(rows, sizeof *m->column),
        .step = mem_zalloc(rows, sizeof *m->step),
        .basis = mem_zalloc(rows * cells, sizeof *m->basis),
        .x = mem_zalloc(cells, sizeof *m->x),
        .corners = mem_alloc(cells * sizeof *m->corners),
        .n_corners = mem_zalloc(lp->n_jobs, sizeof *m->n_corners),
        .bends = mem_alloc(cells * sizeof *m->bends)};
    master_begin(m, m->x);
    for (uint32_t j = 0; j < lp->n_jobs; j++)
        m->scale = fmax(m->scale, lp->need[j]);
}

static void master_fini(struct share_columns_master *m)
{
    free(m->inverse);
    free(m->value);
    free(m->worth);
    free(m->price);
    free(m->column);
    free(m->step);
    free(m->basis);
    free(m->x);
    free(m->corners);
    free(m->n_corners);
    free(m->bends);
}

static double need_of(const struct share_columns_master *m, uint32_t job)
{
    return m->lp->need[job] / m->scale;
}

static void columns_set_prices(struct share_columns_master *m)
{
    for (uint32_t k = 0; k < m->rows; k++) {
        m->price[k] = 0;
        for (uint32_t i = 0; i < m->rows; i++)
            m->price[k] += m->worth[i] * m->inverse[i * m->rows + k];
    }
}

/* Finds the corners of a job at the current prices: the lower convex hull of
 * the costs of its pools, from idling up to its highest rate. Returns that
 * rate. */
static double set_corners(struct share_columns_master *m, uint32_t job)
{
    const struct share_lp *lp = m->lp;
    struct corner *corners = m->corners + (size_t)job * lp->n_pools;
    struct corner at = {0};
    uint32_t n = 0;
    for (bool found = true; found; n += found) {
        double least = INFINITY;
        struct corner best = at;
        found = false;
        for (uint32_t p = 0; p < lp->n_pools; p++) {
            double rate = lp->rate[(size_t)job * lp->n_pools + p];
            double cost = m->price[p] * lp->gpus[job];
            if (!(rate > at.rate) || !(lp->capacity[p] > 0))
                continue;
            double slope = (cost - at.cost) / (rate - at.rate);
            if (slope < least || (slope <= least && rate > best.rate)) {
                least = slope;
                best = (struct corner){rate, cost, p};
                found = true;
            }
        }
        if (found)
            corners[n] = at = best;
    }
    m->n_corners[job] = n;
    return at.rate;
}

static int by_t(const void *x, const void *y)
{
    const struct bend *a = x, *b = y;
    if (a->t < b->t || a->t > b->t)
        return a->t < b->t ? -1 : 1;
    return (a->job > b->job) - (a->job < b->job);
}

/* Returns the t of the most profit at the current prices. */
static double best_t(struct share_columns_master *m)
{
    const struct share_lp *lp = m->lp;
    double top = INFINITY, profit = 1;
    size_t n = 0;
    for (uint32_t j = 0; j < lp->n_jobs; j++)
        top = fmin(top, set_corners(m, j) / need_of(m, j));
    for (uint32_t j = 0; j < lp->n_jobs; j++) {
        const struct corner *at = m->corners + (size_t)j * lp->n_pools;
        double need = need_of(m, j), slope;
        if (m->n_corners[j] == 0)
            return 0;
        slope = at[0].cost / at[0].rate;
        profit -= need * slope;
        for (uint32_t i = 0; i + 1 < m->n_corners[j]; i++) {
            double next =
                (at[i + 1].cost - at[i].cost) / (at[i + 1].rate - at[i].rate);
            if (at[i].rate / need < top)
                m->bends[n++] =
                    (struct bend){at[i].rate / need, need * (next - slope), j};
            slope = next;
        }
    }
    if (profit <= 0)
        return 0;
    qsort(m->bends, n, sizeof *m->bends, by_t);
    for (size_t i = 0; i < n; i++) {
        profit -= m->bends[i].by;
        if (profit <= 0)
            return m->bends[i].t;
    }
    return top;
}

/* Empties the entering column. */
static void column_begin(struct share_columns_master *m)
{
    size_t cells = (size_t)m->lp->n_jobs * m->lp->n_pools;
    memset(m->x, 0, cells * sizeof *m->x);
    memset(m->column, 0, m->rows * sizeof *m->column);
    m->column[m->lp->n_pools] = 1;
}

/* Lets a job work at a rate, > 0, in the entering column, at least cost. */
static void column_put(struct share_columns_master *m, uint32_t job,
                       double rate)
{
    const struct share_lp *lp = m->lp;
    const struct corner *at = m->corners + (size_t)job * lp->n_pools;
    double *x = m->x + (size_t)job * lp->n_pools;
    uint32_t i = 0;
    while (i + 1 < m->n_corners[job] && at[i].rate < rate)
        i++;
    double from = i ? at[i - 1].rate : 0;
    double part = fmin(1, (rate - from) / (at[i].rate - from));
    x[at[i].pool] = part;
    m->column[at[i].pool] += part * lp->gpus[job];
    if (i) {
        x[at[i - 1].pool] = 1 - part;
        m->column[at[i - 1].pool] += (1 - part) * lp->gpus[job];
    }
}

/* Makes the column of the largest gain in which each job works need x t.
 * Returns its worth, t. */
static double equal_column(struct share_columns_master *m)
{
    double t = best_t(m);
    column_begin(m);
    for (uint32_t j = 0; t > 0 && j < m->lp->n_jobs; j++)
        column_put(m, j, need_of(m, j) * t);
    return t;
}

/* Makes the column of the largest gain in which each job works at least its
 * need. Returns its worth. */
static double weighted_column(struct share_columns_master *m)
{
    const struct share_lp *lp = m->lp;
    double worth = 0;
    column_begin(m);
    for (uint32_t j = 0; j < lp->n_jobs; j++) {
        const struct corner *at = m->corners + (size_t)j * lp->n_pools;
        double weight = lp->weight[j], cost = 0, rate = 0;
        double top = set_corners(m, j);
        for (uint32_t i = 0; i < m->n_corners[j] &&
                             at[i].cost - cost < weight * (at[i].rate - rate);
             i++) {
            cost = at[i].cost;
            rate = at[i].rate;
        }
        rate = fmin(top, fmax(rate, lp->need[j]));
        column_put(m, j, rate);
        worth += weight * rate;
    }
    return worth;
}

/* Brings m->column, worth `worth`, into the basis. Returns false if no basic
 * column limits it, which only rounding can cause. */
static bool columns_enter(struct share_columns_master *m, double worth)
{
    uint32_t rows = m->rows, out = rows;
    size_t cells = (size_t)m->lp->n_jobs * m->lp->n_pools;
    double least = INFINITY;
    for (uint32_t i = 0; i < rows; i++) {
        m->step[i] = 0;
        for (uint32_t k = 0; k < rows; k++)
            m->step[i] += m->inverse[i * rows + k] * m->column[k];
        if (m->step[i] > 1e-11 && m->value[i] / m->step[i] < least) {
            least = m->value[i] / m->step[i];
            out = i;
        }
    }
    if (out == rows)
        return false;
    for (uint32_t k = 0; k < rows; k++)
        m->inverse[out * rows + k] /= m->step[out];
    for (uint32_t i = 0; i < rows; i++) {
        if (i == out)
            continue;
        for (uint32_t k = 0; k < rows; k++)
            m->inverse[i * rows + k] -= m->step[i] * m->inverse[out * rows + k];
        m->value[i] = fmax(0, m->value[i] - least * m->step[i]);
    }
    m->value[out] = least;
    m->worth[out] = worth;
    memcpy(m->basis + out * cells, m->x, cells * sizeof *m->x);
    return true;
}

/* Brings the spare GPUs of the pool with the most negative price into the
 * basis. Returns false if no price is negative. */
static bool enter_spare(struct share_columns_master *m, double now, bool *ok)
{
    uint32_t pools = m->lp->n_pools, least = 0;
    for (uint32_t p = 0; p < pools; p++) {
        /* a price below 0 by rounding only */
        if (m->price[p] * m->lp->capacity[p] > -1e-11 * now)
            m->price[p] = fmax(m->price[p], 0);
        least = m->price[p] < m->price[least] ? p : least;
    }
    if (m->price[least] >= 0)
        return false;
    memset(m->column, 0, m->rows * sizeof *m->column);
    memset(m->x, 0, (size_t)m->lp->n_jobs * pools * sizeof *m->x);
    m->column[least] = 1;
    *ok = columns_enter(m, 0);
    return true;
}

static double worth_of_basis(const struct share_columns_master *m)
{
    double sum = 0;
    for (uint32_t i = 0; i < m->rows; i++)
        sum += m->worth[i] * m->value[i];
    return sum;
}

/* Improves the basis with columns of make_column until it is optimal or known
 * to reach `enough`, or until it cannot reach it. Returns false if rounding
 * prevents an answer. */
static bool improve(struct share_columns_master *m,
                    double (*make_column)(struct share_columns_master *m),
                    double enough)
{
    enum { MANY = 2000 }; /* pivots; 10 to 40 are usual */
    bool ok = true;
    for (uint32_t i = 0; ok && i < MANY; i++) {
        double now = worth_of_basis(m), gain, worth;
        if (now >= enough)
            return true;
        columns_set_prices(m);
        if (enter_spare(m, now, &ok))
            continue;
        gain = worth = make_column(m);
        for (uint32_t k = 0; k < m->rows; k++)
            gain -= m->price[k] * m->column[k];
        if (gain <= 1e-10 * now ||
            (isfinite(enough) && now + gain < enough * (1 - 1e-6)))
            return true;
        ok = columns_enter(m, worth);
    }
    return false;
}

/* Writes the mix of the basic columns to lp->x. */
static void columns_mix(const struct share_columns_master *m)
{
    size_t cells = (size_t)m->lp->n_jobs * m->lp->n_pools;
    for (size_t c = 0; c < cells; c++) {
        m->lp->x[c] = 0;
        for (uint32_t i = 0; i < m->rows; i++)
            m->lp->x[c] += m->value[i] * m->basis[i * cells + c];
    }
}

double share_lp_columns(const struct share_lp *lp, double enough)
{
    struct share_columns_master m;
    master_init(&m, lp);
    double t = improve(&m, equal_column, enough * m.scale)
                   ? worth_of_basis(&m) / m.scale
                   : -1;
    columns_mix(&m);
    master_fini(&m);
    return t;
}

bool share_lp_columns_weighted(const struct share_lp *lp)
{
    struct share_columns_master m;
    master_init(&m, lp);
    bool ok =
        improve(&m, equal_column, m.scale) && worth_of_basis(&m) >= m.scale;
    if (ok) {
        columns_mix(&m);
        master_begin(&m, lp->x);
        /* The needs leave few GPUs idle, often none: without room to move, the
         * simplex could go in circles. */
        for (uint32_t p = 0; p < lp->n_pools; p++)
            m.value[p] += 1e-9 * lp->capacity[p] * (p + 1);
        ok = improve(&m, weighted_column, INFINITY);
        columns_mix(&m);
    }
    master_fini(&m);
    return ok;
}
