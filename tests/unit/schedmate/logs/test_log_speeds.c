/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests speeds that are not speeds of the training, and speeds that no line
 * prints. */
#include "tests/support/test.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/logs/log_marks.h"
#include "schedmate/logs/schedmate_tracker.h"
#include "schedmate/logs/schedmate_tracker_internal.h"

static int set_up(void **state)
{
    static struct error err;
    return log_classifier_new(LOG_LINEAR, NULL, (struct log_classifier **)state,
                              &err) != STATUS_OK;
}

static int tear_down(void **state)
{
    log_classifier_free(*state);
    return 0;
}

static void bars_say_whose_they_are(void **state)
{
    static const struct {
        const char *line;
        bool side;
    } cases[] = {
        {"Downloading shards:  40%|###  | 4/10 [00:10<00:15, 2.5s/it]", true},
        {"Map (num_proc=4):  40%|###  | 4/10 [00:10<00:15, 2.5 ex/s]", true},
        {"model-01-of-04.safetensors:  40%|###  | 1/4G [0:10<0:15]", true},
        {"Validation DataLoader 0: 100%|###| 9/9 [00:01<00:00, 9it/s]", true},
        {"  7%|#    | 1.2M/17M [00:01<00:10, 1.3MB/s]", true},
        {"Epoch 3:  40%|###  | 4/10 [00:10<00:15, 2.5s/it, loss=0.3]", false},
        {" 40%|###  | 4/10 [00:10<00:15, 2.5s/it]", false},
        {"Training:  40%|###  | 4/10 [00:10<00:15, 2.5s/it]", false},
        {"loading 40 files", false},
        {"", false},
        {"Loading weights:  40% Done | 4/10 [00:10<00:15, 2.5s/it]", true},
        {"Transcribing:  40%|###  | 4/10 [00:10<00:15, 2.5s/it]", true},
        {"Evaluating: 4it [00:10,  2.5s/it, loss=0.3]", true},
        {"Computing features: 4/10 [00:10<00:15, 2.5s/it]", true},
        {"Fine-tuning:  40%|###  | 4/10 [00:10<00:15, 2.5s/it]", false},
        {"1/9 2.96G 1.645 0.874 640: 92% \xe2\x94\x81 4/10 10.7it/s 3s<4s",
         false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct log_bar bar;
        bool side = log_bar_read(text_from(cases[i].line), &bar) &&
                    bar.work == BAR_OTHER;
        if (side != cases[i].side)
            fail_msg("%s", cases[i].line);
    }
}

static void bars_are_read(void **state)
{
    struct log_bar bar;
    (void)state;
    assert_true(log_bar_read(
        text_from("Steps:  40%|###  | 4/10 [1:00:10<00:15, 2.5s/it]"), &bar));
    assert_int_equal(bar.work, BAR_TRAINING);
    assert_true(bar.at == 4 && bar.of == 10 && bar.elapsed_s == 3610);
    uint64_t scope = bar.scope;
    assert_true(log_bar_read(
        text_from("Steps:  50%|###  | 5/10 [1:00:12<00:15, 2.5s/it]"), &bar));
    assert_true(bar.scope == scope);
    assert_true(log_bar_read(
        text_from("Epoch 3/20:  15%|#    | 3/20 [00:10<00:15, 2.5s/it]"),
        &bar));
    assert_int_equal(bar.work, BAR_EPOCHS);
    assert_true(log_bar_read(
        text_from("  3/20 [==>......] - ETA: 3s - 15ms/step - loss: 3.0"),
        &bar));
    assert_true(bar.keras && bar.at == 3 && bar.of == 20);
    assert_false(log_bar_read(text_from("step 3/20 loss 0.5 [rank 0]"), &bar));
    assert_true(log_begins_epoch(text_from("Epoch 3/20")));
    assert_false(log_begins_epoch(text_from("Epoch 3/20 loss 0.5 acc 0.9")));
}

#define LOG_BYTES 16384

/* Appends to a log; cuts off text that does not fit. */
static void add(char log[LOG_BYTES], const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void add(char log[LOG_BYTES], const char *fmt, ...)
{
    va_list list;
    size_t n = strlen(log);
    va_start(list, fmt);
    vsnprintf(log + n, LOG_BYTES - n, fmt, list);
    va_end(list);
}

static struct track track(struct log_classifier *c, const char *log)
{
    struct tracker_lines *lines = malloc(sizeof *lines);
    struct tracker_config config;
    struct track out;
    option_defaults(tracker_options, &config);
    tracker_find(c, &config, text_from(log), lines);
    tracker_read(&config, lines, text_from(log), &out);
    free(lines);
    return out;
}

static void side_bars_do_not_count(void **state)
{
    char log[LOG_BYTES] = "";
    for (int i = 0; i < 40; i++) {
        add(log, "Epoch: [1][%d/5000]\tTime 0.5 (0.5)\tLoss 3.05 (3.1)\n",
            10 * i);
        add(log,
            "Downloading shards:  %d%%|##   | %d/90 [01:10<01:15, "
            "7.25s/it]\n",
            i + 20, i + 20);
    }
    struct track t = track(*state, log);
    assert_true(fabs(t.seconds_per_step - 0.5) < 1e-9);
}

static void evaluations_do_not_count(void **state)
{
    char log[LOG_BYTES] = "";
    for (int i = 0; i < 3; i++)
        add(log, "Epoch: [1][%d/40]\tTime 0.5 (0.5)\tLoss 3.05 (3.1)\n", i);
    for (int i = 0; i < 12; i++)
        add(log, "Test: [%d/40]\tTime 0.1 (0.1)\tLoss 3.05 (3.1)\n", i);
    struct track t = track(*state, log);
    assert_true(fabs(t.seconds_per_step - 0.5) < 1e-9);
}

static void epochs_have_a_speed_of_their_own(void **state)
{
    char log[LOG_BYTES] = "";
    for (int i = 0; i < 12; i++) {
        add(log, "2023-06-01 %02d:00:00 epoch %d/90 train_loss 0.83 acc 71.2\n",
            i, i + 1);
        add(log, "2023-06-01 %02d:50:00 epoch %d/90 val_loss 0.91 acc 70.2\n",
            i, i + 1);
    }
    struct track t = track(*state, log);
    assert_int_equal(t.source, TRACKER_CLOCK);
    assert_string_equal(t.unit, "s/epoch");
    assert_true(fabs(t.seconds_per_step - 3600) < 1e-6);
}

static void assert_none(struct log_classifier *c, const char *log)
{
    struct track t = track(c, log);
    if (t.source != TRACKER_NOT_FOUND || !t.why)
        fail_msg("%s: %g", log, t.seconds_per_step);
}

static void other_work_has_no_step_time(void **state)
{
    char log[LOG_BYTES] = "";
    /* bars that have no label and no loss, each for a whole loop */
    for (int i = 0; i < 3; i++)
        add(log, "100%%|#####| 500/500 [00:20<00:00, 25.0it/s]\n");
    assert_none(*state, log);
    /* the bar of an evaluation begins no epoch */
    log[0] = 0;
    for (int i = 0; i < 2; i++) {
        add(log, "20/20 [=====] - 3s 150ms/step - loss: 0.5 - acc: 0.8\n");
        add(log, "score 0.81\n");
    }
    assert_none(*state, log);
    /* an inference that shows a loss, below its heading */
    log[0] = 0;
    for (int i = 0; i < 5; i++) {
        add(log, "Inference of model_%d.pt\n", i);
        add(log, "2it [00:03,  1.70s/it, loss=0.6%d, acc=0.66]\n", i);
    }
    assert_none(*state, log);
    /* times of requests */
    log[0] = 0;
    for (int i = 0; i < 5; i++)
        add(log, "total: 1339%dtok, time: 41.7%ds\n", i, i);
    assert_none(*state, log);
}

/* Appends the i-th record of a log: in the template, S is the step, L a loss,
 * E the seconds since the start, T the same as H:MM:SS, U as time since 1970, D
 * the length of the record, R the time that is left. A step takes 0.62 s. */
static void add_record(char log[LOG_BYTES], const char *template, int i)
{
    double gone = 31.0 * (i + 1) + 0.3 * (i % 3), left = 3100 - gone;
    for (const char *c = template; *c; c++) {
        if (*c == 'S')
            add(log, "%d", 50 * (i + 1));
        else if (*c == 'L')
            add(log, "%.4f", 3.0 - 0.03 * i);
        else if (*c == 'E')
            add(log, "%.2f", gone);
        else if (*c == 'T')
            add(log, "%d:%02d:%02d", (int)gone / 3600, (int)gone / 60 % 60,
                (int)gone % 60);
        else if (*c == 'U')
            add(log, "%.3f", 1709331243.5 + gone);
        else if (*c == 'D')
            add(log, "%.2f", 31.0 + i % 3);
        else if (*c == 'R')
            add(log, "%d:%02d:%02d", (int)left / 3600, (int)left / 60 % 60,
                (int)left % 60);
        else
            add(log, "%c", *c);
    }
    add(log, "\n");
}

static void any_counter_goes_with_any_clock(void **state)
{
    static const char *const templates[] = {
        "step S loss L time T",
        "U step S loss L",
        "{\"step\": S, \"loss\": L, \"timestamp\": U}",
        "[Es] n=S loss=L",
        "=== 2024-03-01 1T ===\nstep: S\nloss: L\n",
        "step: S\n  loss: L\n  wall time: E",
        "| steps | S |\n| time elapsed | E |\n| loss | L |",
        "step S/5000 loss L eta R",
        "step S loss L step time Es", /* since the start, whatever it says */
    };
    char log[LOG_BYTES];
    for (size_t k = 0; k < sizeof templates / sizeof *templates; k++) {
        log[0] = 0;
        for (int i = 0; i < 24; i++)
            add_record(log, templates[k], i);
        struct track t = track(*state, log);
        if (!(fabs(t.seconds_per_step / 0.62 - 1) < 0.02))
            fail_msg("%s: %g", templates[k], t.seconds_per_step);
    }
    /* the columns of a table have the names of its header */
    log[0] = 0;
    add(log, "step loss seconds\n");
    for (int i = 0; i < 24; i++)
        add_record(log, "S L E", i);
    assert_true(fabs(track(*state, log).seconds_per_step / 0.62 - 1) < 0.02);
}

static void other_series_have_none(void **state)
{
    static const char *const templates[] = {
        "U downloaded shard S",        /* no loss */
        "U loss L",                    /* no counter */
        "U consumed S tokens, loss L", /* tokens are no steps */
        "step S loss L elapsed Ds",    /* the time of a part */
        "step S loss L",               /* no clock */
        "U a=S loss L\nU b=S1 loss L", /* two counters that disagree */
    };
    char log[LOG_BYTES];
    for (size_t k = 0; k < sizeof templates / sizeof *templates; k++) {
        log[0] = 0;
        for (int i = 0; i < 24; i++)
            add_record(log, templates[k], i);
        assert_none(*state, log);
    }
}

/* Twenty records of 50 steps of 35 s do not fit into three minutes. */
static void a_step_fits_into_the_log(void **state)
{
    char log[LOG_BYTES] = "2024-03-01 22:14:03 begin\n";
    for (int i = 0; i < 24; i++)
        add_record(log, "step S loss L 35.0 s/it", i);
    assert_true(track(*state, log).seconds_per_step == 35);
    add(log, "2024-03-01 22:17:03 end\n");
    struct track t = track(*state, log);
    assert_int_equal(t.source, TRACKER_NOT_FOUND);
    assert_true(fabs(t.most_s - 181 / 950.0) < 1e-9);
    assert_non_null(strstr(t.why, "contradict"));
}

static void a_batch_of_one_process_is_no_step(void **state)
{
    char log[LOG_BYTES] = "batch_size = 32\neval_batch_size = 64\n";
    for (int i = 0; i < 10; i++)
        add(log, "iteration %d loss 3.%d speed 640.0 samples/sec\n", i * 20, i);
    struct track t = track(*state, log);
    assert_int_equal(t.source, TRACKER_NOT_FOUND);
    assert_true(fabs(t.throughput - 640) < 1e-9);
    assert_non_null(strstr(t.why, "samples"));
}

static void the_clock_wins(void **state)
{
    char log[LOG_BYTES] = "";
    /* the printed time is the time of 50 steps */
    for (int i = 0; i < 12; i++)
        add(log, "2026-03-01 10:%02d:00 step %d loss 3.%d time: 60.0\n", i,
            50 * i, i);
    struct track t = track(*state, log);
    assert_string_equal(t.basis, "clock");
    assert_true(fabs(t.seconds_per_step - 1.2) < 1e-6);
    assert_true(t.evidence & TRACKER_SEEN(CLOCK_WINS));
    /* the printed time is the time of one step */
    log[0] = 0;
    for (int i = 0; i < 12; i++)
        add(log, "2026-03-01 10:%02d:00 step %d loss 3.%d time: 1.1\n", i,
            50 * i, i);
    t = track(*state, log);
    assert_string_equal(t.basis, "printed, clock agrees");
    assert_true(fabs(t.seconds_per_step - 1.1) < 1e-6);
}

static void bars_around_bars(void **state)
{
    char log[LOG_BYTES] = "";
    /* the bar of the training, a loss, and within the training the bar of an
     * evaluation */
    for (int i = 1; i <= 30; i++)
        add(log, " 1%%|#  | %d/9000 [%02d:%02d<9:00:00, 4.0s/it]\n", i, i / 15,
            4 * i % 60);
    add(log, "{'loss': 1.25, 'epoch': 0.1}\n");
    add(log, " 1%%|#  | 31/9000 [02:04<9:00:00, 4.0s/it]\n");
    for (int i = 1; i <= 30; i++)
        add(log, " 10%%|#  | %d/300 [00:%02d<00:15, 2.0it/s]\n", i, i / 2);
    struct track t = track(*state, log);
    assert_true(fabs(t.seconds_per_step - 4) < 1e-9);
}

static void assert_step(struct log_classifier *c, const char *log,
                        double seconds)
{
    struct track t = track(c, log);
    if (!(fabs(t.seconds_per_step - seconds) < 1e-3 * seconds))
        fail_msg("%s: %g (%s)", log, t.seconds_per_step, t.why ? t.why : "");
}

/* Checks step times from lines that occur once, or once per epoch. */
static void a_run_tells_its_step_time(void **state)
{
    char log[LOG_BYTES] = "";
    for (int i = 1; i <= 3; i++) {
        add(log, "Epoch %d/3: 100%%|####| 1000/1000 [1:20:00<00:00]\n", i);
        add(log, "Train loss: 0.%d\n", 5 - i);
    }
    assert_step(*state, log, 4.8);
    assert_step(*state,
                "{'loss': 1.5, 'learning_rate': 1e-05, 'epoch': 0.4}\n"
                "{'train_runtime': 1911.5, 'train_samples_per_second': 1.0, "
                "'train_steps_per_second': 0.25, 'train_loss': 1.4}\n",
                4);
    assert_step(*state,
                "Epoch(val) [1][8/8]  acc: 0.5  data_time: 0.03  time: 0.07\n"
                "Epoch(train) [2][4/4]  lr: 3e-02  eta: 0:00:36  time: 0.5  "
                "data_time: 0.13  memory: 18417  loss: 1.4848\n",
                0.5);
    /* the bar of the training lasts as long as the run; the second bar does not
     */
    log[0] = 0;
    add(log, " 99%%|####| 1676/1677 [48:30<00:01,  1.5s/it]\n");
    for (int i = 1; i <= 20; i++)
        add(log, "%d%%|##| %d/20 [00:%02d<00:01,  5.0it/s]\n", 5 * i, i, i / 5);
    add(log, "100%%|####| 1677/1677 [48:38<00:00,  1.5s/it]\n"
             "100%%|####| 1677/1677 [48:38<00:00,  1.74s/it]\n"
             "{'train_runtime': '2918', 'train_loss': '0.7', 'epoch': '3'}\n");
    struct track t = track(*state, log);
    assert_true(t.seconds_per_step > 1.4 && t.seconds_per_step < 1.8);
}

static void tests_and_environments_have_none(void **state)
{
    assert_none(*state, "* Test\n"
                        "Loss: 0.0583\t mAP: 0.67\tData_time: 0.35\t "
                        "Batch_time: 0.4479\n");
    assert_none(*state,
                "episode=37 step=1764 reward=211.0 epsilon=0.832 loss=0.6195\n"
                "episode=38 step=1876 reward=691.0 epsilon=0.822 loss=0.3322\n"
                "saved=run/online.pt step=2000 env_steps_per_s=6.2\n"
                "episode=39 step=2027 reward=1148.0 loss=0.6315\n");
}

/* Bars whose labels name no training, and bars that count to one. */
static void lone_bars_have_none(void **state)
{
    assert_none(*state, "Iteration: 100%|####| 120/120 [01:01<00:00,  "
                        "1.94it/s]\n(960, 768)\n");
    assert_step(*state,
                "***** Running training *****\n"
                "Iteration: 100%|####| 120/120 [01:00<00:00,  2.0it/s]\n",
                0.5);
    assert_none(*state, "Epoch Progress: 100%|###| 999/1000 [45:47<00:02, "
                        "2.72s/it]\n"
                        "Data Iteration: 100%|###| 1/1 [45:50<00:00, "
                        "2750.49s/it]\n");
    assert_step(*state,
                "***** Running training *****\n"
                "Iteration: 100%|#####| 1000/1000 [1:30:00]\n",
                5.4);
    /* the last states of an evaluation */
    assert_none(*state, "step 80/88 - loss: 0.17 - AUROC: 0.82 - 3s/step\n"
                        "step 88/88 - loss: 0.13 - AUROC: 0.82 - 3s/step\n"
                        "Eval samples: 11219\n");
}

/* Lines with times, and with several counters that no word names. */
static void clocks_count_the_right_steps(void **state)
{
    char log[LOG_BYTES] = "";
    for (int i = 1; i <= 5; i++)
        add(log,
            "08/07/2021 02:%02d:00 - INFO - | [   1/   3][ %d00/  1000] | "
            "ms/batch "
            "4.5376 | train_loss 5.790506e-01\n",
            10 + 5 * i, i);
    struct track t = track(*state, log);
    assert_true(t.evidence & TRACKER_SEEN(CLOCK_WINS));
    assert_true(fabs(t.seconds_per_step - 3) < 1e-6);
    /* one pair of lines */
    assert_step(*state,
                "2026-02-14 02:37:56,996 - INFO - Step 31200 | Loss: 0.0291\n"
                "2026-02-14 02:38:46,996 - INFO - Step 31250 | Loss: 0.0288\n",
                1);
    assert_none(*state,
                "2026-02-14 02:37:56,996 - INFO - Step 3 | Loss: 0.0291\n"
                "2026-02-14 02:37:58,996 - INFO - Step 5 | Loss: 0.0288\n");
}

static void messages_follow_bars(void **state)
{
    const char bar[] = "Epoch 0:  16%|#   | 16/99 [01:43<8:36, 6.44s/it, "
                       "train_loss: 0.084]";
    char log[LOG_BYTES] = "";
    add(log,
        "%s[rank3]: Traceback (most recent call last):\n"
        "[rank3]: OSError: [Errno 5] Input/output error\n",
        bar);
    assert_int_equal(log_bar_prefix(text_from(log)), strlen(bar));
    struct text rest = log_strip_rank(text_from(log));
    assert_true(text_starts(rest, "Traceback"));
    assert_int_equal(log_bar_prefix(text_from(bar)), 0);
    assert_int_equal(log_bar_prefix(text_from("9%|# | 1/9 [0:1<] loss: 3")), 0);
    assert_step(*state, log, 6.44);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_say_whose_they_are),
        cmocka_unit_test(bars_are_read),
        cmocka_unit_test(side_bars_do_not_count),
        cmocka_unit_test(evaluations_do_not_count),
        cmocka_unit_test(epochs_have_a_speed_of_their_own),
        cmocka_unit_test(other_work_has_no_step_time),
        cmocka_unit_test(a_batch_of_one_process_is_no_step),
        cmocka_unit_test(any_counter_goes_with_any_clock),
        cmocka_unit_test(other_series_have_none),
        cmocka_unit_test(a_step_fits_into_the_log),
        cmocka_unit_test(the_clock_wins),
        cmocka_unit_test(bars_around_bars),
        cmocka_unit_test(a_run_tells_its_step_time),
        cmocka_unit_test(tests_and_environments_have_none),
        cmocka_unit_test(lone_bars_have_none),
        cmocka_unit_test(clocks_count_the_right_steps),
        cmocka_unit_test(messages_follow_bars),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
