/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jobs.csv: one row per job, in the order of submission. The first columns are
 * Batsim's (batsim.readthedocs.io, "Schedule and jobs output"), so tools made
 * for Batsim, such as Evalys, can read the file. */
#include "sim/base/check.h"
#include "sim/results/row_internal.h"
#include "traces/trace.h"

static char *put_span(char *at, sim_span span)
{
    return digits_put_span(at, span);
}

/* Writes a span that is 0 for all jobs of most runs. */
static char *put_rare(char *at, sim_span span)
{
    if (span)
        return put_span(at, span);
    *at = '0';
    return at + 1;
}

static char *submission_time(struct row *row, char *at)
{
    return put_span(at, row->facts->job->submitted);
}

static bool ran(const struct row *row)
{
    return row->facts->attempts > 0;
}

/* True if the job ended after it had run. Batsim's times are defined only then.
 */
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

static char *stretch(struct row *row, char *at)
{
    sim_span length = row->facts->end - row->facts->start;
    return ran_to_end(row) && length > 0
               ? row_put_ratio(row, at,
                               (double)facts_jct(row->facts) / (double)length)
               : at;
}

/* Writes the GPUs of the last attempt, which is the only one of most jobs. */
static char *allocated_resources(struct row *row, char *at)
{
    return ran(row) ? row_put_gpus(row, at, row->facts->last_attempt) : at;
}

static char *user(struct row *row, char *at)
{
    return row_put_symbol(row, at, row->facts->job->user);
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
    return row_put_symbol(row, at, row->facts->job->name);
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
    return facts_slowdown(row->facts, &value) ? row_put_ratio(row, at, value)
                                              : at;
}

static char *slowdown_by_load(struct row *row, char *at)
{
    double value;
    return facts_slowdown_by_load(row->facts, &value)
               ? row_put_ratio(row, at, value)
               : at;
}

static char *rho(struct row *row, char *at)
{
    double value;
    return facts_rho(row->facts, &value) ? row_put_ratio(row, at, value) : at;
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

/* Each line names a column and its writer, in parts of about ten. The columns
 * up to `metadata` are Batsim's. */
#define COURSE_COLUMNS(X) \
    X(job_id, cell_job_id, "", \
      "the trace's own identifier, or the number of the job") \
    X(workload_name, cell_format, "", "format of the trace") \
    X(profile, cell_profile, "", \
      "model or application, if the trace names it") \
    X(submission_time, submission_time, "s", "since the first submission") \
    X(requested_number_of_resources, cell_requested_number, "GPUs", \
      "GPUs that the job asks for") \
    X(requested_time, cell_requested_time, "s", \
      "run time or limit that the user requested; -1: none") \
    X(success, cell_success, "", \
      "1: the job ran to its recorded end, which was not a failure") \
    X(final_state, cell_final_state, "", \
      "how the job ended, in Batsim's words") \
    X(starting_time, starting_time, "s", "start of the first attempt") \
    X(execution_time, execution_time, "s", "finish_time - starting_time") \
    X(finish_time, finish_time, "s", \
      "when the job finished, was given up or rejected; empty: never") \
    X(waiting_time, waiting_time, "s", "starting_time - submission_time")
#define PLACE_COLUMNS(X) \
    X(turnaround_time, turnaround_time, "s", \
      "finish_time - submission_time (JCT)") \
    X(stretch, stretch, "", \
      "turnaround_time / execution_time, to six decimals") \
    X(allocated_resources, allocated_resources, "", \
      "GPUs of the last attempt, numbered node by node: \"0-3 8\"") \
    X(consumed_energy, cell_consumed_energy, "", "-1: not simulated") \
    X(metadata, cell_metadata, "", "empty")
#define OWNER_COLUMNS(X) \
    X(user, user, "", "who submitted it") \
    X(vc, vc, "", "virtual cluster") \
    X(gpu_type, gpu_type, "", "GPU type that the job asks for; empty: any") \
    X(name, name, "", "job name or script") \
    X(duration, duration, "s", "recorded running time") \
    X(queue_delay, queue_delay, "s", \
      "all time pending, until its end or the end of the run") \
    X(held, held, "s", "all time held back by rulings after failures") \
    X(running, running, "s", "all time on GPUs: sum over its attempts") \
    X(work, work, "s", \
      "work done, as running time at rate 1; duration + lost for a finished " \
      "job") \
    X(overhead, overhead, "s", "start-up, stop and resume") \
    X(lost, lost, "s", \
      "work undone by failures, or because the work of a profile is not kept")
#define END_COLUMNS(X) \
    X(preemptions, preemptions, "", \
      "attempts ended by the policy, resizes included") \
    X(attempts, attempts, "", "number of stays of the job on GPUs") \
    X(slowdown, slowdown, "", "turnaround_time / duration, to six decimals") \
    X(slowdown_by_load, slowdown_by_load, "", \
      "slowdown / max(1, mean load), to six decimals; see the metric") \
    X(rho, rho, "", "finish-time fairness, to six decimals; see the metric") \
    X(state, state, "", "how the trace recorded the end of the job") \
    X(outcome, outcome, "", \
      "state if the job ran to its recorded end, otherwise given-up, " \
      "rejected or unfinished") \
    X(shared, shared, "", "1: the job held a shared GPU at some time") \
    X(reason, reason, "", "reason of the rejection, if the job was rejected")
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

/* Writes both files in one pass, so that the facts of a job and of its attempts
 * are read once. */
struct rows {
    struct row jobs, attempts;
};

static void write_row(void *self, const struct facts *facts)
{
    struct rows *rows = self;
    struct row *row = &rows->jobs;
    struct out *out = row->out;
    row->facts = facts;
    /* Reserve room for two rows, so that Batsim's columns are still in the
     * buffer when the attempts need them, unless the row is very long. */
    char *at = out_reserve(out, 2 * ROW_BYTES);
    size_t begin = out->len;
    uint64_t gone = out->gone;
#define JOB_WRITE(name, write, unit, help) at = write(row, at), *at++ = ',';
#define JOB_WRITE_PART(columns) columns(JOB_WRITE) out_digest_step(out);
    JOB_WRITE_PART(COURSE_COLUMNS)
    JOB_WRITE_PART(PLACE_COLUMNS)
    struct text head = {out->buf + begin, (size_t)(at - out->buf) - begin};
    report_attempts_of(&rows->attempts, facts,
                       out->gone == gone ? head : (struct text){0});
    JOB_WRITE_PART(OWNER_COLUMNS)
    JOB_WRITE_PART(END_COLUMNS)
#undef JOB_WRITE_PART
#undef JOB_WRITE
    at[-1] = '\n';
    out->len = (size_t)(at - out->buf);
    CHECK(out->len <= out->cap);
}

void report_jobs(struct out *jobs, struct out *attempts, struct results results,
                 struct summary *summary)
{
    struct rows rows;
    row_init(&rows.jobs, jobs, results);
    row_init(&rows.attempts, attempts, results);
    row_put_head(jobs, job_columns);
    row_put_head(attempts, attempt_columns);
    summary_init(summary, results, (struct facts_watcher){write_row, &rows});
    row_fini(&rows.jobs);
    row_fini(&rows.attempts);
}
