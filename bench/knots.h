/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For bench/fit_applications.c: series of numbers reduced to few knots, between
 * which values are interpolated linearly. */
#ifndef BENCH_KNOTS_H
#define BENCH_KNOTS_H

#include <jansson.h>

struct knot_series {
    const double *at;
    size_t n; /* number of values, > 0 */
    /* Returns how far `value` is from value number i, in units of the largest
     * accepted error. */
    double (*distance)(const struct knot_series *series, size_t i,
                       double value);
    double scale; /* for share_distance: largest batch over the initial one */
};

/* Distances for ends of epochs (0.01 of a mean epoch is accepted) and for
 * shares of signal, sqr / (sqr + var), by the efficiency that follows from them
 * at the largest batch (0.02 is accepted). */
double end_distance(const struct knot_series *series, size_t i, double value);
double share_distance(const struct knot_series *series, size_t i, double value);

/* Returns a list of [index, value]. The caller owns it. */
json_t *knots_of(const struct knot_series *series);

/* Rounds to five digits, as all numbers of applications.json are. */
double knots_round(double value);
json_t *knots_number(double value);

#endif
