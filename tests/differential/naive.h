/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A simulator that is too simple to be wrong: each second, one pass over all
 * jobs and all GPUs; no queue, no index, no journal. It includes nothing of
 * sim/, so that an error would have to be made twice. Times are whole
 * seconds. */
#ifndef TESTS_DIFFERENTIAL_NAIVE_H
#define TESTS_DIFFERENTIAL_NAIVE_H

#include <stdbool.h>

enum {
    NAIVE_JOBS = 32,
    NAIVE_NODES = 8,
    NAIVE_WIDEST = 8,
    NAIVE_GPUS = NAIVE_NODES * NAIVE_WIDEST,
    NAIVE_ATTEMPTS = 64, /* most attempts of one job */
};

enum naive_policy {
    NAIVE_FIFO,
    NAIVE_FIFO_SKIP, /* fifo that goes on after a blocked job */
    NAIVE_SJF,
    NAIVE_SRTF,
    NAIVE_SRSF,
    NAIVE_BACKFILL,
    NAIVE_TIRESIAS,      /* Tiresias with queues by attained GPU time */
    NAIVE_TIRESIAS_TIME, /* Tiresias with queues by attained time */
};

/* Attained service at which a job leaves the first and the second queue of
 * Tiresias. */
enum { NAIVE_LEAVES_FIRST = 6, NAIVE_LEAVES_SECOND = 20 };

enum naive_placer { NAIVE_CONSOLIDATE, NAIVE_FIRST_FIT };

struct naive_attempt {
    int start, end;
    bool gpus[NAIVE_GPUS];
};

struct naive_job {
    int submitted, runs, gpus, vc;
    /* Results of a run. */
    bool rejected;
    int n_attempts;
    struct naive_attempt attempts[NAIVE_ATTEMPTS];
    /* State during a run. */
    bool pending, running, ended;
    int left;  /* seconds of work left, including what stops added */
    int held;  /* seconds on GPUs so far */
    int queue; /* queue of Tiresias when the job was last examined */
};

struct naive {
    enum naive_policy policy;
    enum naive_placer placer;
    int stop_cost; /* seconds of work that a preemption adds */
    int n_nodes, node_gpus[NAIVE_NODES], node_vc[NAIVE_NODES];
    int n_jobs; /* number of jobs, which are sorted by submission */
    struct naive_job jobs[NAIVE_JOBS];
    /* by GPU: job or -1; each node has NAIVE_WIDEST numbers */
    int holder[NAIVE_GPUS];
    int now;
};

/* Runs until all jobs have ended. Returns false if a job has more than
 * NAIVE_ATTEMPTS attempts. */
bool naive_run(struct naive *n);

#endif
