/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts that read logs, one by one: lines, n-grams, marks, numbers,
 * classes, the walk to progress lines, the search for the first error, causes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

#include "models/logs/schedmate_handler.h"
#include "models/logs/schedmate_tracker.h"

static struct text normal(const char *line, char buf[NGRAM_LINE_MAX])
{
    return (struct text){buf, ngram_normalise(text_from(line), buf)};
}

static void lines_are_normalised(void **state)
{
    static const char *const pairs[][2] = {
        {"Step 12 of 400", "step 0 of 0"},
        {"at 0xDEADbeef now", "at 0x now"},
        {"id 3f2504e04f89 x", "id 0x x"},
        {"deadbeef is a word", "deadbeef is a word"},
        {"layer22.weight", "layer0.weight"},
        {"\x1b[31mERROR\x1b[0m: bad", "error: bad"},
        {"  indented   much", "  indented much"},
        {"========= done", "=== done"},
        {"a\tb\001c", "a b c"},
        {"   ", ""},
        {"1.5e-05", "0.0e-0"},
    };
    char buf[NGRAM_LINE_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct text got = normal(pairs[i][0], buf);
        if (!text_is(got, pairs[i][1]))
            fail_msg("'%s' became '%.*s'", pairs[i][0], (int)got.len, got.at);
    }
}

static void a_long_line_is_cut(void **state)
{
    char line[5000], buf[NGRAM_LINE_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof line; i++)
        line[i] = (char)('a' + i % 26);
    assert_int_equal(ngram_normalise((struct text){line, sizeof line}, buf),
                     NGRAM_LINE_MAX);
}

static void lines_end_in_three_ways(void **state)
{
    static const char *const want[] = {"a", "b", "c", "", "d"};
    struct text rest = text_from("a\nb\r\nc\r\rd"), line;
    size_t n = 0;
    (void)state;
    while (log_first_line(&rest, &line))
        assert_true(n < 5 && text_is(line, want[n++]));
    assert_int_equal(n, 5);
    rest = text_from("a\nb\r\nc\r\rd");
    while (log_last_line(&rest, &line))
        assert_true(n > 0 && text_is(line, want[--n]));
    assert_int_equal(n, 0);
}

static void hashed_vectors_tell_jobs_apart(void **state)
{
    static const char *const texts[] = {
        "model_name=resnet50 task_type=image_classification "
        "dataset_name=imagenet batch_size=256 epochs=90 framework=pytorch",
        "model_name=resnet50 task_type=image_classification "
        "dataset_name=imagenet batch_size=128 epochs=30 framework=pytorch",
        "model_name=tacotron2 task_type=speech_synthesis "
        "dataset_name=ljspeech batch_size=64 epochs=500 framework=apex",
        "",
    };
    float *v = malloc(4 * NGRAM_BUCKETS * sizeof *v);
    struct text views[4];
    (void)state;
    for (size_t i = 0; i < 4; i++)
        views[i] = text_from(texts[i]);
    assert_int_equal(embed_hashed.dimensions, NGRAM_BUCKETS);
    assert_int_equal(embed_hashed.embed(NULL, views, 4, v, NULL), STATUS_OK);
    const float *a = v, *b = v + NGRAM_BUCKETS, *c = v + 2 * NGRAM_BUCKETS,
                *empty = v + 3 * NGRAM_BUCKETS;
    assert_true(fabs(embed_cosine(a, a, NGRAM_BUCKETS) - 1) < 1e-5);
    /* The paper's threshold lies between the two: SchedMate's T_score is 0.90.
     */
    assert_true(embed_cosine(a, b, NGRAM_BUCKETS) > 0.9);
    assert_true(embed_cosine(a, c, NGRAM_BUCKETS) < 0.76);
    assert_true(fabs(embed_cosine(a, empty, NGRAM_BUCKETS)) < 1e-9);
    free(v);
}

static bool has_mark(const char *line, enum log_mark mark)
{
    return log_marks(text_from(line)) >> mark & 1;
}

static void marks_see_words_and_shapes(void **state)
{
    (void)state;
    assert_true(has_mark("acc 3", MARK_LOSS_WORD));    /* first of its table */
    assert_true(has_mark("warnings", MARK_WARN_WORD)); /* last of its table */
    assert_true(has_mark("CurrSamplesPerSec=3.5", MARK_RATE_WORD));
    assert_true(has_mark("ValueError: x", MARK_EXCEPTION_NAME));
    assert_true(has_mark("E0614 05:05:31.6 1860 a.cpp:2] x", MARK_GLOG_ERROR));
    assert_true(has_mark("[rank3]:   File \"a.py\", line 3", MARK_QUOTED_FILE));
    assert_true(has_mark(" 24%|# | 12/50 [1:2<4:5, 3s/it]", MARK_BAR));
    assert_true(has_mark("step=40, x", MARK_STEP_NUMBER));
    assert_false(has_mark("the step is 40", MARK_STEP_NUMBER));
    assert_true(has_mark("    ^^^^", MARK_CARETS));
    assert_false(has_mark("terror", MARK_ERROR_WORD));
}

/* The first number of a kind in a line. */
static const struct log_number *number(const char *line, enum number_kind kind,
                                       struct log_numbers *numbers)
{
    log_numbers_read(text_from(line), numbers);
    for (size_t i = 0; i < numbers->n; i++) {
        if (numbers->at[i].kind == kind)
            return &numbers->at[i];
    }
    return NULL;
}

static void numbers_are_read_with_their_units(void **state)
{
    static const struct {
        const char *line;
        enum number_kind kind;
        double value;
    } cases[] = {
        {"12/50 [1:17:26<4:05:14, 387.22s/it]", NUMBER_STEP_TIME, 387.22},
        {"507/508 8.0it/s 1:14<0.1s", NUMBER_STEP_TIME, 0.125},
        {"loss 2.9 2942 ms/iter", NUMBER_STEP_TIME, 2.942},
        {"elapsed time per iteration (ms): 135.5 | lr 1", NUMBER_STEP_TIME,
         0.1355},
        {"elapsed time per iteration (s): 111.00 |", NUMBER_STEP_TIME, 111},
        {"step:9/20 step_avg:60.5ms", NUMBER_STEP_TIME, 0.0605},
        {"Epoch: [1][2/5] Time 0.834 Data 0.1", NUMBER_STEP_TIME, 0.834},
        {"iter: 3 time: 0.3224 (0.3300)  data: 0.0069", NUMBER_STEP_TIME,
         0.3224},
        {"'train_steps_per_second': 0.5,", NUMBER_STEP_TIME, 2},
        {"ups=4.0, wpb=5", NUMBER_STEP_TIME, 0.25},
        {"batch_cost: 0.25 sec, ips: 3", NUMBER_STEP_TIME, 0.25},
        {"lr 3e-05 | rss 1493MB | 0.25s", NUMBER_STEP_TIME, 0.25},
        {"| ms/batch 12.5 | loss 3", NUMBER_STEP_TIME, 0.0125},
        {"global_step/sec: 4", NUMBER_STEP_TIME, 0.25},
        {"CurrSamplesPerSec=171.5, MemAllocated=3GB", NUMBER_THROUGHPUT, 171.5},
        {"Speed: 22111.5 samples/sec", NUMBER_THROUGHPUT, 22111.5},
        {"avg. samples / sec: 4419.5", NUMBER_THROUGHPUT, 4419.5},
        {"throughput/device/tokens_per_second=105,369", NUMBER_THROUGHPUT,
         105369},
        {"lm loss: 3.5E+01 | loss scale: 16384.0", NUMBER_LOSS, 35},
        {"{'loss': 0.0382, 'epoch': 4.37}", NUMBER_LOSS, 0.0382},
        {"iteration    43680/  311541 | x", NUMBER_STEP, 43680},
        {"train_batch_size ............. 128", NUMBER_BATCH, 128},
        {"train_time:140657ms step", NUMBER_ELAPSED, 140.657},
    };
    struct log_numbers numbers;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct log_number *x =
            number(cases[i].line, cases[i].kind, &numbers);
        if (!x || fabs(x->value - cases[i].value) > 1e-6 * cases[i].value)
            fail_msg("%s: %g, not %g", cases[i].line, x ? x->value : NAN,
                     cases[i].value);
    }
}

static void what_is_no_step_time_is_none(void **state)
{
    static const char *const lines[] = {
        "eta: 6:15:50  data_time: 0.0069",
        "forward-compute: 118.47",
        "INFO: loss = 0.5, step = 100 (31.153 sec)",
        "val time: 3.1",
        "saved in 3 parts",
        "epoch time: 35 s",
        "0it/s",
        "v1.2.3 x86_64",
    };
    struct log_numbers numbers;
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (number(lines[i], NUMBER_STEP_TIME, &numbers))
            fail_msg("%s: a step time?", lines[i]);
    }
    assert_false(number("loss scale: 16384.0", NUMBER_LOSS, &numbers));
    assert_false(number("val loss: 0.5", NUMBER_LOSS, &numbers));
}

static void clocks_are_times_of_day(void **state)
{
    struct log_numbers numbers;
    (void)state;
    log_numbers_read(text_from("[12/22 22:31:53.5 d2] x"), &numbers);
    assert_true(numbers.has_clock && fabs(numbers.clock - 81113.5) < 1e-6);
    log_numbers_read(text_from("5%|#| 3/9 [00:12:13<01:49:02, 1s/it]"),
                     &numbers);
    assert_false(numbers.has_clock);
    log_numbers_read(text_from("at 25:00:00"), &numbers);
    assert_false(numbers.has_clock);
}

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

/* Makes a log from letters: e error, p progress, o other, f an obituary. */
static char *script(const char *letters)
{
    char *out = malloc(strlen(letters) * 128 + 1), *at = out;
    for (size_t i = 0; letters[i]; i++) {
        const char *line = "Loading data from /data/train\n";
        char made[128];
        if (letters[i] == 'e')
            line = "RuntimeError: CUDA error: initialization failed\n";
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
    locator_start(&l, &lab->locator, lab->classifier);
    while (log_first_line(&rest, &line))
        locator_feed(&l, line, (uint64_t)(line.at - log));
    locator_end(&l, &out);
    if (out.found) { /* the offset is the offset of the line */
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
    /* training goes on: a decoy */
    l = scan(lab, "oeeeo" P20);
    assert_false(l.found);
    l = scan(lab, "oeeeo" P20 O20 "eee");
    assert_int_equal(l.line, 46);
    assert_int_equal(l.decoys, 1);
    /* an obituary counts, whatever a later run prints into the same file */
    l = scan(lab, O20 "f" P20);
    assert_true(l.found);
    assert_int_equal(l.line, 21);
    /* one line is not dense: a denser run of errors later is preferred */
    l = scan(lab, "e" O20 O20 O20 O20 "eee");
    assert_int_equal(l.line, 82);
    /* unless it is the only one */
    l = scan(lab, O20 "e" O20);
    assert_true(l.found && !l.sure);
    /* parts of one cascade are one report */
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
    /* Puts the error into each chunk in turn. All chunks after it are errors
     * too. */
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
        assert_true(list.calls <= 6); /* ceil(log2 16) + 1, and one more */
        free(log);
    }
}

static struct log_cause cause(const char *line)
{
    return log_cause_of(text_from(line));
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
        {"NVRM: Xid (PCI:0000:03:00): 13, pid=1, x", FAILURE_USER_SCRIPT,
         PART_NONE},
        {"nvidia-nvswitch1: SXid (PCI:0): 11004, Non-fatal",
         FAILURE_INFRASTRUCTURE, PART_NVLINK},
        {"CANCELLED AT 2026 DUE TO NODE FAILURE", FAILURE_INFRASTRUCTURE,
         PART_NODE},
        {"ncclRemoteError: x", FAILURE_INFRASTRUCTURE, PART_NETWORK},
        {"OSError: [Errno 5] Input/output error", FAILURE_INFRASTRUCTURE,
         PART_OTHER},
        {"CUDA out of memory. Tried", FAILURE_FRAMEWORK, PART_NONE},
        {"KeyError: 'x'", FAILURE_USER_SCRIPT, PART_NONE},
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
    handler_judge(text_from(window), 0, true, NULL, &d);
    return d;
}

static void the_first_cause_is_the_cause(void **state)
{
    (void)state;
    /* the kill by the scheduler ends what an exception left hanging */
    struct diagnosis d = judge("AttributeError: x\nslurmstepd: error: *** JOB "
                               "1 CANCELLED AT y DUE TO TIME LIMIT ***\n");
    assert_int_equal(d.kind, FAILURE_USER_SCRIPT);
    assert_int_equal(d.line, 0);
    d = judge("srun: Job step aborted\nslurmstepd: error: *** JOB 1 CANCELLED "
              "AT y DUE TO TIME LIMIT ***\n");
    assert_int_equal(d.kind, FAILURE_OTHER);
    assert_int_equal(d.action, ACTION_TELL_USER);
    /* later messages of other ranks are consequences */
    d = judge("KeyError: 'x'\nConnection reset by peer\n"
              "Watchdog caught collective operation timeout\n");
    assert_int_equal(d.kind, FAILURE_USER_SCRIPT);
    /* but a hardware code outweighs an exception before it */
    d = judge("ValueError: nan\nNVRM: Xid (PCI:0): 79, off the bus\n");
    assert_int_equal(d.part, PART_GPU);
    assert_int_equal(d.action, ACTION_REPLACE_NODE);
    d = judge("CUDA out of memory. Tried to allocate\n");
    assert_int_equal(d.action, ACTION_RESTART_BIGGER);
    d = judge("No space left on device\n");
    assert_int_equal(d.action, ACTION_TELL_OPERATOR);
    /* nothing known: no cause is named */
    d = judge("it went badly\n");
    assert_int_equal(d.source, HANDLER_NOTHING);
    assert_true(d.confidence <= 0);
}

static struct track track(struct lab *lab, const char *log)
{
    struct tracker_lines *lines = malloc(sizeof *lines);
    struct track out;
    tracker_find(lab->classifier, &lab->tracker, text_from(log), lines);
    tracker_read(lines, text_from(log), &out);
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
    for (int i = 0; i < 12; i++) /* over midnight: 4 s for 2 steps */
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
        cmocka_unit_test(lines_are_normalised),
        cmocka_unit_test(a_long_line_is_cut),
        cmocka_unit_test(lines_end_in_three_ways),
        cmocka_unit_test(hashed_vectors_tell_jobs_apart),
        cmocka_unit_test(marks_see_words_and_shapes),
        cmocka_unit_test(numbers_are_read_with_their_units),
        cmocka_unit_test(what_is_no_step_time_is_none),
        cmocka_unit_test(clocks_are_times_of_day),
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
