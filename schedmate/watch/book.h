/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The jobs that are watched and their logs, in memory. A job is found by its
 * id, a file by its path. The book owns both. */
#ifndef SIM_WATCH_BOOK_H
#define SIM_WATCH_BOOK_H

#include <jansson.h>
#include <stdbool.h>

#include "base/units.h"
#include "schedmate/logs/log_classifier.h"

/* The state that was reported last for a job. */
enum watch_phase { WATCH_RUNNING, WATCH_STALLED, WATCH_FAILED, WATCH_ENDED };
/* Names, indexed by enum watch_phase; ends with NULL. */
extern const char *const watch_phases[];

/* What the GPUs of a job did, over all samples of all its GPUs. */
struct gpu_use {
    int64_t samples; /* number of samples of the utilisation */
    double sum, max; /* sum and largest of the utilisations, percent */
    int64_t mem_samples;
    double mem_sum, mem_max; /* sum and largest of the samples of the memory in
                              * use, MiB per GPU */
};

struct watch_file;
struct watch_job {
    char *id;
    /* Facts about the job, owned: a JSON object with the keys that job_lines.h
     * lists except `job`, `log` and `logs`, those that Slurm adds ("from",
     * "cluster", "array"), and "failure", the cause of the failure that was
     * reported last. */
    json_t *facts;
    enum watch_phase phase;
    /* true if Slurm or --job-list reports the job; its end is then not guessed
     * from its last step or from a deleted log */
    bool scheduled;
    /* true if the job has ended according to Slurm or --job-list */
    bool over;
    /* number of the last question to Slurm whose answer listed the job */
    uint64_t listed;
    /* time at which sacct first did not answer a question about the job, which
     * squeue no longer lists, us since 1970; 0: none. Not kept on disk. */
    sim_time lost;
    bool keep; /* true if the job is to be added to the history */
    /* Times, microseconds since 1970; 0: never. `seen`: the job was reported.
     * `grown`: a log was written last. `progressed`: a log showed progress
     * last. `judged`: value of `grown` when the logs were diagnosed last while
     * the job ran. `measured`: last attempt to read the step time. `over_at`:
     * `over` became true. */
    sim_time seen, grown, progressed, judged, measured, over_at;
    /* mean time between signs of progress, weighted towards the latest, us; 0:
     * not known */
    sim_span gap;
    /* longest stall after which the job went on, us; 0: none */
    sim_span longest;
    int64_t progress; /* number of progress lines */
    /* value of `progress` at the last attempt to read the step time */
    int64_t read_at;
    /* number of progress lines since the job stalled, failed or ended */
    int64_t again;
    /* step time that was reported last, seconds; 0: none */
    double step_s;
    /* A step time that differs from step_s and was read once; 0: none. It is
     * reported if the next reading agrees with it. */
    double candidate_s;
    /* step number and number of all steps, as the log last showed them; 0: not
     * known */
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
    /* the job whose log this is; NULL: a log that is not followed (rotated or
     * ignored), kept so that it is not taken for a new one, or a file of
     * --job-list or --gpu-metrics */
    struct watch_job *job;
    struct folder *folder; /* borrowed; NULL: no scan has found the file, for
                            * example because only a scheduler named it */
    uint64_t dev, inode;   /* identity of the file; both 0: no file of this name
                            * was seen yet */
    uint32_t uid; /* user who must own the file; UINT32_MAX: any user */
    /* offset after the last line that was read */
    uint64_t offset;
    uint64_t size; /* size when the file was seen last, bytes */
    sim_time mtime;
    uint64_t head;     /* hash of the first head_len bytes */
    uint64_t head_len; /* at most FOLLOW_HEAD */
    struct log_context context;
    /* true if the rest of an overlong line comes next */
    bool skip;
    uint64_t lines; /* number of lines read */
    uint64_t hash;  /* hash of the last progress line */
    /* above 0: a line since the last progress may be an error */
    int64_t suspects;
    int64_t progress; /* number of progress lines */
    /* number of the look that found the file last; UINT64_MAX: the file is gone
     * and no scan covers it */
    uint64_t visit;
    struct watch_file *next_of_job;
    size_t index; /* index in book.files */
    bool dirty;
    /* true if the file may hold lines that were not read */
    bool stale;
    bool renewed; /* true if the path now names another file, the one of
                   * next_dev and next_inode */
    uint64_t next_dev, next_inode;
};

struct book {
    struct watch_job **jobs;
    struct watch_file **files;
    size_t n_jobs, cap_jobs, n_files, cap_files;
    void *jobs_by_id, *files_by_path; /* search trees (tsearch) */
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
/* Gives the file to another job, or to none if `job` is NULL. */
void book_move_file(struct watch_file *file, struct watch_job *job);
void book_rename_file(struct book *book, struct watch_file *file,
                      const char *path);
/* Remove a job or a file and free it. A job must have no files. The last one in
 * the array takes its index. */
void book_drop_job(struct book *book, struct watch_job *job);
void book_drop_file(struct book *book, struct watch_file *file);
/* Return a fact of the job as a text or a number; "" or `unknown` if the job
 * has no fact of this name, or one of another type. */
const char *job_fact(const struct watch_job *job, const char *key);
double job_number(const struct watch_job *job, const char *key, double unknown);

#endif
