/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `trace generate`: writes generated jobs as a trace, in any format that can be
 * written. */
#include "sim/cli/cmd_trace_internal.h"
#include "traces/generate/synthetic.h"
#include "traces/registry.h"

struct generate {
    struct cli_call call;
    struct synthetic_options options;
    const char *format, *path;
};

static enum status write_rows(const struct generate *g,
                              const struct trace_ops *ops, struct error *err)
{
    struct synthetic *synthetic = NULL;
    struct out *out;
    struct trace_row row;
    enum status st = synthetic_open(&g->options, &synthetic, err);
    if (st == STATUS_OK)
        st = out_open(g->path, &out, err);
    if (st != STATUS_OK)
        goto out;
    trace_write_head(ops, out);
    for (uint64_t i = 0; synthetic_next(synthetic, &row); i++)
        ops->write_row(out, &row, i);
    if (ops->tail)
        out_text(out, ops->tail);
    st = out_close(out, err);
out:
    synthetic_close(synthetic);
    return st;
}

static enum status run(void *self, struct error *err)
{
    const struct generate *g = self;
    const struct trace_ops *ops;
    enum status st = trace_find_target(g->format, &ops, err);
    return st == STATUS_OK ? write_rows(g, ops, err) : st;
}

static const struct arg args[] = {
    TAKE_TEXT(struct generate, options.like, "like", "CLUSTER",
              "cluster to imitate: philly, venus, saturn, seren or kalos",
              .is_required = true),
    TAKE_U64(struct generate, options.jobs, "jobs", "N",
             "number of jobs; default 10000 if --days is not given", .lo = 1,
             .hi = INFINITY),
    TAKE_DOUBLE(struct generate, options.days, "days", "D",
                "length in days; with --jobs and without --load, the jobs are "
                "spread over D days",
                .above_lo = true, .hi = INFINITY),
    TAKE_DOUBLE(
        struct generate, options.load, "load", "L",
        "GPU time that jobs ask for, divided by the GPU time of the cluster; "
        "sets the rate of arrivals; default: the published rate",
        .above_lo = true, .hi = INFINITY),
    TAKE_U32(struct generate, options.gpus, "gpus", "N",
             "GPUs that --load refers to; no job asks for more; default: the "
             "cluster's own",
             .lo = 1, .hi = INFINITY),
    TAKE_U64(struct generate, options.seed, "seed", "N",
             "seed of the random numbers", .initial = "1"),
    TAKE_TEXT(struct generate, options.family, "family", "FAMILY",
              "family of model names: lucid (default), sia, muri or tiresias"),
    TAKE_TEXT(struct generate, format, "format", "NAME", "format to write",
              .letter = 'f', .initial = "native"),
    TAKE_TEXT(struct generate, path, "out", "FILE",
              "file to write; default standard output", .letter = 'o'),
    {0},
};

static const struct generate defaults = {.path = "-"};

const struct command trace_command_generate = {
    .name = "generate",
    .summary = "generate a trace with the statistics of a published cluster",
    .about = "Writes a trace of generated jobs with the statistics of a "
             "published cluster.",
    .notes = "Values that the format cannot hold are left out. The same "
             "options give the same bytes.",
    .parts = {{.rows = args}},
    .input_size = sizeof(struct generate),
    .defaults = &defaults,
    .run = run,
    .examples = "trace generate --like venus --jobs 5000 --load 0.8 --out "
                "venus.csv --format helios",
};
