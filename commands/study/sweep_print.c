/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the table and the JSON of a sweep, with a row for each setting. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "commands/runs_file.h"
#include "commands/study/sweep_internal.h"
#include "commands/summary_table.h"
#include "sim/results/difference.h"

enum { N_SHOWN = 4, ROWS_SHOWN = 200 };
static const struct {
    const char *column, *head, *key;
} sweep_print_shown[N_SHOWN] = {
    {.column = "jct_s_mean", .head = "JCT mean", .key = "jct_s"},
    {.column = "queue_delay_s_mean",
     .head = "queue mean",
     .key = "queue_delay_s"},
    {.column = "jct_s_p99", .head = "JCT p99", .key = "jct_s_p99"},
    {.column = "makespan_s", .head = "makespan", .key = "makespan_s"},
};

/* Runs that differ only in their replication and seed. */
struct sweep_print_setting {
    const struct task *task; /* the first of the runs */
    double *values[N_SHOWN]; /* values by run; NaN: none */
    size_t n, cap[N_SHOWN];
    size_t n_missing, n_failed, n_incomplete;
    /* sum over the runs of finished_share, 1 for runs that finished all jobs;
     * NaN: not stated */
    double share;
};

struct sweep_print_settings {
    struct arena arena;
    struct interner names;
    struct sweep_print_setting
        *at; /* by symbol of `names`; element 0 is not used */
    size_t cap;
};

/* True for a key of the grid in which replications of a setting differ. */
static bool is_of_replication(const struct task *task, size_t key)
{
    const char *name = grid_key_name(key);
    if (task->trace->from &&
        (strcmp(name, "from") == 0 || strcmp(name, "to") == 0))
        return true;
    return strcmp(name, "seed") == 0;
}

/* Returns the setting of a run. Adds the setting if it is new. */
static struct sweep_print_setting *sweep_print_setting_of(
    struct sweep_print_settings *all, const struct task *task)
{
    struct out *name = out_to_memory();
    size_t before = all->names.n_strings;
    for (size_t k = 0; k < GRID_KEYS; k++) {
        if (task->texts[k] && !is_of_replication(task, k))
            out_printf(name, "%zu=%s\n", k, task->texts[k]);
    }
    out_text(name, task->trace->made);
    uint32_t i = interner_add(&all->names, out_memory(name));
    out_abandon(name);
    all->at =
        mem_grow(all->at, &all->cap, all->names.n_strings, sizeof *all->at);
    if (all->names.n_strings > before)
        all->at[i] = (struct sweep_print_setting){.task = task};
    return &all->at[i];
}

/* Returns the value of a cell of a record; NaN: there is none. */
static double sweep_print_value_of(const char **names, size_t n_names,
                                   const char **cells, size_t n_cells,
                                   const char *column)
{
    double value;
    for (size_t i = 0; i < n_names && i < n_cells; i++) {
        if (strcmp(names[i], column) == 0)
            return text_to_double(text_from(cells[i]), &value) ? value : NAN;
    }
    return NAN;
}

static void sweep_print_add_run(struct sweep_print_setting *to,
                                const struct journal_record *r,
                                struct arena *arena)
{
    const char **names, **cells;
    if (!r) {
        to->n_missing++;
        return;
    }
    to->n_incomplete += r->status == status_exit(STATUS_INCOMPLETE);
    if (r->status != status_exit(STATUS_OK) &&
        r->status != status_exit(STATUS_INCOMPLETE)) {
        to->n_failed++;
        return;
    }
    const size_t n_names = row_split(r->columns, arena, &names);
    const size_t n_cells = row_split(r->cells, arena, &cells);
    for (size_t m = 0; m < N_SHOWN; m++) {
        to->values[m] =
            mem_grow(to->values[m], &to->cap[m], to->n + 1, sizeof(double));
        to->values[m][to->n] = sweep_print_value_of(
            names, n_names, cells, n_cells, sweep_print_shown[m].column);
    }
    to->share += r->status == status_exit(STATUS_OK)
                     ? 1
                     : sweep_print_value_of(names, n_names, cells, n_cells,
                                            "finished_share");
    to->n++;
    arena_reset(arena);
}

static void sweep_print_collect(struct sweep *s,
                                struct sweep_print_settings *all)
{
    struct arena arena;
    *all = (struct sweep_print_settings){0};
    arena_init(&all->arena);
    arena_init(&arena);
    interner_init(&all->names);
    for (size_t i = 0; i < s->grid.n_runs; i++) {
        const struct task *task = &s->tasks[i];
        if (!task->is_twin)
            sweep_print_add_run(sweep_print_setting_of(all, task),
                                sweep_record(s, task), &arena);
    }
    arena_fini(&arena);
}

static void sweep_print_settings_fini(struct sweep_print_settings *all)
{
    for (size_t i = 1; i < all->names.n_strings; i++) {
        for (size_t m = 0; m < N_SHOWN; m++)
            free(all->at[i].values[m]);
    }
    free(all->at);
    interner_fini(&all->names);
    arena_fini(&all->arena);
}

static bool sweep_print_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* True if settings differ in a key, other than by being replications. */
static bool sweep_print_differs(const struct sweep_print_settings *all,
                                size_t key)
{
    for (size_t i = 2; i < all->names.n_strings; i++) {
        const struct task *x = all->at[1].task, *y = all->at[i].task;
        if (is_of_replication(x, key))
            return false;
        if (!sweep_print_same(x->texts[key], y->texts[key]) ||
            (key == GRID_TRACE &&
             !sweep_print_same(x->trace->made, y->trace->made)))
            return true;
    }
    return false;
}

static const char *sweep_print_text_of(const struct task *task, size_t key,
                                       struct arena *arena)
{
    const char *text = task->texts[key];
    if (key != GRID_TRACE || !task->trace->made[0])
        return text ? text : "-";
    size_t room = strlen(text) + strlen(task->trace->made) + 4;
    char *both = arena_alloc(arena, room);
    snprintf(both, room, "%s (%s)", text, task->trace->made);
    return both;
}

/* Prints in one line the settings that all runs share. */
static void print_common(const struct sweep *s,
                         struct sweep_print_settings *all,
                         const bool differ[GRID_KEYS])
{
    struct out *line = out_to_memory();
    const struct task *first = all->at[1].task;
    for (size_t k = 0; k < s->grid.n_keys; k++) {
        size_t key = s->grid.keys[k];
        if (differ[key] || is_of_replication(first, key) || !first->texts[key])
            continue;
        out_printf(line, "%s%s %s", out_memory(line).len ? ", " : "",
                   grid_key_name(key),
                   sweep_print_text_of(first, key, &all->arena));
    }
    struct text text = out_memory(line);
    if (text.len)
        say(stdout, "all runs: %.*s", (int)text.len, text.at);
    out_abandon(line);
}

/* Returns the mean of a value over the runs of a setting. The estimate has no
 * interval if all values are equal, because then the seeds changed nothing and
 * the runs count as one. */
static struct estimate sweep_print_estimate(
    const struct sweep_print_setting *setting, size_t m)
{
    struct estimate e = runs_are_resampled(setting->task->trace->made)
                            ? spread_of(setting->values[m], NULL, setting->n)
                            : estimate_of(setting->values[m], NULL, setting->n);
    if (estimate_is_of_one(&e))
        e.interval = (struct interval){.lo = NAN, .hi = NAN};
    return e;
}

/* True if there are several runs, with equal values in the columns shown. */
static bool is_one_run(const struct sweep_print_setting *setting)
{
    for (size_t m = 0; m < N_SHOWN; m++) {
        const double *values = setting->values[m];
        for (size_t i = 1; i < setting->n; i++) {
            if (!(values[i] == values[0]))
                return false;
        }
    }
    return setting->n > 1;
}

static void add_values(struct table *table,
                       const struct sweep_print_setting *setting)
{
    char buf[SUMMARY_MEAN_MAX];
    for (size_t m = 0; m < N_SHOWN; m++) {
        struct estimate e = sweep_print_estimate(setting, m);
        if (m < 2 && e.n > 1) {
            struct distribution d = {.count = e.n,
                                     .mean = e.mean,
                                     .mean_lo = e.interval.lo,
                                     .mean_hi = e.interval.hi};
            table_add(table, "%s", summary_mean(&d, buf));
        } else {
            table_add(table, "%s", e.n ? table_span(e.mean, buf) : "-");
        }
    }
    table_add(table, "%zu", setting->n);
}

static bool has_trouble(const struct sweep_print_setting *setting)
{
    return setting->n_failed || setting->n_missing || setting->n_incomplete;
}

/* Adds the cell of failed and missing runs, or else of incomplete ones. */
static void add_trouble(struct table *table,
                        const struct sweep_print_setting *setting)
{
    const bool lacks = setting->n_failed || setting->n_missing;
    char words[80] = "";
    if (lacks)
        snprintf(words, sizeof words, "%zu failed, %zu missing",
                 setting->n_failed, setting->n_missing);
    else if (setting->n_incomplete)
        snprintf(words, sizeof words, "%zu incomplete (%.3g %% of GPU h)",
                 setting->n_incomplete,
                 100 * setting->share / (double)setting->n);
    table_add(table, "%s", words);
    if (lacks || setting->n_incomplete)
        table_tone(table, TONE_ERROR);
}

/* Hides the settings of tuples that all have names, because the table shows the
 * names instead. */
static void hide_named(const struct sweep *s, bool differ[GRID_KEYS])
{
    for (size_t a = 0; a < s->grid.n_axes; a++) {
        const struct grid_axis *axis = &s->grid.axes[a];
        bool named = true;
        for (size_t i = 0; i < axis->n_points; i++)
            named &= axis->points[i].label != NULL;
        for (size_t i = 0; named && i < axis->n_points; i++) {
            const struct grid_point *p = &axis->points[i];
            for (size_t k = 0; k < p->n_settings; k++)
                differ[p->settings[k].row] = false;
            if (p->load)
                differ[GRID_LOAD] = false;
        }
    }
}

static const char *policy_of(const struct task *task)
{
    size_t k = 0;
    while (run_args[k].name && strcmp(run_args[k].name, "policy") != 0)
        k++;
    return task->texts[k] ? task->texts[k] : "fifo";
}

/* Lists the keys in which settings differ, as many as fit into a table. */
static unsigned keys_shown(const struct sweep *s, const bool differ[GRID_KEYS],
                           size_t keys[TABLE_COLUMNS_MAX])
{
    unsigned n = 0;
    for (size_t k = 0; k < s->grid.n_keys; k++) {
        if (differ[s->grid.keys[k]] && n < TABLE_COLUMNS_MAX - N_SHOWN - 2)
            keys[n++] = s->grid.keys[k];
    }
    return n;
}

static void sweep_print_rows(const struct sweep *s,
                             struct sweep_print_settings *all,
                             const bool differ[GRID_KEYS])
{
    struct table table;
    size_t keys[TABLE_COLUMNS_MAX];
    const unsigned n = keys_shown(s, differ, keys);
    bool trouble = false;
    for (size_t i = 1; i < all->names.n_strings; i++)
        trouble |= has_trouble(&all->at[i]);
    table_init(&table, n + N_SHOWN + 1 + trouble,
               ((1u << n) - 1) | 1u << (n + N_SHOWN + 1));
    for (size_t k = 0; k < n; k++)
        table_add(&table, "%s", grid_key_name(keys[k]));
    for (size_t m = 0; m < N_SHOWN; m++)
        table_add(&table, "%s", sweep_print_shown[m].head);
    table_add(&table, "runs");
    if (trouble)
        table_add(&table, "%s", "");
    for (size_t i = 1; i < all->names.n_strings && i <= ROWS_SHOWN; i++) {
        for (size_t k = 0; k < n; k++)
            table_add(
                &table, "%s",
                sweep_print_text_of(all->at[i].task, keys[k], &all->arena));
        add_values(&table, &all->at[i]);
        if (trouble)
            add_trouble(&table, &all->at[i]);
    }
    table_print(&table, stdout);
    table_fini(&table);
    if (all->names.n_strings > ROWS_SHOWN + 1)
        say(stdout, "... and %zu more settings: runs.csv has all",
            all->names.n_strings - ROWS_SHOWN - 1);
}

/* Adds a note on the settings whose runs all have the same results, and so
 * have no intervals. */
static void sweep_print_note_one_runs(const struct sweep_print_settings *all,
                                      struct row_remarks *notes)
{
    size_t n = 0, first = 0;
    const size_t n_all = all->names.n_strings - 1;
    for (size_t i = 1; i <= n_all; i++) {
        const bool is_one = is_one_run(&all->at[i]);
        n += is_one;
        first = is_one && !first ? i : first;
    }
    if (n)
        row_remarks_say(
            notes, REMARK_CONCLUSION,
            "in %zu of %zu settings%s%s%s all seeds give one result: "
            "their runs count as one run, without an interval",
            n, n_all, n < n_all ? " (the first under " : "",
            n < n_all ? policy_of(all->at[first].task) : "",
            n < n_all ? ")" : "");
}

/* Says that settings are not comparable, if some did not finish the jobs that
 * others of their trace finished. */
static void say_incomparable(const struct sweep_print_settings *all)
{
    bool differs = false;
    for (size_t i = 2; i < all->names.n_strings; i++) {
        const struct sweep_print_setting *x = &all->at[i - 1], *y = &all->at[i];
        differs |= x->n_incomplete != y->n_incomplete ||
                   (x->n_incomplete && !(x->share == y->share));
    }
    if (differs)
        say_prose(
            stdout,
            "not comparable: settings with incomplete runs did not finish "
            "the same jobs as others");
}

void sweep_print_table(struct sweep *s, struct row_remarks *notes)
{
    struct sweep_print_settings all;
    bool differ[GRID_KEYS] = {false};
    sweep_print_collect(s, &all);
    for (size_t k = 0; k < s->grid.n_keys; k++)
        differ[s->grid.keys[k]] = sweep_print_differs(&all, s->grid.keys[k]);
    print_common(s, &all, differ);
    hide_named(s, differ);
    sweep_print_rows(s, &all, differ);
    say_incomparable(&all);
    sweep_print_note_one_runs(&all, notes);
    sweep_print_settings_fini(&all);
}

static void write_setting(struct json_stream *js, const struct sweep *s,
                          const struct sweep_print_setting *setting)
{
    const struct task *task = setting->task;
    json_stream_object(js, NULL);
    json_stream_object(js, "setting");
    for (size_t k = 0; k < s->grid.n_keys; k++) {
        size_t key = s->grid.keys[k];
        if (task->texts[key] && !is_of_replication(task, key))
            json_stream_text(js, grid_key_name(key), task->texts[key]);
    }
    if (task->trace->made[0])
        json_stream_text(js, "made", task->trace->made);
    json_stream_object_end(js);
    json_stream_whole(js, "runs", (int64_t)setting->n);
    json_stream_whole(js, "incomplete", (int64_t)setting->n_incomplete);
    if (setting->n_incomplete)
        json_stream_number(js, "finished_share",
                           setting->share / (double)setting->n);
    json_stream_whole(js, "failed", (int64_t)setting->n_failed);
    json_stream_whole(js, "missing", (int64_t)setting->n_missing);
    for (size_t m = 0; m < N_SHOWN; m++) {
        struct estimate e = sweep_print_estimate(setting, m);
        json_stream_object(js, sweep_print_shown[m].key);
        json_stream_whole(js, "replications", (int64_t)e.n);
        json_stream_number(js, "mean", e.mean);
        json_stream_number(js, "mean_lo", e.interval.lo);
        json_stream_number(js, "mean_hi", e.interval.hi);
        json_stream_text(js, "interval_of",
                         e.is_spread ? "resamples" : "samples");
        json_stream_object_end(js);
    }
    json_stream_object_end(js);
}

enum status sweep_print_json(struct sweep *s, struct error *err)
{
    struct sweep_print_settings all;
    struct out *out;
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    sweep_print_collect(s, &all);
    struct json_stream stream = json_stream_to(out), *js = &stream;
    json_stream_object(js, NULL);
    json_stream_whole(js, "runs", (int64_t)s->grid.n_runs);
    json_stream_array(js, "settings");
    for (size_t i = 1; i < all.names.n_strings; i++)
        write_setting(js, s, &all.at[i]);
    json_stream_array_end(js);
    json_stream_object_end(js);
    json_stream_end(js);
    sweep_print_settings_fini(&all);
    return out_close(out, err);
}
