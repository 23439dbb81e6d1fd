/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads jobs.csv and attempts.csv for verify, side by side, because both list
 * jobs in the same order: what only the checks of one job need is forgotten
 * after them. Without attempts.csv each job that started has one attempt, from
 * its start to its end on its allocated_resources. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "sim/results/report.h"
#include "sim/verify/verify_csv.h"
#include "sim/verify/verify_internal.h"

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

/* Reads a set of at most `most` numbers below `most`, such as "0-3 8", and
 * appends its ranges to d->ranges. Returns the number of elements: 0 for an
 * empty cell and, after verify_csv_fail, for a cell that is not such a set. */
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
        const uint32_t n = good ? range.last - range.first + 1 : 0;
        if (!good || range.last < range.first || range.last >= most ||
            n > most - count) {
            verify_csv_fail(csv, cell);
            return 0;
        }
        d->ranges = mem_grow(d->ranges, &d->cap_ranges, d->n_ranges + 1,
                             sizeof *d->ranges);
        d->ranges[d->n_ranges++] = range;
        count += n;
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
    if (!t.len)
        return "";
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
    const size_t n = d->n_attempts - d->more_from;
    d->attempt_more = mem_grow(d->attempt_more, &d->cap_attempt_more, n,
                               sizeof *d->attempt_more);
    return &d->attempt_more[n - 1];
}

static void verify_rows_read_gpus(struct verify_csv *csv, unsigned cell,
                                  struct verify_data *d,
                                  struct verify_attempt *a)
{
    a->gpus = read_ranges(csv, cell, d, d->n_gpus);
    a->n_ranges = (uint32_t)(d->n_ranges - a->first_gpu_range) &
                  ((1u << VERIFY_RANGE_BITS) - 1);
}

/* Makes the attempt of a job from its row in jobs.csv, if the job started. */
static void add_only_attempt(struct verify_csv *csv, struct verify_data *d,
                             struct verify_job *job,
                             const struct verify_job_row *row)
{
    if (verify_csv_cell(csv, J_START).len == 0)
        return;
    struct verify_attempt *a = add_attempt(d, job);
    a->start = verify_csv_span(csv, J_START);
    a->end = job->finish;
    a->how = 'f';
    verify_rows_read_gpus(csv, J_ALLOCATED, d, a);
    if (d->columns == VERIFY_COLUMNS_ALL)
        *add_attempt_more(d) = (struct verify_attempt_more){
            .idle = row->overhead, .work = row->work, .lost = row->lost};
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

/* Keeps the cells of a job that few results have. */
static void keep_rare(struct verify_csv *csv, struct verify_data *d)
{
    const size_t i = d->n_jobs - 1;
    if (csv->at[J_CLASS] >= 0 || (d->merged && csv->at[J_PRIORITY] >= 0)) {
        d->classes = mem_grow(d->classes, &d->cap_classes, d->n_jobs,
                              sizeof *d->classes);
        d->classes[i] =
            (struct verify_job_class){verify_rows_keep(csv, d, J_CLASS),
                                      verify_rows_keep(csv, d, J_PRIORITY)};
    }
    if (csv->at[J_DEADLINE] >= 0) {
        d->deadlines = mem_grow(d->deadlines, &d->cap_deadlines, d->n_jobs,
                                sizeof *d->deadlines);
        d->deadlines[i] = verify_csv_cell(csv, J_DEADLINE).len
                              ? verify_csv_span(csv, J_DEADLINE)
                              : TIME_NEVER;
    }
}

/* Reads the columns of a job that only `verify` compares. */
static void read_job_more(struct verify_csv *csv, struct verify_data *d,
                          struct verify_job_row *row)
{
    d->job_more =
        mem_grow(d->job_more, &d->cap_job_more, d->n_jobs, sizeof *d->job_more);
    struct verify_job_more *m = &d->job_more[d->n_jobs - 1];
    *m = (struct verify_job_more){.line = (uint32_t)csv->line};
    m->has_by_load = verify_csv_ratio(csv, J_BY_LOAD, &m->by_load);
    m->has_rho = verify_csv_ratio(csv, J_RHO, &m->rho);
    *row = (struct verify_job_row){
        .allocated = rows_hash(csv, J_ALLOCATED),
        .started = verify_csv_cell(csv, J_START).len > 0,
        .running = verify_csv_span(csv, J_RUNNING),
        .work = verify_csv_span(csv, J_WORK),
        .overhead = verify_csv_span(csv, J_OVERHEAD),
        .lost = verify_csv_span(csv, J_LOST),
        .preemptions = verify_csv_count(csv, J_PREEMPTIONS),
        .shared = verify_csv_flag(csv, J_SHARED),
    };
    row->start = row->started ? verify_csv_span(csv, J_START) : 0;
    for (unsigned i = 0; i < VERIFY_SAME; i++) {
        d->has_same[i] = csv->at[same_cells[i].of_job] >= 0;
        row->same[i] = rows_hash(csv, same_cells[i].of_job);
    }
    keep_rare(csv, d);
    check_outcome(csv, &d->jobs[d->n_jobs - 1]);
}

/* Reads a job; without attempts.csv, also its attempt. */
static void verify_rows_read_job(struct verify_csv *csv, struct verify_data *d,
                                 struct verify_job_row *row)
{
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
        .attempts = verify_csv_count(csv, J_ATTEMPTS),
    };
    job->finish = job->ended ? verify_csv_span(csv, J_FINISH) : d->end;
    if (job->vc == UINT32_MAX)
        verify_csv_fail(csv, J_VC);
    if (type.len && job->type == UINT32_MAX && d->report)
        verify_csv_say(csv, J_TYPE, "no node has this type");
    struct verify_job_told told = {verify_csv_span(csv, J_HELD), NAN};
    (void)verify_csv_ratio(csv, J_SLOWDOWN, &told.slowdown);
    job->outcome = rows_outcome(csv, J_OUTCOME);
    job->finished = job->outcome < 4;
    if (d->columns == VERIFY_COLUMNS_ALL) {
        read_job_more(csv, d, row);
        row->told = told;
    } else {
        d->told = mem_grow(d->told, &d->cap_told, d->n_jobs, sizeof told);
        d->told[d->n_jobs - 1] = told;
    }
    if (!d->has_attempts)
        add_only_attempt(csv, d, job, row);
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
                               const struct verify_job_row *row,
                               const struct verify_attempt *a)
{
    for (unsigned i = 0; i < VERIFY_SAME; i++) {
        if (d->has_same[i] &&
            rows_hash(csv, same_cells[i].of_attempt) != row->same[i])
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
                              const struct verify_job *job,
                              const struct verify_job_row *row)
{
    *add_attempt_more(d) = (struct verify_attempt_more){
        .idle = verify_csv_span(csv, A_IDLE),
        .work = verify_csv_span(csv, A_WORK),
        .resume = verify_csv_span(csv, A_RESUME),
        .lost = verify_csv_span(csv, A_LOST),
        .allocated = rows_hash(csv, A_ALLOCATED),
    };
    d->attempt_lines = mem_grow(d->attempt_lines, &d->cap_attempt_lines,
                                d->n_attempts, sizeof *d->attempt_lines);
    d->attempt_lines[d->n_attempts - 1] = (uint32_t)csv->line;
    attempts_check_row(csv, d, job, row, &d->attempts[d->n_attempts - 1]);
}

static void verify_rows_read_attempt(struct verify_csv *csv,
                                     struct verify_data *d,
                                     struct verify_job *job,
                                     const struct verify_job_row *row)
{
    struct verify_attempt *a = add_attempt(d, job);
    a->start = verify_csv_span(csv, A_START);
    a->end = verify_csv_span(csv, A_FINISH);
    a->how = read_how(csv);
    a->shared = verify_csv_flag(csv, A_SHARED);
    a->profiling = verify_csv_flag(csv, A_PROFILING);
    verify_rows_read_gpus(csv, A_ALLOCATED, d, a);
    if (d->columns == VERIFY_COLUMNS_ALL)
        read_attempt_more(csv, d, job, row);
}

/* Both files as they are read. */
struct rows_pair {
    struct verify_data *data;
    struct verify_csv jobs, attempts;
    bool has_attempt;          /* a row of attempts.csv waits for its job */
    uint64_t lacked;           /* line of the row for which a job has too few */
    bool keeps_more;           /* of the attempts */
    struct verify_job_row row; /* of the job that was read last */
    struct verify_job_row before;
};

static bool rows_go_on(const struct verify_csv *csv)
{
    return csv->st == STATUS_OK || csv->st == STATUS_END;
}

/* Says that the row of attempts.csv belongs to no job. */
static void rows_no_job(struct rows_pair *p)
{
    struct verify_csv *csv = &p->attempts;
    csv->st = error_set(
        csv->err, csv->tables ? STATUS_BROKEN : STATUS_BAD_INPUT,
        "%s:%" PRIu64 ": job_id: '%.*s' is not a job of jobs.csv, not in the "
        "order of jobs.csv, or comes after missing rows",
        csv->path, csv->line, TEXT_ARGS(verify_csv_cell(csv, A_ID)));
}

/* True if the waiting row of attempts.csv is one of the job. Identifiers may
 * repeat, so a job that has all its attempts is passed over for the next. */
static bool rows_is_attempt_of(const struct rows_pair *p, size_t i)
{
    const struct verify_data *d = p->data;
    const struct verify_job *job = &d->jobs[i];
    const bool full = job->n_attempts && job->n_attempts >= job->attempts;
    return text_is(verify_csv_cell(&p->attempts, A_ID), job->id) &&
           !(full && i + 1 < d->n_jobs && strcmp(job->id, job[1].id) == 0);
}

/* Reads the attempts of a job. A row that two jobs pass over although they lack
 * attempts belongs to none. */
static void rows_read_attempts(struct rows_pair *p, size_t i,
                               const struct verify_job_row *row)
{
    struct verify_job *job = &p->data->jobs[i];
    while (p->has_attempt && rows_is_attempt_of(p, i)) {
        verify_rows_read_attempt(&p->attempts, p->data, job, row);
        p->has_attempt = verify_csv_next(&p->attempts);
    }
    if (!p->has_attempt || job->n_attempts >= job->attempts)
        return;
    if (p->lacked == p->attempts.line)
        rows_no_job(p);
    p->lacked = p->attempts.line;
}

/* Reads the attempts of a job and checks the job. */
static void rows_end_job(struct rows_pair *p, size_t i,
                         const struct verify_job_row *row)
{
    struct verify_data *d = p->data;
    if (d->has_attempts)
        rows_read_attempts(p, i, row);
    if (d->columns != VERIFY_COLUMNS_ALL || !rows_go_on(&p->attempts))
        return;
    verify_attempts(d, &d->jobs[i], row);
    verify_jobs(d, &d->jobs[i], row);
    verify_sums_add(d, &d->jobs[i], row);
    if (!p->keeps_more)
        d->more_from = d->n_attempts;
}

/* Reads all rows. */
static void rows_read_all(struct rows_pair *p)
{
    struct verify_data *d = p->data;
    while (rows_go_on(&p->attempts) && verify_csv_next(&p->jobs)) {
        p->before = p->row;
        verify_rows_read_job(&p->jobs, d, &p->row);
        if (p->jobs.st != STATUS_OK)
            return;
        if (!d->has_attempts)
            rows_end_job(p, d->n_jobs - 1, &p->row);
        else if (d->n_jobs > 1)
            rows_end_job(p, d->n_jobs - 2, &p->before);
    }
    if (p->jobs.st != STATUS_END)
        return;
    if (d->has_attempts && d->n_jobs)
        rows_end_job(p, d->n_jobs - 1, &p->row);
    if (p->has_attempt)
        rows_no_job(p);
}

/* True if checks after the reading look at the other columns of attempts. */
static bool rows_keeps_more(const struct rows_pair *p)
{
    const struct verify_data *d = p->data;
    return d->has_attempts &&
           (p->jobs.at[J_CLASS] >= 0 || verify_has_monitor(d) || d->elastic ||
            json_object_get(json_object_get(d->manifest, "outputs"),
                            "failures.csv"));
}

enum status verify_read_rows(const char *dir, struct verify_data *data,
                             struct error *err)
{
    char jobs[PATH_MAX], attempts[PATH_MAX];
    snprintf(jobs, sizeof jobs, "%s/jobs.csv", dir);
    snprintf(attempts, sizeof attempts, "%s/attempts.csv", dir);
    /* Allocate the list even if there are no attempts, because pointers into it
     * are computed. */
    data->ranges =
        mem_grow(data->ranges, &data->cap_ranges, 1, sizeof *data->ranges);
    static const struct verify_table job_tables[] = {
        VERIFY_TABLE(job_columns),
        VERIFY_OPTIONAL_TABLE(job_terms_columns),
        VERIFY_OPTIONAL_TABLE(job_class_columns),
        VERIFY_OPTIONAL_TABLE(job_extra_columns),
        {0}};
    static const struct verify_table attempt_tables[] = {
        VERIFY_TABLE(attempt_columns), {0}};
    const struct verify_csv both = {
        .manifest = data->manifest, .report = data->report, .err = err};
    struct rows_pair p = {.data = data, .jobs = both, .attempts = both};
    p.jobs.path = jobs;
    p.jobs.names = verify_rows_job_cells[data->columns];
    p.jobs.n_names = JOB_N_CELLS;
    p.jobs.n_optional = 9;
    p.jobs.any_columns = json_object_get(data->manifest, "columns");
    p.jobs.tables = data->report ? job_tables : NULL;
    p.attempts.path = attempts;
    p.attempts.names = attempt_cells[data->columns];
    p.attempts.n_names = ATTEMPT_N_CELLS;
    p.attempts.tables = data->report ? attempt_tables : NULL;
    enum status st = verify_csv_open(&p.jobs);
    if (st == STATUS_OK && data->has_attempts)
        st = verify_csv_open(&p.attempts);
    if (st == STATUS_OK) {
        p.keeps_more = rows_keeps_more(&p);
        p.has_attempt = data->has_attempts && verify_csv_next(&p.attempts);
        rows_read_all(&p);
    }
    const enum status of_jobs = verify_csv_close(&p.jobs),
                      of_attempts = verify_csv_close(&p.attempts);
    return of_jobs != STATUS_OK ? of_jobs : of_attempts;
}
