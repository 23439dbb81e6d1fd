/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Speeds that are not those of the training, and speeds that no line prints. */
#include "tests/support/test.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/logs/log_side_bar.h"
#include "models/logs/schedmate_tracker.h"

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
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (log_is_side_bar(text_from(cases[i].line)) != cases[i].side)
            fail_msg("%s", cases[i].line);
    }
}

/* Adds a line to a log of at most 16 KiB. */
#define LOG_BYTES 16384
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
    tracker_read(lines, text_from(log), &out);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_say_whose_they_are),
        cmocka_unit_test(side_bars_do_not_count),
        cmocka_unit_test(evaluations_do_not_count),
        cmocka_unit_test(epochs_have_a_speed_of_their_own),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
