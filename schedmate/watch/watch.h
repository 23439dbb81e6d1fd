/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `mate watch`: follows the logs of running jobs and writes each change as
 * one line of JSON. docs/watch.md describes it for users. */
#ifndef SCHEDMATE_WATCH_WATCH_H
#define SCHEDMATE_WATCH_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/option.h"
#include "schedmate/live/backend.h"

/* == folders.c: Finds the logs of a directory and of the directories in it.
 * inotify reports which directories changed, so that a look at a quiet tree
 * reads none of them. Where inotify cannot work (network file systems, no room
 * for more watches) each look reads the directories. */

enum folders_notify { NOTIFY_AUTO, NOTIFY_INOTIFY, NOTIFY_POLL };
extern const char *const folders_notify_names[]; /* ends with NULL */

struct folders_settings {
    const char *dir;
    const char *pattern; /* shell patterns of file names, separated by ',' */
    unsigned notify;     /* enum folders_notify */
    uint32_t depth;      /* levels below `dir`; 0: only `dir` */
};

struct folders; /* opaque */
struct folder;  /* opaque */

/* Numbers of entries that were left out since the last scan of all folders
 * began, by reason. `deep`: folders that lie too deep or exceed the largest
 * number of folders. */
struct folders_left {
    uint64_t compressed, links, deep, unreadable;
};

enum status folders_open(const struct folders_settings *settings,
                         struct folders **out, struct error *err) MUST_USE;
void folders_close(struct folders *folders); /* accepts NULL */
/* Returns words on how changes are noticed, such as "inotify". */
const char *folders_how(const struct folders *folders);

/* Reads the folders that may have changed, or all of them if `all` is true, and
 * calls `found` for each regular file whose name matches the pattern. Hidden
 * files and folders, compressed files and folders that lie too deep are left
 * out. A folder that was deleted and made again is read again. `path` and
 * `about` are valid during the call only. */
typedef void folders_found(void *self, struct folder *folder, const char *path,
                           const struct stat *about);
void folders_scan(struct folders *folders, bool all, folders_found *found,
                  void *self);
/* True if the last scan has read the folder or found that it no longer exists.
 * A file that this scan did not find is then gone. */
bool folder_was_read(const struct folders *folders,
                     const struct folder *folder);
struct folders_left folders_left_out(const struct folders *folders);

/* Looks in the directory of `path` for the regular file with the device and
 * inode of `is` and writes its path to `out`. Returns false if there is none or
 * its path needs more than `cap` bytes; `out` may have changed then. */
bool folders_find_inode(const char *path, const struct stat *is, char *out,
                        size_t cap);

/* == watch.c */

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
    sim_span gpu;       /* time between two looks at --set gpu-metrics, us */
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
    bool stepped; /* true: the clock of tests (watch_internal.h) */
    bool quiet;   /* true: no remarks on standard error */
};

/* Runs until SIGTERM, SIGINT or an error, but only for one look if
 * settings->once is true, and at most to the last instant of the clock of
 * tests. */
enum status watch_run(const struct watch_settings *settings,
                      struct error *err) MUST_USE;

#endif
