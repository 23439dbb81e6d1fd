/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes and checks the runs of a grid, each with its settings and its key. */
#include "commands/study/sweep_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"

/* Returns the points of run `index`, one for each axis. */
static void task_points(const struct grid *grid, size_t index,
                        const struct grid_point *out[GRID_AXES_MAX])
{
    for (size_t a = grid->n_axes; a-- > 0;) {
        const struct grid_axis *axis = &grid->axes[a];
        out[a] = &axis->points[index % axis->n_points];
        index /= axis->n_points;
    }
}

/* Returns the row of run_args with this name. */
static size_t tasks_row_of(const char *name)
{
    size_t row = 0;
    while (run_args[row].name && strcmp(run_args[row].name, name) != 0)
        row++;
    return row;
}

static void tasks_add_line(struct digest *digest, const char *name,
                           const char *text)
{
    digest_add(digest, name, strlen(name) + 1);
    digest_add(digest, text, strlen(text) + 1);
}

static void make_key(struct task *task)
{
    char hex[DIGEST_HEX_MAX], number[32];
    struct digest *digest = digest_new();
    tasks_add_line(digest, "schedsim sweep", "1");
    tasks_add_line(digest, "trace", task->trace->source);
    tasks_add_line(digest, "made", task->trace->made);
    if (task->trace->maker) {
        snprintf(number, sizeof number, "%" PRIu64, task->trace->replication);
        tasks_add_line(digest, "replication", number);
    }
    for (size_t k = 0; k < GRID_KEYS; k++) {
        if (task->texts[k] && k != GRID_NAME && k != GRID_TRACE)
            tasks_add_line(digest, grid_key_name(k), task->texts[k]);
    }
    digest_end(digest, hex);
    memcpy(task->key, hex, JOURNAL_KEY_MAX - 1);
    task->key[JOURNAL_KEY_MAX - 1] = '\0';
}

struct task *tasks_make(struct grid *grid)
{
    const size_t from = tasks_row_of("from"), to = tasks_row_of("to");
    struct task *tasks = mem_zalloc(grid->n_runs + 1, sizeof *tasks);
    for (size_t i = 0; i < grid->n_runs; i++) {
        const struct grid_point *points[GRID_AXES_MAX];
        struct task *task = &tasks[i];
        task_points(grid, i, points);
        for (size_t a = 0; a < grid->n_axes; a++) {
            const struct grid_point *p = points[a];
            for (size_t k = 0; k < p->n_settings; k++)
                task->texts[p->settings[k].row] = p->settings[k].text;
            if (p->trace)
                task->trace = p->trace;
            if (p->load)
                task->texts[GRID_LOAD] = p->load;
            if (p->label)
                task->texts[GRID_NAME] = p->label;
        }
        if (task->trace && task->trace->from) {
            task->texts[from] = task->trace->from;
            task->texts[to] = task->trace->to;
        }
        if (task->trace) {
            task->texts[GRID_TRACE] = task->trace->source;
            make_key(task);
        }
    }
    return tasks;
}

/* Returns the clauses of --what-if with a clause for the task's load added. */
static const char *with_load(const struct task *task, const char *what_if,
                             struct arena *arena)
{
    const char *load = task->texts[GRID_LOAD];
    size_t n = strlen(what_if ? what_if : "") + strlen(load) + 16;
    char *text = arena_alloc(arena, n);
    snprintf(text, n, "%s%sx%s load", what_if ? what_if : "",
             what_if ? "; " : "", load);
    return text;
}

enum status task_config(const struct task *task, struct arena *arena,
                        struct run_config *out, struct error *err)
{
    struct run_options options;
    run_options_init(&options);
    for (size_t k = 0; run_args[k].name; k++) {
        enum status st = task->texts[k]
                             ? arg_store(&run_args[k], &options.config,
                                         task->texts[k], NULL, NULL, err)
                             : STATUS_OK;
        if (st != STATUS_OK)
            return st;
    }
    *out = options.config;
    out->trace = task->trace->name;
    if (task->trace->maker)
        out->format = "native";
    if (task->texts[GRID_LOAD])
        out->what_if = with_load(task, out->what_if, arena);
    return STATUS_OK;
}

/* True if checking the configuration would have effects: it would start a
 * program or load a shared object that is the policy, or open a language
 * model. */
static bool tasks_is_outside(const struct run_config *config)
{
    if (config->llm || config->llm_recording)
        return true;
    return config->policy && (strncmp(config->policy, "exec:", 5) == 0 ||
                              strchr(config->policy, '/'));
}

/* True if the settings of two runs, except trace and name, are equal. Compares
 * pointers first, because equal settings mostly point to one text of the
 * grid. */
static bool same_settings(const struct task *a, const struct task *b)
{
    for (size_t k = 0; k < GRID_KEYS; k++) {
        const char *x = a->texts[k], *y = b->texts[k];
        if (k != GRID_TRACE && k != GRID_NAME && x != y &&
            (!x || !y || strcmp(x, y) != 0))
            return false;
    }
    return true;
}

/* Results of checking the runs, for each value of each axis. */
struct verdicts {
    /* by point: true if some run with it can be made */
    bool *good[GRID_AXES_MAX];
    /* by point: 1 + index of the first run that cannot be made; 0: none */
    size_t *first[GRID_AXES_MAX];
};

/* Returns an error that names the first value of an axis with which no run can
 * be made, or no axis if no run at all can be made; STATUS_OK: there is none.
 */
static enum status tasks_refuse(const struct grid *grid,
                                const struct verdicts *v,
                                const struct task *tasks, struct error *err)
{
    bool any = false;
    for (size_t i = 0; i < grid->axes[0].n_points; i++)
        any |= v->good[0][i];
    for (size_t a = 0; a < grid->n_axes; a++) {
        for (size_t i = 0; i < grid->axes[a].n_points; i++) {
            struct run_config config;
            if (v->good[a][i])
                continue;
            struct arena arena;
            arena_init(&arena);
            enum status st =
                task_config(&tasks[v->first[a][i] - 1], &arena, &config, err);
            if (st == STATUS_OK)
                st = run_validate(&config, err);
            arena_fini(&arena);
            return any ? error_prefix(err,
                                      "%s: '%.60s', value %zu: ", grid->path,
                                      grid->axes[a].key, i + 1)
                       : error_prefix(err, "%s: ", grid->path);
        }
    }
    return STATUS_OK;
}

static void tasks_judge(const struct grid *grid, const struct task *tasks,
                        struct verdicts *v)
{
    struct arena arena;
    struct error err;
    bool is_good = true;
    arena_init(&arena);
    for (size_t t = 0; t < grid->n_runs; t++) {
        struct run_config config;
        size_t rest = t;
        if (t == 0 || !same_settings(&tasks[t], &tasks[t - 1])) {
            is_good =
                task_config(&tasks[t], &arena, &config, &err) == STATUS_OK &&
                (tasks_is_outside(&config) ||
                 run_validate(&config, &err) == STATUS_OK);
            arena_reset(&arena);
        }
        for (size_t a = grid->n_axes; a-- > 0;) {
            size_t point = rest % grid->axes[a].n_points;
            rest /= grid->axes[a].n_points;
            v->good[a][point] |= is_good;
            if (!is_good && !v->first[a][point])
                v->first[a][point] = t + 1;
        }
    }
    arena_fini(&arena);
}

enum status tasks_check(struct grid *grid, const struct task *tasks,
                        struct error *err)
{
    struct verdicts v = {0};
    for (size_t a = 0; a < grid->n_axes; a++) {
        const size_t n = grid->axes[a].n_points;
        v.good[a] = mem_zalloc(n, sizeof *v.good[a]);
        v.first[a] = mem_zalloc(n, sizeof *v.first[a]);
    }
    tasks_judge(grid, tasks, &v);
    enum status st = tasks_refuse(grid, &v, tasks, err);
    for (size_t a = 0; a < grid->n_axes; a++) {
        free(v.good[a]);
        free(v.first[a]);
    }
    return st;
}
