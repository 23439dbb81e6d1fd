/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests single lines of logs: their normal form, n-grams, marks, numbers with
 * units, and times of day. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "schedmate/llm/ngrams.h"
#include "schedmate/logs/log_marks.h"
#include "schedmate/logs/log_stream.h"
#include "schedmate/logs/schedmate_tracker.h"

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
    /* SchedMate's threshold T_score, 0.90, must separate these two
     * similarities. */
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
    /* the first word of the table */
    assert_true(has_mark("acc 3", MARK_LOSS_WORD));
    /* the last word of the table */
    assert_true(has_mark("warnings", MARK_WARN_WORD));
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

/* Returns the first number of a kind in a line; NULL: there is none. */
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
        {"throughput: 12 samples/ s", NUMBER_THROUGHPUT, 12},
        {"loss_epoch: 0.25", NUMBER_LOSS, 0.25},
        {"bsz: 64", NUMBER_BATCH, 64},
        {"batchsize=32", NUMBER_BATCH, 32},
        {"batch 7", NUMBER_STEP, 7},
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
        "took 3 s",
        "0 ups",
        "12K tokens",
        "12k",
        "wall 5 s",
        "25:61:00 step",
        "10:11:61 step",
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
