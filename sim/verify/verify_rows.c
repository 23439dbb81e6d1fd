/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads jobs.csv and attempts.csv for verify. Both files list jobs in the same
 * order, so a cursor that moves only forwards finds the job of each attempt.
 * Without attempts.csv each job that started has one attempt, from its start to
 * its end on its allocated_resources. */
#include <inttypes.h>
#include <string.h>

#include "sim/results/report.h"
#include "sim/verify/verify.h"
#include "sim/verify/verify_csv.h"

const char *const verify_outcomes[] = {"completed",  "failed",   "cancelled",
                                       "unknown",    "given-up", "rejected",
                                       "unfinished", NULL};

/* Columns of when jobs waited and ran, and columns that only `verify`
 * compares. */
#define VERIFY_ROWS_JOB_CELLS(X) \
    X(J_ID, "job_id", WAITS) \
    X(J_SUBMITTED, "submission_time", WAITS) \
    X(J_GPUS, "requested_number_of_resources", WAITS) \
    X(J_SUCCESS, "success", CHECKS) \
    X(J_START, "starting_time", WAITS) \
    X(J_FINISH, "finish_time", WAITS) \
    X(J_ALLOCATED, "allocated_resources", WAITS) \
    X(J_USER, "user", WAITS) \
    X(J_VC, "vc", WAITS) \
    X(J_TYPE, "gpu_type", WAITS) \
    X(J_DURATION, "duration", WAITS) \
    X(J_QUEUE, "queue_delay", WAITS) \
    X(J_HELD, "held", WAITS) \
    X(J_RUNNING, "running", CHECKS) \
    X(J_WORK, "work", CHECKS) \
    X(J_OVERHEAD, "overhead", CHECKS) \
    X(J_LOST, "lost", CHECKS) \
    X(J_PREEMPTIONS, "preemptions", CHECKS) \
    X(J_ATTEMPTS, "attempts", WAITS) \
    X(J_SLOWDOWN, "slowdown", WAITS) \
    X(J_BY_LOAD, "slowdown_by_load", CHECKS) \
    X(J_RHO, "rho", CHECKS) \
    X(J_OUTCOME, "outcome", WAITS) \
    X(J_SHARED, "shared", CHECKS) \
    /* only in some results */ \
    X(J_FORMAT, "workload_name", CHECKS) \
    X(J_MODEL, "profile", CHECKS) \
    X(J_DECLARED, "requested_time", CHECKS) \
    X(J_ENDED_AS, "final_state", CHECKS) \
    X(J_RECORDED, "state", CHECKS) \
    X(J_REASON, "reason", CHECKS) \
    X(J_DEADLINE, "deadline", CHECKS) \
    X(J_PRIORITY, "priority", CHECKS) \
    X(J_CLASS, "class", CHECKS)

#define ATTEMPT_CELLS(X) \
    X(A_ID, "job_id", WAITS) \
    X(A_FORMAT, "workload_name", CHECKS) \
    X(A_MODEL, "profile", CHECKS) \
    X(A_DECLARED, "requested_time", CHECKS) \
    X(A_SUBMITTED, "submission_time", CHECKS) \
    X(A_ASKED, "requested_number_of_resources", CHECKS) \
    X(A_SUCCESS, "success", CHECKS) \
    X(A_STATE, "final_state", CHECKS) \
    X(A_START, "starting_time", WAITS) \
    X(A_FINISH, "finish_time", WAITS) \
    X(A_ALLOCATED, "allocated_resources", WAITS) \
    X(A_NUMBER, "attempt", CHECKS) \
    X(A_HOW, "how", WAITS) \
    X(A_GPUS, "gpus", CHECKS) \
    X(A_TYPE, "gpu_type", CHECKS) \
    X(A_NODES, "nodes", CHECKS) \
    X(A_SHARED, "shared", WAITS) \
    X(A_PROFILING, "profiling", WAITS) \
    X(A_IDLE, "idle", CHECKS) \
    X(A_WORK, "work", CHECKS) \
    X(A_RESUME, "resume", CHECKS) \
    X(A_LOST, "lost", CHECKS)

#define VERIFY_ROWS_CELL_ENUM(name, words, of) name,
#define VERIFY_ROWS_CELL_NAME(name, words, of) words,
#define VERIFY_ROWS_WAITS(name, words, of) VERIFY_ROWS_NAME_##of(words),
#define VERIFY_ROWS_NAME_WAITS(words) words
#define VERIFY_ROWS_NAME_CHECKS(words) NULL
enum verify_rows_job_cell {
    VERIFY_ROWS_JOB_CELLS(VERIFY_ROWS_CELL_ENUM) JOB_N_CELLS
};
enum attempt_cell { ATTEMPT_CELLS(VERIFY_ROWS_CELL_ENUM) ATTEMPT_N_CELLS };
/* by enum verify_columns */
static const char *const verify_rows_job_cells[][JOB_N_CELLS] = {
    [VERIFY_COLUMNS_OF_WAITS] = {VERIFY_ROWS_JOB_CELLS(VERIFY_ROWS_WAITS)},
    [VERIFY_COLUMNS_ALL] = {VERIFY_ROWS_JOB_CELLS(VERIFY_ROWS_CELL_NAME)}};
static const char *const attempt_cells[][ATTEMPT_N_CELLS] = {
    [VERIFY_COLUMNS_OF_WAITS] = {ATTEMPT_CELLS(VERIFY_ROWS_WAITS)},
    [VERIFY_COLUMNS_ALL] = {ATTEMPT_CELLS(VERIFY_ROWS_CELL_NAME)}};

/* Reads a set of numbers below `most`, such as "0-3 8", and appends its ranges
 * to d->ranges. Returns the number of elements: 0 for an empty cell and, after
 * verify_csv_fail, for a cell that is not such a set. */
static uint32_t read_ranges(struct verify_csv *csv, unsigned cell,
                            struct verify_data *d, uint32_t most)
{
    struct text rest = verify_csv_cell(csv, cell);
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

/* The columns of attempts.csv that repeat those of the job. */
static const struct {
    unsigned of_job, of_attempt;
} same_cells[VERIFY_SAME] = {{J_FORMAT, A_FORMAT},
                             {J_MODEL, A_MODEL},
                             {J_DECLARED, A_DECLARED},
                             {J_GPUS, A_ASKED}};

static uint32_t rows_hash(const struct verify_csv *csv, unsigned cell)
{
    return (uint32_t)text_hash(verify_csv_cell(csv, cell));
}

/* Returns an index into verify_outcomes. */
static uint8_t rows_outcome(struct verify_csv *csv, unsigned cell)
{
    struct text word = verify_csv_cell(csv, cell);
    uint8_t o = 0;
    while (verify_outcomes[o] && !text_is(word, verify_outcomes[o]))
        o++;
    if (verify_outcomes[o])
        return o;
    verify_csv_fail(csv, cell);
    return 0;
}

static bool rows_succeeded(const struct verify_job *job)
{
    return job->outcome == 0 || job->outcome == 3;
}

/* Copies a cell. Texts lie close together, where arena_copy would align
 * each. */
static const char *verify_rows_keep(struct verify_csv *csv,
                                    struct verify_data *d, unsigned cell)
{
    enum { ROOM = 64 * 1024 };
    struct text t = verify_csv_cell(csv, cell);
    if (t.len + 1 > (size_t)(d->texts_end - d->texts)) {
        size_t room = t.len < ROOM ? ROOM : t.len + 1;
        d->texts = arena_take(&d->arena, room);
        d->texts_end = d->texts + room;
    }
    char *copy = d->texts;
    memcpy(copy, t.at, t.len);
    copy[t.len] = '\0';
    d->texts += t.len + 1;
    return copy;
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

/* Appends the other columns of the attempt that was added last. */
static struct verify_attempt_more *add_attempt_more(struct verify_data *d)
{
    d->attempt_more = mem_grow(d->attempt_more, &d->cap_attempt_more,
                               d->n_attempts, sizeof *d->attempt_more);
    return &d->attempt_more[d->n_attempts - 1];
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
    if (verify_csv_cell(csv, J_START).len == 0)
        return;
    struct verify_attempt *a = add_attempt(d, job);
    a->start = verify_csv_span(csv, J_START);
    a->end = job->finish;
    a->how = 'f';
    verify_rows_read_gpus(csv, J_ALLOCATED, d, a);
    if (d->columns != VERIFY_COLUMNS_ALL)
        return;
    const struct verify_job_more *m = &d->job_more[job - d->jobs];
    *add_attempt_more(d) = (struct verify_attempt_more){
        .idle = m->overhead, .work = m->work, .lost = m->lost};
}

/* Checks the columns that follow from the outcome. */
static void check_outcome(struct verify_csv *csv, const struct verify_job *job)
{
    static const char *const states[] = {"COMPLETED_SUCCESSFULLY",
                                         "COMPLETED_FAILED",
                                         "COMPLETED_KILLED",
                                         "COMPLETED_SUCCESSFULLY",
                                         "COMPLETED_FAILED",
                                         "REJECTED",
                                         "UNFINISHED"};
    const char *outcome = verify_outcomes[job->outcome];
    if (verify_csv_flag(csv, J_SUCCESS) != rows_succeeded(job))
        verify_csv_say(csv, J_SUCCESS, "the outcome says otherwise");
    if (csv->at[J_ENDED_AS] >= 0 &&
        !text_is(verify_csv_cell(csv, J_ENDED_AS), states[job->outcome]))
        verify_csv_say(csv, J_ENDED_AS, "the outcome says otherwise");
    if (csv->at[J_RECORDED] >= 0) {
        uint8_t recorded = rows_outcome(csv, J_RECORDED);
        if (job->finished ? recorded != job->outcome : recorded > 3)
            verify_csv_say(csv, J_RECORDED, "the outcome says otherwise");
    }
    if (csv->at[J_REASON] >= 0 && (strcmp(outcome, "rejected") == 0) !=
                                      (verify_csv_cell(csv, J_REASON).len > 0))
        verify_csv_say(csv, J_REASON, "only rejected jobs have a reason");
    if (job->ended == (strcmp(outcome, "unfinished") == 0))
        verify_csv_say(csv, J_OUTCOME, "finish_time says otherwise");
    if ((verify_csv_cell(csv, J_START).len > 0) != (job->attempts > 0))
        verify_csv_say(csv, J_START, "attempts says otherwise");
}

/* Reads the columns of a job that only `verify` compares. */
static void read_job_more(struct verify_csv *csv, struct verify_data *d)
{
    d->job_more =
        mem_grow(d->job_more, &d->cap_job_more, d->n_jobs, sizeof *d->job_more);
    struct verify_job_more *m = &d->job_more[d->n_jobs - 1];
    *m = (struct verify_job_more){
        .allocated = rows_hash(csv, J_ALLOCATED),
        .line = (uint32_t)csv->line,
        .started = verify_csv_cell(csv, J_START).len > 0,
        .running = verify_csv_span(csv, J_RUNNING),
        .work = verify_csv_span(csv, J_WORK),
        .overhead = verify_csv_span(csv, J_OVERHEAD),
        .lost = verify_csv_span(csv, J_LOST),
        .preemptions = verify_csv_count(csv, J_PREEMPTIONS),
        .shared = verify_csv_flag(csv, J_SHARED),
        .has_deadline = verify_csv_cell(csv, J_DEADLINE).len > 0,
    };
    const bool has_class = verify_csv_cell(csv, J_CLASS).len > 0;
    m->class = has_class ? verify_rows_keep(csv, d, J_CLASS) : "";
    m->priority = has_class ? verify_rows_keep(csv, d, J_PRIORITY) : "";
    m->deadline = m->has_deadline ? verify_csv_span(csv, J_DEADLINE) : 0;
    m->start = m->started ? verify_csv_span(csv, J_START) : 0;
    m->has_by_load = verify_csv_ratio(csv, J_BY_LOAD, &m->by_load);
    m->has_rho = verify_csv_ratio(csv, J_RHO, &m->rho);
    for (unsigned i = 0; i < VERIFY_SAME; i++) {
        d->has_same[i] = csv->at[same_cells[i].of_job] >= 0;
        m->same[i] = rows_hash(csv, same_cells[i].of_job);
    }
    check_outcome(csv, &d->jobs[d->n_jobs - 1]);
}

static void verify_rows_read_job(struct verify_csv *csv, void *self)
{
    struct verify_data *d = self;
    d->jobs = mem_grow(d->jobs, &d->cap_jobs, d->n_jobs + 1, sizeof *d->jobs);
    struct verify_job *job = &d->jobs[d->n_jobs++];
    struct text user = verify_csv_cell(csv, J_USER);
    struct text type = verify_csv_cell(csv, J_TYPE);
    *job = (struct verify_job){
        .id = verify_rows_keep(csv, d, J_ID),
        .submitted = verify_csv_span(csv, J_SUBMITTED),
        .gpus = verify_csv_count(csv, J_GPUS),
        .ended = verify_csv_cell(csv, J_FINISH).len > 0,
        .user = user.len ? interner_add(&d->users, user) : 0,
        .vc = interner_find(&d->vcs, verify_csv_cell(csv, J_VC)),
        .type = type.len ? interner_find(&d->types, type) : UINT32_MAX,
        .duration = verify_csv_span(csv, J_DURATION),
        .queue_delay = verify_csv_span(csv, J_QUEUE),
        .held = verify_csv_span(csv, J_HELD),
        .attempts = verify_csv_count(csv, J_ATTEMPTS),
    };
    job->finish = job->ended ? verify_csv_span(csv, J_FINISH) : d->end;
    if (job->vc == UINT32_MAX)
        verify_csv_fail(csv, J_VC);
    if (type.len && job->type == UINT32_MAX && d->report)
        verify_csv_say(csv, J_TYPE, "no node has this type");
    job->has_slowdown = verify_csv_ratio(csv, J_SLOWDOWN, &job->slowdown);
    job->outcome = rows_outcome(csv, J_OUTCOME);
    job->finished = job->outcome < 4;
    if (d->columns == VERIFY_COLUMNS_ALL)
        read_job_more(csv, d);
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
        if (!text_is(verify_csv_cell(csv, A_ID), job->id) ||
            (full && i + 1 < d->n_jobs && strcmp(job->id, job[1].id) == 0))
            continue;
        cursor->job = i;
        return job;
    }
    if (csv->st == STATUS_OK)
        csv->st = error_set(
            csv->err, csv->tables ? STATUS_BROKEN : STATUS_BAD_INPUT,
            "%s:%" PRIu64 ": job_id: '%.*s' is not a job of jobs.csv, or "
            "not in the order of jobs.csv",
            csv->path, csv->line, TEXT_ARGS(verify_csv_cell(csv, A_ID)));
    return NULL;
}

static uint8_t read_how(struct verify_csv *csv)
{
    struct text cell = verify_csv_cell(csv, A_HOW);
    static const char *const hows[] = {"finished", "stopped", "failed",
                                       "profiled", "open",    "moved",
                                       "evicted",  NULL};
    static const char letters[] = "fsxpome";
    size_t i = 0;
    while (hows[i] && !text_is(cell, hows[i]))
        i++;
    if (!hows[i])
        verify_csv_fail(csv, A_HOW);
    return hows[i] ? (uint8_t)letters[i] : 'f';
}

/* Returns true unless the cell lists exactly the nodes that the GPUs of the
 * attempt are on. */
static bool verify_rows_nodes_differ(struct verify_csv *csv,
                                     struct verify_data *d,
                                     const struct verify_attempt *a)
{
    bool differ = false;
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
            differ |= at == d->n_ranges || d->ranges[at].first > n;
            count--;
            before = n;
        }
    }
    d->n_ranges = first;
    return differ || count != 0;
}

/* Returns Batsim's word for how an attempt ended. check_outcome checks the word
 * of the job itself. */
static const char *attempts_state_of(const struct verify_job *job,
                                     const struct verify_attempt *a)
{
    const char *outcome = verify_outcomes[job->outcome];
    switch (a->how) {
    case 'f':
        return strcmp(outcome, "failed") == 0      ? "COMPLETED_FAILED"
               : strcmp(outcome, "cancelled") == 0 ? "COMPLETED_KILLED"
                                                   : "COMPLETED_SUCCESSFULLY";
    case 'x':
        return "COMPLETED_FAILED";
    case 'o':
        return "RUNNING";
    default:
        return "COMPLETED_KILLED";
    }
}

/* Checks the columns that follow from the job, and from how the attempt ended
 * and where it was. */
static void attempts_check_row(struct verify_csv *csv, struct verify_data *d,
                               const struct verify_job *job,
                               const struct verify_attempt *a)
{
    const struct verify_job_more *m = &d->job_more[job - d->jobs];
    for (unsigned i = 0; i < VERIFY_SAME; i++) {
        if (d->has_same[i] &&
            rows_hash(csv, same_cells[i].of_attempt) != m->same[i])
            verify_csv_say(csv, same_cells[i].of_attempt,
                           "the job's row in jobs.csv says otherwise");
    }
    if (verify_csv_span(csv, A_SUBMITTED) !=
        (job->n_attempts > 1 ? a[-1].end : job->submitted))
        verify_csv_say(csv, A_SUBMITTED,
                       "the job began to wait at another time");
    if (verify_csv_flag(csv, A_SUCCESS) !=
        (a->how == 'f' && rows_succeeded(job)))
        verify_csv_say(csv, A_SUCCESS, "the attempt did not end so");
    if (!text_is(verify_csv_cell(csv, A_STATE), attempts_state_of(job, a)))
        verify_csv_say(csv, A_STATE, "the attempt did not end so");
    if (verify_csv_count(csv, A_NUMBER) != job->n_attempts)
        verify_csv_say(csv, A_NUMBER, "attempts are numbered from 1 on");
    if (verify_csv_count(csv, A_GPUS) != a->gpus)
        verify_csv_say(csv, A_GPUS, "allocated_resources says otherwise");
    if (verify_rows_nodes_differ(csv, d, a))
        verify_csv_say(csv, A_NODES, "allocated_resources says otherwise");
    if (a->n_ranges &&
        interner_find(&d->types, verify_csv_cell(csv, A_TYPE)) !=
            d->nodes[d->node_of[d->ranges[a->first_gpu_range].first]].type)
        verify_csv_say(csv, A_TYPE, "allocated_resources says otherwise");
}

/* Reads the columns of the last attempt that only `verify` compares. */
static void read_attempt_more(struct verify_csv *csv, struct verify_data *d,
                              const struct verify_job *job)
{
    *add_attempt_more(d) = (struct verify_attempt_more){
        .idle = verify_csv_span(csv, A_IDLE),
        .work = verify_csv_span(csv, A_WORK),
        .resume = verify_csv_span(csv, A_RESUME),
        .lost = verify_csv_span(csv, A_LOST),
        .allocated = rows_hash(csv, A_ALLOCATED),
        .line = (uint32_t)csv->line,
    };
    attempts_check_row(csv, d, job, &d->attempts[d->n_attempts - 1]);
}

static void verify_rows_read_attempt(struct verify_csv *csv, void *self)
{
    struct cursor *cursor = self;
    struct verify_data *d = cursor->data;
    struct verify_job *job = verify_rows_find_job(csv, cursor);
    if (!job)
        return;
    struct verify_attempt *a = add_attempt(d, job);
    a->start = verify_csv_span(csv, A_START);
    a->end = verify_csv_span(csv, A_FINISH);
    a->how = read_how(csv);
    a->shared = verify_csv_flag(csv, A_SHARED);
    a->profiling = verify_csv_flag(csv, A_PROFILING);
    verify_rows_read_gpus(csv, A_ALLOCATED, d, a);
    if (d->columns == VERIFY_COLUMNS_ALL)
        read_attempt_more(csv, d, job);
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
    static const struct verify_table tables[] = {
        VERIFY_TABLE(job_columns),
        VERIFY_OPTIONAL_TABLE(job_terms_columns),
        VERIFY_OPTIONAL_TABLE(job_class_columns),
        VERIFY_OPTIONAL_TABLE(job_extra_columns),
        {0}};
    struct verify_csv csv = {.path = path,
                             .names = verify_rows_job_cells[data->columns],
                             .n_names = JOB_N_CELLS,
                             .n_optional = 9,
                             .tables = data->report ? tables : NULL,
                             .any_columns =
                                 json_object_get(data->manifest, "columns"),
                             .manifest = data->manifest,
                             .report = data->report,
                             .row = verify_rows_read_job,
                             .self = data,
                             .err = err};
    return verify_csv_read(&csv);
}

enum status verify_read_attempts(const char *path, struct verify_data *data,
                                 struct error *err)
{
    struct cursor cursor = {.data = data};
    static const struct verify_table tables[] = {VERIFY_TABLE(attempt_columns),
                                                 {0}};
    struct verify_csv csv = {.path = path,
                             .names = attempt_cells[data->columns],
                             .n_names = ATTEMPT_N_CELLS,
                             .tables = data->report ? tables : NULL,
                             .manifest = data->manifest,
                             .report = data->report,
                             .row = verify_rows_read_attempt,
                             .self = &cursor,
                             .err = err};
    return verify_csv_read(&csv);
}
