/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `size`: finds how many nodes are needed, or how much load is possible, so
 * that targets are met. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands/cli.h"
#include "commands/cmd_run.h"
#include "commands/run_options.h"
#include "commands/study/size.h"
#include "commands/study/sweep_internal.h"
#include "commands/summary_table.h"

enum { SHORT_DAYS = 28 };

struct size_input {
    struct cli_call call;
    struct run_options options;
    struct arg_list targets;
    const char *vary, *prices, *file;
    uint32_t replications, most, threads, block_days;
    bool json, ignores_rejected, remarks;
};

/* Results of the base run, which is the trace as it is on today's cluster.
 * Texts live in the arena of the call. */
struct base {
    const char *policy, *cluster;
    struct remarks remarks;
    struct knowledge knowledge;
    sim_time last; /* time of the last submission; 0: no jobs */
};

static double size_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static enum status size_read_options(struct size_input *input,
                                     struct size *size, struct error *err)
{
    enum status st = STATUS_OK;
    struct run_config *config = &input->options.config;
    if (input->file)
        st = run_options_file(&input->options, input->file, NULL,
                              &input->call.arena, err);
    if (st == STATUS_OK && !config->trace)
        st = error_set(err, STATUS_USAGE,
                       "size: a trace is missing; see --help");
    if (st == STATUS_OK && strcmp(config->trace, "-") == 0)
        st = error_set(err, STATUS_USAGE,
                       "size: standard input can be read only once");
    if (st == STATUS_OK && input->targets.n == 0)
        st = error_set(err, STATUS_USAGE,
                       "size: --target is missing, such as --target "
                       "'queue_delay.p95 < 10min'");
    if (st == STATUS_OK && input->targets.n > SIZE_TARGETS_MAX)
        st = error_set(err, STATUS_USAGE, "--target: at most %d times",
                       SIZE_TARGETS_MAX);
    for (size_t i = 0; i < input->targets.n && st == STATUS_OK; i++)
        st = size_target_parse(input->targets.at[i],
                               &size->targets[size->n_targets++], err);
    return st;
}

/* Adds to --wait-over the times of targets such as share_waiting_over_600s, so
 * that runs measure these shares of jobs. */
static void want_shares(struct size_input *input, const struct size *size)
{
    struct run_config *config = &input->options.config;
    for (size_t i = 0; i < size->n_targets; i++) {
        char seconds[SPAN_TEXT_MAX];
        const struct size_target *t = &size->targets[i];
        if (!t->is_over)
            continue;
        int n = (int)span_to_text(t->over, seconds);
        size_t room = (config->wait_over ? strlen(config->wait_over) : 0) +
                      sizeof seconds + 2;
        char *all = arena_alloc(&input->call.arena, room);
        snprintf(all, room, "%s%s%.*s",
                 config->wait_over ? config->wait_over : "",
                 config->wait_over ? "," : "", n, seconds);
        config->wait_over = all;
    }
}

static const char *size_copy(struct arena *arena, const char *text)
{
    return arena_copy(arena, text, strlen(text));
}

/* Makes the base run, parses --vary, and keeps what the report needs. If the
 * user named no cluster, later runs get that of the base run. */
static enum status run_base(struct size_input *input,
                            const struct size_prices *prices, struct size *size,
                            struct base *base, struct error *err)
{
    struct arena *arena = &input->call.arena;
    struct run_config *config = &input->options.config;
    struct replay replay;
    const struct replay_options observe = {.label = "size"};
    enum status st = replay_run(config, &observe, &replay, err);
    if (st != STATUS_OK && st != STATUS_INCOMPLETE)
        return st;
    const struct run_result *r = replay.results.run;
    base->policy = size_copy(arena, r->policy);
    base->knowledge = knowledge_copy(&r->knowledge, arena);
    base->cluster = size_copy(arena, r->cluster_name);
    base->remarks.arena = arena;
    remarks_add_all(&base->remarks, &r->remarks);
    base->last =
        r->jobset.n_jobs ? r->jobset.jobs[r->jobset.n_jobs - 1].submitted : 0;
    st = size_space_parse(input->vary, config, r, prices, input->most, arena,
                          &size->space, err);
    config->cluster = config->cluster ? config->cluster : base->cluster;
    replay_fini(&replay);
    return st;
}

/* With --vary vc, refuses targets on numbers that exist only for the whole run.
 */
static enum status check_targets(const struct size *size, struct error *err)
{
    for (size_t i = 0; i < size->n_targets && size->space.joint; i++) {
        if (size->targets[i].by_run)
            return error_set(err, STATUS_USAGE,
                             "--target: '%.200s': %s is not known for a "
                             "virtual cluster by itself, which --vary vc needs",
                             size->targets[i].text, size->targets[i].name);
    }
    return STATUS_OK;
}

static enum status cmd_size_answer(struct size_input *input,
                                   const struct size_report *report,
                                   struct error *err)
{
    size_t choice;
    enum status st = STATUS_OK;
    if (input->json)
        st = size_print_json(report, err);
    else
        size_print(report);
    if (st == STATUS_OK && !size_is_met(report, &choice))
        st = error_set(err, STATUS_TOLERANCE, "the target cannot be met");
    return st;
}

static enum status size_run(void *self, struct error *err)
{
    struct size_input *input = self;
    const double begun = size_now_s();
    struct base base = {0};
    struct size_prices prices = {0};
    struct size size = {.config = &input->options.config,
                        .replications = input->replications,
                        .threads = input->threads ? input->threads
                                                  : study_processors(),
                        .ignores_rejected = input->ignores_rejected};
    arena_init(&size.arena);
    enum status st = size_read_options(input, &size, err);
    if (st == STATUS_OK && input->prices)
        st = size_prices_read(input->prices, &input->call.arena, &prices, err);
    want_shares(input, &size);
    if (st == STATUS_OK)
        st = run_base(input, input->prices ? &prices : NULL, &size, &base, err);
    if (st == STATUS_OK)
        st = check_targets(&size, err);
    size.block_days = input->block_days                   ? input->block_days
                      : base.last < SHORT_DAYS * SPAN_DAY ? 1
                                                          : 7;
    if (st == STATUS_OK)
        st = size_search(&size, err);
    size.n_runs++; /* count the base run */
    const struct size_report report = {.size = &size,
                                       .prices = input->prices ? &prices : NULL,
                                       .remarks = &base.remarks,
                                       .knowledge = &base.knowledge,
                                       .policy = base.policy,
                                       .cluster = base.cluster,
                                       .trace = input->options.config.trace,
                                       .seconds = size_now_s() - begun,
                                       .all_remarks = input->remarks};
    if (st == STATUS_OK)
        st = cmd_size_answer(input, &report, err);
    remarks_fini(&base.remarks);
    size_fini(&size);
    return st;
}

static const struct arg size_args[] = {
    TAKE_OPTIONAL_WORD(struct size_input, options.config.trace, "TRACE",
                       "trace"),
    TAKE_LIST(struct size_input, targets, "target", "METRIC<VALUE",
              "what must hold, such as 'queue_delay.p95 < 10min'; may be given "
              "more than once, then all must hold",
              .often = true),
    TAKE_TEXT(struct size_input, vary, "vary", "WHAT",
              "nodes [of [GPUSx]TYPE] [in VC]; vc: the nodes of each virtual "
              "cluster by itself; load: how many times as fast submissions "
              "may come; gpu-type [in VC]: which type of --prices to buy",
              .initial = "nodes", .often = true),
    TAKE_U32(struct size_input, replications, "replications", "N",
             "search also in N replications of the trace, blocks of it in "
             "another order, for an interval; 0: none",
             .initial = "10", .hi = 1000, .often = true),
    TAKE_U32(struct size_input, block_days, "block-days", "DAYS",
             "length of these blocks; default 7, or 1 for a trace of less than "
             "28 days (assumed)",
             .lo = 1, .hi = 3660),
    TAKE_TEXT(struct size_input, prices, "prices", "FILE",
              "prices of GPUs, for the cost of a month: JSON, see "
              "docs/capacity.md"),
    TAKE_U32(struct size_input, most, "most", "N",
             "largest number of nodes to try, or with --vary load largest "
             "percentage; default 16 times today's (load: 10000)",
             .lo = 1, .hi = 1e6),
    TAKE_FLAG(struct size_input, ignores_rejected, "ignore-rejected",
              "jobs that can never start do not fail a target"),
    TAKE_THREADS(struct size_input, threads),
    TAKE_FLAG(struct size_input, json, "json", "print JSON", .letter = 'j',
              .often = true),
    TAKE_FLAG(struct size_input, remarks, "remarks", ROW_REMARKS_HELP),
    TAKE_TEXT(struct size_input, file, "config", "FILE", CONFIG_HELP),
    TAKE_FLAG(struct size_input, options.trusts, "trust", TRUST_HELP),
    {0},
};

const struct command command_size = {
    .name = "size",
    .summary = "find how many nodes, or how much load, meets a target",
    .about = "Finds by bisection the fewest nodes, or the largest load, with "
             "which a policy meets targets on a trace, with an interval over "
             "replications of the trace and the cost of a month.",
    .notes = "A target is METRIC[.COLUMN] < VALUE (or <=, >, >=): a metric of "
             "docs/results.md with mean, p50, p90, p95, p99 or max, and a "
             "number, a percentage or a length of time (600, 10min, 2h, 1.5d). "
             "If it cannot be met, the exit status is 6 and the reason is "
             "printed. docs/capacity.md has worked questions.",
    .parts = {{.rows = size_args, .group = RUN_OF_COMMAND},
              RUN_ARG_PART(struct size_input, options)},
    .input_size = sizeof(struct size_input),
    .run = size_run,
    .is_simulation = true,
    .examples =
        "size traces/samples/venus.csv --policy fifo --target "
        "'queue_delay.p95 < 10min'\n"
        "size traces/samples/venus.csv --policy srtf --vary vc --target "
        "'queue_delay.p95 < 10min'\n"
        "size traces/samples/venus.csv --policy backfill --vary load --target "
        "'queue_delay.mean < 30min'",
    .ends = CLI_ENDS(TOLERANCE) | CLI_ENDS(BAD_PLAN),
};
