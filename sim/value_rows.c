/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/value_rows.h"

#include <string.h>

#include "sim/base/wide.h"

/* `quads` is a constant of the caller. */
static ALWAYS_INLINE void sum_quads(const struct value_rows *rows,
                                    double sum[LANES], const size_t quads)
{
    quad all[QUADS] = {0};
    for (size_t i = 0; i < rows->n; i++) {
        const quad *row = (const quad *)value_row(rows, i);
        for (size_t q = 0; q < quads; q++)
            all[q] += row[q];
    }
    memcpy(sum, all, sizeof all);
}

void value_rows_sum(const struct value_rows *rows, unsigned lanes,
                    double sum[LANES])
{
    if (lanes_of(lanes) == FEW_LANES)
        sum_quads(rows, sum, FEW_QUADS);
    else
        sum_quads(rows, sum, QUADS);
}

struct stats_list value_rows_copy(const struct value_rows *rows, unsigned lane,
                                  double *to)
{
    double first = value_row(rows, 0)[lane];
    struct stats_list list = {to, rows->n, first, first};
    for (size_t i = 0; i < rows->n; i++) {
        double value = value_row(rows, i)[lane];
        to[i] = value;
        list.least = value < list.least ? value : list.least;
        list.most = value > list.most ? value : list.most;
    }
    return list;
}
