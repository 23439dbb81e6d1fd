/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/value_rows.h"

#include <string.h>

#include "sim/base/wide.h"

typedef int64_t mask __attribute__((vector_size(32), aligned(16)));

/* The caller passes a constant for `quads`. */
static ALWAYS_INLINE void copy_quads(const struct value_rows *rows,
                                     double *const to[LANES],
                                     struct lane_totals *totals,
                                     const size_t quads)
{
    quad sum[QUADS] = {0}, least[QUADS] = {0}, most[QUADS] = {0};
    memcpy(least, value_row(rows, 0), quads * sizeof *least);
    memcpy(most, value_row(rows, 0), quads * sizeof *most);
    for (size_t i = 0; i < rows->n; i++) {
        const double *row = value_row(rows, i);
        for (size_t q = 0; q < quads; q++) {
            quad value = ((const quad *)row)[q];
            sum[q] += value;
            mask less = value<least[q], more = value> most[q];
            least[q] = (quad)((less & (mask)value) | (~less & (mask)least[q]));
            most[q] = (quad)((more & (mask)value) | (~more & (mask)most[q]));
        }
        for (size_t k = 1; k < 4 * quads; k++) {
            if (to[k])
                to[k][i] = row[k];
        }
    }
    memcpy(totals->sum, sum, sizeof sum);
    memcpy(totals->least, least, sizeof least);
    memcpy(totals->most, most, sizeof most);
}

static ALWAYS_INLINE void copy_any(const struct value_rows *rows,
                                   unsigned lanes, double *const to[LANES],
                                   struct lane_totals *totals)
{
    if (lanes_of(lanes) == FEW_LANES)
        copy_quads(rows, to, totals, FEW_QUADS);
    else
        copy_quads(rows, to, totals, QUADS);
}

static WIDE void copy_wide(const struct value_rows *rows, unsigned lanes,
                           double *const to[LANES], struct lane_totals *totals)
{
    copy_any(rows, lanes, to, totals);
}

static HALF_WIDE void copy_half_wide(const struct value_rows *rows,
                                     unsigned lanes, double *const to[LANES],
                                     struct lane_totals *totals)
{
    copy_any(rows, lanes, to, totals);
}

void value_rows_copy(const struct value_rows *rows, unsigned lanes, double *to,
                     size_t room, struct lane_totals *totals)
{
    double *columns[LANES] = {NULL};
    for (unsigned k = 1; k < LANES; k++) {
        if (!(lanes >> k & 1))
            continue;
        columns[k] = to;
        to += room;
    }
    if (has_wide())
        copy_wide(rows, lanes, columns, totals);
    else if (has_half_wide())
        copy_half_wide(rows, lanes, columns, totals);
    else
        copy_any(rows, lanes, columns, totals);
}
