/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of several lists side by side, in rows: what is done to all lists row
 * by row, such as to add them up, costs little more than to do it to one. */
#ifndef SIM_VALUE_ROWS_H
#define SIM_VALUE_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* The first number of a row is 1, the others are one value of each list. */
struct value_rows {
    const double *at;
    size_t stride;         /* numbers from row to row: FEW_LANES or LANES */
    const uint32_t *order; /* the rows that count, one after the other; NULL:
                              all from the first on */
    size_t n;
};

/* Numbers of a row that are worked with at a time. */
enum { FEW_LANES = 4, LANES = 8 };

/* Four numbers in one register, or in two. What is added lane by lane is the
 * same sum, in the same order, as if done one after the other. */
typedef double quad __attribute__((vector_size(32), aligned(16), may_alias));
enum { FEW_QUADS = FEW_LANES / 4, QUADS = LANES / 4 };

/* How many lanes hold all those that are bits of `lanes`. */
static inline size_t lanes_of(unsigned lanes)
{
    return lanes >> FEW_LANES ? LANES : FEW_LANES;
}

static inline const double *value_row(const struct value_rows *rows, size_t i)
{
    return rows->at + (rows->order ? rows->order[i] : i) * rows->stride;
}

/* Of each list what one pass tells: its sum, its least and largest value. */
struct lane_totals {
    double sum[LANES], least[LANES], most[LANES];
};

/* Totals of all lists in one pass, which copies those in `lanes`, bits, too:
 * one behind the other in the order of lanes, `room` values each. What is in
 * other lanes is worked on to no purpose. There is at least one row. */
void value_rows_copy(const struct value_rows *rows, unsigned lanes, double *to,
                     size_t room, struct lane_totals *totals);

#endif
