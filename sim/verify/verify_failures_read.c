/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads failures.csv for verify. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/results/failures.h"
#include "sim/verify/verify_csv.h"
#include "sim/verify/verify_failures.h"

#define FAILURE_CELLS(X) \
    X(F_TIME, "time") \
    X(F_FAULT, "fault") \
    X(F_SCOPE, "scope") \
    X(F_AFTER, "after") \
    X(F_NODE, "node") \
    X(F_GPU, "gpu") \
    X(F_VC, "vc") \
    X(F_CAUSE, "cause") \
    X(F_KIND, "kind") \
    X(F_HARMLESS, "harmless") \
    X(F_MISSED, "missed") \
    X(F_REPAIR, "repair") \
    X(F_JOB, "job_id") \
    X(F_ATTEMPT, "attempt") \
    X(F_NUMBER, "failures") \
    X(F_VERDICT, "verdict") \
    X(F_BY, "by") \
    X(F_DETECTED, "detected") \
    X(F_DELAY, "delay") \
    X(F_SUSPECT, "suspect") \
    X(F_LOST, "lost") \
    X(F_LOST_GPU, "lost_gpu_s") \
    X(F_RESTARTED, "restarted")
#define VERIFY_FAILURES_READ_CELL_ENUM(name, words) name,
#define VERIFY_FAILURES_READ_CELL_NAME(name, words) words,
enum failure_cell {
    FAILURE_CELLS(VERIFY_FAILURES_READ_CELL_ENUM) FAILURE_N_CELLS
};
static const char *const verify_failures_read_cell_names[] = {
    FAILURE_CELLS(VERIFY_FAILURES_READ_CELL_NAME)};

void verify_failures_say(const struct verify_failures *f,
                         const struct verify_failure *row, const char *what)
{
    verify_say(f->report, "failures.csv:%" PRIu64 ": %s", row->line, what);
}

const struct verify_attempt *verify_failed_attempt(
    const struct verify_failures *f, const struct verify_failure *row)
{
    if (row->job == VERIFY_NO_JOB)
        return NULL;
    const struct verify_job *job = &f->data->jobs[row->job];
    if (row->attempt < 1 || row->attempt > job->n_attempts)
        return NULL;
    return &f->data->attempts[job->first_attempt + row->attempt - 1];
}

static uint32_t optional_count(struct verify_csv *csv, unsigned cell,
                               uint32_t none)
{
    return verify_csv_cell(csv, cell).len ? verify_csv_count(csv, cell) : none;
}

/* Finds the job whose attempt with the number in the row ended at the time in
 * the row. Several jobs may have the same id. If no attempt matches,
 * returns the last job with this id; VERIFY_NO_JOB if there is none. */
static uint32_t failures_read_find_job(struct verify_csv *csv,
                                       const struct verify_failures *f,
                                       const struct verify_failure *row)
{
    size_t n;
    uint32_t found = VERIFY_NO_JOB;
    const uint32_t *jobs =
        verify_ids_find(&f->ids, verify_csv_cell(csv, F_JOB), &n);
    for (size_t i = 0; i < n; i++) {
        struct verify_failure guess = *row;
        guess.job = found = jobs[i];
        const struct verify_attempt *a = verify_failed_attempt(f, &guess);
        if (a && a->end == row->at)
            break;
    }
    if (found == VERIFY_NO_JOB)
        verify_failures_say(f, row, "job_id: is not a job of jobs.csv");
    return found;
}

static void failures_read_row(struct verify_csv *csv, void *self)
{
    struct verify_failures *f = self;
    f->rows = mem_grow(f->rows, &f->cap_rows, f->n_rows + 1, sizeof *f->rows);
    struct verify_failure *row = &f->rows[f->n_rows++];
    *row = (struct verify_failure){
        .line = csv->line,
        .at = verify_csv_span(csv, F_TIME),
        .restarted = verify_csv_optional_span(csv, F_RESTARTED),
        .repair = verify_csv_optional_span(csv, F_REPAIR),
        .detected = verify_csv_optional_span(csv, F_DETECTED),
        .delay = verify_csv_optional_span(csv, F_DELAY),
        .lost = verify_csv_optional_span(csv, F_LOST),
        .lost_gpu = verify_csv_optional_span(csv, F_LOST_GPU),
        .fault = optional_count(csv, F_FAULT, 0),
        .node = optional_count(csv, F_NODE, VERIFY_NO_NODE),
        .suspect = optional_count(csv, F_SUSPECT, VERIFY_NO_NODE),
        .attempt = optional_count(csv, F_ATTEMPT, 0),
        .number = optional_count(csv, F_NUMBER, 0),
        .scope = interner_add(&f->words, verify_csv_cell(csv, F_SCOPE)),
        .kind = interner_add(&f->words, verify_csv_cell(csv, F_KIND)),
        .verdict = interner_add(&f->words, verify_csv_cell(csv, F_VERDICT)),
        .by = interner_add(&f->words, verify_csv_cell(csv, F_BY)),
        .cause = interner_add(&f->words, verify_csv_cell(csv, F_CAUSE)),
        .harmless = text_is(verify_csv_cell(csv, F_HARMLESS), "1"),
        .missed = text_is(verify_csv_cell(csv, F_MISSED), "1"),
        .goes = text_is(verify_csv_cell(csv, F_AFTER), "down"),
        .vc = interner_find(&f->data->vcs, verify_csv_cell(csv, F_VC)),
        .gpu = optional_count(csv, F_GPU, 0),
        .has_gpu = verify_csv_cell(csv, F_GPU).len > 0,
        .hits_gpu = text_is(verify_csv_cell(csv, F_SCOPE), "gpu"),
        .job = VERIFY_NO_JOB,
    };
    if (verify_csv_cell(csv, F_JOB).len)
        row->job = failures_read_find_job(csv, f, row);
}

enum status verify_failures_read(struct verify_failures *f, const char *dir,
                                 const struct verify_data *data,
                                 struct verify_report *report,
                                 struct error *err)
{
    char path[PATH_MAX];
    *f = (struct verify_failures){.data = data, .report = report};
    interner_init(&f->words);
    f->exists = json_object_get(json_object_get(data->manifest, "outputs"),
                                "failures.csv") != NULL;
    if (!f->exists)
        return STATUS_OK;
    snprintf(path, sizeof path, "%s/failures.csv", dir);
    verify_ids_init(&f->ids, data);
    static const struct verify_table tables[] = {VERIFY_TABLE(failure_columns),
                                                 {0}};
    struct verify_csv csv = {.path = path,
                             .tables = tables,
                             .manifest = data->manifest,
                             .report = report,
                             .names = verify_failures_read_cell_names,
                             .n_names = FAILURE_N_CELLS,
                             .row = failures_read_row,
                             .self = f,
                             .err = err};
    return verify_csv_read(&csv);
}

void verify_failures_fini(struct verify_failures *f)
{
    interner_fini(&f->words);
    free(f->rows);
    verify_ids_fini(&f->ids);
}
