/* SPDX-License-Identifier: GPL-3.0-or-later */
/* first_stage.csv: the attempts of the side run (run_env.side_run), one per
 * row, in the order of their starts. */
#include <inttypes.h>
#include <stdlib.h>

#include "sim/results/report.h"

static void put_gpus(struct out *out, const struct run_result *run,
                     const struct gpu_slice *slices, uint32_t n)
{
    const char *blank = "";
    for (uint32_t i = 0; i < n; i++) {
        const struct node *node = &run->cluster.nodes[slices[i].node];
        for (struct gpu_walk w = gpu_walk(node->first_gpu, slices[i].mask);
             gpu_walk_next(&w); blank = " ")
            out_printf(out, "%s%" PRIu32, blank, w.gpu);
    }
}

void report_side_run(struct out *out, const struct run_result *run)
{
    const struct ledger *side = run->side_run;
    struct gpu_slice *slices = NULL;
    size_t room = 0;
    char id[SOURCE_ID_MAX];
    out_text(out, "job_id,starting_time,finish_time,ended,gpus\n");
    for (size_t i = 0; i < side->n_attempts; i++) {
        const struct attempt *a = &side->attempts[i];
        uint32_t n = ledger_where(side, a, slices, (uint32_t)room);
        slices = mem_grow(slices, &room, n, sizeof *slices);
        ledger_where(side, a, slices, n);
        out_csv(out, text_from(jobset_source_id(
                         &run->jobset, &run->jobset.jobs[a->job], id)));
        out_char(out, ',');
        out_span(out, a->start);
        out_char(out, ',');
        if (a->end != TIME_NEVER)
            out_span(out, a->end);
        out_text(out, a->how == LEDGER_FINISHED ? ",1," : ",0,");
        put_gpus(out, run, slices, n);
        out_char(out, '\n');
    }
    free(slices);
}
