/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests that the output of a program is read whole, and that no program is
 * waited for longer than the limit. */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "schedmate/watch/watch_internal.h"

static enum status run(const char *script, sim_span limit, struct text *out,
                       struct error *err)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    return program_output(argv, limit, out, err);
}

static void the_whole_output_is_read(void **state)
{
    (void)state;
    struct text out;
    struct error err;
    assert_int_equal(
        run("echo $TZ; yes | head -n 99999", 60 * SPAN_SECOND, &out, &err),
        STATUS_OK);
    assert_int_equal(out.len, 4 + 2 * 99999);
    assert_memory_equal(out.at, "UTC\ny\n", 6);
    free((char *)(uintptr_t)out.at);
}

static void a_failure_gives_no_output(void **state)
{
    (void)state;
    struct text out;
    struct error err;
    assert_int_equal(run("echo 1; exit 1", 60 * SPAN_SECOND, &out, &err),
                     STATUS_FAILED);
    assert_non_null(strstr(err.message, "ended with an error"));
    assert_int_equal(out.len, 0);
}

static void too_much_output_is_refused(void **state)
{
    (void)state;
    struct text out;
    struct error err;
    assert_int_equal(
        run("head -c 300000000 /dev/zero", 60 * SPAN_SECOND, &out, &err),
        STATUS_FAILED);
    assert_non_null(strstr(err.message, "wrote more than 256 MiB"));
    assert_int_equal(out.len, 0);
}

/* `exec sleep` with a closed output is a program that has nothing to say and
 * does not end. */
static void no_program_is_waited_for_longer_than_the_limit(void **state)
{
    (void)state;
    static const char *const scripts[] = {"exec sleep 20", "exec sleep 20 >&-"};
    for (size_t i = 0; i < 2; i++) {
        struct text out;
        struct error err;
        time_t begin = time(NULL);
        assert_int_equal(run(scripts[i], SPAN_SECOND / 10, &out, &err),
                         STATUS_FAILED);
        assert_non_null(strstr(err.message, "did not answer in time"));
        assert_true(time(NULL) - begin < 15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_output_is_read),
        cmocka_unit_test(a_failure_gives_no_output),
        cmocka_unit_test(too_much_output_is_refused),
        cmocka_unit_test(no_program_is_waited_for_longer_than_the_limit),
    };
    return cmocka_run_group_tests_name("program_output", tests, NULL, NULL);
}
