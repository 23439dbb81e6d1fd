/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jobs.csv: one row per job, in the order of submission. The first columns are
 * Batsim's (batsim.readthedocs.io, "Schedule and jobs output"), so tools made
 * for Batsim, such as Evalys, can read the file. */
#include "sim/results/row_cells.h"
#include "traces/trace.h"

/* Writes a span, with a fast path for 0, which is the value for all jobs of
 * most runs. */
static char *put_rare(char *at, sim_span span)
{
    if (span)
        return digits_put_span(at, span);
    *at = '0';
    return at + 1;
}

static char *put_submission_time(struct row *row, char *at)
{
    return digits_put_span(at, row->facts->job->submitted);
}

static bool ran(const struct row *row)
{
    return row->facts->attempts > 0;
}

/* True if the job ended after it had run. Its execution time and its stretch
 * are defined only then. */
static bool ran_to_end(const struct row *row)
{
    return ran(row) && row->facts->ended;
}

static char *put_success(struct row *row, char *at)
{
    return put_success_of_job(row, at);
}

static char *put_final_state(struct row *row, char *at)
{
    return put_end_of_job(row, at);
}

static char *put_starting_time(struct row *row, char *at)
{
    return ran(row) ? digits_put_span(at, row->facts->start) : at;
}

static char *put_execution_time(struct row *row, char *at)
{
    return ran_to_end(row)
               ? digits_put_span(at, row->facts->end - row->facts->start)
               : at;
}

static char *put_finish_time(struct row *row, char *at)
{
    return row->facts->ended ? digits_put_span(at, row->facts->end) : at;
}

static char *put_waiting_time(struct row *row, char *at)
{
    return ran(row) ? digits_put_span(at, facts_wait(row->facts)) : at;
}

static char *put_turnaround_time(struct row *row, char *at)
{
    return row->facts->ended ? digits_put_span(at, facts_jct(row->facts)) : at;
}

static char *put_stretch(struct row *row, char *at)
{
    sim_span length = row->facts->end - row->facts->start;
    return ran_to_end(row) && length > 0
               ? put_ratio(row, at,
                           (double)facts_jct(row->facts) / (double)length)
               : at;
}

/* Writes the GPUs of the last attempt. Most jobs have only this attempt. */
static char *put_allocated_resources(struct row *row, char *at)
{
    return ran(row) ? row_put_gpus(row, at, row->facts->last_attempt) : at;
}

static char *put_user(struct row *row, char *at)
{
    return put_symbol(row, at, row->facts->job->user);
}

static char *put_vc(struct row *row, char *at)
{
    return row_put_name(row, at, NAME_VC, row->facts->job->vc);
}

static char *put_gpu_type(struct row *row, char *at)
{
    uint8_t type = row->facts->job->gpu_type;
    return type < row->run->cluster.n_types
               ? row_put_name(row, at, NAME_TYPE, type)
               : at;
}

static char *put_name(struct row *row, char *at)
{
    return put_symbol(row, at, row->facts->job->name);
}

static char *put_duration(struct row *row, char *at)
{
    return digits_put_span(at, row->facts->duration);
}

static char *put_queue_delay(struct row *row, char *at)
{
    return digits_put_span(at, row->facts->queued);
}

static char *put_held(struct row *row, char *at)
{
    return put_rare(at, row->facts->held);
}

static char *put_running(struct row *row, char *at)
{
    return digits_put_span(at, row->facts->running);
}

static char *put_work(struct row *row, char *at)
{
    return digits_put_span(at, row->facts->work);
}

static char *put_overhead(struct row *row, char *at)
{
    return put_rare(at, row->facts->overhead);
}

static char *put_lost(struct row *row, char *at)
{
    return put_rare(at, row->facts->lost);
}

static char *put_preemptions(struct row *row, char *at)
{
    return put_small(at, row->facts->preemptions);
}

static char *put_attempts(struct row *row, char *at)
{
    return put_small(at, row->facts->attempts);
}

static char *put_slowdown(struct row *row, char *at)
{
    return put_ratio(row, at, row->facts->metric[METRIC_SLOWDOWN]);
}

static char *put_slowdown_by_load(struct row *row, char *at)
{
    return put_ratio(row, at, row->facts->metric[METRIC_BY_LOAD]);
}

static char *put_rho(struct row *row, char *at)
{
    return put_ratio(row, at, row->facts->metric[METRIC_RHO]);
}

static char *put_state(struct row *row, char *at)
{
    static const char *const words[] = {
        [TRACE_END_COMPLETED] = "completed",
        [TRACE_END_FAILED] = "failed",
        [TRACE_END_CANCELLED] = "cancelled",
        [TRACE_END_UNKNOWN] = "unknown",
    };
    return stpcpy(at, words[row->facts->recorded]);
}

static char *put_outcome(struct row *row, char *at)
{
    return stpcpy(at, outcome_name(row->facts->outcome));
}

static char *put_shared(struct row *row, char *at)
{
    return put_flag(at, row->facts->shared);
}

static char *put_reason(struct row *row, char *at)
{
    const struct rejection *r =
        row->facts->outcome == OUTCOME_REJECTED
            ? facts_rejection(row->reader, row->facts->job->id)
            : NULL;
    return r ? row_put_csv(row, at, text_from(r->why)) : at;
}

static char *put_deadline(struct row *row, char *at)
{
    const struct job *job = row->facts->job;
    sim_span left = row->run->jobset.terms[job->id].deadline;
    return left == JOB_NO_DEADLINE ? at
                                   : digits_put_span(at, job->submitted + left);
}

static char *put_priority(struct row *row, char *at)
{
    const struct job_terms *terms = row->run->jobset.terms;
    return put_symbol(row, at, terms[row->facts->job->id].priority);
}

/* The columns of jobs.csv: name, unit, meaning. The cell of a column is written
 * by the function that has the name of the column after `put_`, above or in
 * row_cells.h. The first columns are Batsim's. */
#define BATSIM_COLUMNS(X) \
    X(job_id, "", "the trace's own identifier, or the number of the job") \
    X(workload_name, "", "format of the trace") \
    X(profile, "", "model or application, if the trace names it") \
    X(submission_time, "s", "since the first submission") \
    X(requested_number_of_resources, "GPUs", "GPUs that the job asks for") \
    X(requested_time, "s", \
      "run time or limit that the user requested; -1: none") \
    X(success, "", \
      "1: the job ran to its recorded end, which was no failure or " \
      "cancellation") \
    X(final_state, "", "how the job ended, in Batsim's words") \
    X(starting_time, "s", "start of the first attempt") \
    X(execution_time, "s", "finish_time - starting_time") \
    X(finish_time, "s", \
      "when the job finished, was given up or rejected; empty: never") \
    X(waiting_time, "s", "starting_time - submission_time") \
    X(turnaround_time, "s", "finish_time - submission_time (JCT)") \
    X(stretch, "", "turnaround_time / execution_time, to six decimals") \
    X(allocated_resources, "", \
      "GPUs of the last attempt, numbered node by node: \"0-3 8\"") \
    X(consumed_energy, "", "-1: not simulated") \
    X(metadata, "", "empty")
#define OWN_COLUMNS(X) \
    X(user, "", "who submitted it") \
    X(vc, "", "virtual cluster") \
    X(gpu_type, "", "GPU type that the job asks for; empty: any") \
    X(name, "", "job name or script") \
    X(duration, "s", "recorded running time") \
    X(queue_delay, "s", \
      "all time pending, until its end or the end of the run") \
    X(held, "s", "all time held back by rulings after failures") \
    X(running, "s", "all time on GPUs: sum over its attempts") \
    X(work, "s", \
      "work done, as running time at rate 1; duration + lost for a finished " \
      "job") \
    X(overhead, "s", "start-up, stop and resume") \
    X(lost, "s", \
      "work undone by failures and evictions, or because the work of a " \
      "profile " \
      "is not kept") \
    X(preemptions, "", "attempts ended by the policy, resizes included") \
    X(attempts, "", "number of stays of the job on GPUs") \
    X(slowdown, "", "turnaround_time / duration, to six decimals") \
    X(slowdown_by_load, "", \
      "slowdown / max(1, mean load), to six decimals; see the metric") \
    X(rho, "", "finish-time fairness, to six decimals; see the metric") \
    X(state, "", "how the trace recorded the end of the job") \
    X(outcome, "", \
      "state if the job ran to its recorded end, otherwise given-up, " \
      "rejected or unfinished") \
    X(shared, "", "1: the job held a shared GPU at some time") \
    X(reason, "", "reason of the rejection, if the job was rejected")

#define TERMS_COLUMNS(X) \
    X(deadline, "s", \
      "time by which the job should have ended; empty: it has none") \
    X(priority, "", "as the trace writes it")

const struct column job_columns[] = {
    BATSIM_COLUMNS(ROW_COLUMN) OWN_COLUMNS(ROW_COLUMN){NULL, NULL, NULL}};
const struct column job_terms_columns[] = {
    TERMS_COLUMNS(ROW_COLUMN){NULL, NULL, NULL}};
static const struct column columns_with_terms[] = {
    BATSIM_COLUMNS(ROW_COLUMN) OWN_COLUMNS(ROW_COLUMN)
        TERMS_COLUMNS(ROW_COLUMN){NULL, NULL, NULL}};

const struct column *job_columns_of(const struct run_result *run)
{
    return run->jobset.terms ? columns_with_terms : job_columns;
}

static char *put_batsim(struct row *row, char *at)
{
    BATSIM_COLUMNS(ROW_CELL)
    return at;
}

static char *put_own(struct row *row, char *at)
{
    OWN_COLUMNS(ROW_CELL)
    return at;
}

static char *put_own_and_terms(struct row *row, char *at)
{
    OWN_COLUMNS(ROW_CELL)
    TERMS_COLUMNS(ROW_CELL)
    return at;
}

struct text row_write_job(struct row *row, const struct facts *facts)
{
    row->facts = facts;
    return row_write(row, put_batsim,
                     row->run->jobset.terms ? put_own_and_terms : put_own,
                     (struct text){0});
}
