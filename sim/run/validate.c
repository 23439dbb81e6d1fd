/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a run without its trace, to find misspelt names before a long study. */
#include "sim/run/compose_internal.h"
#include "sim/run/describe.h"

enum status run_validate(const struct run_config *config, struct error *err)
{
    struct run *run = mem_zalloc(1, sizeof *run);
    run->config = *config;
    arena_init(&run->result.arena);
    run->result.remarks.arena = &run->result.arena;
    enum status st = compose_parts(run, err);
    if (st == STATUS_OK && config->cluster)
        st = describe_cluster(config->cluster, &run->result.arena, &run->spec,
                              err);
    run_free(run);
    return st;
}
