/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What failed, in timeline.json: an instant for each fault, each failure of a
 * job and each rejected job. An argument that is a column of failures.csv has
 * the name of the column. */
#include <stdio.h>

#include "models/failures/causes.h"
#include "models/failures/fault.h"
#include "models/failures/recovery.h"
#include "sim/results/failure_rows.h"
#include "sim/results/timeline_event.h"

void timeline_fault_args(struct timeline_args *args,
                         const struct fault_row *fault)
{
    timeline_text(args, "scope",
                  fault_scope_name((enum fault_scope)fault->scope));
    timeline_text(args, "after",
                  fault_after_name((enum fault_after)fault->after));
    timeline_span(args, "repair", fault->repair);
}

static void put_fault(struct timeline_writer *w,
                      const struct failure_line *line)
{
    const struct run_result *run = w->run;
    const struct fault_row *fault = line->fault;
    bool on_node = fault->node != NODE_NONE;
    const struct timeline_event event = {
        .name = fault->cause,
        .category = "fault",
        .process =
            on_node ? timeline_node(run, fault->node) : timeline_vc(fault->vc),
        .track = on_node
                     ? timeline_node_track(run, fault->node, TIMELINE_FAULTS)
                     : timeline_vc_track(run, fault->vc, TIMELINE_STORAGE),
        .kind = TIMELINE_INSTANT,
        .at = fault->at,
    };
    struct timeline_args args;
    if (!timeline_begin(w, &event, &args))
        return;
    timeline_whole(&args, "fault", line->fault_number);
    timeline_fault_args(&args, fault);
    if (fault->scope == FAULT_GPU)
        timeline_whole(&args, "gpu",
                       fault->gpu % run->cluster.nodes[fault->node].gpus);
    timeline_bool(&args, "harmless", fault->harmless);
    timeline_bool(&args, "missed", fault->missed);
    timeline_whole(&args, "hits", fault->n_hit);
    timeline_end(w, &event, &args);
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

static void put_failure(struct timeline_writer *w,
                        const struct failure_line *line)
{
    const struct run_result *run = w->run;
    const struct failure_row *failure = line->failure;
    struct gpu_slice first = facts_where(&w->reader, failure->attempt).at[0];
    struct gpu_walk walk = gpu_walk(0, first.mask);
    char id[SOURCE_ID_MAX], name[SOURCE_ID_MAX + 16];
    gpu_walk_next(&walk);
    snprintf(name, sizeof name, "%s fails",
             jobset_source_id(&run->jobset, line->job, id));
    const struct timeline_event event = {
        .name = name,
        .category = "failure",
        .process = timeline_node(run, first.node),
        .track = timeline_gpu(run, first.node, walk.gpu),
        .kind = TIMELINE_INSTANT,
        .at = line->at,
    };
    struct timeline_args args;
    if (!timeline_begin(w, &event, &args))
        return;
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
    timeline_end(w, &event, &args);
}

/* Writes a rejection on a track of the virtual cluster, because a rejected job
 * never had a GPU. */
static void put_rejection(struct timeline_writer *w, const struct rejection *r)
{
    const struct run_result *run = w->run;
    const struct job *job = &run->jobset.jobs[r->job];
    char id[SOURCE_ID_MAX], name[SOURCE_ID_MAX + 16];
    snprintf(name, sizeof name, "%s rejected",
             jobset_source_id(&run->jobset, job, id));
    const struct timeline_event event = {
        .name = name,
        .category = "rejection",
        .process = timeline_vc(job->vc),
        .track = timeline_vc_track(run, job->vc, TIMELINE_REJECTIONS),
        .kind = TIMELINE_INSTANT,
        .at = r->at,
    };
    struct timeline_args args;
    if (!timeline_begin(w, &event, &args))
        return;
    timeline_whole(&args, "gpus", job->gpus);
    timeline_text(&args, "why", r->why);
    timeline_end(w, &event, &args);
}

void timeline_failures(struct timeline_writer *w)
{
    struct failure_rows rows;
    struct failure_line line;
    uint32_t last = 0; /* number of the last fault written */
    failure_rows_init(&rows, &w->reader.results);
    while (failure_rows_next(&rows, &line)) {
        if (line.fault_number > last) {
            put_fault(w, &line);
            last = line.fault_number;
        }
        if (line.failure)
            put_failure(w, &line);
    }
    failure_rows_fini(&rows);
    for (size_t i = 0; i < w->run->ledger.n_rejections; i++)
        put_rejection(w, &w->run->ledger.rejections[i]);
}
