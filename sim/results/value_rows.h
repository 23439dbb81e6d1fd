/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of several lists side by side, in rows. An operation on all lists, row
 * by row, such as adding them up, costs little more than on one list. */
#ifndef SIM_VALUE_ROWS_H
#define SIM_VALUE_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* The first number of a row is 1; each other number is a value of one list. */
struct value_rows {
    const double *at;
    size_t stride;         /* numbers per row: FEW_LANES or LANES */
    const uint32_t *order; /* the rows that count, by index; NULL: all n from
                              the first on */
    size_t n;
};

/* How many numbers of a row are worked on at a time. */
enum { FEW_LANES = 4, LANES = 8 };

/* Four numbers in one register, or in two. Sums are made lane by lane, so each
 * list is added in the same order, with the same result, as if it were alone.
 */
typedef double quad __attribute__((vector_size(32), aligned(16), may_alias));
enum { FEW_QUADS = FEW_LANES / 4, QUADS = LANES / 4 };

/* Returns how many lanes hold all those that are bits of `lanes`. */
static inline size_t lanes_of(unsigned lanes)
{
    return lanes >> FEW_LANES ? LANES : FEW_LANES;
}

static inline const double *value_row(const struct value_rows *rows, size_t i)
{
    return rows->at + (rows->order ? rows->order[i] : i) * rows->stride;
}

/* What one pass finds for each list: its sum, its least and its largest value.
 */
struct lane_totals {
    double sum[LANES], least[LANES], most[LANES];
};

/* Computes the totals of all lists in one pass. Also copies the lists in
 * `lanes` (bits) to `to`, one after the other in the order of lanes, `room`
 * values each. Other lanes are computed too, but their totals are meaningless.
 * There must be at least one row. */
void value_rows_copy(const struct value_rows *rows, unsigned lanes, double *to,
                     size_t room, struct lane_totals *totals);

#endif
