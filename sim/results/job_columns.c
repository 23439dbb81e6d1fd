/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jobs.csv: one row per job, in the order of submission. The first columns are
 * Batsim's (batsim.readthedocs.io, "Schedule and jobs output"), so tools made
 * for Batsim, such as Evalys, can read the file. */
#include "sim/results/row_internal.h"
#include "traces/trace.h"

static char *put_span(char *at, sim_span span)
{
    return digits_put_span(at, span);
}

/* Writes a span, with a fast path for 0, which is the value for all jobs of
 * most runs. */
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

/* Writes the GPUs of the last attempt. Most jobs have only this attempt. */
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
    return row_put_ratio(row, at, facts_slowdown(row->facts));
}

static char *slowdown_by_load(struct row *row, char *at)
{
    return row_put_ratio(row, at, facts_slowdown_by_load(row->facts));
}

static char *rho(struct row *row, char *at)
{
    return row_put_ratio(row, at, facts_rho(row->facts));
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
            ? facts_rejection(row->reader, row->facts->job->id)
            : NULL;
    return r ? row_put_csv(row, at, text_from(r->why)) : at;
}

/* The first columns, up to `metadata`, are Batsim's. */
const struct row_column job_columns[] = {
    {{"job_id", "", "the trace's own identifier, or the number of the job"},
     cell_job_id},
    {{"workload_name", "", "format of the trace"}, cell_format},
    {{"profile", "", "model or application, if the trace names it"},
     cell_profile},
    {{"submission_time", "s", "since the first submission"}, submission_time},
    {{"requested_number_of_resources", "GPUs", "GPUs that the job asks for"},
     cell_requested_number},
    {{"requested_time", "s",
      "run time or limit that the user requested; -1: none"},
     cell_requested_time},
    {{"success", "",
      "1: the job ran to its recorded end, which was not a failure"},
     cell_success},
    {{"final_state", "", "how the job ended, in Batsim's words"},
     cell_final_state},
    {{"starting_time", "s", "start of the first attempt"}, starting_time},
    {{"execution_time", "s", "finish_time - starting_time"}, execution_time},
    {{"finish_time", "s",
      "when the job finished, was given up or rejected; empty: never"},
     finish_time},
    {{"waiting_time", "s", "starting_time - submission_time"}, waiting_time},
    {{"turnaround_time", "s", "finish_time - submission_time (JCT)"},
     turnaround_time},
    {{"stretch", "", "turnaround_time / execution_time, to six decimals"},
     stretch},
    {{"allocated_resources", "",
      "GPUs of the last attempt, numbered node by node: \"0-3 8\""},
     allocated_resources},
    {{"consumed_energy", "", "-1: not simulated"}, cell_consumed_energy},
    {{"metadata", "", "empty"}, cell_metadata},
    {{"user", "", "who submitted it"}, user},
    {{"vc", "", "virtual cluster"}, vc},
    {{"gpu_type", "", "GPU type that the job asks for; empty: any"}, gpu_type},
    {{"name", "", "job name or script"}, name},
    {{"duration", "s", "recorded running time"}, duration},
    {{"queue_delay", "s",
      "all time pending, until its end or the end of the run"},
     queue_delay},
    {{"held", "s", "all time held back by rulings after failures"}, held},
    {{"running", "s", "all time on GPUs: sum over its attempts"}, running},
    {{"work", "s",
      "work done, as running time at rate 1; duration + lost for a finished "
      "job"},
     work},
    {{"overhead", "s", "start-up, stop and resume"}, overhead},
    {{"lost", "s",
      "work undone by failures and evictions, or because the work of a profile "
      "is not kept"},
     lost},
    {{"preemptions", "", "attempts ended by the policy, resizes included"},
     preemptions},
    {{"attempts", "", "number of stays of the job on GPUs"}, attempts},
    {{"slowdown", "", "turnaround_time / duration, to six decimals"}, slowdown},
    {{"slowdown_by_load", "",
      "slowdown / max(1, mean load), to six decimals; see the metric"},
     slowdown_by_load},
    {{"rho", "", "finish-time fairness, to six decimals; see the metric"}, rho},
    {{"state", "", "how the trace recorded the end of the job"}, state},
    {{"outcome", "",
      "state if the job ran to its recorded end, otherwise given-up, "
      "rejected or unfinished"},
     outcome},
    {{"shared", "", "1: the job held a shared GPU at some time"}, shared},
    {{"reason", "", "reason of the rejection, if the job was rejected"},
     reason},
    {{NULL, NULL, NULL}, NULL},
};

struct text row_write_job(struct row *row, const struct facts *facts)
{
    row->facts = facts;
    return row_write(row, job_columns, (struct text){0});
}
