/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generated rows into a file of any format that can be written. */
#include "traces/registry.h"
#include "traces/synthetic.h"

static enum status find_format(const char *name, const struct trace_ops **out,
                               struct error *err)
{
    const char *names[64];
    size_t n = 0;
    *out = trace_find(text_from(name));
    if (*out && (*out)->write_row)
        return STATUS_OK;
    if (*out)
        return error_set(err, STATUS_USAGE, "format '%s' can only be read",
                         name);
    while (n < 64 && trace_formats[n]) {
        names[n] = trace_formats[n]->name;
        n++;
    }
    const char *near = text_nearest(text_from(name), names, n);
    if (near)
        return error_set(err, STATUS_USAGE,
                         "no format '%s'; did you mean '%s'?", name, near);
    return error_set(err, STATUS_USAGE, "no format '%s'", name);
}

enum status synthetic_write(const struct synthetic_options *options,
                            const char *format, const char *path,
                            struct error *err)
{
    const struct trace_ops *ops;
    struct synthetic *synthetic = NULL;
    struct out *out;
    struct trace_row row;
    enum status st = find_format(format, &ops, err);
    if (st == STATUS_OK)
        st = synthetic_open(options, &synthetic, err);
    if (st == STATUS_OK)
        st = out_open(path, &out, err);
    if (st != STATUS_OK)
        goto out;
    if (ops->write_head)
        ops->write_head(out);
    for (uint64_t i = 0; synthetic_next(synthetic, &row); i++)
        ops->write_row(out, &row, i);
    if (ops->write_tail)
        ops->write_tail(out);
    st = out_close(out, err);
out:
    synthetic_close(synthetic);
    return st;
}
