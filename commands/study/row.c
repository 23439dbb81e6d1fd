/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the line that a sweep keeps of a run: cells with their names, from the
 * numbers of summary.json. */
#include "commands/study/sweep_internal.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "sim/results/report.h"

/* The names and cells that were collected so far. */
struct row_cells {
    struct out *names, *values;
    char prefix[256];
};

static void row_add_name(struct row_cells *c, const char *name)
{
    const bool first = out_memory(c->names).len == 0;
    if (!first) {
        out_char(c->names, ',');
        out_char(c->values, ',');
    }
    out_text(c->names, c->prefix);
    out_text(c->names, name);
}

static void row_add_text(struct row_cells *c, const char *name,
                         const char *text)
{
    row_add_name(c, name);
    out_csv(c->values, text_from(text));
}

/* True for a member of summary.json that is not a column: it describes groups
 * of jobs, or the input. */
static bool is_left_out(const char *key)
{
    return strncmp(key, "by_", 3) == 0 || strcmp(key, "identity") == 0;
}

/* Adds what the policy knew. */
static void row_add_knowledge(struct row_cells *c, const struct knowledge *k)
{
    row_add_text(c, "knowledge", k->words ? k->words : "");
    row_add_text(c, "knowledge_mark", k->mark ? k->mark : "");
}

/* Adds all numbers of an object and of the objects in it, as summary.json
 * orders them. */
static void add_numbers(struct row_cells *c, const json_t *object, bool is_root)
{
    const char *key;
    json_t *value;
    const size_t len = strlen(c->prefix);
    /* The macro of jansson needs a pointer without const, but changes
     * nothing. */
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (is_root && is_left_out(key))
            continue;
        if (json_is_object(value)) {
            if (!is_root || strcmp(key, "metrics") != 0)
                snprintf(c->prefix + len, sizeof c->prefix - len, "%.100s_",
                         key);
            add_numbers(c, value, false);
            c->prefix[len] = '\0';
        } else if (json_is_integer(value)) {
            row_add_name(c, key);
            out_i64(c->values, json_integer_value(value));
        } else if (json_is_real(value)) {
            row_add_name(c, key);
            out_double(c->values, json_real_value(value));
        }
    }
}

/* Adds the remarks of the run as one cell, their ranks as another. */
static void row_add_remarks(struct row_cells *c, const struct remarks *remarks)
{
    struct out *texts = out_to_memory(), *ranks = out_to_memory();
    for (size_t i = 0; i < remarks->count; i++) {
        const char *between = i ? ROW_BETWEEN_REMARKS : "";
        out_printf(texts, "%s%s", between, remarks->at[i].text);
        out_printf(ranks, "%s%s", between,
                   remark_rank_words[remarks->at[i].rank]);
    }
    row_add_name(c, "remarks");
    out_csv(c->values, out_memory(texts));
    row_add_name(c, "remark_ranks");
    out_csv(c->values, out_memory(ranks));
    out_abandon(texts);
    out_abandon(ranks);
}

static void add_results(struct row_cells *c, struct results results)
{
    char hex[DIGEST_HEX_MAX];
    struct summary summary;
    struct out *jobs = out_to_memory(), *json = out_to_memory();
    struct digest *digest = digest_new();
    json_error_t wrong;
    job_pass(jobs, NULL, results, &summary);
    report_summary(json, results, &summary);
    summary_fini(&summary);
    struct text text = out_memory(jobs);
    digest_add(digest, text.at, text.len);
    digest_end(digest, hex);
    row_add_knowledge(c, &results.run->knowledge);
    text = out_memory(json);
    json_t *root = json_loadb(text.at, text.len, 0, &wrong);
    CHECK(root);
    add_numbers(c, root, true);
    json_decref(root);
    out_abandon(jobs);
    out_abandon(json);
    row_add_remarks(c, &results.run->remarks);
    row_add_text(c, "jobs_sha256", hex);
}

static const char *row_copy(struct arena *arena, struct text text)
{
    return arena_copy(arena, text.at, text.len);
}

/* Keeps the digests of the files that the run read, of JOURNAL_FILES_MAX at
 * most. */
static void add_files(struct row_kept *row, const struct run_result *run,
                      bool is_made)
{
    struct arena *arena = &row->arena;
    const struct journal_file **files =
        ARENA_ARRAY(arena, const struct journal_file *, JOURNAL_FILES_MAX);
    size_t n = 0;
    for (size_t i = 0; i < run->n_files && n < JOURNAL_FILES_MAX; i++) {
        const struct run_file *file = &run->files[i];
        if (!file->sha256[0] || (is_made && strcmp(file->what, "trace") == 0))
            continue;
        struct journal_file *kept = ARENA_NEW(arena, struct journal_file);
        *kept = (struct journal_file){row_copy(arena, text_from(file->path)),
                                      row_copy(arena, text_from(file->sha256))};
        files[n++] = kept;
    }
    row->record.files = files;
    row->record.n_files = n;
}

struct row_kept *row_of_run(const struct study_run *run, bool is_made)
{
    struct row_kept *row = mem_zalloc(1, sizeof *row);
    struct row_cells c = {.names = out_to_memory(), .values = out_to_memory()};
    char number[16];
    arena_init(&row->arena);
    row->record.status = status_exit(run->status);
    snprintf(number, sizeof number, "%d", row->record.status);
    row_add_text(&c, "status", number);
    row_add_text(&c, "error", run->replay ? "" : run->err->message);
    if (run->replay) {
        add_results(&c, run->replay->results);
        add_files(row, run->replay->results.run, is_made);
    }
    row->record.columns = row_copy(&row->arena, out_memory(c.names));
    row->record.cells = row_copy(&row->arena, out_memory(c.values));
    out_abandon(c.names);
    out_abandon(c.values);
    return row;
}

void row_kept_free(struct row_kept *row)
{
    if (!row)
        return;
    arena_fini(&row->arena);
    free(row);
}

size_t row_split(const char *line, struct arena *arena, const char ***cells)
{
    size_t n = 0, room = 2;
    for (const char *c = line; *c; c++)
        room += *c == ',';
    *cells = ARENA_ARRAY(arena, const char *, room);
    char *to = arena_alloc(arena, strlen(line) + 2);
    for (const char *at = line;; at++) {
        const bool quoted = *at == '"';
        (*cells)[n++] = to;
        at += quoted;
        while (*at && (quoted ? *at != '"' || at[1] == '"' : *at != ',')) {
            at += quoted && *at == '"';
            *to++ = *at++;
        }
        *to++ = '\0';
        at += quoted && *at == '"';
        if (*at != ',')
            return n;
    }
}
