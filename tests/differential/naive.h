/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A simulator so simple that it is easy to check: in each second, it goes
 * through all jobs and all GPUs; it has no event queue, no index and no
 * journal. It includes nothing of sim/, so that the engine and this simulator
 * cannot share an error. Times are whole seconds. */
#ifndef TESTS_DIFFERENTIAL_NAIVE_H
#define TESTS_DIFFERENTIAL_NAIVE_H

#include <stdbool.h>

enum {
    NAIVE_JOBS = 32,
    NAIVE_NODES = 8,
    NAIVE_WIDEST = 8,
    NAIVE_GPUS = NAIVE_NODES * NAIVE_WIDEST,
    NAIVE_ATTEMPTS = 64, /* largest number of attempts of one job */
};

enum naive_policy {
    NAIVE_FIFO,
    /* As NAIVE_FIFO, but a job that does not fit does not hold up later
     * jobs. */
    NAIVE_FIFO_SKIP,
    NAIVE_SJF,
    NAIVE_SRTF,
    NAIVE_SRSF,
    NAIVE_BACKFILL,
    /* As NAIVE_BACKFILL, but only the two jobs after the head may start. */
    NAIVE_BACKFILL_TWO,
    /* Tiresias with queues by attained GPU time, in GPU seconds. */
    NAIVE_TIRESIAS,
    NAIVE_TIRESIAS_TIME, /* Tiresias with queues by attained time, in seconds */
};

/* Attained service at which a job leaves the first and the second queue of
 * Tiresias, in GPU seconds or seconds. */
enum { NAIVE_LEAVES_FIRST = 6, NAIVE_LEAVES_SECOND = 20 };

enum naive_placer { NAIVE_CONSOLIDATE, NAIVE_FIRST_FIT };

struct naive_attempt {
    int start, end;
    bool gpus[NAIVE_GPUS];
};

/* A planned outage of a node: from the second `from` on until the second
 * `until`; INT_MAX: for good. `from` is INT_MAX if none is planned. */
struct naive_outage {
    int from, until;
};

struct naive_job {
    int submitted, runs, gpus, vc;
    /* Results of a run. */
    bool rejected;
    int n_attempts;
    struct naive_attempt attempts[NAIVE_ATTEMPTS];
    /* State during a run. */
    bool pending, running, ended;
    int left;  /* work that is left, with the work that its stops added, s */
    int held;  /* time on GPUs so far, s */
    int queue; /* number of the Tiresias queue that the job is in */
    /* jobs wait in the order of this number, if the policy has no other */
    int entered;
};

struct naive {
    enum naive_policy policy;
    enum naive_placer placer;
    int stop_cost; /* work that a preemption adds, s */
    int n_nodes, node_gpus[NAIVE_NODES], node_vc[NAIVE_NODES];
    struct naive_outage outages[NAIVE_NODES]; /* by node */
    /* true: a job whose node leaves keeps its place in the queue */
    bool keeps_place;
    int n_jobs; /* number of jobs, which are sorted by submission */
    struct naive_job jobs[NAIVE_JOBS];
    /* By GPU: the job that holds it; -1: none. Each node has NAIVE_WIDEST
     * entries. */
    int holder[NAIVE_GPUS];
    int now;
    int n_entered;
    /* true while the cluster is asked what it could hold if it were empty: then
     * all nodes are there that have not left for good */
    bool imagines;
};

/* Runs until all jobs have ended. Returns false if a job has more than
 * NAIVE_ATTEMPTS attempts. */
bool naive_run(struct naive *n);

#endif
