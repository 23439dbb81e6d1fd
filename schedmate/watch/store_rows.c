/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and writes the rows of the state: jobs, files, lines. */
#include <stdlib.h>
#include <string.h>

#include "schedmate/watch/store_internal.h"

enum { JOB_NUMBERS = 16, JOB_REALS = 8, FILE_NUMBERS = 15 };

static const char *const statements[N_STORE_STATEMENTS] = {
    [PUT_JOB] = "INSERT OR REPLACE INTO job VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
                "?,?,?,?,?,?,?,?,?,?,?,?)",
    [PUT_FILE] = "INSERT OR REPLACE INTO file"
                 " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [DROP_JOB] = "DELETE FROM job WHERE id = ?",
    [DROP_FILE] = "DELETE FROM file WHERE path = ?",
    [ADD_LINE] = "INSERT INTO line(text, number) VALUES(?,?)",
    [SET_TOLD] = "UPDATE meta SET value = ? WHERE key = 'told'",
    [DROP_LINES] = "DELETE FROM line WHERE number <= ?",
};

/* A row to write: first the texts, then the numbers, then the reals. */
struct store_row {
    struct text texts[2];
    const int64_t *numbers;
    const double *reals;
    int n_texts, n_numbers, n_reals;
};

static enum status store_rows_write_row(struct store *s, int which,
                                        const struct store_row *row,
                                        struct error *err)
{
    enum status st = STATUS_OK;
    if (!s->prepared[which])
        st = store_prepare(s, statements[which], &s->prepared[which], err);
    if (st != STATUS_OK)
        return st;
    sqlite3_stmt *stmt = s->prepared[which];
    int at = 1;
    for (int i = 0; i < row->n_texts; i++)
        s->sql.sqlite3_bind_text64(stmt, at++, row->texts[i].at,
                                   row->texts[i].len, SQLITE_STATIC,
                                   SQLITE_UTF8);
    for (int i = 0; i < row->n_numbers; i++)
        s->sql.sqlite3_bind_int64(stmt, at++, row->numbers[i]);
    for (int i = 0; i < row->n_reals; i++)
        s->sql.sqlite3_bind_double(stmt, at++, row->reals[i]);
    if (s->sql.sqlite3_step(stmt) != SQLITE_DONE)
        st = store_failed(s, "cannot write the state", err);
    s->sql.sqlite3_reset(stmt);
    return st;
}

static void numbers_of_job(const struct watch_job *job,
                           int64_t out[JOB_NUMBERS], double reals[JOB_REALS])
{
    const int64_t numbers[JOB_NUMBERS] = {
        job->phase,   job->scheduled,  job->over,        job->seen,
        job->grown,   job->progressed, job->judged,      job->measured,
        job->over_at, job->gap,        job->longest,     job->progress,
        job->read_at, job->again,      job->gpu.samples, job->gpu.mem_samples,
    };
    const double all[JOB_REALS] = {
        job->step_s,  job->candidate_s, job->step,        job->steps,
        job->gpu.sum, job->gpu.max,     job->gpu.mem_sum, job->gpu.mem_max,
    };
    memcpy(out, numbers, sizeof numbers);
    memcpy(reals, all, sizeof all);
}

enum status store_put_job(struct store *s, const struct watch_job *job,
                          struct error *err)
{
    int64_t numbers[JOB_NUMBERS];
    double reals[JOB_REALS];
    char *facts = json_dumps(job->facts, JSON_COMPACT);
    numbers_of_job(job, numbers, reals);
    const struct store_row row = {
        .texts = {text_from(job->id), text_from(facts)},
        .n_texts = 2,
        .numbers = numbers,
        .n_numbers = JOB_NUMBERS,
        .reals = reals,
        .n_reals = JOB_REALS};
    enum status st = store_rows_write_row(s, PUT_JOB, &row, err);
    free(facts);
    return st;
}

enum status store_put_file(struct store *s, const struct watch_file *f,
                           struct error *err)
{
    /* SQLite has signed numbers only; the casts keep the bits of a hash. */
    const int64_t numbers[FILE_NUMBERS] = {
        (int64_t)f->dev,
        (int64_t)f->inode,
        (int64_t)f->offset,
        (int64_t)f->size,
        f->mtime,
        (int64_t)f->head,
        (int64_t)f->head_len,
        (int64_t)f->context.marks[0],
        (int64_t)f->context.marks[1],
        f->skip,
        (int64_t)f->lines,
        (int64_t)f->hash,
        f->suspects,
        f->progress,
        f->uid,
    };
    const struct store_row row = {
        .texts = {text_from(f->path), text_from(f->job ? f->job->id : "")},
        .n_texts = 2,
        .numbers = numbers,
        .n_numbers = FILE_NUMBERS};
    return store_rows_write_row(s, PUT_FILE, &row, err);
}

static enum status store_rows_drop(struct store *s, int which, const char *name,
                                   struct error *err)
{
    const struct store_row row = {.texts = {text_from(name)}, .n_texts = 1};
    return store_rows_write_row(s, which, &row, err);
}

enum status store_drop_job(struct store *s, const char *id, struct error *err)
{
    return store_rows_drop(s, DROP_JOB, id, err);
}

enum status store_drop_file(struct store *s, const char *path,
                            struct error *err)
{
    return store_rows_drop(s, DROP_FILE, path, err);
}

enum status store_add_line(struct store *s, struct text line, struct error *err)
{
    const int64_t number = s->last + 1;
    const struct store_row row = {
        .texts = {line}, .n_texts = 1, .numbers = &number, .n_numbers = 1};
    enum status st = store_rows_write_row(s, ADD_LINE, &row, err);
    s->last += st == STATUS_OK;
    return st;
}

enum status store_set_told(struct store *s, int64_t told, struct error *err)
{
    const struct store_row row = {.numbers = &told, .n_numbers = 1};
    enum status st = store_rows_write_row(s, SET_TOLD, &row, err);
    if (st == STATUS_OK)
        st = store_rows_write_row(s, DROP_LINES, &row, err);
    if (st == STATUS_OK)
        s->told = told;
    return st;
}

static struct text text_column(const struct store *s, sqlite3_stmt *stmt,
                               int at)
{
    const void *text = s->sql.sqlite3_column_text(stmt, at);
    return (struct text){text ? text : "",
                         (size_t)s->sql.sqlite3_column_bytes(stmt, at)};
}

static void store_rows_read_job(const struct store *s, sqlite3_stmt *stmt,
                                struct book *book)
{
    int64_t n[JOB_NUMBERS];
    double r[JOB_REALS];
    for (int i = 0; i < JOB_NUMBERS; i++)
        n[i] = s->sql.sqlite3_column_int64(stmt, 2 + i);
    for (int i = 0; i < JOB_REALS; i++)
        r[i] = s->sql.sqlite3_column_double(stmt, 2 + JOB_NUMBERS + i);
    const struct text facts = text_column(s, stmt, 1);
    json_t *object = json_loadb(facts.at, facts.len, 0, NULL);
    struct watch_job *job =
        book_add_job(book, text_column(s, stmt, 0).at,
                     json_is_object(object) ? object : NULL);
    job->phase = n[0] >= 0 && n[0] <= WATCH_ENDED ? (enum watch_phase)n[0]
                                                  : WATCH_RUNNING;
    job->scheduled = n[1] != 0;
    job->over = n[2] != 0;
    sim_time *const times[] = {&job->seen,   &job->grown,    &job->progressed,
                               &job->judged, &job->measured, &job->over_at,
                               &job->gap,    &job->longest};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        *times[i] = n[3 + i];
    job->progress = n[11];
    job->read_at = n[12];
    job->again = n[13];
    job->gpu = (struct gpu_use){n[14], r[4], r[5], n[15], r[6], r[7]};
    job->step_s = r[0];
    job->candidate_s = r[1];
    job->step = r[2];
    job->steps = r[3];
    job->dirty = false;
}

static void store_rows_read_file(const struct store *s, sqlite3_stmt *stmt,
                                 struct book *book)
{
    int64_t n[FILE_NUMBERS];
    for (int i = 0; i < FILE_NUMBERS; i++)
        n[i] = s->sql.sqlite3_column_int64(stmt, 2 + i);
    struct watch_job *job = book_job(book, text_column(s, stmt, 1).at);
    struct watch_file *f = book_add_file(book, text_column(s, stmt, 0).at, job);
    f->dev = (uint64_t)n[0];
    f->inode = (uint64_t)n[1];
    f->offset = (uint64_t)n[2];
    f->size = (uint64_t)n[3];
    f->mtime = n[4];
    f->head = (uint64_t)n[5];
    f->head_len = (uint64_t)n[6];
    f->context.marks[0] = (uint64_t)n[7];
    f->context.marks[1] = (uint64_t)n[8];
    f->skip = n[9] != 0;
    f->lines = (uint64_t)n[10];
    f->hash = (uint64_t)n[11];
    f->suspects = n[12];
    f->progress = n[13];
    f->uid = (uint32_t)n[14];
    f->stale = f->size > f->offset;
    f->dirty = false;
}

static enum status store_rows_read_rows(struct store *s, const char *sql,
                                        void (*read)(const struct store *,
                                                     sqlite3_stmt *,
                                                     struct book *),
                                        struct book *book, struct error *err)
{
    sqlite3_stmt *stmt;
    enum status st = store_prepare(s, sql, &stmt, err);
    if (st != STATUS_OK)
        return st;
    int code;
    while ((code = s->sql.sqlite3_step(stmt)) == SQLITE_ROW)
        read(s, stmt, book);
    if (code != SQLITE_DONE)
        st = store_failed(s, "cannot read the state", err);
    s->sql.sqlite3_finalize(stmt);
    return st;
}

enum status store_read(struct store *s, struct book *book, struct error *err)
{
    enum status st = store_rows_read_rows(s, "SELECT * FROM job ORDER BY id",
                                          store_rows_read_job, book, err);
    if (st == STATUS_OK)
        st = store_rows_read_rows(s, "SELECT * FROM file ORDER BY path",
                                  store_rows_read_file, book, err);
    return st;
}

enum status store_each_line(struct store *s, int64_t told, store_line *show,
                            void *self, struct error *err)
{
    sqlite3_stmt *stmt;
    enum status st = store_prepare(
        s, "SELECT number, text FROM line WHERE number > ? ORDER BY number",
        &stmt, err);
    if (st != STATUS_OK)
        return st;
    s->sql.sqlite3_bind_int64(stmt, 1, told);
    int code = SQLITE_DONE;
    while (st == STATUS_OK && (code = s->sql.sqlite3_step(stmt)) == SQLITE_ROW)
        st = show(self, s->sql.sqlite3_column_int64(stmt, 0),
                  text_column(s, stmt, 1), err);
    if (st == STATUS_OK && code != SQLITE_DONE)
        st = store_failed(s, "cannot read the state", err);
    s->sql.sqlite3_finalize(stmt);
    return st;
}
