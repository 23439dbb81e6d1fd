/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options that decide a result, shared by all commands that simulate. They
 * come from the command line or from a file, in which their names have _ where
 * the command line has -. */
#ifndef SIM_RUN_OPTIONS_H
#define SIM_RUN_OPTIONS_H

#include "commands/args.h"
#include "commands/trust.h"
#include "sim/run/run.h"

/* Groups of options in --help, in this order. */
enum {
    RUN_OF_TRACE = 1,
    RUN_OF_SCHEDULER,
    RUN_OF_BELIEFS,
    RUN_OF_JOBS,
    RUN_OF_COMMAND, /* options of only one command */
};

/* Rows for the fields of struct run_config, then rows without a name, which are
 * headings. */
extern const struct arg run_args[];
enum { RUN_ARGS_MAX = 48 };

struct run_options {
    struct run_config config;
    const char *given[RUN_ARGS_MAX]; /* by row of run_args: the value as the
                                      * user wrote it; NULL: not given */
    /* time between rows of series.csv, us, from a manifest or a file of
     * --config; 0: not given */
    sim_span interval;
    bool trusts; /* true if files may set what trust.h asks about */
};

/* Help text of --config, which `run` and `compare` have. */
#define CONFIG_HELP \
    "read options from a JSON object, or from the manifest.json of a result; " \
    "options of the command line take precedence"

/* The part of a command whose input holds a struct run_options. */
#define RUN_ARG_PART(type, field) \
    { \
        .rows = run_args, .offset = offsetof(type, field.config), \
        .given = offsetof(type, field.given) \
    }

/* Sets the defaults. Call it only for options that come from a file and not
 * from the command line. */
void run_options_init(struct run_options *options);
/* Returns the row of run_args of an option, by its name with - or _; a row
 * without a name: there is none. */
size_t run_options_row(const char *name);
/* Sets an option by its name, with - or _, or `trace`; a later value replaces
 * an earlier one. `value` is copied to `arena`. Returns STATUS_USAGE for a
 * wrong value, and with the nearest known name if there is no such option. */
enum status run_options_set(struct run_options *options, const char *name,
                            const char *value, struct arena *arena,
                            struct error *err) MUST_USE;
/* Reads options from a JSON object with their names as keys, or from the
 * manifest.json of a result, which has the options of its run. A value null
 * leaves the default; "series_interval_s" is a number. Options that were given
 * already are kept. Paths are relative to the current directory, as on the
 * command line. Texts are copied to `arena`. STATUS_BAD_INPUT if the file
 * cannot be read, has an unknown key or a wrong value, or sets what acts
 * outside the simulation and is not trusted (trust.h). `policies`: receives
 * the list that "policy" may then be, unless it has policies already; NULL:
 * "policy" is one text. */
enum status run_options_file(struct run_options *options, const char *path,
                             struct arg_list *policies, struct arena *arena,
                             struct error *err) MUST_USE;

/* Makes the configuration of one of several policies: sets `policy`, and drops
 * the settings of SchedMate and its language model if this policy has none of
 * its layers but another has. If no policy has layers, run_prepare reports the
 * mistake. */
void run_options_of_policy(const struct arg_list *policies, const char *spec,
                           struct run_config *config);

#endif
