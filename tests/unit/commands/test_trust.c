/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every setting that acts outside the simulation is found where its row is
 * declared, whatever its kind. */
#include <stdio.h>
#include <string.h>

#include "commands/commands_internal.h"
#include "commands/run_options.h"
#include "tests/support/test.h"

static bool sees(const char *option, const char *value)
{
    struct trust trust = {.file = "f.json"};
    trust_see(&trust, option, value);
    return trust.n > 0;
}

static const struct list_kind *kind_of(struct text name)
{
    const struct list_kind *kind = list_kinds;
    while (kind->name && !text_is(name, kind->name))
        kind++;
    assert_non_null(kind->name);
    return kind;
}

/* Checks all rows of an item; returns the number of those that act. */
static size_t check_item(const char *option, const struct list_item *item)
{
    char value[256];
    size_t n = 0;
    const struct option *row = item->options;
    for (; row && row->kind != OPTION_END; row++) {
        const char *acts = row->reach_at ? row->reach_at : "x";
        int len = (int)strcspn(acts, "|");
        if (!row->reach)
            continue;
        n++;
        snprintf(value, sizeof value, "%s:%s=%.*s", item->name, row->name, len,
                 acts);
        assert_true(sees(option, value));
        snprintf(value, sizeof value, "%s+handler:a=1,%s=%.*s,b=2", item->name,
                 row->name, len, acts);
        assert_true(sees(option, value));
    }
    return n;
}

static void every_row_is_seen(void **state)
{
    size_t n = 0;
    struct list_item item;
    (void)state;
    for (const struct arg *row = run_args; row->name; row++) {
        struct text rest = text_from(row->settings_of ? row->settings_of : "");
        while (rest.len) {
            const struct list_kind *kind =
                kind_of(text_split(rest, ' ', &rest));
            for (size_t i = 0; kind->at(i, &item); i++) {
                n += check_item(row->name, &item);
                assert_true(!item.reach || sees(row->name, item.name));
            }
        }
    }
    assert_true(n >= 10); /* exec has 5, http 4, replay 1 */
}

/* An option whose value has settings names the kinds that have them; only the
 * names of clusters have none. */
static void every_spec_names_its_kind(void **state)
{
    (void)state;
    for (const struct arg *row = run_args; row->name; row++) {
        bool is_spec = row->value && (strncmp(row->value, "SPEC", 4) == 0 ||
                                      strcmp(row->value, "K=V,...") == 0);
        if (is_spec && strcmp(row->name, "cluster") != 0)
            assert_non_null(row->settings_of);
    }
}

static void what_only_reads_is_not_seen(void **state)
{
    static const char *const rows[][2] = {
        {"policy", "fifo"},
        {"policy", "exec:replay=answers"},
        {"policy", "lucid+schedmate:echo_vc=a"},
        {"llm", "replay:file=x,mode=strict"},
        {"llm", "rules"},
        {"llm_recording_mode", "replay"},
        {"estimators", "file:path=/a/b.csv,column=y,oracle"},
        {"trace", "/etc/passwd"},
        {"cluster", "a.json"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_false(sees(rows[i][0], rows[i][1]));
}

static void odd_spellings_are_seen(void **state)
{
    static const char *const rows[][2] = {
        {"policy", "exec:cat"},
        {"policy", "exec+schedmate:cat a,answer_s=1"},
        {"policy", "exec:replay=x,confine=off"},
        {"policy", "./a.so"},
        {"policy", "a/b"},
        {"policy", "/a+b.so+handler:x=1"},
        {"llm", "http"},
        {"llm", "http:model=x"},
        {"llm_recording_mode", "auto"},
        {"llm-recording-mode", "record"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(sees(rows[i][0], rows[i][1]));
}

static void the_user_is_trusted(void **state)
{
    struct trust typed = {0}, given = {.file = "f.json", .given = true};
    struct error err;
    (void)state;
    trust_see(&typed, "policy", "exec:cat");
    trust_see(&given, "policy", "exec:cat");
    assert_int_equal(typed.n + given.n, 0);
    assert_int_equal(trust_ask(&typed, &err), STATUS_OK);
    assert_int_equal(trust_ask(&given, &err), STATUS_OK);
}

/* A file with thousands of such settings gives one line. */
static void many_are_cut(void **state)
{
    struct trust trust = {.file = "f.json"};
    char value[300];
    (void)state;
    for (unsigned i = 0; i < 5000; i++) {
        snprintf(value, sizeof value, "exec:%u-%0200u", i, i);
        trust_see(&trust, "policy", value);
    }
    assert_true(strlen(trust.found) < sizeof trust.found - 1);
    assert_non_null(strstr(trust.found, " and more"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_seen),
        cmocka_unit_test(every_spec_names_its_kind),
        cmocka_unit_test(what_only_reads_is_not_seen),
        cmocka_unit_test(odd_spellings_are_seen),
        cmocka_unit_test(the_user_is_trusted),
        cmocka_unit_test(many_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
