/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A handle of the library, shared by its files. */
#ifndef LIB_HANDLE_INTERNAL_H
#define LIB_HANDLE_INTERNAL_H

#include <locale.h>

#include "commands/cmd_run.h"
#include "commands/run_options.h"
#include "lib/schedsim.h"
#include "policies/policy.h"
#include "sim/results/manifest.h"
#include "sim/results/report.h"

enum handle_phase {
    HANDLE_NEW,   /* options may be set */
    HANDLE_RUNS,  /* the engine exists */
    HANDLE_ENDED, /* results are valid */
    HANDLE_BROKEN /* an error has ended the run */
};

enum { TABLE_JOBS, TABLE_ATTEMPTS, TABLE_SERIES, TABLES };

struct lib_table {
    struct out *text; /* the bytes of the table's file; NULL: not written yet */
    /* columns of the table; NULL: not parsed yet */
    struct schedsim_column *columns;
    size_t n_columns;
};

struct schedsim {
    enum handle_phase phase;
    enum status ended; /* how the run ended, if phase is HANDLE_ENDED */
    struct run_options options;
    sim_span interval; /* time between rows of the series, us */
    bool wants_decisions;
    bool resamples;         /* true: the run is of a resampled trace */
    uint64_t resample_seed; /* valid if resamples */
    struct out *decisions;  /* text of decisions.log; NULL: not wanted */
    schedsim_watch *watch;  /* callback during the run; NULL: there is none */
    void *watch_self;
    /* number of jobs that had ended when `watch` was last called */
    size_t watched;
    /* descriptor of the caller's policy; name NULL: the caller is not the
     * policy */
    struct policy_ops own;
    struct replay replay;
    struct provenance provenance;
    bool has_summary;
    struct summary summary;
    struct out *summary_text;
    void *summary_json; /* json_t of summary_text; NULL: not parsed yet */
    struct lib_table tables[TABLES];
    struct error error;
    struct arena arena;
};

/* handle_enter sets the locale "C" for this thread and returns the one before,
 * handle_leave sets that one again. A function that writes or reads numbers
 * calls both, because the caller may have another locale. */
locale_t handle_enter(void);
void handle_leave(locale_t before);

/* In tables.c. Writes the tables jobs and attempts of a run that has ended, and
 * its summary. */
void tables_write(struct schedsim *s);
void tables_free(struct schedsim *s);

/* Sets an error of usage and returns SCHEDSIM_USAGE. If an error has already
 * ended the run, keeps that error and returns its status. */
int handle_refuse(struct schedsim *s, const char *why);
int handle_status(enum status status);

#endif
