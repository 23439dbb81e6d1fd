/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function that several interference models use. */
#include "models/interference/interference.h"

void interference_sort(double *values, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        double value = values[i];
        size_t k = i;
        for (; k > 0 && values[k - 1] > value; k--)
            values[k] = values[k - 1];
        values[k] = value;
    }
}
