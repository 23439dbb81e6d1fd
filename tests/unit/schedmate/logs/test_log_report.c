/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests reports of several lines and processes: prefixes, tracebacks, wrappers,
 * consequences. */
#include "tests/support/test.h"

#include <stdlib.h>

#include "schedmate/logs/handler.h"
#include "schedmate/logs/log_locator.h"
#include "schedmate/logs/log_stream.h"
#include "tests/support/built_in.h"

static void prefixes_are_taken_away(void **state)
{
    static const struct {
        const char *line, *rest;
    } cases[] = {
        {"[rank3]: KeyError: 'a'", "KeyError: 'a'"},
        {"[1,12]<stderr>:panic: x", "panic: x"},
        {"node-2: worker failed", "worker failed"},
        {"2024-05-13T21:24:38.353Z KeyError: 1", "KeyError: 1"},
        {"2024-05-13 21:24:38,353 ERROR x", "ERROR x"},
        {"(train pid=7, ip=10.0.0.1) KeyError: 1", "KeyError: 1"},
        {"node7: [rank0]:   File \"a.py\"", "  File \"a.py\""},
        {"Http404Error: x", "Http404Error: x"},
        {"KeyError: 'a'", "KeyError: 'a'"},
        {"2024-05-13", "2024-05-13"},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct log_stream s = log_stream_of(text_from(cases[i].line));
        if (!text_is(s.line, cases[i].rest))
            fail_msg("%s: %.*s", cases[i].line, TEXT_ARGS(s.line));
    }
    assert_true(log_stream_of(text_from("[rank3]: a")).id ==
                log_stream_of(text_from("[rank3]: b")).id);
    assert_false(log_stream_of(text_from("[rank3]: a")).id ==
                 log_stream_of(text_from("[rank4]: a")).id);
}

/* Returns the kinds of the lines: 'f' for a frame, 'x' for an exception, '.'
 * for any other line. */
static const char *kinds(const char *log)
{
    static char out[64];
    struct log_traceback t = {0};
    struct text rest = text_from(log), line;
    size_t n = 0;
    while (rest.len > 0 && n + 1 < sizeof out) {
        line = text_split(rest, '\n', &rest);
        out[n++] = ".fx"[log_traceback_next(&t, line).kind];
    }
    out[n] = 0;
    return out;
}

static void tracebacks_are_units(void **state)
{
    (void)state;
    assert_string_equal(kinds("before\n"
                              "Traceback (most recent call last):\n"
                              "  File \"a.py\", line 3, in f\n"
                              "    raise KeyError(x)\n"
                              "KeyError: 'x'\n"
                              "after\n"),
                        ".fffx.");
    /* The traceback begins after a progress bar. The name of the exception has
     * none of the usual endings. */
    assert_string_equal(kinds("3/9 [00:01]Traceback (most recent call last):\n"
                              "  File \"/env/site-packages/b.py\", line 3\n"
                              "    call()\n"
                              "lib.exc.Unsupported: no such loop\n"),
                        "fffx");
    /* Two ranks print at the same time. */
    assert_string_equal(kinds("[rank0]: Traceback (most recent call last):\n"
                              "[rank1]: Traceback (most recent call last):\n"
                              "[rank0]:   File \"a.py\", line 3, in f\n"
                              "[rank1]:   File \"a.py\", line 3, in f\n"
                              "[rank1]:     x = y\n"
                              "[rank0]:     x = y\n"
                              "[rank1]: NameError: y\n"
                              "[rank0]: NameError: y\n"),
                        "ffffffxx");
    /* Reports of C++, Java and Julia. */
    assert_string_equal(
        kinds("frame #0: a + 0x57 (0x7a in libc10.so)\n"
              "Exception in thread \"main\" a.b.IOException: x\n"
              "\tat a.b.C.f(C.java:3)\n"
              "Caused by: java.net.ConnectException: y\n"
              "ERROR: LoadError: UndefVarError: x\n"
              " [1] f(x::Int) at /a.jl:3\n"),
        "fxfxxf");
}

static struct log_finding read_report(const char *report)
{
    struct log_finding f;
    log_report_read(built_in_knowledge(), text_from(report), 0, &f);
    return f;
}

static const struct {
    const char *report, *reason;
    uint64_t line;
} reports[] = {
    /* errors inside wrappers */
    {.report = "RuntimeError: Caught KeyError in DataLoader worker process 0.\n"
               "Original Traceback (most recent call last):\n"
               "  File \"d.py\", line 4, in __getitem__\n"
               "    return self.rows[i]\n"
               "IndexError: list index out of range\n",
     .reason = "index error",
     .line = 4},
    {.report = "torch.multiprocessing.spawn.ProcessRaisedException: \n\n"
               "-- Process 2 terminated with the following error:\n"
               "Traceback (most recent call last):\n"
               "  File \"t.py\", line 9, in main\n"
               "    open(path)\n"
               "FileNotFoundError: [Errno 2] No such file or directory: 'x'\n",
     .reason = "file not found",
     .line = 6},
    /* a quoted line of code names an error that was not raised */
    {.report = "Traceback (most recent call last):\n"
               "  File \"t.py\", line 9, in main\n"
               "    assert ok, 'CUDA out of memory'\n"
               "ValueError: 3\n",
     .reason = "value error",
     .line = 3},
    /* a RuntimeError that the script raised, and one of a library */
    {.report = "Traceback (most recent call last):\n"
               "  File \"t.py\", line 9, in main\n"
               "    raise RuntimeError(text)\n"
               "RuntimeError: nothing to do\n",
     .reason = "exception",
     .line = 3},
    {.report = "Traceback (most recent call last):\n"
               "  File \"/env/site-packages/t.py\", line 9, in main\n"
               "    raise RuntimeError(text)\n"
               "RuntimeError: nothing to do\n",
     .reason = "runtime error",
     .line = 3},
    /* consequences that are printed before and after the cause */
    {.report = "[rank1]: ConnectionError: Connection reset by peer\n"
               "[rank0]: KeyError: 'labels'\n"
               "slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED AT noon ***\n",
     .reason = "key error",
     .line = 1},
    {.report = "srun: error: n1: task 3: Exited with exit code 1\n"
               "slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED AT noon ***\n",
     .reason = "",
     .line = 0},
    {.report = "Watchdog caught collective operation timeout: ran for 600 s\n"
               "terminate called after throwing an instance of 'c10::Error'\n",
     .reason = "NCCL timeout",
     .line = 0},
    /* Python continues after an exception that it ignored. */
    {.report = "Exception ignored in: <function D.__del__ at 0x7f>\n"
               "Traceback (most recent call last):\n"
               "  File \"d.py\", line 4, in __del__\n"
               "    self.f.close()\n"
               "AttributeError: f\n"
               "MemoryError\n",
     .reason = "out of memory",
     .line = 5},
    /* Java prints the first cause last. */
    {.report = "Exception in thread \"main\" java.lang.ClassCastException: x\n"
               "\tat a.b.C.f(C.java:3)\n"
               "Caused by: java.lang.OutOfMemoryError: Java heap space\n",
     .reason = "out of memory",
     .line = 2},
    /* harmless lines */
    {.report =
         "wandb: ERROR Error uploading \"a\": CommError, None\n"
         "E cuda_dnn.cc:8310] Unable to register cuDNN factory: registered\n",
     .reason = "",
     .line = 0},
    {.report = "it went badly\n", .reason = "", .line = 0},
};

static void the_root_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        struct log_finding f = read_report(reports[i].report);
        const char *reason = f.cause.weight ? f.cause.reason : "";
        if (strcmp(reason, reports[i].reason) != 0 || f.line != reports[i].line)
            fail_msg("%s: '%s' in line %u", reports[i].report, reason,
                     (unsigned)f.line);
    }
}

#define CAUGHT "ImportError: no module a\n"
#define NAMED "ERROR: it failed\nKeyError: 'a'\n"
#define SILENT "ERROR: it failed\nERROR: it failed again\n"

/* Returns the number of the line, from 1, of the first error that the locator
 * finds in a log of `first`, n other lines, and `second`. */
static uint64_t first_error(const char *first, unsigned n, const char *second)
{
    struct locator_config config;
    struct log_classifier *classifier;
    struct locator *l = mem_zalloc(1, sizeof *l);
    struct located out;
    struct error err;
    option_defaults(locator_options, &config);
    assert_int_equal(log_classifier_new(LOG_LINEAR, NULL, &classifier, &err),
                     STATUS_OK);
    locator_start(l, &config, classifier, built_in_knowledge());
    for (unsigned i = 0; i < n + 2; i++) {
        const char *text = "Loading data from /data/train\n";
        struct text rest, line;
        if (i == 0 || i == n + 1)
            text = i == 0 ? first : second;
        for (rest = text_from(text); log_first_line(&rest, &line);)
            locator_feed(l, line, 0);
    }
    locator_end(l, &out);
    log_classifier_free(classifier);
    free(l);
    return out.line;
}

static void a_program_outlives_errors(void **state)
{
    (void)state;
    /* If another exception is named much later, the first one was caught. */
    assert_int_equal(first_error(CAUGHT, 220, NAMED), 222);
    /* A second exception that follows soon is a consequence of the first. */
    assert_int_equal(first_error(CAUGHT, 100, NAMED), 1);
    /* If no exception is named, only the first error is known. */
    assert_int_equal(first_error(CAUGHT, 220, SILENT), 1);
    /* No program continues after the message that it was killed. */
    assert_int_equal(
        first_error("a.sh: line 3:  3904 Killed  python a.py\n", 220, NAMED),
        1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefixes_are_taken_away),
        cmocka_unit_test(tracebacks_are_units),
        cmocka_unit_test(the_root_counts),
        cmocka_unit_test(a_program_outlives_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
