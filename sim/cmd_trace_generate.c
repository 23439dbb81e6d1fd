/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `trace generate`: the command line of traces/synthetic.h. */
#include "sim/cmd_trace.h"

#include "sim/base/text.h"
#include "sim/cli.h"
#include "traces/synthetic.h"

struct generate {
    struct cli_input cli;
    struct synthetic_options options;
    const char *format, *path;
};

extern const struct command command_generate;

enum {
    KEY_LIKE = 1,
    KEY_JOBS,
    KEY_DAYS,
    KEY_LOAD,
    KEY_GPUS,
    KEY_SEED,
    KEY_WORKLOADS
};

static const struct argp_option options[] = {
    {"like", KEY_LIKE, "CLUSTER", 0,
     "philly, venus, saturn, seren or kalos (required)", 0},
    {"jobs", KEY_JOBS, "N", 0,
     "end after N jobs (10000 if neither --jobs nor --days is given)", 0},
    {"days", KEY_DAYS, "D", 0,
     "end after D days; with --jobs and no --load, spread the jobs over them",
     0},
    {"load", KEY_LOAD, "L", 0,
     "GPU time asked for over GPU time there is: sets the rate of arrivals "
     "(default: the published rate)",
     0},
    {"gpus", KEY_GPUS, "G", 0,
     "GPUs that --load refers to; no job asks for more (default: the "
     "cluster's own)",
     0},
    {"seed", KEY_SEED, "S", 0, "another seed, another trace (default 1)", 0},
    {"workloads", KEY_WORKLOADS, "FAMILY", 0,
     "names of models: lucid (default), sia, muri or tiresias", 0},
    {"format", 'f', "NAME", 0, "trace format (default: native)", 0},
    {"output", 'o', "FILE", 0, "where to write (default: standard output)", 0},
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
    case KEY_WORKLOADS:
        g->options.workloads = arg;
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

static enum status run(int argc, char **argv, struct error *err)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "Writes a trace of jobs as a published cluster would have seen "
               "them.\vA field that the format has no place for is left out. "
               "The same options give the same bytes.",
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
    return synthetic_write(&g.options, g.format, g.path, err);
}

const struct command trace_command_generate = {
    .name = "generate",
    .summary = "write a trace of jobs as a published cluster would see them",
    .run = run,
};
