/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Executes many runs on several threads. Each run is executed by one thread
 * from its preparation to its summary, and its results are those of `schedsim
 * run` with the same configuration, to the byte: they depend neither on the
 * number of threads nor on what else is executed. Each trace is parsed once, as
 * long as all fit onto the shelf (traces/shelf.h).
 *
 *     struct study_task tasks[N] = {{.config = {.trace = "a.csv", ...}}, ...};
 *     struct study study = {.tasks = tasks, .n = N, .self = &mine,
 *                           .take = ...};
 *     enum status st = study_execute(&study, err);
 *
 * `take` is called for each run on the thread that executed it, for several
 * runs at the same time, in any order: it stores its results in a place of the
 * run's own, such as mine->means[run->index]. `note` is called for each run
 * after `take`, on the thread that called study_execute, one call at a time, in
 * the order in which the runs ended: it writes journals and draws progress. A
 * caller that needs the order of the tasks reads its places after study_execute
 * has returned. */
#ifndef STUDY_RUNS_H
#define STUDY_RUNS_H

#include "commands/cmd_run.h"
#include "sim/run/run.h"

struct shelf; /* defined in traces/shelf.h */

struct study_task {
    /* strings are borrowed; `shelf` is set by study_execute */
    struct run_config config;
    /* what to observe, such as a series into memory (out_to_memory). `progress`
     * must be false. */
    struct replay_options observe;
};

/* A run that has ended. Borrowed for the call. */
struct study_run {
    size_t index; /* index of the task */
    /* STATUS_OK or STATUS_INCOMPLETE: the results are valid. Any other: the run
     * failed, and err->message says why. */
    enum status status;
    const struct error *err;
    /* The run with results in replay->results; NULL for a run that failed, and
     * in `note`. For the summary call job_pass(NULL, NULL, replay->results,
     * &summary). It is freed after `take`. */
    struct replay *replay;
    double seconds; /* real time that the run took; must not reach any result */
};

struct study {
    const struct study_task *tasks; /* tasks, which are begun in this order */
    size_t n;
    unsigned n_threads;  /* number of threads; 0: study_processors() */
    struct shelf *shelf; /* parsed traces; NULL: one for this call */
    bool stop_at_error;  /* true: begin no further run after one failed */
    void *self;          /* first argument of the calls; borrowed */
    /* Each of the four may be NULL. `begin` may change the copies of
     * configuration and observers before a run, on its thread, for example to
     * open files; a status other than STATUS_OK makes the run fail. After
     * `begin` returned STATUS_OK, `take` is called exactly once. `note` returns
     * false to end the study without an error; runs in execution are then
     * dropped: `take` gets STATUS_FAILED for them, and `note` is not called.
     * `tick` is called at least 5 times a second while runs are executed, on
     * the thread of `note`. */
    enum status (*begin)(void *self, size_t index, struct run_config *config,
                         struct replay_options *observe, struct error *err);
    void (*take)(void *self, const struct study_run *run);
    bool (*note)(void *self, const struct study_run *run);
    void (*tick)(void *self);
    /* Set by study_execute. */
    size_t n_done; /* runs for which `note` was called */
    size_t n_failed, n_incomplete;
    int signal; /* the signal that ended the study; 0: none did */
};

/* Executes the runs. Returns STATUS_OK if each of them ended, whether or not
 * some failed or are incomplete (n_failed, n_incomplete), and if `note` ended
 * the study. With stop_at_error, if a run failed, returns the status and the
 * error of the failed run with the smallest index. Returns STATUS_FAILED if no
 * thread can be started or the files for waiting cannot be opened.
 *
 * SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU end the study: no run is begun,
 * runs in execution are dropped after their present instant, threads are
 * joined, `signal` is set, and STATUS_FAILED is returned. The caller then puts
 * its own affairs in order and calls study_die. A signal that was ignored stays
 * ignored. */
enum status study_execute(struct study *study, struct error *err) MUST_USE;

/* Ends the program by the signal, so that the parent process sees which it was
 * (base/interrupt.h removes temporary files); returns if signal is 0. */
void study_die(int signal);

/* Returns the number of processors that this process may use, at least 1. */
unsigned study_processors(void);

#endif
