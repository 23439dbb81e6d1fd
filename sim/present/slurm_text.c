/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what squeue and sinfo print as text, where Slurm has no JSON: columns
 * that are separated by '|', under a first line that names them. Makes of it
 * the object that their JSON would be. */
#include <stdio.h>
#include <string.h>

#include "schedmate/watch/watch_internal.h"
#include "sim/present/slurm_internal.h"
#include "traces/formats/slurm_internal.h"

const char *const slurm_text_jobs[] = {
    "squeue", "--all", "-O",
    "JobID:20|,ArrayJobID:20|,ArrayTaskID:2000|,HetJobID:20|,HetJobOffset:20|,"
    "State:30|,Reason:250|,Partition:250|,UserName:100|,QOS:100|,"
    "Reservation:200|,SubmitTime:30|,EligibleTime:30|,StartTime:30|,"
    "TimeLimit:30|,PriorityLong:20|,NodeList:2000|,NumNodes:20|,NumTasks:20|,"
    "tres-alloc:300|,tres-per-job:200|,tres-per-node:200|,tres-per-socket:200|,"
    "tres-per-task:200|,Dependency:2000|,Name:1000",
    NULL};
const char *const slurm_text_nodes[] = {"sinfo", "--all",          "-N",
                                        "-o",    "%N|%P|%T|%G|%E", NULL};

enum text_kind { TEXT_WORD, TEXT_NUMBER, TEXT_TIME, TEXT_LIMIT, TEXT_TASKS };

struct text_column {
    const char *head, *key;
    enum text_kind kind;
    bool required;
};

#define COLUMN(head_, key_, kind_, required_) \
    { \
        .head = head_, .key = key_, .kind = kind_, .required = required_ \
    }

static const struct text_column job_columns[] = {
    COLUMN("JOBID", "job_id", TEXT_NUMBER, true),
    COLUMN("ARRAY_JOB_ID", "array_job_id", TEXT_NUMBER, true),
    COLUMN("ARRAY_TASK_ID", "array_task_id", TEXT_TASKS, true),
    COLUMN("HET_JOB_ID", "het_job_id", TEXT_NUMBER, false),
    COLUMN("HET_JOB_OFFSET", "het_job_offset", TEXT_NUMBER, false),
    COLUMN("STATE", "job_state", TEXT_WORD, true),
    COLUMN("REASON", "state_reason", TEXT_WORD, true),
    COLUMN("PARTITION", "partition", TEXT_WORD, true),
    COLUMN("USER", "user_name", TEXT_WORD, true),
    COLUMN("QOS", "qos", TEXT_WORD, false),
    COLUMN("RESERVATION", "resv_name", TEXT_WORD, true),
    COLUMN("SUBMIT_TIME", "submit_time", TEXT_TIME, true),
    COLUMN("ELIGIBLE_TIME", "eligible_time", TEXT_TIME, false),
    COLUMN("START_TIME", "start_time", TEXT_TIME, true),
    COLUMN("TIME_LIMIT", "time_limit", TEXT_LIMIT, true),
    COLUMN("PRIORITY", "priority", TEXT_NUMBER, true),
    COLUMN("NODELIST", "nodes", TEXT_WORD, true),
    COLUMN("NODES", "node_count", TEXT_NUMBER, true),
    COLUMN("TASKS", "tasks", TEXT_NUMBER, false),
    COLUMN("TRES_ALLOC", "tres_alloc_str", TEXT_WORD, false),
    COLUMN("TRES_PER_JOB", "tres_per_job", TEXT_WORD, true),
    COLUMN("TRES_PER_NODE", "tres_per_node", TEXT_WORD, true),
    COLUMN("TRES_PER_SOCKET", "tres_per_socket", TEXT_WORD, false),
    COLUMN("TRES_PER_TASK", "tres_per_task", TEXT_WORD, true),
    COLUMN("DEPENDENCY", "dependency", TEXT_WORD, true),
    COLUMN("NAME", "name", TEXT_WORD, true),
    {0}};
static const struct text_column node_columns[] = {
    COLUMN("NODELIST", "name", TEXT_WORD, true),
    COLUMN("PARTITION", "partition", TEXT_WORD, true),
    COLUMN("STATE", "state", TEXT_WORD, true),
    COLUMN("GRES", "gres", TEXT_WORD, true),
    COLUMN("REASON", "reason", TEXT_WORD, false),
    {0}};

enum { TEXT_COLUMNS_MAX = 64 };

struct text_table {
    const struct text_column *known;
    const struct text_column *at[TEXT_COLUMNS_MAX]; /* NULL: passed over */
    bool padded[TEXT_COLUMNS_MAX]; /* a cell ends with a blank, or is cut off */
    size_t n, number;              /* columns; line */
    const char *path;
    struct error *err;
};

static enum status table_refuse(const struct text_table *t, const char *what,
                                const char *name)
{
    return error_set(t->err, STATUS_BAD_INPUT, "%s:%zu: %s%s", t->path,
                     t->number, what, name);
}

static enum status table_head(struct text_table *t, struct text line)
{
    while (line.len && t->n < TEXT_COLUMNS_MAX) {
        struct text cell = text_split(line, '|', &line);
        const struct text name = text_trim(cell);
        t->padded[t->n] = name.len < cell.len;
        t->at[t->n] = NULL;
        for (const struct text_column *c = t->known; c->head; c++) {
            if (text_is(name, c->head))
                t->at[t->n] = c;
        }
        t->n++;
    }
    for (const struct text_column *c = t->known; c->head; c++) {
        size_t i = 0;
        while (i < t->n && t->at[i] != c)
            i++;
        if (i == t->n && c->required)
            return table_refuse(t,
                                "expected JSON, or columns separated by '|' "
                                "under their names (docs/when.md); there is "
                                "no column ",
                                c->head);
    }
    return STATUS_OK;
}

static bool text_is_none(struct text cell)
{
    return !cell.len || text_is(cell, "N/A") || text_is(cell, "(null)") ||
           text_is(cell, "n/a");
}

/* Stores a cell. Returns false if it is not of the kind of its column. */
static bool table_store(const struct text_column *c, struct text cell,
                        json_t *row)
{
    const bool is_number =
        cell.len && strspn(cell.at, "0123456789") >= cell.len;
    sim_time at;
    sim_span limit = 0;
    uint64_t n = 0;
    switch (c->kind) {
    case TEXT_NUMBER:
        if (!is_number || !text_to_u64(cell, &n))
            return false;
        json_put(row, c->key, json_integer((json_int_t)n));
        return true;
    case TEXT_TIME:
        if (!text_to_time(cell, &at, NULL))
            return false;
        json_put(row, c->key, json_integer(at / SPAN_SECOND));
        return true;
    case TEXT_LIMIT:
        if (!slurm_limit_read(cell, &limit))
            return false;
        if (limit)
            json_put(row, c->key, json_integer(limit / (60 * SPAN_SECOND)));
        return true;
    case TEXT_TASKS:
        if (is_number && text_to_u64(cell, &n))
            json_put(row, c->key, json_integer((json_int_t)n));
        else
            json_put(row, "array_task_string", json_stringn(cell.at, cell.len));
        return true;
    case TEXT_WORD:
        break;
    }
    json_put(row, c->key, json_stringn(cell.at, cell.len));
    return true;
}

static enum status table_row(const struct text_table *t, struct text line,
                             json_t *row)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct text_column *c = t->at[i];
        const bool last = i + 1 == t->n;
        struct text cell = line;
        if (!last && (!line.len || !memchr(line.at, '|', line.len)))
            return table_refuse(t, "the line is cut off before column ",
                                t->at[i + 1] ? t->at[i + 1]->head : "");
        if (!last)
            cell = text_split(line, '|', &line);
        const struct text value = text_trim(cell);
        if (!c || text_is_none(value))
            continue;
        if (t->padded[i] && value.len && !last &&
            value.at + value.len == cell.at + cell.len)
            return table_refuse(
                t, "a value is cut off, so make it wider: ", c->head);
        if (!table_store(c, value, row))
            return table_refuse(t, "a value is not understood in column ",
                                c->head);
    }
    return STATUS_OK;
}

/* Makes the row of a node one of `sinfo --json`. */
static void table_node(json_t *row)
{
    struct text state = slurm_word(row, "state");
    json_t *partitions = json_array(), *flags = json_array();
    struct text partition = slurm_word(row, "partition");
    size_t n = 0;
    while (n < state.len && strchr("abcdefghijklmnopqrstuvwxyz_", state.at[n]))
        n++;
    if (n < state.len && state.at[n] == '*')
        json_array_append_new(flags, json_text("NOT_RESPONDING"));
    if (partition.len && partition.at[partition.len - 1] == '*')
        partition.len--;
    json_array_append_new(partitions,
                          json_stringn(partition.at, partition.len));
    json_put(row, "partitions", partitions);
    json_put(row, "state_flags", flags);
    json_put(row, "state", json_stringn(state.at, n));
    if (!json_object_get(row, "gres"))
        json_put(row, "gres", json_text(""));
}

enum status slurm_text_read(struct text text, bool nodes, const char *path,
                            json_t **out, struct error *err)
{
    struct text_table t = {
        .known = nodes ? node_columns : job_columns, .path = path, .err = err};
    json_t *list = json_array();
    enum status st = STATUS_OK;
    if (text.len && text.at[text.len - 1] != '\n') {
        json_decref(list);
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: the last line is cut off, or this is no output "
                         "of %s",
                         path, nodes ? "sinfo" : "squeue");
    }
    while (st == STATUS_OK && text.len) {
        struct text line = text_split(text, '\n', &text);
        t.number++;
        if (t.number == 1) {
            st = table_head(&t, line);
            continue;
        }
        json_t *row = json_object();
        st = table_row(&t, line, row);
        if (st == STATUS_OK && nodes)
            table_node(row);
        json_array_append_new(list, row);
    }
    if (st == STATUS_OK && t.number == 0)
        st = error_set(err, STATUS_BAD_INPUT, "%s: is empty", path);
    *out = st == STATUS_OK ? json_object() : NULL;
    if (*out)
        json_object_set(*out, nodes ? "nodes" : "jobs", list);
    json_decref(list);
    return st;
}
