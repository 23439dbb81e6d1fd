/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns of failures.csv, one per row of the table below. */
#include "base/out.h"
#include "models/failures/causes.h"
#include "models/failures/fault.h"
#include "models/failures/recovery.h"
#include "sim/results/failure_rows.h"

#define CELL(name) \
    static void name(struct out *out, const struct run_result *run, \
                     const struct failure_line *line)

static void put_text(struct out *out, const char *text)
{
    if (text)
        out_csv(out, text_from(text));
}

static bool ends_the_job(const struct failure_line *line)
{
    return line->failure && line->failure->verdict == VERDICT_GIVE_UP;
}

CELL(put_time)
{
    (void)run;
    out_span(out, line->at);
}

CELL(put_fault)
{
    (void)run;
    if (line->fault)
        out_u64(out, line->fault_number);
}

CELL(put_scope)
{
    (void)run;
    if (line->fault)
        out_text(out, fault_scope_name((enum fault_scope)line->fault->scope));
}

CELL(put_after)
{
    (void)run;
    if (line->fault)
        out_text(out, fault_after_name((enum fault_after)line->fault->after));
}

CELL(put_node)
{
    (void)run;
    node_id node = line->fault ? line->fault->node : line->failure->node;
    if (node != NODE_NONE)
        out_u64(out, node);
}

CELL(put_gpu)
{
    if (line->fault && line->fault->scope == FAULT_GPU)
        out_u64(out,
                line->fault->gpu % run->cluster.nodes[line->fault->node].gpus);
}

CELL(put_vc)
{
    if (line->fault)
        put_text(out, run->cluster.vcs[line->fault->vc]);
}

CELL(put_cause)
{
    (void)run;
    put_text(out, line->failure ? line->failure->cause : line->fault->cause);
}

CELL(put_kind)
{
    (void)run;
    out_text(out, failure_kind_name(line->failure
                                        ? (enum failure_kind)line->failure->kind
                                        : FAILURE_INFRASTRUCTURE));
}

CELL(put_harmless)
{
    (void)run;
    if (line->fault)
        out_char(out, line->fault->harmless ? '1' : '0');
}

CELL(put_missed)
{
    (void)run;
    if (line->fault)
        out_char(out, line->fault->missed ? '1' : '0');
}

CELL(put_hits)
{
    (void)run;
    if (line->fault)
        out_u64(out, line->fault->n_hit);
}

CELL(put_repair)
{
    (void)run;
    if (line->fault)
        out_span(out, line->fault->repair);
}

CELL(put_job)
{
    char id[SOURCE_ID_MAX];
    if (line->job)
        put_text(out, jobset_source_id(&run->jobset, line->job, id));
}

CELL(put_attempt)
{
    (void)run;
    if (line->failure)
        out_u64(out, line->attempt);
}

CELL(put_number)
{
    (void)run;
    if (line->failure)
        out_u64(out, line->failure->number);
}

CELL(put_verdict)
{
    (void)run;
    if (line->failure)
        out_text(out, verdict_name((enum verdict)line->failure->verdict));
}

CELL(put_by)
{
    (void)run;
    if (line->failure)
        put_text(out, line->failure->by);
}

CELL(put_told)
{
    (void)run;
    if (line->failure)
        put_text(out, line->failure->told);
}

CELL(put_detected)
{
    (void)run;
    if (line->failure)
        out_span(out, line->failure->detected);
}

CELL(put_delay)
{
    (void)run;
    if (line->failure && !ends_the_job(line))
        out_span(out, line->failure->delay);
}

CELL(put_suspect)
{
    (void)run;
    if (line->failure && line->failure->suspect != NODE_NONE)
        out_u64(out, line->failure->suspect);
}

CELL(put_test)
{
    (void)run;
    if (line->failure && line->failure->suspect != NODE_NONE)
        out_span(out, line->failure->test);
}

CELL(put_lost)
{
    (void)run;
    if (line->failure)
        out_span(out, line->lost);
}

CELL(put_lost_gpu)
{
    (void)run;
    if (line->failure)
        out_span(out, line->lost * line->job->gpus);
}

CELL(put_restarted)
{
    (void)run;
    if (line->restarted != TIME_NEVER)
        out_span(out, line->restarted);
}

const struct failure_column failure_columns[] = {
    {{"time", "s", "when the job failed; without a job, when the fault struck"},
     put_time},
    {{"fault", "",
      "number of the fault that caused it, from 1; empty: the job failed by "
      "itself. The first row of a number stands at the time at which the "
      "fault struck; later ones are relapses on a node with a hidden fault. "
      "The columns up to `repair` that tell of the fault are empty if this "
      "is"},
     put_fault},
    {{"scope", "", "what failed: node, gpu, nvlink, nic or storage"},
     put_scope},
    {{"after", "",
      "what became of the node: passes (it is healthy again at once), down "
      "(out of service for the repair), hidden (it stays in service and jobs "
      "that start there fail again)"},
     put_after},
    {{"node", "", "node at fault, from 0; empty: no node is"}, put_node},
    {{"gpu", "", "for the scope gpu: its number on the node, from 0"}, put_gpu},
    {{"vc", "", "virtual cluster of the node, or the one that storage hit"},
     put_vc},
    {{"cause", "", "what really caused it"}, put_cause},
    {{"kind", "",
      "who has to act: infrastructure (the operator), framework (a library "
      "or its use), script (the user's own code, data or settings)"},
     put_kind},
    {{"harmless", "", "1: an act of an operator that makes no job fail"},
     put_harmless},
    {{"missed", "",
      "1: the node was out of service already, so the fault had no effect"},
     put_missed},
    {{"hits", "jobs",
      "running jobs that the fault reached when it struck, with those that "
      "had done all their work and so did not fail"},
     put_hits},
    {{"repair", "s", "time until the node is whole"}, put_repair},
    {{"job_id", "", "job that failed, as in jobs.csv; empty: none"}, put_job},
    {{"attempt", "", "number of the attempt that failed, as in attempts.csv"},
     put_attempt},
    {{"failures", "", "failures of the job so far, this one included"},
     put_number},
    {{"verdict", "",
      "ruling on the job: give-up (it ends as failed), restart (from its "
      "beginning), resume (from its last checkpoint)"},
     put_verdict},
    {{"by", "", "recovery rule that ruled"}, put_by},
    {{"told", "", "what the rule took for the cause; empty: it said nothing"},
     put_told},
    {{"detected", "s", "time until the failure was noticed"}, put_detected},
    {{"delay", "s",
      "time until the job was pending again, `detected` included; empty for "
      "give-up. The run may end before"},
     put_delay},
    {{"suspect", "", "node that the ruling takes out of service; empty: none"},
     put_suspect},
    {{"test", "s", "time for which the suspect is tested"}, put_test},
    {{"lost", "s",
      "work that the failure undid, of this attempt and, for restart and "
      "give-up, of earlier ones"},
     put_lost},
    {{"lost_gpu_s", "GPU s", "lost x GPUs that the job asks for"},
     put_lost_gpu},
    {{"restarted", "s", "next start of the job; empty: it has none"},
     put_restarted},
    {{NULL, NULL, NULL}, NULL},
};

void report_failures(struct out *out, struct results results)
{
    struct failure_rows rows;
    struct failure_line line;
    for (const struct failure_column *c = failure_columns; c->put; c++) {
        out_text(out, c == failure_columns ? "" : ",");
        out_text(out, c->column.name);
    }
    out_char(out, '\n');
    failure_rows_init(&rows, &results);
    while (failure_rows_next(&rows, &line)) {
        for (const struct failure_column *c = failure_columns; c->put; c++) {
            if (c != failure_columns)
                out_char(out, ',');
            c->put(out, results.run, &line);
        }
        out_char(out, '\n');
    }
    failure_rows_fini(&rows);
}
