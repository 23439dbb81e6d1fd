/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests what a scheduler reports about the end of a job, and how the report is
 * weighed against the log. */
#include "tests/support/test.h"

#include <signal.h>

#include "schedmate/logs/handler.h"
#include "tests/support/built_in.h"

static struct job_end read_end(const char *state, const char *code,
                               const char *signal, const char *reason)
{
    struct job_end end = {.knowledge = built_in_knowledge()};
    struct error err;
    if (state)
        assert_int_equal(job_end_read_state(state, &end, &err), STATUS_OK);
    if (code)
        assert_int_equal(job_end_read_code(code, &end, &err), STATUS_OK);
    if (signal)
        assert_int_equal(job_end_read_signal(signal, &end, &err), STATUS_OK);
    if (reason)
        job_end_read_reason(reason, &end);
    return end;
}

/* Returns the diagnosis that the rules make from one line of a log; an empty
 * diagnosis if `line` is NULL. */
static struct diagnosis judge(const char *line)
{
    struct diagnosis d = {.reason = "", .part = PART_NONE};
    if (line)
        handler_judge(built_in_knowledge(), text_from(line), 0, true, &d);
    return d;
}

static void test_states(void **state)
{
    static const struct {
        const char *word;
        enum end_state state;
    } all[] = {
        {"COMPLETED", END_COMPLETED},     {"cancelled", END_CANCELLED},
        {"CANCELLED+", END_CANCELLED},    {"CANCELLED by 1000", END_CANCELLED},
        {"NODE_FAIL", END_NODE_FAIL},     {"Node-Fail", END_NODE_FAIL},
        {"OOMKilled", END_OUT_OF_MEMORY}, {"TERM_RUNLIMIT", END_TIMEOUT},
        {"Succeeded", END_COMPLETED},     {"EXIT", END_FAILED},
        {"RUNNING", END_UNKNOWN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_int_equal(read_end(all[i].word, NULL, NULL, NULL).state,
                         all[i].state);
    struct job_end end = read_end("CANCELLED by 1000", NULL, NULL, NULL);
    assert_true(text_is(end.by, "1000"));
    struct error err;
    assert_int_equal(job_end_read_state("FALED", &end, &err), STATUS_USAGE);
    assert_non_null(strstr(err.message, "did you mean 'failed'?"));
    assert_int_equal(job_end_read_state("", &end, &err), STATUS_USAGE);
    assert_int_equal(job_end_read_state("1 2 3", &end, &err), STATUS_USAGE);
    assert_int_equal(
        job_end_read_state("a_word_that_is_longer_than_each_name_of_a_state_"
                           "and_has_more_letters_than_there_is_room_for",
                           &end, &err),
        STATUS_USAGE);
    assert_int_equal(read_end("node fail", NULL, NULL, NULL).state,
                     END_NODE_FAIL);
}

static void test_codes(void **state)
{
    static const struct {
        const char *word;
        int code, signal; /* code -1: none */
        enum end_state state;
    } all[] = {
        {"0", 0, 0, END_UNKNOWN},          {"1", 1, 0, END_UNKNOWN},
        {"0:9", 0, 9, END_UNKNOWN},        {"1:0", 1, 0, END_UNKNOWN},
        {"137", 137, 9, END_UNKNOWN},      {"-11", -1, 11, END_UNKNOWN},
        {"271", -1, 15, END_UNKNOWN},      {"-29", -1, 0, END_TIMEOUT},
        {"-27", -1, 0, END_OUT_OF_MEMORY}, {"255", 255, 0, END_UNKNOWN},
        {"-28", -1, 0, END_TIMEOUT},       {"-26", -1, 0, END_OUT_OF_MEMORY},
    };
    static const char *const bad[] = {"",    "x",     "1:",   "1:x",
                                      "256", "900",   "-99",  "-1:3",
                                      ":9",  "300:1", "1:300"};
    struct job_end end = {.knowledge = built_in_knowledge()};
    struct error err;
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        end = read_end(NULL, all[i].word, NULL, NULL);
        assert_int_equal(end.has_code ? end.code : -1, all[i].code);
        assert_int_equal(end.signal, all[i].signal);
        assert_int_equal(end.state, all[i].state);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(job_end_read_code(bad[i], &end, &err), STATUS_USAGE);
    assert_int_equal(read_end(NULL, NULL, "sigkill", NULL).signal, SIGKILL);
    assert_int_equal(read_end(NULL, NULL, "TERM", NULL).signal, SIGTERM);
    assert_int_equal(read_end(NULL, NULL, "11", NULL).signal, SIGSEGV);
    assert_int_equal(job_end_read_signal("SIGKIL", &end, &err), STATUS_USAGE);
    assert_non_null(strstr(err.message, "did you mean 'KILL'?"));
    assert_int_equal(job_end_read_signal("zzzzzz", &end, &err), STATUS_USAGE);
    assert_string_equal(err.message, "'zzzzzz' is no signal");
    assert_int_equal(job_end_read_signal("99", &end, &err), STATUS_USAGE);
    assert_non_null(strstr(err.message, "expected 0 to 64 or a name"));
    assert_string_equal(job_end_signal_name(SIGKILL), "KILL");
    assert_string_equal(job_end_signal_name(0), "?");
    assert_string_equal(job_end_signal_name(65), "?");
    /* A state and a signal that are known already stay. */
    end = read_end("FAILED", "-29", NULL, NULL);
    assert_int_equal(end.state, END_FAILED);
    end = read_end("FAILED", "-26", NULL, NULL);
    assert_int_equal(end.state, END_FAILED);
    end = read_end(NULL, NULL, "TERM", "RaisedSignal:9(Killed)");
    assert_int_equal(end.signal, SIGTERM);
    assert_int_equal(job_end_read_code("137", &end, &err), STATUS_OK);
    assert_int_equal(end.signal, SIGTERM);
}

static void test_reasons(void **state)
{
    (void)state;
    struct job_end end = read_end("FAILED", NULL, NULL, "NodeDown");
    assert_int_equal(end.state, END_NODE_FAIL);
    end = read_end("TIMEOUT", NULL, NULL, "NodeDown");
    assert_int_equal(end.state, END_TIMEOUT);
    end = read_end(NULL, NULL, NULL, "RaisedSignal:9(Killed)");
    assert_int_equal(end.signal, SIGKILL);
    static const char *const empty[] = {
        "None", "", " ", "-", "RaisedSignal:99(Odd)", "RaisedSignal:x"};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        end = read_end(NULL, NULL, NULL, empty[i]);
        assert_int_equal(job_end_verdict(&end), END_SAYS_NOTHING);
    }
    char longest[5000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    end = read_end(NULL, NULL, NULL, longest);
    assert_true(end.why.len > 100 && end.why.len < sizeof longest - 1);
    /* Who cancelled the job is kept from the state. */
    end = read_end("CANCELLED by 1000", NULL, NULL, "Preempted");
    assert_true(text_is(end.by, "1000"));
    end = read_end(NULL, NULL, NULL, "ErrImagePull");
    assert_int_equal(end.cause.kind, FAILURE_SCRIPT);
    /* phrases that also occur in logs are read by the same rules */
    end = read_end(NULL, NULL, NULL, "NVRM: Xid (PCI:0000:03:00): 79, lost");
    assert_int_equal(end.cause.part, PART_GPU);
    end = read_end(NULL, NULL, NULL, "a whim of the scheduler");
    assert_int_equal(end.cause.weight, 0);
    assert_true(text_is(end.why, "a whim of the scheduler"));
}

static void test_nothing_known(void **state)
{
    (void)state;
    struct diagnosis d = judge("KeyError: 'a'"), was = d;
    struct job_end end = {.knowledge = built_in_knowledge()};
    job_end_apply(NULL, &d);
    job_end_apply(&end, &d);
    assert_memory_equal(&d, &was, sizeof d);
}

static void test_failed_is_never_well(void **state)
{
    static const char *const ways[] = {"FAILED",    "TIMEOUT",  "CANCELLED",
                                       "NODE_FAIL", "DEADLINE", "BOOT_FAIL",
                                       "PREEMPTED", "REQUEUED", "OOM"};
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct job_end end = read_end(ways[i], NULL, NULL, NULL);
        struct diagnosis d = judge(NULL);
        job_end_apply(&end, &d);
        assert_true(d.failed);
        assert_true(d.reason[0]);
        assert_int_equal(d.evidence, EVIDENCE_SCHEDULER);
    }
    struct job_end end = read_end(NULL, "1", NULL, NULL);
    struct diagnosis d = judge(NULL);
    job_end_apply(&end, &d);
    assert_true(d.failed);
    assert_int_equal(d.source, HANDLER_NOTHING);
    assert_true(d.confidence == 0);
}

/* An exit code or a signal of which the log says nothing. */
static void test_ends_alone(void **state)
{
    static const struct {
        const char *state, *code, *signal, *line, *reason;
        double confidence; /* at least */
    } all[] = {
        {"FAILED", "127", NULL, NULL, "command not found", 0.3},
        {"FAILED", NULL, "SEGV", NULL, "crash", 0.3},
        {"FAILED", NULL, "BUS", NULL, "crash", 0.3},
        {"FAILED", NULL, "ABRT", NULL, "abort", 0.3},
        {"FAILED", NULL, "ILL", NULL, "crash", 0.3},
        {"FAILED", NULL, "XCPU", NULL, "time limit", 0.3},
        {"FAILED", NULL, "HUP", NULL, "ended by a signal, cause unknown", 0},
        {"FAILED", "127", NULL, "a note", "command not found", 0.3},
        {"BOOT_FAIL", NULL, NULL, "NVRM: Xid (PCI:0000:03:00): 79, off",
         "Xid 79: off the bus", 0.3},
        {"NODE_FAIL", NULL, NULL,
         "Watchdog caught collective operation timeout", "node failure", 0.3},
        {"PREEMPTED", NULL, NULL,
         "Watchdog caught collective operation timeout", "preempted", 0.3},

        {"FAILED", "0", NULL, NULL, "ended before its time, cause unknown", 0},
        {"FAILED", "3", NULL, NULL,
         "ended with an exit code that is not 0, cause unknown", 0},
        {"CANCELLED", NULL, NULL, "NVRM: Xid (PCI:0000:03:00): 79, off",
         "Xid 79: off the bus", 0.3},
        {"OUT_OF_MEMORY", NULL, "KILL",
         "slurmstepd: error: Detected 1 oom_kill event", "out of memory", 0.3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct job_end end =
            read_end(all[i].state, all[i].code, all[i].signal, NULL);
        struct diagnosis d = judge(all[i].line);
        job_end_apply(&end, &d);
        assert_true(d.failed);
        if (strcmp(d.reason, all[i].reason) != 0 ||
            d.confidence < all[i].confidence)
            fail_msg("%zu: '%s', not '%s', %g", i, d.reason, all[i].reason,
                     d.confidence);
    }
}

static void test_completed(void **state)
{
    (void)state;
    struct job_end end = read_end("COMPLETED", "0", NULL, NULL);
    struct diagnosis d = judge("RuntimeError: maybe");
    job_end_apply(&end, &d);
    assert_false(d.failed);
    assert_string_equal(d.also, "runtime error");
    d = judge("NVRM: Xid (PCI:0000:03:00): 79, off the bus");
    job_end_apply(&end, &d);
    assert_true(d.failed);
    assert_int_equal(d.part, PART_GPU);
    assert_non_null(d.also);
}

static void test_who_wins(void **state)
{
    static const struct {
        const char *state, *line, *reason, *also;
    } all[] = {
        /* the scheduler's reason wins; the cause in the log does not explain it
         */
        {"PREEMPTED", "socket: Connection reset by peer", "preempted",
         "connection reset"},
        {"CANCELLED", "KeyboardInterrupt", "cancelled", NULL},
        {"NODE_FAIL", "KeyError: 'a'", "node failure", "key error"},
        {"OUT_OF_MEMORY", "RuntimeError: no", "out of memory", "runtime error"},
        /* a strong cause in the log wins, because it came before the end */
        {"TIMEOUT", "NVRM: Xid (PCI:0000:03:00): 79, off", NULL, "time limit"},
        {"TIMEOUT", "Watchdog caught collective operation timeout", NULL,
         "time limit"},
        {"NODE_FAIL", "NVRM: Xid (PCI:0000:03:00): 79, off", NULL,
         "node failure"},
        {"OUT_OF_MEMORY", "torch.cuda.OutOfMemoryError: CUDA out of memory.",
         NULL, "out of memory"},
        /* the scheduler and the log agree */
        {"TIMEOUT", "JOB 7 CANCELLED DUE TO TIME LIMIT", "time limit", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct job_end end = read_end(all[i].state, NULL, NULL, NULL);
        struct diagnosis d = judge(all[i].line);
        const char *of_log = d.reason;
        job_end_apply(&end, &d);
        assert_string_equal(d.reason, all[i].reason ? all[i].reason : of_log);
        if (all[i].also && all[i].reason)
            assert_string_equal(d.also, all[i].also);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_codes),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_nothing_known),
        cmocka_unit_test(test_failed_is_never_well),
        cmocka_unit_test(test_ends_alone),
        cmocka_unit_test(test_completed),
        cmocka_unit_test(test_who_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
