/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the outcome of a gate as a table, as Markdown for a pull request, as
 * JUnit XML for a test report, and as JSON. */
#ifndef STUDY_GATE_REPORT_H
#define STUDY_GATE_REPORT_H

#include "base/out.h"
#include "commands/study/gate_cases.h"

/* Writes the counts of the outcome in words to `buf` and returns it: the last
 * line of the table, and the line below the heading of the Markdown. */
#define GATE_LINE_MAX 400
const char *gate_line(const struct gate_cases *cases, char buf[GATE_LINE_MAX]);

/* Says in `buf`, which it returns, that values of replications are not judged
 * in pairs of all seeds, and what records them. NULL: all are. */
const char *gate_pairs_note(const struct gate_cases *cases,
                            char buf[GATE_LINE_MAX]);

/* The texts of one metric of a case. expected: "" if no value is expected yet.
 * difference: "" if it is not defined. */
#define GATE_TEXT_MAX 128
struct gate_texts {
    char expected[GATE_TEXT_MAX], now[GATE_TEXT_MAX], difference[GATE_TEXT_MAX],
        tolerance[GATE_TEXT_MAX];
    /* "equal", "within", "better", "OUTSIDE", "UNKNOWN", "NEW" or "not
     * comparable" */
    const char *verdict;
};
void gate_texts(const struct gate_cases *cases, const struct gate_case *c,
                size_t metric, struct gate_texts *out);
/* Says in `buf`, which it returns, that a case is not comparable: how many jobs
 * did not finish, and which share of the work was done. */
const char *gate_done_text(const struct gate_case *c, char buf[GATE_LINE_MAX]);
/* Describes in `out` the first case with a value that fails or with more
 * unfinished jobs than expected or, if there is none, the first expected value
 * without a metric or, if there is none either, without a run. Call it only if
 * gate_cases_moved returns true. */
void gate_first_failure(const struct gate_cases *cases, char *out, size_t room);
/* True if the table shows the metric even without `all`, because its value is
 * new or is not equal to the expected one. */
bool gate_is_shown(const struct gate_outcome *outcome);

/* Prints the table, and below it causes, failures, notes and the counts. `all`:
 * also the metrics whose values are equal to the expected ones. `all_remarks`:
 * all remarks of the runs, not only the gravest. */
void gate_table(const struct gate_cases *cases, bool all, bool all_remarks,
                FILE *to);
void gate_markdown(const struct gate_cases *cases, struct out *out);
void gate_junit(const struct gate_cases *cases, struct out *out);
void gate_json(const struct gate_cases *cases, struct out *out);

#endif
