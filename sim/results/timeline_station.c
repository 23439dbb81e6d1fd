/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The language model in timeline.json: a process with a track for each server,
 * and on it a slice for each question that the server worked on. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/results/advice.h"
#include "sim/results/timeline_event.h"

static void put_question(struct out *out, const struct run_result *run,
                         uint32_t process, uint32_t number)
{
    const struct advice_row *row = &run->ledger.advices[number];
    const struct job *job = &run->jobset.jobs[row->job];
    char id[SOURCE_ID_MAX];
    bool counted;
    struct advice_tokens tokens = ledger_tokens(&run->ledger, number, &counted);
    const struct timeline_event event = {
        .name = jobset_source_id(&run->jobset, job, id),
        .category = advice_module_name((enum advice_module)row->module),
        .process = process,
        .track = row->server,
        .at = advice_begun(row),
        .length = row->service,
    };
    struct timeline_args args = timeline_begin(out, &event);
    timeline_span(&args, "waited", (sim_span)row->waited);
    timeline_text(&args, "basis",
                  advice_basis_name((enum advice_basis)row->basis));
    timeline_whole(&args, "k", row->k);
    timeline_whole(&args, "tokens_in", tokens.in);
    timeline_whole(&args, "tokens_out", tokens.out);
    timeline_end(&args);
}

void timeline_station(struct out *out, const struct results *results)
{
    const struct run_result *run = results->run;
    uint32_t process = run->cluster.n_nodes + run->cluster.n_vcs;
    timeline_name_process(out, process, "language model");
    for (uint32_t i = 0; i < run->ledger.station.servers; i++) {
        char name[32];
        snprintf(name, sizeof name, "server %" PRIu32, i);
        timeline_name_track(out, process, i, name);
    }
    for (uint32_t i = 0; i < run->ledger.n_advices; i++) {
        if (run->ledger.advices[i].server != ADVICE_NO_SERVER)
            put_question(out, run, process, i);
    }
}
