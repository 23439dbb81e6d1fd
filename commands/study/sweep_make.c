/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the runs of a sweep that are not done. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/study/sweep_internal.h"
#include "sim/results/manifest.h"

/* The argument of the callbacks of study_execute. */
struct making {
    struct sweep *sweep;
    /* writer of result directories; NULL: the results of single runs are not
     * kept */
    struct keeper *keeper;
};

static const struct task *task_at(const struct sweep *s, size_t at)
{
    return &s->tasks[s->todo[at]];
}

/* The callback study.begin. Sets the cluster of a run of a made trace to the
 * cluster that recorded the source of the trace, unless the grid names one.
 * With --keep, opens the result directory of the run. */
static enum status sweep_make_begin(void *self, size_t at,
                                    struct run_config *config,
                                    struct replay_options *observe,
                                    struct error *err)
{
    const struct making *m = self;
    const struct grid_trace *trace = task_at(m->sweep, at)->trace;
    enum status st = STATUS_OK;
    if (trace->maker && !config->cluster)
        st = made_trace_cluster(trace->maker, &config->cluster, err);
    if (st == STATUS_OK && m->keeper)
        st = keeper_begin(m->keeper, at, config, observe, err);
    return st;
}

static void sweep_make_take(void *self, const struct study_run *run)
{
    const struct making *m = self;
    const struct grid_trace *trace = task_at(m->sweep, run->index)->trace;
    struct error err = {0};
    struct row_kept *row = row_of_run(run, trace->maker != NULL);
    if (m->keeper && keeper_take(m->keeper, run, &err) != STATUS_OK) {
        struct study_run failed = *run;
        row_kept_free(row);
        failed.status = err.status;
        failed.err = &err;
        failed.replay = NULL;
        row = row_of_run(&failed, false);
    }
    m->sweep->rows[run->index] = row;
}

/* Adds the file from which the trace was made to the record, and marks files
 * that have changed since the sweep began. */
static void sweep_make_check_files(struct sweep *s, const struct task *task,
                                   struct row_kept *row)
{
    struct journal_record *r = &row->record;
    if (task->trace->maker && task->trace->is_file &&
        r->n_files < JOURNAL_FILES_MAX && r->files) {
        const struct sweep_file *source = sweep_file(s, task->trace->source);
        struct journal_file *file = ARENA_NEW(&row->arena, struct journal_file);
        const struct journal_file **files = ARENA_ARRAY(
            &row->arena, const struct journal_file *, r->n_files + 1);
        *file = (struct journal_file){source->path, source->sha256};
        memcpy(files, r->files, r->n_files * sizeof(struct journal_file *));
        files[r->n_files++] = file;
        r->files = files;
    }
    for (size_t i = 0; i < r->n_files; i++) {
        struct sweep_file *file = sweep_file(s, r->files[i]->path);
        file->has_changed |= strcmp(file->sha256, r->files[i]->sha256) != 0;
    }
}

/* The callback study.note. Writes the record of a run that has ended to the
 * journal; returns false if that failed, and the sweep then stops. */
static bool sweep_make_note(void *self, const struct study_run *run)
{
    struct making *m = self;
    struct sweep *s = m->sweep;
    const struct task *task = task_at(s, run->index);
    if (!s->rows[run->index]) /* the run failed before it began */
        s->rows[run->index] = row_of_run(run, false);
    struct row_kept *row = s->rows[run->index];
    sweep_make_check_files(s, task, row);
    row->record.key = task->key;
    row->record.version = provenance_version();
    enum status st =
        journal_add(s->journal, &row->record, run->seconds, &s->lost);
    s->n_made++;
    s->n_failed += row->record.status != status_exit(STATUS_OK) &&
                   row->record.status != status_exit(STATUS_INCOMPLETE);
    row_kept_free(row);
    s->rows[run->index] = NULL;
    if (!s->options->quiet)
        sweep_progress(s);
    return st == STATUS_OK;
}

static void tick(void *self)
{
    const struct making *m = self;
    if (!m->sweep->options->quiet)
        sweep_progress(m->sweep);
}

static enum status sweep_make_execute(struct sweep *s, struct study_task *tasks,
                                      struct error *err)
{
    struct making making = {.sweep = s};
    if (s->options->keep)
        making.keeper = keeper_new(s);
    struct study study = {
        .tasks = tasks,
        .n = s->n_todo,
        .n_threads = s->options->threads,
        .shelf = s->shelf,
        .self = &making,
        .begin = sweep_make_begin,
        .take = sweep_make_take,
        .note = sweep_make_note,
        .tick = tick,
    };
    enum status st = study_execute(&study, err);
    sweep_progress_end();
    keeper_free(making.keeper);
    s->signal = study.signal;
    s->n_made = study.n_done;
    if (st == STATUS_OK && s->lost.status != STATUS_OK) {
        *err = s->lost;
        return err->status;
    }
    return st;
}

enum status sweep_make(struct sweep *s, struct error *err)
{
    enum status st = s->options->submits ? sweep_begin(s, err) : STATUS_OK;
    if (st != STATUS_OK || s->n_todo == 0)
        return st;
    struct study_task *tasks = mem_zalloc(s->n_todo, sizeof *tasks);
    for (size_t i = 0; st == STATUS_OK && i < s->n_todo; i++)
        st = task_config(task_at(s, i), &s->arena, &tasks[i].config, err);
    if (st == STATUS_OK)
        st = sweep_make_execute(s, tasks, err);
    free(tasks);
    struct error unsynced;
    if (journal_sync(s->journal, &unsynced) != STATUS_OK && st == STATUS_OK) {
        *err = unsynced;
        st = unsynced.status;
    }
    return st;
}
