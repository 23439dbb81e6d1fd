/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `schedsim watch`: follows the logs of running jobs and writes each change as
 * one line of JSON. docs/watch.md describes it for users. */
#ifndef SIM_WATCH_H
#define SIM_WATCH_H

#include "base/option.h"
#include "schedmate/live/backend.h"
#include "schedmate/watch/folders.h"

struct watch_config {
    sim_span every; /* time between two looks, us */
    double factor;  /* a step time that changes by more than this factor is
                     * reported */
    /* shortest stall, as a multiple of the step time of the job */
    double stall_steps;
    /* shortest stall, us; the longest of `stall`, stall_steps, stall_gaps and
     * twice the longest stall that the job survived counts */
    sim_span stall;
    /* shortest stall, as a multiple of the mean time between two signs of
     * progress */
    double stall_gaps;
    /* time without any new line, us, after which a job without a known step
     * time is stalled; 0: never */
    sim_span silent;
    /* time without a new line, us, after which a log with suspect lines is
     * judged */
    sim_span settle;
    /* time without a new line, us, after which a job has ended, unless it is a
     * job of Slurm; a log that was written longer ago than this when it is
     * found is not followed */
    sim_span forget;
    double confidence; /* smallest confidence at which a failure that only a log
                        * shows is reported */
    uint32_t files;    /* largest number of logs that are followed */
    uint32_t look_mib; /* MiB of all logs together that one look reads at
                        * most */
    uint32_t log_kib;  /* KiB of one log that one look reads at most */
    uint32_t judge_mib; /* MiB at the end of a log that are judged, and of all
                         * kernel logs of a job together */
    sim_span slurm;     /* time between two questions to Slurm, us */
    sim_span gpu;       /* time between two looks at --gpu-metrics, us */
};
extern const struct option watch_options[];

struct watch_settings {
    struct folders_settings folders; /* `dir` is NULL if no directory is
                                      * given */
    bool slurm;
    const char *jobs;    /* file of JSON Lines about jobs; "-": standard input;
                          * NULL: none */
    const char *state;   /* path of the SQLite file with the state */
    const char *output;  /* path of the file that gets the lines; NULL: standard
                          * output */
    const char *metrics; /* address that serves figures: "unix:PATH" or
                          * "ADDRESS:PORT"; NULL: none */
    bool metrics_open;   /* true: an address that is not loopback is allowed */
    const char *const *signatures; /* files of knowledge (log_knowledge.h) */
    size_t n_signatures;
    const char *const *clues; /* files of clues (clues.h) */
    size_t n_clues;
    const char *history; /* job database to which ended jobs are added, or
                          * NULL */
    /* true: ended jobs get metadata from their directory and command */
    bool describe;
    /* file or directory with GPU figures; NULL: none */
    const char *gpu_metrics;
    /* log of the kernel, or a directory with one of each node; NULL: none */
    const char *kernel_log;
    struct backend_settings llm;
    struct watch_config config;
    bool once;    /* true: one look, then the end */
    bool stepped; /* true: the clock of tests (watch_clock.h) */
    bool quiet;   /* true: no remarks on standard error */
};

/* Runs until SIGTERM, SIGINT or an error, but only for one look if
 * settings->once is true, and at most to the last instant of the clock of
 * tests. */
enum status watch_run(const struct watch_settings *settings,
                      struct error *err) MUST_USE;

#endif
