/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attempts.csv: one row per stay of a job on GPUs, job by job in the order of
 * submission, attempts in the order of time. The first columns are Batsim's and
 * describe the attempt as if it were a job that is submitted when it begins to
 * wait. What tools compute from times and resources is then right also for jobs
 * that stop, move or change their size. */
#include "sim/base/check.h"
#include "sim/results/row_internal.h"

static const struct attempt *attempt_of(const struct row *row)
{
    return &row->run->ledger.attempts[row->attempts[row->nth]];
}

static bool is_open(const struct row *row)
{
    return attempt_of(row)->end == TIME_NEVER;
}

static bool ends_the_job(const struct row *row)
{
    return !is_open(row) && attempt_of(row)->how == LEDGER_FINISHED;
}

static char *submission_time(struct row *row, char *at)
{
    return digits_put_span(at, row->since);
}

static char *success(struct row *row, char *at)
{
    if (ends_the_job(row))
        return cell_success(row, at);
    *at = '0';
    return at + 1;
}

static char *final_state(struct row *row, char *at)
{
    static const struct word failed = WORD("COMPLETED_FAILED");
    static const struct word killed = WORD("COMPLETED_KILLED");
    static const struct word running = WORD("RUNNING");
    if (ends_the_job(row))
        return cell_final_state(row, at);
    return put_word(at, is_open(row)                            ? &running
                        : attempt_of(row)->how == LEDGER_FAILED ? &failed
                                                                : &killed);
}

static char *starting_time(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.start);
}

static char *execution_time(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.end - row->stay.start);
}

static char *finish_time(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.end);
}

static char *waiting_time(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.start - row->since);
}

static char *turnaround_time(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.end - row->since);
}

static char *stretch(struct row *row, char *at)
{
    sim_span length = row->stay.end - row->stay.start;
    return length > 0 ? row_put_ratio(row, at,
                                      (double)(row->stay.end - row->since) /
                                          (double)length)
                      : at;
}

static char *allocated_resources(struct row *row, char *at)
{
    return row_put_gpus(row, at, row->attempts[row->nth]);
}

static char *number(struct row *row, char *at)
{
    return digits_put(at, row->nth + 1);
}

static char *how(struct row *row, char *at)
{
    static const struct word open = WORD("open");
    static const struct word words[] = {
        [LEDGER_STOPPED] = WORD("stopped"),
        [LEDGER_MOVED] = WORD("moved"),
        [LEDGER_PROFILED] = WORD("profiled"),
        [LEDGER_FINISHED] = WORD("finished"),
        [LEDGER_FAILED] = WORD("failed"),
    };
    return put_word(at, is_open(row) ? &open : &words[attempt_of(row)->how]);
}

static char *gpus(struct row *row, char *at)
{
    return digits_put(at, ledger_gpus(&row->run->ledger, attempt_of(row)));
}

static char *gpu_type(struct row *row, char *at)
{
    const struct cluster *c = &row->run->cluster;
    struct gpu_set set = facts_where(&row->reader, row->attempts[row->nth]);
    if (set.count == 0)
        return at;
    return row_put_name(row, at, NAME_TYPE,
                        c->pools[c->nodes[set.at->node].pool].type);
}

static char *nodes(struct row *row, char *at)
{
    return row_put_nodes(row, at, row->attempts[row->nth]);
}

static char *put_flag(char *at, bool flag)
{
    *at = flag ? '1' : '0';
    return at + 1;
}

static char *shared(struct row *row, char *at)
{
    return put_flag(at, attempt_of(row)->shared);
}

static char *profiling(struct row *row, char *at)
{
    return put_flag(at, attempt_of(row)->profiling);
}

static char *idle(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.idle);
}

static char *work(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.work);
}

static char *resume(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.resume);
}

static char *lost(struct row *row, char *at)
{
    return digits_put_span(at, row->stay.lost);
}

/* Each line names a column and its writer. The first columns are Batsim's. */
#define BATSIM_COLUMNS(X) \
    X(job_id, cell_job_id, "", "as in jobs.csv") \
    X(workload_name, cell_format, "", "format of the trace") \
    X(profile, cell_profile, "", "as in jobs.csv") \
    X(submission_time, submission_time, "s", \
      "when the job began to wait for this attempt: its submission, or the " \
      "end of its previous attempt (also while a ruling after a failure held " \
      "it)") \
    X(requested_number_of_resources, cell_requested_number, "GPUs", \
      "GPUs that the job asks for") \
    X(requested_time, cell_requested_time, "s", "as in jobs.csv") \
    X(success, success, "", "1: this attempt ended the job with success") \
    X(final_state, final_state, "", \
      "in Batsim's words: how the job ended, for the attempt in which it ran " \
      "to its recorded end; otherwise COMPLETED_FAILED if the attempt " \
      "failed, RUNNING if it is open, COMPLETED_KILLED in all other cases") \
    X(starting_time, starting_time, "s", \
      "when the attempt began to hold its GPUs") \
    X(execution_time, execution_time, "s", "finish_time - starting_time") \
    X(finish_time, finish_time, "s", \
      "when the attempt released its GPUs; the end of the run if it is open") \
    X(waiting_time, waiting_time, "s", "starting_time - submission_time") \
    X(turnaround_time, turnaround_time, "s", "finish_time - submission_time") \
    X(stretch, stretch, "", \
      "turnaround_time / execution_time, to six decimals; empty: the attempt " \
      "had no length") \
    X(allocated_resources, allocated_resources, "", \
      "GPUs of the attempt, numbered node by node: \"0-3 8\"") \
    X(consumed_energy, cell_consumed_energy, "", "-1: not simulated") \
    X(metadata, cell_metadata, "", "empty")
#define OWN_COLUMNS(X) \
    X(attempt, number, "", "number of the attempt in its job, from 1") \
    X(how, how, "", \
      "how it ended: finished (the job ran to its recorded end), stopped by " \
      "the " \
      "policy, moved (the job went on at once on other GPUs), failed, " \
      "profiled " \
      "(its profile is complete), open (the run ended first)") \
    X(gpus, gpus, "GPUs", "held") \
    X(gpu_type, gpu_type, "", "type of the GPUs held") \
    X(nodes, nodes, "", "nodes of the GPUs held, numbered from 0: \"0-3 8\"") \
    X(shared, shared, "", \
      "1: another job held some of these GPUs at some time") \
    X(profiling, profiling, "", \
      "1: the attempt ran on a node set aside for profiling") \
    X(idle, idle, "s", \
      "time that GPUs were held without work: start-up, and the lag at the " \
      "end of a job") \
    X(work, work, "s", \
      "work done, as running time at rate 1; equals execution_time - idle if " \
      "the rate is 1") \
    X(resume, resume, "s", \
      "work that the stop of the attempt added for later attempts") \
    X(lost, lost, "s", \
      "work that the end of the attempt undid, done in this attempt or " \
      "earlier ones: by a failure, or because the work of a profile is not " \
      "kept")

const struct column attempt_columns[] = {
#define ATTEMPT_ROW(name, write, unit, help) {#name, unit, help},
    BATSIM_COLUMNS(ATTEMPT_ROW) OWN_COLUMNS(ATTEMPT_ROW){NULL, NULL, NULL},
#undef ATTEMPT_ROW
};

static void write_attempt(struct row *row, struct text head)
{
    char *at = out_reserve(row->out, head.len + ROW_BYTES);
#define ATTEMPT_WRITE(name, write, unit, help) at = write(row, at), *at++ = ',';
    if (head.len) {
        memcpy(at, head.at, head.len);
        at += head.len;
    } else {
        BATSIM_COLUMNS(ATTEMPT_WRITE)
    }
    out_digest_step(row->out);
    OWN_COLUMNS(ATTEMPT_WRITE)
#undef ATTEMPT_WRITE
    at[-1] = '\n';
    row->out->len = (size_t)(at - row->out->buf);
    CHECK(row->out->len <= row->out->cap);
    out_digest_step(row->out);
}

/* The list in the ledger leads backwards in time, but the file lists attempts
 * in the order of time. */
static void list_attempts(struct row *row)
{
    const struct attempt *all = row->run->ledger.attempts;
    uint32_t n = row->facts->attempts, number = row->facts->last_attempt;
    row->attempts =
        mem_grow(row->attempts, &row->cap_attempts, n, sizeof *row->attempts);
    for (uint32_t i = n; i-- > 0; number = all[number].previous)
        row->attempts[i] = number;
}

void report_attempts_of(struct row *row, const struct facts *facts,
                        struct text head)
{
    row->facts = facts;
    row->since = facts->job->submitted;
    list_attempts(row);
    /* Most jobs have one attempt, and the row of the job already gives its
     * values. */
    if (facts->attempts > 1 || !facts->finished)
        head.len = 0;
    for (row->nth = 0; row->nth < facts->attempts; row->nth++) {
        row->stay = facts_stay(&row->reader.results, row->attempts[row->nth]);
        write_attempt(row, head);
        row->since = row->stay.end;
    }
}
