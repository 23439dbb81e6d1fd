/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `trace convert`: reads a trace of any format and writes it in another. */
#include <inttypes.h>
#include <stdio.h>

#include "base/out.h"
#include "commands/cmd_trace_internal.h"
#include "traces/registry.h"

struct convert {
    struct cli_call call;
    const char *in, *out_path, *from, *to;
    bool lossy;
};

/* Copies all rows but those that end before they start, which no reader of a
 * trace could use, and says how many these are. */
static enum status copy_rows(const struct convert *self,
                             struct trace_reader *reader,
                             const struct trace_ops *ops, struct out *out,
                             struct error *err)
{
    struct trace_row row;
    enum status st;
    uint64_t i = 0, n_negative = 0, first = 0;
    while ((st = trace_next(reader, &row, err)) == STATUS_OK) {
        if (row.duration != TRACE_NO_TIME && row.duration < 0) {
            first = n_negative++ ? first : row.line;
            continue;
        }
        const char *lost = self->lossy ? NULL : trace_cannot_hold(ops, &row);
        if (lost)
            return error_set(
                err, STATUS_BAD_INPUT,
                "%s:%" PRIu64
                ": format %s cannot hold %s; --lossy leaves it out",
                self->in, row.line, ops->name, lost);
        ops->write_row(out, &row, i++);
    }
    if (n_negative)
        fprintf(stderr,
                "note: %s: %" PRIu64 " row%s left out: ended before %s started "
                "(line %" PRIu64 "%s)\n",
                self->in, n_negative, n_negative > 1 ? "s" : "",
                n_negative > 1 ? "they" : "it", first,
                n_negative > 1 ? " is the first" : "");
    return st == STATUS_END ? STATUS_OK : st;
}

static enum status run(void *input, struct error *err)
{
    const struct convert *self = input;
    const struct trace_ops *ops;
    struct trace_reader *reader = NULL;
    struct out *out = NULL;
    enum status st = trace_find_target(self->to, &ops, err);
    if (st == STATUS_OK)
        st = trace_open(self->in, self->from, &reader, err);
    if (st == STATUS_OK)
        st = out_open(self->out_path, &out, err);
    if (st != STATUS_OK)
        goto out;
    if (ops->wide && trace_rare_facts(reader))
        ops = ops->wide;
    trace_write_head(ops, out);
    st = copy_rows(self, reader, ops, out, err);
    if (st != STATUS_OK)
        goto out;
    if (ops->tail)
        out_text(out, ops->tail);
    st = out_close(out, err);
    out = NULL;
out:
    out_abandon(out);
    trace_close(reader);
    return st;
}

static const struct arg args[] = {
    TAKE_WORD(struct convert, in, "TRACE", "trace"),
    TAKE_WORD(struct convert, out_path, "FILE", "file to write"),
    TAKE_TEXT(struct convert, to, "as", "FORMAT", "format to write",
              .initial = "native"),
    TAKE_TEXT(struct convert, from, "format", "SPEC",
              "format of TRACE; default: recognised by content", .letter = 'f'),
    TAKE_FLAG(struct convert, lossy, "lossy",
              "leave out values that the new format cannot hold",
              .letter = 'l'),
    {0},
};

const struct command trace_command_convert = {
    .name = "convert",
    .summary = "write a trace in another format",
    .about =
        "Writes a trace in another format. '-' is standard input or output.",
    .parts = {{.rows = args}},
    .input_size = sizeof(struct convert),
    .run = run,
    .examples = "trace convert jobs.csv jobs.swf --as swf --lossy",
};
