/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the files of a run into its result directory, in a fixed order. */
#include "sim/results/report.h"

#include "sim/results/failure_rows.h"
#include "sim/results/job_pass.h"

/* Writes jobs.csv and, in the same pass, attempts.csv if `with_attempts`. */
static enum status write_jobs(struct result_dir *dir, struct results results,
                              struct summary *summary, bool with_attempts,
                              struct error *err)
{
    struct out *jobs, *attempts = NULL;
    enum status st = result_dir_file(dir, RESULT_JOBS, &jobs, err);
    if (st == STATUS_OK && with_attempts)
        st = result_dir_file(dir, RESULT_ATTEMPTS, &attempts, err);
    if (st != STATUS_OK)
        return st;
    job_pass(jobs, attempts, results, summary);
    st = result_dir_seal(dir, RESULT_ATTEMPTS, err);
    return st == STATUS_OK ? result_dir_seal(dir, RESULT_JOBS, err) : st;
}

/* Writes the content of one file. Does nothing for a file that has been written
 * already. */
static void fill_file(struct out *out, enum result_file file,
                      struct results results, const struct summary *summary,
                      const struct result_dir *dir)
{
    switch (file) {
    case RESULT_FAILURES:
        report_failures(out, results);
        break;
    case RESULT_ADVICE:
        report_advice(out, results);
        break;
    case RESULT_SUMMARY:
        report_summary(out, results, summary);
        break;
    case RESULT_FIRST_STAGE:
        report_side_run(out, results.run);
        break;
    case RESULT_TIMELINE_GZIP:
        out_gzip(out);
        report_timeline(out, results);
        break;
    case RESULT_TIMELINE:
        report_timeline(out, results);
        break;
    case RESULT_MANIFEST:
        report_manifest(out, results, dir);
        break;
    case RESULT_JOBS: /* written by write_jobs */
    case RESULT_ATTEMPTS:
    case RESULT_SERIES: /* series and decisions were written while the
                         * simulation ran */
    case RESULT_SERIES_VC:
    case RESULT_SERIES_TYPE:
    case RESULT_DECISIONS:
    case RESULT_N:
        break;
    }
}

/* Writes one file and closes it before the next is opened, so that the files
 * can use the same memory for their buffers. */
static enum status write_file(struct result_dir *dir, enum result_file file,
                              struct results results,
                              const struct summary *summary, struct error *err)
{
    struct out *out;
    enum status st = result_dir_file(dir, file, &out, err);
    if (st != STATUS_OK)
        return st;
    fill_file(out, file, results, summary, dir);
    return result_dir_seal(dir, file, err);
}

enum status report_write(struct result_dir *dir, struct results results,
                         struct summary *summary, struct report_wishes wishes,
                         struct error *err)
{
    const struct {
        enum result_file file;
        bool wanted;
    } files[] = {
        {RESULT_FAILURES, failure_rows_exist(results.run)},
        {RESULT_ADVICE, advice_exists(results.run)},
        {RESULT_SUMMARY, true},
        {RESULT_FIRST_STAGE, results.run->side_run},
        {RESULT_TIMELINE, wishes.timeline.wanted && !wishes.timeline.gzip},
        {RESULT_TIMELINE_GZIP, wishes.timeline.wanted && wishes.timeline.gzip},
        {RESULT_MANIFEST, true},
    };
    /* The manifest holds the digests of all other files, so these are closed
     * first. */
    static const enum result_file done[] = {
        RESULT_SERIES, RESULT_SERIES_VC, RESULT_SERIES_TYPE, RESULT_DECISIONS};
    enum status st = STATUS_OK;
    for (size_t i = 0; i < sizeof done / sizeof *done && st == STATUS_OK; i++)
        st = result_dir_seal(dir, done[i], err);
    if (st == STATUS_OK)
        st = write_jobs(dir, results, summary,
                        wishes.attempts || attempts_say_more(results.run), err);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (st == STATUS_OK && files[i].wanted)
            st = write_file(dir, files[i].file, results, summary, err);
    }
    return st;
}
