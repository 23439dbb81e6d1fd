/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jobs.csv: one row a job, in the order of submission. The first columns are
 * Batsim's (batsim.readthedocs.io, "Schedule and jobs output"), so tools made
 * for it, such as Evalys, read the file. */
#include <stdlib.h>

#include "sim/report.h"
#include "traces/trace.h"

enum { SPELLING_BITS = 6 };
/* Of a time that was written before. */
struct spelling {
    sim_span span;
    uint8_t len;
    char text[SPAN_TEXT_MAX];
};

struct row {
    struct out *out;
    const struct run_result *run;
    const struct results *results;
    struct facts_reader *reader;
    struct facts facts;
    struct spelling spellings[1 << SPELLING_BITS]; /* by a hash of the time */
};

/* Rows are written at a cursor that is handed on, not through the stream, so
 * that it stays in a register: for what is not bounded, make_room. */
enum { ROW_BYTES = 1024 }; /* the numbers and constant words of one row */

static char *make_room(const struct row *row, char *at)
{
    row->out->len = (size_t)(at - row->out->buf);
    return out_reserve(row->out, ROW_BYTES);
}

static char *put_text(char *at, const char *s)
{
    size_t len = strlen(s);
    memcpy(at, s, len);
    return at + len;
}

static char *put_csv(const struct row *row, char *at, struct text cell)
{
    row->out->len = (size_t)(at - row->out->buf);
    out_csv(row->out, cell);
    return out_reserve(row->out, ROW_BYTES);
}

static char *put_u64(char *at, uint64_t value)
{
    if (value < 10) {
        *at = (char)('0' + value);
        return at + 1;
    }
    return at + u64_to_text(value, at);
}

/* A row says the same few times again and again: waited 0, ran as recorded. */
static char *put_span(struct row *row, char *at, sim_span span)
{
    struct spelling *s =
        &row->spellings[(uint64_t)span * UINT64_C(0x9e3779b97f4a7c15) >>
                        (64 - SPELLING_BITS)];
    if (s->span != span) {
        s->span = span;
        s->len = (uint8_t)span_to_text(span, s->text);
    }
    memcpy(at, s->text, sizeof s->text); /* a fixed size: two moves */
    return at + s->len;
}

static char *put_symbol(struct row *row, char *at, uint32_t symbol)
{
    const struct interner *in = &row->run->workload.strings;
    return symbol && symbol < in->n_strings
               ? put_csv(row, at, in->strings[symbol])
               : at;
}

static char *job_id_of(struct row *row, char *at)
{
    const struct job *job = row->facts.job;
    char buf[SOURCE_ID_MAX];
    if (job->source_id & SOURCE_ID_NUMBER)
        return put_u64(at, job->source_id & ~SOURCE_ID_NUMBER);
    return put_csv(
        row, at, text_from(workload_source_id(&row->run->workload, job, buf)));
}

static char *workload_name(struct row *row, char *at)
{
    const char *format = row->run->workload.format;
    return format ? put_text(at, format) : at;
}

static char *profile(struct row *row, char *at)
{
    return put_symbol(row, at, row->facts.job->workload);
}

static char *submission_time(struct row *row, char *at)
{
    return put_span(row, at, row->facts.job->submitted);
}

static char *requested_number(struct row *row, char *at)
{
    return put_u64(at, row->facts.job->gpus);
}

static char *requested_time(struct row *row, char *at)
{
    sim_span declared = row->facts.job->declared;
    return declared > 0 ? put_span(row, at, declared) : put_text(at, "-1");
}

static char *success(struct row *row, char *at)
{
    enum outcome o = row->facts.outcome;
    *at = o == OUTCOME_COMPLETED || o == OUTCOME_UNKNOWN ? '1' : '0';
    return at + 1;
}

static char *final_state(struct row *row, char *at)
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
    return put_text(at, names[row->facts.outcome]);
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

static char *starting_time(struct row *row, char *at)
{
    return ran(row) ? put_span(row, at, row->facts.start) : at;
}

static char *execution_time(struct row *row, char *at)
{
    return ran_to_end(row)
               ? put_span(row, at, row->facts.end - row->facts.start)
               : at;
}

static char *finish_time(struct row *row, char *at)
{
    return row->facts.ended ? put_span(row, at, row->facts.end) : at;
}

static char *waiting_time(struct row *row, char *at)
{
    return ran(row) ? put_span(row, at, facts_wait(&row->facts)) : at;
}

static char *turnaround_time(struct row *row, char *at)
{
    return row->facts.ended ? put_span(row, at, facts_jct(&row->facts)) : at;
}

/* A ratio of whole microseconds, in thousandths of a per cent: six digits are
 * beyond what anybody reads, and cost a third of an exact double. Readers who
 * need more divide the exact times beside it. */
static char *ratio(struct row *row, char *at, double value)
{
    if (value == 1) { /* who never waits */
        *at = '1';
        return at + 1;
    }
    if (value < 1e9)
        return put_span(row, at, span_from_seconds(value));
    row->out->len = (size_t)(at - row->out->buf);
    out_double(row->out, value);
    return out_reserve(row->out, ROW_BYTES);
}

static char *stretch(struct row *row, char *at)
{
    sim_span length = row->facts.end - row->facts.start;
    return ran_to_end(row) && length > 0
               ? ratio(row, at, (double)facts_jct(&row->facts) / (double)length)
               : at;
}

static char *consumed_energy(struct row *row, char *at)
{
    (void)row;
    return put_text(at, "-1");
}

static char *metadata(struct row *row, char *at)
{
    (void)row;
    return at;
}

static int by_node(const void *a, const void *b)
{
    const struct gpu_slice *x = a, *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

static char *put_range(const struct row *row, char *at, gpu_id first,
                       gpu_id last, bool more)
{
    at = make_room(row, at);
    if (more)
        *at++ = ' ';
    at = put_u64(at, first);
    if (last > first) {
        *at++ = '-';
        at = put_u64(at, last);
    }
    return at;
}

/* A set of GPUs as Batsim writes it: "0-3 8". */
static char *put_gpus(struct row *row, char *at, uint32_t attempt)
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
                    at = put_range(row, at, first, next - 1, more);
                    more = true;
                }
                first = base + low;
            }
            next = base + low + length;
            m = length + low >= 64 ? 0 : m >> (low + length) << (low + length);
        }
    }
    if (next > first)
        at = put_range(row, at, first, next - 1, more);
    return make_room(row, at);
}

/* Of the last attempt, which is the only one of most jobs. */
static char *allocated_resources(struct row *row, char *at)
{
    return ran(row) ? put_gpus(row, at, row->facts.last_attempt) : at;
}

static char *user(struct row *row, char *at)
{
    return put_symbol(row, at, row->facts.job->user);
}

static char *vc(struct row *row, char *at)
{
    return put_csv(row, at,
                   text_from(row->run->cluster.vcs[row->facts.job->vc]));
}

static char *gpu_type(struct row *row, char *at)
{
    const struct cluster *c = &row->run->cluster;
    uint8_t type = row->facts.job->gpu_type;
    return type < c->n_types ? put_csv(row, at, text_from(c->types[type].name))
                             : at;
}

static char *name(struct row *row, char *at)
{
    return put_symbol(row, at, row->facts.job->name);
}

static char *duration(struct row *row, char *at)
{
    return put_span(row, at, row->facts.duration);
}

static char *queue_delay(struct row *row, char *at)
{
    return put_span(row, at, row->facts.queued);
}

static char *held(struct row *row, char *at)
{
    return put_span(row, at, row->facts.held);
}

static char *running(struct row *row, char *at)
{
    return put_span(row, at, row->facts.running);
}

static char *work(struct row *row, char *at)
{
    return put_span(row, at, row->facts.work);
}

static char *overhead(struct row *row, char *at)
{
    return put_span(row, at, row->facts.overhead);
}

static char *lost(struct row *row, char *at)
{
    return put_span(row, at, row->facts.lost);
}

static char *preemptions(struct row *row, char *at)
{
    return put_u64(at, row->facts.preemptions);
}

static char *attempts(struct row *row, char *at)
{
    return put_u64(at, row->facts.attempts);
}

static char *slowdown(struct row *row, char *at)
{
    double value;
    return facts_slowdown(&row->facts, &value) ? ratio(row, at, value) : at;
}

static char *rho(struct row *row, char *at)
{
    double value;
    return facts_rho(&row->facts, row->results, &value) ? ratio(row, at, value)
                                                        : at;
}

static char *state(struct row *row, char *at)
{
    static const char *const names[] = {
        [TRACE_END_COMPLETED] = "completed",
        [TRACE_END_FAILED] = "failed",
        [TRACE_END_CANCELLED] = "cancelled",
        [TRACE_END_UNKNOWN] = "unknown",
    };
    return put_text(at, names[row->facts.recorded]);
}

static char *outcome(struct row *row, char *at)
{
    return put_text(at, outcome_name(row->facts.outcome));
}

static const char *how_name(const struct attempt *attempt)
{
    if (attempt->end == TIME_NEVER)
        return "open";
    switch ((enum ledger_kind)attempt->how) {
    case LEDGER_STOPPED:
        return "stopped";
    case LEDGER_MOVED:
        return "moved";
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
    case LEDGER_NODE_LENT:
    case LEDGER_NODE_BACK:
    case LEDGER_RATE:
        break;
    }
    return "finished";
}

static char *put_attempt(struct row *row, char *at, uint32_t number)
{
    const struct attempt *a = &row->run->ledger.attempts[number];
    at = put_span(row, at, a->start);
    *at++ = '-';
    at = put_span(row, at, facts_attempt_end(row->results, number));
    *at++ = '@';
    at = put_gpus(row, at, number);
    *at++ = ':';
    at = put_text(at, how_name(a));
    if (a->profiling)
        at = put_text(at, "+profiling");
    return make_room(row, at);
}

/* The list in the ledger leads backwards; the file goes forwards. */
static char *intervals(struct row *row, char *at)
{
    const struct attempt *all = row->run->ledger.attempts;
    const struct facts *f = &row->facts;
    if (!ran(row) ||
        (f->attempts == 1 && f->finished && !all[f->last_attempt].profiling))
        return at;
    uint32_t *list = mem_zalloc(f->attempts, sizeof *list);
    uint32_t number = f->last_attempt;
    for (uint32_t i = f->attempts; i-- > 0; number = all[number].previous)
        list[i] = number;
    for (uint32_t i = 0; i < f->attempts; i++) {
        if (i)
            *at++ = ';';
        at = put_attempt(row, at, list[i]);
    }
    free(list);
    return at;
}

static char *shared(struct row *row, char *at)
{
    *at = row->facts.shared ? '1' : '0';
    return at + 1;
}

static char *reason(struct row *row, char *at)
{
    const struct rejection *r =
        row->facts.outcome == OUTCOME_REJECTED
            ? facts_rejection(row->reader, row->facts.job->id)
            : NULL;
    return r ? put_csv(row, at, text_from(r->why)) : at;
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

static void write_row(struct row *row)
{
    char *at = out_reserve(row->out, ROW_BYTES);
#define JOB_WRITE(name, write, unit, help) at = write(row, at), *at++ = ',';
    JOB_COLUMNS(JOB_WRITE)
#undef JOB_WRITE
    at[-1] = '\n';
    row->out->len = (size_t)(at - row->out->buf);
}

void report_jobs(struct out *out, struct results results)
{
    struct facts_reader reader;
    facts_reader_init(&reader, results);
    struct row row = {
        .out = out, .run = results.run, .results = &results, .reader = &reader};
    /* Of 0, which is met in its own place only. */
    for (size_t i = 0; i < 1 << SPELLING_BITS; i++)
        row.spellings[i].len = (uint8_t)span_to_text(0, row.spellings[i].text);
    for (size_t i = 0; job_columns[i].name; i++) {
        if (i)
            out_char(out, ',');
        out_text(out, job_columns[i].name);
    }
    out_char(out, '\n');
    for (job_id id = 0; id < results.run->workload.n_jobs; id++) {
        facts_read(&reader, id, &row.facts);
        write_row(&row);
    }
    facts_reader_fini(&reader);
}
