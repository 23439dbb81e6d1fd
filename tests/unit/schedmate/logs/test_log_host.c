/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests names of hosts, ranks and time stamps in lines of logs. */
#include "tests/support/test.h"

#include "schedmate/logs/log_host.h"
#include "schedmate/logs/log_stream.h"

static void test_names(void **state)
{
    static const struct {
        const char *given, *taken; /* NULL: no name of a host */
    } all[] = {
        {"gpu-12", "gpu-12"},
        {"n[3]", "n3"},
        {"node[3-5]", NULL},
        {"node[3,5]", NULL},
        {"gpu-12.cluster.", "gpu-12.cluster"},
        {"localhost", NULL},
        {"10.0.0.7", "10.0.0.7"},
        {"3", NULL},
        {"", NULL},
        {"-rf", NULL},
        {"$(touch", NULL},
        {"a b", NULL},
    };
    char out[LOG_HOST_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool taken = host_name_take(text_from(all[i].given), out);
        assert_int_equal(taken, all[i].taken != NULL);
        if (taken)
            assert_string_equal(out, all[i].taken);
    }
    assert_true(host_is_same("gpu-1", "GPU-1.cluster"));
    assert_false(host_is_same("gpu-1", "gpu-12"));
    assert_false(host_is_same("10.0.0.1", "10.0.0.2"));
}

static void test_ranks(void **state)
{
    (void)state;
    assert_int_equal(log_rank_of(text_from("[rank3]: x")), 3);
    assert_int_equal(log_rank_of(text_from("[default12]:x")), 12);
    assert_int_equal(log_rank_of(text_from("12: x")), 12);
    assert_int_equal(log_rank_of(text_from("12:30:00 x")), -1);
    assert_int_equal(log_rank_of(text_from("step 3")), -1);
    assert_int_equal(log_rank_of(text_from("")), -1);
}

static void test_better_basis(void **state)
{
    struct host_guess guess;
    (void)state;
    host_guess_begin(&guess);
    host_guess_read(&guess, text_from("n5:1:2 [0] NCCL WARN x"), 1);
    assert_int_equal(guess.basis, HOST_COMPLAINS);
    host_guess_read(&guess, text_from("srun: error: n7: task 3: Killed"), 2);
    assert_int_equal(guess.basis, HOST_FAILED);
    assert_string_equal(guess.name, "n7");
    host_guess_read(&guess, text_from("srun: error: n8: task 4: Killed"), 3);
    assert_string_equal(guess.name, "n7"); /* a later host does not replace
                                            * the first one */
    assert_int_equal(guess.line, 2);
}

/* An absurdly high rank, or a table with many hosts, must do no harm. */
static void test_hostile_table(void **state)
{
    struct host_guess guess;
    char line[64];
    struct host_table *table = host_table_new();
    (void)state;
    for (int i = 0; i < 300000; i += 7) {
        snprintf(line, sizeof line, "rank %d on host h%d", i, i);
        host_table_read(table, text_from(line));
    }
    host_guess_begin(&guess);
    host_guess_missing(&guess, table, true);
    assert_int_equal(guess.basis, HOST_UNKNOWN);
    host_table_absent(table, 14);
    host_guess_missing(&guess, table, true);
    assert_string_equal(guess.name, "h14");
    host_table_free(table);
}

static void test_stamps(void **state)
{
    static const char *const dated[] = {
        "2026-03-01 04:01:35,000 INFO x",
        "[2026-03-01T04:01:35] x",
        "2026-03-01T06:01:35+02:00 n1 kernel: x",
        "2026/03/01 04:01:35 x",
        "03/01/2026 04:01:35 - INFO",
        "[Sun Mar  1 04:01:35 2026] NVRM: x"};
    static const char *const bare[] = {"Mar  1 04:01:35 n1 kernel: x",
                                       "Mar 01 04:01:35 n1 kernel: x",
                                       "E0301 04:01:35.000000 7 a.cc:3] x"};
    static const char *const none[] = {
        "",          "step 3",     "2026-13-01 04:01:35", "2026-03-01 24:01:35",
        "Mar 04:01", "[ 1234.5] x"};
    struct log_stamp at, first;
    (void)state;
    assert_true(log_stamp_of(text_from(dated[0]), &first));
    for (size_t i = 0; i < sizeof dated / sizeof *dated; i++) {
        assert_true(log_stamp_of(text_from(dated[i]), &at));
        assert_true(at.dated);
        assert_int_equal(at.at, first.at);
    }
    for (size_t i = 0; i < sizeof bare / sizeof *bare; i++) {
        assert_true(log_stamp_of(text_from(bare[i]), &at));
        assert_false(at.dated);
        log_stamp_complete(&at, first.at + 40 * SPAN_DAY);
        assert_int_equal(at.at, first.at);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(log_stamp_of(text_from(none[i]), &at));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_better_basis),
        cmocka_unit_test(test_hostile_table),
        cmocka_unit_test(test_stamps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
