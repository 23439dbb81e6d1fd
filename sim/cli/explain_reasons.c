/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/explain_reasons.h"

#include <string.h>

const char *const explain_codes[] = {
#define EXPLAIN_CODE(name, code, help) code,
    EXPLAIN_REASONS(EXPLAIN_CODE)
#undef EXPLAIN_CODE
};

/* Moves time, at most *left, from the reason `from` to "held-back", and
 * subtracts it from *left. */
static void hold(struct explain_reasons *out, enum explain_reason from,
                 sim_span *left)
{
    sim_span part = out->spans[from] < *left ? out->spans[from] : *left;
    out->spans[from] -= part;
    out->spans[EXPLAIN_HELD_BACK] += part;
    *left -= part;
}

/* Adds the times of one wait to the reasons for it. */
static void add_wait(const struct verify_job *job,
                     const struct explain_gpus *gpus, struct waiting *w,
                     bool to_profile, struct explain_reasons *out)
{
    if (to_profile) {
        out->spans[EXPLAIN_PROFILER_BUSY] += w->to - w->from;
        return;
    }
    explain_measure(gpus, job->gpus, w);
    out->spans[EXPLAIN_TOO_FEW_GPUS] += w->full - w->nodes_out;
    out->spans[EXPLAIN_NODES_OUT] += w->nodes_out;
    out->spans[EXPLAIN_PASSED_OVER] += w->passed_over;
}

void explain_reasons_of(const struct verify_data *d,
                        const struct verify_job *job,
                        const struct explain_gpus *gpus,
                        struct explain_reasons *out)
{
    sim_time since = job->submitted;
    *out = (struct explain_reasons){0};
    for (uint32_t i = 0; i <= job->n_attempts; i++) {
        bool last = i == job->n_attempts;
        const struct verify_attempt *a = &d->attempts[job->first_attempt + i];
        struct waiting w = {.from = since};
        w.to = last ? (job->ended ? job->finish : d->end) : a->start;
        if (w.to > w.from)
            add_wait(job, gpus, &w, !last && a->profiling, out);
        since = last ? since : a->end;
    }
    sim_span held = job->held;
    hold(out, EXPLAIN_PASSED_OVER, &held);
    hold(out, EXPLAIN_TOO_FEW_GPUS, &held);
    hold(out, EXPLAIN_NODES_OUT, &held);
    for (unsigned r = 1; r < EXPLAIN_N_REASONS; r++) {
        if (out->spans[r] > out->spans[out->main])
            out->main = (enum explain_reason)r;
    }
    if (strcmp(verify_outcomes[job->outcome], "rejected") == 0)
        out->main = EXPLAIN_REJECTED;
}

void explain_reasons_put(json_t *json, const struct explain_reasons *reasons)
{
    json_t *all = json_object();
    for (unsigned r = 1; r < EXPLAIN_N_REASONS; r++) {
        if (reasons->spans[r])
            json_put(all, explain_codes[r],
                     json_number(span_seconds(reasons->spans[r])));
    }
    json_put(json, "reason", json_text(explain_codes[reasons->main]));
    json_put(json, "reasons", all);
}
