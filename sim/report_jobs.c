/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jobs.csv: one row a job, in the order of submission. The first columns are
 * Batsim's (batsim.readthedocs.io, "Schedule and jobs output"), so tools made
 * for it, such as Evalys, read the file. */
#include <stdlib.h>

#include "sim/report.h"
#include "traces/trace.h"

struct row {
    struct out *out;
    const struct run_result *run;
    const struct results *results;
    struct facts_reader *reader;
    struct facts facts;
};

static void string(const struct row *row, uint32_t symbol)
{
    const struct interner *in = &row->run->workload.strings;
    if (symbol && symbol < in->n_strings)
        out_csv(row->out, in->strings[symbol]);
}

static void job_id_of(struct row *row)
{
    const struct job *job = row->facts.job;
    char buf[SOURCE_ID_MAX];
    if (job->source_id & SOURCE_ID_NUMBER)
        out_u64(row->out, job->source_id & ~SOURCE_ID_NUMBER);
    else
        out_csv(row->out,
                text_from(workload_source_id(&row->run->workload, job, buf)));
}

static void workload_name(struct row *row)
{
    if (row->run->workload.format)
        out_text(row->out, row->run->workload.format);
}

static void profile(struct row *row)
{
    string(row, row->facts.job->workload);
}

static void submission_time(struct row *row)
{
    out_span(row->out, row->facts.job->submitted);
}

static void requested_number(struct row *row)
{
    out_u64(row->out, row->facts.job->gpus);
}

static void requested_time(struct row *row)
{
    if (row->facts.job->declared > 0)
        out_span(row->out, row->facts.job->declared);
    else
        out_text(row->out, "-1");
}

static void success(struct row *row)
{
    enum outcome o = row->facts.outcome;
    out_char(row->out,
             o == OUTCOME_COMPLETED || o == OUTCOME_UNKNOWN ? '1' : '0');
}

static void final_state(struct row *row)
{
    static const char *const names[OUTCOME_N] = {
        [OUTCOME_COMPLETED] = "COMPLETED_SUCCESSFULLY",
        [OUTCOME_UNKNOWN] = "COMPLETED_SUCCESSFULLY",
        [OUTCOME_FAILED] = "COMPLETED_FAILED",
        [OUTCOME_GIVEN_UP] = "COMPLETED_FAILED",
        [OUTCOME_CANCELLED] = "COMPLETED_KILLED",
        [OUTCOME_REJECTED] = "REJECTED",
        [OUTCOME_UNFINISHED] = "UNFINISHED",
    };
    out_text(row->out, names[row->facts.outcome]);
}

static bool ran(const struct row *row)
{
    return row->facts.attempts > 0;
}

/* Ended after having run: what Batsim's times are defined for. */
static bool ran_to_end(const struct row *row)
{
    return ran(row) && row->facts.ended;
}

static void starting_time(struct row *row)
{
    if (ran(row))
        out_span(row->out, row->facts.start);
}

static void execution_time(struct row *row)
{
    if (ran_to_end(row))
        out_span(row->out, row->facts.end - row->facts.start);
}

static void finish_time(struct row *row)
{
    if (row->facts.ended)
        out_span(row->out, row->facts.end);
}

static void waiting_time(struct row *row)
{
    if (ran(row))
        out_span(row->out, facts_wait(&row->facts));
}

static void turnaround_time(struct row *row)
{
    if (row->facts.ended)
        out_span(row->out, facts_jct(&row->facts));
}

/* A ratio of whole microseconds, in thousandths of a per cent: six digits are
 * beyond what anybody reads, and cost a third of an exact double. Readers who
 * need more divide the exact times beside it. */
static void ratio(struct out *out, double value)
{
    if (value < 1e9)
        out_span(out, span_from_seconds(value));
    else
        out_double(out, value);
}

static void stretch(struct row *row)
{
    sim_span length = row->facts.end - row->facts.start;
    if (ran_to_end(row) && length > 0)
        ratio(row->out, (double)facts_jct(&row->facts) / (double)length);
}

static void consumed_energy(struct row *row)
{
    out_text(row->out, "-1");
}

static void metadata(struct row *row)
{
    (void)row;
}

static int by_node(const void *a, const void *b)
{
    const struct gpu_slice *x = a, *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

static void put_range(struct out *out, gpu_id first, gpu_id last, bool more)
{
    if (more)
        out_char(out, ' ');
    out_u64(out, first);
    if (last > first) {
        out_char(out, '-');
        out_u64(out, last);
    }
}

/* A set of GPUs as Batsim writes it: "0-3 8". */
static void put_gpus(struct row *row, uint32_t attempt)
{
    const struct cluster *cluster = &row->run->cluster;
    struct gpu_set set = facts_where(row->reader, attempt);
    gpu_id first = 0, next = 0; /* of the range at hand: first .. next-1 */
    bool more = false;
    if (set.count > 1)
        qsort(row->reader->slices, set.count, sizeof *set.at, by_node);
    for (uint32_t i = 0; i < set.count; i++) {
        gpu_id base = cluster->nodes[set.at[i].node].first_gpu;
        for (uint64_t m = set.at[i].mask; m;) {
            unsigned low = (unsigned)__builtin_ctzll(m);
            uint64_t rest = ~(m >> low);
            unsigned length = rest ? (unsigned)__builtin_ctzll(rest) : 64;
            if (next != base + low || next == first) {
                if (next > first) {
                    put_range(row->out, first, next - 1, more);
                    more = true;
                }
                first = base + low;
            }
            next = base + low + length;
            m = length + low >= 64 ? 0 : m >> (low + length) << (low + length);
        }
    }
    if (next > first)
        put_range(row->out, first, next - 1, more);
}

/* Of the last attempt, which is the only one of most jobs. */
static void allocated_resources(struct row *row)
{
    if (ran(row))
        put_gpus(row, row->facts.last_attempt);
}

static void user(struct row *row)
{
    string(row, row->facts.job->user);
}

static void vc(struct row *row)
{
    out_csv(row->out, text_from(row->run->cluster.vcs[row->facts.job->vc]));
}

static void gpu_type(struct row *row)
{
    uint8_t type = row->facts.job->gpu_type;
    if (type < row->run->cluster.n_types)
        out_csv(row->out, text_from(row->run->cluster.types[type].name));
}

static void name(struct row *row)
{
    string(row, row->facts.job->name);
}

static void duration(struct row *row)
{
    out_span(row->out, row->facts.duration);
}

static void queue_delay(struct row *row)
{
    out_span(row->out, row->facts.queued);
}

static void held(struct row *row)
{
    out_span(row->out, row->facts.held);
}

static void running(struct row *row)
{
    out_span(row->out, row->facts.running);
}

static void work(struct row *row)
{
    out_span(row->out, row->facts.work);
}

static void overhead(struct row *row)
{
    out_span(row->out, row->facts.overhead);
}

static void lost(struct row *row)
{
    out_span(row->out, row->facts.lost);
}

static void preemptions(struct row *row)
{
    out_u64(row->out, row->facts.preemptions);
}

static void attempts(struct row *row)
{
    out_u64(row->out, row->facts.attempts);
}

static void slowdown(struct row *row)
{
    double value;
    if (facts_slowdown(&row->facts, &value))
        ratio(row->out, value);
}

static void rho(struct row *row)
{
    double value;
    if (facts_rho(&row->facts, row->results, &value))
        ratio(row->out, value);
}

static void state(struct row *row)
{
    static const char *const names[] = {
        [TRACE_END_COMPLETED] = "completed",
        [TRACE_END_FAILED] = "failed",
        [TRACE_END_CANCELLED] = "cancelled",
        [TRACE_END_UNKNOWN] = "unknown",
    };
    out_text(row->out, names[row->facts.recorded]);
}

static void outcome(struct row *row)
{
    out_text(row->out, outcome_name(row->facts.outcome));
}

static const char *how_name(const struct attempt *attempt)
{
    if (attempt->end == TIME_NEVER)
        return "open";
    switch ((enum ledger_kind)attempt->how) {
    case LEDGER_STOPPED:
        return "stopped";
    case LEDGER_PROFILED:
        return "profiled";
    case LEDGER_FAILED:
        return "failed";
    case LEDGER_FINISHED:
    case LEDGER_SUBMITTED:
    case LEDGER_STARTED:
    case LEDGER_HELD:
    case LEDGER_RETRIED:
    case LEDGER_GIVEN_UP:
    case LEDGER_REJECTED:
    case LEDGER_NODE_DOWN:
    case LEDGER_NODE_UP:
    case LEDGER_RATE:
        break;
    }
    return "finished";
}

static void put_attempt(struct row *row, uint32_t number)
{
    const struct attempt *a = &row->run->ledger.attempts[number];
    out_span(row->out, a->start);
    out_char(row->out, '-');
    out_span(row->out, facts_attempt_end(row->results, number));
    out_char(row->out, '@');
    put_gpus(row, number);
    out_char(row->out, ':');
    out_text(row->out, how_name(a));
    if (a->profiling)
        out_text(row->out, "+profiling");
}

/* The list in the ledger leads backwards; the file goes forwards. */
static void intervals(struct row *row)
{
    const struct attempt *all = row->run->ledger.attempts;
    const struct facts *f = &row->facts;
    if (!ran(row) ||
        (f->attempts == 1 && f->finished && !all[f->last_attempt].profiling))
        return;
    uint32_t *list = mem_zalloc(f->attempts, sizeof *list);
    uint32_t number = f->last_attempt;
    for (uint32_t i = f->attempts; i-- > 0; number = all[number].previous)
        list[i] = number;
    for (uint32_t i = 0; i < f->attempts; i++) {
        if (i)
            out_char(row->out, ';');
        put_attempt(row, list[i]);
    }
    free(list);
}

static void shared(struct row *row)
{
    out_char(row->out, row->facts.shared ? '1' : '0');
}

static void reason(struct row *row)
{
    const struct rejection *r =
        row->facts.outcome == OUTCOME_REJECTED
            ? facts_rejection(row->reader, row->facts.job->id)
            : NULL;
    if (r)
        out_csv(row->out, text_from(r->why));
}

/* Column and writer in one line; the names up to `metadata` are Batsim's. */
#define JOB_COLUMNS(X) \
    X(job_id, job_id_of, "", \
      "the trace's own identifier, or the number of the job") \
    X(workload_name, workload_name, "", "format of the trace") \
    X(profile, profile, "", "model or application, if the trace names it") \
    X(submission_time, submission_time, "s", "since the first submission") \
    X(requested_number_of_resources, requested_number, "GPUs", "asked for") \
    X(requested_time, requested_time, "s", \
      "the submitter's own estimate or limit; -1: none") \
    X(success, success, "", \
      "1: ran to its recorded end, which was no failure") \
    X(final_state, final_state, "", "in Batsim's words") \
    X(starting_time, starting_time, "s", "of the first attempt") \
    X(execution_time, execution_time, "s", "finish_time - starting_time") \
    X(finish_time, finish_time, "s", \
      "when it finished, was given up or rejected; empty: never") \
    X(waiting_time, waiting_time, "s", "starting_time - submission_time") \
    X(turnaround_time, turnaround_time, "s", \
      "finish_time - submission_time (JCT)") \
    X(stretch, stretch, "", \
      "turnaround_time / execution_time, to six decimals") \
    X(allocated_resources, allocated_resources, "", \
      "GPUs of the last attempt, numbered node by node: \"0-3 8\"") \
    X(consumed_energy, consumed_energy, "", "-1: not simulated") \
    X(metadata, metadata, "", "empty") \
    X(user, user, "", "who submitted it") \
    X(vc, vc, "", "virtual cluster") \
    X(gpu_type, gpu_type, "", "asked for; empty: any") \
    X(name, name, "", "job name or script") \
    X(duration, duration, "s", "recorded running time") \
    X(queue_delay, queue_delay, "s", \
      "all time pending, until its end or the end of the run") \
    X(held, held, "s", "all time held back by rulings after failures") \
    X(running, running, "s", "all time on GPUs: sum over its attempts") \
    X(work, work, "s", \
      "work done, as running time at rate 1: duration + lost, of a finished " \
      "job") \
    X(overhead, overhead, "s", "start-up, stop and resume") \
    X(lost, lost, "s", "work lost by failures") \
    X(preemptions, preemptions, "", \
      "attempts ended by the policy, resizes included") \
    X(attempts, attempts, "", "stays on GPUs") \
    X(slowdown, slowdown, "", "turnaround_time / duration, to six decimals") \
    X(rho, rho, "", "finish-time fairness, to six decimals; see the metric") \
    X(state, state, "", "how the trace recorded its end") \
    X(outcome, outcome, "", \
      "state if it ran to its recorded end, else given-up, rejected, " \
      "unfinished") \
    X(intervals, intervals, "", \
      "every attempt as start-end@GPUs:how;... (how: finished, stopped, " \
      "failed, profiled, open; +profiling), unless there was just one and it " \
      "finished") \
    X(shared, shared, "", "1: held a shared GPU at some time") \
    X(reason, reason, "", "of a rejection")

const struct column job_columns[] = {
#define JOB_ROW(name, write, unit, help) {#name, unit, help},
    JOB_COLUMNS(JOB_ROW){NULL, NULL, NULL},
#undef JOB_ROW
};

void report_jobs(struct out *out, struct results results)
{
    struct facts_reader reader;
    facts_reader_init(&reader, results);
    reader.times_only = true;
    struct row row = {
        .out = out, .run = results.run, .results = &results, .reader = &reader};
    for (size_t i = 0; job_columns[i].name; i++) {
        if (i)
            out_char(out, ',');
        out_text(out, job_columns[i].name);
    }
    for (job_id id = 0; id < results.run->workload.n_jobs; id++) {
        char before = '\n';
        row.facts = facts_read(&reader, id);
#define JOB_WRITE(name, write, unit, help) \
    out_char(out, before); \
    before = ','; \
    write(&row);
        JOB_COLUMNS(JOB_WRITE)
#undef JOB_WRITE
    }
    out_char(out, '\n');
    facts_reader_fini(&reader);
}
