/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/verify/verify_internal.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "sim/results/report.h"
#include "sim/verify/verify_failures.h"

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

/* Checks that the files of a result are listed in the manifest exactly if they
 * are there. */
static void check_listed(const char *dir, const json_t *outputs,
                         struct verify_report *report)
{
    for (const struct column *file = result_files; file->name; file++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", dir, file->name);
        const bool needed = strcmp(file->name, "jobs.csv") == 0 ||
                            strcmp(file->name, "series.csv") == 0 ||
                            strcmp(file->name, "summary.json") == 0;
        if (json_object_get(outputs, file->name) ||
            strcmp(file->name, "manifest.json") == 0)
            continue;
        if (needed || access(path, F_OK) == 0)
            verify_say(report, "manifest.json: outputs: '%s' is not listed",
                       file->name);
    }
}

enum status verify_digests(const char *dir, const struct verify_data *data,
                           struct verify_report *report, struct error *err)
{
    enum status st = STATUS_OK;
    const char *name;
    json_t *value, *outputs = json_object_get(data->manifest, "outputs");
    check_listed(dir, outputs, report);
    json_object_foreach(outputs, name, value)
    {
        char path[PATH_MAX], hex[65];
        if (st != STATUS_OK)
            break;
        snprintf(path, sizeof path, "%s/%s", dir, name);
        const char *want = json_string_value(value);
        if (strchr(name, '/') || !want)
            verify_say(report, "manifest.json: outputs: '%.100s' is not a file",
                       name);
        else if ((st = digest_file(path, hex, err)) == STATUS_OK &&
                 strcmp(hex, want) != 0)
            verify_say(report,
                       "%s: was changed after the run wrote it (its "
                       "SHA-256 is not that in manifest.json)",
                       name);
    }
    return st;
}

static void check_input(const struct verify_data *data,
                        struct verify_report *report)
{
    json_int_t jobs = json_integer_value(
        json_object_get(json_object_get(data->manifest, "input"), "jobs"));
    if ((size_t)jobs != data->n_jobs)
        verify_say(report,
                   "jobs.csv: has %zu jobs, but manifest.json says "
                   "%lld",
                   data->n_jobs, (long long)jobs);
}

/* Checks the files of a result that was read. */
static enum status check_files(const char *dir, struct verify_data *data,
                               struct verify_report *report, struct error *err)
{
    struct verify_failures failures;
    enum status st = verify_failures_read(&failures, dir, data, report, err);
    if (st == STATUS_OK) {
        check_input(data, report);
        verify_counted(data, report);
        verify_sweep(data, &failures, report);
        verify_failures(&failures);
        verify_quota_check(data, report);
        verify_contention(data, report);
        verify_metrics(data, report);
        verify_summary(data, report);
        verify_parts(data, report);
        verify_knowledge(data, report);
        verify_evictions(data, report);
        verify_deadlines(data, report);
        verify_classes(data, report);
        st = verify_advice(dir, data, report, err);
    }
    verify_failures_fini(&failures);
    if (st == STATUS_OK)
        verify_gpu_time(data, report);
    return st == STATUS_OK ? verify_series_by(dir, data, report, err) : st;
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
