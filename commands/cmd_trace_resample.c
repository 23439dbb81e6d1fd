/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `trace resample`: makes another trace from the rows of a recorded one, by a
 * block bootstrap (traces/resample/resample.h). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "commands/commands_internal.h"
#include "commands/terminal.h"
#include "traces/evidence/sidecar.h"
#include "traces/footprint.h"
#include "traces/registry.h"

/* Reads "utc", "pacific", or the time by which a clock is ahead of UTC, as
 * "+HH:MM" or "-HH:MM". */
static enum status read_zone(const char *name, struct clock *zone,
                             struct error *err)
{
    unsigned hours, minutes;
    char sign, end;
    *zone = (struct clock){.pacific = strcmp(name, "pacific") == 0};
    if (zone->pacific || strcmp(name, "utc") == 0)
        return STATUS_OK;
    if (strlen(name) != 6 || (name[0] != '+' && name[0] != '-') ||
        sscanf(name, "%c%2u:%2u%c", &sign, &hours, &minutes, &end) != 3 ||
        hours > 14 || minutes > 59)
        return error_set(
            err, STATUS_USAGE,
            "--set zone: '%s' is not one of utc, pacific and +HH:MM", name);
    zone->offset = (sim_span)(hours * 60 + minutes) * 60 * SPAN_SECOND;
    zone->offset *= sign == '-' ? -1 : 1;
    return STATUS_OK;
}

/* Refuses a trace with a side-car, unless the user gave --set without-evidence:
 * a side-car names what each job ran and logged, and its run time, which the
 * resampled rows would contradict. */
static enum status check_sidecar(struct resample_input *input,
                                 struct error *err)
{
    if (strcmp(input->path, "-") == 0)
        return STATUS_OK;
    const char *sidecar = sidecar_path(input->path, &input->call.arena);
    if (access(sidecar, F_OK) != 0)
        return STATUS_OK;
    if (!input->without_evidence)
        return error_set(err, STATUS_USAGE,
                         "%s: the evidence beside the trace is of the jobs as "
                         "they ran and cannot be resampled; "
                         "--set without-evidence leaves it out",
                         sidecar);
    if (!input->quiet)
        fprintf(stderr,
                "note: %s is left out: run times no longer follow from it\n",
                sidecar);
    return STATUS_OK;
}

enum status trace_resample_read(const struct resample_input *input,
                                struct resample *resample, bool *wide,
                                const char **cluster, struct arena *arena,
                                struct error *err)
{
    struct trace_reader *reader;
    struct trace_row row;
    enum status st = trace_open(input->path, input->from_format, &reader, err);
    if (st != STATUS_OK)
        return st;
    struct footprint *footprint = footprint_new();
    while ((st = trace_next(reader, &row, err)) == STATUS_OK) {
        resample_add(resample, &row);
        footprint_add(footprint, &row);
    }
    *wide = trace_rare_facts(reader) != 0;
    if (cluster)
        *cluster =
            footprint_cluster(footprint, trace_recorded_on(reader), arena);
    footprint_free(footprint);
    trace_close(reader);
    return st == STATUS_END ? STATUS_OK : st;
}

enum status trace_resample_check(struct resample_input *input,
                                 struct error *err)
{
    input->options.block =
        span_from_seconds(input->block_days * span_seconds(SPAN_DAY));
    enum status st = read_zone(input->zone, &input->options.zone, err);
    if (st == STATUS_OK)
        st = load_resolve_window(input->path, input->from_format,
                                 &input->options.from, &input->options.to, err);
    return st == STATUS_OK ? check_sidecar(input, err) : st;
}

static enum status resample_write_rows(const struct resample_input *input,
                                       struct resample *resample,
                                       const struct trace_ops *ops,
                                       const char *cluster, struct out *out,
                                       struct error *err)
{
    struct trace_row row;
    trace_write_head(ops, out);
    for (uint64_t i = 0; resample_next(resample, &row); i++) {
        if (i == 0)
            row.cluster = text_from(cluster);
        const char *lost = input->lossy ? NULL : trace_cannot_hold(ops, &row);
        if (lost)
            return error_set(
                err, STATUS_BAD_INPUT,
                "%s:%" PRIu64
                ": format %s cannot hold %s; --lossy leaves it out",
                input->path, row.line, ops->name, lost);
        ops->write_row(out, &row, i);
    }
    if (ops->tail)
        out_text(out, ops->tail);
    return STATUS_OK;
}

static void say_dropped(const struct resample_counts *counts)
{
    for (unsigned i = 0; i < RESAMPLE_N_REASONS; i++) {
        if (counts->dropped[i])
            fprintf(stderr, "note: %" PRIu64 " rows left out: %s\n",
                    counts->dropped[i], resample_reason_words(i));
    }
}

/* Prints notes on what the length of a block means for the result. */
static void say_blocks(const struct resample_input *input,
                       const struct resample_counts *counts)
{
    const bool draws = input->options.order != RESAMPLE_PERMUTE;
    if (counts->n_out && counts->n_whole < 2)
        fprintf(stderr,
                "note: the trace has %s of %g days: %s; only jitter, run "
                "times and names differ\n",
                counts->n_whole ? "one whole block" : "no whole block",
                input->block_days,
                draws ? "each place gets the same one"
                      : "nothing changes places");
    if (counts->n_partial && !draws)
        fprintf(stderr,
                "note: the last block is not whole; its %" PRIu64
                " rows stay at its end (--set drop-partial leaves them out)\n",
                counts->n_partial);
    const bool keeps = input->options.order == RESAMPLE_WEEKDAYS &&
                       counts->n_whole >= RESAMPLE_WEEKDAYS_MIN &&
                       fmod(input->block_days, 1) == 0;
    if (fmod(input->block_days, 7) != 0 && !keeps)
        fprintf(stderr, "note: blocks of %g days mix the days of the week%s\n",
                input->block_days,
                fmod(input->block_days, 1) != 0 ? " and the hours of the day"
                                                : "");
}

static void resample_say(const struct resample_input *input,
                         const struct resample_counts *counts)
{
    const char *how = input->options.order == RESAMPLE_PERMUTE
                          ? "permuted"
                          : "drawn with replacement";
    fprintf(stderr,
            "%" PRIu64 " rows from %" PRIu64 ", seed %" PRIu64
            ": %u whole block%s of %g days %s in ",
            counts->n_out, counts->n_rows, input->options.seed, counts->n_whole,
            say_plural(counts->n_whole), input->block_days, how);
    if (input->options.joint || counts->n_groups == 1)
        fprintf(stderr, "the whole cluster\n");
    else
        fprintf(stderr, "each of %u virtual clusters\n", counts->n_groups);
    say_dropped(counts);
    say_blocks(input, counts);
    if (counts->n_linked)
        fprintf(stderr,
                "note: %" PRIu64
                " rows follow the end of a job of their user\n",
                counts->n_linked);
    if (counts->n_without_user)
        fprintf(stderr,
                "note: %" PRIu64 " rows name no user; they stay without one\n",
                counts->n_without_user);
}

static enum status resample_write_file(struct resample_input *input,
                                       struct resample *resample,
                                       const struct trace_ops *ops,
                                       const char *cluster, struct error *err)
{
    struct out *out;
    enum status st = out_is_no_input(input->out_path, input->path, err);
    if (st == STATUS_OK)
        st = out_open_sparing(input->out_path, input->call.force, &out, err);
    if (st != STATUS_OK)
        return st;
    st = resample_write_rows(input, resample, ops, cluster, out, err);
    if (st == STATUS_OK)
        return out_close(out, err);
    out_abandon(out);
    return st;
}

static enum status resample_run(void *self, struct error *err)
{
    struct resample_input *input = self;
    const struct trace_ops *ops;
    struct resample *resample = NULL;
    bool wide = false;
    const char *cluster = NULL;
    enum status st = trace_find_target(input->to_format, &ops, err);
    if (st == STATUS_OK)
        st = trace_resample_check(input, err);
    if (st != STATUS_OK)
        return st;
    resample = resample_new(&input->options);
    st = trace_resample_read(input, resample, &wide, &cluster,
                             &input->call.arena, err);
    if (st == STATUS_OK)
        st = resample_draw(resample, err);
    if (wide && ops->wide)
        ops = ops->wide;
    if (st == STATUS_OK)
        st = resample_write_file(input, resample, ops, cluster, err);
    if (st == STATUS_OK && !input->quiet)
        resample_say(input, resample_counts(resample));
    resample_free(resample);
    return st;
}

static const char *const orders[] = {"permute", "draw", "weekdays", NULL};
static const char *const users[] = {"block", "trace", "keep", NULL};

static const struct arg trace_resample_args[] = {
    TAKE_WORD(struct resample_input, path, "TRACE", "trace"),
    TAKE_U64(struct resample_input, options.seed, "seed", "N",
             "seed of the random numbers", .initial = "1"),
    TAKE_TEXT(struct resample_input, out_path, "out", "FILE",
              "file to write; default standard output", .letter = 'o'),
    TAKE_FORCE(struct resample_input),
    TAKE_KEYS("set", "how the trace is resampled, such as order=draw,joint"),
    TAKE_CHOICE(struct resample_input, options.order, "order", "HOW", orders,
                "permute: each block once, in another order; draw: blocks "
                "drawn with replacement, so that the number of jobs varies "
                "(block bootstrap); weekdays: drawn from the blocks that lie a "
                "multiple of 7 blocks apart, if there are 56 or more, which "
                "keeps weekdays with --block-days 1",
                .initial = "permute", .of = "set"),
    TAKE_FLAG(struct resample_input, options.joint, "joint",
              "blocks of the whole cluster, which keeps what virtual clusters "
              "do at the same time; default: each virtual cluster by itself",
              .of = "set"),
    TAKE_DOUBLE(struct resample_input, block_days, "block-days", "DAYS",
                "length of a block; a week keeps weekdays (assumed)",
                .lo = 0.01, .hi = 3660, .initial = "7"),
    TAKE_TEXT(struct resample_input, zone, "zone", "ZONE",
              "clock by which blocks begin at midnight, and which a job keeps: "
              "utc, pacific (with daylight saving) or +HH:MM",
              .initial = "utc", .of = "set"),
    TAKE_FLAG(struct resample_input, options.drop_partial, "drop-partial",
              "leave out a last block that is not whole; default: it stays "
              "last",
              .of = "set"),
    TAKE_CHOICE(struct resample_input, options.users, "users", "HOW", users,
                "new names of users: one in each block, one in the whole "
                "trace, or none",
                .initial = "block", .of = "set"),
    TAKE_FLAG(struct resample_input, options.keep_names, "keep-names",
              "keep the names of jobs; default: they are left out",
              .of = "set"),
    TAKE_SPAN(struct resample_input, options.jitter, "jitter", "SECONDS",
              "largest shift of a submission; the submissions of a user within "
              "twice this time shift together (assumed)",
              .lo = 0, .hi = 86400, .initial = "30", .of = "set"),
    TAKE_SPAN(struct resample_input, options.link, "link", "SECONDS",
              "a submission this soon after a job of its user ended follows "
              "that end; 0: none does (assumed: of failed jobs in Helios, "
              "0.86 are followed within an hour)",
              .lo = 0, .hi = SECONDS_MAX, .initial = "3600", .of = "set"),
    TAKE_DOUBLE(struct resample_input, options.noise, "duration-noise", "SIGMA",
                "standard deviation of the logarithm of the factor by which a "
                "run time changes (assumed)",
                .lo = 0, .hi = 1, .initial = "0.02", .of = "set"),
    TAKE_TIME(struct resample_input, options.from, "from", "TIME",
              "take rows submitted at or after this time: a date, or seconds "
              "since 1970",
              .may_be_since = true),
    TAKE_TIME(struct resample_input, options.to, "to", "TIME",
              "take rows submitted at or before this time",
              .may_be_since = true),
    TAKE_TEXT(struct resample_input, from_format, "format", "SPEC",
              "format of TRACE; default: recognised by content", .letter = 'f'),
    TAKE_TEXT(struct resample_input, to_format, "as", "FORMAT",
              "format to write; native holds every value", .initial = "native"),
    TAKE_FLAG(struct resample_input, lossy, "lossy",
              "leave out values that the format to write cannot hold",
              .letter = 'l'),
    TAKE_FLAG(struct resample_input, without_evidence, "without-evidence",
              "leave out the evidence beside TRACE, which cannot be resampled; "
              "without this option, such a trace is refused",
              .of = "set"),
    TAKE_FLAG(struct resample_input, quiet, "quiet", "print no notes",
              .letter = 'q'),
    {0},
};

static const struct resample_input trace_resample_defaults = {
    .out_path = "-",
    .options = {.from = TRACE_NO_TIME, .to = TRACE_NO_TIME},
};

const struct command trace_command_resample = {
    .name = "resample",
    .summary = "make another trace from recorded rows, in blocks of weeks",
    .about = "Writes another trace that could have been recorded in place of "
             "TRACE: its blocks, by default the weeks of each virtual cluster, "
             "in another order. With several seeds, results get intervals.",
    .notes = "Each row keeps its values except its submission, run time, user "
             "and name. The same options give the same bytes.",
    .parts = {{.rows = trace_resample_args}},
    .input_size = sizeof(struct resample_input),
    .defaults = &trace_resample_defaults,
    .run = resample_run,
    .examples = "trace resample jobs.csv --seed 3 -o jobs-3.csv\n"
                "trace resample jobs.csv --set order=draw,joint --block-days "
                "14 -o b.csv",
};
