/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds prices for the multiple-choice problem from its linear relaxation, by
 * column generation (Dantzig and Wolfe 1960). A column is an answer to the
 * problem without capacities. The master program mixes columns so that the mix
 * respects the capacities; its dual values are prices, and the cheapest answer
 * at these prices is the next column. The program has only one row for each GPU
 * type and one more, so a revised simplex with an explicit inverse suffices,
 * and only the columns of the basis are kept.
 *
 * Prices are found in floating point and then rounded. The bound is computed
 * from the rounded prices in whole numbers, so it is exact. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "policies/sia/sia_internal.h"

/* The search for prices ends when other prices could raise the bound by no more
 * than this, in units of cost. Costs are whole numbers, so a bound this close
 * nearly always proves as much as the highest one. */
#define CLOSE_ENOUGH 0.01
/* Largest number of steps of the simplex. A limit is needed because degenerate
 * problems may cycle. Ending early is safe, because any prices give a valid
 * bound. */
#define CHOICE_ASCEND_STEPS_MAX 300
/* A pivot up to this counts as zero, and a price that is outside its bounds by
 * no more than this counts as within them. */
#define TINY 1e-9

/* The master program. It has a row for each type, and one row that makes the
 * shares of the mix add up to 1. Matrices are stored by row, `rows` wide. */
struct choice_ascend_master {
    const struct choice_core *core;
    uint32_t rows;
    /* a price per GPU above the difference between any two costs */
    double dearest;
    double *inverse; /* inverse of the matrix of the basic columns */
    double *cost;    /* costs of the basic columns */
    double *amount;  /* share of each basic column in the mix */
    /* the column that enters the basis */
    double *column;
    double *price; /* by type; [n_types]: dual value of the last row */
    /* the prices with the highest bound so far, which is `highest` */
    double *best;
    double highest;
};

/* Sets `column` to the cheapest answer at the prices, without regard to
 * capacities, and *cost to its cost without the prices. Returns its cost with
 * them. */
static double ascend_cheapest(const struct choice_core *core,
                              const double *price, double *column, double *cost)
{
    double value = 0;
    memset(column, 0, core->n_types * sizeof *column);
    column[core->n_types] = 1;
    *cost = 0;
    for (uint32_t j = 0; j < core->n_jobs; j++) {
        const struct choice_option *least = NULL;
        double at = 0;
        for (uint32_t o = core->start[j]; o < core->start[j + 1]; o++) {
            const struct choice_option *option = &core->option[o];
            double here =
                (double)option->cost + price[option->type] * option->gpus;
            if (!least || here < at) {
                least = option;
                at = here;
            }
        }
        value += at;
        *cost += (double)least->cost;
        column[least->type] += least->gpus;
    }
    return value;
}

static double span_of_costs(const struct choice_core *core)
{
    int64_t low = 0, high = 0;
    for (uint32_t o = 0; o < core->start[core->n_jobs]; o++) {
        int64_t cost = core->option[o].cost;
        low = o == 0 || cost < low ? cost : low;
        high = o == 0 || cost > high ? cost : high;
    }
    return (double)(high - low) + 1;
}

/* Sets the first basis: the answer in which each job takes its cheapest option.
 * If a type has too few GPUs for this answer, the column of the type in the
 * basis buys more at the dearest price; otherwise that column stands for idle
 * GPUs. */
static void ascend_begin(struct choice_ascend_master *m)
{
    const struct choice_core *core = m->core;
    uint32_t n = core->n_types;
    m->dearest = span_of_costs(core);
    memset(m->price, 0, m->rows * sizeof *m->price);
    memcpy(m->best, m->price, m->rows * sizeof *m->best);
    m->highest = ascend_cheapest(core, m->price, m->column, &m->cost[n]);
    for (uint32_t t = 0; t < n; t++) {
        double over = m->column[t] - core->capacity[t];
        double sign = over > 0 ? -1 : 1;
        m->cost[t] = over > 0 ? m->dearest : 0;
        m->amount[t] = fabs(over);
        m->inverse[t * m->rows + t] = sign;
        m->inverse[t * m->rows + n] = -sign * m->column[t];
    }
    m->amount[n] = 1;
    m->inverse[n * m->rows + n] = 1;
}

/* Computes the dual values. Those of the capacities are negated to give
 * prices. */
static void ascend_set_prices(struct choice_ascend_master *m)
{
    for (uint32_t k = 0; k < m->rows; k++) {
        double dual = 0;
        for (uint32_t r = 0; r < m->rows; r++)
            dual += m->cost[r] * m->inverse[r * m->rows + k];
        m->price[k] = k + 1 < m->rows ? -dual : dual;
    }
}

/* Sets m->column to a column that makes the mix cheaper, and *cost to its cost.
 * Returns false if the mix costs at most CLOSE_ENOUGH more than the highest
 * bound. Keeps the highest bound so far and its prices in `m`. */
static bool choose_column(struct choice_ascend_master *m, double *cost)
{
    uint32_t n = m->core->n_types;
    double master = 0;
    for (uint32_t t = 0; t < n; t++) {
        bool idle = m->price[t]<-TINY, over = m->price[t]> m->dearest + TINY;
        if (idle || over) {
            memset(m->column, 0, m->rows * sizeof *m->column);
            m->column[t] = idle ? 1 : -1;
            *cost = idle ? 0 : m->dearest;
            return true;
        }
        m->price[t] = fmax(m->price[t], 0);
    }
    double bound = ascend_cheapest(m->core, m->price, m->column, cost);
    for (uint32_t t = 0; t < n; t++)
        bound -= m->price[t] * m->core->capacity[t];
    for (uint32_t r = 0; r < m->rows; r++)
        master += m->cost[r] * m->amount[r];
    if (bound > m->highest) {
        m->highest = bound;
        memcpy(m->best, m->price, m->rows * sizeof *m->best);
    }
    return master - m->highest > CLOSE_ENOUGH;
}

/* Returns the row whose column leaves the basis first; `rows` if none does.
 * Fills `image` with the product of the inverse and the entering column. */
static uint32_t leaving(struct choice_ascend_master *m, double *image)
{
    uint32_t row = m->rows;
    double least = 0;
    for (uint32_t r = 0; r < m->rows; r++) {
        image[r] = 0;
        for (uint32_t k = 0; k < m->rows; k++)
            image[r] += m->inverse[r * m->rows + k] * m->column[k];
        if (image[r] <= TINY)
            continue;
        double ratio = m->amount[r] / image[r];
        if (row == m->rows || ratio < least) {
            row = r;
            least = ratio;
        }
    }
    return row;
}

static void ascend_exchange(struct choice_ascend_master *m, const double *image,
                            uint32_t row, double cost)
{
    double *pivot = m->inverse + (size_t)row * m->rows;
    for (uint32_t k = 0; k < m->rows; k++)
        pivot[k] /= image[row];
    m->amount[row] /= image[row];
    for (uint32_t r = 0; r < m->rows; r++) {
        if (r == row)
            continue;
        for (uint32_t k = 0; k < m->rows; k++)
            m->inverse[r * m->rows + k] -= image[r] * pivot[k];
        m->amount[r] = fmax(0, m->amount[r] - image[r] * m->amount[row]);
    }
    m->cost[row] = cost;
}

static uint32_t climb(struct choice_ascend_master *m, double *image)
{
    uint32_t steps = 1;
    ascend_begin(m);
    for (; steps < CHOICE_ASCEND_STEPS_MAX; steps++) {
        double cost;
        ascend_set_prices(m);
        if (!choose_column(m, &cost))
            break;
        uint32_t row = leaving(m, image);
        if (row == m->rows)
            break;
        ascend_exchange(m, image, row, cost);
    }
    return steps;
}

static int64_t exact_bound(const struct choice_core *core,
                           const struct choice_prices *prices)
{
    int64_t bound = 0;
    for (uint32_t t = 0; t < core->n_types; t++)
        bound -= prices->price[t] * core->capacity[t];
    for (uint32_t j = 0; j < core->n_jobs; j++) {
        int64_t least = INT64_MAX;
        for (uint32_t o = core->start[j]; o < core->start[j + 1]; o++) {
            int64_t value = choice_value(prices, &core->option[o]);
            least = value < least ? value : least;
        }
        bound += least;
    }
    return bound;
}

void choice_ascend(const struct choice_core *core, struct choice_prices *prices)
{
    uint32_t rows = core->n_types + 1;
    double *room = mem_zalloc((size_t)rows * (rows + 6), sizeof *room);
    double *at = room + (size_t)rows * rows;
    struct choice_ascend_master m = {.core = core,
                                     .rows = rows,
                                     .inverse = room,
                                     .cost = at,
                                     .amount = at + rows,
                                     .column = at + 2 * rows,
                                     .price = at + 3 * rows,
                                     .best = at + 4 * rows};
    prices->steps = climb(&m, at + 5 * rows);
    for (uint32_t t = 0; t < core->n_types; t++)
        prices->price[t] = llrint(m.best[t] * (double)CHOICE_SCALE);
    prices->bound = exact_bound(core, prices);
    free(room);
}
