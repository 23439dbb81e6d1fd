/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints what the user must know about a sweep besides its numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/study/sweep_internal.h"
#include "commands/summary_table.h"
#include "commands/terminal.h"

enum { ERRORS_SHOWN = 10 };

/* Notes, if the grid has several seeds for a recorded trace, that they may
 * change nothing, and what makes replications of it. */
static void note_seeds(const struct sweep *s, struct row_remarks *notes)
{
    const struct grid_trace *recorded = NULL;
    size_t n = 0;
    for (size_t a = 0; a < s->grid.n_axes; a++) {
        const struct grid_axis *axis = &s->grid.axes[a];
        if (strcmp(axis->key, "seed") == 0)
            n = axis->n_points;
    }
    for (size_t i = 0; i < s->grid.n_runs && !recorded; i++) {
        const struct grid_trace *trace = s->tasks[i].trace;
        recorded = trace->is_file && !trace->is_replication ? trace : NULL;
    }
    if (n > 1 && recorded)
        row_remarks_say(
            notes, REMARK_CONCLUSION,
            "on a recorded trace the %zu seeds change nothing unless "
            "something is drawn, such as failures; for replications write "
            "\"trace\": [{\"resample\": \"%s\", \"seeds\": %zu}] without "
            "\"seed\"",
            n, recorded->source, n);
}

void sweep_say_found(const struct sweep *s, FILE *to)
{
    struct row_remarks notes;
    row_remarks_init(&notes);
    note_seeds(s, &notes);
    for (size_t i = 1; i < s->paths.n_strings; i++) {
        const struct sweep_file *file = &s->files[i];
        if (file->n_stale)
            row_remarks_say(
                &notes, REMARK_DETAIL,
                "%s %s since %zu runs read it: they are made again", file->path,
                file->sha256[0] ? "has changed" : "is gone", file->n_stale);
    }
    if (s->n_others)
        row_remarks_say(
            &notes, REMARK_NUMBERS,
            "%zu runs were made by schedsim %s: %s (--other-version)",
            s->n_others, s->other_version,
            s->options->other_version == VERSIONS_KEEP ? "they are kept"
                                                       : "they are made again");
    if (journal_n_damaged(s->journal))
        row_remarks_say(
            &notes, REMARK_DETAIL,
            "%llu damaged lines of the journal are ignored; their runs "
            "are made again",
            (unsigned long long)journal_n_damaged(s->journal));
    if (s->n_duplicates)
        row_remarks_say(
            &notes, REMARK_DETAIL,
            "%zu runs are in the grid more than once; each is made once "
            "and has several rows",
            s->n_duplicates);
    row_remarks_print(&notes, 0, s->options->all_remarks, to);
    row_remarks_fini(&notes);
}

/* Returns the settings of a run, such as "trace=a.csv policy=fifo", in `out`.
 */
static const char *sweep_say_settings_of(const struct sweep *s,
                                         const struct task *task,
                                         struct out *out)
{
    out_clear(out);
    for (size_t k = 0; k < s->grid.n_keys; k++) {
        const char *text = task->texts[s->grid.keys[k]];
        if (text)
            out_printf(out, "%s%s=%s", out_memory(out).len ? " " : "",
                       grid_key_name(s->grid.keys[k]), text);
    }
    if (task->trace->is_replication)
        out_printf(out, " replication=%llu",
                   (unsigned long long)task->trace->replication);
    out_char(out, '\0');
    return out_memory(out).at;
}

void sweep_say_plan(struct sweep *s)
{
    struct out *text = out_to_memory();
    char left[TABLE_SPAN_MAX];
    bool *waits = mem_zalloc(s->grid.n_runs + 1, sizeof *waits);
    for (size_t i = 0; i < s->n_todo; i++)
        waits[s->todo[i]] = true;
    for (size_t i = 0; i < s->grid.n_runs; i++) {
        if (s->options->n_shards &&
            i % s->options->n_shards + 1 != s->options->shard)
            continue;
        say(stdout, "%s  %.16s  %s", waits[i] ? "to do" : "done ",
            s->tasks[i].key, sweep_say_settings_of(s, &s->tasks[i], text));
    }
    const double seconds = sweep_left_s(s, s->n_todo);
    say(stdout, "%zu runs%s, %zu done, %zu to do", s->n_mine,
        s->options->n_shards ? " of this shard" : "", s->n_before, s->n_todo);
    if (isnan(seconds) && s->n_todo)
        say(stdout,
            "estimate: none, because no run of this grid has been timed yet");
    else if (s->n_todo)
        say(stdout, "estimate: %s on %u threads, from the runs that are done",
            table_span(seconds / sweep_threads(s), left), sweep_threads(s));
    out_abandon(text);
    free(waits);
}

/* Returns the cell of a column; NULL: the record has none. */
static const char *sweep_say_cell_of(const struct journal_record *r,
                                     const char *column, struct arena *arena)
{
    const char **names, **cells;
    size_t n = row_split(r->columns, arena, &names);
    size_t m = row_split(r->cells, arena, &cells);
    for (size_t i = 0; i < n && i < m; i++) {
        if (strcmp(names[i], column) == 0)
            return cells[i];
    }
    return NULL;
}

/* Splits the next part off a cell of remarks. The parts live in the arena. */
static const char *sweep_say_next_part(const char **cell, struct arena *arena)
{
    const char *end = strstr(*cell, ROW_BETWEEN_REMARKS), *begin = *cell;
    const size_t len = end ? (size_t)(end - begin) : strlen(begin);
    *cell = end ? end + strlen(ROW_BETWEEN_REMARKS) : begin + len;
    return arena_copy(arena, begin, len);
}

/* Adds the remarks of a run, which are one cell, with their ranks. */
static void sweep_say_add_remarks(struct row_remarks *notes,
                                  const char *remarks, const char *ranks,
                                  struct arena *arena)
{
    while (*remarks) {
        const char *text = sweep_say_next_part(&remarks, arena);
        row_remarks_add(notes, "",
                        remark_rank_read(sweep_say_next_part(&ranks, arena)),
                        text);
    }
}

static void say_error(const struct sweep *s, const struct task *task,
                      const struct journal_record *r, struct arena *arena,
                      FILE *to)
{
    struct out *text = out_to_memory();
    const char *why = sweep_say_cell_of(r, "error", arena);
    say(to, "failed: %s: %s", sweep_say_settings_of(s, task, text),
        why ? why : "");
    out_abandon(text);
}

void sweep_say_runs(struct sweep *s, struct row_remarks *notes, FILE *to)
{
    struct arena arena;
    size_t n_errors = 0;
    arena_init(&arena);
    for (size_t i = 0; i < s->grid.n_runs; i++) {
        const struct journal_record *r = sweep_record(s, &s->tasks[i]);
        const char *remarks =
            r ? sweep_say_cell_of(r, "remarks", &arena) : NULL;
        const char *ranks =
            r ? sweep_say_cell_of(r, "remark_ranks", &arena) : NULL;
        if (remarks)
            sweep_say_add_remarks(notes, remarks, ranks ? ranks : "", &arena);
        else if (r && ++n_errors <= ERRORS_SHOWN)
            say_error(s, &s->tasks[i], r, &arena, to);
        arena_reset(&arena);
    }
    if (n_errors > ERRORS_SHOWN)
        say(to, "... and %zu more failed: column error of runs.csv",
            n_errors - ERRORS_SHOWN);
    for (size_t i = 1; i < s->paths.n_strings; i++) {
        if (s->files[i].has_changed)
            row_remarks_say(
                notes, REMARK_CONCLUSION,
                "%s has changed while runs were made; the same command "
                "makes the runs that read the older content again",
                s->files[i].path);
    }
    row_remarks_print(notes, s->grid.n_runs, s->options->all_remarks, to);
    arena_fini(&arena);
}

/* Counts the failed and the incomplete runs of this shard. Returns a status
 * with the exit status of the first one that failed, or STATUS_FAILED if no
 * status has it; STATUS_OK: none failed. */
static enum status first_failure(struct sweep *s, size_t *n_failed,
                                 size_t *n_incomplete)
{
    int first = 0;
    for (size_t i = 0; i < s->grid.n_runs; i++) {
        const struct journal_record *r = sweep_record(s, &s->tasks[i]);
        if (s->options->n_shards &&
            i % s->options->n_shards + 1 != s->options->shard)
            continue;
        const bool is_incomplete =
            r && r->status == status_exit(STATUS_INCOMPLETE);
        *n_incomplete += is_incomplete;
        if (!r || is_incomplete || r->status == status_exit(STATUS_OK))
            continue;
        ++*n_failed;
        first = first ? first : r->status;
    }
    for (unsigned st = STATUS_FAILED; first && st < STATUS_SAYS_UNKNOWN; st++) {
        if (status_exit(st) == first)
            return st;
    }
    return first ? STATUS_FAILED : STATUS_OK;
}

enum status sweep_judge(struct sweep *s, size_t n_lack, struct error *err)
{
    size_t n_failed = 0, n_incomplete = 0;
    enum status st = first_failure(s, &n_failed, &n_incomplete);
    for (size_t i = 1; i < s->paths.n_strings; i++) {
        if (s->files[i].has_changed)
            return error_set(err, STATUS_FAILED, "%s has changed meanwhile",
                             s->files[i].path);
    }
    if (st != STATUS_OK)
        return error_set(err, st, "%zu of %zu runs failed", n_failed,
                         s->n_mine);
    if (n_lack)
        return error_set(err, STATUS_INCOMPLETE,
                         "%zu of %zu runs are not made yet", n_lack,
                         s->grid.n_runs);
    if (n_incomplete)
        return error_set(err, STATUS_INCOMPLETE,
                         "in %zu of %zu runs some job did not finish",
                         n_incomplete, s->n_mine);
    return STATUS_OK;
}
