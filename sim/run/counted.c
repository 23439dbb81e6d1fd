/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run/counted.h"

#include "base/text.h"

/* Reads a length of time, such as "2d", or a share of `whole`, such as "10%".
 * `given` NULL: 0. Returns STATUS_USAGE if the text is neither. */
static enum status read_cut(const char *option, const char *given,
                            sim_span whole, sim_span *out, struct error *err)
{
    double percent;
    struct text t = text_trim(text_from(given ? given : "0"));
    bool is_share = t.len && t.at[t.len - 1] == '%', good;
    if (is_share) {
        t.len--;
        good = text_to_double(text_trim(t), &percent) && percent >= 0 &&
               percent < 100;
        *out = good ? (sim_span)((double)whole * (percent / 100)) : 0;
    } else {
        good = text_to_duration(t, out) && *out >= 0;
    }
    if (good)
        return STATUS_OK;
    return error_set(err, STATUS_USAGE,
                     "--%s: '%.100s' is not a length of time, such as 12h or "
                     "7d, or a percentage from 0%% to below 100%%",
                     option, given);
}

enum status counted_find(struct counted *counted, const struct jobset *w,
                         struct remarks *remarks, struct error *err)
{
    sim_span head = 0, tail = 0;
    sim_time first = w->n_jobs ? w->jobs[0].submitted : 0;
    sim_time last = w->n_jobs ? w->jobs[w->n_jobs - 1].submitted : 0;
    enum status st =
        read_cut("warmup", counted->warmup, last - first, &head, err);
    if (st == STATUS_OK)
        st = read_cut("cooldown", counted->cooldown, last - first, &tail, err);
    if (st != STATUS_OK || (!counted->warmup && !counted->cooldown))
        return st;
    counted->some = true;
    counted->from = first + head;
    counted->to = last - tail;
    for (uint32_t i = 0; i < w->n_jobs; i++)
        counted->n_jobs += counted_has(counted, &w->jobs[i]);
    if (counted->n_jobs == 0)
        return error_set(err, STATUS_USAGE,
                         "--warmup %s, --cooldown %s: no job is left to count; "
                         "all jobs were submitted within %.6g s",
                         counted->warmup ? counted->warmup : "0",
                         counted->cooldown ? counted->cooldown : "0",
                         span_seconds(last - first));
    remarks_add(remarks, REMARK_DETAIL,
                "metrics of jobs count %u of %u jobs: those submitted from "
                "%.15g s to %.15g s (--warmup %s, --cooldown %s); the others "
                "were simulated, and sums, makespan, utilisation and what is "
                "measured over time include them",
                counted->n_jobs, w->n_jobs, span_seconds(counted->from),
                span_seconds(counted->to),
                counted->warmup ? counted->warmup : "0",
                counted->cooldown ? counted->cooldown : "0");
    return STATUS_OK;
}
