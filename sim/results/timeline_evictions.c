/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evictions in timeline.json: an instant on the first GPU of each attempt that
 * the monitor ended. */
#include "sim/results/timeline_event.h"

void timeline_evictions(struct timeline_writer *w)
{
    const struct run_result *run = w->run;
    for (size_t i = 0; i < run->ledger.n_evictions; i++) {
        const struct eviction_row *row = &run->ledger.evictions[i];
        const struct attempt *a = &run->ledger.attempts[row->attempt];
        struct gpu_set where = facts_where(&w->reader, row->attempt);
        const struct job *jobs = run->jobset.jobs;
        char job[SOURCE_ID_MAX], host[SOURCE_ID_MAX];
        const struct timeline_event event = {
            .name = "evicted",
            .category = "eviction",
            .process = timeline_node(run, where.at[0].node),
            .track = timeline_gpu(run, where.at[0].node,
                                  (uint32_t)__builtin_ctzll(where.at[0].mask)),
            .kind = TIMELINE_INSTANT,
            .at = a->end,
        };
        struct timeline_args args;
        if (!timeline_begin(w, &event, &args))
            continue;
        timeline_text(&args, "job",
                      jobset_source_id(&run->jobset, &jobs[a->job], job));
        timeline_text(&args, "host",
                      jobset_source_id(&run->jobset, &jobs[row->host], host));
        timeline_text(&args, "why", row->why);
        timeline_span(&args, "lost",
                      facts_stay(&w->reader.results, row->attempt).lost);
        timeline_end(w, &event, &args);
    }
}
