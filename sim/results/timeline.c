/* SPDX-License-Identifier: GPL-3.0-or-later */
/* timeline.json: attempts by GPU in the Chrome trace event format, which
 * Perfetto and chrome://tracing open. A process is a node, a thread is a GPU.
 * An attempt on a shared GPU is drawn as asynchronous events, because slices of
 * one thread that overlap would have to nest. timeline_event.h says what stands
 * beside the GPUs in a run that has failures. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/base/json_stream.h"
#include "sim/results/advice.h"
#include "sim/results/failure_rows.h"
#include "sim/results/report.h"
#include "sim/results/timeline_event.h"

static void put_head(struct out *out, const struct cluster *c, node_id n)
{
    const struct node *node = &c->nodes[n];
    const struct pool *pool = &c->pools[node->pool];
    if (n)
        out_text(out, ",\n");
    out_printf(out,
               "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,"
               "\"args\":{\"name\":",
               n);
    char name[256];
    snprintf(name, sizeof name, "node %u %s %s", n, c->types[pool->type].name,
             c->vcs[pool->vc]);
    json_put_text(out, name);
    out_text(out, "}}");
    for (unsigned g = 0; g < node->gpus; g++)
        out_printf(out,
                   ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,"
                   "\"tid\":%u,\"args\":{\"name\":\"GPU %u\"}}",
                   n, g, node->first_gpu + g);
}

struct slice_event {
    struct out *out;
    const char *job;
    uint32_t attempt;
    sim_time start, end;
    bool shared;
};

static void put_one(const struct slice_event *e, char phase, sim_time at,
                    node_id node, unsigned gpu)
{
    out_text(e->out, ",\n{\"ph\":\"");
    out_char(e->out, phase);
    out_text(e->out, "\",\"name\":");
    json_put_text(e->out, e->job);
    out_text(e->out, ",\"pid\":");
    out_u64(e->out, node);
    out_text(e->out, ",\"tid\":");
    out_u64(e->out, gpu);
    out_text(e->out, ",\"ts\":");
    out_i64(e->out, at);
    if (e->shared) {
        out_printf(e->out, ",\"cat\":\"shared\",\"id\":\"%u.%u.%u\"",
                   e->attempt, node, gpu);
    } else {
        out_text(e->out, ",\"dur\":");
        out_i64(e->out, e->end - e->start);
    }
    out_char(e->out, '}');
}

static void put_slice(const struct slice_event *e, struct gpu_slice slice)
{
    for (struct gpu_walk w = gpu_walk(0, slice.mask); gpu_walk_next(&w);) {
        gpu_id gpu = w.gpu;
        if (!e->shared) {
            put_one(e, 'X', e->start, slice.node, gpu);
            continue;
        }
        put_one(e, 'b', e->start, slice.node, gpu);
        put_one(e, 'e', e->end, slice.node, gpu);
    }
}

void report_timeline(struct out *out, struct results results)
{
    const struct run_result *run = results.run;
    struct facts_reader reader;
    facts_reader_init(&reader, results);
    out_text(out, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
    for (node_id n = 0; n < run->cluster.n_nodes; n++)
        put_head(out, &run->cluster, n);
    for (uint32_t a = 0; a < run->ledger.n_attempts; a++) {
        const struct attempt *attempt = &run->ledger.attempts[a];
        const struct job *job = &run->jobset.jobs[attempt->job];
        struct gpu_set set = facts_where(&reader, a);
        char id[SOURCE_ID_MAX];
        struct slice_event e = {
            .out = out,
            .job = jobset_source_id(&run->jobset, job, id),
            .attempt = a,
            .start = attempt->start,
            .end = facts_attempt_end(&results, a),
            .shared = attempt->shared,
        };
        for (uint32_t i = 0; i < set.count; i++)
            put_slice(&e, set.at[i]);
    }
    if (failure_rows_exist(run))
        timeline_failures(out, &results);
    if (advice_exists(run))
        timeline_station(out, &results);
    timeline_evictions(out, &reader);
    out_text(out, "\n]}\n");
    facts_reader_fini(&reader);
}
