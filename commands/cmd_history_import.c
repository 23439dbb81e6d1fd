/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `history import`: adds the jobs of a trace in any format that schedsim reads.
 *
 * A job is identified by its id in the trace, together with the digest of the
 * file; or, where an accounting system wrote the file, together with the name
 * of the cluster, because each dump of an accounting system repeats older
 * jobs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/out.h"
#include "commands/cmd_history_internal.h"
#include "traces/trace.h"

struct import_input {
    struct cli_call call;
    const char *history, *path, *from;
    /* numbers of jobs that were added, that the history had already, and that
     * cannot be used */
    uint64_t added, known, left_out;
    char note[TRACE_NOTE_MAX]; /* the reader's note on the trace */
};

static void put(struct out *out, const char *key, struct text value)
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
        put(out, key, (struct text){digits, u64_to_text(value, digits)});
}

/* Writes what the trace says about the work of a job, without its user and run
 * time. */
static void write_metadata(struct out *out, const struct trace_row *row)
{
    out->len = 0;
    put(out, "model_name", row->model);
    put(out, "dataset_name", row->dataset);
    put_count(out, "batch_size", row->batch_size);
    put(out, "kind", row->kind);
    put(out, "job_name", row->name);
    put_count(out, "gpus", row->gpus);
}

static struct jobdb_job job_of(const struct trace_row *row, struct text source,
                               struct text id, struct text metadata)
{
    static const char *const ends[] = {
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
        .end = text_from(ends[row->end]),
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
static enum status digest_of(const struct import_input *input, char out[65],
                             struct error *err)
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
        struct jobdb_job job = job_of(&row, source, id, out_memory(metadata));
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

static enum status run(void *self, struct error *err)
{
    struct import_input *input = self;
    struct jobdb *jobdb = NULL;
    char digest[65];
    if (strcmp(input->path, "-") == 0)
        return error_set(err, STATUS_USAGE,
                         "history import: expected a file; standard input can "
                         "be read only once");
    enum status st = digest_of(input, digest, err);
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

static const struct arg args[] = {
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
    .parts = {{.rows = args}},
    .input_size = sizeof(struct import_input),
    .run = run,
    .examples = "history import traces/samples/lucid.csv\n"
                "history import sacct.txt --format slurm:utc_offset_h=8",
};
