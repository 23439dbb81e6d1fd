/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The logs of one job, such as those of its ranks: which of them decides, and
 * what it means together with the reports of the kernel and of the scheduler
 * (diagnosis.h). The rules judge each log, one after another. The log with the
 * earliest cause decides. */
#ifndef SIM_JOB_LOGS_H
#define SIM_JOB_LOGS_H

#include "base/arena.h"
#include "schedmate/live/kernel_log.h"
#include "schedmate/live/log_file.h"
#include "schedmate/logs/incidents.h"
#include "schedmate/logs/log_stream.h"

/* One of the logs, and the result of reading it. */
struct judged_log {
    const char *path;
    int64_t rank; /* rank of the process; -1: unknown */
    /* diagnosis by the rules; `host` is empty, because the window is freed */
    struct diagnosis diagnosis;
    bool is_fallout; /* true if the failure is a consequence of another
                      * process's failure */
    bool has_time;
    /* last time stamp up to `line`, or else the first one after it; valid if
     * has_time */
    struct log_stamp at;
    /* number of the line of the cause or of the first error, from 1; 0: no
     * failure */
    uint64_t line;
    uint64_t lines; /* number of lines of the log */
};

/* The logs, and how they are judged. All but `all` is borrowed. */
struct job_logs {
    struct judged_log *all; /* freed by the caller */
    size_t n, cap;
    /* The log that is open. The caller opens the only log, and closes what is
     * open in the end. */
    struct log_file *file;
    unsigned method; /* enum handler_method */
    struct locator_config locator;
    struct handler_config handler;
    /* for HANDLER_RCACOPILOT: the file of known incidents */
    struct incidents_config incidents;
    const char *known;
    const char *kernel_log; /* path of the kernel log; NULL: none */
    struct kernel_range range;
    struct job_end end; /* what the scheduler reported */
    struct log_knowledge *knowledge;
    struct log_classifier *classifier;
    struct llm_client *client; /* NULL: no model is asked */
    struct arena *arena;       /* for paths and questions */
    const char *cases; /* folder of kept cases (case_file.h); NULL: none */
};

/* What the logs of a job mean. */
struct job_finding {
    size_t log; /* index of the log that decides */
    struct host_guess host;
    int64_t rank; /* rank of the process to blame; -1: unknown */
    /* all zeroes if no kernel log was read */
    struct kernel_finding kernel;
    struct log_window window;
    struct diagnosis diagnosis;
};

/* Adds a log or, if `folders` is true, all regular files of a directory and of
 * its folders in the order of their names. At most 4,096 logs; hidden files and
 * links are left out. */
enum status job_logs_add(struct job_logs *logs, const char *path, bool folders,
                         struct error *err) MUST_USE;
/* Sets the rank of each log: its index if `in_order` is true, else the number
 * that its name gives. */
void job_logs_rank(struct job_logs *logs, bool in_order);
/* Judges all logs; logs->file becomes the one that decides. *out must be all
 * zeroes; the caller frees its window. */
enum status job_logs_judge(struct job_logs *logs, struct job_finding *out,
                           struct error *err) MUST_USE;
/* Finds the host to blame by the lines of a window from the cause on, by the
 * kernel's finding and by `why`, the reason that the scheduler gives (empty:
 * none). `d` is the diagnosis of that window. */
void job_logs_host(const struct diagnosis *d, const struct log_window *w,
                   const struct kernel_finding *kernel, struct text why,
                   struct host_guess *out);

#endif
