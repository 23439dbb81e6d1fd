/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `trace generate`: writes generated jobs as a trace, in any format that can be
 * written. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands_internal.h"
#include "models/usage/usage.h"
#include "sim/run/describe.h"
#include "traces/evidence/repositories.h"
#include "traces/evidence/sidecar.h"
#include "traces/registry.h"

/* The destination of the rows, and what is needed to write them. */
struct trace_generate_target {
    const struct trace_ops *ops;
    struct out *trace;
    /* side-car of the trace, and the folder of the repositories as the side-car
     * names it; NULL: the trace has no side-car */
    struct out *sidecar;
    const char *folder;
};

/* Returns true if two clusters have equal nodes in equal virtual clusters, in
 * the same order. */
static bool has_nodes_of(const struct cluster_spec *a,
                         const struct cluster_spec *b)
{
    if (a->n_groups != b->n_groups)
        return false;
    for (size_t i = 0; i < a->n_groups; i++) {
        const struct node_group *x = &a->groups[i], *y = &b->groups[i];
        if (x->count != y->count || x->gpus != y->gpus ||
            strcmp(a->vcs[x->vc], b->vcs[y->vc]) != 0)
            return false;
    }
    return true;
}

const char *trace_generated_cluster(const struct synthetic *synthetic,
                                    const char *like, struct arena *arena)
{
    struct cluster_spec own, preset;
    struct error err;
    struct out *out = out_to_memory();
    synthetic_cluster(synthetic, out);
    const struct text t = out_memory(out);
    const char *text = arena_copy(arena, t.at, t.len);
    out_abandon(out);
    if (describe_cluster(text, arena, &own, &err) == STATUS_OK &&
        describe_cluster(like, arena, &preset, &err) == STATUS_OK &&
        has_nodes_of(&own, &preset))
        return preset.name;
    return text;
}

/* Fills in the GPU demand of a row from the table of models, where it lists the
 * row's model, data set, batch size and precision. */
static void add_demand(struct trace_row *row)
{
    for (size_t i = 0; i < usage_n_built_in; i++) {
        const struct usage *usage = &usage_built_in[i];
        if (!text_is(row->model, usage->model) ||
            !text_is(row->dataset, usage->dataset) ||
            row->batch_size != usage->batch_size || row->amp != usage->amp)
            continue;
        row->gpu_util = round(usage->figures[FIGURE_GPU_UTIL].value * 100);
        row->gpu_mem_mib = usage->figures[FIGURE_MEM_MIB].value;
        return;
    }
}

static void generate_write_evidence(const struct trace_generate_target *target,
                                    const struct sidecar_row *evidence)
{
    struct sidecar_row row = *evidence;
    struct out *directory = out_to_memory();
    out_text(directory, target->folder);
    out_bytes(directory, row.directory.at, row.directory.len);
    row.directory = out_memory(directory);
    sidecar_write(target->sidecar, &row);
    out_abandon(directory);
}

static void generate_write_rows(struct synthetic *synthetic,
                                const struct trace_generate_target *target,
                                const char *cluster)
{
    struct trace_row row;
    trace_write_head(target->ops, target->trace);
    if (target->sidecar)
        sidecar_write_head(target->sidecar);
    for (uint64_t i = 0; synthetic_next(synthetic, &row); i++) {
        if (i == 0)
            row.cluster = text_from(cluster);
        if (target->sidecar)
            add_demand(&row);
        target->ops->write_row(target->trace, &row, i);
        if (target->sidecar)
            generate_write_evidence(target, synthetic_evidence(synthetic));
    }
    if (target->ops->tail)
        out_text(target->trace, target->ops->tail);
}

/* Writes the path from the folder of the trace to that of the repositories,
 * both given relative to the working directory and without "..". */
static void write_between(const char *trace, const char *folder,
                          struct out *path)
{
    const char *slash = strrchr(trace, '/');
    size_t common = 0;
    for (size_t i = 0; slash && trace + i <= slash && trace[i] == folder[i];
         i++)
        common = trace[i] == '/' ? i + 1 : common;
    for (const char *c = trace + common; slash && c <= slash; c++)
        out_text(path, *c == '/' ? "../" : "");
    out_text(path, folder + common);
}

/* Returns the folder of the repositories as the side-car of the trace names it,
 * with a '/' at its end: relative to the trace, or, if one of the two paths is
 * absolute or has "..", absolute (as given if it cannot be resolved). */
static const char *folder_from(const char *trace, const char *folder,
                               struct arena *arena)
{
    char whole[PATH_MAX];
    struct out *path = out_to_memory();
    if (trace[0] != '/' && folder[0] != '/' && !strstr(trace, "..") &&
        !strstr(folder, ".."))
        write_between(trace, folder, path);
    else
        out_text(path, realpath(folder, whole) ? whole : folder);
    out_char(path, '/');
    struct text t = out_memory(path);
    while (t.len > 1 && t.at[t.len - 2] == '/')
        t.len--;
    const char *copy = arena_copy(arena, t.at, t.len);
    out_abandon(path);
    return copy;
}

static enum status open_target(struct generate_input *g,
                               struct trace_generate_target *target,
                               struct error *err)
{
    struct arena *arena = &g->call.arena;
    enum status st =
        out_open_sparing(g->path, g->call.force, &target->trace, err);
    if (st != STATUS_OK || !g->repositories)
        return st;
    target->folder = folder_from(g->path, g->repositories, arena);
    st = out_open_sparing(sidecar_path(g->path, arena), g->call.force,
                          &target->sidecar, err);
    if (st != STATUS_OK)
        out_abandon(target->trace);
    return st;
}

static enum status close_target(struct trace_generate_target *target,
                                struct error *err)
{
    enum status st = out_close(target->trace, err);
    if (!target->sidecar)
        return st;
    if (st == STATUS_OK)
        return out_close(target->sidecar, err);
    out_abandon(target->sidecar);
    return st;
}

static enum status read_repositories(struct generate_input *g,
                                     struct repositories *repositories,
                                     struct error *err)
{
    if (!g->repositories)
        return STATUS_OK;
    g->options.repositories = repositories;
    if (strcmp(g->path, "-") == 0)
        return error_set(
            err, STATUS_USAGE,
            "--set repositories: needs --out FILE, because a second file "
            "is written beside it");
    return repositories_read(g->repositories, &g->call.arena, repositories,
                             err);
}

/* Prints on standard error what load the jobs put on the cluster. */
static void generate_report(const struct synthetic *synthetic,
                            const char *cluster)
{
    struct out *out = out_to_memory();
    synthetic_report(synthetic, out);
    out_printf(out, "cluster: %s\n", cluster);
    struct text text = out_memory(out);
    fwrite(text.at, 1, text.len, stderr);
    out_abandon(out);
}

static enum status generate_run(void *self, struct error *err)
{
    struct generate_input *g = self;
    struct synthetic *synthetic = NULL;
    struct repositories repositories;
    struct trace_generate_target target = {0};
    const char *cluster = NULL;
    enum status st = trace_find_target(g->format, &target.ops, err);
    if (st == STATUS_OK)
        st = read_repositories(g, &repositories, err);
    if (st == STATUS_OK)
        st = synthetic_open(&g->options, &synthetic, err);
    if (st == STATUS_OK)
        st = open_target(g, &target, err);
    if (st == STATUS_OK) {
        if (target.ops->wide)
            target.ops = target.ops->wide;
        cluster =
            trace_generated_cluster(synthetic, g->options.like, &g->call.arena);
        generate_write_rows(synthetic, &target, cluster);
        st = close_target(&target, err);
        generate_report(synthetic, cluster);
    }
    synthetic_close(synthetic);
    return st;
}

static const struct arg trace_generate_args[] = {
    TAKE_TEXT(struct generate_input, options.like, "like", "CLUSTER",
              "cluster to imitate: philly, venus, saturn, seren or kalos",
              .is_required = true),
    TAKE_U64(struct generate_input, options.jobs, "jobs", "N",
             "number of jobs; default 10000 if --days is not given", .lo = 1,
             .hi = INFINITY, .letter = 'n'),
    TAKE_DOUBLE(struct generate_input, options.days, "days", "D",
                "length in days; with --jobs and without --load, the jobs are "
                "spread over D days",
                .above_lo = true, .hi = INFINITY),
    TAKE_DOUBLE(
        struct generate_input, options.load, "load", "L",
        "GPU time that jobs ask for, divided by the GPU time of the cluster; "
        "sets the rate of arrivals; default: the published rate",
        .above_lo = true, .hi = INFINITY),
    TAKE_U32(struct generate_input, options.gpus, "gpus", "N",
             "GPUs that --load refers to; no job asks for more; default: the "
             "cluster's own",
             .lo = 1, .hi = INFINITY),
    TAKE_U64(struct generate_input, options.seed, "seed", "N",
             "seed of the random numbers", .initial = "1"),
    TAKE_KEYS("set", "more about the jobs, such as limits,family=sia"),
    TAKE_TEXT(struct generate_input, options.family, "family", "FAMILY",
              "family of model names: lucid (default), sia, muri or tiresias; "
              "with --set repositories: schedmate or lucid; default: both",
              .of = "set"),
    TAKE_TEXT(struct generate_input, repositories, "repositories", "DIR",
              "jobs run the training repositories of this folder, such as "
              "traces/evidence, and their run times follow from that; also "
              "writes NAME.evidence.csv beside NAME.csv",
              .of = "set"),
    TAKE_DOUBLE(
        struct generate_input, options.early_exits, "early-exits", "SHARE",
        "with --set repositories, share of the completed jobs that end before "
        "their last step; default 0.2 (assumed)",
        .lo = 0, .hi = 1, .initial = "0.2", .of = "set"),
    TAKE_FLAG(struct generate_input, options.warm, "warm",
              "begin with the jobs that a cluster at work would be running: "
              "rows in addition to --jobs, submitted at the first instant, "
              "with what is left of their durations; default: an empty "
              "cluster"),
    TAKE_FLAG(struct generate_input, options.limits, "limits",
              "jobs declare a limit of their duration (assumed: no cluster "
              "publishes limits); default: none",
              .of = "set"),
    TAKE_TEXT(struct generate_input, format, "format", "NAME",
              "format to write", .letter = 'f', .initial = "native"),
    TAKE_TEXT(struct generate_input, path, "out", "FILE",
              "file to write; default standard output", .letter = 'o'),
    TAKE_FORCE(struct generate_input),
    {0},
};

static const struct generate_input trace_generate_defaults = {.path = "-"};

const struct command trace_command_generate = {
    .name = "generate",
    .summary = "generate a trace with the statistics of a published cluster",
    .about = "Writes a trace of generated jobs with the statistics of a "
             "published cluster.",
    .notes = "Values that the format cannot hold are left out. The same "
             "options give the same bytes. Standard error says what load the "
             "jobs are, and for how much of the time they would need more GPUs "
             "than a virtual cluster has if none of them waited.",
    .parts = {{.rows = trace_generate_args}},
    .input_size = sizeof(struct generate_input),
    .defaults = &trace_generate_defaults,
    .run = generate_run,
    .examples = "trace generate --like venus --jobs 5000 --load 0.8 --out "
                "venus.csv --format helios",
};
