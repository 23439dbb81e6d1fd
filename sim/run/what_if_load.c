/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clauses of --what-if that change the load. */
#include <stdlib.h>

#include "sim/run/what_if_internal.h"

double what_if_factor_at(const struct what_if *what_if, sim_time at)
{
    double factor = 1;
    for (size_t i = 0; i < what_if->n; i++) {
        const struct what_if_clause *c = &what_if->clauses[i];
        if (!c->nodes && at >= c->from && at < c->until)
            factor *= c->load;
    }
    return factor;
}

/* Returns the first time after `at` at which a factor changes. */
static sim_time change_after(const struct what_if *what_if, sim_time at)
{
    sim_time best = TIME_NEVER;
    for (size_t i = 0; i < what_if->n; i++) {
        const struct what_if_clause *c = &what_if->clauses[i];
        if (c->nodes)
            continue;
        if (c->from > at && c->from < best)
            best = c->from;
        if (c->until > at && c->until < best)
            best = c->until;
    }
    return best;
}

static void remark(const struct what_if_clause *c, const struct jobset *w,
                   sim_time last, struct remarks *remarks)
{
    sim_time now = w->n_jobs ? w->jobs[w->n_jobs - 1].submitted : 0;
    const char *some =
        c->from > 0 || c->until != TIME_NEVER ? " for a time" : "";
    if (now == last)
        remarks_add(remarks, REMARK_CONCLUSION,
                    "what if: submissions come %g times as fast%s, which moves "
                    "none: the last one comes on day %.4g (--what-if)",
                    c->load, some, span_seconds(last) / 86400);
    else
        remarks_add(remarks, REMARK_DETAIL,
                    "what if: submissions come %g times as fast%s: the last "
                    "one comes on day %.4g instead of %.4g (--what-if)",
                    c->load, some, span_seconds(now) / 86400,
                    span_seconds(last) / 86400);
}

void what_if_load(const struct what_if *what_if, struct jobset *w,
                  struct remarks *remarks)
{
    /* Time `from` of the trace is time `to` of the run. The factor holds until
     * the time `until` of the trace. */
    sim_time from = 0, to = 0, until = change_after(what_if, -1);
    sim_time last = w->n_jobs ? w->jobs[w->n_jobs - 1].submitted : 0;
    double factor = 1;
    bool any = false;
    for (size_t i = 0; i < what_if->n; i++)
        any |= !what_if->clauses[i].nodes;
    for (uint32_t i = 0; any && i < w->n_jobs; i++) {
        struct job *job = &w->jobs[i];
        while (job->submitted >= until) {
            to += (sim_span)((double)(until - from) / factor + 0.5);
            from = until;
            factor = what_if_factor_at(what_if, from);
            until = change_after(what_if, from);
        }
        job->submitted =
            to + (sim_span)((double)(job->submitted - from) / factor + 0.5);
    }
    for (size_t i = 0; i < what_if->n; i++) {
        if (!what_if->clauses[i].nodes)
            remark(&what_if->clauses[i], w, last, remarks);
    }
}
