/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/verify/verify_ids.h"

#include <stdlib.h>
#include <string.h>

static int ids_by_id(const void *a, const void *b, void *jobs)
{
    const struct verify_job *all = jobs;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = strcmp(all[x].id, all[y].id);
    return order ? order : (x > y) - (x < y);
}

void verify_ids_init(struct verify_ids *ids, const struct verify_data *data)
{
    size_t n = data->n_jobs;
    *ids = (struct verify_ids){data, mem_alloc((n + 1) * sizeof *ids->sorted)};
    for (uint32_t i = 0; i < n; i++)
        ids->sorted[i] = i;
    if (n > 1)
        qsort_r(ids->sorted, n, sizeof *ids->sorted, ids_by_id, data->jobs);
}

void verify_ids_fini(struct verify_ids *ids)
{
    free(ids->sorted);
}

const uint32_t *verify_ids_find(const struct verify_ids *ids, struct text id,
                                size_t *n)
{
    const struct verify_job *jobs = ids->data->jobs;
    size_t lo = 0, hi = ids->data->n_jobs;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        struct text found = text_from(jobs[ids->sorted[mid]].id);
        size_t len = found.len < id.len ? found.len : id.len;
        int order = len ? memcmp(found.at, id.at, len) : 0;
        if (order < 0 || (order == 0 && found.len < id.len))
            lo = mid + 1;
        else
            hi = mid;
    }
    *n = 0;
    while (lo + *n < ids->data->n_jobs &&
           text_is(id, jobs[ids->sorted[lo + *n]].id))
        ++*n;
    return ids->sorted + lo;
}
