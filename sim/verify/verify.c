/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/verify/verify_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/verify/verify_failures.h"
#include "sim/verify/verify_keys.h"

void verify_say(struct verify_report *report, const char *fmt, ...)
{
    char words[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(words, sizeof words, fmt, args);
    va_end(args);
    report->n_violations++;
    report->line(report->self, words);
}

void verify_say_job(const struct verify_data *data,
                    struct verify_report *report, const struct verify_job *job,
                    const char *column, const char *fmt, ...)
{
    char words[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(words, sizeof words, fmt, args);
    va_end(args);
    verify_say(report, "jobs.csv:%u: %s: job %s: %s",
               verify_more_of_job(data, job)->line, column, job->id, words);
}

void verify_say_attempt(const struct verify_data *data,
                        struct verify_report *report,
                        const struct verify_attempt *attempt,
                        const char *column, const char *fmt, ...)
{
    char words[256];
    const struct verify_job *job = &data->jobs[attempt->job];
    va_list args;
    va_start(args, fmt);
    vsnprintf(words, sizeof words, fmt, args);
    va_end(args);
    if (data->has_attempts)
        verify_say(report, "attempts.csv:%u: %s: job %s, attempt at %.6f s: %s",
                   data->attempt_lines[attempt - data->attempts], column,
                   job->id, span_seconds(attempt->start), words);
    else
        verify_say_job(data, report, job, column, "%s", words);
}

/* Checks the files of a result that was read. */
static enum status check_files(const char *dir, struct verify_data *data,
                               struct verify_report *report, struct error *err)
{
    struct verify_failures failures;
    enum status st = verify_failures_read(&failures, dir, data, report, err);
    if (st == STATUS_OK) {
        verify_counted(data);
        verify_sweep(data, &failures, report);
        verify_failures(&failures);
        verify_quota_check(data, report);
        verify_quota_victims(data, report);
        verify_contention(data, report);
        verify_metrics(data);
        verify_summary(data, report);
        verify_manifest(data, report);
        verify_profiling(data, report);
        verify_packing(data, report);
        verify_elastic(data, report);
        verify_knowledge(data, report);
        verify_evictions(data, report);
        verify_deadlines(data, report);
        verify_classes(data, report);
        st = verify_advice(dir, data, report, err);
    }
    verify_failures_fini(&failures);
    if (st == STATUS_OK)
        verify_gpu_time(data, report);
    if (st == STATUS_OK)
        st = verify_series_by(dir, data, report, err);
    if (st == STATUS_OK) {
        verify_keys_forms(data, "summary", data->summary, report);
        verify_keys_laws(data, "manifest", data->manifest, data->want_manifest,
                         report);
        verify_keys_laws(data, "summary", data->summary, data->want_summary,
                         report);
    }
    return st;
}

enum status verify_dir(const char *dir, struct verify_report *report,
                       struct error *err)
{
    struct verify_data data;
    enum status st = verify_read(dir, VERIFY_COLUMNS_ALL, report, &data, err);
    if (st == STATUS_OK) {
        st = check_files(dir, &data, report, err);
        verify_data_fini(&data);
    }
    /* A file that can be read but not understood is a violation, after which
     * nothing more can be checked. */
    if (st == STATUS_BROKEN)
        verify_say(report, "%s", err->message);
    else if (st != STATUS_OK)
        return st;
    if (report->n_violations)
        return error_set(err, STATUS_BROKEN, "%s: %llu violations", dir,
                         (unsigned long long)report->n_violations);
    return STATUS_OK;
}
