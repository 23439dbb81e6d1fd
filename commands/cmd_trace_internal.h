/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the subcommands of `trace` share. Each subcommand has its own file. */
#ifndef SIM_CMD_TRACE_INTERNAL_H
#define SIM_CMD_TRACE_INTERNAL_H

#include "commands/cli.h"
#include "traces/generate/synthetic.h"
#include "traces/resample/resample.h"

extern const struct command command_trace;

extern const struct command trace_command_info, trace_command_guess,
    trace_command_validate, trace_command_convert, trace_command_fidelity,
    trace_command_generate, trace_command_resample;

/* Input of `trace resample`. */
struct resample_input {
    struct cli_call call;
    struct resample_options options;
    const char *path, *from_format, *to_format, *out_path, *zone;
    double block_days;
    bool lossy, without_evidence, quiet;
};
/* Completes input->options from the other fields. STATUS_USAGE for an unknown
 * zone, and for a trace with evidence, which cannot be resampled; with
 * input->without_evidence, leaves the evidence out and says so on stderr unless
 * input->quiet is true. */
enum status trace_resample_check(struct resample_input *input,
                                 struct error *err) MUST_USE;
/* Adds all rows of the trace to `resample`. Sets *wide to whether the rows may
 * have facts that only the wide variant of a format holds, and *cluster,
 * unless it is NULL, to the cluster of the trace (traces/footprint.h), which
 * lives in `arena`. */
enum status trace_resample_read(const struct resample_input *input,
                                struct resample *resample, bool *wide,
                                const char **cluster, struct arena *arena,
                                struct error *err) MUST_USE;

/* Returns the cluster that the jobs are generated for, as --cluster takes it:
 * the preset `like` if it has the same nodes. The text lives in `arena`. */
const char *trace_generated_cluster(const struct synthetic *synthetic,
                                    const char *like, struct arena *arena);

/* Input of `trace generate`. */
struct generate_input {
    struct cli_call call;
    struct synthetic_options options;
    const char *format, *path, *repositories;
};

struct trace_ops;
/* Finds a format by name. STATUS_USAGE if there is none, or traces cannot be
 * written in it. */
enum status trace_find_target(const char *name, const struct trace_ops **out,
                              struct error *err) MUST_USE;

#endif
