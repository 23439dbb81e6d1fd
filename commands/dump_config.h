/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --dump-config: writes the configuration in force as JSON that --config reads.
 * It has every option of a run and, after the name of a part, the settings of
 * the part that --config can read. An option is null if it keeps its default,
 * because its presence is itself a choice of the user that the results mention
 * (such as which interference is assumed), or because the policies that are
 * compared have different defaults. A run with the written configuration gives
 * the same bytes as the run that it describes. */
#ifndef SIM_DUMP_CONFIG_H
#define SIM_DUMP_CONFIG_H

#include "base/out.h"
#include "commands/run_options.h"

/* Help text of --dump-config. */
#define DUMP_CONFIG_HELP \
    "run nothing; print the configuration in force as JSON that --config " \
    "reads"

/* Prints the configuration of one run to stdout. `interval`: time between rows
 * of series.csv, us. Reads the trace, because defaults depend on it. */
enum status dump_config_run(const struct run_options *options,
                            sim_span interval, struct error *err) MUST_USE;
/* Prints the configuration of the runs of several policies, which stay as the
 * user gave them. */
enum status dump_config_compare(const struct run_options *options,
                                const struct arg_list *policies,
                                struct error *err) MUST_USE;

#endif
