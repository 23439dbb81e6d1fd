/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `trace generate`: writes generated jobs as a trace, in any format that can be
 * written. */
#include "sim/base/text.h"
#include "sim/cli/cmd_trace.h"
#include "traces/generate/synthetic.h"
#include "traces/registry.h"

struct generate {
    struct cli_input cli;
    struct synthetic_options options;
    const char *format, *path;
    const struct trace_ops *ops;
};

enum {
    KEY_LIKE = 1,
    KEY_JOBS,
    KEY_DAYS,
    KEY_LOAD,
    KEY_GPUS,
    KEY_SEED,
    KEY_MODELS
};

static const struct argp_option options[] = {
    {"like", KEY_LIKE, "CLUSTER", 0,
     "cluster to imitate: philly, venus, saturn, seren or kalos (required)", 0},
    {"jobs", KEY_JOBS, "N", 0,
     "number of jobs; default 10000 if --days is not given", 0},
    {"days", KEY_DAYS, "D", 0,
     "length in days; with --jobs and without --load, the jobs are spread over "
     "D days",
     0},
    {"load", KEY_LOAD, "L", 0,
     "GPU time that jobs ask for, divided by the GPU time of the cluster; sets "
     "the rate of arrivals; default: the published rate",
     0},
    {"gpus", KEY_GPUS, "N", 0,
     "GPUs that --load refers to; no job asks for more; default: the "
     "cluster's own",
     0},
    {"seed", KEY_SEED, "N", 0, "seed of the random numbers; default 1", 0},
    {"family", KEY_MODELS, "FAMILY", 0,
     "family of model names: lucid (default), sia, muri or tiresias", 0},
    {"format", 'f', "NAME", 0, "format to write; default native", 0},
    {"out", 'o', "FILE", 0, "file to write; default standard output", 0},
    {0},
};

static bool read_option(struct synthetic_options *o, int key, struct text arg)
{
    switch (key) {
    case KEY_JOBS:
        return text_to_u64(arg, &o->jobs) && o->jobs > 0;
    case KEY_DAYS:
        return text_to_double(arg, &o->days) && o->days > 0;
    case KEY_LOAD:
        return text_to_double(arg, &o->load) && o->load > 0;
    case KEY_GPUS:
        return text_to_u32(arg, &o->gpus) && o->gpus > 0;
    default:
        return text_to_u64(arg, &o->seed);
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct generate *g = state->input;
    switch (key) {
    case KEY_LIKE:
        g->options.like = arg;
        return 0;
    case KEY_MODELS:
        g->options.family = arg;
        return 0;
    case KEY_JOBS:
    case KEY_DAYS:
    case KEY_LOAD:
    case KEY_GPUS:
    case KEY_SEED:
        if (!read_option(&g->options, key, text_from(arg)))
            return cli_fail(state, "--%s: '%s' is not a %s number",
                            options[key - 1].name, arg,
                            key == KEY_SEED ? "whole" : "positive");
        return 0;
    case 'f':
        g->format = arg;
        return 0;
    case 'o':
        g->path = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static enum status find_format(struct generate *g, struct error *err)
{
    const char *names[64];
    size_t n = 0;
    g->ops = trace_find(text_from(g->format));
    if (g->ops && g->ops->write_row)
        return STATUS_OK;
    if (g->ops)
        return error_set(err, STATUS_USAGE, "format '%s' can only be read",
                         g->format);
    while (n < 64 && trace_formats[n]) {
        names[n] = trace_formats[n]->name;
        n++;
    }
    const char *near = text_nearest(text_from(g->format), names, n);
    if (near)
        return error_set(err, STATUS_USAGE,
                         "no format '%s'; did you mean '%s'?", g->format, near);
    return error_set(err, STATUS_USAGE, "no format '%s'", g->format);
}

static enum status write_rows(const struct generate *g, struct error *err)
{
    const struct trace_ops *ops = g->ops;
    struct synthetic *synthetic = NULL;
    struct out *out;
    struct trace_row row;
    enum status st = synthetic_open(&g->options, &synthetic, err);
    if (st == STATUS_OK)
        st = out_open(g->path, &out, err);
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

static enum status run(int argc, char **argv, struct error *err)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "Writes a trace of generated jobs with the statistics of a "
               "published cluster.\vValues that the format cannot hold are "
               "left out. The same options give the same bytes.",
    };
    struct generate g = {
        .options = {.seed = 1}, .format = "native", .path = "-"};
    enum status st = cli_parse(&argp, argc, argv, &g, err);
    if (st != STATUS_OK)
        return st;
    if (!g.options.like)
        return error_set(err, STATUS_USAGE,
                         "--like is needed: philly, venus, saturn, seren or "
                         "kalos");
    st = find_format(&g, err);
    return st == STATUS_OK ? write_rows(&g, err) : st;
}

const struct command trace_command_generate = {
    .name = "generate",
    .summary = "generate a trace with the statistics of a published cluster",
    .run = run,
    .examples = "trace generate --like venus --jobs 5000 --load 0.8 --out "
                "venus.csv --format helios",
};
