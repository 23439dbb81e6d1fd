/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jobs.csv: one row a job, in the order of submission. The first columns are
 * Batsim's (batsim.readthedocs.io, "Schedule and jobs output"), so tools made
 * for it, such as Evalys, read the file. */
#include "sim/base/check.h"
#include "sim/report_row.h"
#include "traces/trace.h"

static char *put_span(char *at, sim_span span)
{
    return digits_put_span(at, span);
}

/* What is 0 for all jobs of most runs. */
static char *put_rare(char *at, sim_span span)
{
    if (span)
        return put_span(at, span);
    *at = '0';
    return at + 1;
}

static char *put_symbol(struct row *row, char *at, uint32_t symbol)
{
    const struct interner *in = &row->run->workload.strings;
    return symbol && symbol < in->n_strings
               ? row_put_name(row, at, NAME_STRING, symbol)
               : at;
}

static char *job_id_of(struct row *row, char *at)
{
    const struct job *job = row->facts->job;
    char buf[SOURCE_ID_MAX];
    if (job->source_id & SOURCE_ID_NUMBER)
        return digits_put(at, job->source_id & ~SOURCE_ID_NUMBER);
    return row_put_csv(
        row, at, text_from(workload_source_id(&row->run->workload, job, buf)));
}

static char *workload_name(struct row *row, char *at)
{
    return row->run->workload.format ? row_put_name(row, at, NAME_FORMAT, 0)
                                     : at;
}

static char *profile(struct row *row, char *at)
{
    return put_symbol(row, at, row->facts->job->workload);
}

static char *submission_time(struct row *row, char *at)
{
    return put_span(at, row->facts->job->submitted);
}

static char *requested_number(struct row *row, char *at)
{
    return digits_put(at, row->facts->job->gpus);
}

static char *requested_time(struct row *row, char *at)
{
    static const struct word none = WORD("-1");
    sim_span declared = row->facts->job->declared;
    return declared > 0 ? put_span(at, declared) : put_word(at, &none);
}

static char *success(struct row *row, char *at)
{
    enum outcome o = row->facts->outcome;
    *at = o == OUTCOME_COMPLETED || o == OUTCOME_UNKNOWN ? '1' : '0';
    return at + 1;
}

static char *final_state(struct row *row, char *at)
{
    static const struct word words[OUTCOME_N] = {
        [OUTCOME_COMPLETED] = WORD("COMPLETED_SUCCESSFULLY"),
        [OUTCOME_UNKNOWN] = WORD("COMPLETED_SUCCESSFULLY"),
        [OUTCOME_FAILED] = WORD("COMPLETED_FAILED"),
        [OUTCOME_GIVEN_UP] = WORD("COMPLETED_FAILED"),
        [OUTCOME_CANCELLED] = WORD("COMPLETED_KILLED"),
        [OUTCOME_REJECTED] = WORD("REJECTED"),
        [OUTCOME_UNFINISHED] = WORD("UNFINISHED"),
    };
    return put_word(at, &words[row->facts->outcome]);
}

static bool ran(const struct row *row)
{
    return row->facts->attempts > 0;
}

/* Ended after having run: what Batsim's times are defined for. */
static bool ran_to_end(const struct row *row)
{
    return ran(row) && row->facts->ended;
}

static char *starting_time(struct row *row, char *at)
{
    return ran(row) ? put_span(at, row->facts->start) : at;
}

static char *execution_time(struct row *row, char *at)
{
    return ran_to_end(row) ? put_span(at, row->facts->end - row->facts->start)
                           : at;
}

static char *finish_time(struct row *row, char *at)
{
    return row->facts->ended ? put_span(at, row->facts->end) : at;
}

static char *waiting_time(struct row *row, char *at)
{
    return ran(row) ? put_span(at, facts_wait(row->facts)) : at;
}

static char *turnaround_time(struct row *row, char *at)
{
    return row->facts->ended ? put_span(at, facts_jct(row->facts)) : at;
}

/* A ratio of whole microseconds, in thousandths of a per cent: six digits are
 * beyond what anybody reads, and cost a third of an exact double. Readers who
 * need more divide the exact times beside it. */
static char *ratio(struct row *row, char *at, double value)
{
    if (value >= 0 && value < 1e9) {
        uint64_t millionths = (uint64_t)span_from_seconds(value);
        uint64_t whole = millionths / 1000000;
        at = digits_put(at, whole);
        /* Of all, because no processor foresees who has none. */
        return digits_put_millionths(at,
                                     (uint32_t)(millionths - whole * 1000000));
    }
    row->out->len = (size_t)(at - row->out->buf);
    out_double(row->out, value);
    return out_reserve(row->out, ROW_BYTES);
}

static char *stretch(struct row *row, char *at)
{
    sim_span length = row->facts->end - row->facts->start;
    return ran_to_end(row) && length > 0
               ? ratio(row, at, (double)facts_jct(row->facts) / (double)length)
               : at;
}

static char *consumed_energy(struct row *row, char *at)
{
    static const struct word unknown = WORD("-1");
    (void)row;
    return put_word(at, &unknown);
}

static char *metadata(struct row *row, char *at)
{
    (void)row;
    return at;
}

/* Of the last attempt, which is the only one of most jobs. */
static char *allocated_resources(struct row *row, char *at)
{
    return ran(row) ? row_put_gpus(row, at, row->facts->last_attempt) : at;
}

static char *user(struct row *row, char *at)
{
    return put_symbol(row, at, row->facts->job->user);
}

static char *vc(struct row *row, char *at)
{
    return row_put_name(row, at, NAME_VC, row->facts->job->vc);
}

static char *gpu_type(struct row *row, char *at)
{
    uint8_t type = row->facts->job->gpu_type;
    return type < row->run->cluster.n_types
               ? row_put_name(row, at, NAME_TYPE, type)
               : at;
}

static char *name(struct row *row, char *at)
{
    return put_symbol(row, at, row->facts->job->name);
}

static char *duration(struct row *row, char *at)
{
    return put_span(at, row->facts->duration);
}

static char *queue_delay(struct row *row, char *at)
{
    return put_span(at, row->facts->queued);
}

static char *held(struct row *row, char *at)
{
    return put_rare(at, row->facts->held);
}

static char *running(struct row *row, char *at)
{
    return put_span(at, row->facts->running);
}

static char *work(struct row *row, char *at)
{
    return put_span(at, row->facts->work);
}

static char *overhead(struct row *row, char *at)
{
    return put_rare(at, row->facts->overhead);
}

static char *lost(struct row *row, char *at)
{
    return put_rare(at, row->facts->lost);
}

static char *preemptions(struct row *row, char *at)
{
    return digits_put(at, row->facts->preemptions);
}

static char *attempts(struct row *row, char *at)
{
    return digits_put(at, row->facts->attempts);
}

static char *slowdown(struct row *row, char *at)
{
    double value;
    return facts_slowdown(row->facts, &value) ? ratio(row, at, value) : at;
}

static char *rho(struct row *row, char *at)
{
    double value;
    return facts_rho(row->facts, &row->reader.results, &value)
               ? ratio(row, at, value)
               : at;
}

static char *state(struct row *row, char *at)
{
    static const struct word words[] = {
        [TRACE_END_COMPLETED] = WORD("completed"),
        [TRACE_END_FAILED] = WORD("failed"),
        [TRACE_END_CANCELLED] = WORD("cancelled"),
        [TRACE_END_UNKNOWN] = WORD("unknown"),
    };
    return put_word(at, &words[row->facts->recorded]);
}

static char *outcome(struct row *row, char *at)
{
    static const struct word words[OUTCOME_N] = {
#define OUTCOME_WORD(name, words) WORD(words),
        OUTCOMES(OUTCOME_WORD)
#undef OUTCOME_WORD
    };
    return put_word(at, &words[row->facts->outcome]);
}

static char *intervals(struct row *row, char *at)
{
    const struct facts *f = row->facts;
    if (!ran(row) || (f->attempts == 1 && f->finished &&
                      !row->run->ledger.attempts[f->last_attempt].profiling))
        return at;
    return row_put_attempts(row, at);
}

static char *shared(struct row *row, char *at)
{
    *at = row->facts->shared ? '1' : '0';
    return at + 1;
}

static char *reason(struct row *row, char *at)
{
    const struct rejection *r =
        row->facts->outcome == OUTCOME_REJECTED
            ? facts_rejection(&row->reader, row->facts->job->id)
            : NULL;
    return r ? row_put_csv(row, at, text_from(r->why)) : at;
}

/* Column and writer in one line, in parts of about ten; the names up to
 * `metadata` are Batsim's. */
#define COURSE_COLUMNS(X) \
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
    X(waiting_time, waiting_time, "s", "starting_time - submission_time")
#define PLACE_COLUMNS(X) \
    X(turnaround_time, turnaround_time, "s", \
      "finish_time - submission_time (JCT)") \
    X(stretch, stretch, "", \
      "turnaround_time / execution_time, to six decimals") \
    X(allocated_resources, allocated_resources, "", \
      "GPUs of the last attempt, numbered node by node: \"0-3 8\"") \
    X(consumed_energy, consumed_energy, "", "-1: not simulated") \
    X(metadata, metadata, "", "empty")
#define OWNER_COLUMNS(X) \
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
    X(lost, lost, "s", "work lost by failures")
#define END_COLUMNS(X) \
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
#define JOB_COLUMNS(X) \
    COURSE_COLUMNS(X) \
    PLACE_COLUMNS(X) \
    OWNER_COLUMNS(X) \
    END_COLUMNS(X)

const struct column job_columns[] = {
#define JOB_ROW(name, write, unit, help) {#name, unit, help},
    JOB_COLUMNS(JOB_ROW){NULL, NULL, NULL},
#undef JOB_ROW
};

static void write_row(void *self, const struct facts *facts)
{
    struct row *row = self;
    row->facts = facts;
    char *at = out_reserve(row->out, ROW_BYTES);
#define JOB_WRITE(name, write, unit, help) at = write(row, at), *at++ = ',';
#define JOB_WRITE_PART(columns) columns(JOB_WRITE) out_digest_step(row->out);
    JOB_WRITE_PART(COURSE_COLUMNS)
    JOB_WRITE_PART(PLACE_COLUMNS)
    JOB_WRITE_PART(OWNER_COLUMNS)
    JOB_WRITE_PART(END_COLUMNS)
#undef JOB_WRITE_PART
#undef JOB_WRITE
    at[-1] = '\n';
    row->out->len = (size_t)(at - row->out->buf);
    CHECK(row->out->len <= row->out->cap);
}

void report_jobs(struct out *out, struct results results,
                 struct summary *summary)
{
    struct row row;
    row_init(&row, out, results);
    for (size_t i = 0; job_columns[i].name; i++) {
        if (i)
            out_char(out, ',');
        out_text(out, job_columns[i].name);
    }
    out_char(out, '\n');
    summary_init(summary, results, (struct facts_watcher){write_row, &row});
    row_fini(&row);
}
