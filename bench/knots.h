/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For bench/fit_applications.c: reduces series of numbers to few knots, between
 * which readers interpolate linearly. */
#ifndef BENCH_KNOTS_H
#define BENCH_KNOTS_H

#include <jansson.h>

struct knot_series {
    const double *at;
    size_t n; /* number of values, > 0 */
    /* Returns the distance of `value` from value number i, in units of the
     * largest accepted error. */
    double (*distance)(const struct knot_series *series, size_t i,
                       double value);
    /* Largest batch size divided by the initial one; used by share_distance. */
    double scale;
};

/* Functions for knot_series.distance. end_distance: for ends of epochs, with an
 * accepted error of 0.01 of a mean epoch. share_distance: for shares of signal,
 * sqr / (sqr + var), with an accepted error of 0.02 in the efficiency that a
 * share gives at the largest batch. */
double end_distance(const struct knot_series *series, size_t i, double value);
double share_distance(const struct knot_series *series, size_t i, double value);

/* Returns a list of knots [index, value]. The caller owns it. */
json_t *knots_of(const struct knot_series *series);

/* Round to five significant digits. The caller owns what knots_number returns.
 */
double knots_round(double value);
json_t *knots_number(double value);

#endif
