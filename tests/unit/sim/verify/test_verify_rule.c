/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each column of a CSV file declares a rule that `verify` understands; a law
 * that no column names is no law. */
#include "sim/verify/verify_rule.h"

#include <string.h>

#include "sim/results/advice.h"
#include "sim/results/failures.h"
#include "sim/results/report.h"
#include "sim/results/series.h"
#include "tests/support/test.h"

static const struct verify_table tables[] = {
    VERIFY_TABLE(job_columns),       VERIFY_TABLE(job_terms_columns),
    VERIFY_TABLE(job_class_columns), VERIFY_TABLE(job_extra_columns),
    VERIFY_TABLE(attempt_columns),   VERIFY_TABLE(failure_columns),
    VERIFY_TABLE(advice_columns),    VERIFY_TABLE(series_columns),
    VERIFY_TABLE(series_by_columns)};

static bool has_column(const struct verify_table *table, struct text name)
{
    const char *at = (const void *)table->at;
    for (;; at += table->stride) {
        const struct csv_column *column = (const void *)at;
        if (!column->name)
            return false;
        if (text_is(name, column->name))
            return true;
    }
}

static void each_rule_is_understood(void **state)
{
    bool used[16] = {false};
    struct verify_rule rule;
    (void)state;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        const char *at = (const void *)tables[t].at;
        for (; ((const struct csv_column *)(const void *)at)->name;
             at += tables[t].stride) {
            const struct csv_column *column = (const void *)at;
            if (!verify_rule_read(column->rule, &rule))
                fail_msg("%s: %s", column->name, column->rule);
            if (rule.with.len)
                assert_true(has_column(&tables[t], rule.with));
            if (rule.check == VERIFY_DIFFERENCE ||
                rule.check == VERIFY_QUOTIENT) {
                assert_true(has_column(&tables[t], rule.of));
                assert_true(has_column(&tables[t], rule.other));
            }
            for (size_t i = 0; rule.check >= VERIFY_LAW && verify_laws[i]; i++)
                used[i] |= text_is(rule.of, verify_laws[i]);
        }
    }
    for (size_t i = 0; verify_laws[i]; i++) {
        if (!used[i])
            fail_msg("no column has the law %s", verify_laws[i]);
    }
}

static void other_words_are_no_rule(void **state)
{
    static const char *const words[] = {
        "",         "text",         "word, given",      "time, law",
        "time, a",  "time, a + b",  "time, law none",   "time, a -",
        "count, 3", "times, rises", "text, sometimes x"};
    struct verify_rule rule;
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_false(verify_rule_read(words[i], &rule));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_is_understood),
        cmocka_unit_test(other_words_are_no_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
