/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the files of a run into its result directory, in a fixed order. */
#include "sim/results/report.h"

#include "sim/results/failure_rows.h"
#include "sim/results/job_pass.h"

/* Writes one file and closes it before the next is opened, so that all buffers
 * use the same memory. Only jobs.csv and attempts.csv are open together. */
static enum status write_file(struct result_dir *dir, enum result_file file,
                              struct results results, struct summary *summary,
                              struct error *err)
{
    struct out *out, *attempts;
    enum status st = result_dir_file(dir, file, &out, err);
    if (st == STATUS_OK && file == RESULT_JOBS)
        st = result_dir_file(dir, RESULT_ATTEMPTS, &attempts, err);
    if (st != STATUS_OK)
        return st;
    switch (file) {
    case RESULT_JOBS: /* the same pass writes attempts.csv */
        job_pass(out, attempts, results, summary);
        st = result_dir_seal(dir, RESULT_ATTEMPTS, err);
        break;
    case RESULT_FAILURES:
        report_failures(out, results);
        break;
    case RESULT_SUMMARY:
        report_summary(out, results, summary);
        break;
    case RESULT_FIRST_STAGE:
        report_side_run(out, results.run);
        break;
    case RESULT_TIMELINE:
        report_timeline(out, results);
        break;
    case RESULT_MANIFEST:
        report_manifest(out, results, dir);
        break;
    case RESULT_ATTEMPTS:
    case RESULT_SERIES: /* was written while the simulation ran */
    case RESULT_DECISIONS:
    case RESULT_N:
        break;
    }
    return st == STATUS_OK ? result_dir_seal(dir, file, err) : st;
}

enum status report_write(struct result_dir *dir, struct results results,
                         struct summary *summary, bool timeline,
                         struct error *err)
{
    const struct {
        enum result_file file;
        bool wanted;
    } files[] = {
        {RESULT_JOBS, true},
        {RESULT_FAILURES, failure_rows_exist(results.run)},
        {RESULT_SUMMARY, true},
        {RESULT_FIRST_STAGE, results.run->side_run},
        {RESULT_TIMELINE, timeline},
        {RESULT_MANIFEST, true},
    };
    /* The manifest holds the digests of all other files, so these are closed
     * first. */
    enum status st = result_dir_seal(dir, RESULT_SERIES, err);
    if (st == STATUS_OK)
        st = result_dir_seal(dir, RESULT_DECISIONS, err);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (st == STATUS_OK && files[i].wanted)
            st = write_file(dir, files[i].file, results, summary, err);
    }
    return st;
}
