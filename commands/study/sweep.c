/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep: the runs of a grid, the records of those that are done, and the
 * runs that are left. */
#include "commands/study/sweep_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "sim/results/manifest.h"
#include "traces/shelf.h"

struct sweep_file *sweep_file(struct sweep *s, const char *path)
{
    size_t before = s->paths.n_strings;
    uint32_t i = interner_add(&s->paths, text_from(path));
    s->files =
        mem_grow(s->files, &s->cap_files, s->paths.n_strings, sizeof *s->files);
    if (s->paths.n_strings > before) {
        char hex[DIGEST_HEX_MAX] = "";
        struct error err;
        if (digest_path(path, hex, &err) != STATUS_OK)
            hex[0] = '\0';
        s->files[i] = (struct sweep_file){
            .path = interner_string(&s->paths, i),
            .sha256 = arena_copy(&s->arena, hex, strlen(hex))};
    }
    return &s->files[i];
}

static bool is_done(const struct journal_record *record)
{
    return record->status == status_exit(STATUS_OK) ||
           record->status == status_exit(STATUS_INCOMPLETE);
}

/* Returns the first file of a record whose content has changed since the record
 * was made; NULL: none has. */
static struct sweep_file *changed_file(struct sweep *s,
                                       const struct journal_record *record)
{
    for (size_t i = 0; i < record->n_files; i++) {
        struct sweep_file *file = sweep_file(s, record->files[i]->path);
        if (strcmp(file->sha256, record->files[i]->sha256) != 0)
            return file;
    }
    return NULL;
}

const struct journal_record *sweep_record(struct sweep *s,
                                          const struct task *task)
{
    const struct journal_record *record = journal_find(s->journal, task->key);
    if (!record || changed_file(s, record))
        return NULL;
    if (strcmp(record->version, provenance_version()) != 0 &&
        s->options->other_version != VERSIONS_KEEP)
        return NULL;
    return record;
}

/* True if the run need not be made: it has a valid record, did not fail and,
 * with --keep, has its result directory. Counts the runs whose files have
 * changed and those of another version. */
static bool need_not(struct sweep *s, const struct task *task)
{
    const struct journal_record *record = journal_find(s->journal, task->key);
    if (!record || !is_done(record))
        return false;
    struct sweep_file *changed = changed_file(s, record);
    if (changed) {
        changed->n_stale++;
        return false;
    }
    if (strcmp(record->version, provenance_version()) != 0) {
        s->n_others++;
        s->other_version = record->version;
        if (s->options->other_version != VERSIONS_KEEP)
            return false;
    }
    return !s->options->keep || keeper_has(s, task);
}

/* Orders runs by the trace that they read, then by their place in the grid, so
 * that each trace is parsed once even if not all fit into memory. */
static int by_trace(const void *a, const void *b, void *tasks)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const struct task *all = tasks;
    const char *s = all[x].trace->name, *t = all[y].trace->name;
    int order = strcmp(s, t);
    if (order == 0 && all[x].trace != all[y].trace)
        order = all[x].trace->replication < all[y].trace->replication ? -1 : 1;
    return order ? order : x < y ? -1 : x > y;
}

/* Lists the runs of this shard that are not done; none with --collect. Run i
 * belongs to shard i mod N + 1. */
static void find_todo(struct sweep *s)
{
    const struct sweep_options *o = s->options;
    struct interner keys;
    interner_init(&keys);
    s->todo = mem_zalloc(s->grid.n_runs + 1, sizeof *s->todo);
    for (size_t i = 0; i < s->grid.n_runs; i++) {
        size_t before = keys.n_strings;
        interner_add(&keys, text_from(s->tasks[i].key));
        const bool is_twice = keys.n_strings == before;
        s->tasks[i].is_twin = is_twice;
        s->n_duplicates += is_twice;
        if (o->n_shards && i % o->n_shards + 1 != o->shard)
            continue;
        s->n_mine++;
        if (need_not(s, &s->tasks[i]))
            s->n_before++;
        else if (!is_twice && !o->collect)
            s->todo[s->n_todo++] = i;
    }
    interner_fini(&keys);
    qsort_r(s->todo, s->n_todo, sizeof *s->todo, by_trace, s->tasks);
    s->rows = mem_zalloc(s->n_todo + 1, sizeof(struct row_kept *));
}

static enum status refuse_version(const struct sweep *s, struct error *err)
{
    if (!s->n_others || s->options->other_version != VERSIONS_REFUSE)
        return STATUS_OK;
    return error_set(err, STATUS_USAGE,
                     "%s: %zu runs were made by schedsim %s, and this is %s: "
                     "--other-version redo makes them again, --other-version "
                     "keep takes them as they are",
                     s->options->out, s->n_others, s->other_version,
                     provenance_version());
}

enum status sweep_begin(struct sweep *s, struct error *err)
{
    char name[64] = "all";
    const struct sweep_options *o = s->options;
    if (o->n_shards)
        snprintf(name, sizeof name, "shard-%u-of-%u", o->shard, o->n_shards);
    return journal_begin(s->journal, name, err);
}

enum status sweep_plan(struct sweep *s, const struct sweep_options *options,
                       struct error *err)
{
    *s = (struct sweep){.options = options};
    arena_init(&s->arena);
    interner_init(&s->paths);
    s->shelf = shelf_new(0);
    /* to collect, no run is made */
    enum status st =
        grid_read(&s->grid, options->grid, options->trusts || options->collect,
                  s->shelf, err);
    if (st != STATUS_OK)
        return st;
    s->tasks = tasks_make(&s->grid);
    if (!options->collect)
        st = tasks_check(&s->grid, s->tasks, err);
    if (st == STATUS_OK)
        st = journal_open(options->out, !options->dry_run, &s->journal, err);
    /* The log is read under its lock before the plan is made, so that no record
     * changes after it. */
    if (st == STATUS_OK && !options->dry_run && !options->submits)
        st = sweep_begin(s, err);
    if (st != STATUS_OK)
        return st;
    find_todo(s);
    return refuse_version(s, err);
}

void sweep_fini(struct sweep *s)
{
    for (size_t i = 0; s->rows && i < s->n_todo; i++)
        row_kept_free(s->rows[i]);
    free(s->rows);
    free(s->todo);
    free(s->tasks);
    free(s->files);
    journal_close(s->journal);
    shelf_free(s->shelf);
    grid_fini(&s->grid);
    interner_fini(&s->paths);
    arena_fini(&s->arena);
}
