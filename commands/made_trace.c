/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/made_trace.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "commands/args.h"
#include "commands/commands_internal.h"
#include "commands/terminal.h"
#include "sim/run/describe.h"
#include "traces/evidence/sidecar.h"
#include "traces/registry.h"

struct made_trace {
    enum made_kind kind;
    /* input of the command, in the member that belongs to `kind` */
    struct resample_input resample;
    struct generate_input generate;
    pthread_mutex_t lock;  /* guards the members below */
    struct resample *base; /* all rows of the source; NULL: not read yet */
    bool wide;             /* true if rows may have facts that only the wide
                            * variant of a format holds */
    const char *cluster;   /* of the source; NULL: not read yet */
    uint32_t n_whole;      /* whole blocks of the source */
};

static struct cli_call *call_of(struct made_trace *made)
{
    return made->kind == MADE_RESAMPLED ? &made->resample.call
                                        : &made->generate.call;
}

/* Fills the input of the command from words, as the command line does. */
static enum status trace_parse(struct made_trace *made, const char *source,
                               const char *const *words, size_t n_words,
                               struct error *err)
{
    const bool resamples = made->kind == MADE_RESAMPLED;
    const struct command *command =
        resamples ? &trace_command_resample : &trace_command_generate;
    struct cli_call *call = call_of(made);
    struct arena *arena = &call->arena;
    int argc = 0;
    memcpy(call, command->defaults, command->input_size);
    arena_init(arena);
    char **argv = ARENA_ARRAY(arena, char *, n_words + 4);
    argv[argc++] = arena_copy(arena, command->name, strlen(command->name));
    for (size_t i = 0; i < n_words; i++)
        argv[argc++] = arena_copy(arena, words[i], strlen(words[i]));
    const char *before = resamples ? "--" : "--like";
    argv[argc++] = arena_copy(arena, before, strlen(before));
    argv[argc++] = arena_copy(arena, source, strlen(source));
    return cli_parse(command, command->name, argc, argv, call, err);
}

/* Refuses options that have no meaning if no file is written, and standard
 * input as the source. Completes the options of `trace resample`. */
static enum status trace_check(struct made_trace *made, struct error *err)
{
    const struct resample_input *r = &made->resample;
    const struct generate_input *g = &made->generate;
    const bool resamples = made->kind == MADE_RESAMPLED;
    if (strcmp(resamples ? r->out_path : g->path, "-") != 0)
        return error_set(err, STATUS_USAGE, "--out: no file is written");
    if (strcmp(resamples ? r->to_format : g->format, "native") != 0)
        return error_set(err, STATUS_USAGE, "--%s: only native can be made",
                         resamples ? "as" : "format");
    if (!resamples && g->repositories)
        return error_set(err, STATUS_USAGE,
                         "--set repositories: needs a file; 'trace generate' "
                         "writes one");
    if (resamples && strcmp(r->path, "-") == 0)
        return error_set(err, STATUS_USAGE,
                         "standard input cannot be resampled here");
    made->resample.quiet = true; /* the caller, not the command, tells the user
                                  * what happened */
    return resamples ? trace_resample_check(&made->resample, err) : STATUS_OK;
}

enum status made_trace_open(enum made_kind kind, const char *source,
                            const char *const *words, size_t n_words,
                            struct made_trace **out, struct error *err)
{
    struct made_trace *made = mem_zalloc(1, sizeof *made);
    made->kind = kind;
    pthread_mutex_init(&made->lock, NULL);
    enum status st = trace_parse(made, source, words, n_words, err);
    if (st == STATUS_OK)
        st = trace_check(made, err);
    if (st != STATUS_OK) {
        made_trace_free(made);
        return st;
    }
    *out = made;
    return STATUS_OK;
}

/* Returns STATUS_USAGE if a run would use evidence of the recorded jobs. */
static enum status check_evidence(const struct run_config *config,
                                  struct error *err)
{
    struct arena arena;
    arena_init(&arena);
    bool given = config->evidence && strcmp(config->evidence, "generated") != 0;
    bool beside = !config->evidence &&
                  access(sidecar_path(config->trace, &arena), F_OK) == 0;
    arena_fini(&arena);
    if (!given && !beside)
        return STATUS_OK;
    return error_set(err, STATUS_USAGE,
                     "%s: its evidence is of the jobs as they ran and cannot "
                     "be resampled; --evidence generated makes other evidence",
                     config->trace);
}

/* Writes the option for a bound of the window. */
static void made_bound(const char *option, sim_time at, char out[64])
{
    const bool since = at >= LOAD_SINCE_FIRST;
    snprintf(out, 64, "%s=%.6f%s", option,
             span_seconds(since ? at - LOAD_SINCE_FIRST : at),
             since ? "s" : "");
}

enum status made_trace_of_run(const struct run_config *config,
                              const char *const *words, size_t n_words,
                              struct made_trace **out, struct error *err)
{
    const struct load_options *load = &config->load;
    char from[64], to[64], format[4096];
    const char *all[MADE_WORDS_MAX + 3];
    size_t n = 0;
    CHECK(n_words <= MADE_WORDS_MAX);
    while (n < n_words) {
        all[n] = words[n];
        n++;
    }
    made_bound("--from", load->from, from);
    if (load->from && load->from != ARG_NO_TIME)
        all[n++] = from;
    made_bound("--to", load->to, to);
    if (load->to && load->to != ARG_NO_TIME)
        all[n++] = to;
    snprintf(format, sizeof format, "--format=%.4000s",
             config->format ? config->format : "");
    if (config->format)
        all[n++] = format;
    enum status st = check_evidence(config, err);
    return st == STATUS_OK ? made_trace_open(MADE_RESAMPLED, config->trace, all,
                                             n, out, err)
                           : st;
}

void made_trace_free(struct made_trace *made)
{
    if (!made)
        return;
    resample_free(made->base);
    pthread_mutex_destroy(&made->lock);
    arena_fini(&call_of(made)->arena);
    free(made);
}

/* Reads the source of a resampled trace, unless it has been read already. */
static enum status read_base(struct made_trace *made, struct error *err)
{
    enum status st = STATUS_OK;
    pthread_mutex_lock(&made->lock);
    if (!made->base) {
        struct resample *base = resample_new(&made->resample.options);
        st = trace_resample_read(&made->resample, base, &made->wide,
                                 &made->cluster, &call_of(made)->arena, err);
        if (st == STATUS_OK)
            made->base = base;
        else
            resample_free(base);
    }
    pthread_mutex_unlock(&made->lock);
    return st;
}

static enum status write_resampled(struct made_trace *made, uint64_t seed,
                                   struct out *out, struct error *err)
{
    struct trace_row row;
    const struct trace_ops *ops = trace_find(text_from("native"));
    enum status st = read_base(made, err);
    if (st != STATUS_OK)
        return st;
    struct resample *resample = resample_fork(made->base, seed);
    st = resample_draw(resample, err);
    pthread_mutex_lock(&made->lock);
    made->n_whole = resample_counts(resample)->n_whole;
    pthread_mutex_unlock(&made->lock);
    if (made->wide && ops->wide)
        ops = ops->wide;
    if (st == STATUS_OK)
        trace_write_head(ops, out);
    for (uint64_t i = 0; st == STATUS_OK && resample_next(resample, &row); i++)
        ops->write_row(out, &row, i);
    resample_free(resample);
    return st;
}

static enum status write_generated(const struct made_trace *made, uint64_t seed,
                                   struct out *out, struct error *err)
{
    struct synthetic_options options = made->generate.options;
    const struct trace_ops *ops = trace_find(text_from("native"));
    struct synthetic *synthetic = NULL;
    struct arena arena;
    struct trace_row row;
    options.seed = seed;
    enum status st = synthetic_open(&options, &synthetic, err);
    if (st != STATUS_OK)
        return st;
    ops = ops->wide;
    trace_write_head(ops, out);
    arena_init(&arena);
    for (uint64_t i = 0; synthetic_next(synthetic, &row); i++) {
        if (i == 0)
            row.cluster = text_from(
                trace_generated_cluster(synthetic, options.like, &arena));
        ops->write_row(out, &row, i);
    }
    arena_fini(&arena);
    synthetic_close(synthetic);
    return STATUS_OK;
}

enum status made_trace_write(struct made_trace *made, uint64_t seed,
                             struct out *out, struct error *err)
{
    return made->kind == MADE_RESAMPLED ? write_resampled(made, seed, out, err)
                                        : write_generated(made, seed, out, err);
}

void made_trace_remark(struct made_trace *made, struct remarks *remarks)
{
    pthread_mutex_lock(&made->lock);
    uint32_t n = made->n_whole;
    pthread_mutex_unlock(&made->lock);
    if (made->kind == MADE_RESAMPLED && n < RESAMPLE_BLOCKS_FEW)
        remarks_add(remarks, REMARK_CONCLUSION,
                    "resample: the trace has %u whole block%s of %g day%s, few "
                    "to draw from: other seeds give much the same jobs",
                    n, say_plural(n), made->resample.block_days,
                    made->resample.block_days == 1 ? "" : "s");
}

enum status made_trace_cluster(struct made_trace *made, const char **out,
                               struct error *err)
{
    *out = NULL;
    if (made->kind == MADE_RESAMPLED) {
        enum status st = read_base(made, err);
        *out = st == STATUS_OK ? made->cluster : NULL;
        return st;
    }
    return STATUS_OK;
}
