/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives results as columns, as a summary, and as a directory. The tables are
 * written as in their files, and parsed when a column is first asked for, so
 * that columns and files can never differ. */
#include <csv.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/json.h"
#include "commands/cmd_run.h"
#include "lib/handle_internal.h"
#include "sim/results/report.h"

static const char *const table_names[TABLES] = {
    [TABLE_JOBS] = "jobs",
    [TABLE_ATTEMPTS] = "attempts",
    [TABLE_SERIES] = "series",
};

/* The columns with words and identifiers; all others are numbers. */
static const char *const words[] = {
    "job_id",
    "workload_name",
    "profile",
    "final_state",
    "allocated_resources",
    "metadata",
    "user",
    "vc",
    "gpu_type",
    "name",
    "state",
    "outcome",
    "reason",
    "priority",
    "how",
    "nodes",
    NULL,
};

static bool is_words(const char *name)
{
    for (size_t i = 0; words[i]; i++) {
        if (strcmp(words[i], name) == 0)
            return true;
    }
    return false;
}

void tables_write(struct schedsim *s)
{
    s->tables[TABLE_JOBS].text = out_to_memory();
    s->tables[TABLE_ATTEMPTS].text = out_to_memory();
    job_pass(s->tables[TABLE_JOBS].text, s->tables[TABLE_ATTEMPTS].text,
             s->replay.results, &s->summary);
    s->has_summary = true;
}

void tables_free(struct schedsim *s)
{
    for (size_t t = 0; t < TABLES; t++)
        out_abandon(s->tables[t].text);
    out_abandon(s->summary_text);
    json_decref(s->summary_json);
}

/* Returns the description of the n-th column of a table, from 0; NULL after the
 * last column. */
static const struct column *described(const struct schedsim *s, size_t table,
                                      size_t n)
{
    const struct column *columns = table == TABLE_JOBS
                                       ? job_columns_of(s->replay.results.run)
                                   : table == TABLE_ATTEMPTS ? attempt_columns
                                                             : series_columns;
    return columns[n].name ? &columns[n] : NULL;
}

/* The state of parsing a table. */
struct parse {
    struct arena *arena;
    struct lib_table *table;
    size_t rows, column;
    bool is_header;
    /* by column: the last text, kept because texts often repeat */
    const char **last;
};

static void take_cell(void *at, size_t len, void *self)
{
    struct parse *p = self;
    size_t column = p->column++;
    if (p->is_header)
        return;
    CHECK(column < p->table->n_columns);
    struct schedsim_column *c = &p->table->columns[column];
    struct text cell = {at, len};
    if (c->texts) {
        const char **last = &p->last[column];
        if (!*last || !text_is(cell, *last))
            *last = arena_copy(p->arena, at ? at : "", len);
        ((const char **)(uintptr_t)c->texts)[p->rows] = *last;
        return;
    }
    double value = NAN;
    CHECK(len == 0 || text_to_double(cell, &value));
    ((double *)(uintptr_t)c->numbers)[p->rows] = value;
}

static void tables_take_row(int end, void *self)
{
    struct parse *p = self;
    (void)end;
    p->rows += !p->is_header;
    p->is_header = false;
    p->column = 0;
}

static void parse_table(struct schedsim *s, size_t number)
{
    struct lib_table *table = &s->tables[number];
    struct text text = out_memory(table->text);
    size_t room = 0, n = 0;
    for (size_t i = 0; i < text.len; i++)
        room += text.at[i] == '\n';
    while (described(s, number, n))
        n++;
    table->columns = ARENA_ARRAY(&s->arena, struct schedsim_column, n);
    table->n_columns = n;
    struct parse parse = {
        .arena = &s->arena, .table = table, .is_header = true};
    parse.last = ARENA_ARRAY(&s->arena, const char *, n);
    for (size_t i = 0; i < n; i++) {
        const struct column *c = described(s, number, i);
        struct schedsim_column *to = &table->columns[i];
        *to = (struct schedsim_column){
            .name = c->name, .unit = c->unit, .help = c->help};
        if (is_words(c->name))
            to->texts = ARENA_ARRAY(&s->arena, const char *, room);
        else
            to->numbers = ARENA_ARRAY(&s->arena, double, room);
    }
    struct csv_parser parser;
    CHECK(csv_init(&parser, 0) == 0);
    CHECK(csv_parse(&parser, text.at, text.len, take_cell, tables_take_row,
                    &parse) == text.len);
    CHECK(csv_fini(&parser, take_cell, tables_take_row, &parse) == 0);
    csv_free(&parser);
    for (size_t i = 0; i < n; i++)
        table->columns[i].length = parse.rows;
}

/* Returns a parsed table; NULL: there is none of this name, or no results. */
static struct lib_table *find_table(struct schedsim *s, const char *name)
{
    for (size_t t = 0; t < TABLES && s->phase == HANDLE_ENDED; t++) {
        if (strcmp(table_names[t], name) != 0)
            continue;
        locale_t before = handle_enter();
        if (!s->tables[t].columns)
            parse_table(s, t);
        handle_leave(before);
        return &s->tables[t];
    }
    return NULL;
}

static int no_table(struct schedsim *s, const char *name)
{
    if (s->phase != HANDLE_ENDED)
        return handle_refuse(s, "there are no results: the run has not ended");
    return handle_status(error_set(&s->error, STATUS_USAGE,
                                   "no table '%.100s': there are jobs, "
                                   "attempts and series",
                                   name));
}

size_t schedsim_columns(schedsim *s, const char *table)
{
    const struct lib_table *t = find_table(s, table);
    return t ? t->n_columns : 0;
}

int schedsim_column_at(schedsim *s, const char *table, size_t place,
                       struct schedsim_column *out)
{
    const struct lib_table *t = find_table(s, table);
    if (!t)
        return no_table(s, table);
    if (place >= t->n_columns)
        return handle_refuse(s, "the table has no column of this number");
    *out = t->columns[place];
    return SCHEDSIM_DONE;
}

int schedsim_column(schedsim *s, const char *table, const char *name,
                    struct schedsim_column *out)
{
    const struct lib_table *t = find_table(s, table);
    const char *names[64];
    if (!t)
        return no_table(s, table);
    CHECK(t->n_columns <= sizeof names / sizeof *names);
    for (size_t i = 0; i < t->n_columns; i++) {
        names[i] = t->columns[i].name;
        if (strcmp(names[i], name) != 0)
            continue;
        *out = t->columns[i];
        return SCHEDSIM_DONE;
    }
    const char *near = text_nearest(text_from(name), names, t->n_columns);
    return handle_status(error_set(&s->error, STATUS_USAGE,
                                   "%s has no column '%.100s'%s", table, name,
                                   text_suggest(near).words));
}

const char *schedsim_summary(schedsim *s)
{
    if (s->phase != HANDLE_ENDED)
        return NULL;
    if (!s->summary_text) {
        locale_t before = handle_enter();
        s->summary_text = out_to_memory();
        report_summary(s->summary_text, s->replay.results, &s->summary);
        out_char(s->summary_text, '\0');
        handle_leave(before);
    }
    return out_memory(s->summary_text).at;
}

/* Finds the value at the keys of a path; NULL: there is none. */
static const json_t *value_at(const json_t *at, const char *path)
{
    while (at && *path) {
        size_t len = strcspn(path, ".");
        char key[128];
        if (len >= sizeof key)
            return NULL;
        memcpy(key, path, len);
        key[len] = '\0';
        at = json_object_get(at, key);
        path += len + (path[len] == '.');
    }
    return at;
}

int schedsim_metric(schedsim *s, const char *path, double *out)
{
    const char *text = schedsim_summary(s);
    if (!text)
        return no_table(s, "");
    locale_t before = handle_enter();
    if (!s->summary_json)
        s->summary_json = json_loads(text, 0, NULL);
    handle_leave(before);
    const json_t *value = value_at(s->summary_json, path);
    if (!json_is_number(value))
        return handle_status(error_set(&s->error, STATUS_USAGE,
                                       "the summary has no number at '%.200s'",
                                       path));
    *out = json_number_value(value);
    return SCHEDSIM_DONE;
}

const char *schedsim_remark(schedsim *s, size_t n)
{
    if (!s->replay.run)
        return NULL;
    const struct remarks *remarks = &run_result(s->replay.run)->remarks;
    return n < remarks->count ? remarks->at[n].text : NULL;
}

/* Copies a file that was written to memory during the run. */
static enum status copy_file(struct result_dir *dir, enum result_file file,
                             const struct out *from, struct error *err)
{
    struct out *to;
    enum status st = result_dir_file(dir, file, &to, err);
    if (st == STATUS_OK)
        out_bytes(to, out_memory(from).at, out_memory(from).len);
    return st;
}

static void tell_provenance(struct schedsim *s)
{
    static const char *const typed[] = {"libschedsim"};
    struct provenance *p = &s->provenance;
    *p = (struct provenance){.argc = 1, .argv = typed, .interval = s->interval};
    p->trace = s->options.config.trace;
    for (size_t i = 0; run_args[i].name; i++) {
        if (s->options.given[i])
            p->options[p->n_options++] = (struct provenance_option){
                run_args[i].name, s->options.given[i]};
        else if (s->own.name && strcmp(run_args[i].name, "policy") == 0)
            /* name the caller's policy, so that a rerun refuses the name
             * instead of running the default policy */
            p->options[p->n_options++] =
                (struct provenance_option){"policy", s->own.name};
    }
    run_model_account(s->replay.model, &p->model);
    s->replay.results.provenance = p;
}

static enum status write_dir(struct schedsim *s, const char *path)
{
    struct result_dir *dir;
    struct summary again = {0}; /* report_write needs all zeroes */
    enum status st = result_dir_open(path, &dir, &s->error);
    if (st != STATUS_OK)
        return st;
    tell_provenance(s);
    st = copy_file(dir, RESULT_SERIES, s->tables[TABLE_SERIES].text, &s->error);
    if (st == STATUS_OK && s->decisions)
        st = copy_file(dir, RESULT_DECISIONS, s->decisions, &s->error);
    if (st == STATUS_OK) {
        st = report_write(dir, s->replay.results, &again,
                          (struct report_wishes){0}, &s->error);
        summary_fini(&again);
    }
    if (st == STATUS_OK)
        return result_dir_commit(dir, &s->error);
    result_dir_abandon(dir);
    return st;
}

int schedsim_write(schedsim *s, const char *dir)
{
    if (s->phase != HANDLE_ENDED)
        return no_table(s, "");
    locale_t before = handle_enter();
    enum status st = write_dir(s, dir);
    handle_leave(before);
    return handle_status(st);
}
