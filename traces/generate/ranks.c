/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting by a score. */
#include "traces/generate/generate_internal.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/check.h"

static int by_score(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

void ranks_sort(struct rank *ranks, size_t n)
{
    if (n > 1)
        qsort(ranks, n, sizeof *ranks, by_score);
}

static int ranks_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void ranks_sort_numbers(double *numbers, size_t n)
{
    if (n > 1)
        qsort(numbers, n, sizeof *numbers, ranks_by_value);
}

void ranks_apportion(const double *wanted, size_t n, uint32_t total,
                     uint32_t *out)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += wanted[i];
    CHECK(sum > 0);
    struct rank *rest = mem_zalloc(n, sizeof *rest);
    uint32_t given = 0;
    for (size_t i = 0; i < n; i++) {
        double exact = wanted[i] / sum * total;
        out[i] = (uint32_t)exact;
        given += out[i];
        rest[i] =
            (struct rank){wanted[i] > 0 ? out[i] - exact : 1, (uint32_t)i};
    }
    ranks_sort(rest, n);
    for (size_t i = 0; given < total; i = i + 1 < n ? i + 1 : 0) {
        if (wanted[rest[i].item] > 0)
            out[rest[i].item]++, given++;
    }
    free(rest);
}
