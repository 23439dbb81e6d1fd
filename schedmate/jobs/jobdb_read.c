/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads jobs, metadata texts and vectors. */
#include <string.h>

#include "base/arena.h"
#include "schedmate/jobs/jobdb_internal.h"

#define JOB_COLUMNS \
    "SELECT j.id, source, source_id, user, workdir, command, branch, name, " \
    "vc, gpu_type, t.text, end, submitted_us, duration_us, gpus, gpu_util, " \
    "mem_mib, state, exit_code, hosts, failure FROM jobs j LEFT JOIN texts t " \
    "ON t.id = j.text "
#define NEWEST_FIRST " ORDER BY submitted_us DESC NULLS LAST, j.id DESC"

/* An empty text of the filter (?1 to ?4) matches any job, unless ?5 is true. */
static const char select_jobs[] = JOB_COLUMNS
    "WHERE (?1 = '' AND NOT ?5 OR user = ?1)"
    " AND (?2 = '' AND NOT ?5 OR workdir = ?2)"
    " AND (?3 = '' AND NOT ?5 OR command = ?3)"
    " AND (?4 = '' AND NOT ?5 OR branch = ?4)" NEWEST_FIRST " LIMIT ?6";
/* Selects the jobs for ?5 = true, in a form for which SQLite uses the index
 * jobs_match. */
static const char select_exactly[] = JOB_COLUMNS
    "WHERE user = ?1 AND workdir = ?2 AND command = ?3 AND branch = ?4"
    " AND ?5" NEWEST_FIRST " LIMIT ?6";
static const char select_of_text[] =
    JOB_COLUMNS "WHERE j.text = ?" NEWEST_FIRST;
static const char select_texts[] =
    "SELECT t.id, t.text, v.n, v.data,"
    " (SELECT count(*) FROM jobs j"
    "  WHERE j.text = t.id AND j.end = 'completed')"
    " FROM texts t LEFT JOIN vectors v"
    " ON v.text = t.id AND v.embedding = ? ORDER BY t.id";

static struct text column_text(struct jobdb *s, sqlite3_stmt *stmt, int at)
{
    const char *text = (const char *)s->sql.sqlite3_column_text(stmt, at);
    return (struct text){text ? text : "",
                         (size_t)s->sql.sqlite3_column_bytes(stmt, at)};
}

static double column_figure(struct jobdb *s, sqlite3_stmt *stmt, int at)
{
    return s->sql.sqlite3_column_type(stmt, at) == SQLITE_NULL
               ? -1
               : s->sql.sqlite3_column_double(stmt, at);
}

static struct jobdb_job column_job(struct jobdb *s, sqlite3_stmt *stmt)
{
    struct jobdb_job job = {.id = s->sql.sqlite3_column_int64(stmt, 0)};
    struct text *const texts[] = {&job.source,   &job.source_id, &job.user,
                                  &job.workdir,  &job.command,   &job.branch,
                                  &job.name,     &job.vc,        &job.gpu_type,
                                  &job.metadata, &job.end};
    int at = 1;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = column_text(s, stmt, at++);
    job.submitted = s->sql.sqlite3_column_type(stmt, at) == SQLITE_NULL
                        ? JOBDB_NO_TIME
                        : s->sql.sqlite3_column_int64(stmt, at);
    job.duration = s->sql.sqlite3_column_int64(stmt, at + 1);
    job.gpus = (uint32_t)s->sql.sqlite3_column_int64(stmt, at + 2);
    job.gpu_util = column_figure(s, stmt, at + 3);
    job.mem_mib = column_figure(s, stmt, at + 4);
    job.state = column_text(s, stmt, at + 5);
    job.exit_code = column_text(s, stmt, at + 6);
    job.hosts = column_text(s, stmt, at + 7);
    job.failure = column_text(s, stmt, at + 8);
    return job;
}

static enum status visit_all(struct jobdb *s, sqlite3_stmt *stmt,
                             jobdb_visit *visit, void *self, struct error *err)
{
    int code;
    while ((code = s->sql.sqlite3_step(stmt)) == SQLITE_ROW) {
        struct jobdb_job job = column_job(s, stmt);
        if (!visit(self, &job))
            break;
    }
    enum status st = code == SQLITE_ROW || code == SQLITE_DONE
                         ? STATUS_OK
                         : jobdb_failed(s, "cannot read the history", err);
    s->sql.sqlite3_finalize(stmt);
    return st;
}

enum status jobdb_each(struct jobdb *s, const struct jobdb_filter *filter,
                       jobdb_visit *visit, void *self, struct error *err)
{
    const struct text texts[] = {filter->user, filter->workdir, filter->command,
                                 filter->branch};
    sqlite3_stmt *stmt;
    enum status st = jobdb_prepare(
        s, filter->exactly ? select_exactly : select_jobs, &stmt, err);
    if (st != STATUS_OK)
        return st;
    for (int i = 0; i < 4; i++)
        jobdb_bind_text(s, stmt, i + 1, texts[i]);
    s->sql.sqlite3_bind_int64(stmt, 5, filter->exactly);
    s->sql.sqlite3_bind_int64(
        stmt, 6, filter->limit ? (int64_t)filter->limit : INT64_MAX);
    return visit_all(s, stmt, visit, self, err);
}

/* Reads a vector, its length from column `at` and its data from the next one,
 * into s->values and returns that. Returns NULL if there is no vector, or if
 * its length or an index is out of range. */
static const float *column_vector(struct jobdb *s, sqlite3_stmt *stmt, int at,
                                  size_t *n)
{
    int64_t count = s->sql.sqlite3_column_int64(stmt, at);
    const char *data = s->sql.sqlite3_column_blob(stmt, at + 1);
    size_t bytes = (size_t)s->sql.sqlite3_column_bytes(stmt, at + 1);
    if (!data || count <= 0 || count > JOBDB_VECTOR_MAX)
        return NULL;
    *n = (size_t)count;
    s->values = mem_grow(s->values, &s->cap_values, *n, sizeof *s->values);
    if (bytes == *n * sizeof *s->values) {
        memcpy(s->values, data, bytes);
        return s->values;
    }
    memset(s->values, 0, *n * sizeof *s->values);
    for (size_t i = 0; i + sizeof(struct jobdb_place) <= bytes;
         i += sizeof(struct jobdb_place)) {
        struct jobdb_place place;
        memcpy(&place, data + i, sizeof place);
        if (place.at >= *n)
            return NULL;
        s->values[place.at] = place.value;
    }
    return s->values;
}

enum status jobdb_each_text(struct jobdb *s, const char *embedding,
                            jobdb_visit_text *visit, void *self,
                            struct error *err)
{
    sqlite3_stmt *stmt;
    int code = SQLITE_DONE;
    enum status st = jobdb_prepare(s, select_texts, &stmt, err);
    if (st != STATUS_OK)
        return st;
    jobdb_bind_text(s, stmt, 1, text_from(embedding));
    while (st == STATUS_OK &&
           (code = s->sql.sqlite3_step(stmt)) == SQLITE_ROW) {
        size_t n;
        const float *values = column_vector(s, stmt, 2, &n);
        st = visit(self, s->sql.sqlite3_column_int64(stmt, 0),
                   column_text(s, stmt, 1),
                   (uint64_t)s->sql.sqlite3_column_int64(stmt, 4), values,
                   values ? n : 0, err);
    }
    if (st == STATUS_OK && code != SQLITE_DONE)
        st = jobdb_failed(s, "cannot read the history", err);
    s->sql.sqlite3_finalize(stmt);
    return st;
}

enum status jobdb_each_of_text(struct jobdb *s, int64_t text_id,
                               jobdb_visit *visit, void *self,
                               struct error *err)
{
    sqlite3_stmt *stmt;
    enum status st = jobdb_prepare(s, select_of_text, &stmt, err);
    if (st != STATUS_OK)
        return st;
    s->sql.sqlite3_bind_int64(stmt, 1, text_id);
    return visit_all(s, stmt, visit, self, err);
}

enum status jobdb_count(struct jobdb *s, uint64_t *jobs, struct error *err)
{
    int64_t n = 0;
    enum status st = jobdb_number(s, "SELECT count(*) FROM jobs", &n, err);
    *jobs = (uint64_t)n;
    return st;
}
