/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the part `packing` of summary.json again. No file has the paces of
 * jobs, so the figures of pace are only compared with each other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/verify/verify.h"

/* Number of pairs that summary.json lists at most. */
enum { PACKING_PAIRS_MAX = 32 };

/* A time for which an attempt holds a GPU. */
struct packing_hold {
    uint32_t gpu, attempt;
    sim_time from, to;
};

struct packing_holds {
    struct packing_hold *at;
    size_t n, cap;
};

static void packing_add(struct packing_holds *holds, struct packing_hold hold)
{
    holds->at =
        mem_grow(holds->at, &holds->cap, holds->n + 1, sizeof *holds->at);
    holds->at[holds->n++] = hold;
}

static int packing_by_gpu(const void *a, const void *b)
{
    const struct packing_hold *x = a, *y = b;
    if (x->gpu != y->gpu)
        return x->gpu < y->gpu ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static int packing_by_attempt(const void *a, const void *b)
{
    const struct packing_hold *x = a, *y = b;
    if (x->attempt != y->attempt)
        return x->attempt < y->attempt ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static struct packing_holds packing_list(const struct verify_data *d)
{
    struct packing_holds all = {0};
    for (uint32_t i = 0; i < d->n_attempts; i++) {
        const struct verify_attempt *a = &d->attempts[i];
        for (uint32_t k = 0; a->shared && k < a->n_ranges; k++) {
            struct verify_range r = d->ranges[a->first_gpu_range + k];
            for (uint32_t gpu = r.first; gpu <= r.last; gpu++)
                packing_add(&all,
                            (struct packing_hold){gpu, i, a->start, a->end});
        }
    }
    if (all.n)
        qsort(all.at, all.n, sizeof *all.at, packing_by_gpu);
    return all;
}

/* Returns the GPU time, GPU-us, for which attempts hold some GPU that another
 * one holds too; each with all of its GPUs. */
static double packing_time(const struct verify_data *d)
{
    struct packing_holds all = packing_list(d), both = {0};
    double sum = 0;
    for (size_t i = 0; i < all.n; i++) {
        for (size_t k = i + 1; k < all.n && all.at[k].gpu == all.at[i].gpu &&
                               all.at[k].from < all.at[i].to;
             k++) {
            struct packing_hold x = all.at[k];
            x.to = x.to < all.at[i].to ? x.to : all.at[i].to;
            packing_add(&both, x);
            x.attempt = all.at[i].attempt;
            packing_add(&both, x);
        }
    }
    if (both.n)
        qsort(both.at, both.n, sizeof *both.at, packing_by_attempt);
    sim_time until = 0;
    for (size_t i = 0; i < both.n; i++) {
        const struct packing_hold *x = &both.at[i];
        if (i == 0 || x->attempt != both.at[i - 1].attempt)
            until = 0;
        sim_time from = x->from > until ? x->from : until;
        if (x->to > from)
            sum += (double)(x->to - from) * d->attempts[x->attempt].gpus;
        until = x->to > until ? x->to : until;
    }
    free(all.at);
    free(both.at);
    return sum;
}

/* Compares the figures of pace with each other. `time`: co-located GPU time,
 * GPU-us. */
static void packing_check_pace(const struct verify_part *part, double time)
{
    /* the lowest pace of each class, and where the one above begins */
    static const struct {
        const char *name;
        double least, most;
    } classes[] = {{"tiny", 0.95, INFINITY},
                   {"medium", 0.85, 0.95},
                   {"jumbo", 0.65, 0.85},
                   {"worse", 0, 0.65}};
    const json_t *by = json_object_get(part->object, "by_pace"), *row,
                 *pairs = json_object_get(part->object, "pairs");
    const double pace = verify_part_number(part, "pace_mean");
    double shares = 0, least = 0, most = 0, hours = 0, paced = 0,
           last = INFINITY;
    size_t i;
    for (i = 0; i < sizeof classes / sizeof *classes; i++) {
        const double share =
            json_number_value(json_object_get(by, classes[i].name));
        shares += share;
        least += share * classes[i].least;
        most += share > 0 ? share * classes[i].most : 0;
    }
    if (json_object_size(by) != (time > 0 ? 4 : 0) ||
        (time > 0 && fabs(shares - 1) > 1e-9))
        verify_say(part->report,
                   "summary.packing.by_pace.tiny, medium, jumbo, worse: are "
                   "%.15g of the co-located time",
                   shares);
    json_array_foreach((json_t *)(uintptr_t)pairs, i, row)
    {
        const double one = json_number_value(json_object_get(row, "gpu_hours"));
        if (one > last * (1 + 1e-9))
            verify_say(part->report,
                       "summary.packing.pairs.%zu.gpu_hours: is more than that "
                       "of the pair above",
                       i);
        last = one;
        hours += one;
        paced += one * json_number_value(json_object_get(row, "pace"));
    }
    const bool all = json_array_size(pairs) < PACKING_PAIRS_MAX;
    if (all ? fabs(hours - time / 3600e6) > 1e-9 * hours
            : hours > time / 3600e6 * (1 + 1e-9))
        verify_say(part->report,
                   "summary.packing.pairs.*.gpu_hours: add up to %.15g, the "
                   "files give %.15g",
                   hours, time / 3600e6);
    if (pace < least - 1e-9 || pace > most + 1e-9 ||
        (all && fabs(paced - pace * hours) > 1e-9 * fmax(paced, 1)))
        verify_say(part->report,
                   "summary.packing.pace_mean, pairs.*.pace: %.15g contradicts "
                   "by_pace or the pairs, which give %.15g",
                   pace, hours > 0 ? paced / hours : 0);
}

void verify_packing(const struct verify_data *data,
                    struct verify_report *report)
{
    struct verify_part part;
    double shared = 0, held = 0;
    if (!verify_part_find(data, "packing", data->share_limit > 1, report,
                          &part))
        return;
    for (size_t i = 0; i < data->n_attempts; i++) {
        const struct verify_attempt *a = &data->attempts[i];
        shared += a->shared;
        held += (double)(a->end - a->start) * a->gpus;
    }
    const double time = packing_time(data);
    verify_part_expect(&part, "jobs", (double)data->n_shared);
    verify_part_expect(&part, "attempts_share",
                       data->n_attempts ? shared / (double)data->n_attempts
                                        : NAN);
    verify_part_expect(&part, "busy_share",
                       data->busy > 0 ? data->crowded / data->busy : NAN);
    verify_part_expect(&part, "held_share", held > 0 ? time / held : NAN);
    packing_check_pace(&part, time);
}
