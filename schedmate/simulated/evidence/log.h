/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs that the training jobs of a simulation would have written.
 *
 * A log is a pure function of a log_source, which says what the job is and how
 * its life went until now. Each line depends only on the source and the number
 * of the line, so any part can be read twice with equal bytes, and only the
 * lines that are asked for are made: the end of a log for the Metric Tracker,
 * chunks for the Failure Locator.
 *
 * A log never tells the future. Its lines follow from the work done by the time
 * `until`: the log of a later time begins with the log of an earlier time. A
 * progress line shows the time of a step at the speed that the job had then,
 * true except for log_kind.jitter, and the simulated time at which the job
 * reached the step. The report of a failure comes after the failure.
 *
 * All sentences come from the log_*.txt of this folder and were written for
 * this project in the manner of well-known programs. Nothing was copied from a
 * real log. Evaluations and checkpoints are printed but take no time, because
 * the simulation has none for them. */
#ifndef SCHEDMATE_EVIDENCE_LOG_H
#define SCHEDMATE_EVIDENCE_LOG_H

#include "base/text.h"

/* Share of the log that has nothing to do with the training. */
enum log_noise {
    LOG_STANDARD, /* some warnings and messages between progress lines */
    LOG_NOISY,    /* most lines are irrelevant: debugging output, downloads */
};

/* The manner in which a program prints. The names are "torch-imagenet",
 * "hf-trainer", "deepspeed", "megatron", "lightning", "nanogpt", "fairseq",
 * "keras", "mmengine", "paddle", "rl" and "plain-epoch". */
struct log_style;
/* Returns the style with this name, or NULL. */
const struct log_style *log_style_find(struct text name);
/* Returns the name of the i-th style, or NULL if there are fewer. */
const char *log_style_name(size_t i);

/* The program that the job runs. It must not change during the life of a job,
 * or later logs would not begin with earlier ones. */
struct log_kind {
    const struct log_style *style;
    double step_s; /* seconds of a step at speed 1, > 0 */
    /* Number of steps of an epoch, > 0. A style without epochs prints fractions
     * of an epoch or does not mention epochs. */
    uint64_t epoch_steps;
    /* Number of steps of the whole run by its configuration, > 0. */
    uint64_t steps;
    uint32_t log_every;   /* steps from one progress line to the next, > 0 */
    uint32_t gpus, nodes; /* > 0; gpus >= nodes */
    uint32_t batch;       /* samples of a step on all GPUs together, > 0 */
    const char *model, *dataset; /* names; "": unknown */
    /* True if the progress lines show the speed. If false, only the times of
     * day in the log, if it has any, tell the speed. */
    bool prints_time;
    enum log_noise noise;
    /* Relative standard deviation of the printed time of one step, >= 0. With
     * 0, all printed times are exact up to their digits. */
    double jitter;
};

/* A stretch of time with one speed: from `at` until the next segment, or until
 * the end of the attempt. */
struct log_segment {
    sim_time at;
    sim_span work; /* work done before `at`, microseconds at speed 1 */
    double speed;  /* work per time, >= 0; 0: the job starts up or waits */
};

/* How an attempt ended. */
enum log_end {
    LOG_RUNNING,   /* the attempt goes on */
    LOG_COMPLETED, /* the job is done */
    LOG_STOPPED,   /* the scheduler preempted or evicted the job */
    LOG_FAILED,
};

/* What failed. The kinds before LOG_FAULT_FRAMEWORK are infrastructure. */
enum log_fault {
    LOG_FAULT_GPU,
    LOG_FAULT_NVLINK,
    LOG_FAULT_NETWORK,
    LOG_FAULT_NODE,
    LOG_FAULT_REMOTE, /* a service that the job uses; no node is at fault */
    LOG_FAULT_STORAGE,
    LOG_FAULT_FRAMEWORK, /* a library or its use */
    LOG_FAULT_SCRIPT,    /* the user's code, data or settings */
    LOG_FAULT_OTHER,     /* a time limit, or somebody cancelled the job */
    LOG_N_FAULTS
};

struct log_failure {
    enum log_fault fault;
    /* The cause in the words of models/failures, such as "NVLink error". NULL
     * or an unknown word: any cause of `fault`. */
    const char *cause;
    /* The node at fault, one of the job's nodes. NODE_NONE: no node is at
     * fault, and any rank fails first. */
    node_id node;
};
/* Returns what fails by a cause, in the words of models/failures/causes.h or of
 * a fault model. Returns `otherwise` if the words are unknown or `cause` is
 * NULL. */
enum log_fault log_fault_of(const char *cause, enum log_fault otherwise);

/* One run of the program. Its log has a head, then the lines of the steps, then
 * an end. */
struct log_attempt {
    uint32_t number; /* 1 for the first attempt of the job */
    /* Speeds of the attempt, by time. The first segment begins with the
     * attempt. A caller that knows only the last speeds passes the mean of the
     * earlier ones as one segment. */
    const struct log_segment *segments;
    size_t n_segments; /* > 0 */
    sim_time until;    /* now, or the end of the attempt */
    /* The nodes of the job, kind.nodes elements. NULL: the nodes 0, 1, ... */
    const node_id *hosts;
    enum log_end end;
    struct log_failure failure; /* used if `end` is LOG_FAILED */
};

struct log_source {
    struct log_kind kind;
    uint64_t key;  /* key of the job; jobs with different keys differ in
                    * details */
    sim_time zero; /* date of simulated time 0, microseconds since 1970 */
    /* Attempts whose logs are in one file, one after the other. Most jobs write
     * one file for each attempt. */
    const struct log_attempt *attempts;
    size_t n_attempts; /* > 0 */
    /* True if the user's program prints instructions to the reader of the log,
     * such as to call the failure one of infrastructure. */
    bool hostile;
};

/* Returns the number of lines. A line ends with "\n", or with "\r" if the line
 * is a state of a progress bar. No line has a "\r" or "\n" inside. */
uint64_t log_count(const struct log_source *source);

/* Returns the n lines from number `first` (from 0) on, or fewer if the log ends
 * earlier, each with its line end. The text lies in the arena. */
struct text log_text(const struct log_source *source, uint64_t first,
                     uint64_t n, struct arena *arena);
/* Returns the last n lines, or all lines if there are fewer. The text lies in
 * the arena. */
struct text log_tail(const struct log_source *source, uint64_t n,
                     struct arena *arena);

/* Calls `use` for each line of the whole log in order, without its line end.
 * Only one chunk of lines is in memory, so `line` is valid during the call
 * only. */
typedef void (*log_use_line)(void *self, struct text line, uint64_t number);
void log_each(const struct log_source *source, log_use_line use, void *self);

/* Reads a log by chunks, as locator_search of schedmate/logs/log_locator.h
 * reads it. log_chunk has the type locator_chunk; `self` is a log_reader. It
 * sets *out to the lines of chunk i, valid until the next call, and returns
 * false if the log has no such chunk. */
struct log_reader {
    const struct log_source *source;
    uint32_t chunk;      /* lines of a chunk, > 0 */
    struct arena *arena; /* reset by each call */
};
bool log_chunk(void *self, uint64_t i, struct text *out);

/* Bytes for the name of a host, with the terminating zero. */
#define MADE_HOST_MAX 20
/* Writes the name that the logs print for a node. */
void log_host_name(node_id node, char out[MADE_HOST_MAX]);
/* Finds the first name of a host in a text and sets *out to its node. Returns
 * false if the text has none. */
bool log_host_find(struct text t, node_id *out) MUST_USE;

#endif
