/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Failures of a run: the rows of faults and failures in their order, the
 * columns of failures.csv, and what the summary says of them. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/out.h"
#include "models/failures/causes.h"
#include "models/failures/fault.h"
#include "models/failures/recovery.h"
#include "sim/results/failures.h"
#include "sim/results/statistics.h"

static bool has_fault_model(const struct run_result *run)
{
    for (size_t i = 0; i < run->n_settings; i++) {
        const struct run_setting *s = &run->settings[i];
        if (strcmp(s->owner, "faults") == 0) /* which has a name only */
            return strcmp(s->value, "none") != 0;
    }
    return false;
}

bool failure_rows_exist(const struct run_result *run)
{
    return run->ledger.n_faults || run->ledger.n_failures ||
           has_fault_model(run);
}

/* Fills attempt[] and restarted[] in one pass over all attempts. */
static void find_attempts(struct failure_rows *rows)
{
    const struct ledger *ledger = &rows->run->ledger;
    uint32_t *failure_of =
        mem_alloc((ledger->n_attempts + 1) * sizeof(uint32_t));
    uint32_t *count =
        mem_zalloc(rows->run->jobset.n_jobs + (size_t)1, sizeof *count);
    memset(failure_of, 0xff, ledger->n_attempts * sizeof *failure_of);
    for (uint32_t i = 0; i < ledger->n_failures; i++)
        failure_of[ledger->failures[i].attempt] = i;
    for (size_t i = 0; i < ledger->n_attempts; i++) {
        const struct attempt *a = &ledger->attempts[i];
        uint32_t before =
            a->previous == ATTEMPT_NONE ? UINT32_MAX : failure_of[a->previous];
        count[a->job]++;
        if (failure_of[i] != UINT32_MAX)
            rows->attempt[failure_of[i]] = count[a->job];
        if (before != UINT32_MAX)
            rows->restarted[before] = a->start;
    }
    free(failure_of);
    free(count);
}

void failure_rows_init(struct failure_rows *rows, const struct results *results)
{
    const struct run_result *run = results->run;
    size_t n = run->ledger.n_failures;
    *rows = (struct failure_rows){
        .run = run,
        .attempt = mem_zalloc(n + 1, sizeof *rows->attempt),
        .restarted = mem_alloc((n + 1) * sizeof *rows->restarted),
    };
    while (rows->n_faults < run->ledger.n_faults &&
           run->ledger.faults[rows->n_faults].at <= results->end)
        rows->n_faults++;
    for (size_t i = 0; i < n; i++)
        rows->restarted[i] = TIME_NEVER;
    if (n)
        find_attempts(rows);
}

void failure_rows_fini(struct failure_rows *rows)
{
    free(rows->attempt);
    free(rows->restarted);
}

static const struct fault_row *next_fault(const struct failure_rows *rows)
{
    const struct ledger *ledger = &rows->run->ledger;
    return rows->next_fault < rows->n_faults ? &ledger->faults[rows->next_fault]
                                             : NULL;
}

static sim_time failed_at(const struct ledger *ledger,
                          const struct failure_row *failure)
{
    return ledger->attempts[failure->attempt].end;
}

/* True if the next row is that of the next failure in the ledger, false if it
 * is that of the next fault or if no row is left. */
static bool failure_is_next(const struct failure_rows *rows)
{
    const struct ledger *ledger = &rows->run->ledger;
    const struct fault_row *fault = next_fault(rows);
    if (rows->next_failure == ledger->n_failures)
        return false;
    const struct failure_row *failure = &ledger->failures[rows->next_failure];
    if (!fault)
        return true;
    if (failure->fault != FAULT_NONE && failure->fault > rows->next_fault)
        return false;
    return failed_at(ledger, failure) <= fault->at;
}

static void failures_read_failure(struct failure_rows *rows,
                                  struct failure_line *out)
{
    const struct ledger *ledger = &rows->run->ledger;
    size_t i = rows->next_failure++;
    const struct failure_row *failure = &ledger->failures[i];
    const struct attempt_cost *cost = ledger_cost(ledger, failure->attempt);
    rows->hit |= failure->fault == rows->next_fault;
    *out = (struct failure_line){
        .at = failed_at(ledger, failure),
        .failure = failure,
        .attempt = rows->attempt[i],
        .restarted = rows->restarted[i],
        .job = &rows->run->jobset.jobs[ledger->attempts[failure->attempt].job],
        .lost = cost ? cost->lost : 0,
    };
    if (failure->fault != FAULT_NONE) {
        out->fault = &ledger->faults[failure->fault];
        out->fault_number = failure->fault + 1;
    }
}

bool failure_rows_next(struct failure_rows *rows, struct failure_line *out)
{
    for (;;) {
        const struct fault_row *fault = next_fault(rows);
        if (failure_is_next(rows)) {
            failures_read_failure(rows, out);
            return true;
        }
        if (!fault)
            return false;
        bool hit = rows->hit;
        rows->hit = false;
        rows->next_fault++;
        if (hit)
            continue;
        *out = (struct failure_line){
            .at = fault->at,
            .fault = fault,
            .fault_number = (uint32_t)rows->next_fault,
            .restarted = TIME_NEVER,
        };
        return true;
    }
}

#define FAILURES_CELL(name) \
    static void name(struct out *out, const struct run_result *run, \
                     const struct failure_line *line)

static void failures_put_text(struct out *out, const char *text)
{
    if (text)
        out_csv(out, text_from(text));
}

static bool failures_ends_the_job(const struct failure_line *line)
{
    return line->failure && line->failure->verdict == VERDICT_GIVE_UP;
}

FAILURES_CELL(put_time)

{
    (void)run;
    out_span(out, line->at);
}

FAILURES_CELL(failures_put_fault)

{
    (void)run;
    if (line->fault)
        out_u64(out, line->fault_number);
}

FAILURES_CELL(put_scope)

{
    (void)run;
    if (line->fault)
        out_text(out, fault_scope_name((enum fault_scope)line->fault->scope));
}

FAILURES_CELL(failures_put_after)

{
    (void)run;
    if (line->fault)
        out_text(out, fault_after_name((enum fault_after)line->fault->after));
}

FAILURES_CELL(put_node)

{
    (void)run;
    node_id node = line->fault ? line->fault->node : line->failure->node;
    if (node != NODE_NONE)
        out_u64(out, node);
}

FAILURES_CELL(put_gpu)

{
    if (line->fault && line->fault->scope == FAULT_GPU)
        out_u64(out,
                line->fault->gpu % run->cluster.nodes[line->fault->node].gpus);
}

FAILURES_CELL(put_vc)

{
    if (line->fault)
        failures_put_text(out, run->cluster.vcs[line->fault->vc]);
}

FAILURES_CELL(put_cause)

{
    (void)run;
    failures_put_text(out, line->failure ? line->failure->cause
                                         : line->fault->cause);
}

FAILURES_CELL(put_kind)

{
    (void)run;
    out_text(out, failure_kind_name(line->failure
                                        ? (enum failure_kind)line->failure->kind
                                        : FAILURE_INFRASTRUCTURE));
}

FAILURES_CELL(put_harmless)

{
    (void)run;
    if (line->fault)
        out_char(out, line->fault->harmless ? '1' : '0');
}

FAILURES_CELL(put_missed)

{
    (void)run;
    if (line->fault)
        out_char(out, line->fault->missed ? '1' : '0');
}

FAILURES_CELL(put_hits)

{
    (void)run;
    if (line->fault)
        out_u64(out, line->fault->n_hit);
}

FAILURES_CELL(put_repair)

{
    (void)run;
    if (line->fault)
        out_span(out, line->fault->repair);
}

FAILURES_CELL(failures_put_job)

{
    char id[SOURCE_ID_MAX];
    if (line->job)
        failures_put_text(out, jobset_source_id(&run->jobset, line->job, id));
}

FAILURES_CELL(put_attempt)

{
    (void)run;
    if (line->failure)
        out_u64(out, line->attempt);
}

FAILURES_CELL(put_number)

{
    (void)run;
    if (line->failure)
        out_u64(out, line->failure->number);
}

FAILURES_CELL(put_verdict)

{
    (void)run;
    if (line->failure)
        out_text(out, verdict_name((enum verdict)line->failure->verdict));
}

FAILURES_CELL(put_by)

{
    (void)run;
    if (line->failure)
        failures_put_text(out, line->failure->by);
}

FAILURES_CELL(put_told)

{
    (void)run;
    if (line->failure)
        failures_put_text(out, line->failure->told);
}

FAILURES_CELL(put_detected)

{
    (void)run;
    if (line->failure)
        out_span(out, line->failure->detected);
}

FAILURES_CELL(put_delay)

{
    (void)run;
    if (line->failure && !failures_ends_the_job(line))
        out_span(out, line->failure->delay);
}

FAILURES_CELL(put_suspect)

{
    (void)run;
    if (line->failure && line->failure->suspect != NODE_NONE)
        out_u64(out, line->failure->suspect);
}

FAILURES_CELL(put_test)

{
    (void)run;
    if (line->failure && line->failure->suspect != NODE_NONE)
        out_span(out, line->failure->test);
}

FAILURES_CELL(put_lost)

{
    (void)run;
    if (line->failure)
        out_span(out, line->lost);
}

FAILURES_CELL(put_lost_gpu)

{
    (void)run;
    if (line->failure)
        out_span(out, line->lost * line->job->gpus);
}

FAILURES_CELL(put_restarted)

{
    (void)run;
    if (line->restarted != TIME_NEVER)
        out_span(out, line->restarted);
}

const struct failure_column failure_columns[] = {
    {{"time", "s", "time, rises",
      "when the job failed; without a job, when the fault struck"},
     put_time},
    {{"fault", "", "count?, law failures",
      "number of the fault that caused it, from 1; empty: the job failed by "
      "itself. The first row of a number stands at the time at which the "
      "fault struck; later ones are relapses on a node with a hidden fault. "
      "The columns up to `repair` that tell of the fault are empty if this "
      "is"},
     failures_put_fault},
    {{"scope", "", "text?fault, bounds failures",
      "what failed: node, gpu, nvlink, nic or storage"},
     put_scope},
    {{"after", "", "text?fault, bounds failures",
      "what became of the node: passes (it is healthy again at once), down "
      "(out of service for the repair), hidden (it stays in service and jobs "
      "that start there fail again)"},
     failures_put_after},
    {{"node", "", "count?, bounds failures",
      "node at fault, from 0; empty: no node is"},
     put_node},
    {{"gpu", "", "count?, bounds failures",
      "for the scope gpu: its number on the node, from 0"},
     put_gpu},
    {{"vc", "", "text?fault, bounds failures",
      "virtual cluster of the node, or the one that storage hit"},
     put_vc},
    {{"cause", "", "text, bounds failures", "what really caused it"},
     put_cause},
    {{"kind", "", "text, bounds failures",
      "who has to act: infrastructure (the operator), framework (a library "
      "or its use), script (the user's own code, data or settings)"},
     put_kind},
    {{"harmless", "", "flag?fault, bounds failures",
      "1: an act of an operator that makes no job fail"},
     put_harmless},
    {{"missed", "", "flag?fault, law failures",
      "1: the node was out of service already, so the fault had no effect"},
     put_missed},
    {{"hits", "jobs", "count?fault, given",
      "running jobs that the fault reached when it struck, with those that "
      "had done all their work and so did not fail"},
     put_hits},
    {{"repair", "s", "time?fault, bounds failures",
      "time until the node is whole"},
     put_repair},
    {{"job_id", "", "text, law failures",
      "job that failed, as in jobs.csv; empty: none"},
     failures_put_job},
    {{"attempt", "", "count?job_id, law failures",
      "number of the attempt that failed, as in attempts.csv"},
     put_attempt},
    {{"failures", "", "count?job_id, law failures",
      "failures of the job so far, this one included"},
     put_number},
    {{"verdict", "", "text?job_id, law failures",
      "ruling on the job: give-up (it ends as failed), restart (from its "
      "beginning), resume (from its last checkpoint)"},
     put_verdict},
    {{"by", "", "text?job_id, bounds failures", "recovery rule that ruled"},
     put_by},
    {{"told", "", "text, given",
      "what the rule took for the cause; empty: it said nothing"},
     put_told},
    {{"detected", "s", "time?job_id, bounds failures",
      "time until the failure was noticed"},
     put_detected},
    {{"delay", "s", "time?, bounds failures",
      "time until the job was pending again, `detected` included; empty for "
      "give-up. The run may end before"},
     put_delay},
    {{"suspect", "", "count?, bounds failures",
      "node that the ruling takes out of service; empty: none"},
     put_suspect},
    {{"test", "s", "time?suspect, given",
      "time for which the suspect is tested"},
     put_test},
    {{"lost", "s", "time?job_id, law failures",
      "work that the failure undid, of this attempt and, for restart and "
      "give-up, of earlier ones"},
     put_lost},
    {{"lost_gpu_s", "GPU s", "time?job_id, law failures",
      "lost x GPUs that the job asks for"},
     put_lost_gpu},
    {{"restarted", "s", "time?, law failures",
      "next start of the job; empty: it has none"},
     put_restarted},
    {.column = {.name = NULL}},
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

/* The scalars in the part `failures` of summary.json, and the functions that
 * write the parts `failures` and `gpu_time`. */

static double failures_availability(const void *part)
{
    const struct failure_summary *s = part;
    return scalar_ratio((double)(s->nodes - s->down), (double)s->nodes);
}

static double failures_mtbf(const void *part)
{
    const struct failure_summary *s = part;
    return scalar_ratio((double)(s->nodes - s->down) / (double)SPAN_SECOND,
                        (double)s->outages);
}

const struct scalar failure_scalars[] = {
    {{"faults", "", "count, law failures",
      "faults of hardware until the last move of a job"},
     SCALAR_FIELD(struct failure_summary, faults)},
    {{"harmless", "", "count, law failures",
      "part of faults: acts of operators that make no job fail"},
     SCALAR_FIELD(struct failure_summary, harmless)},
    {{"missed", "", "count, law failures",
      "part of faults: the node was out of service already"},
     SCALAR_FIELD(struct failure_summary, missed)},
    {{"failures", "", "count, law failures",
      "failures of jobs, each time that one failed"},
     SCALAR_FIELD(struct failure_summary, failures)},
    {{"jobs", "jobs", "count, law failures", "that failed at least once"},
     SCALAR_FIELD(struct failure_summary, jobs)},
    {{"restarts", "", "count, law failures",
      "failures after which the job started again"},
     SCALAR_FIELD(struct failure_summary, restarts)},
    {{"given_up", "", "count, law failures",
      "failures after which the job was given up"},
     SCALAR_FIELD(struct failure_summary, given_up)},
    {{"lost_gpu_hours", "GPU h", "number, law failures",
      "work undone by failures x GPUs asked for, that of jobs given up "
      "included"},
     SCALAR_TIME(struct failure_summary, lost, SPAN_HOUR)},
    {{"held_gpu_hours", "GPU h", "number, law failures",
      "time from failures until the job was pending again x GPUs asked for"},
     SCALAR_TIME(struct failure_summary, held, SPAN_HOUR)},
    {{"waiting_gpu_hours", "GPU h", "number, law failures",
      "time from then until the job started again, or the run ended, x GPUs "
      "asked for"},
     SCALAR_TIME(struct failure_summary, waiting, SPAN_HOUR)},
    {{"ettr", "", "share or null, law failures",
      "effective training time ratio over all jobs: useful / (useful + lost + "
      "overhead of `gpu_time` + held_gpu_hours + waiting_gpu_hours), that is "
      "productive time over wallclock from the first start, requeues "
      "included, weighted by GPUs (Meta RSC, HPCA 2025). Slowness by sharing "
      "and waits after preemptions do not count. null for elastic jobs"},
     SCALAR_FIELD(struct failure_summary, ettr)},
    {{"availability", "", "share or null, law failures",
      "time in service of nodes / (nodes x makespan)"},
     .compute = failures_availability},
    {{"outages", "", "count, law failures",
      "times that a node went out of service"},
     SCALAR_FIELD(struct failure_summary, outages)},
    {{"node_mtbf_s", "s", "time or null, law failures",
      "time in service of nodes / outages"},
     .compute = failures_mtbf},
    {{"node_mttr_s", "s", "time or null, law failures",
      "mean length of the outages that were over before the last end of an "
      "attempt"},
     SCALAR_TIME_RATIO(struct failure_summary, repaired, SPAN_SECOND,
                       outages_over)},
    {.column = {.name = NULL}},
};

const struct column failure_span_columns[FAILURE_SPANS + 1] = {
    [SPAN_DETECT] = {.name = "detect_s",
                     .unit = "s",
                     .rule = "object, law failures",
                     .help = "failure until it was noticed"},
    [SPAN_PENDING] =
        {.name = "pending_s",
         .unit = "s",
         .rule = "object, law failures",
         .help = "failure until the job was pending again, as ruled; of "
                 "failures after which it was not given up"},
    [SPAN_RESTART] =
        {.name = "restart_s",
         .unit = "s",
         .rule = "object, law failures",
         .help = "failure until the job started again; of failures after "
                 "which it did"},
};

const struct column failure_groupings[] = {
    {.name = "by_scope",
     .unit = "",
     .rule = "object, law failures",
     .help = "faults by what failed"},
    {.name = "by_kind",
     .unit = "",
     .rule = "object, law failures",
     .help = "failures by who has to act"},
    {.name = "by_verdict",
     .unit = "",
     .rule = "object, law failures",
     .help = "failures by the ruling"},
    {.name = "by_cause",
     .unit = "",
     .rule = "object, law failures",
     .help = "an object for each cause, see below"},
    {.name = NULL},
};

const struct column failure_cause_columns[] = {
    {.name = "faults",
     .unit = "",
     .rule = "count, law failures",
     .help = "of this cause"},
    {.name = "failures",
     .unit = "",
     .rule = "count, law failures",
     .help = "of jobs, for this cause"},
    {.name = "lost_gpu_hours",
     .unit = "GPU h",
     .rule = "number, law failures",
     .help = "work that they undid x GPUs asked for"},
    {.name = NULL},
};

static void put_spread(struct json_stream *js, const char *key,
                       const struct failure_spread *d)
{
    const struct {
        const char *name;
        double value;
    } values[] = {{"mean", d->mean}, {"p50", d->p50}, {"p90", d->p90},
                  {"p95", d->p95},   {"p99", d->p99}, {"max", d->max}};
    json_stream_object(js, key);
    json_stream_number(js, "count", (double)d->count);
    for (size_t i = 0; d->count && i < sizeof values / sizeof *values; i++)
        json_stream_number(js, values[i].name, values[i].value);
    json_stream_object_end(js);
}

static void put_causes(struct json_stream *js, const struct failure_summary *s)
{
    json_stream_object(js, failure_groupings[3].name);
    for (size_t i = 0; i < s->n_causes; i++) {
        const struct cause_total *c = &s->causes[i];
        json_stream_object(js, c->cause);
        json_stream_whole(js, failure_cause_columns[0].name,
                          (int64_t)c->faults);
        json_stream_whole(js, failure_cause_columns[1].name,
                          (int64_t)c->failures);
        json_stream_number(js, failure_cause_columns[2].name,
                           (double)c->lost / (double)SPAN_HOUR);
        json_stream_object_end(js);
    }
    json_stream_object_end(js);
}

void report_failure_summary(struct json_stream *js,
                            const struct failure_summary *s)
{
    json_stream_object(js, "failures");
    report_scalars(js, failure_scalars, s);
    for (unsigned i = 0; i < FAILURE_SPANS; i++)
        put_spread(js, failure_span_columns[i].name, &s->spans[i]);
    json_stream_object(js, failure_groupings[0].name);
    for (unsigned i = 0; i < FAULT_N_SCOPES; i++)
        json_stream_whole(js, fault_scope_name((enum fault_scope)i),
                          (int64_t)s->by_scope[i]);
    json_stream_object_end(js);
    json_stream_object(js, failure_groupings[1].name);
    for (unsigned i = 0; i < FAILURE_N_SIMULATED; i++)
        json_stream_whole(js, failure_kind_name((enum failure_kind)i),
                          (int64_t)s->by_kind[i]);
    json_stream_object_end(js);
    json_stream_object(js, failure_groupings[2].name);
    for (unsigned i = 0; i < VERDICT_N; i++)
        json_stream_whole(js, verdict_name((enum verdict)i),
                          (int64_t)s->by_verdict[i]);
    json_stream_object_end(js);
    put_causes(js, s);
    json_stream_object_end(js);
}

void report_gpu_time(struct json_stream *js, const struct gpu_time_books *b)
{
    json_stream_object(js, "gpu_time");
    report_scalars(js, gpu_time_scalars, b);
    if (!b->rigid)
        json_stream_text(js, "jobs_skipped",
                         "elastic jobs: work has another measure");
    json_stream_object_end(js);
}

static struct cause_total *cause_of(struct failure_summary *s,
                                    const char *cause)
{
    for (size_t i = 0; i < s->n_causes; i++) {
        if (s->causes[i].cause == cause ||
            strcmp(s->causes[i].cause, cause) == 0)
            return &s->causes[i];
    }
    s->causes =
        mem_grow(s->causes, &s->cap_causes, s->n_causes + 1, sizeof *s->causes);
    s->causes[s->n_causes] = (struct cause_total){.cause = cause};
    return &s->causes[s->n_causes++];
}

/* By kind of span: its values in seconds, one for each failure that has such a
 * span. The distributions are computed from them. */
struct spans {
    double *values[FAILURE_SPANS];
    size_t n[FAILURE_SPANS];
};

static void add_span(struct spans *spans, enum failure_span which,
                     sim_span span)
{
    spans->values[which][spans->n[which]++] = span_seconds(span);
}

/* Splits the time from a failure to the next start, or to the end of the run,
 * into the time held back and the time pending, and adds both to the sums. */
static void add_absence(struct failure_summary *s,
                        const struct failure_line *line, sim_time end)
{
    sim_time until = line->restarted < end ? line->restarted : end;
    sim_span absent = until - line->at, held = line->failure->delay;
    gpu_time gpus = line->job->gpus;
    held = held < absent ? held : absent;
    s->held += gpus * held;
    s->waiting += gpus * (absent - held);
}

static void failures_add_failure(struct failure_summary *s, struct spans *spans,
                                 const struct failure_line *line, sim_time end)
{
    const struct failure_row *failure = line->failure;
    struct cause_total *cause = cause_of(s, failure->cause);
    gpu_time lost = (gpu_time)line->lost * line->job->gpus;
    s->failures++;
    s->jobs += failure->number == 1;
    s->by_kind[failure->kind]++;
    s->by_verdict[failure->verdict]++;
    s->lost += lost;
    cause->failures++;
    cause->lost += lost;
    add_span(spans, SPAN_DETECT, failure->detected);
    if (failure->verdict == VERDICT_GIVE_UP) {
        s->given_up++;
        return;
    }
    add_span(spans, SPAN_PENDING, failure->delay);
    add_absence(s, line, end);
    if (line->restarted == TIME_NEVER)
        return;
    s->restarts++;
    add_span(spans, SPAN_RESTART, line->restarted - line->at);
}

static void add_fault(struct failure_summary *s, const struct fault_row *fault)
{
    s->faults++;
    s->harmless += fault->harmless;
    s->missed += fault->missed;
    s->by_scope[fault->scope]++;
    cause_of(s, fault->cause)->faults++;
}

static struct failure_spread failures_describe(double *values, size_t n)
{
    enum { N_PERCENTS = 4 };
    static const double percents[N_PERCENTS] = {50, 90, 95, 99};
    double at[N_PERCENTS], sum = 0, max = 0;
    if (n == 0)
        return (struct failure_spread){0};
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
        max = fmax(max, values[i]);
    }
    stats_percentiles(values, n, percents, N_PERCENTS, at);
    return (struct failure_spread){n,     sum / (double)n, at[0], at[1],
                                   at[2], at[3],           max};
}

static void failures_add_rows(struct failure_summary *s,
                              const struct results *results)
{
    struct failure_rows rows;
    struct failure_line line;
    struct spans spans = {0};
    uint32_t last = 0; /* number of the last fault counted */
    for (unsigned i = 0; i < FAILURE_SPANS; i++)
        spans.values[i] = mem_alloc((results->run->ledger.n_failures + 1) *
                                    sizeof *spans.values[i]);
    failure_rows_init(&rows, results);
    while (failure_rows_next(&rows, &line)) {
        if (line.fault_number > last) {
            add_fault(s, line.fault);
            last = line.fault_number;
        }
        if (line.failure)
            failures_add_failure(s, &spans, &line, results->end);
    }
    failure_rows_fini(&rows);
    for (unsigned i = 0; i < FAILURE_SPANS; i++) {
        s->spans[i] = failures_describe(spans.values[i], spans.n[i]);
        free(spans.values[i]);
    }
}

/* Adds up the time for which nodes were out of service within the makespan, and
 * counts how often they were. */
static void add_outages(struct failure_summary *s,
                        const struct results *results)
{
    const struct run_result *run = results->run;
    const struct ledger *ledger = &run->ledger;
    sim_time end = results->meter->last_end;
    uint32_t n = run->cluster.n_nodes;
    sim_time *since = mem_alloc((n + (size_t)1) * sizeof *since);
    for (uint32_t i = 0; i < n; i++)
        since[i] = TIME_NEVER;
    for (size_t i = 0; i < ledger->n_node_changes; i++) {
        const struct node_change *change = &ledger->node_changes[i];
        sim_time *from = &since[change->node];
        if (change->at >= end)
            break;
        if (change->kind == LEDGER_NODE_DOWN && *from == TIME_NEVER) {
            *from = change->at;
            s->outages++;
        } else if (change->kind == LEDGER_NODE_UP && *from != TIME_NEVER) {
            s->repaired += change->at - *from;
            s->outages_over++;
            *from = TIME_NEVER;
        }
    }
    s->down = s->repaired;
    for (uint32_t i = 0; i < n; i++)
        s->down += since[i] == TIME_NEVER ? 0 : end - since[i];
    s->nodes = (gpu_time)n * end;
    free(since);
}

void failure_summary_init(struct failure_summary *summary,
                          const struct results *results,
                          const struct gpu_time_books *books)
{
    *summary =
        (struct failure_summary){.any = failure_rows_exist(results->run)};
    if (!summary->any)
        return;
    failures_add_rows(summary, results);
    add_outages(summary, results);
    double absent = (double)(summary->held + summary->waiting);
    double whole = books->useful + books->lost + books->overhead + absent;
    summary->ettr = books->rigid && whole > 0 ? books->useful / whole : NAN;
}

void failure_summary_fini(struct failure_summary *summary)
{
    free(summary->causes);
}
