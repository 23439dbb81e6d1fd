/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The jobs that are watched and their logs, in memory. Each is found by its
 * name. The book owns all of them. */
#ifndef SIM_WATCH_BOOK_H
#define SIM_WATCH_BOOK_H

#include <jansson.h>
#include <stdbool.h>

#include "models/logs/log_classifier.h"
#include "sim/base/units.h"

/* The state that was reported last for a job. */
enum watch_phase { WATCH_RUNNING, WATCH_STALLED, WATCH_FAILED, WATCH_ENDED };
/* Names by enum watch_phase; ends with NULL. */
extern const char *const watch_phases[];

/* What the GPUs of a job did, over all samples of all its GPUs. */
struct gpu_use {
    int64_t samples; /* number of utilisations */
    double sum, max; /* sum and largest of the utilisations, percent */
    int64_t mem_samples;
    double mem_sum, mem_max; /* sum and largest of the memory in use, MiB per
                              * GPU */
};

struct watch_file;
struct watch_job {
    char *id;
    /* Facts about the job from a scheduler or --job-list: an object with the
     * texts user, node, state and so on (job_lines.h). */
    json_t *facts;
    enum watch_phase phase;
    /* true if a scheduler or --job-list reports the end, which is then never
     * guessed from the log */
    bool scheduled;
    bool over;       /* true if the scheduler has reported the end of the job */
    uint64_t listed; /* number of the last answer of Slurm that listed the
                      * job */
    bool keep;       /* true if the job is to be added to the history */
    /* Times, microseconds since 1970; 0: never. `seen`: the job was reported.
     * `grown`: a log grew. `progressed`: a log showed progress. `judged`: value
     * of `grown` when the log was diagnosed last. `measured`: the step time was
     * read last. `over_at`: the scheduler reported the end. */
    sim_time seen, grown, progressed, judged, measured, over_at;
    /* mean time between two signs of progress, with more weight on recent ones;
     * 0: not known */
    sim_span gap;
    sim_span longest; /* longest stall that the job survived */
    int64_t progress; /* number of progress lines */
    int64_t read_at;  /* value of `progress` when the step time was read last */
    /* number of progress lines since the failure or the stall */
    int64_t again;
    double step_s; /* step time that was reported, seconds; 0: none */
    /* A step time that differs from step_s and was read once; 0: none. It is
     * reported when it is read again. */
    double candidate_s;
    /* step number in the last progress line, and the number of steps in all; 0:
     * not known */
    double step, steps;
    struct gpu_use gpu;
    struct watch_file *files; /* linked by next_of_job */
    size_t index;             /* index in book.jobs */
    bool dirty;               /* true if the job differs from the state on
                               * disk */
};

struct folder; /* folders.h */
struct watch_file {
    char *path;
    /* the owner; NULL: the file is in the book so that it is not taken for a
     * new log, and is not followed (a rotated or compressed log) */
    struct watch_job *job;
    struct folder
        *folder; /* borrowed; NULL: a scheduler or --job-list named the file */
    uint64_t dev, inode; /* identity of the file; both 0: no file of this name
                          * was seen yet */
    uint32_t uid;        /* user who must own the file; UINT32_MAX: any user */
    uint64_t offset;     /* bytes of whole lines that were read */
    uint64_t size;       /* size when the file was seen last, bytes */
    sim_time mtime;
    uint64_t head;     /* hash of the first head_len bytes */
    uint64_t head_len; /* at most FOLLOW_HEAD */
    struct log_context context;
    bool skip;        /* true inside a line that is too long */
    uint64_t lines;   /* number of lines read */
    uint64_t hash;    /* hash of the last progress line */
    int64_t suspects; /* lines since the last progress that may be errors */
    int64_t progress; /* number of progress lines */
    uint64_t visit;   /* number of the scan that found the file last */
    struct watch_file *next_of_job;
    size_t index; /* index in book.files */
    bool dirty;
    bool stale;   /* true if the file grew or changed since it was read */
    bool renewed; /* true if the name means another file now, the one of
                   * next_dev and next_inode */
    uint64_t next_dev, next_inode;
};

struct book {
    struct watch_job **jobs;
    struct watch_file **files;
    size_t n_jobs, cap_jobs, n_files, cap_files;
    void *jobs_by_id, *files_by_path; /* trees of tsearch */
};

void book_fini(struct book *book);
struct watch_job *book_job(const struct book *book, const char *id);
struct watch_file *book_file(const struct book *book, const char *path);
/* Add a job or a file that the book does not have. `job` and `facts` may be
 * NULL; the job takes over `facts`. */
struct watch_job *book_add_job(struct book *book, const char *id,
                               json_t *facts);
struct watch_file *book_add_file(struct book *book, const char *path,
                                 struct watch_job *job);
/* Gives the file to another job, or to none. */
void book_move_file(struct watch_file *file, struct watch_job *job);
void book_rename_file(struct book *book, struct watch_file *file,
                      const char *path);
/* Remove a job or a file and free it. A job must have no files. */
void book_drop_job(struct book *book, struct watch_job *job);
void book_drop_file(struct book *book, struct watch_file *file);
/* Return a text or a number of the job's facts; "" or `unknown` if there is
 * none. */
const char *job_fact(const struct watch_job *job, const char *key);
double job_number(const struct watch_job *job, const char *key, double unknown);

#endif
