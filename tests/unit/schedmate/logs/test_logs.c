/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests whole logs: the classes of their lines, the search for the first error,
 * the causes of failures, and the search back for progress lines. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/logs/handler.h"
#include "schedmate/logs/schedmate_tracker.h"
#include "tests/support/built_in.h"

struct lab {
    struct log_classifier *classifier;
    struct locator_config locator;
    struct tracker_config tracker;
};

static int set_up(void **state)
{
    static struct lab lab;
    static struct error err;
    option_defaults(locator_options, &lab.locator);
    option_defaults(tracker_options, &lab.tracker);
    *state = &lab;
    return log_classifier_new(LOG_LINEAR, NULL, &lab.classifier, &err) !=
           STATUS_OK;
}

static int tear_down(void **state)
{
    struct lab *lab = *state;
    log_classifier_free(lab->classifier);
    return 0;
}

static void classes_of_plain_lines(void **state)
{
    static const struct {
        const char *line;
        enum log_class class;
    } cases[] = {
        {"Traceback (most recent call last):", LOG_ERROR},
        {"RuntimeError: CUDA error: an illegal memory access", LOG_ERROR},
        {"x.py:12: FutureWarning: y is deprecated and will be removed",
         LOG_WARNING},
        {" iteration  10/ 500 | elapsed time per iteration (ms): 23.4 | lm "
         "loss: 3.1E+00 | learning rate: 1.0E-04 |",
         LOG_PROGRESS},
        {"Epoch: [1][10/500]\tTime 0.3 (0.3)\tLoss 3.05 (3.1)", LOG_PROGRESS},
        {"Loading data from /data/train", LOG_OTHER},
        {" \t ", LOG_BLANK},
    };
    struct lab *lab = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct log_verdict v =
            log_classify(lab->classifier, text_from(cases[i].line), NULL);
        if (v.class != cases[i].class)
            fail_msg("%s: %s", cases[i].line, log_class_names[v.class]);
        assert_true(v.score >= 0 && v.score <= 1);
    }
}

static void the_cache_changes_no_verdict(void **state)
{
    struct lab *lab = *state;
    struct text line = text_from("ValueError: shapes 3 and 4");
    struct log_context context = {{MARK_BIT(QUOTED_FILE), 0}};
    struct log_verdict a = log_classify(lab->classifier, line, &context);
    struct log_verdict b = log_classify(lab->classifier, line, &context);
    assert_int_equal(a.class, b.class);
    assert_memory_equal(&a.score, &b.score, sizeof a.score);
    assert_true(a.hash == b.hash);
}

static void the_weights_say_what_they_lack(void **state)
{
    static struct error err;
    struct log_classifier *c;
    struct text bad = text_from("{\"weights\": {\"error\": {\"scale\": 1, "
                                "\"int8\": \"0z\"}}}");
    (void)state;
    assert_int_equal(log_classifier_new(LOG_LINEAR, &bad, &c, &err),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(err.message, "weights of 'error'"));
    bad = text_from("{\n  nonsense");
    assert_int_equal(log_classifier_new(LOG_LINEAR, &bad, &c, &err),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(err.message, "2:"));
}

/* Makes a log with one line per letter: e is an error, x an exception, p
 * progress, o another line, and f a message that the process ended. The caller
 * frees it. */
static char *script(const char *letters)
{
    char *out = malloc(strlen(letters) * 128 + 1), *at = out;
    for (size_t i = 0; letters[i]; i++) {
        const char *line = "Loading data from /data/train\n";
        char made[128];
        if (letters[i] == 'e')
            line = "ERROR: the initialization of CUDA failed\n";
        if (letters[i] == 'x')
            line = "torch.cuda.OutOfMemoryError: nothing is left\n";
        if (letters[i] == 'f')
            line = "run.sh: line 3:  3904 Aborted  (core dumped) python a.py\n";
        if (letters[i] == 'p') {
            snprintf(made, sizeof made,
                     "Epoch: [1][%zu/5000]\tTime 0.5 (0.5)\tLoss 3.05 (3.1)\n",
                     i);
            line = made;
        }
        size_t len = strlen(line);
        memcpy(at, line, len);
        at += len;
    }
    *at = 0;
    return out;
}

static struct located scan(struct lab *lab, const char *letters)
{
    char *log = script(letters);
    struct text rest = text_from(log), line;
    struct locator l;
    struct located out;
    locator_start(&l, &lab->locator, lab->classifier, built_in_knowledge());
    while (log_first_line(&rest, &line))
        locator_feed(&l, line, (uint64_t)(line.at - log));
    locator_end(&l, &out);
    if (out.found) { /* the offset must lie in the line with this number */
        size_t n = 1;
        for (size_t i = 0; i < out.offset; i++)
            n += log[i] == '\n';
        assert_int_equal(n, out.line);
    }
    free(log);
    return out;
}

#define O20 "oooooooooooooooooooo"
#define P20 "pppppppppppppppppppp"

static void the_scan_finds_the_first_error_of_the_last_word(void **state)
{
    struct lab *lab = *state;
    assert_false(scan(lab, "").found);
    assert_false(scan(lab, O20 P20).found);
    struct located l = scan(lab, O20 P20 "oooee" O20);
    assert_true(l.found && l.sure);
    assert_int_equal(l.line, 44);
    assert_int_equal(l.chunk, 2);
    /* Training continues after these errors, so they are decoys. */
    l = scan(lab, "oeeeo" P20);
    assert_false(l.found);
    l = scan(lab, "oeeeo" P20 O20 "eee");
    assert_int_equal(l.line, 46);
    assert_int_equal(l.decoys, 1);
    /* A message that the process ended counts as an error, even if a later run
     * prints its progress to the same file. */
    l = scan(lab, O20 "f" P20);
    assert_true(l.found);
    assert_int_equal(l.line, 21);
    /* A single error is not dense, so a denser run of errors is preferred,
     * although it comes later. */
    l = scan(lab, "e" O20 O20 O20 O20 "eee");
    assert_int_equal(l.line, 82);
    /* An exception that ended the program is preferred to a denser run,
     * although it is single. */
    l = scan(lab, "x" O20 O20 O20 O20 "eee");
    assert_int_equal(l.line, 1);
    l = scan(lab, "x" P20 O20 "eee");
    assert_int_equal(l.line, 42);
    /* A single error is found if there is no other run, but the result is not
     * sure. */
    l = scan(lab, O20 "e" O20);
    assert_true(l.found && !l.sure);
    /* Runs of errors close to each other are one cascade. The first line of the
     * cascade is found. */
    l = scan(lab, O20 "ee" O20 "ee" O20 "eeee");
    assert_int_equal(l.line, 21);
}

struct chunk_list {
    const char *log;
    uint32_t chunk;
    unsigned calls;
};

static bool give_chunk(void *self, uint64_t i, struct text *out)
{
    struct chunk_list *list = self;
    struct text rest = text_from(list->log), line;
    list->calls++;
    for (uint64_t k = 0; k < i * list->chunk; k++)
        assert_true(log_first_line(&rest, &line));
    out->at = rest.at;
    for (uint64_t k = 0; k < list->chunk && log_first_line(&rest, &line);)
        k++;
    out->len = (size_t)(rest.at - out->at);
    return true;
}

static void the_binary_search_is_a_lower_bound(void **state)
{
    struct lab *lab = *state;
    /* Makes a log of 16 chunks for each position of the first error. All chunks
     * after the first error have errors too. */
    for (uint64_t first = 0; first <= 16; first++) {
        char letters[16 * 20 + 1] = {0};
        struct located out;
        for (uint64_t i = 0; i < 16 * 20; i++)
            letters[i] = i < first * 20 + 3 ? 'p' : 'e';
        char *log = script(letters);
        struct chunk_list list = {log, 20, 0};
        locator_search(&lab->locator, lab->classifier, 16, give_chunk, &list,
                       &out);
        assert_int_equal(out.found, first < 16);
        if (out.found) {
            assert_int_equal(out.chunk, first);
            assert_int_equal(out.line, first * 20 + 4);
        }
        /* at most 5 steps for 17 results; then the chunk that was found is read
         * again */
        assert_true(list.calls <= 6);
        free(log);
    }
}

static struct log_cause cause(const char *line)
{
    return log_cause_of(built_in_knowledge(), text_from(line));
}

static void codes_have_causes(void **state)
{
    static const struct {
        const char *line;
        enum failure_kind kind;
        enum failure_part part;
    } cases[] = {
        {"NVRM: Xid (PCI:0000:03:00): 79, pid=1, x", FAILURE_INFRASTRUCTURE,
         PART_GPU},
        {"NVRM: Xid (PCI:0000:03:00): 74, pid=1, x", FAILURE_INFRASTRUCTURE,
         PART_NVLINK},
        {"NVRM: Xid (PCI:0000:03:00): 13, pid=1, x", FAILURE_SCRIPT, PART_NONE},
        {"nvidia-nvswitch1: SXid (PCI:0): 11004, Non-fatal",
         FAILURE_INFRASTRUCTURE, PART_NVLINK},
        {"CANCELLED AT 2026 DUE TO NODE FAILURE", FAILURE_INFRASTRUCTURE,
         PART_NODE},
        {"ncclRemoteError: x", FAILURE_INFRASTRUCTURE, PART_NETWORK},
        {"OSError: [Errno 5] Input/output error", FAILURE_INFRASTRUCTURE,
         PART_OTHER},
        {"CUDA out of memory. Tried", FAILURE_FRAMEWORK, PART_NONE},
        {"KeyError: 'x'", FAILURE_SCRIPT, PART_NONE},
        {"CANCELLED AT x DUE TO TIME LIMIT", FAILURE_OTHER, PART_NONE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct log_cause c = cause(cases[i].line);
        if (c.weight == 0 || c.kind != cases[i].kind || c.part != cases[i].part)
            fail_msg("%s: %s %s", cases[i].line, failure_kinds[c.kind],
                     failure_parts[c.part]);
    }
    assert_int_equal(cause("Loading data").weight, 0);
    assert_int_equal(cause("NVRM: Xid (").weight, 0);
}

static struct diagnosis judge(const char *window)
{
    struct diagnosis d;
    handler_judge(built_in_knowledge(), text_from(window), 0, true, &d);
    return d;
}

static void the_first_cause_is_the_cause(void **state)
{
    (void)state;
    /* An exception left the job hanging until the scheduler killed it: the
     * exception is the cause. */
    struct diagnosis d = judge("AttributeError: x\nslurmstepd: error: *** JOB "
                               "1 CANCELLED AT y DUE TO TIME LIMIT ***\n");
    assert_int_equal(d.kind, FAILURE_SCRIPT);
    assert_int_equal(d.line, 0);
    d = judge("srun: Job step aborted\nslurmstepd: error: *** JOB 1 CANCELLED "
              "AT y DUE TO TIME LIMIT ***\n");
    assert_int_equal(d.kind, FAILURE_OTHER);
    assert_int_equal(d.action, ACTION_TELL_USER);
    /* Later messages of other ranks are consequences of the first error. */
    d = judge("KeyError: 'x'\nConnection reset by peer\n"
              "Watchdog caught collective operation timeout\n");
    assert_int_equal(d.kind, FAILURE_SCRIPT);
    /* PyTorch's advice and the end of data loaders name no cause. */
    d = judge("RuntimeError: CUDA error: unspecified launch failure\nCompile "
              "with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n");
    assert_string_equal(d.reason, "kernel failed");
    d = judge("OSError: [Errno 24] Too many open files\n"
              "AssertionError: can only join a child process\n");
    assert_string_equal(d.reason, "use of files");
    /* A process reaches its own host without a network, so a refused connection
     * is an error of the script. */
    d = judge("connect to (localhost, 29500): Connection refused\n");
    assert_int_equal(d.kind, FAILURE_SCRIPT);
    /* A hardware code outweighs an earlier exception. */
    d = judge("ValueError: nan\nNVRM: Xid (PCI:0): 79, off the bus\n");
    assert_int_equal(d.part, PART_GPU);
    assert_int_equal(d.action, ACTION_REPLACE_NODE);
    d = judge("CUDA out of memory. Tried to allocate\n");
    assert_int_equal(d.action, ACTION_RESTART_BIGGER);
    d = judge("No space left on device\n");
    assert_int_equal(d.action, ACTION_TELL_OPERATOR);
    /* No rule and no word matches, so no cause is named. */
    d = judge("it went badly\n");
    assert_int_equal(d.source, HANDLER_NOTHING);
    assert_true(d.confidence <= 0);
}

static struct track track(struct lab *lab, const char *log)
{
    struct tracker_lines *lines = malloc(sizeof *lines);
    struct track out;
    tracker_find(lab->classifier, &lab->tracker, text_from(log), lines);
    tracker_read(&lab->tracker, lines, text_from(log), &out);
    free(lines);
    return out;
}

static void a_walk_ends_with_enough_lines(void **state)
{
    struct lab *lab = *state;
    char *log = script(P20 P20 P20 O20);
    struct track t = track(lab, log);
    assert_int_equal(t.source, TRACKER_PRINTED);
    assert_true(fabs(t.seconds_per_step - 0.5) < 1e-9);
    assert_int_equal(t.progress_lines, 20);
    assert_int_equal(t.lines_walked, 40);
    assert_true(fabs(t.loss - 3.05) < 1e-9);
    assert_true(t.confidence > 0.5);
    free(log);
    t = track(lab, "");
    assert_int_equal(t.source, TRACKER_NOT_FOUND);
    assert_true(isnan(t.seconds_per_step) && isnan(t.loss));
}

static void a_throughput_needs_a_batch(void **state)
{
    struct lab *lab = *state;
    char log[4096] = "";
    size_t n = 0;
    for (int i = 0; i < 10; i++)
        n += (size_t)snprintf(log + n, sizeof log - n,
                              "Epoch[1] Batch [%d] Speed: 640.0 samples/sec "
                              "loss=3.%d\n",
                              i * 20, i);
    struct track t = track(lab, log);
    assert_int_equal(t.source, TRACKER_NOT_FOUND);
    assert_true(fabs(t.throughput - 640) < 1e-9);
    snprintf(log + n, sizeof log - n, "global_batch_size = 320\n");
    t = track(lab, log);
    assert_int_equal(t.source, TRACKER_THROUGHPUT);
    assert_true(fabs(t.seconds_per_step - 0.5) < 1e-9);
}

static void clocks_tell_what_nobody_prints(void **state)
{
    struct lab *lab = *state;
    char log[4096] = "";
    size_t n = 0;
    /* the times of day pass midnight; 2 steps take 4 s */
    for (int i = 0; i < 12; i++)
        n += (size_t)snprintf(
            log + n, sizeof log - n,
            "2026-03-0%d %02d:%02d:%02d,000 INFO step: %d, loss: 3.%d\n",
            i < 6 ? 1 : 2, i < 6 ? 23 : 0, i < 6 ? 59 : 0,
            i < 6 ? 36 + 4 * i : 4 * (i - 6), 100 + 2 * i, i);
    struct track t = track(lab, log);
    assert_int_equal(t.source, TRACKER_CLOCK);
    assert_true(fabs(t.seconds_per_step - 2) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_of_plain_lines),
        cmocka_unit_test(the_cache_changes_no_verdict),
        cmocka_unit_test(the_weights_say_what_they_lack),
        cmocka_unit_test(the_scan_finds_the_first_error_of_the_last_word),
        cmocka_unit_test(the_binary_search_is_a_lower_bound),
        cmocka_unit_test(codes_have_causes),
        cmocka_unit_test(the_first_cause_is_the_cause),
        cmocka_unit_test(a_walk_ends_with_enough_lines),
        cmocka_unit_test(a_throughput_needs_a_batch),
        cmocka_unit_test(clocks_tell_what_nobody_prints),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
