/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the answer as tables and sentences. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands/study/size.h"
#include "commands/summary_table.h"
#include "commands/terminal.h"

enum { SIZE_PRINT_CELL_MAX = 96 };

/* Writes the x of a unit: a number of nodes, or a factor of the load. */
static const char *x_words(const struct size *size, int64_t x,
                           char buf[SIZE_PRINT_CELL_MAX])
{
    if (size->space.vary == SIZE_LOAD)
        snprintf(buf, SIZE_PRINT_CELL_MAX, "x%.2f", (double)x / 100);
    else
        snprintf(buf, SIZE_PRINT_CELL_MAX, "%" PRId64, x);
    return buf;
}

static const char *interval_words(const struct size *size,
                                  const struct size_interval *i,
                                  char buf[SIZE_PRINT_CELL_MAX])
{
    char lo[SIZE_PRINT_CELL_MAX], hi[SIZE_PRINT_CELL_MAX];
    if (i->n == 0)
        snprintf(buf, SIZE_PRINT_CELL_MAX, "-");
    else
        snprintf(buf, SIZE_PRINT_CELL_MAX, "%.40s to %.40s%s",
                 x_words(size, i->lo, lo), x_words(size, i->hi, hi),
                 i->n_failed ? " *" : "");
    return buf;
}

static void month_cell(struct table *table, double month)
{
    if (isnan(month))
        table_add(table, "-");
    else
        table_add(table, "%.0f", month);
}

/* Adds the cells of the values of the targets at a point. */
static void value_cells(struct table *table, const struct size *size,
                        const struct size_point *p)
{
    char words[SIZE_VALUE_MAX];
    for (size_t i = 0; i < size->n_targets; i++)
        table_add(table, "%s",
                  p ? size_target_words(&size->targets[i], p->values[i], words)
                    : "-");
}

/* Returns the point of the trace itself at x; NULL: not tried. */
static const struct size_point *point_at(const struct size *size, size_t unit,
                                         int64_t x)
{
    const struct size_series *s = size_series(size, 0, unit);
    for (size_t i = 0; i < s->n; i++) {
        if (s->points[i].x == x)
            return &s->points[i];
    }
    return NULL;
}

static void unit_row(const struct size_report *report, struct table *table,
                     size_t u)
{
    const struct size *size = report->size;
    const struct size_unit *unit = &size->space.units[u];
    const struct size_point *answer = size_answer(size_series(size, 0, u));
    struct size_interval interval = size_interval_of(size, u);
    char buf[SIZE_PRINT_CELL_MAX];
    table_add(table, "%s", unit->name);
    table_add(table, "%s", x_words(size, unit->now, buf));
    value_cells(table, size, point_at(size, u, unit->now));
    table_add(table, "%s", answer ? x_words(size, answer->x, buf) : "none");
    table_tone(table, answer ? TONE_BETTER : TONE_WORSE);
    if (size->replications)
        table_add(table, "%s", interval_words(size, &interval, buf));
    value_cells(table, size, answer);
    if (size->space.vary == SIZE_LOAD)
        return;
    int64_t *x = size_answers(size, u);
    if (answer)
        table_add(table, "%.0f", size_gpus(size, x, u));
    else
        table_add(table, "-");
    if (report->prices)
        month_cell(table, answer ? size_month(report, x, u) : NAN);
    free(x);
}

static void heads(const struct size_report *report, struct table *table)
{
    const struct size *size = report->size;
    table_add(table, "%s",
              size->space.vary == SIZE_TYPE ? "type"
              : size->space.vary == SIZE_VC ? "vc"
                                            : "");
    table_add(table, "today");
    for (size_t i = 0; i < size->n_targets; i++)
        table_add(table, "%s", size->targets[i].name);
    table_add(table, "%s", size->space.more_is_better ? "needed" : "at most");
    if (size->replications)
        table_add(table, "95 %%");
    for (size_t i = 0; i < size->n_targets; i++)
        table_add(table, "then");
    if (size->space.vary != SIZE_LOAD)
        table_add(table, "GPUs");
    if (size->space.vary != SIZE_LOAD && report->prices)
        table_add(table, "%s a month", report->prices->currency);
}

static void unit_table(const struct size_report *report)
{
    const struct size *size = report->size;
    bool nodes = size->space.vary != SIZE_LOAD;
    struct table table;
    table_init(&table,
               (unsigned)(3 + 2 * size->n_targets +
                          (size->replications ? 1 : 0) + (nodes ? 1 : 0) +
                          (nodes && report->prices ? 1 : 0)),
               1);
    heads(report, &table);
    for (size_t u = 0; u < size->space.n_units; u++)
        unit_row(report, &table, u);
    table_print(&table, stdout);
    table_fini(&table);
}

/* Prints the sum of nodes over all virtual clusters, and the values of the
 * targets over all jobs. */
static void sum_line(const struct size_report *report)
{
    const struct size *size = report->size;
    int64_t *x = size_answers(size, SIZE_MAX), sum = 0, now = 0;
    struct size_interval interval = size_interval_of_sum(size);
    char buf[SIZE_PRINT_CELL_MAX], words[SIZE_VALUE_MAX];
    for (size_t u = 0; u < size->space.n_units; u++) {
        sum += x[u];
        now += size->space.units[u].now;
    }
    printf("\nall: %" PRId64 " nodes of %.0f GPUs, today %" PRId64, sum,
           size_gpus(size, x, SIZE_MAX), now);
    if (size->replications)
        printf(", 95 %%: %s", interval_words(size, &interval, buf));
    putchar('\n');
    for (size_t i = 0; i < size->n_targets; i++)
        say(stdout, "of all jobs, %s is then %s", size->targets[i].name,
            size_target_words(&size->targets[i], size->whole.values[i], words));
    free(x);
}

/* Adds a note if jobs do not finish today: today's values leave these jobs
 * out, and so look too good. */
static void today_line(const struct size *size, size_t u,
                       struct row_remarks *notes)
{
    const struct size_unit *unit = &size->space.units[u];
    const struct size_point *today = point_at(size, u, unit->now);
    if (today && today->unfinished)
        row_remarks_say(
            notes, REMARK_CONCLUSION,
            "%s: today %" PRIu64
            " jobs do not finish; today's values are those of the other jobs",
            unit->name, today->unfinished);
}

/* Says why no x of a unit meets the targets, and whether another x does. */
static void say_no_answer(const struct size *size, size_t u,
                          const struct size_order *order)
{
    const struct size_unit *unit = &size->space.units[u];
    char why[512], first[SIZE_PRINT_CELL_MAX];
    size_why(size, u, why, sizeof why);
    say_prose(stdout, "cannot be met: %s: %s", unit->name, why);
    if (!order->any)
        return;
    x_words(size, order->first, first);
    if (order->first > unit->most)
        say_prose(stdout, "but %s meets it, which is more than --most", first);
    else
        say_prose(
            stdout,
            "but %s meets it: this target is harder to meet with %s, and the "
            "search expects the opposite",
            first, size->space.more_is_better ? "more" : "less");
}

/* Prints the sentences about one unit that follow the table. */
static void unit_lines(const struct size_report *report, size_t u,
                       struct row_remarks *notes)
{
    const struct size *size = report->size;
    const char *name = size->space.units[u].name;
    const struct size_point *answer = size_answer(size_series(size, 0, u));
    struct size_interval interval = size_interval_of(size, u);
    struct size_order order = size_order_of(size, u);
    char a[SIZE_PRINT_CELL_MAX], b[SIZE_PRINT_CELL_MAX], c[SIZE_PRINT_CELL_MAX];
    if (!answer) {
        say_no_answer(size, u, &order);
        return;
    }
    if (interval.n && (answer->x < interval.lo || answer->x > interval.hi))
        row_remarks_say(
            notes, REMARK_NUMBERS,
            "%s: the answer for the trace itself lies outside the "
            "interval: the order in which its blocks came was %s for this "
            "target than that of most replications",
            name,
            (answer->x < interval.lo) == size->space.more_is_better ? "easier"
                                                                    : "harder");
    if (interval.n_failed)
        say_prose(stdout,
                  "* %s: in %u of %u replications no x of the range meets the "
                  "target; the interval is that of the other replications",
                  name, interval.n_failed, size->replications);
    if (order.is_kept)
        return;
    say_prose(
        stdout,
        "not monotone: %s: %s meets the target, %s does not, of %zu that were "
        "tried; %s%s%s",
        name, x_words(size, order.first, a), x_words(size, order.broken, b),
        order.n,
        order.has_safe ? "from "
                       : "at the end of the range it is "
                         "missed",
        order.has_safe ? x_words(size, order.safe, c) : "",
        order.has_safe ? " on all do" : "");
}

static void command_line(const struct size_report *report, size_t unit)
{
    const struct size *size = report->size;
    struct arena arena;
    int64_t *x = size_answers(size, unit);
    arena_init(&arena);
    const char *clauses = size_space_clauses(&size->space, x, &arena);
    if (*clauses)
        say_prose(stdout,
                  "the run that meets it has the options of this one and "
                  "--what-if '%s'",
                  clauses);
    else
        say_prose(stdout, "today's run meets it");
    arena_fini(&arena);
    free(x);
}

static void price_lines(const struct size_report *report, size_t unit,
                        struct row_remarks *notes)
{
    const struct size *size = report->size;
    const struct size_space *space = &size->space;
    if (!report->prices || space->vary == SIZE_LOAD)
        return;
    for (size_t i = 0; i < space->n_pools; i++) {
        if (!size_price_of(report->prices, space->pools[i].type)) {
            row_remarks_say(notes, REMARK_DETAIL,
                            "no price of %s is known, so no price of the whole "
                            "cluster is given",
                            space->pools[i].type);
            return;
        }
    }
    int64_t *now = mem_zalloc(space->n_units + 1, sizeof *now),
            *x = size_answers(size, unit);
    for (size_t u = 0; u < space->n_units; u++)
        now[u] = space->units[u].now;
    say_prose(stdout, "all nodes: %.0f %s a month, today %.0f (%.1f hours)",
              size_month(report, x, SIZE_MAX), report->prices->currency,
              size_month(report, now, SIZE_MAX), SIZE_MONTH_HOURS);
    free(now);
    free(x);
}

/* Says what the policy knew, and what follows for the answer. */
static void knowledge_line(const struct size_report *report)
{
    const struct knowledge *k = report->knowledge;
    const struct size_space *space = &report->size->space;
    if (!k->words)
        return;
    say_prose(stdout, "%s%s", k->words,
              !k->mark ? ""
              : space->vary == SIZE_LOAD
                  ? ": a scheduler that knows less carries at "
                    "most this load"
                  : ": a scheduler that knows less needs at "
                    "least these nodes");
}

static void add_notes(const struct size_report *report,
                      struct row_remarks *notes)
{
    const struct size *size = report->size;
    if (size->replications)
        row_remarks_say(
            notes, REMARK_DETAIL,
            "95 %%: the middle 95 %% of the answers of %u replications: "
            "blocks of %u day%s of each virtual cluster in another order "
            "(--replications, --block-days)",
            size->replications, size->block_days,
            size->block_days == 1 ? "" : "s");
    if (size->ignores_rejected)
        row_remarks_say(notes, REMARK_DETAIL,
                        "rejected jobs do not count (--ignore-rejected)");
    if (size->broken_units)
        row_remarks_say(
            notes, REMARK_CONCLUSION,
            "%zu virtual clusters miss the target when all have their "
            "answers: under this policy they depend on each other",
            size->broken_units);
    row_remarks_add_run(notes, NULL, report->remarks);
}

void size_print(const struct size_report *report)
{
    const struct size *size = report->size;
    size_t choice;
    struct row_remarks notes;
    row_remarks_init(&notes);
    bool met = size_is_met(report, &choice);
    say_prose(stdout, "%s on %s: %s", report->policy, report->cluster,
              size->space.what);
    for (size_t i = 0; i < size->n_targets; i++)
        say_prose(stdout, "target: %s", size->targets[i].text);
    knowledge_line(report);
    putchar('\n');
    unit_table(report);
    if (size->space.joint)
        sum_line(report);
    putchar('\n');
    for (size_t u = 0; u < size->space.n_units; u++) {
        today_line(size, u, &notes);
        unit_lines(report, u, &notes);
    }
    if (met && size->space.vary == SIZE_TYPE)
        say_prose(stdout, "cheapest: %s", size->space.units[choice].name);
    if (met)
        command_line(report, choice);
    if (met)
        price_lines(report, choice, &notes);
    add_notes(report, &notes);
    row_remarks_print(&notes, 0, report->all_remarks, stdout);
    row_remarks_fini(&notes);
    say_prose(stdout, "%" PRIu64 " runs, %.1f s on %u thread%s", size->n_runs,
              report->seconds, size->threads, say_plural(size->threads));
}
