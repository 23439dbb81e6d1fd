/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `history list`: prints what the history holds, the newest first. */
#include <inttypes.h>
#include <stdio.h>

#include "base/json_out.h"
#include "base/out.h"
#include "commands/cmd_history_internal.h"
#include "commands/table.h"

struct list_input {
    struct cli_call call;
    const char *history;
    struct jobdb_filter filter;
    bool json;

    /* the list as a table for people, or as JSON lines */
    struct table table;
    struct out *out;
    struct arena scratch;
};

static void put_text(struct list_input *input, json_t *row, const char *key,
                     struct text value)
{
    if (value.len)
        json_put(row, key,
                 json_text(arena_copy(&input->scratch, value.at, value.len)));
}

static bool write_json(void *self, const struct jobdb_job *job)
{
    struct list_input *input = self;
    json_t *row = json_object();
    json_put(row, "id", json_integer(job->id));
    put_text(input, row, "source", job->source);
    put_text(input, row, "source_id", job->source_id);
    put_text(input, row, "user", job->user);
    put_text(input, row, "workdir", job->workdir);
    put_text(input, row, "command", job->command);
    put_text(input, row, "branch", job->branch);
    put_text(input, row, "name", job->name);
    put_text(input, row, "vc", job->vc);
    put_text(input, row, "gpu_type", job->gpu_type);
    put_text(input, row, "metadata", job->metadata);
    put_text(input, row, "end", job->end);
    put_text(input, row, "state", job->state);
    put_text(input, row, "exit_code", job->exit_code);
    put_text(input, row, "hosts", job->hosts);
    put_text(input, row, "failure", job->failure);
    if (job->submitted != JOBDB_NO_TIME)
        json_put(row, "submitted_unix_s",
                 json_number(span_seconds(job->submitted)));
    json_put(row, "duration_s", json_number(span_seconds(job->duration)));
    json_put(row, "gpus", json_integer(job->gpus));
    if (job->gpu_util >= 0)
        json_put(row, "gpu_util", json_number(job->gpu_util));
    if (job->mem_mib >= 0)
        json_put(row, "mem_mib", json_number(job->mem_mib));
    char *line = json_dumps(row, JSON_COMPACT);
    out_text(input->out, line ? line : "{}");
    out_char(input->out, '\n');
    free(line);
    json_decref(row);
    arena_reset(&input->scratch);
    return true;
}

static bool add_row(void *self, const struct jobdb_job *job)
{
    struct list_input *input = self;
    struct table *t = &input->table;
    char when[TIME_TEXT_MAX] = "-", span[TABLE_SPAN_MAX];
    struct text what = job->metadata.len  ? job->metadata
                       : job->command.len ? job->command
                                          : job->name;
    if (job->submitted != JOBDB_NO_TIME)
        time_to_text(job->submitted, when);
    table_add(t, "%" PRId64, job->id);
    table_add(t, "%s", when);
    table_add(t, "%.*s", TEXT_ARGS(job->user));
    table_add(t, "%" PRIu32, job->gpus);
    table_add(t, "%s", table_span(span_seconds(job->duration), span));
    table_add(t, "%.*s", TEXT_ARGS(job->state.len ? job->state : job->end));
    table_add(t, "%.*s", TEXT_ARGS(what));
    return true;
}

static enum status print_json(struct list_input *input, struct jobdb *jobdb,
                              struct error *err)
{
    enum status st = out_open("-", &input->out, err);
    if (st != STATUS_OK)
        return st;
    arena_init(&input->scratch);
    st = jobdb_each(jobdb, &input->filter, write_json, input, err);
    arena_fini(&input->scratch);
    if (st == STATUS_OK)
        return out_close(input->out, err);
    out_abandon(input->out);
    return st;
}

static enum status print_table(struct list_input *input, struct jobdb *jobdb,
                               struct error *err)
{
    static const char *const head[] = {
        "id", "submitted (UTC)", "user", "GPUs", "ran", "end", "what"};
    enum { COLUMNS = sizeof head / sizeof *head };
    uint64_t jobs;
    table_init(&input->table, COLUMNS, 0x66);
    for (size_t i = 0; i < COLUMNS; i++)
        table_add(&input->table, "%s", head[i]);
    enum status st = jobdb_each(jobdb, &input->filter, add_row, input, err);
    if (st == STATUS_OK)
        st = jobdb_count(jobdb, &jobs, err);
    if (st == STATUS_OK) {
        table_print(&input->table, stdout);
        printf("\n%" PRIu64 " jobs in the history\n", jobs);
    }
    table_fini(&input->table);
    return st;
}

static enum status run(void *self, struct error *err)
{
    struct list_input *input = self;
    struct jobdb *jobdb = NULL;
    enum status st = history_open(input->history, false, &jobdb, err);
    if (st == STATUS_OK)
        st = (input->json ? print_json : print_table)(input, jobdb, err);
    jobdb_close(jobdb);
    return st;
}

static const struct arg args[] = {
    TAKE_TEXT(struct list_input, history, "history", "FILE", HISTORY_HELP),
    TAKE_VIEW(struct list_input, filter.user, "user", "NAME",
              "this user's jobs only"),
    TAKE_U64(struct list_input, filter.limit, "limit", "N",
             "at most N jobs, 0: all", .initial = "20"),
    TAKE_FLAG(struct list_input, json, "json",
              "print JSON, one object per line"),
    {0},
};

const struct command history_command_list = {
    .name = "list",
    .summary = "print the jobs of the history, the newest first",
    .about = "Prints what the job history holds, the newest first.",
    .parts = {{.rows = args}},
    .input_size = sizeof(struct list_input),
    .run = run,
    .examples = "history list --user ann --limit 5",
};
