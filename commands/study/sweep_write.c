/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes runs.csv, with a row for each run that has a valid record, in the
 * order in which the grid lists the runs, and sweep.json, which says from what
 * the rows were made. Neither depends on threads, shards, the order in which
 * runs ended, or how often the sweep was stopped. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "commands/study/sweep_internal.h"

/* The columns of all records. A column that no earlier record has comes after
 * the column that is before it in its own record. */
struct header {
    struct arena arena;
    const char **names;
    size_t n, cap;
};

/* Returns the index of a name; SIZE_MAX if it is not there. */
static size_t sweep_write_find(const struct header *h, const char *name)
{
    for (size_t i = 0; i < h->n; i++) {
        if (strcmp(h->names[i], name) == 0)
            return i;
    }
    return SIZE_MAX;
}

static void sweep_write_insert(struct header *h, size_t at, const char *name)
{
    h->names = mem_grow(h->names, &h->cap, h->n + 1, sizeof *h->names);
    memmove(h->names + at + 1, h->names + at, (h->n - at) * sizeof *h->names);
    h->names[at] = name;
    h->n++;
}

static void add_columns(struct header *h, const char *columns)
{
    const char **names;
    size_t n = row_split(columns, &h->arena, &names), at = 0;
    for (size_t i = 0; i < n; i++) {
        size_t known = sweep_write_find(h, names[i]);
        if (known == SIZE_MAX)
            sweep_write_insert(h, at++, names[i]);
        else if (known + 1 > at)
            at = known + 1;
    }
}

/* Collects the columns of all records. */
static void make_header(struct sweep *s, struct header *h)
{
    const char *last = NULL;
    *h = (struct header){0};
    arena_init(&h->arena);
    for (size_t i = 0; i < s->grid.n_runs; i++) {
        const struct journal_record *r = sweep_record(s, &s->tasks[i]);
        if (r && r->columns != last)
            add_columns(h, r->columns);
        last = r ? r->columns : last;
    }
}

static void sweep_write_put_settings(const struct sweep *s,
                                     const struct task *task, struct out *out)
{
    for (size_t k = 0; k < s->grid.n_keys; k++) {
        const char *text = task->texts[s->grid.keys[k]];
        out_text(out, k ? "," : "");
        out_csv(out, text_from(text ? text : ""));
    }
    if (s->grid.has_made) {
        out_char(out, ',');
        out_csv(out, text_from(task->trace->made));
    }
    if (s->grid.has_replications) {
        out_char(out, ',');
        if (task->trace->is_replication)
            out_u64(out, task->trace->replication);
    }
}

static void sweep_write_put_head(const struct sweep *s, const struct header *h,
                                 struct out *out)
{
    for (size_t k = 0; k < s->grid.n_keys; k++)
        out_printf(out, "%s%s", k ? "," : "", grid_key_name(s->grid.keys[k]));
    out_text(out, s->grid.has_made ? ",made" : "");
    out_text(out, s->grid.has_replications ? ",replication" : "");
    for (size_t i = 0; i < h->n; i++) {
        out_char(out, ',');
        out_text(out, h->names[i]);
    }
    out_text(out, ",run\n");
}

/* The positions of the cells of a record in the header. */
struct sweep_write_places {
    const char *columns; /* the columns of the record */
    size_t *at;          /* by cell: index in the header */
    size_t n, cap;
};

static void sweep_write_find_places(struct sweep_write_places *p,
                                    const struct header *h, const char *columns,
                                    struct arena *arena)
{
    const char **names;
    if (p->columns == columns)
        return;
    p->columns = columns;
    p->n = row_split(columns, arena, &names);
    p->at = mem_grow(p->at, &p->cap, p->n, sizeof *p->at);
    for (size_t i = 0; i < p->n; i++)
        p->at[i] = sweep_write_find(h, names[i]);
}

static size_t sweep_write_put_rows(struct sweep *s, const struct header *h,
                                   struct out *out)
{
    struct arena arena;
    struct sweep_write_places places = {0};
    size_t n_lack = 0;
    const char **row = mem_zalloc(h->n + 1, sizeof *row);
    arena_init(&arena);
    for (size_t i = 0; i < s->grid.n_runs; i++) {
        const struct journal_record *r = sweep_record(s, &s->tasks[i]);
        const char **cells;
        if (!r) {
            n_lack++;
            continue;
        }
        sweep_write_find_places(&places, h, r->columns, &arena);
        size_t n = row_split(r->cells, &arena, &cells);
        memset(row, 0, h->n * sizeof *row);
        for (size_t k = 0; k < n && k < places.n; k++)
            row[places.at[k]] = cells[k];
        sweep_write_put_settings(s, &s->tasks[i], out);
        for (size_t k = 0; k < h->n; k++) {
            out_char(out, ',');
            out_csv(out, text_from(row[k] ? row[k] : ""));
        }
        out_printf(out, ",%s\n", r->key);
        arena_reset(&arena);
        places.columns = NULL;
    }
    arena_fini(&arena);
    free(places.at);
    free(row);
    return n_lack;
}

static int by_path(const void *a, const void *b)
{
    const struct sweep_file *const *x = a, *const *y = b;
    return strcmp((*x)->path, (*y)->path);
}

/* Writes the files that runs of the grid read, with their digests. */
static void put_files(struct sweep *s, struct json_stream *js)
{
    size_t n = 0;
    const struct sweep_file **used =
        mem_zalloc(s->paths.n_strings + 1, sizeof *used);
    bool *seen = mem_zalloc(s->paths.n_strings + 1, sizeof *seen);
    for (size_t i = 0; i < s->grid.n_runs; i++) {
        const struct journal_record *r = sweep_record(s, &s->tasks[i]);
        for (size_t k = 0; r && k < r->n_files; k++) {
            const struct sweep_file *file = sweep_file(s, r->files[k]->path);
            const size_t at = (size_t)(file - s->files);
            if (!seen[at])
                used[n++] = file;
            seen[at] = true;
        }
    }
    qsort(used, n, sizeof *used, by_path);
    json_stream_array(js, "files");
    for (size_t i = 0; i < n; i++) {
        json_stream_object(js, NULL);
        json_stream_text(js, "path", used[i]->path);
        json_stream_text(js, "sha256", used[i]->sha256);
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
    free(used);
    free(seen);
}

/* Writes the versions of the program that made the runs. */
static void put_versions(struct sweep *s, struct json_stream *js)
{
    struct interner seen;
    interner_init(&seen);
    json_stream_array(js, "schedsim");
    for (size_t i = 0; i < s->grid.n_runs; i++) {
        const struct journal_record *r = sweep_record(s, &s->tasks[i]);
        size_t before = seen.n_strings;
        if (r)
            interner_add(&seen, text_from(r->version));
        if (seen.n_strings > before)
            json_stream_text(js, NULL, r->version);
    }
    json_stream_array_end(js);
    interner_fini(&seen);
}

static void put_sweep(struct sweep *s, size_t n_lack, struct out *out)
{
    struct json_stream stream = json_stream_to(out), *js = &stream;
    size_t n_failed = 0, n_incomplete = 0;
    for (size_t i = 0; i < s->grid.n_runs; i++) {
        const struct journal_record *r = sweep_record(s, &s->tasks[i]);
        n_incomplete += r && r->status == status_exit(STATUS_INCOMPLETE);
        n_failed += r && r->status != status_exit(STATUS_INCOMPLETE) &&
                    r->status != status_exit(STATUS_OK);
    }
    json_stream_object(js, NULL);
    json_stream_whole(js, "sweep", 1);
    put_versions(s, js);
    json_stream_whole(js, "runs", (int64_t)s->grid.n_runs);
    json_stream_whole(js, "missing", (int64_t)n_lack);
    json_stream_whole(js, "failed", (int64_t)n_failed);
    json_stream_whole(js, "incomplete", (int64_t)n_incomplete);
    put_files(s, js);
    json_stream_object_end(js);
    json_stream_end(js);
}

enum status sweep_write(struct sweep *s, size_t *n_lack, struct error *err)
{
    struct header header;
    struct out *rows = out_to_memory(), *facts = out_to_memory();
    make_header(s, &header);
    sweep_write_put_head(s, &header, rows);
    *n_lack = sweep_write_put_rows(s, &header, rows);
    put_sweep(s, *n_lack, facts);
    enum status st = journal_write_file(s->journal, "runs.csv", rows, err);
    if (st == STATUS_OK)
        st = journal_write_file(s->journal, "sweep.json", facts, err);
    out_abandon(rows);
    out_abandon(facts);
    free(header.names);
    arena_fini(&header.arena);
    return st;
}
