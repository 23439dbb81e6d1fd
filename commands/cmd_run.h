/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of `run` that other commands share: the language model, the replay
 * of a trace, the report.
 *
 * The language model that the user names for a simulation. */
#ifndef SIM_CMD_RUN_H
#define SIM_CMD_RUN_H

#include "base/out.h"
#include "commands/run_options.h"
#include "schedmate/live/backend.h"
#include "sim/results/facts.h"
#include "sim/results/manifest.h"
#include "sim/results/report.h"
#include "sim/results/series.h"
#include "sim/results/timeline.h"
#include "sim/run/run.h"

/* Opens the language model that `config` names, and sets config->model unless
 * the model is "rules". *out is NULL on an error or if `config` names none;
 * otherwise the caller owns it and closes it after the run. */
enum status run_model_open(struct run_config *config, struct backend **out,
                           struct error *err) MUST_USE;

/* Fills *out with how the questions were answered; all zeroes if `backend` is
 * NULL or "rules". */
void run_model_account(struct backend *backend, struct provenance_model *out);

/* One run together with its observers, such as the usage meter, the series and
 * the progress line. The commands that simulate and the library share it.
 * *replay must not be moved after replay_open, because observers and results
 * point into it. */

struct replay {
    struct run *run;       /* the run; NULL: there is nothing to free */
    struct backend *model; /* the language model; NULL: the user named none */
    struct meter meter;
    struct coloc coloc; /* all zeroes if no GPU may be shared */
    struct alone alone;
    struct series series;
    struct timeline timeline; /* all zeroes if no timeline is written */
    bool has_series;
    struct series_by series_by[SERIES_SPLITS]; /* `out` NULL: not asked for */
    struct results results;                    /* valid after replay_close */
};

struct replay_options {
    bool progress;      /* true: draw a progress line on stderr */
    const char *label;  /* name of the run on the progress line */
    struct out *series; /* receives the rows of series.csv; NULL: none */
    /* by split: receives the rows of its file; NULL: none */
    struct out *series_by[SERIES_SPLITS];
    sim_span interval;     /* time between rows of these files, us */
    struct out *decisions; /* receives the lines of decisions.log; NULL: none */
    /* keeps the plans before this time, for a state file; us since 1970, or
     * LOAD_SINCE_FIRST and more; 0: keeps none */
    sim_time keep_until;
    /* timeline to be written after the run; NULL: none. Borrowed until
     * replay_fini. */
    const struct timeline_wish *timeline;
};

/* Makes a run. Fills *out with results, owned by the caller, and returns
 * STATUS_OK or STATUS_INCOMPLETE. On any other status there is nothing to
 * free. */
enum status replay_run(const struct run_config *config,
                       const struct replay_options *options, struct replay *out,
                       struct error *err) MUST_USE;

void replay_fini(struct replay *replay);

/* replay_run in parts, for a caller that executes the run step by step.
 * replay_open prepares the run out->run and attaches the observers that
 * `options` names, except the progress line; if it fails, there is nothing to
 * free. The caller executes the run (sim/run/run.h), then calls
 * replay_close. */
enum status replay_open(const struct run_config *config,
                        const struct replay_options *options,
                        struct replay *out, struct error *err) MUST_USE;

void replay_close(struct replay *replay);

/* Makes one run from its options and writes a result directory, or only a
 * summary. `run` and `rerun` share it. */

struct run_report {
    /* options of the run; set by the caller */
    const struct run_options *options;
    /* The caller sets arguments and interval, run_report_make the rest. */
    struct provenance provenance;
    struct report_wishes wishes;
    bool decisions, progress;
    sim_time keep_until;           /* as in struct replay_options */
    bool series_by[SERIES_SPLITS]; /* by split: true if its file is to be
                                    * written */
    /* Results, valid until run_report_fini. */
    struct replay replay;
    struct summary summary;
};

/* Makes the run. With STATUS_OK and STATUS_INCOMPLETE the results are valid and
 * the result directory `dir` is in its place; on an error `dir` is abandoned.
 * `dir` may be NULL. */
enum status run_report_make(struct run_report *report, struct result_dir *dir,
                            struct error *err) MUST_USE;

void run_report_fini(struct run_report *report);

#endif
