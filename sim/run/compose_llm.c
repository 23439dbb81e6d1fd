/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes the GPUs of SchedMate's language model from the cluster. These GPUs
 * belong to no node of the run: they run no jobs, and they never fail, even if
 * the rest of their node does. */
#include <inttypes.h>
#include <stdio.h>

#include "schedmate/simulated/schedmate.h"
#include "sim/run/compose_internal.h"

static uint32_t gpus_for_jobs(const struct cluster_spec *spec)
{
    uint32_t gpus = 0;
    for (size_t i = 0; i < spec->n_groups; i++)
        gpus += spec->groups[i].profiler
                    ? 0
                    : spec->groups[i].count * spec->groups[i].gpus;
    return gpus;
}

enum status compose_llm(struct run *run, struct error *err)
{
    const struct schedmate_config *config = run->parts.schedmate.config;
    struct partition_gpus taken;
    char nodes[80] = "";
    if (!config || config->llm_gpus == 0)
        return STATUS_OK;
    uint32_t before = gpus_for_jobs(&run->spec);
    enum status st =
        partition_take_gpus(config->llm_gpus, text_from(config->llm_pool),
                            &run->spec, &run->result.arena, &taken, err);
    if (st != STATUS_OK)
        return error_prefix(err, "--schedmate llm_gpus: ");
    if (taken.nodes)
        snprintf(nodes, sizeof nodes, ", %" PRIu32 " whole node%s", taken.nodes,
                 taken.nodes == 1 ? "" : "s");
    remarks_add(&run->result.remarks, REMARK_NUMBERS,
                "language model: served by %" PRIu32 " of %" PRIu32
                " GPUs for jobs%s; %" PRIu32
                " are left for jobs (--schedmate llm_gpus)",
                taken.gpus, before, nodes, before - taken.gpus);
    return STATUS_OK;
}
