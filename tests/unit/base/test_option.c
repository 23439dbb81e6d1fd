/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests options and specs: each kind of option, each reason to refuse a value,
 * and writing options back as text. */
#include <string.h>

#include "base/option.h"
#include "tests/support/test.h"

struct config {
    bool flag;
    uint32_t count, speed, delay;
    double share;
    sim_span wait;
    const char *path;
    unsigned mode;
};

static const char *const modes[] = {"slow", "fast", NULL};
static const struct option rows[] = {
    OPT_BOOL(struct config, flag, "flag", true, "a switch", NULL),
    OPT_U32(struct config, count, "count", 3, 1, 10, "a count", NULL),
    OPT_DOUBLE(struct config, share, "share", 0.5, 0, 1, "a share", NULL),
    OPT_SPAN(struct config, wait, "wait_s", 60, 1, 86400, "a time", NULL),
    OPT_TEXT(struct config, path, "path", "none", "a text", NULL),
    OPT_CHOICE(struct config, mode, "mode", 1, modes, "a choice", NULL),
    OPT_U32(struct config, speed, "speed", 3, 1, 10, "if fast", NULL,
            OPT_WHEN("mode=fast/other")),
    OPT_U32(struct config, delay, "delay", 3, 1, 10, "if it waits", NULL,
            OPT_WHEN("wait_s!=60")),
    {0},
};

static struct arena arena;
static struct error err;

static enum status set(struct config *config, const char *key,
                       const char *value)
{
    return option_set(rows, config, "test", text_from(key), text_from(value),
                      &arena, &err);
}

static void defaults_are_those_of_the_rows(void **state)
{
    (void)state;
    struct config c;
    option_defaults(rows, &c);
    assert_true(c.flag && c.count == 3 && c.mode == 1);
    assert_true(c.share == 0.5 && c.wait == 60 * SPAN_SECOND);
    assert_string_equal(c.path, "none");
}

static void values_are_checked_for_kind_and_range(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"flag", "maybe"},  {"flag", ""},        {"count", "0"},
        {"count", "11"},    {"count", "1.5"},    {"count", "-1"},
        {"count", "nan"},   {"share", "1.01"},   {"share", "nan"},
        {"share", "-1e-9"}, {"wait_s", "0"},     {"wait_s", "86401"},
        {"wait_s", "long"}, {"mode", "SLOWEST"}, {"mode", ""},
    };
    struct config c, before;
    memset(&c, 0, sizeof c);
    option_defaults(rows, &c);
    before = c;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(set(&c, bad[i][0], bad[i][1]), STATUS_USAGE);
        assert_non_null(strstr(err.message, bad[i][0]));
        assert_memory_equal(&c, &before, sizeof c);
    }
}

static void what_is_set_reads_back_as_text(void **state)
{
    (void)state;
    static const char *const good[][2] = {
        {"flag", "false"},      {"count", "10"},     {"share", "0.125"},
        {"wait_s", "0.5"},      {"wait_s", "86400"}, {"path", "a b"},
        {"mode", "slow"},       {"share", "1"},      {"count", "1"},
        {"wait_s", "1.000001"},
    };
    struct config c;
    char buf[OPTION_TEXT_MAX];
    option_defaults(rows, &c);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const struct option *row = rows;
        while (strcmp(row->name, good[i][0]) != 0)
            row++;
        enum status want = strcmp(good[i][1], "0.5") ? STATUS_OK : STATUS_USAGE;
        assert_int_equal(set(&c, good[i][0], good[i][1]), want);
        if (want == STATUS_OK)
            assert_string_equal(option_value(row, &c, buf), good[i][1]);
    }
}

static void an_unknown_key_names_the_nearest(void **state)
{
    (void)state;
    struct config c;
    option_defaults(rows, &c);
    assert_int_equal(set(&c, "cuont", "1"), STATUS_USAGE);
    assert_string_equal(err.message,
                        "test: no option 'cuont'; did you mean 'count'?");
    assert_int_equal(set(&c, "nonsense_key", "1"), STATUS_USAGE);
    assert_string_equal(err.message,
                        "test: no option 'nonsense_key'; it has "
                        "flag, count, share, wait_s, path, mode, speed, delay");
    assert_int_equal(option_set(NULL, &c, "fifo", text_from("x"),
                                text_from("1"), &arena, &err),
                     STATUS_USAGE);
    assert_string_equal(err.message, "fifo: no option 'x': there are none "
                                     "for it");
}

static void a_spec_falls_into_name_layers_and_settings(void **state)
{
    (void)state;
    struct spec spec;
    struct config c;
    assert_int_equal(spec_parse("--policy",
                                text_from("lucid+advisor+tracker:count=7,"
                                          "path=a:b=c"),
                                &spec, &err),
                     STATUS_OK);
    assert_true(text_is(spec.name, "lucid"));
    assert_int_equal(spec.n_layers, 2);
    assert_true(text_is(spec.layers[1], "tracker"));
    assert_int_equal(spec.n_settings, 2);
    assert_int_equal(spec_apply(&spec, rows, &c, "test", &arena, &err),
                     STATUS_OK);
    assert_int_equal(c.count, 7);
    assert_string_equal(c.path, "a:b=c");
    assert_int_equal(c.wait, 60 * SPAN_SECOND);
}

static void a_spec_that_names_nothing_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        ":",
        "+x",
        ":a=1",
        "fifo:=1",
        "fifo:a=1,,b=2",
        "x+1+2+3+4+5+6+7+8+9",
    };
    struct spec spec;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(spec_parse("--policy", text_from(bad[i]), &spec, &err),
                         STATUS_USAGE);
}

struct switched {
    bool on;
    uint32_t n;
};

static void a_key_alone_turns_a_switch_on(void **state)
{
    (void)state;
    static const struct option switches[] = {
        OPT_BOOL(struct switched, on, "on", false, "a switch", NULL),
        OPT_U32(struct switched, n, "n", 1, 0, 9, "a number", NULL),
        {0},
    };
    struct switched c;
    struct spec spec;
    assert_int_equal(spec_parse("x", text_from("x:on,n=2"), &spec, &err),
                     STATUS_OK);
    assert_int_equal(spec_apply(&spec, switches, &c, "test", &arena, &err),
                     STATUS_OK);
    assert_true(c.on);
    assert_int_equal(c.n, 2);
    assert_int_equal(spec_parse("x", text_from("x:n"), &spec, &err), STATUS_OK);
    assert_int_equal(spec_apply(&spec, switches, &c, "test", &arena, &err),
                     STATUS_USAGE);
    assert_string_equal(err.message,
                        "test: 'n' is not KEY=VALUE, and no switch");
}

static void what_has_no_effect_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message; /* NULL: it is accepted */
    } cases[] = {
        {"x:speed=4", NULL},
        {"x:speed=4,mode=fast", NULL},
        {"x:mode=slow", NULL},
        {"x:speed=3,mode=slow",
         "test: speed has an effect only with mode=fast/other, and mode is "
         "slow"},
        {"x:delay=4,wait_s=61", NULL},
        {"x:delay=4",
         "test: delay has an effect only with wait_s!=60, and wait_s is 60"},
    };
    struct config c;
    struct spec spec;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *message = cases[i].message;
        assert_int_equal(spec_parse("x", text_from(cases[i].text), &spec, &err),
                         STATUS_OK);
        assert_int_equal(spec_apply(&spec, rows, &c, "test", &arena, &err),
                         message ? STATUS_USAGE : STATUS_OK);
        if (message)
            assert_string_equal(err.message, message);
        spec.settings[0].ruled = true; /* as if --conventions had set it */
        assert_int_equal(spec_apply(&spec, rows, &c, "test", &arena, &err),
                         STATUS_OK);
    }
}

static int forget(void **state)
{
    (void)state;
    arena_fini(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_rows),
        cmocka_unit_test(values_are_checked_for_kind_and_range),
        cmocka_unit_test(what_is_set_reads_back_as_text),
        cmocka_unit_test(an_unknown_key_names_the_nearest),
        cmocka_unit_test(a_spec_falls_into_name_layers_and_settings),
        cmocka_unit_test(a_spec_that_names_nothing_is_refused),
        cmocka_unit_test(a_key_alone_turns_a_switch_on),
        cmocka_unit_test(what_has_no_effect_is_refused),
    };
    arena_init(&arena);
    return cmocka_run_group_tests_name("option", tests, NULL, forget);
}
