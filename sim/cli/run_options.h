/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options that decide a result, shared by all commands that simulate. Each
 * row is one option: its name, its letter, its key in a configuration file (-
 * becomes _) and its field in struct run_config. */
#ifndef SIM_RUN_OPTIONS_H
#define SIM_RUN_OPTIONS_H

#include "sim/cli/cli.h"
#include "sim/run/run.h"

struct run_option {
    const char *name; /* NULL: the last row */
    int key;          /* a letter, or a number beyond letters */
    const char *arg, *help;
    size_t offset;
    enum { RUN_TEXT, RUN_U64, RUN_TIME } kind;
    /* Group in --help, in this order. Options of a single command come last. */
    enum {
        RUN_OF_TRACE = 1,
        RUN_OF_SCHEDULER,
        RUN_OF_BELIEFS,
        RUN_OF_JOBS,
        RUN_OF_COMMAND,
    } group;
};
extern const struct run_option run_options[];

/* First key of the shared options, and first key of the options of a single
 * command. */
enum { RUN_OPTION_KEYS = 0x100, COMMAND_OPTION_KEYS = 0x200 };

struct run_options {
    struct run_config config;
    struct arena arena;    /* owns texts that were read from a file */
    bool set[24];          /* by row: true if given on the command line */
    const char *given[24]; /* by row: text in force, or NULL */
    sim_span interval; /* between rows of series.csv, from a manifest; 0: none
                          was given */
};

void run_options_init(struct run_options *options);
void run_options_fini(struct run_options *options);

/* Fills `room` with argp's rows: the shared options, then `own`, which ends
 * with zeroes. */
#define RUN_ARGP_MAX 64
void run_options_argp(const struct argp_option *own,
                      struct argp_option room[RUN_ARGP_MAX]);
/* For parser callbacks: handles the shared options and the one argument TRACE.
 * Returns ARGP_ERR_UNKNOWN for any other key. */
error_t run_options_parse(struct run_options *options, int key, char *arg,
                          struct argp_state *state);
/* Reads a JSON object with the same keys, or the manifest.json of a result,
 * from which the options of its run are taken. Options given on the command
 * line are kept. Paths are relative to the current directory, as on the command
 * line. */
enum status run_options_file(struct run_options *options, const char *path,
                             struct error *err) MUST_USE;

#endif
