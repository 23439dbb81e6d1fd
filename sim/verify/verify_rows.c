/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads jobs.csv and attempts.csv for verify. Both files list jobs in the same
 * order, so a cursor that moves only forwards finds the job of each attempt.
 * Without attempts.csv each job that started has one attempt, from its start to
 * its end on its allocated_resources. */
#include <inttypes.h>
#include <string.h>

#include "sim/verify/verify.h"
#include "sim/verify/verify_csv.h"

const char *const verify_outcomes[] = {"completed",  "failed",   "cancelled",
                                       "unknown",    "given-up", "rejected",
                                       "unfinished", NULL};

#define VERIFY_ROWS_JOB_CELLS(X) \
    X(J_ID, "job_id") \
    X(J_SUBMITTED, "submission_time") \
    X(J_GPUS, "requested_number_of_resources") \
    X(J_SUCCESS, "success") \
    X(J_START, "starting_time") \
    X(J_FINISH, "finish_time") \
    X(J_WAIT, "waiting_time") \
    X(J_TURNAROUND, "turnaround_time") \
    X(J_EXECUTION, "execution_time") \
    X(J_ALLOCATED, "allocated_resources") \
    X(J_USER, "user") \
    X(J_VC, "vc") \
    X(J_TYPE, "gpu_type") \
    X(J_DURATION, "duration") \
    X(J_QUEUE, "queue_delay") \
    X(J_HELD, "held") \
    X(J_RUNNING, "running") \
    X(J_WORK, "work") \
    X(J_OVERHEAD, "overhead") \
    X(J_LOST, "lost") \
    X(J_PREEMPTIONS, "preemptions") \
    X(J_ATTEMPTS, "attempts") \
    X(J_SLOWDOWN, "slowdown") \
    X(J_BY_LOAD, "slowdown_by_load") \
    X(J_RHO, "rho") \
    X(J_OUTCOME, "outcome") \
    X(J_SHARED, "shared") \
    /* only in results whose trace has it */ \
    X(J_DEADLINE, "deadline")

#define ATTEMPT_CELLS(X) \
    X(A_ID, "job_id") \
    X(A_SUBMITTED, "submission_time") \
    X(A_ASKED, "requested_number_of_resources") \
    X(A_SUCCESS, "success") \
    X(A_STATE, "final_state") \
    X(A_START, "starting_time") \
    X(A_EXECUTION, "execution_time") \
    X(A_FINISH, "finish_time") \
    X(A_WAIT, "waiting_time") \
    X(A_TURNAROUND, "turnaround_time") \
    X(A_ALLOCATED, "allocated_resources") \
    X(A_NUMBER, "attempt") \
    X(A_HOW, "how") \
    X(A_GPUS, "gpus") \
    X(A_TYPE, "gpu_type") \
    X(A_NODES, "nodes") \
    X(A_SHARED, "shared") \
    X(A_PROFILING, "profiling") \
    X(A_IDLE, "idle") \
    X(A_WORK, "work") \
    X(A_RESUME, "resume") \
    X(A_LOST, "lost")

#define VERIFY_ROWS_CELL_ENUM(name, words) name,
#define VERIFY_ROWS_CELL_NAME(name, words) words,
enum verify_rows_job_cell {
    VERIFY_ROWS_JOB_CELLS(VERIFY_ROWS_CELL_ENUM) JOB_N_CELLS
};
enum attempt_cell { ATTEMPT_CELLS(VERIFY_ROWS_CELL_ENUM) ATTEMPT_N_CELLS };
static const char *const verify_rows_job_cells[] = {
    VERIFY_ROWS_JOB_CELLS(VERIFY_ROWS_CELL_NAME)};
static const char *const attempt_cells[] = {
    ATTEMPT_CELLS(VERIFY_ROWS_CELL_NAME)};

/* Reads a set of numbers below `most`, such as "0-3 8", and appends its ranges
 * to d->ranges. Returns the number of elements: 0 for an empty cell and, after
 * verify_csv_fail, for a cell that is not such a set. */
static uint32_t read_ranges(struct verify_csv *csv, unsigned cell,
                            struct verify_data *d, uint32_t most)
{
    struct text rest = csv->cells[cell];
    uint32_t count = 0;
    while (rest.len) {
        struct text last, one = text_split(rest, ' ', &rest);
        struct text first = text_split(one, '-', &last);
        struct verify_range range;
        bool good = text_to_u32(first, &range.first);
        range.last = range.first;
        if (good && first.len < one.len)
            good = text_to_u32(last, &range.last);
        if (!good || range.last < range.first || range.last >= most) {
            verify_csv_fail(csv, cell);
            return 0;
        }
        d->ranges = mem_grow(d->ranges, &d->cap_ranges, d->n_ranges + 1,
                             sizeof *d->ranges);
        d->ranges[d->n_ranges++] = range;
        count += range.last - range.first + 1;
    }
    return count;
}

static void read_outcome(struct verify_csv *csv, struct verify_job *job)
{
    uint8_t o = 0;
    while (verify_outcomes[o] &&
           !text_is(csv->cells[J_OUTCOME], verify_outcomes[o]))
        o++;
    if (!verify_outcomes[o])
        verify_csv_fail(csv, J_OUTCOME);
    job->outcome = o;
    job->finished = o < 4;
}

static const char *verify_rows_keep(struct verify_csv *csv,
                                    struct verify_data *d, unsigned cell)
{
    return arena_copy(&d->arena, csv->cells[cell].at, csv->cells[cell].len);
}

/* Appends an attempt of a job and returns it. Sets its job and its first range
 * of GPUs; all other fields are 0. */
static struct verify_attempt *add_attempt(struct verify_data *d,
                                          struct verify_job *job)
{
    if (job->n_attempts++ == 0)
        job->first_attempt = (uint32_t)d->n_attempts;
    d->attempts = mem_grow(d->attempts, &d->cap_attempts, d->n_attempts + 1,
                           sizeof *d->attempts);
    struct verify_attempt *a = &d->attempts[d->n_attempts++];
    *a = (struct verify_attempt){.job = (uint32_t)(job - d->jobs),
                                 .first_gpu_range = (uint32_t)d->n_ranges};
    return a;
}

static void verify_rows_read_gpus(struct verify_csv *csv, unsigned cell,
                                  struct verify_data *d,
                                  struct verify_attempt *a)
{
    a->gpus = read_ranges(csv, cell, d, d->n_gpus);
    a->n_ranges = (uint32_t)d->n_ranges - a->first_gpu_range;
}

/* Makes the attempt of a job from its row in jobs.csv, if the job started. */
static void add_only_attempt(struct verify_csv *csv, struct verify_data *d,
                             struct verify_job *job)
{
    if (!job->started)
        return;
    struct verify_attempt *a = add_attempt(d, job);
    a->start = job->start;
    a->end = job->finish;
    a->how = 'f';
    a->idle = job->overhead;
    a->work = job->work;
    a->lost = job->lost;
    verify_rows_read_gpus(csv, J_ALLOCATED, d, a);
}

static void verify_rows_read_job(struct verify_csv *csv, void *self)
{
    struct verify_data *d = self;
    d->jobs = mem_grow(d->jobs, &d->cap_jobs, d->n_jobs + 1, sizeof *d->jobs);
    struct verify_job *job = &d->jobs[d->n_jobs];
    *job = (struct verify_job){
        .id = verify_rows_keep(csv, d, J_ID),
        .allocated = verify_rows_keep(csv, d, J_ALLOCATED),
        .submitted = verify_csv_span(csv, J_SUBMITTED),
        .gpus = verify_csv_count(csv, J_GPUS),
        .success = verify_csv_flag(csv, J_SUCCESS),
        .started = csv->cells[J_START].len > 0,
        .ended = csv->cells[J_FINISH].len > 0,
        .user = csv->cells[J_USER].len
                    ? interner_add(&d->users, csv->cells[J_USER])
                    : 0,
        .vc = interner_find(&d->vcs, csv->cells[J_VC]),
        .type = csv->cells[J_TYPE].len
                    ? interner_find(&d->types, csv->cells[J_TYPE])
                    : UINT32_MAX,
        .wait = verify_csv_optional_span(csv, J_WAIT),
        .turnaround = verify_csv_optional_span(csv, J_TURNAROUND),
        .execution = verify_csv_optional_span(csv, J_EXECUTION),
        .duration = verify_csv_span(csv, J_DURATION),
        .queue_delay = verify_csv_span(csv, J_QUEUE),
        .held = verify_csv_span(csv, J_HELD),
        .running = verify_csv_span(csv, J_RUNNING),
        .work = verify_csv_span(csv, J_WORK),
        .overhead = verify_csv_span(csv, J_OVERHEAD),
        .lost = verify_csv_span(csv, J_LOST),
        .preemptions = verify_csv_count(csv, J_PREEMPTIONS),
        .attempts = verify_csv_count(csv, J_ATTEMPTS),
        .shared = verify_csv_flag(csv, J_SHARED),
        .has_deadline = csv->cells[J_DEADLINE].len > 0,
    };
    job->deadline = job->has_deadline ? verify_csv_span(csv, J_DEADLINE) : 0;
    job->start = job->started ? verify_csv_span(csv, J_START) : 0;
    job->finish = job->ended ? verify_csv_span(csv, J_FINISH) : d->end;
    if (job->vc == UINT32_MAX)
        verify_csv_fail(csv, J_VC);
    job->has_slowdown = verify_csv_ratio(csv, J_SLOWDOWN, &job->slowdown);
    job->has_by_load = verify_csv_ratio(csv, J_BY_LOAD, &job->by_load);
    job->has_rho = verify_csv_ratio(csv, J_RHO, &job->rho);
    read_outcome(csv, job);
    d->n_jobs++;
    if (!d->has_attempts)
        add_only_attempt(csv, d, job);
}

struct cursor {
    struct verify_data *data;
    size_t job;
};

/* Finds the job of the row: the job of the previous row, or a later job.
 * Returns NULL and sets csv->st if there is none. */
static struct verify_job *verify_rows_find_job(struct verify_csv *csv,
                                               struct cursor *cursor)
{
    struct verify_data *d = cursor->data;
    for (size_t i = cursor->job; i < d->n_jobs; i++) {
        struct verify_job *job = &d->jobs[i];
        /* Identifiers may repeat, so a job that has all its attempts is passed
         * over. */
        bool full = job->n_attempts && job->n_attempts >= job->attempts;
        if (!text_is(csv->cells[A_ID], job->id) ||
            (full && i + 1 < d->n_jobs && strcmp(job->id, job[1].id) == 0))
            continue;
        cursor->job = i;
        return job;
    }
    if (csv->st == STATUS_OK)
        csv->st = error_set(csv->err, STATUS_BAD_INPUT,
                            "%s:%" PRIu64
                            ": job_id: '%.*s' is not a job of jobs.csv, or "
                            "not in the order of jobs.csv",
                            csv->path, csv->line, TEXT_ARGS(csv->cells[A_ID]));
    return NULL;
}

static uint8_t read_how(struct verify_csv *csv)
{
    static const char *const hows[] = {"finished", "stopped", "failed",
                                       "profiled", "open",    "moved",
                                       "evicted",  NULL};
    static const char letters[] = "fsxpome";
    size_t i = 0;
    while (hows[i] && !text_is(csv->cells[A_HOW], hows[i]))
        i++;
    if (!hows[i])
        verify_csv_fail(csv, A_HOW);
    return hows[i] ? (uint8_t)letters[i] : 'f';
}

/* Sets a->nodes_differ unless the cell lists exactly the nodes that the GPUs of
 * the attempt are on. */
static void verify_rows_check_nodes(struct verify_csv *csv,
                                    struct verify_data *d,
                                    struct verify_attempt *a)
{
    size_t first = d->n_ranges;
    uint32_t count = read_ranges(csv, A_NODES, d, (uint32_t)d->n_nodes);
    uint32_t before = UINT32_MAX;
    size_t at = first;
    for (uint32_t i = 0; i < a->n_ranges && csv->st == STATUS_OK; i++) {
        struct verify_range r = d->ranges[a->first_gpu_range + i];
        for (uint32_t n = d->node_of[r.first]; n <= d->node_of[r.last]; n++) {
            if (n == before)
                continue;
            while (at < d->n_ranges && d->ranges[at].last < n)
                at++;
            a->nodes_differ |= at == d->n_ranges || d->ranges[at].first > n;
            count--;
            before = n;
        }
    }
    a->nodes_differ |= count != 0;
    d->n_ranges = first;
}

static void verify_rows_read_attempt(struct verify_csv *csv, void *self)
{
    struct cursor *cursor = self;
    struct verify_data *d = cursor->data;
    struct verify_job *job = verify_rows_find_job(csv, cursor);
    if (!job)
        return;
    struct verify_attempt *a = add_attempt(d, job);
    *a = (struct verify_attempt){
        .job = a->job,
        .first_gpu_range = a->first_gpu_range,
        .number = verify_csv_count(csv, A_NUMBER),
        .since = verify_csv_span(csv, A_SUBMITTED),
        .asked = verify_csv_count(csv, A_ASKED),
        .success = verify_csv_flag(csv, A_SUCCESS),
        .start = verify_csv_span(csv, A_START),
        .length = verify_csv_span(csv, A_EXECUTION),
        .end = verify_csv_span(csv, A_FINISH),
        .wait = verify_csv_span(csv, A_WAIT),
        .turnaround = verify_csv_span(csv, A_TURNAROUND),
        .how = read_how(csv),
        .told_gpus = verify_csv_count(csv, A_GPUS),
        .type = interner_find(&d->types, csv->cells[A_TYPE]),
        .shared = verify_csv_flag(csv, A_SHARED),
        .profiling = verify_csv_flag(csv, A_PROFILING),
        .idle = verify_csv_span(csv, A_IDLE),
        .work = verify_csv_span(csv, A_WORK),
        .resume = verify_csv_span(csv, A_RESUME),
        .lost = verify_csv_span(csv, A_LOST),
        .state = verify_rows_keep(csv, d, A_STATE),
        .allocated = verify_rows_keep(csv, d, A_ALLOCATED),
    };
    verify_rows_read_gpus(csv, A_ALLOCATED, d, a);
    verify_rows_check_nodes(csv, d, a);
}

enum status verify_read_jobs(const char *path, struct verify_data *data,
                             struct error *err)
{
    /* Allocate the list even if there are no attempts, because pointers into it
     * are computed. */
    data->attempts = mem_grow(data->attempts, &data->cap_attempts, 1,
                              sizeof *data->attempts);
    data->ranges =
        mem_grow(data->ranges, &data->cap_ranges, 1, sizeof *data->ranges);
    struct verify_csv csv = {.path = path,
                             .names = verify_rows_job_cells,
                             .n_names = JOB_N_CELLS,
                             .n_optional = 1,
                             .row = verify_rows_read_job,
                             .self = data,
                             .err = err};
    return verify_csv_read(&csv);
}

enum status verify_read_attempts(const char *path, struct verify_data *data,
                                 struct error *err)
{
    struct cursor cursor = {.data = data};
    struct verify_csv csv = {.path = path,
                             .names = attempt_cells,
                             .n_names = ATTEMPT_N_CELLS,
                             .row = verify_rows_read_attempt,
                             .self = &cursor,
                             .err = err};
    return verify_csv_read(&csv);
}
