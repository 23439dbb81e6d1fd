/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks a run with quotas that lend: at no time do the jobs of a virtual
 * cluster, or of a cohort, hold more GPUs than the quotas and limits allow. The
 * sums are made bottom-up for each instant, not step by step as in a run. */
#include <inttypes.h>
#include <stdlib.h>

#include "sim/verify/verify_internal.h"
#include "sim/verify/verify_replay.h"

static bool quota_number(const json_t *row, const char *key, int64_t *out)
{
    const json_t *value = json_object_get(row, key);
    *out = value ? json_integer_value(value) : INT64_MAX;
    return !value || (json_is_integer(value) && *out >= 0);
}

static enum status quota_read_row(struct verify_data *d, size_t i,
                                  const json_t *row, struct error *err)
{
    const char *vc = json_string_value(json_object_get(row, "vc"));
    int64_t parent;
    struct verify_quota *q = &d->quotas[i];
    bool good = quota_number(row, "parent", &parent) &&
                quota_number(row, "nominal", &q->nominal) &&
                quota_number(row, "borrowing_limit", &q->borrowing) &&
                quota_number(row, "lending_limit", &q->lending) &&
                q->nominal < INT64_MAX / 8192 &&
                (parent == INT64_MAX || parent < (int64_t)i);
    q->parent = parent == INT64_MAX ? UINT32_MAX : (uint32_t)parent;
    q->vc = vc ? interner_add(&d->vcs, text_from(vc)) : UINT32_MAX;
    if (good)
        return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT,
                     "manifest.json: cluster.quotas[%zu] is not a quota", i);
}

enum status verify_quota_read(struct verify_data *d, const json_t *cluster,
                              struct error *err)
{
    const json_t *rows = json_object_get(cluster, "quotas");
    enum status st = STATUS_OK;
    d->merged = rows != NULL;
    d->n_quotas = json_array_size(rows);
    d->quotas = ARENA_ARRAY(&d->arena, struct verify_quota, d->n_quotas + 1);
    for (size_t i = 0; i < d->n_quotas && st == STATUS_OK; i++)
        st = quota_read_row(d, i, json_array_get(rows, i), err);
    if (st != STATUS_OK)
        return st;
    for (size_t i = 0; i < d->n_quotas; i++)
        d->quotas[i].subtree = d->quotas[i].nominal;
    for (size_t i = d->n_quotas; i-- > 0;) {
        struct verify_quota *q = &d->quotas[i];
        int64_t lent = q->lending < q->subtree ? q->lending : q->subtree;
        q->kept = q->subtree - lent;
        if (q->parent != UINT32_MAX)
            d->quotas[q->parent].subtree += lent;
    }
    return STATUS_OK;
}

/* Computes what each row of the quotas uses, from what virtual clusters
 * hold. */
static void quota_add_up(const struct verify_data *d, const int64_t *held,
                         int64_t *used)
{
    for (size_t i = 0; i < d->n_quotas; i++)
        used[i] = d->quotas[i].vc == UINT32_MAX ? 0 : held[d->quotas[i].vc];
    for (size_t i = d->n_quotas; i-- > 0;) {
        const struct verify_quota *q = &d->quotas[i];
        if (q->parent != UINT32_MAX && used[i] > q->kept)
            used[q->parent] += used[i] - q->kept;
    }
}

int64_t verify_quota_left(const struct verify_data *d, const int64_t *held,
                          uint32_t vc)
{
    int64_t left = 0, *used = mem_alloc((d->n_quotas + 1) * sizeof *used);
    quota_add_up(d, held, used);
    for (size_t i = d->n_quotas; i-- > 0;) {
        if (d->quotas[i].vc != vc)
            continue;
        /* the path from the root down: what is left there, and what of it may
         * be borrowed */
        uint32_t path[64];
        size_t n = 0;
        for (uint32_t k = (uint32_t)i; k != UINT32_MAX && n < 64;
             k = d->quotas[k].parent)
            path[n++] = k;
        left = d->quotas[path[n - 1]].subtree - used[path[n - 1]];
        for (n--; n-- > 0;) {
            const struct verify_quota *q = &d->quotas[path[n]];
            int64_t use = used[path[n]];
            int64_t most = q->borrowing == INT64_MAX
                               ? left
                               : q->subtree + q->borrowing -
                                     (use > q->kept ? use : q->kept);
            left = (left < most ? left : most) +
                   (use < q->kept ? q->kept - use : 0);
        }
        break;
    }
    free(used);
    return left > 0 ? left : 0;
}

static void quota_check_instant(const struct verify_data *d, sim_time at,
                                const int64_t *held, int64_t *used,
                                struct verify_report *report)
{
    quota_add_up(d, held, used);
    for (size_t i = 0; i < d->n_quotas; i++) {
        const struct verify_quota *q = &d->quotas[i];
        int64_t most = q->parent == UINT32_MAX     ? q->subtree
                       : q->borrowing == INT64_MAX ? INT64_MAX
                                                   : q->subtree + q->borrowing;
        if (used[i] > most)
            verify_say(report,
                       "cluster.quotas[%zu]: at %.6f s its jobs hold %" PRId64
                       " GPUs, of which the quotas allow %" PRId64,
                       i, span_seconds(at), used[i], most);
    }
}

void verify_quota_check(const struct verify_data *d,
                        struct verify_report *report)
{
    struct verify_timed *starts, *ends;
    size_t n = 0, s = 0, e = 0;
    if (!d->merged)
        return;
    int64_t *held = mem_zalloc(d->vcs.n_strings + (size_t)1, sizeof *held);
    int64_t *used = mem_alloc((d->n_quotas + 1) * sizeof *used);
    starts = mem_alloc((d->n_attempts + 1) * sizeof *starts);
    ends = mem_alloc((d->n_attempts + 1) * sizeof *ends);
    for (size_t i = 0; i < d->n_attempts; i++) {
        const struct verify_attempt *a = &d->attempts[i];
        if (a->profiling || a->end <= a->start)
            continue;
        starts[n] = (struct verify_timed){a->start, (uint32_t)i};
        ends[n++] = (struct verify_timed){a->end, (uint32_t)i};
    }
    verify_sort_timed(starts, n);
    verify_sort_timed(ends, n);
    while (s < n) {
        sim_time now = starts[s].at;
        for (; e < n && ends[e].at <= now; e++) {
            const struct verify_attempt *a = &d->attempts[ends[e].index];
            held[d->jobs[a->job].vc] -= a->gpus;
        }
        for (; s < n && starts[s].at == now; s++) {
            const struct verify_attempt *a = &d->attempts[starts[s].index];
            held[d->jobs[a->job].vc] += a->gpus;
        }
        quota_check_instant(d, now, held, used, report);
    }
    free(held);
    free(used);
    free(starts);
    free(ends);
}
