/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds jobs, metadata texts and vectors. */
#include <stdlib.h>

#include "base/arena.h"
#include "schedmate/jobs/jobdb_internal.h"

static const char insert_job[] =
    "INSERT INTO jobs(source, source_id, user, workdir, command,"
    " branch, name, vc, gpu_type, end, text, submitted_us,"
    " duration_us, gpus, gpu_util, mem_mib, state, exit_code, hosts, failure)"
    " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
    " ON CONFLICT(source, source_id) DO NOTHING";
/* Fills in what was unknown of a job that the table already has. The parameters
 * are those of insert_job; ?13, the duration, is not used, because it is always
 * known. */
static const char fill_job[] =
    "UPDATE jobs SET user = iif(user = '', ?3, user),"
    " workdir = iif(workdir = '', ?4, workdir),"
    " command = iif(command = '', ?5, command),"
    " branch = iif(branch = '', ?6, branch),"
    " name = iif(name = '', ?7, name), vc = iif(vc = '', ?8, vc),"
    " gpu_type = iif(gpu_type = '', ?9, gpu_type),"
    " end = iif(end = 'unknown', ?10, end), text = coalesce(text, ?11),"
    " submitted_us = coalesce(submitted_us, ?12),"
    " gpus = iif(gpus = 0, ?14, gpus),"
    " gpu_util = coalesce(gpu_util, ?15), mem_mib = coalesce(mem_mib, ?16),"
    " state = iif(state = '', ?17, state),"
    " exit_code = iif(exit_code = '', ?18, exit_code),"
    " hosts = iif(hosts = '', ?19, hosts),"
    " failure = iif(failure = '', ?20, failure)"
    " WHERE source = ?1 AND source_id = ?2";
static const char insert_vector[] =
    "INSERT OR REPLACE INTO vectors(text, embedding, n, data)"
    " VALUES(?,?,?,?)";

void jobdb_bind_text(struct jobdb *s, sqlite3_stmt *stmt, int at,
                     struct text text)
{
    s->sql.sqlite3_bind_text64(stmt, at, text.at ? text.at : "", text.len,
                               SQLITE_STATIC, SQLITE_UTF8);
}

static void bind_figure(struct jobdb *s, sqlite3_stmt *stmt, int at,
                        double value)
{
    if (value < 0)
        s->sql.sqlite3_bind_null(stmt, at);
    else
        s->sql.sqlite3_bind_double(stmt, at, value);
}

/* Sets *out to statement number `which`, which is compiled at its first use and
 * kept in `s`. */
static enum status kept(struct jobdb *s, int which, const char *sql,
                        sqlite3_stmt **out, struct error *err)
{
    enum status st = STATUS_OK;
    if (!s->prepared[which])
        st = jobdb_prepare(s, sql, &s->prepared[which], err);
    *out = s->prepared[which];
    return st;
}

/* Runs a statement that returns at most one row, and resets it. Stores the
 * first column of the row in *row; without a row, *row keeps its value. `row`
 * is NULL for a statement that returns none. */
static enum status run(struct jobdb *s, sqlite3_stmt *stmt, int64_t *row,
                       struct error *err)
{
    enum status st = STATUS_OK;
    int code = s->sql.sqlite3_step(stmt);
    if (code == SQLITE_ROW && row)
        *row = s->sql.sqlite3_column_int64(stmt, 0);
    else if (code != SQLITE_DONE)
        st = jobdb_failed(s, "cannot write the history", err);
    s->sql.sqlite3_reset(stmt);
    return st;
}

/* Sets *out to the id of a metadata text, and adds the text if it is new. */
static enum status text_number(struct jobdb *s, struct text metadata,
                               int64_t *out, struct error *err)
{
    sqlite3_stmt *stmt;
    enum status st = kept(
        s, ADD_TEXT, "INSERT OR IGNORE INTO texts(text) VALUES(?)", &stmt, err);
    if (st != STATUS_OK)
        return st;
    jobdb_bind_text(s, stmt, 1, metadata);
    st = run(s, stmt, NULL, err);
    if (st == STATUS_OK)
        st = kept(s, FIND_TEXT, "SELECT id FROM texts WHERE text = ?", &stmt,
                  err);
    if (st != STATUS_OK)
        return st;
    jobdb_bind_text(s, stmt, 1, metadata);
    return run(s, stmt, out, err);
}

static void bind_job(struct jobdb *s, sqlite3_stmt *stmt,
                     const struct jobdb_job *job, int64_t text)
{
    const struct text texts[] = {
        job->source, job->source_id, job->user, job->workdir,  job->command,
        job->branch, job->name,      job->vc,   job->gpu_type, job->end};
    int at = 1;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++, at++) {
        /* An empty source_id is stored as NULL, because SQLite treats no two
         * NULLs as equal: jobs without an id are never duplicates of each
         * other. */
        if (i == 1 && texts[i].len == 0)
            s->sql.sqlite3_bind_null(stmt, at);
        else
            jobdb_bind_text(s, stmt, at, texts[i]);
    }
    if (text)
        s->sql.sqlite3_bind_int64(stmt, at++, text);
    else
        s->sql.sqlite3_bind_null(stmt, at++);
    if (job->submitted == JOBDB_NO_TIME)
        s->sql.sqlite3_bind_null(stmt, at++);
    else
        s->sql.sqlite3_bind_int64(stmt, at++, job->submitted);
    s->sql.sqlite3_bind_int64(stmt, at++, job->duration);
    s->sql.sqlite3_bind_int64(stmt, at++, job->gpus);
    bind_figure(s, stmt, at++, job->gpu_util);
    bind_figure(s, stmt, at++, job->mem_mib);
    jobdb_bind_text(s, stmt, at++, job->state);
    jobdb_bind_text(s, stmt, at++, job->exit_code);
    jobdb_bind_text(s, stmt, at++, job->hosts);
    jobdb_bind_text(s, stmt, at, job->failure);
}

static enum status add(struct jobdb *s, struct jobdb_job *job, bool *added,
                       struct error *err)
{
    sqlite3_stmt *stmt;
    int64_t text = 0;
    enum status st = STATUS_OK;
    if (job->metadata.len)
        st = text_number(s, job->metadata, &text, err);
    if (st == STATUS_OK)
        st = kept(s, ADD_JOB, insert_job, &stmt, err);
    if (st != STATUS_OK)
        return st;
    bind_job(s, stmt, job, text);
    st = run(s, stmt, NULL, err);
    if (st == STATUS_OK) {
        *added = s->sql.sqlite3_changes(s->db) > 0;
        job->id = *added ? s->sql.sqlite3_last_insert_rowid(s->db) : 0;
    }
    if (st != STATUS_OK || *added)
        return st;
    st = kept(s, FILL_JOB, fill_job, &stmt, err);
    if (st != STATUS_OK)
        return st;
    bind_job(s, stmt, job, text);
    return run(s, stmt, NULL, err);
}

/* Ends the transaction that a change began because the caller had begun none:
 * commits it, or rolls it back if `st` is an error. Returns `st` or the error
 * of the commit. Every change is in a transaction, so that no metadata text is
 * stored without its job or vector. */
static enum status end_own(struct jobdb *s, enum status st, struct error *err)
{
    if (st == STATUS_OK)
        return jobdb_commit(s, err);
    s->open = false;
    (void)jobdb_exec(s, "ROLLBACK", "", NULL);
    return st;
}

enum status jobdb_add(struct jobdb *s, struct jobdb_job *job, bool *added,
                      struct error *err)
{
    bool own = !s->open, is_new = false;
    enum status st = own ? jobdb_begin(s, err) : STATUS_OK;
    if (st != STATUS_OK)
        return st;
    st = add(s, job, &is_new, err);
    if (added)
        *added = is_new;
    return own ? end_own(s, st, err) : st;
}

static size_t pack_vector(const float *values, size_t n,
                          struct jobdb_place *places)
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        if (values[i] != 0 && used < n / 3)
            places[used++] = (struct jobdb_place){(uint32_t)i, values[i]};
        else if (values[i] != 0)
            return 0;
    }
    return used;
}

static enum status put_vector(struct jobdb *s, int64_t text,
                              const char *embedding, const float *values,
                              size_t n, struct error *err)
{
    sqlite3_stmt *stmt;
    enum status st = jobdb_prepare(s, insert_vector, &stmt, err);
    if (st != STATUS_OK)
        return st;
    struct jobdb_place *places = mem_alloc((n / 3 + 1) * sizeof *places);
    size_t used = pack_vector(values, n, places);
    const void *data = used ? (const void *)places : values;
    size_t bytes = used ? used * sizeof *places : n * sizeof *values;
    s->sql.sqlite3_bind_int64(stmt, 1, text);
    jobdb_bind_text(s, stmt, 2, text_from(embedding));
    s->sql.sqlite3_bind_int64(stmt, 3, (int64_t)n);
    s->sql.sqlite3_bind_blob64(stmt, 4, data, bytes, SQLITE_STATIC);
    st = run(s, stmt, NULL, err);
    s->sql.sqlite3_finalize(stmt);
    free(places);
    return st;
}

enum status jobdb_put_vector(struct jobdb *s, struct text metadata,
                             const char *embedding, const float *values,
                             size_t n, struct error *err)
{
    int64_t text = 0;
    bool own = !s->open;
    enum status st = own ? jobdb_begin(s, err) : STATUS_OK;
    if (st != STATUS_OK)
        return st;
    st = text_number(s, metadata, &text, err);
    if (st == STATUS_OK)
        st = put_vector(s, text, embedding, values, n, err);
    return own ? end_own(s, st, err) : st;
}
