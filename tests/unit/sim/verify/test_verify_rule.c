/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each column of a CSV file and each key of a JSON file declares a rule that
 * `verify` understands; a law that none names is no law. */
#include "sim/verify/verify_rule.h"

#include <string.h>

#include "tests/support/test.h"

static bool has_column(const struct result_table *table, struct text name)
{
    const struct column *column;
    for (size_t i = 0; (column = result_column(table, i))->name; i++) {
        if (text_is(name, column->name))
            return true;
    }
    return false;
}

static void check_rule(const struct result_table *table,
                       const struct column *column, bool *used)
{
    struct verify_rule rule;
    if (!column->rule || !verify_rule_read(column->rule, &rule))
        fail_msg("%s: %s: %s", table->file, column->name,
                 column->rule ? column->rule : "no rule");
    assert_true((rule.form >= VERIFY_NUMBER || rule.may_be_null) <=
                (table->path != NULL));
    /* of a JSON file verify checks quotients only */
    assert_false(rule.check == VERIFY_DIFFERENCE && table->path);
    if (rule.with.len)
        assert_true(has_column(table, rule.with));
    if (rule.check == VERIFY_DIFFERENCE || rule.check == VERIFY_QUOTIENT) {
        assert_true(has_column(table, rule.of));
        assert_true(has_column(table, rule.other));
    }
    for (size_t i = 0; rule.check >= VERIFY_LAW && verify_laws[i]; i++)
        used[i] |= text_is(rule.of, verify_laws[i]);
}

static void each_rule_is_understood(void **state)
{
    bool used[32] = {false};
    const struct column *column;
    (void)state;
    for (const struct result_table *t = result_tables; t->file; t++) {
        for (size_t i = 0; (column = result_column(t, i))->name; i++)
            check_rule(t, column, used);
    }
    for (size_t i = 0; verify_laws[i]; i++) {
        if (!used[i])
            fail_msg("nothing has the law %s", verify_laws[i]);
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
