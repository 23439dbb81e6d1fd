/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `history`: the ended jobs that SchedMate compares new jobs with. Adds,
 * imports and lists them. */

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/out.h"
#include "commands/commands_internal.h"
#include "commands/terminal.h"
#include "schedmate/live/site.h"
#include "traces/trace.h"

/* `history add`: adds one job that has ended. */

struct add_input {
    struct cli_call call;
    const char *history;
    unsigned end; /* index into `ends` */
    struct jobdb_job job;
};

static const char *const history_ends[] = {"completed", "failed", "cancelled",
                                           "unknown", NULL};

static enum status history_add_run(void *self, struct error *err)
{
    struct add_input *input = self;
    struct jobdb_job *job = &input->job;
    struct jobdb *jobdb = NULL;
    char path[PATH_MAX];
    if (!job->source.len != !job->source_id.len)
        return error_set(
            err, STATUS_USAGE,
            "mate history add: --set source and --set id belong together");
    job->end = text_from(history_ends[input->end]);
    /* Store the absolute path, because `advise` searches for absolute paths. */
    if (job->workdir.len && realpath(job->workdir.at, path))
        job->workdir = text_from(path);
    enum status st = history_open(input->history, true, &jobdb, err);
    if (st == STATUS_OK)
        st = jobdb_add(jobdb, job, NULL, err);
    jobdb_close(jobdb);
    return st;
}

static const struct arg add_args[] = {
    TAKE_TEXT(struct add_input, history, "history", "FILE", HISTORY_HELP),
    TAKE_KEYS("set", "what is known of the job, such as duration=90min,name=a"),
    TAKE_SPAN(struct add_input, job.duration, "duration", "SECONDS",
              "running time", .hi = INFINITY, .is_required = true, .of = "set"),
    TAKE_VIEW(struct add_input, job.user, "user", "NAME",
              "user who submitted the job"),
    TAKE_VIEW(struct add_input, job.workdir, "workdir", "DIR",
              "working directory"),
    TAKE_VIEW(struct add_input, job.command, "command", "TEXT",
              "launch command"),
    TAKE_VIEW(struct add_input, job.branch, "branch", "NAME", "git branch"),
    TAKE_VIEW(struct add_input, job.name, "name", "TEXT", "name of the job",
              .of = "set"),
    TAKE_VIEW(struct add_input, job.vc, "vc", "NAME", "virtual cluster"),
    TAKE_VIEW(struct add_input, job.metadata, "metadata", "TEXT",
              "what the job trains, as 'key=value ...' (advise prints it)",
              .of = "set"),
    TAKE_TIME(
        struct add_input, job.submitted, "submitted", "TIME",
        "when the job was submitted: a date in UTC, or seconds since 1970",
        .of = "set"),
    TAKE_CHOICE(struct add_input, end, "end", "HOW", history_ends,
                "completed (default), failed, cancelled or unknown",
                .of = "set"),
    TAKE_VIEW(struct add_input, job.state, "state", "STATE",
              "the scheduler's word for the end, such as TIMEOUT"),
    TAKE_VIEW(struct add_input, job.exit_code, "exit-code", "CODE",
              "exit status and signal"),
    TAKE_VIEW(struct add_input, job.hosts, "hosts", "NAMES",
              "nodes that the job ran on", .of = "set"),
    TAKE_VIEW(struct add_input, job.failure, "failure", "TEXT",
              "why it failed, as 'diagnose' judged", .of = "set"),
    TAKE_U32(struct add_input, job.gpus, "gpus", "N",
             "GPUs that the job ran on"),
    TAKE_VIEW(struct add_input, job.gpu_type, "gpu-type", "NAME",
              "type of the GPUs", .of = "set"),
    TAKE_DOUBLE(struct add_input, job.gpu_util, "gpu-util", "PERCENT",
                "mean utilisation of a GPU", .hi = 100, .of = "set"),
    TAKE_DOUBLE(struct add_input, job.mem_mib, "mem-mib", "MIB",
                "memory used on a GPU", .hi = INFINITY, .of = "set"),
    TAKE_VIEW(struct add_input, job.source, "source", "TEXT",
              "system that gave the job its --set id, e.g. slurm; a job is "
              "added once",
              .of = "set"),
    TAKE_VIEW(struct add_input, job.source_id, "id", "TEXT",
              "id of the job in that system", .of = "set"),
    {0},
};

static const struct add_input history_defaults = {
    .job = {.gpu_util = -1, .mem_mib = -1}};

const struct command history_command_add = {
    .name = "add",
    .summary = "add one job that has ended",
    .about = "Adds one job that has ended.",
    .parts = {{.rows = add_args}},
    .input_size = sizeof(struct add_input),
    .defaults = &history_defaults,
    .run = history_add_run,
    .examples =
        "mate history add --set duration=5400 --user ann --command \"python "
        "train.py\" --gpus 4",
};

/* `history import`: adds the jobs of a trace in any format that schedsim reads.
 *
 * A job is identified by its id in the trace, together with the digest of the
 * file; or, where an accounting system wrote the file, together with the name
 * of the cluster, because each dump of an accounting system repeats older
 * jobs. */

struct import_input {
    struct cli_call call;
    const char *history, *path, *from;
    /* numbers of jobs that were added, that the history had already, and that
     * cannot be used */
    uint64_t added, known, left_out;
    char note[TRACE_NOTE_MAX]; /* the reader's note on the trace */
};

static void history_put(struct out *out, const char *key, struct text value)
{
    if (!value.len)
        return;
    if (out_memory(out).len)
        out_char(out, ' ');
    out_text(out, key);
    out_char(out, '=');
    /* Replace blanks, so that each value is one word. */
    for (size_t i = 0; i < value.len; i++)
        out_char(out, (unsigned char)value.at[i] <= ' ' ? '_' : value.at[i]);
}

static void put_count(struct out *out, const char *key, uint32_t value)
{
    char digits[U64_TEXT_MAX];
    if (value)
        history_put(out, key,
                    (struct text){digits, u64_to_text(value, digits)});
}

/* Writes what the trace says about the work of a job, without its user and run
 * time. */
static void write_metadata(struct out *out, const struct trace_row *row)
{
    out->len = 0;
    history_put(out, "model_name", row->model);
    history_put(out, "dataset_name", row->dataset);
    put_count(out, "batch_size", row->batch_size);
    history_put(out, "kind", row->kind);
    history_put(out, "job_name", row->name);
    put_count(out, "gpus", row->gpus);
}

static struct jobdb_job history_job_of(const struct trace_row *row,
                                       struct text source, struct text id,
                                       struct text metadata)
{
    static const char *const words[] = {
        [TRACE_END_COMPLETED] = "completed",
        [TRACE_END_FAILED] = "failed",
        [TRACE_END_CANCELLED] = "cancelled",
        [TRACE_END_UNKNOWN] = "unknown",
    };
    struct jobdb_job job = {
        .source = source,
        .source_id = id,
        .user = row->user,
        .name = row->name,
        .vc = row->vc,
        .gpu_type = row->gpu_type,
        .metadata = metadata,
        .end = text_from(words[row->end]),
        .submitted = row->submitted,
        .duration = row->duration,
        .gpus = row->gpus,
        .gpu_util = row->gpu_util,
        .mem_mib = row->gpu_mem_mib,
    };
    if (row->record) {
        job.workdir = row->record->workdir;
        job.command = row->record->command;
        job.state = row->record->state;
        job.exit_code = row->record->exit_code;
        job.hosts = row->record->hosts;
    }
    return job;
}

/* Writes to `buf` and returns the name of the accounting system that gave the
 * job its id: "slurm", or "slurm:CLUSTER". */
static struct text system_of(const struct trace_row *row, char *buf,
                             size_t room)
{
    struct text cluster = row->record->cluster;
    int n = snprintf(buf, room, "slurm%s%.*s", cluster.len ? ":" : "",
                     TEXT_ARGS(cluster));
    return (struct text){buf, (size_t)n < room ? (size_t)n : room - 1};
}

/* Computes the digest that identifies the trace. The digest is known only at
 * the end of the trace, so this first pass only reads. */
static enum status history_digest_of(const struct import_input *input,
                                     char out[65], struct error *err)
{
    struct trace_reader *reader = NULL;
    struct trace_row row;
    enum status st = trace_open(input->path, input->from, &reader, err);
    if (st != STATUS_OK)
        return st;
    while ((st = trace_next(reader, &row, err)) == STATUS_OK)
        ;
    if (st == STATUS_END)
        snprintf(out, 65, "%s", trace_digest(reader));
    trace_close(reader);
    return st == STATUS_END ? STATUS_OK : st;
}

static enum status import(struct import_input *input, struct jobdb *jobdb,
                          const char *digest, struct error *err)
{
    struct trace_reader *reader = NULL;
    struct trace_row row;
    enum status st = trace_open(input->path, input->from, &reader, err);
    if (st != STATUS_OK)
        return st;
    struct out *metadata = out_to_memory();
    for (uint64_t i = 1; (st = trace_next(reader, &row, err)) == STATUS_OK;
         i++) {
        char number[U64_TEXT_MAX];
        struct text id = row.source_id;
        bool added;
        /* an unknown duration is negative */
        if (row.gpus == 0 || row.duration < 0) {
            input->left_out++;
            continue;
        }
        if (!id.len)
            id = (struct text){number, u64_to_text(i, number)};
        write_metadata(metadata, &row);
        char system[256];
        struct text source = row.record ? system_of(&row, system, sizeof system)
                                        : text_from(digest);
        struct jobdb_job job =
            history_job_of(&row, source, id, out_memory(metadata));
        st = jobdb_add(jobdb, &job, &added, err);
        if (st != STATUS_OK)
            break;
        input->added += added;
        input->known += !added;
    }
    out_abandon(metadata);
    trace_note(reader, input->note);
    trace_close(reader);
    return st == STATUS_END ? STATUS_OK : st;
}

static enum status import_run(void *self, struct error *err)
{
    struct import_input *input = self;
    struct jobdb *jobdb = NULL;
    char digest[65];
    if (strcmp(input->path, "-") == 0)
        return error_set(
            err, STATUS_USAGE,
            "mate history import: expected a file; standard input can "
            "be read only once");
    enum status st = history_digest_of(input, digest, err);
    if (st == STATUS_OK)
        st = history_open(input->history, true, &jobdb, err);
    if (st == STATUS_OK)
        st = jobdb_begin(jobdb, err);
    if (st == STATUS_OK)
        st = import(input, jobdb, digest, err);
    if (st == STATUS_OK)
        st = jobdb_commit(jobdb, err);
    if (st == STATUS_OK)
        printf("%" PRIu64 " jobs added, %" PRIu64 " known already, %" PRIu64
               " left out (no GPU or no run time)\n",
               input->added, input->known, input->left_out);
    if (st == STATUS_OK && input->note[0])
        printf("%s\n", input->note);
    jobdb_close(jobdb);
    return st;
}

static const struct arg import_args[] = {
    TAKE_WORD(struct import_input, path, "TRACE", "trace"),
    TAKE_TEXT(struct import_input, history, "history", "FILE", HISTORY_HELP),
    TAKE_TEXT(struct import_input, from, "format", "SPEC",
              "format of TRACE; default: recognised by content", .letter = 'f'),
    {0},
};

const struct command history_command_import = {
    .name = "import",
    .summary = "add the jobs of a trace",
    .about =
        "Adds the GPU jobs of a trace. A trace that was imported before "
        "adds nothing. From Slurm, 'sacct -a -P -o ALL > FILE' or 'sacct "
        "-a --json > FILE' makes a file; a job is known by its cluster and "
        "id, so a later dump adds the new jobs only, and what was unknown "
        "of the others.",
    .parts = {{.rows = import_args}},
    .input_size = sizeof(struct import_input),
    .run = import_run,
    .examples = "mate history import traces/samples/lucid.csv\n"
                "mate history import sacct.txt --format slurm:utc_offset_h=8",
};

static const struct command *const history_subcommands[] = {
    &history_command_add,
    &history_command_import,
    &history_command_list,
    NULL,
};

enum status history_open(const char *path, bool create, struct jobdb **out,
                         struct error *err)
{
    char buf[PATH_MAX];
    if (!path || !*path)
        path = getenv("SCHEDSIM_HISTORY");
    if (path && *path)
        return jobdb_open(path, create, out, err);
    enum status st = home_path(HOME_DATA, "history.db",
                               " to keep a job history in; name one with "
                               "--history FILE",
                               buf, err);
    if (st == STATUS_OK && create)
        st = home_make_folders(buf, err);
    return st == STATUS_OK ? jobdb_open(buf, create, out, err) : st;
}

const struct command command_history = {
    .name = "history",
    .summary = "the ended jobs that new ones are compared with: add, import, "
               "list",
    .members = history_subcommands,
};

/* `history list`: prints what the history holds, the newest first. */

struct history_list_input {
    struct cli_call call;
    const char *history;
    struct jobdb_filter filter;
    bool json;

    /* the list as a table for people, or as JSON lines */
    struct table table;
    struct out *out;
    struct arena scratch;
};

static void history_put_text(struct history_list_input *input, json_t *row,
                             const char *key, struct text value)
{
    if (value.len)
        json_put(row, key,
                 json_text(arena_copy(&input->scratch, value.at, value.len)));
}

static bool history_write_json(void *self, const struct jobdb_job *job)
{
    struct history_list_input *input = self;
    json_t *row = json_object();
    json_put(row, "id", json_integer(job->id));
    history_put_text(input, row, "source", job->source);
    history_put_text(input, row, "source_id", job->source_id);
    history_put_text(input, row, "user", job->user);
    history_put_text(input, row, "workdir", job->workdir);
    history_put_text(input, row, "command", job->command);
    history_put_text(input, row, "branch", job->branch);
    history_put_text(input, row, "name", job->name);
    history_put_text(input, row, "vc", job->vc);
    history_put_text(input, row, "gpu_type", job->gpu_type);
    history_put_text(input, row, "metadata", job->metadata);
    history_put_text(input, row, "end", job->end);
    history_put_text(input, row, "state", job->state);
    history_put_text(input, row, "exit_code", job->exit_code);
    history_put_text(input, row, "hosts", job->hosts);
    history_put_text(input, row, "failure", job->failure);
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

static bool history_add_row(void *self, const struct jobdb_job *job)
{
    struct history_list_input *input = self;
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

static enum status history_print_json(struct history_list_input *input,
                                      struct jobdb *jobdb, struct error *err)
{
    enum status st = out_open("-", &input->out, err);
    if (st != STATUS_OK)
        return st;
    arena_init(&input->scratch);
    st = jobdb_each(jobdb, &input->filter, history_write_json, input, err);
    arena_fini(&input->scratch);
    if (st == STATUS_OK)
        return out_close(input->out, err);
    out_abandon(input->out);
    return st;
}

static enum status history_print_table(struct history_list_input *input,
                                       struct jobdb *jobdb, struct error *err)
{
    static const char *const head[] = {
        "id", "submitted (UTC)", "user", "GPUs", "ran", "end", "what"};
    enum { COLUMNS = sizeof head / sizeof *head };
    uint64_t jobs;
    table_init(&input->table, COLUMNS, 0x66);
    for (size_t i = 0; i < COLUMNS; i++)
        table_add(&input->table, "%s", head[i]);
    enum status st =
        jobdb_each(jobdb, &input->filter, history_add_row, input, err);
    if (st == STATUS_OK)
        st = jobdb_count(jobdb, &jobs, err);
    if (st == STATUS_OK) {
        table_print(&input->table, stdout);
        printf("\n%" PRIu64 " jobs in the history\n", jobs);
    }
    table_fini(&input->table);
    return st;
}

static enum status history_list_run(void *self, struct error *err)
{
    struct history_list_input *input = self;
    struct jobdb *jobdb = NULL;
    enum status st = history_open(input->history, false, &jobdb, err);
    if (st == STATUS_OK)
        st = (input->json ? history_print_json
                          : history_print_table)(input, jobdb, err);
    jobdb_close(jobdb);
    return st;
}

static const struct arg history_list_args[] = {
    TAKE_TEXT(struct history_list_input, history, "history", "FILE",
              HISTORY_HELP),
    TAKE_VIEW(struct history_list_input, filter.user, "user", "NAME",
              "this user's jobs only"),
    TAKE_U64(struct history_list_input, filter.limit, "limit", "N",
             "at most N jobs, 0: all", .initial = "20"),
    TAKE_FLAG(struct history_list_input, json, "json",
              "print JSON, one object per line", .letter = 'j'),
    {0},
};

const struct command history_command_list = {
    .name = "list",
    .summary = "print the jobs of the history, the newest first",
    .about = "Prints what the job history holds, the newest first.",
    .parts = {{.rows = history_list_args}},
    .input_size = sizeof(struct history_list_input),
    .run = history_list_run,
    .examples = "mate history list --user ann --limit 5",
};
