/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which run is submitted at each of the given times. A user who is at
 * work on a session submits its next run after the last one has ended, or at
 * once if the session is a sweep. When no run is due, a user begins a session.
 * Users see the queue of their virtual cluster under fifo, and join it only if
 * the wait is bearable, unless no user has anything else to submit. With
 * traits.shift, a run that follows the end of another one is submitted when it
 * is due, in place of the next of the given times. */
#ifndef TRACES_TIMETABLE_H
#define TRACES_TIMETABLE_H

#include "traces/generate/people.h"

/* A submission. `seconds` is the duration of the run; for a run that already
 * runs when the trace begins, what is left of it. */
struct entry {
    double at;    /* seconds since the start */
    uint32_t run; /* index of people.runs */
    double seconds;
};

/* How much of a virtual cluster the jobs need. */
struct vc_demand {
    double capacity; /* GPUs */
    double gpu_s;    /* GPU time of its jobs, GPU seconds */
    double over_s;   /* time in which its jobs, if none of them waited, would
                      * use more GPUs than it has, seconds */
    double most;     /* largest number of GPUs that they would use at once */
};

struct timetable {
    struct entry *entries; /* in order of submission */
    size_t n;
    size_t n_running;     /* number of entries, at the start, that already run
                           * when the trace begins */
    double running_gpu_s; /* their GPU time, GPU seconds */
    /* Under fifo: number of runs that have to wait, and the sum of the waits
     * that end within the trace, seconds. */
    size_t n_waiting;
    double waited_s;
    struct vc_demand *demands; /* by virtual cluster; one if there are none */
    size_t n_demands;
};

struct timetable_options {
    const double *times; /* of people.n_runs submissions, ascending, seconds */
    double span;         /* time from 0 that `times` covers, seconds */
    /* The trace is the first `kept` submissions, in the first `trace_s`
     * seconds. What users have not come to by then is left out, as in a log
     * that ends. */
    size_t kept;
    double mean; /* mean GPU time of a job, GPU seconds */
    double trace_s;
    double gpus; /* GPUs of the cluster */
    bool warm;   /* true: adds the runs that run when the trace begins */
    uint64_t seed;
};

/* Fills *out with options->kept submissions and, if options->warm, the runs
 * that run at the beginning; timetable_count fills the rest. `people` must have
 * been filled by people_init and deal and sorted by people_sort. Makes long
 * runs of `people` longer or shorter, so that the trace has about the mean GPU
 * time options->mean. timetable_fini frees what *out holds. */
void timetable_make(struct timetable *out, struct people *people,
                    const struct calibration *calibration,
                    const struct traits *traits,
                    const struct timetable_options *options);
/* Fills running_gpu_s and `demands` except their capacities, which
 * timetable_make has set. `span`: length of the trace, seconds. */
void timetable_count(struct timetable *timetable, const struct people *people,
                     double span);
void timetable_fini(struct timetable *timetable); /* accepts all zeroes */

#endif
