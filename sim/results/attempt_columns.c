/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of attempts.csv: one row per attempt (a stay of a job on GPUs),
 * ordered by job in the order of submission, then by time. The first columns
 * are Batsim's and describe the attempt as if it were a job that is submitted
 * when the wait for the attempt begins. So the figures that Batsim's tools
 * compute from times and resources are also right for jobs that stop, move or
 * change their size. */
#include "sim/results/row_cells.h"

static const struct attempt *attempt_of(const struct row *row)
{
    return &row->run->ledger.attempts[row->attempts[row->nth]];
}

static bool is_open(const struct row *row)
{
    return attempt_of(row)->end == TIME_NEVER;
}

static bool columns_ends_the_job(const struct row *row)
{
    return !is_open(row) && attempt_of(row)->how == LEDGER_FINISHED;
}

static char *put_submission_time(struct row *row, char *at)
{
    return digits_put_span(at, row->since);
}

static char *put_success(struct row *row, char *at)
{
    if (columns_ends_the_job(row))
        return put_success_of_job(row, at);
    return put_flag(at, false);
}

static char *put_final_state(struct row *row, char *at)
{
    if (columns_ends_the_job(row))
        return put_end_of_job(row, at);
    return stpcpy(at, is_open(row) ? "RUNNING"
                      : attempt_of(row)->how == LEDGER_FAILED
                          ? "COMPLETED_FAILED"
                          : "COMPLETED_KILLED");
}

static char *put_starting_time(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.start);
}

static char *put_execution_time(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.end - row->stay.start);
}

static char *put_finish_time(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.end);
}

static char *put_waiting_time(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.start - row->since);
}

static char *put_turnaround_time(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.end - row->since);
}

static char *put_stretch(struct row *row, char *at)
{
    sim_span length = row->stay.end - row->stay.start;
    return length > 0 ? put_ratio(row, at,
                                  (double)(row->stay.end - row->since) /
                                      (double)length)
                      : at;
}

static char *put_allocated_resources(struct row *row, char *at)
{
    return row_put_gpus(row, at, row->attempts[row->nth]);
}

static char *put_attempt(struct row *row, char *at)
{
    return put_small(at, row->nth + 1);
}

static char *put_how(struct row *row, char *at)
{
    static const char *const words[] = {
        [LEDGER_STOPPED] = "stopped",   [LEDGER_MOVED] = "moved",
        [LEDGER_PROFILED] = "profiled", [LEDGER_EVICTED] = "evicted",
        [LEDGER_FINISHED] = "finished", [LEDGER_FAILED] = "failed",
    };
    return stpcpy(at, is_open(row) ? "open" : words[attempt_of(row)->how]);
}

static char *put_gpus(struct row *row, char *at)
{
    return put_small(at, ledger_gpus(&row->run->ledger, attempt_of(row)));
}

static char *put_gpu_type(struct row *row, char *at)
{
    const struct cluster *c = &row->run->cluster;
    struct gpu_set set = facts_where(row->reader, row->attempts[row->nth]);
    if (set.count == 0)
        return at;
    return row_put_name(row, at, NAME_TYPE,
                        c->pools[c->nodes[set.at->node].pool].type);
}

static char *put_nodes(struct row *row, char *at)
{
    return row_put_nodes(row, at, row->attempts[row->nth]);
}

static char *put_shared(struct row *row, char *at)
{
    return put_flag(at, attempt_of(row)->shared);
}

static char *put_profiling(struct row *row, char *at)
{
    return put_flag(at, attempt_of(row)->profiling);
}

static char *put_idle(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.idle);
}

static char *put_work(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.work);
}

static char *put_resume(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.resume);
}

static char *put_lost(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.lost);
}

/* The columns of attempts.csv: name, unit, meaning. The cell of a column is
 * written by the function that has the name of the column after `put_`, above
 * or in row_cells.h. The first columns are Batsim's. */
#define BATSIM_COLUMNS(X) \
    X(job_id, "", "as in jobs.csv") \
    X(workload_name, "", "format of the trace") \
    X(profile, "", "as in jobs.csv") \
    X(submission_time, "s", \
      "when the job began to wait for this attempt: its submission, or the " \
      "end of its previous attempt (also while a ruling after a failure held " \
      "it)") \
    X(requested_number_of_resources, "GPUs", "GPUs that the job asks for") \
    X(requested_time, "s", "as in jobs.csv") \
    X(success, "", "1: this attempt ended the job with success") \
    X(final_state, "", \
      "in Batsim's words: how the job ended, for the attempt in which it ran " \
      "to its recorded end; otherwise COMPLETED_FAILED if the attempt " \
      "failed, RUNNING if it is open, COMPLETED_KILLED in all other cases") \
    X(starting_time, "s", "when the attempt began to hold its GPUs") \
    X(execution_time, "s", "finish_time - starting_time") \
    X(finish_time, "s", \
      "when the attempt released its GPUs; the end of the run if it is open") \
    X(waiting_time, "s", "starting_time - submission_time") \
    X(turnaround_time, "s", "finish_time - submission_time") \
    X(stretch, "", \
      "turnaround_time / execution_time, to six decimals; empty: the attempt " \
      "had no length") \
    X(allocated_resources, "", \
      "GPUs of the attempt, numbered node by node: \"0-3 8\"") \
    X(consumed_energy, "", "-1: not simulated") \
    X(metadata, "", "empty")
#define OWN_COLUMNS(X) \
    X(attempt, "", "number of the attempt in its job, from 1") \
    X(how, "", \
      "how it ended: finished (the job ran to its recorded end), stopped by " \
      "the policy, moved (the job went on at once on other GPUs), evicted by " \
      "the monitor, failed, profiled (its profile is complete), open (the " \
      "run ended first)") \
    X(gpus, "GPUs", "held") \
    X(gpu_type, "", "type of the GPUs held") \
    X(nodes, "", "nodes of the GPUs held, numbered from 0: \"0-3 8\"") \
    X(shared, "", "1: another job held some of these GPUs at some time") \
    X(profiling, "", "1: the attempt ran on a node set aside for profiling") \
    X(idle, "s", \
      "time that GPUs were held without work: start-up, and the lag at the " \
      "end of a job") \
    X(work, "s", \
      "work done, as running time at rate 1; equals execution_time - idle if " \
      "the rate is 1") \
    X(resume, "s", \
      "work that the stop of the attempt added for later attempts") \
    X(lost, "s", \
      "work that the end of the attempt undid, done in this attempt or " \
      "earlier ones: by a failure or an eviction, or because the work of a " \
      "profile is not kept")

const struct column attempt_columns[] = {
    BATSIM_COLUMNS(ROW_COLUMN) OWN_COLUMNS(ROW_COLUMN){NULL, NULL, NULL}};

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

bool attempts_say_more(const struct run_result *run)
{
    const struct ledger *ledger = &run->ledger;
    bool more = run->elastic;
    for (uint32_t i = 0; i < ledger->n_attempts && !more; i++) {
        const struct attempt *a = &ledger->attempts[i];
        more = a->how != LEDGER_FINISHED || a->shared || a->profiling;
    }
    return more;
}

/* Fills row->attempts from first to last. The list of a job's attempts in the
 * ledger leads backwards in time. */
static void list_attempts(struct row *row)
{
    const struct attempt *all = row->run->ledger.attempts;
    uint32_t n = row->facts->attempts, number = row->facts->last_attempt;
    row->attempts =
        mem_grow(row->attempts, &row->cap_attempts, n, sizeof *row->attempts);
    for (uint32_t i = n; i-- > 0; number = all[number].previous)
        row->attempts[i] = number;
}

void row_write_attempts(struct row *row, const struct facts *facts,
                        struct text head)
{
    row->facts = facts;
    row->since = facts->job->submitted;
    list_attempts(row);
    /* If the job has only the attempt in which it finished, its rows in
     * jobs.csv and attempts.csv begin with the same cells, which are then
     * copied. */
    if (facts->attempts > 1 || !facts->finished)
        head.len = 0;
    for (row->nth = 0; row->nth < facts->attempts; row->nth++) {
        row->stay = facts_stay(&row->reader->results, row->attempts[row->nth]);
        row_write(row, put_batsim, put_own, head);
        row->since = row->stay.end;
    }
}
