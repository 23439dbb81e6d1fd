/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What failed, in timeline.json: names of the tracks, and an instant for each
 * fault and for each failure of a job. The arguments are named as the columns
 * of failures.csv. */
#include <stdio.h>

#include "models/failures/failure_kind.h"
#include "models/failures/fault.h"
#include "models/failures/recovery.h"
#include "sim/results/failure_rows.h"
#include "sim/results/timeline_event.h"

static void name_tracks(struct out *out, const struct run_result *run)
{
    const struct cluster *c = &run->cluster;
    for (node_id n = 0; n < c->n_nodes; n++) {
        timeline_name_track(out, n, timeline_outage_track(run, n),
                            "out of service");
        timeline_name_track(out, n, timeline_fault_track(run, n), "faults");
    }
    for (uint32_t vc = 0; vc < c->n_vcs; vc++) {
        char name[256];
        snprintf(name, sizeof name, "virtual cluster %s", c->vcs[vc]);
        timeline_name_process(out, c->n_nodes + vc, name);
        timeline_name_track(out, c->n_nodes + vc, 0, "storage faults");
    }
}

void timeline_fault_args(struct timeline_args *args,
                         const struct fault_row *fault)
{
    timeline_text(args, "scope",
                  fault_scope_name((enum fault_scope)fault->scope));
    timeline_text(args, "after",
                  fault_after_name((enum fault_after)fault->after));
    timeline_span(args, "repair", fault->repair);
}

static void put_fault(struct out *out, const struct run_result *run,
                      const struct failure_line *line)
{
    const struct fault_row *fault = line->fault;
    bool on_node = fault->node != NODE_NONE;
    const struct timeline_event event = {
        .name = fault->cause,
        .category = "fault",
        .process = on_node ? fault->node : run->cluster.n_nodes + fault->vc,
        .track = on_node ? timeline_fault_track(run, fault->node) : 0,
        .at = fault->at,
        .length = -1,
    };
    struct timeline_args args = timeline_begin(out, &event);
    timeline_whole(&args, "fault", line->fault_number);
    timeline_fault_args(&args, fault);
    if (fault->scope == FAULT_GPU)
        timeline_whole(&args, "gpu",
                       fault->gpu % run->cluster.nodes[fault->node].gpus);
    timeline_bool(&args, "harmless", fault->harmless);
    timeline_bool(&args, "missed", fault->missed);
    timeline_whole(&args, "hits", fault->n_hit);
    timeline_end(&args);
}

static void put_ruling(struct timeline_args *args,
                       const struct failure_row *failure)
{
    timeline_text(args, "verdict",
                  verdict_name((enum verdict)failure->verdict));
    timeline_text(args, "by", failure->by);
    timeline_text(args, "told", failure->told);
    timeline_span(args, "detected", failure->detected);
    if (failure->verdict != VERDICT_GIVE_UP)
        timeline_span(args, "delay", failure->delay);
    if (failure->suspect != NODE_NONE) {
        timeline_whole(args, "suspect", failure->suspect);
        timeline_span(args, "test", failure->test);
    }
}

static void put_failure(struct out *out, struct facts_reader *reader,
                        const struct failure_line *line)
{
    const struct run_result *run = reader->results.run;
    const struct failure_row *failure = line->failure;
    struct gpu_slice first = facts_where(reader, failure->attempt).at[0];
    struct gpu_walk walk = gpu_walk(0, first.mask);
    char id[SOURCE_ID_MAX], name[SOURCE_ID_MAX + 16];
    gpu_walk_next(&walk);
    snprintf(name, sizeof name, "%s fails",
             jobset_source_id(&run->jobset, line->job, id));
    const struct timeline_event event = {
        .name = name,
        .category = "failure",
        .process = first.node,
        .track = walk.gpu,
        .at = line->at,
        .length = -1,
    };
    struct timeline_args args = timeline_begin(out, &event);
    timeline_text(&args, "cause", failure->cause);
    timeline_text(&args, "kind",
                  failure_kind_name((enum failure_kind)failure->kind));
    if (line->fault)
        timeline_whole(&args, "fault", line->fault_number);
    if (failure->node != NODE_NONE)
        timeline_whole(&args, "node", failure->node);
    timeline_whole(&args, "attempt", line->attempt);
    timeline_whole(&args, "failures", failure->number);
    put_ruling(&args, failure);
    timeline_span(&args, "lost", line->lost);
    timeline_end(&args);
}

void timeline_failures(struct out *out, const struct results *results)
{
    struct failure_rows rows;
    struct failure_line line;
    struct facts_reader reader;
    uint32_t last = 0; /* number of the last fault written */
    name_tracks(out, results->run);
    facts_reader_init(&reader, *results);
    failure_rows_init(&rows, results);
    while (failure_rows_next(&rows, &line)) {
        if (line.fault_number > last) {
            put_fault(out, results->run, &line);
            last = line.fault_number;
        }
        if (line.failure)
            put_failure(out, &reader, &line);
    }
    failure_rows_fini(&rows);
    facts_reader_fini(&reader);
    timeline_outages(out, results);
}
