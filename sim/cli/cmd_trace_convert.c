/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `trace convert`: reads a trace of any format and writes it in another. */
#include <inttypes.h>

#include "sim/base/out.h"
#include "sim/cli/cmd_trace.h"
#include "traces/registry.h"

struct convert {
    struct cli_input cli;
    const char *in, *out_path, *from, *to;
    bool lossy;
};

enum { KEY_AS = 1 };

static const struct argp_option options[] = {
    {"as", KEY_AS, "FORMAT", 0, "format to write; default native", 0},
    {"format", 'f', "SPEC", 0,
     "format of TRACE; default: recognised by content", 0},
    {"lossy", 'l', NULL, 0, "leave out values that the new format cannot hold",
     0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct convert *self = state->input;
    if (key == KEY_AS)
        self->to = arg;
    else if (key == 'f')
        self->from = arg;
    else if (key == 'l')
        self->lossy = true;
    else if (key == ARGP_KEY_ARG && !self->in)
        self->in = arg;
    else if (key == ARGP_KEY_ARG && !self->out_path)
        self->out_path = arg;
    else if (key == ARGP_KEY_END && !self->out_path)
        return cli_fail(state, "trace convert: needs a trace and a file to "
                               "write ('-' for standard output)");
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static enum status find_target(const char *name, const struct trace_ops **out,
                               struct error *err)
{
    const char *names[64];
    size_t n = 0;
    for (size_t i = 0; trace_formats[i] && n < 64; i++) {
        if (trace_formats[i]->write_row)
            names[n++] = trace_formats[i]->name;
    }
    *out = trace_find(text_from(name));
    if (*out && (*out)->write_row)
        return STATUS_OK;
    if (*out)
        return error_set(err, STATUS_USAGE, "format '%s' can only be read",
                         name);
    const char *near = text_nearest(text_from(name), names, n);
    if (near)
        return error_set(err, STATUS_USAGE,
                         "no trace format '%s'; did you mean '%s'?", name,
                         near);
    return error_set(err, STATUS_USAGE,
                     "no trace format '%s'; 'schedsim help trace' lists them",
                     name);
}

static enum status copy_rows(const struct convert *self,
                             struct trace_reader *reader,
                             const struct trace_ops *ops, struct out *out,
                             struct error *err)
{
    struct trace_row row;
    enum status st;
    for (uint64_t i = 0; (st = trace_next(reader, &row, err)) == STATUS_OK;
         i++) {
        const char *lost = self->lossy ? NULL : ops->cannot_hold(&row);
        if (lost)
            return error_set(err, STATUS_BAD_INPUT,
                             "%s:%" PRIu64 ": format %s cannot hold %s; "
                             "--lossy leaves it out",
                             self->in, row.line, ops->name, lost);
        ops->write_row(out, &row, i);
    }
    return st == STATUS_END ? STATUS_OK : st;
}

static enum status run(int argc, char **argv, struct error *err)
{
    static const struct argp argp = {
        options,
        parse,
        "TRACE FILE",
        "Writes a trace in another format. '-' is standard input or output.",
        NULL,
        NULL,
        NULL};
    struct convert self = {.to = "native"};
    const struct trace_ops *ops;
    struct trace_reader *reader = NULL;
    struct out *out = NULL;
    enum status st = cli_parse(&argp, argc, argv, &self, err);
    if (st == STATUS_OK)
        st = find_target(self.to, &ops, err);
    if (st == STATUS_OK)
        st = trace_open(self.in, self.from, &reader, err);
    if (st == STATUS_OK)
        st = out_open(self.out_path, &out, err);
    if (st != STATUS_OK)
        goto out;
    if (ops->write_head)
        ops->write_head(out);
    st = copy_rows(&self, reader, ops, out, err);
    if (st != STATUS_OK)
        goto out;
    if (ops->write_tail)
        ops->write_tail(out);
    st = out_close(out, err);
    out = NULL;
out:
    out_abandon(out);
    trace_close(reader);
    return st;
}

const struct command trace_command_convert = {
    .name = "convert",
    .summary = "write a trace in another format",
    .run = run,
    .examples = "trace convert jobs.csv jobs.swf --as swf --lossy",
};
