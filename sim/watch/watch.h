/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `schedsim watch`: follows the logs of running jobs and tells each change as
 * one line of JSON. docs/watch.md describes it for users. */
#ifndef SIM_WATCH_H
#define SIM_WATCH_H

#include "sim/base/option.h"
#include "sim/live/backend.h"
#include "sim/watch/folders.h"

struct watch_config {
    sim_span every;     /* time between two looks */
    double factor;      /* a step time that changed by more is told */
    double stall_steps; /* a stall lasts at least this many step times, */
    sim_span stall;     /* at least this long, */
    double stall_gaps;  /* and as many usual times between two progresses */
    /* Time without any new line after which a job without a known step time
     * is stalled; 0: never. */
    sim_span silent;
    sim_span settle;    /* a log that may have failed is judged after this long
                           without a new line */
    sim_span forget;    /* a log without a new line for so long is left alone */
    double confidence;  /* least confidence of a failure seen in a log */
    uint32_t files;     /* most logs that are followed */
    uint32_t look_mib;  /* most to read in one look, of all logs */
    uint32_t log_kib;   /* most to read in one look, of one log */
    uint32_t judge_mib; /* the end of a log that is judged */
    sim_span slurm;     /* time between two questions to Slurm */
    sim_span gpu;       /* time between two looks at --gpu-metrics */
};
extern const struct option watch_options[];

struct watch_settings {
    struct folders_settings folders; /* dir is NULL if no directory is given */
    bool slurm;
    const char *jobs;    /* JSON Lines about jobs, "-": standard input */
    const char *state;   /* SQLite file */
    const char *output;  /* NULL: standard output */
    const char *metrics; /* "unix:PATH" or "ADDRESS:PORT"; NULL: none */
    bool metrics_open;   /* true: an address that is not loopback is fine */
    const char *const *signatures; /* files of knowledge (log_knowledge.h) */
    size_t n_signatures;
    const char *history; /* job database that ended jobs go to, or NULL */
    /* true: ended jobs get metadata from their directory and command */
    bool describe;
    const char *gpu_metrics; /* file or directory, or NULL */
    struct backend_settings llm;
    struct watch_config config;
    bool once;    /* true: one look, then the end */
    bool stepped; /* true: the clock of tests (watch_clock.h) */
    bool quiet;   /* true: no remarks on standard error */
};

/* Runs until SIGTERM or SIGINT. */
enum status watch_run(const struct watch_settings *settings,
                      struct error *err) MUST_USE;

#endif
