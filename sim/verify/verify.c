/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/verify/verify_internal.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/digest.h"

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

static enum status check_digests(const char *dir,
                                 const struct verify_data *data,
                                 struct verify_report *report,
                                 struct error *err)
{
    enum status st = STATUS_OK;
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(data->manifest, "outputs"), name, value)
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

enum status verify_dir(const char *dir, struct verify_report *report,
                       struct error *err)
{
    struct verify_data data;
    enum status st = verify_read(dir, VERIFY_COLUMNS_ALL, &data, err);
    if (st != STATUS_OK)
        return st;
    st = check_digests(dir, &data, report, err);
    check_input(&data, report);
    verify_counted(&data, report);
    verify_attempts(&data, report);
    verify_jobs(&data, report);
    verify_sweep(&data, report);
    verify_quota_check(&data, report);
    verify_contention(&data, report);
    verify_metrics(&data, report);
    verify_parts(&data, report);
    verify_knowledge(&data, report);
    verify_evictions(&data, report);
    verify_deadlines(&data, report);
    verify_classes(&data, report);
    if (st == STATUS_OK)
        st = verify_failures(dir, &data, report, err);
    if (st == STATUS_OK)
        st = verify_advice(dir, &data, report, err);
    if (st == STATUS_OK)
        verify_gpu_time(&data, report);
    if (st == STATUS_OK)
        st = verify_series_by(dir, &data, report, err);
    verify_data_fini(&data);
    if (st != STATUS_OK)
        return st;
    if (report->n_violations)
        return error_set(err, STATUS_BROKEN, "%s: %llu violations", dir,
                         (unsigned long long)report->n_violations);
    return STATUS_OK;
}
