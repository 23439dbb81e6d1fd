/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about the jobs of Slurm, and which of them the driver may touch. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/drive/drive_internal.h"
#include "sim/present/slurm_internal.h"

/* Versions whose commands and fields were run (22.05) or read in the sources;
 * those between two that were read count as read. */
static const struct {
    int major, minor;
} versions[] = {{22, 5},  {23, 2}, {23, 11}, {24, 5},
                {24, 11}, {25, 5}, {25, 11}, {26, 5}};

static int version_part(const json_t *version, const char *key)
{
    const json_t *part = json_object_get(version, key);
    int64_t n = json_integer_value(part);
    if (json_is_string(part) &&
        !text_to_i64(text_from(json_string_value(part)), &n))
        n = -1;
    return n >= 0 && n < 1000 ? (int)n : -1;
}

static enum status check_version(const json_t *answer, struct error *err)
{
    const json_t *meta = json_object_get(answer, "meta");
    const json_t *slurm = json_object_get(meta, "Slurm");
    if (!slurm)
        slurm = json_object_get(meta, "slurm");
    const json_t *version = json_object_get(slurm, "version");
    const int major = version_part(version, "major");
    const int minor = version_part(version, "minor");
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        if (versions[i].major == major && versions[i].minor == minor)
            return STATUS_OK;
    }
    if (!version)
        return error_set(err, STATUS_FAILED,
                         "squeue does not say its version (meta, Slurm, "
                         "version): nothing is done");
    return error_set(err, STATUS_FAILED,
                     "Slurm %d.%02d is not known to drive, which has been "
                     "checked for 22.05 to 26.05: nothing is done",
                     major, minor);
}

/* Refuses a record without a field on which a decision rests. */
static enum status check_fields(const json_t *job, struct error *err)
{
    static const char *const keys[] = {
        "job_id",      "job_state",  "state_reason",  "partition",  "user_name",
        "comment",     "nice",       "priority",      "batch_flag", "requeue",
        "restart_cnt", "dependency", "eligible_time",
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!json_object_get(job, keys[i]))
            return error_set(err, STATUS_FAILED,
                             "squeue prints a job without \"%s\": nothing is "
                             "done",
                             keys[i]);
    }
    return STATUS_OK;
}

static bool jobs_has_name(const struct drive_names *names, struct text name)
{
    for (size_t i = 0; i < names->n; i++) {
        if (text_is(name, names->at[i]))
            return true;
    }
    return false;
}

/* True if all partitions that the job names, and its user, are named. */
static bool is_in_scope(const struct drive_scope *scope, const json_t *job)
{
    struct text list = slurm_word(job, "partition");
    bool all = list.len > 0;
    while (list.len)
        all &= jobs_has_name(&scope->partitions, text_split(list, ',', &list));
    return all && (scope->users.n == 0 ||
                   jobs_has_name(&scope->users, slurm_word(job, "user_name")));
}

/* True if the mark is a word of the comment. */
static bool has_mark(const json_t *job, const char *mark)
{
    struct text comment = slurm_word(job, "comment");
    while (comment.len) {
        if (text_is(text_split(comment, ' ', &comment), mark))
            return true;
    }
    return false;
}

static bool jobs_is_true(const json_t *job, const char *key)
{
    const json_t *value = json_object_get(job, key);
    return json_is_true(value) || slurm_number(job, key) > 0;
}

/* True if the record is one of an array whose tasks wait. */
static bool is_array_head(const json_t *job)
{
    return slurm_word(job, "array_task_string").len > 0;
}

static void jobs_take(const struct drive_options *options, const json_t *job,
                      sim_time at, struct drive_job *out)
{
    struct text reason = slurm_word(job, "state_reason");
    const double eligible = slurm_number(job, "eligible_time");
    const double het = slurm_number(job, "het_job_id");
    const bool completes = slurm_has_flag(job, "job_state", "COMPLETING");
    slurm_job_id(job, out->id, sizeof out->id);
    if (is_array_head(job))
        snprintf(out->id, sizeof out->id, "%.0f",
                 slurm_number(job, "array_job_id"));
    out->is_part = het > 0;
    if (out->is_part) {
        out->is_leader = slurm_number(job, "job_id") == het;
        snprintf(out->id, sizeof out->id, "%.0f+%.0f", het,
                 slurm_number(job, "het_job_offset"));
    }
    out->user = slurm_word(job, "user_name").at;
    out->reason = reason.at ? reason.at : "";
    out->priority = slurm_number(job, "priority");
    out->pending = !completes && slurm_has_flag(job, "job_state", "PENDING");
    out->running = !completes && slurm_has_flag(job, "job_state", "RUNNING");
    out->held =
        out->pending && out->priority <= 0 && text_is(reason, "JobHeldUser");
    out->free = out->running || (out->pending && out->priority > 0);
    out->in_scope = is_in_scope(&options->scope, job);
    out->marked = has_mark(job, options->scope.mark);
    out->may_requeue =
        jobs_is_true(job, "batch_flag") && jobs_is_true(job, "requeue");
    out->waits = slurm_word(job, "dependency").len > 0 ||
                 eligible * (double)SPAN_SECOND > (double)at;
    out->nice = (int64_t)slurm_number(job, "nice");
    out->restarts = (int64_t)slurm_number(job, "restart_cnt");
}

/* True unless somebody held the job again after it had been free. */
static bool is_first_hold(const struct drive_book *book,
                          const struct drive_job *job)
{
    const struct drive_entry *entry = drive_book_find(book, job->id);
    if (!entry || entry->freed < 0)
        return true;
    return job->restarts > entry->freed && job->restarts == entry->put_back + 1;
}

static int jobs_by_id(const void *a, const void *b)
{
    return strcmp(((const struct drive_job *)a)->id,
                  ((const struct drive_job *)b)->id);
}

/* Forgets the jobs that Slurm no longer lists. */
static void book_forget(struct drive_book *book)
{
    size_t kept = 0;
    for (size_t i = 0; i < book->n; i++) {
        if (book->entries[i].is_listed)
            book->entries[kept++] = book->entries[i];
    }
    book->n = kept;
}

/* Reads when slurmctld started, from `scontrol show config`. Returns true if it
 * has started again since the book was last read. */
static bool book_boot(struct drive_book *book, struct text conf)
{
    char was[sizeof book->boot];
    struct text rest;
    memcpy(was, book->boot, sizeof was);
    while (conf.len) {
        struct text line = text_split(conf, '\n', &conf);
        if (text_is(text_trim(text_split(line, '=', &rest)), "BOOT_TIME"))
            snprintf(book->boot, sizeof book->boot, "%.*s",
                     TEXT_ARGS(text_trim(rest)));
    }
    return *was && strcmp(was, book->boot) != 0;
}

/* Notes what is seen of a job. `again`: slurmctld has started again; a job that
 * is held now though it was free, and whose hold nobody saw, has lost its
 * release. */
static void book_see(struct drive_entry *entry, const struct drive_job *job,
                     bool again)
{
    entry->is_listed = true;
    if (job->free) {
        entry->freed = job->restarts;
        entry->foreign = false;
        return;
    }
    if (!job->held || entry->freed < job->restarts)
        return;
    if (again && !entry->foreign)
        entry->freed = -1;
    else
        entry->foreign = true;
}

static void jobs_judge(struct drive_jobs *jobs,
                       const struct drive_options *options,
                       struct drive_book *book, bool again)
{
    for (size_t i = 0; i < book->n; i++)
        book->entries[i].is_listed = false;
    for (size_t i = 0; i < jobs->n; i++) {
        struct drive_job *job = &jobs->at[i];
        const bool was_known = drive_book_find(book, job->id) != NULL;
        if (!job->in_scope || (!job->marked && !was_known))
            continue;
        if (was_known || job->free)
            book_see(drive_book_entry(book, job->id), job, again);
        job->ours = options->by == DRIVE_BY_RELEASE && job->held &&
                    job->marked && is_first_hold(book, job);
    }
    book_forget(book);
}

enum status drive_jobs_read(const struct slurm_answers *answers,
                            const struct drive_options *options, sim_time at,
                            bool strict, struct drive_book *book,
                            struct drive_jobs *out, struct error *err)
{
    const json_t *list = json_object_get(answers->jobs, "jobs");
    const size_t n = json_array_size(list);
    *out = (struct drive_jobs){0};
    enum status st = strict ? check_version(answers->jobs, err) : STATUS_OK;
    for (size_t i = 0; i < n && st == STATUS_OK && strict; i++)
        st = check_fields(json_array_get(list, i), err);
    if (st != STATUS_OK)
        return st;
    out->at = mem_zalloc(n + 1, sizeof *out->at);
    for (size_t i = 0; i < n; i++) {
        const json_t *job = json_array_get(list, i);
        if (strict || check_fields(job, NULL) == STATUS_OK)
            jobs_take(options, job, at, &out->at[out->n++]);
    }
    if (n)
        qsort(out->at, n, sizeof *out->at, jobs_by_id);
    jobs_judge(out, options, book, book_boot(book, answers->conf));
    return STATUS_OK;
}

void drive_jobs_fini(struct drive_jobs *jobs)
{
    free(jobs->at);
    *jobs = (struct drive_jobs){0};
}

struct drive_job *drive_jobs_find(const struct drive_jobs *jobs, const char *id)
{
    struct drive_job key = {0};
    if (jobs->n == 0)
        return NULL;
    snprintf(key.id, sizeof key.id, "%s", id);
    struct drive_job *found =
        bsearch(&key, jobs->at, jobs->n, sizeof key, jobs_by_id);
    char *end = strchr(key.id, '_');
    if (!found && end) {
        *end = 0;
        found = bsearch(&key, jobs->at, jobs->n, sizeof key, jobs_by_id);
    }
    return found;
}

/* A job of the state that is opened. */
struct opened_job {
    struct state_job *job;
    uint32_t number, task;
};

static int opened_by_time(const void *a, const void *b)
{
    const struct opened_job *x = a, *y = b;
    if (x->job->submitted != y->job->submitted)
        return x->job->submitted < y->job->submitted ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->task < y->task ? -1 : x->task > y->task;
}

/* Jobs of one second, also those released already, keep the order of their
 * numbers: each is moved back by a microsecond after the one before it, but not
 * beyond the present. */
static void spread_opened(struct opened_job *opened, size_t n, sim_time present)
{
    if (n)
        qsort(opened, n, sizeof *opened, opened_by_time);
    for (size_t i = 1; i < n; i++) {
        struct state_job *job = opened[i].job;
        const sim_time before = opened[i - 1].job->submitted;
        if (job->submitted <= before && before < present)
            job->submitted = before + 1;
    }
}

void drive_jobs_open(struct drive_jobs *jobs, struct state *state)
{
    struct opened_job *opened = mem_alloc((state->n_jobs + 1) * sizeof *opened);
    size_t n = 0;
    for (size_t i = 0; i < state->n_jobs; i++) {
        struct state_job *job = &state->jobs[i];
        struct drive_job *fact = drive_jobs_find(jobs, job->id);
        if (!fact)
            continue;
        fact->is_planned = true;
        const bool released = fact->marked && fact->in_scope && fact->free &&
                              job->started == TIME_NEVER && !job->held;
        if (!released && (!fact->ours || fact->waits || fact->is_part))
            continue;
        job->held = NULL;
        job->submitted -= job->submitted % SPAN_SECOND;
        struct text rest, number = text_split(text_from(job->id), '_', &rest);
        opened[n] = (struct opened_job){.job = job};
        (void)text_to_u32(number, &opened[n].number);
        (void)text_to_u32(rest, &opened[n].task);
        n++;
    }
    spread_opened(opened, n, state->at);
    free(opened);
}

bool drive_id_is_plain(const char *id)
{
    uint32_t n;
    struct text task, number = text_split(text_from(id), '_', &task);
    const bool has_task = strchr(id, '_') != NULL;
    return strlen(id) < 32 && strspn(id, "0123456789_") == strlen(id) &&
           text_to_u32(number, &n) && (!has_task || text_to_u32(task, &n));
}
