/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/knots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Largest accepted errors of values that are interpolated between knots: of an
 * efficiency, and of the end of an epoch, in epochs. */
#define EFFICIENCY_TOLERANCE 0.02
#define EPOCH_TOLERANCE 0.01

json_t *knots_number(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.5g", value);
    return json_real(strtod(text, NULL));
}

double end_distance(const struct knot_series *s, size_t i, double value)
{
    double epoch = s->at[s->n - 1] / (double)(s->n - 1);
    return fabs(value - s->at[i]) / epoch / EPOCH_TOLERANCE;
}

double share_distance(const struct knot_series *s, size_t i, double value)
{
    double a = 1 / (1 + s->at[i] * (s->scale - 1));
    double b = 1 / (1 + value * (s->scale - 1));
    return fabs(a - b) / EFFICIENCY_TOLERANCE;
}

double knots_round(double value)
{
    json_t *number = knots_number(value);
    double out = json_real_value(number);
    json_decref(number);
    return out;
}

/* Adds the knots after `low` up to `high`, by the algorithm of Ramer, Douglas
 * and Peucker: splits the range where the error is largest, until no error is
 * larger than accepted. */
static void add_knots(const struct knot_series *s, size_t low, size_t high,
                      json_t *out)
{
    double a = knots_round(s->at[low]), b = knots_round(s->at[high]);
    double worst = 1;
    size_t split = 0;
    for (size_t i = low + 1; i < high; i++) {
        double part = (double)(i - low) / (double)(high - low);
        double off = s->distance(s, i, a + part * (b - a));
        if (off > worst) {
            worst = off;
            split = i;
        }
    }
    if (split) {
        add_knots(s, low, split, out);
        add_knots(s, split, high, out);
        return;
    }
    json_array_append_new(
        out, json_pack("[i,o]", (int)high, knots_number(s->at[high])));
}

json_t *knots_of(const struct knot_series *s)
{
    json_t *out = json_array();
    json_array_append_new(out, json_pack("[i,o]", 0, knots_number(s->at[0])));
    if (s->n > 1)
        add_knots(s, 0, s->n - 1, out);
    return out;
}
