/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the answer of `worth` as tables and sentences. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "commands/study/worth.h"
#include "commands/summary_table.h"
#include "commands/terminal.h"

enum { WORTH_PRINT_CELL_MAX = 64 };

static const char *value_words(enum worth_measure measure, double value,
                               char buf[WORTH_PRINT_CELL_MAX])
{
    if (isnan(value))
        snprintf(buf, WORTH_PRINT_CELL_MAX, "-");
    else if (measure == WORTH_JCT || measure == WORTH_WAIT)
        return table_span(value, buf);
    else
        snprintf(buf, WORTH_PRINT_CELL_MAX, "%.1f", value);
    return buf;
}

/* Adds the cells of a change: mean, and interval of one further draw. */
static void change_cells(struct table *table, const struct worth_change *c,
                         enum worth_measure measure)
{
    const bool ratio = measure == WORTH_JCT || measure == WORTH_WAIT;
    const double scale = ratio ? 100 : 1;
    if (isnan(c->mean)) {
        table_add(table, "-");
        table_add(table, "-");
        return;
    }
    table_add(table, "%+.1f%s", c->mean * scale, ratio ? " %" : "");
    table_tone(table, c->hi < 0   ? TONE_BETTER
                      : c->lo > 0 ? TONE_WORSE
                                  : TONE_PLAIN);
    table_add(table, "%+.1f to %+.1f", c->lo * scale, c->hi * scale);
}

static void whole_table(const struct worth *worth)
{
    struct table table;
    char buf[WORTH_PRINT_CELL_MAX];
    table_init(&table, 5, 1);
    table_add(&table, "%s", "");
    table_add(&table, "alone");
    table_add(&table, "with SchedMate");
    table_add(&table, "change");
    table_add(&table, "95 %% of draws");
    for (unsigned m = 0; m < WORTH_MEASURES; m++) {
        struct worth_change c =
            worth_change_of(worth, WORTH_ALL, (enum worth_measure)m);
        table_add(&table, "%s", worth_measure_names[m]);
        table_add(&table, "%s", value_words(m, c.alone, buf));
        table_add(&table, "%s", value_words(m, c.with, buf));
        change_cells(&table, &c, (enum worth_measure)m);
    }
    table_print(&table, stdout);
    table_fini(&table);
}

/* Prints the change of the JCT in each row from `first` to `last` - 1. */
static void rows_table(const struct worth *worth, const char *what,
                       size_t first, size_t last)
{
    struct table table;
    table_init(&table, 3, 1);
    table_add(&table, "%s", what);
    table_add(&table, "mean JCT");
    table_add(&table, "95 %% of draws");
    for (size_t i = first; i < last; i++) {
        struct worth_change c = worth_change_of(worth, i, WORTH_JCT);
        if (isnan(worth->rows[i].quality))
            table_add(&table, "%s", worth->rows[i].name);
        else
            table_add(&table, "%.2f", worth->rows[i].quality);
        change_cells(&table, &c, WORTH_JCT);
    }
    printf("\n");
    table_print(&table, stdout);
    table_fini(&table);
}

static void worth_print_marks(const struct worth *worth)
{
    double quality;
    say_prose(stdout,
              "at the quality of the built-in rules (%.2f of fields right on "
              "projects they had not seen): %+.1f %%",
              WORTH_RULES, 100 * worth_at_quality(worth, WORTH_RULES));
    const struct measured *m = &worth->measured;
    if (m->model)
        say_prose(
            stdout,
            "at the measured quality of %s with the rules (%.2f of %" PRIu32
            " answers right%s): %+.1f %%",
            m->model, m->right, m->n_answers,
            m->has_fields ? ""
                          : "; all about logs, none about fields: that its "
                            "advisor is as good is an assumption",
            100 * worth_at_quality(worth, m->right));
    if (m->model && worth_quality_of(worth, worth->measured_row, &quality))
        say_prose(stdout,
                  "its measured errors are worth as much as a quality of %.2f",
                  quality);
    else if (m->model)
        say_prose(stdout, "no quality has the effect of its measured errors");
    if (worth_quality_of(worth, WORTH_ALL, &quality))
        say_prose(stdout,
                  "the published errors are worth as much as a quality of %.2f",
                  quality);
    else
        say_prose(stdout, "no quality has the effect of the published errors");
    if (!worth_break_even(worth, &quality))
        say_prose(
            stdout,
            "break-even: none; the mean JCT is longer even if each answer "
            "is right");
    else if (quality <= 0)
        say_prose(
            stdout,
            "break-even: 0; even useless advice does not make the mean JCT "
            "longer");
    else
        say_prose(stdout,
                  "break-even: a quality of %.2f; below it the mean JCT is "
                  "longer than without advice",
                  quality);
}

static void cost_lines(const struct worth *worth)
{
    struct worth_cost c = worth_cost_of(worth, WORTH_ALL);
    const double n = worth->n_jobs;
    double questions = c.questions[ADVICE_ADVISOR] +
                       c.questions[ADVICE_TRACKER] +
                       c.questions[ADVICE_HANDLER];
    putchar('\n');
    say_prose(stdout,
              "cost: %.0f questions (%.2f a job; advisor %.0f, tracker %.0f, "
              "handler %.0f), %.1f million tokens read and %.2f written, %.1f "
              "GPU-hours of a local model",
              questions, questions / n, c.questions[ADVICE_ADVISOR],
              c.questions[ADVICE_TRACKER], c.questions[ADVICE_HANDLER],
              c.tokens_in * 1e-6, c.tokens_out * 1e-6, c.gpu_s / 3600);
    if (worth->price_in > 0 || worth->price_out > 0)
        say_prose(stdout, "price of the tokens: %.2f",
                  c.tokens_in * 1e-6 * worth->price_in +
                      c.tokens_out * 1e-6 * worth->price_out);
    if (worth->price_gpu > 0) {
        double saved = -worth_change_of(worth, WORTH_ALL, WORTH_PROFILING).mean;
        double lost = worth_change_of(worth, WORTH_ALL, WORTH_IDLE_WORK).mean;
        saved -= isnan(lost) ? 0 : lost;
        say_prose(
            stdout,
            "price of a local model: %.2f; of the GPU-hours that are saved: "
            "%.2f",
            c.gpu_s / 3600 * worth->price_gpu, saved * worth->price_gpu);
    }
}

/* Says why no more can be saved. */
static void worth_why(const struct worth *worth)
{
    struct worth_change jct = worth_change_of(worth, WORTH_ALL, WORTH_JCT);
    struct worth_change wait = worth_change_of(worth, WORTH_ALL, WORTH_WAIT);
    struct worth_change profiling =
        worth_change_of(worth, WORTH_ALL, WORTH_PROFILING);
    struct worth_change slowed =
        worth_change_of(worth, WORTH_ALL, WORTH_IDLE_WORK);
    char a[TABLE_SPAN_MAX], b[TABLE_SPAN_MAX], profiled[64];
    char held[96] = "jobs are elastic";
    if (profiling.alone > 0)
        snprintf(profiled, sizeof profiled, "profiling takes %.0f GPU-hours",
                 profiling.alone);
    else
        snprintf(profiled, sizeof profiled, "nothing is profiled");
    if (!isnan(slowed.alone))
        snprintf(held, sizeof held,
                 "%.0f GPU-hours are lost, overhead or slowed by shared GPUs",
                 slowed.alone);
    say_prose(stdout,
              "why: jobs wait %s of a mean JCT of %s (%.0f %%), so no order of "
              "the queue saves more than that; %s; %s",
              table_span(wait.alone, a), table_span(jct.alone, b),
              100 * wait.alone / jct.alone, profiled, held);
}

static void verdict(const struct worth *worth)
{
    static const char *const words[] = {
        [WORTH_PAYS] = "SchedMate pays here: the mean JCT is %.1f %% shorter",
        [WORTH_UNSURE] = "it cannot be told whether SchedMate pays here: the "
                         "mean JCT changes by %+.1f %%, and by chance alone "
                         "it may be on either side of 0",
        [WORTH_PAYS_NOT] = "SchedMate does not pay here: the mean JCT changes "
                           "by %+.1f %%",
        [WORTH_HARMS] = "SchedMate does harm here: the mean JCT is %.1f %% "
                        "longer",
    };
    enum worth_verdict v = worth_judge(worth);
    const double change =
        100 * worth_change_of(worth, WORTH_ALL, WORTH_JCT).mean;
    say_prose(stdout, words[v], v == WORTH_PAYS ? -change : change);
}

static void beliefs(const struct worth *worth)
{
    putchar('\n');
    say_prose(
        stdout,
        "believed: advice is the truth with errors that are put in "
        "(published ones of SchedMate, or by quality: the other answers "
        "have nothing to do with the question); questions cost the time and "
        "tokens of --schedmate");
    if (worth->assumes_models)
        say_prose(
            stdout,
            "believed: jobs train models of SchedMate's Table 1, because "
            "the trace tells the GPU utilisation of less than half of them "
            "(--workloads)");
    if (!worth->config.faults && !worth->config.recovery)
        say_prose(stdout,
                  "believed: no hardware fails, so the handler does nothing "
                  "(--faults, --recovery)");
}

static void say_unfinished(const struct worth *worth)
{
    for (size_t i = 0; i < worth->n_rows; i++) {
        uint64_t n = worth_cost_of(worth, i).n_unfinished;
        if (n)
            say_prose(stdout,
                      "note: %s: %" PRIu64 " jobs of %" PRIu32 " draws did not "
                      "finish; times are those of the others",
                      worth->rows[i].name, n, worth->draws);
    }
}

void worth_print(const struct worth *worth, bool all_remarks)
{
    struct row_remarks remarks;
    say_prose(stdout, "%s: %" PRIu32 " jobs on %s under %s, %" PRIu32 " draws",
              worth->trace, worth->n_jobs, worth->cluster, worth->policy,
              worth->draws);
    verdict(worth);
    putchar('\n');
    whole_table(worth);
    rows_table(worth, "modules", WORTH_ALL, worth->first_quality);
    rows_table(worth, "quality of the advice", worth->first_quality,
               worth->n_rows);
    worth_print_marks(worth);
    cost_lines(worth);
    worth_why(worth);
    beliefs(worth);
    say_unfinished(worth);
    row_remarks_init(&remarks);
    row_remarks_add_run(&remarks, NULL, worth->remarks);
    row_remarks_print(&remarks, 1, all_remarks, stdout);
    row_remarks_fini(&remarks);
}
