/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options that decide a result, for every command that simulates. One row
 * is the option, its letter, its key in a configuration file (- becomes _) and
 * its field in struct run_config. */
#ifndef SIM_RUN_OPTIONS_H
#define SIM_RUN_OPTIONS_H

#include "sim/cli.h"
#include "sim/run.h"

struct run_option {
    const char *name; /* NULL: the last row */
    int key;          /* a letter, or a number beyond letters */
    const char *arg, *help;
    size_t offset;
    enum { RUN_TEXT, RUN_U64, RUN_TIME } kind;
    /* Of --help, in this order; the options of a command come last. */
    enum {
        RUN_OF_TRACE = 1,
        RUN_OF_SCHEDULER,
        RUN_OF_BELIEFS,
        RUN_OF_JOBS,
        RUN_OF_COMMAND,
    } group;
};
extern const struct run_option run_options[];

/* Keys of options that belong to a command start here. */
enum { RUN_OPTION_KEYS = 0x100, COMMAND_OPTION_KEYS = 0x200 };

struct run_options {
    struct run_config config;
    struct arena arena;    /* of texts from a file */
    bool set[24];          /* by row: given on the command line */
    const char *given[24]; /* by row: the text in force; NULL: the default */
    sim_span interval;     /* of series.csv, from a manifest; 0: not said */
};

void run_options_init(struct run_options *options);
void run_options_fini(struct run_options *options);

/* argp's rows: those above, then `own` (ends with zeroes). Borrows `room`,
 * which has RUN_ARGP_MAX elements. */
#define RUN_ARGP_MAX 64
void run_options_argp(const struct argp_option *own,
                      struct argp_option room[RUN_ARGP_MAX]);
/* In a parser callback: takes the options and the one argument TRACE;
 * ARGP_ERR_UNKNOWN if the key is none of these. */
error_t run_options_parse(struct run_options *options, int key, char *arg,
                          struct argp_state *state);
/* A JSON object with the same keys, or the manifest.json of a result, of which
 * the options of its run are taken. What the command line said stays. Paths
 * are relative to the current directory, as on the command line. */
enum status run_options_file(struct run_options *options, const char *path,
                             struct error *err) MUST_USE;

#endif
