/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the outcome of a gate as a table, as Markdown for a pull request, as
 * JUnit XML for a test report, and as JSON. */
#ifndef STUDY_GATE_REPORT_H
#define STUDY_GATE_REPORT_H

#include "sim/base/out.h"
#include "study/gate_cases.h"

/* Returns the counts of the outcome in words: the last line of the table, the
 * first line of the other reports. */
#define GATE_LINE_MAX 400
const char *gate_line(const struct gate_cases *cases, char buf[GATE_LINE_MAX]);

/* The texts of one metric of a case. */
#define GATE_TEXT_MAX 128
struct gate_texts {
    char expected[GATE_TEXT_MAX], now[GATE_TEXT_MAX], difference[GATE_TEXT_MAX],
        tolerance[GATE_TEXT_MAX];
    const char *verdict; /* "outside", "better", "within", "equal", "new" */
};
void gate_texts(const struct gate_cases *cases, const struct gate_case *c,
                size_t metric, struct gate_texts *out);
/* Describes the first value that fails or, if none does, the first expected
 * value without a run or metric. */
void gate_first_failure(const struct gate_cases *cases, char *out, size_t room);
/* True if the table shows the metric even without `all`, because its value is
 * not equal to the expected one. */
bool gate_is_shown(const struct gate_outcome *outcome);

/* Prints the table. `all`: also the metrics whose values are equal to the
 * expected ones. */
void gate_table(const struct gate_cases *cases, bool all, FILE *to);
void gate_markdown(const struct gate_cases *cases, struct out *out);
void gate_junit(const struct gate_cases *cases, struct out *out);
void gate_json(const struct gate_cases *cases, struct out *out);

#endif
