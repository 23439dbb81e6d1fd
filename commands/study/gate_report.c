/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the texts that all reports share, and prints the table. */
#include "commands/study/gate_internal.h"
#include "commands/summary_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "commands/terminal.h"

/* Writes ten significant digits; "none" for NaN. */
static void number_text(double value, char out[GATE_TEXT_MAX])
{
    if (isnan(value))
        snprintf(out, GATE_TEXT_MAX, "none");
    else
        snprintf(out, GATE_TEXT_MAX, "%.10g", value);
}

static void gate_report_value_text(const struct gate_expected *value,
                                   char out[GATE_TEXT_MAX])
{
    if (isnan(value->lo))
        number_text(value->mean, out);
    else
        snprintf(out, GATE_TEXT_MAX, "%.8g [%.8g, %.8g]", value->mean,
                 value->lo, value->hi);
}

static const char *gate_report_verdict_word(const struct gate_outcome *o)
{
    static const char *const words[] = {
        [GATE_EQUAL] = "equal",     [GATE_WITHIN] = "within",
        [GATE_IMPROVED] = "better", [GATE_OUTSIDE] = "OUTSIDE",
        [GATE_UNKNOWN] = "UNKNOWN", [GATE_INCOMPARABLE] = "not comparable",
    };
    return o->is_new ? "NEW" : words[o->verdict];
}

static void tolerance_text(const struct gate *gate, char out[GATE_TEXT_MAX])
{
    const char *blank = *gate->unit ? " " : "";
    if (gate->scale == GATE_INTERVAL)
        snprintf(out, GATE_TEXT_MAX, "interval");
    else if (gate->scale == GATE_PERCENT)
        snprintf(out, GATE_TEXT_MAX, "%g %%", gate->tolerance);
    else
        snprintf(out, GATE_TEXT_MAX, "%g%s%s", gate->tolerance, blank,
                 gate->unit);
}

/* Writes the difference of an outcome in percent of the expected value, or in
 * the unit of the metric, with its interval if it has one. */
static void difference_text(const struct gate *gate,
                            const struct gate_outcome *o,
                            char out[GATE_TEXT_MAX])
{
    const bool is_amount = gate->scale == GATE_AMOUNT;
    const double scale = is_amount ? 1 : 100 / fabs(o->expected.mean);
    const struct interval in = o->difference.interval;
    double difference = is_amount
                            ? o->now.mean - o->expected.mean
                            : gate_difference(o->now.mean, o->expected.mean);
    int len = 0;
    if (is_amount)
        len = snprintf(out, GATE_TEXT_MAX, "%+.4g%s%s", difference,
                       *gate->unit ? " " : "", gate->unit);
    else
        len = snprintf(out, GATE_TEXT_MAX, "%+.3g %%", difference);
    if (o->is_paired && o->verdict != GATE_EQUAL && !isnan(in.lo) &&
        !isinf(scale))
        snprintf(out + len, GATE_TEXT_MAX - (size_t)len, " [%+.3g, %+.3g]",
                 in.lo * scale, in.hi * scale);
}

void gate_texts(const struct gate_cases *cases, const struct gate_case *c,
                size_t metric, struct gate_texts *out)
{
    const struct gate_outcome *o = &c->outcomes[metric];
    const struct gate gate = gate_in_force(cases, &c->trace->metrics[metric]);
    gate_report_value_text(&o->now, out->now);
    gate_report_value_text(&o->expected, out->expected);
    if (o->is_new)
        out->expected[0] = '\0';
    tolerance_text(&gate, out->tolerance);
    out->difference[0] = '\0';
    if (!isnan(o->now.mean) && !isnan(o->expected.mean) &&
        o->verdict != GATE_INCOMPARABLE)
        difference_text(&gate, o, out->difference);
    out->verdict = gate_report_verdict_word(o);
}

/* Writes the share of the work that was done without unfinished jobs, such as
 * " (46.3 % of GPU h done)"; nothing if all finished. */
static const char *share_text(int64_t n_unfinished, double share, char out[64])
{
    out[0] = '\0';
    if (n_unfinished && !isnan(share))
        snprintf(out, 64, " (%.3g %% of GPU h done)", 100 * share);
    return out;
}

const char *gate_done_text(const struct gate_case *c, char buf[GATE_LINE_MAX])
{
    char now[64], was[64];
    snprintf(buf, GATE_LINE_MAX,
             "not comparable: %" PRId64 " jobs did not finish%s, %" PRId64
             " expected%s",
             c->n_unfinished, share_text(c->n_unfinished, c->share, now),
             c->expected_unfinished,
             share_text(c->expected_unfinished, c->expected_share, was));
    return buf;
}

const char *gate_pairs_note(const struct gate_cases *cases,
                            char buf[GATE_LINE_MAX])
{
    const size_t n = cases->n_unpaired, n_partly = cases->n_partly;
    if (!n && !n_partly)
        return NULL;
    snprintf(buf, GATE_LINE_MAX,
             "%zu value%s of replications %s judged %s, because the file does "
             "not have that of each seed; 'schedsim gate %.200s --update "
             "--reason WORDS' records them",
             n + n_partly, say_plural(n + n_partly),
             n + n_partly == 1 ? "is" : "are",
             n ? "unpaired" : "over a part of the seeds", cases->file->path);
    return buf;
}

const char *gate_line(const struct gate_cases *cases, char buf[GATE_LINE_MAX])
{
    const struct {
        size_t n;
        const char *words;
    } parts[] = {
        {cases->n_outside, "outside the tolerance"},
        {cases->n_new, "new"},
        {cases->n_improved, "better by more than the tolerance"},
        {cases->n_within, "moved within the tolerance"},
        {cases->n_equal, "equal"},
    };
    size_t len = (size_t)snprintf(buf, GATE_LINE_MAX, "%zu run%s",
                                  cases->n_runs, say_plural(cases->n_runs));
    if (cases->n_failed)
        len += (size_t)snprintf(buf + len, GATE_LINE_MAX - len, ", %zu FAILED",
                                cases->n_failed);
    if (cases->n_incomparable)
        len += (size_t)snprintf(buf + len, GATE_LINE_MAX - len,
                                ", %zu not comparable", cases->n_incomparable);
    len += (size_t)snprintf(buf + len, GATE_LINE_MAX - len, "; values:");
    for (size_t i = 0, said = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].n)
            len +=
                (size_t)snprintf(buf + len, GATE_LINE_MAX - len, "%s %zu %s",
                                 said++ ? "," : "", parts[i].n, parts[i].words);
    }
    if (cases->n_gone || cases->stale.count)
        len += (size_t)snprintf(buf + len, GATE_LINE_MAX - len,
                                "; %zu expected, but not measured",
                                cases->n_gone + cases->stale.count);
    if (cases->n_left)
        snprintf(buf + len, GATE_LINE_MAX - len, "; %zu run%s left out",
                 cases->n_left, say_plural(cases->n_left));
    return buf;
}

/* Describes why a case fails: the first of its values that does, else its
 * unfinished jobs. Returns false if it does not fail, or if it has no values
 * because a run failed; `out` is then of no use. */
static bool describe_failure(const struct gate_cases *cases,
                             const struct gate_case *c, char *out, size_t room)
{
    struct gate_texts t;
    char line[GATE_LINE_MAX];
    size_t m = 0;
    if (c->failed)
        return false;
    if (c->is_incomparable) {
        snprintf(out, room, "%s, %s: %s", c->trace->name, c->policy->name,
                 gate_done_text(c, line));
        return true;
    }
    while (m < c->trace->n_metrics && !gate_fails(&c->outcomes[m]))
        m++;
    if (m == c->trace->n_metrics)
        return false;
    gate_texts(cases, c, m, &t);
    const char *metric = c->trace->metrics[m].name;
    if (c->outcomes[m].is_new)
        snprintf(out, room,
                 "%s, %s: no value of %s is expected yet (--update "
                 "records it)",
                 c->trace->name, c->policy->name, metric);
    else
        snprintf(out, room, "%s, %s: %s is %s, expected %s (%s%stolerance %s)",
                 c->trace->name, c->policy->name, metric, t.now, t.expected,
                 t.difference, *t.difference ? ", " : "", t.tolerance);
    return true;
}

void gate_first_failure(const struct gate_cases *cases, char *out, size_t room)
{
    for (size_t i = 0; i < cases->n; i++) {
        if (describe_failure(cases, &cases->at[i], out, room))
            return;
    }
    if (cases->stale.count) {
        snprintf(out, room, "%s", cases->stale.at[0].text);
    } else if (cases->n_gone) {
        const struct gate_recorded *row = &cases->file->rows[cases->gone[0]];
        snprintf(out, room,
                 "%s, %s: is expected, but the file no longer has "
                 "this run",
                 row->trace, row->policy);
    }
}

static void gate_report_add_row(struct table *table,
                                const struct gate_cases *cases,
                                const struct gate_case *c, size_t metric)
{
    const struct gate_outcome *o = &c->outcomes[metric];
    struct gate_texts texts;
    gate_texts(cases, c, metric, &texts);
    table_add(table, "%s", c->trace->name);
    table_add(table, "%s", c->policy->name);
    table_add(table, "%s", c->trace->metrics[metric].name);
    table_add(table, "%s", texts.expected);
    table_add(table, "%s", texts.now);
    table_add(table, "%s", texts.difference);
    table_add(table, "%s", texts.tolerance);
    table_add(table, "%s", texts.verdict);
    if (gate_fails(o))
        table_tone(table, TONE_WORSE);
    else if (o->verdict == GATE_IMPROVED)
        table_tone(table, TONE_BETTER);
}

static size_t gate_report_add_rows(struct table *table,
                                   const struct gate_cases *cases, bool all)
{
    size_t n = 0;
    for (size_t i = 0; i < cases->n; i++) {
        const struct gate_case *c = &cases->at[i];
        for (size_t m = 0; m < c->trace->n_metrics && !c->failed; m++) {
            if (!all && !gate_is_shown(&c->outcomes[m]))
                continue;
            gate_report_add_row(table, cases, c, m);
            n++;
        }
    }
    return n;
}

bool gate_is_shown(const struct gate_outcome *o)
{
    return o->is_new || o->verdict != GATE_EQUAL;
}

/* Prints what no row of the table shows: causes, failed runs, unfinished jobs,
 * and expected values that belong to no metric or run. */
static void say_others(const struct gate_cases *cases, FILE *to)
{
    char line[GATE_LINE_MAX];
    for (size_t i = 0; i < cases->causes.count; i++)
        say(to, "cause: %s", cases->causes.at[i].text);
    for (size_t i = 0; i < cases->n; i++) {
        const struct gate_case *c = &cases->at[i];
        if (c->failed)
            say(to, "FAILED: %s, %s: %s", c->trace->name, c->policy->name,
                c->failed->message);
        else if (c->is_incomparable)
            say(to, "%s, %s: %s", c->trace->name, c->policy->name,
                gate_done_text(c, line));
    }
    for (size_t i = 0; i < cases->stale.count; i++)
        say(to, "GONE: %s", cases->stale.at[i].text);
    for (size_t i = 0; i < cases->n_gone; i++) {
        const struct gate_recorded *row = &cases->file->rows[cases->gone[i]];
        say(to,
            "GONE: %s, %s: %s:%zu expects values, but the file no longer has "
            "this run",
            row->trace, row->policy, cases->file->path, row->place.line);
    }
}

/* Prints the remarks of the first runs of the cases. */
static void say_remarks(const struct gate_cases *cases, bool is_full, FILE *to)
{
    struct row_remarks notes;
    struct arena arena;
    char name[256], line[GATE_LINE_MAX];
    arena_init(&arena);
    row_remarks_init(&notes);
    if (cases->n_incomplete)
        row_remarks_say(&notes, REMARK_CONCLUSION,
                        "%zu run%s incomplete, as expected (\"unfinished\")",
                        cases->n_incomplete,
                        cases->n_incomplete == 1 ? " is" : "s are");
    if (gate_pairs_note(cases, line))
        row_remarks_say(&notes, REMARK_NUMBERS, "%s", line);
    for (size_t i = 0; i < cases->n; i++) {
        const struct gate_case *c = &cases->at[i];
        snprintf(name, sizeof name, "%s %s", c->trace->name, c->policy->name);
        row_remarks_add_run(&notes, arena_copy(&arena, name, strlen(name)),
                            &c->runs[0].remarks);
    }
    row_remarks_print(&notes, cases->n, is_full, to);
    row_remarks_fini(&notes);
    arena_fini(&arena);
}

void gate_table(const struct gate_cases *cases, bool all, bool all_remarks,
                FILE *to)
{
    static const char *const heads[] = {"trace",     "policy", "metric",
                                        "expected",  "now",    "difference",
                                        "tolerance", "verdict"};
    struct table table;
    char line[GATE_LINE_MAX];
    table_init(&table, sizeof heads / sizeof *heads, 0x87);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        table_add(&table, "%s", heads[i]);
    if (gate_report_add_rows(&table, cases, all))
        table_print(&table, to);
    table_fini(&table);
    say_others(cases, to);
    say_remarks(cases, all_remarks, to);
    say(to, "%s", gate_line(cases, line));
}
