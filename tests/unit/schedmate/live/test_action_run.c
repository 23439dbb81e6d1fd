/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests how the end of a command of the operator is reported. */
#include "tests/support/test.h"

#include <signal.h>

#include "schedmate/live/action_gate.h"

static struct action_result run(const char *script, sim_span limit)
{
    struct action_result result;
    struct error err;
    json_t *argv = json_pack("[sss]", "sh", "-c", script);
    assert_int_equal(action_run(argv, limit, &result, &err), STATUS_OK);
    json_decref(argv);
    return result;
}

static void the_end_is_reported(void **state)
{
    (void)state;
    assert_int_equal(run("exit 3", 60 * SPAN_SECOND).exit_status, 3);
    struct action_result killed = run("kill -9 $$", 60 * SPAN_SECOND);
    assert_int_equal(killed.exit_status, -1);
    assert_int_equal(killed.signal, SIGKILL);
    killed = run("sleep 60", SPAN_SECOND / 20);
    assert_true(killed.timed_out);
    assert_int_equal(killed.exit_status, -1);
    assert_int_equal(killed.signal, SIGKILL);
}

/* If SIGCHLD is ignored, the system does not record how a child has ended. */
static void an_end_that_is_not_known_is_no_success(void **state)
{
    (void)state;
    signal(SIGCHLD, SIG_IGN);
    assert_int_equal(run("exit 3", 60 * SPAN_SECOND).exit_status, -1);
    struct action_result killed = run("sleep 60", SPAN_SECOND / 20);
    assert_true(killed.timed_out);
    assert_int_equal(killed.exit_status, -1);
    signal(SIGCHLD, SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_is_reported),
        cmocka_unit_test(an_end_that_is_not_known_is_no_success),
    };
    return cmocka_run_group_tests_name("action_run", tests, NULL, NULL);
}
