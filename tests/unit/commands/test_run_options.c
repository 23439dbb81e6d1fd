/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests options of a run from the command line and from a file, and the option
 * --tolerance of `compare`. */
#include "commands/cli.h"
#include "commands/run_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/test.h"

static struct arena texts;

static void set_file(struct run_options *options, const char *json,
                     enum status expected, const char *words)
{
    char path[] = "/tmp/schedsim-options-XXXXXX";
    struct error err = {0};
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, json, strlen(json)), (int)strlen(json));
    close(fd);
    enum status st = run_options_file(options, path, NULL, &texts, &err);
    unlink(path);
    if (st != expected || (words && !strstr(err.message, words)))
        fail_msg("%s: %d, '%s'", json, st, err.message);
}

static void a_file_has_the_keys_of_the_options(void **state)
{
    (void)state;
    struct run_options o;
    run_options_init(&o);
    set_file(&o,
             "{\"trace\": \"t.csv\", \"policy\": \"sjf\", \"seed\": 7,"
             " \"from\": \"1970-01-02\", \"jobs\": 10, \"vc\": \"x\"}",
             STATUS_OK, NULL);
    assert_string_equal(o.config.trace, "t.csv");
    assert_string_equal(o.config.policy, "sjf");
    assert_string_equal(o.config.load.vc, "x");
    assert_int_equal(o.config.seed, 7);
    assert_int_equal(o.config.load.limit, 10);
    assert_int_equal(o.config.load.from, SPAN_DAY);
    arena_reset(&texts);
}

static void mistakes_in_a_file_are_told(void **state)
{
    (void)state;
    struct run_options o;
    run_options_init(&o);
    set_file(&o, "{\"polcy\": \"sjf\"}", STATUS_BAD_INPUT,
             "no key 'polcy'; did you mean 'policy'?");
    set_file(&o, "{\"seed\": \"x\"}", STATUS_BAD_INPUT,
             "'x' is not a whole number");
    set_file(&o, "{\"seed\": [1]}", STATUS_BAD_INPUT, "seed: expected text");
    set_file(&o, "{\"from\": \"soon\"}", STATUS_BAD_INPUT, "is not a date");
    set_file(&o, "[1]", STATUS_BAD_INPUT, "expected an object");
    set_file(&o, "{\"seed\": 1", STATUS_BAD_INPUT, ":1:");
    set_file(&o, "{\"seed\": 1, \"seed\": 2}", STATUS_BAD_INPUT, "duplicate");
    arena_reset(&texts);
}

static void the_command_line_has_precedence(void **state)
{
    (void)state;
    struct run_options o;
    run_options_init(&o);
    o.config.trace = "given.csv";
    for (size_t i = 0; run_args[i].name; i++) {
        if (strcmp(run_args[i].name, "policy") == 0)
            o.config.policy = o.given[i] = "srtf";
    }
    set_file(&o, "{\"trace\": \"t.csv\", \"policy\": \"sjf\"}", STATUS_OK,
             NULL);
    assert_string_equal(o.config.trace, "given.csv");
    assert_string_equal(o.config.policy, "srtf");
    arena_reset(&texts);
}

/* Compares fifo with a policy on one GPU and two jobs: 100 s from 0 s on, 10 s
 * from 1 s on. fifo gives JCTs of 100 and 109 s. sjf gives equal JCTs, because
 * only the long job waits at 0 s. srtf stops the long job, whose JCT is then
 * 110 s; the JCT of the short job is 10 s. */
static enum status compare(const char *tolerance, const char *policy,
                           bool two_sided, struct error *err)
{
    char path[] = "/tmp/schedsim-compare-XXXXXX", more[64], second[64];
    const char *text = "submitted_unix_s,duration_s,gpus\n0,100,1\n1,10,1\n";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (int)strlen(text));
    close(fd);
    snprintf(more, sizeof more, "--tolerance=%s", tolerance);
    snprintf(second, sizeof second, "--policy=%s", policy);
    char *argv[] = {"compare",         path,   "--cluster=1x1:A",
                    "--policy=fifo",   second, "--json",
                    "--overhead=none", more,   "--estimators=oracle",
                    "--two-sided",     NULL};
    int out = dup(STDOUT_FILENO);
    assert_non_null(freopen("/dev/null", "w", stdout));
    enum status st =
        cli_run(&command_compare, "compare", 9 + two_sided, argv, err);
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    close(out);
    unlink(path);
    return st;
}

static void a_comparison_can_be_held_to_a_tolerance(void **state)
{
    (void)state;
    struct error err = {0};
    assert_int_equal(compare("0", "sjf", true, &err), STATUS_OK);
    /* srtf: (110 + 10) / 2 = 60 against (100 + 109) / 2 = 104.5: 42.6 % off */
    assert_int_equal(compare("40", "srtf", true, &err), STATUS_TOLERANCE);
    assert_non_null(
        strstr(err.message, "srtf: jct_s.mean is 60, 42.6 % off 104.5"));
    assert_int_equal(compare("43", "srtf", true, &err), STATUS_OK);
    /* srtf is better, so the one-sided gate passes. */
    assert_int_equal(compare("0", "srtf", false, &err), STATUS_OK);
    assert_int_equal(compare("-1", "srtf", true, &err), STATUS_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_has_the_keys_of_the_options),
        cmocka_unit_test(mistakes_in_a_file_are_told),
        cmocka_unit_test(the_command_line_has_precedence),
        cmocka_unit_test(a_comparison_can_be_held_to_a_tolerance),
    };
    int failed = cmocka_run_group_tests_name("run options", tests, NULL, NULL);
    arena_fini(&texts);
    return failed;
}
