/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libschedsim: the simulator as a library. Programs that link with it fall
 * under the GPL, version 3 or later.
 *
 *     schedsim *s = schedsim_open();
 *     if (schedsim_set(s, "trace", "traces/samples/venus.csv") ||
 *         schedsim_set(s, "policy", "srtf") || schedsim_run(s))
 *         fprintf(stderr, "%s\n", schedsim_error(s));
 *     double jct;
 *     if (schedsim_metric(s, "metrics.jct_s.mean", &jct) == SCHEDSIM_DONE)
 *         printf("%g s\n", jct);
 *     schedsim_close(s);
 *
 * A handle is one simulation. Handles share nothing, so threads may each use
 * their own; one handle may be used by one thread at a time. A function that
 * returns a status (enum schedsim_status, as int) keeps the text of an error
 * for schedsim_error. What a function returns by pointer belongs to the handle
 * and is valid until schedsim_close, unless stated otherwise. Times are seconds
 * since the first submission of the trace. Text is UTF-8.
 *
 * The library leaves the locale as it was, and writes nothing to stdout or
 * stderr, except for a last line before it ends the program because memory is
 * used up or a rule of its own is broken. It installs no signal handlers, with
 * one exception: schedsim_write handles signals that would end the program, to
 * remove its temporary files first. */
#ifndef SCHEDSIM_H
#define SCHEDSIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SCHEDSIM_API __attribute__((visibility("default")))
#else
#define SCHEDSIM_API
#endif

/* Raised when a function or a struct of this header changes. A program compares
 * the number it was compiled with to schedsim_abi(). */
#define SCHEDSIM_ABI 1

typedef struct schedsim schedsim;

/* The values below 100 are the exit statuses of the program. */
enum schedsim_status {
    SCHEDSIM_DONE = 0,
    SCHEDSIM_FAILED = 1, /* a failure of the system, such as a full disk */
    SCHEDSIM_USAGE = 2,  /* an unknown option, policy or value, or a call
                            that is not possible now */
    /* wrong input; the error names the place if there is one */
    SCHEDSIM_BAD_INPUT = 3,
    SCHEDSIM_INCOMPLETE = 4, /* some job did not finish; results are valid */
    SCHEDSIM_BAD_PLAN = 5,   /* the policy broke a rule of plans */
    SCHEDSIM_ASKED = 100,    /* the caller is the policy and must decide */
    SCHEDSIM_MORE = 101 /* schedsim_step has reached the time it was given */
};

SCHEDSIM_API int schedsim_abi(void);
SCHEDSIM_API const char *schedsim_version(void);

/* Opens a handle with the defaults of `schedsim run`. Ends the program if there
 * is no memory, as every function here does. */
SCHEDSIM_API schedsim *schedsim_open(void);
SCHEDSIM_API void schedsim_close(schedsim *s); /* accepts NULL */
/* Returns the last error, one line; "" if there was none. Valid until the next
 * call. */
SCHEDSIM_API const char *schedsim_error(const schedsim *s);

/* Sets an option of `schedsim run` by its long name, with - or _ (trace,
 * policy, cluster, estimators, seed...), before the run begins. A later value
 * replaces an earlier one. Three options exist only here: series_interval is in
 * seconds; decisions is 1 or 0; resample is a seed, a whole number: the run is
 * of another trace that could have been recorded, with the days of `trace`
 * drawn with replacement (traces/resample/resample.h). Equal seeds give equal
 * traces. A trace with evidence beside it cannot be resampled. */
SCHEDSIM_API int schedsim_set(schedsim *s, const char *option,
                              const char *value);

/* Runs to the end. Returns SCHEDSIM_DONE or SCHEDSIM_INCOMPLETE if there are
 * results; any other status is an error. Refuses (SCHEDSIM_USAGE) if the caller
 * is the policy. */
SCHEDSIM_API int schedsim_run(schedsim *s);
/* Runs up to and including the time `until`; INFINITY: to the end. Returns
 * SCHEDSIM_MORE if that time has come, SCHEDSIM_ASKED if the caller is the
 * policy and must decide, else as schedsim_run. The first call reads the trace.
 */
SCHEDSIM_API int schedsim_step(schedsim *s, double until);
SCHEDSIM_API double schedsim_now(const schedsim *s);
/* Callback of schedsim_watch_by, called during the run each time another
 * thousandth of the jobs has ended, and when all have. `now`: time, s; `ended`:
 * number of jobs that have ended; `jobs`: number of all jobs. If the callback
 * returns 0, the run ends there, and the jobs that have not ended are
 * unfinished. */
typedef int schedsim_watch(void *self, double now, size_t ended, size_t jobs);
SCHEDSIM_API int schedsim_watch_by(schedsim *s, schedsim_watch *watch,
                                   void *self);
/* Returns the number of jobs of the run; 0 before the trace was read. */
SCHEDSIM_API size_t schedsim_jobs(const schedsim *s);

/* ---- The caller as the policy ------------------------------------------- */

enum schedsim_needs {
    /* the policy stops running jobs, which costs time by default (option
     * overhead) */
    SCHEDSIM_PREEMPTS = 4,
    /* the policy lets jobs share GPUs, which slows them down (option
     * interference); without this bit no job can share */
    SCHEDSIM_SHARES = 8
};
/* Makes the caller the policy, under this name in the results. Must be called
 * before the run begins. The name is not empty and has no blanks, ':', '+' or
 * ','. `needs`: bits of enum schedsim_needs. The option `policy` is then this
 * name or unset. Estimators are those of the option `estimators`; the default
 * learns run times from jobs that have ended, and `oracle` knows them. */
SCHEDSIM_API int schedsim_decide_by(schedsim *s, const char *name,
                                    unsigned needs);
/* Callback for each question. It reads the jobs and plans actions with the
 * functions from schedsim_waiting on. */
typedef void schedsim_policy(void *self, schedsim *s);
/* Runs to the end and calls `decide` for each question. Returns a status as
 * schedsim_run does. Refuses (SCHEDSIM_USAGE) if schedsim_decide_by was not
 * called. */
SCHEDSIM_API int schedsim_run_by(schedsim *s, schedsim_policy *decide,
                                 void *self);

/* What a policy may know of a job. */
struct schedsim_job {
    /* number of the job in order of submission, from 0 */
    uint32_t job;
    uint32_t gpus;     /* GPUs that the job asks for */
    uint32_t vc;       /* virtual cluster of the job, from 0 */
    uint32_t user;     /* a number for the user; 0: unknown */
    uint32_t name;     /* a number for the name or script; 0: unknown */
    uint32_t attempts; /* number of starts so far */
    double submitted;  /* time of submission, s */
    double started;    /* start of the running attempt, s; NaN: the job waits */
    double attained;   /* GPU time that the job has held, GPU s */
    double remaining;  /* believed remaining run time, s; NaN: no belief */
};
/* For use while a question is open (SCHEDSIM_ASKED). schedsim_waiting writes
 * the waiting jobs, schedsim_running the running jobs, both virtual cluster by
 * virtual cluster. Within a virtual cluster, waiting jobs are in the order in
 * which they began to wait, running jobs in order of their starts. Both write
 * at most `max` rows to `out` and return the number of all such jobs. A plan
 * changes the lists only when it is carried out. */
SCHEDSIM_API size_t schedsim_waiting(schedsim *s, struct schedsim_job *out,
                                     size_t max);
SCHEDSIM_API size_t schedsim_running(schedsim *s, struct schedsim_job *out,
                                     size_t max);
/* schedsim_vcs returns the number of virtual clusters. Of one virtual cluster,
 * schedsim_vc_name returns the name, schedsim_gpus the number of GPUs, and
 * schedsim_free_gpus the number of GPUs that are free after the plan so far.
 * For a number that no virtual cluster has, and before the trace was read, they
 * return NULL or 0. Without an open question, schedsim_free_gpus returns 0. */
SCHEDSIM_API size_t schedsim_vcs(const schedsim *s);
SCHEDSIM_API const char *schedsim_vc_name(const schedsim *s, uint32_t vc);
SCHEDSIM_API uint32_t schedsim_gpus(const schedsim *s, uint32_t vc);
SCHEDSIM_API uint32_t schedsim_free_gpus(const schedsim *s, uint32_t vc);
/* Actions of the plan, which is carried out by the next step. schedsim_start
 * returns 1 if the job fits, else 0 and plans nothing; it may also start a job
 * that the plan stops. schedsim_share starts the job on the GPUs of a running
 * job, and returns 0 if the two cannot share them. A running job may be stopped
 * once in a plan. Each returns 0 and plans nothing if the job is not in the
 * state for it (it does not wait, does not run, or the plan has it already) or
 * no question is open. A plan that breaks another rule ends the run: the next
 * step returns SCHEDSIM_BAD_PLAN. */
SCHEDSIM_API int schedsim_start(schedsim *s, uint32_t job);
/* Returns what schedsim_start would return, and plans nothing. */
SCHEDSIM_API int schedsim_fits(schedsim *s, uint32_t job);
SCHEDSIM_API int schedsim_share(schedsim *s, uint32_t job, uint32_t resident);
SCHEDSIM_API int schedsim_stop(schedsim *s, uint32_t job);
/* A question as an array of numbers, for agents that learn: rows of 5 for the
 * first k waiting jobs that the plan does not start yet: GPUs, seconds waited,
 * believed remaining seconds (-1: no belief), GPU seconds held, and 1 if
 * schedsim_start would start it; then a row with the time, the free GPUs of all
 * virtual clusters, the number of all waiting jobs that the plan does not
 * start, 0 and 0. Rows without a job are 0. `rows` has room for 5 (k + 1)
 * numbers, `fits` and `jobs` have room for k. fits[i] is 1 or 0; jobs[i], the
 * number of the job, is set only for rows with a job. Returns the number of
 * rows with a job. */
SCHEDSIM_API size_t schedsim_observe(schedsim *s, size_t k, double *rows,
                                     unsigned char *fits, uint32_t *jobs);
/* Makes a question come at this time, even if nothing happens. Returns 1; 0 if
 * the time is not later than now or no question is open. */
SCHEDSIM_API int schedsim_wake(schedsim *s, double at);

/* ---- Results, after the run has ended ------------------------------------ */

/* A column of a table. `numbers` is set for numbers (an empty cell is NaN),
 * `texts` for words and identifiers (an empty cell is ""). */
struct schedsim_column {
    const char *name, *unit, *help;
    size_t length;
    const double *numbers;
    const char *const *texts;
};
/* The tables are those of a result directory without .csv: jobs, attempts,
 * series. Fills *out by the name of the column, or by its place, from 0. */
SCHEDSIM_API int schedsim_column(schedsim *s, const char *table,
                                 const char *name, struct schedsim_column *out);
SCHEDSIM_API int schedsim_column_at(schedsim *s, const char *table,
                                    size_t place, struct schedsim_column *out);
/* Returns the number of columns of a table; 0: there is no such table, or there
 * are no results yet. */
SCHEDSIM_API size_t schedsim_columns(schedsim *s, const char *table);

/* Returns the text of summary.json; NULL if there are no results yet. */
SCHEDSIM_API const char *schedsim_summary(schedsim *s);
/* Reads a number of the summary. `path`: its keys, joined with dots. */
SCHEDSIM_API int schedsim_metric(schedsim *s, const char *path, double *out);
/* Returns the n-th remark, from 0. Remarks say what the user must know to read
 * the result. NULL: there are no more. */
SCHEDSIM_API const char *schedsim_remark(schedsim *s, size_t n);
/* Writes a result directory, as `schedsim run --out DIR` does. */
SCHEDSIM_API int schedsim_write(schedsim *s, const char *dir);

#ifdef __cplusplus
}
#endif
#endif
