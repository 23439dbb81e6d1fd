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
        {"n3]", "n3"},
        {"n]3", NULL},
        {"10.0.7", NULL},
        {"a-name-that-is-longer-than-the-sixty-three-bytes-that-a-part-of-a-"
         "name.may-have-and-than-the-two-hundred-and-fifty-five-of-the-whole."
         "and-so-is-none-of-a-host.and-so-is-none-of-a-host.and-so-is-none-of-"
         "a-host.and-so-is-none-of-a-host.and-so-is-none-of-a-host.example",
         NULL},
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
    assert_true(host_is_same("10.0.0.1", "10.0.0.1"));
    assert_false(host_is_same("", "n1"));
}

static void test_ranks(void **state)
{
    (void)state;
    assert_int_equal(log_rank_of(text_from("[rank3]: x")), 3);
    assert_int_equal(log_rank_of(text_from("[default12]:x")), 12);
    assert_int_equal(log_rank_of(text_from("12: x")), 12);
    assert_int_equal(log_rank_of(text_from("12:30:00 x")), -1);
    assert_int_equal(log_rank_of(text_from("step 3")), -1);
    assert_int_equal(log_rank_of(text_from("12:x")), -1);
    assert_int_equal(log_rank_of(text_from("[Rank 3] x")), 3);
    assert_int_equal(log_rank_of(text_from("rank3: x")), 3);
    assert_int_equal(log_rank_of(text_from("rank3 x")), -1);
    assert_int_equal(log_rank_of(text_from("[rank]: x")), -1);
    assert_int_equal(log_rank_of(text_from("[rank1234567]: x")), -1);
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

/* The process that lines call missing, and its host. */
static void test_missing(void **state)
{
    static const struct {
        const char *lines[4], *host; /* "": none is known */
    } all[] = {
        {{"n1:2:3 [0] NCCL INFO comm 0x1 rank 0 nranks 2",
          "rank: 1, hostname: 'n2'", "missing ranks: 1"},
         "n2"},
        {{"rank 1 on host n2", "Rank 1 did not join"}, "n2"},
        {{"rank 1 on host n2", "Rank x did not join"}, ""},
        {{"rank 1 on host n2", "rank 1 on host n3", "rank 1 has not reached"},
         "n2"},
        {{"rank 1 running on n2", "ranks 1 failed to pass monitoredBarrier",
          "rank 0 not joined"},
         "n2"},
        {{"local_rank 1 on host n9", "local rank 1 on host n9",
          "rank 1 not joined"},
         ""},
        {{"rank 1 on host :===== n2", "rank 1 not joined"}, ""},
        {{"rank 1, machine = \"n2\"", "rank 1 not joined"}, "n2"},
        {{"rank - - - 1 on host n2", "rank 1 not joined"}, ""},
        {{"n1:2:3 [0] NCCL INFO comm 0x1 nranks 2", "rank 0 not joined"}, ""},
        {{"rank 1 is on its way", "rank 1 not joined"}, ""},
        {{"rank 0 on host n1", "rank 1 on host n2", "rank 2 on host n3",
          "[rank2]: Watchdog caught collective; rank 1 not joined"},
         "n2"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct host_table *table = host_table_new();
        struct host_guess guess;
        for (size_t k = 0; k < 4 && all[i].lines[k]; k++)
            host_table_read(table, text_from(all[i].lines[k]));
        host_guess_begin(&guess);
        host_guess_missing(&guess, table, false);
        if (strcmp(guess.name, all[i].host) != 0)
            fail_msg("%zu: '%s', not '%s'", i, guess.name, all[i].host);
        host_table_free(table);
    }
    /* Two of three wait: the third is missing. */
    static const char *const waits[] = {
        "rank 0 on host n1",
        "rank 1 on host n2",
        "rank 2 on host n3",
        "[Rank 0] Watchdog caught collective operation timeout",
        "rank x Timed out waiting",
        "x [Rank 2] Timed out waiting"};
    struct host_table *table = host_table_new();
    struct host_guess guess;
    for (size_t k = 0; k < sizeof waits / sizeof *waits; k++)
        host_table_read(table, text_from(waits[k]));
    host_guess_begin(&guess);
    host_guess_missing(&guess, table, true);
    assert_string_equal(guess.name, "n2");
    host_table_absent(table, 0);
    host_table_absent(table, 2); /* the first one stays */
    host_guess_begin(&guess);
    host_guess_missing(&guess, table, true);
    assert_string_equal(guess.name, "n1");
    host_table_free(table);
    host_table_free(NULL);
}

static void test_prefixes(void **state)
{
    static const char *const all[][2] = {
        {"[n5:17] *** Process received signal ***", "n5"},
        {"[n5:0/2] error: x", "n5"},
        {"[n5:x] error: x", ""},
        {"[n5:] error: x", ""},
        {"[:5] error: x", ""},
        {"n5:1:2 [0] NCCL WARN x", "n5"},
        {"n5:1:x [0] NCCL WARN x", ""},
        {"n5:1 [0] NCCL WARN x", ""},
        {"error: Node failure on n5", "n5"},
        {"error: Node failure on \"'n[5]'\"", "n5"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct host_guess guess;
        host_guess_begin(&guess);
        host_guess_read(&guess, text_from(all[i][0]), 1);
        if (strcmp(guess.name, all[i][1]) != 0)
            fail_msg("%s: '%s'", all[i][0], guess.name);
    }
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
        "[Sun Mar  1 04:01:35 2026] NVRM: x",
        "2026-03-01T04:01:35Z x",
        "2026-03-01T02:01:35-02:00 x",
        "2026-03-01T02:01:35-0200 x",
        "2026-03-01T04:01:35+15:00 x",
        "2026-03-01T04:01:35+02:60 x",
        "2026-03-01T04:01:35+02:x x",
        "2026-03-01T04:01:35+x x",
        "2026-03-01 04:01:35,x"};
    static const char *const bare[] = {"Mar  1 04:01:35 n1 kernel: x",
                                       "Mar 01 04:01:35 n1 kernel: x",
                                       "E0301 04:01:35.000000 7 a.cc:3] x",
                                       "Mar 1 04:01:35 n1 kernel: x",
                                       "Mar  1 04:01:35 1969 x",
                                       "Mar  1 04:01:35 20261 x"};
    static const char *const none[] = {"",
                                       "step 3",
                                       "2026-13-01 04:01:35",
                                       "2026-03-01 24:01:35",
                                       "Mar 04:01",
                                       "[ 1234.5] x",
                                       "2026-03-01 04:61:35",
                                       "2026-03-01 04:01:61",
                                       "2026-00-01 04:01:35",
                                       "2026-03-32 04:01:35",
                                       "2026-03-00 04:01:35",
                                       "03/01/1970 04:01:35",
                                       "03/x1/2026 04:01:35",
                                       "03/01.2026 04:01:35",
                                       "03/01/26 04:01:35",
                                       "03/01/2026T04:01:35",
                                       "03/01/2026 04:01",
                                       "13/01/2026 04:01:35",
                                       "I03x1 04:01:35",
                                       "I0301T04:01:35",
                                       "I0301 04-01-35",
                                       "I1301 04:01:35"};
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
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_hostile_table),
        cmocka_unit_test(test_stamps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
