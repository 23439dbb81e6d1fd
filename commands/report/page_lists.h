/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes lists of the page: jobs that waited longest, failures that cost most,
 * and the paired differences of two runs. */
#ifndef REPORT_PAGE_LISTS_H
#define REPORT_PAGE_LISTS_H

#include "base/json.h"
#include "commands/report/runs.h"

/* Lists the jobs with the longest queueing delays above 0, longest first, at
 * most n_max. Returns
 * STATUS_BAD_INPUT if jobs.csv cannot be read or lacks the column `user` or
 * `name`. The caller owns *out, also after an error. */
enum status page_waiters(const struct report_run *run, size_t n_max,
                         json_t **out, struct error *err) MUST_USE;
/* Lists the failures of jobs, those that undid the most GPU time first,
 * at most n_max. */
json_t *page_failures(const struct report_run *run, size_t n_max);
/* Returns, by metric, the difference of a run from the first one, over the jobs
 * that both count. The runs must have equal jobs. */
json_t *page_differences(const struct report_run *first,
                         const struct report_run *run);

#endif
