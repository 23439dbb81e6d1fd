/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which run is submitted at which of the given times. A user who is at
 * work on a session submits its next run after the last one has ended, or at
 * once if the session is a sweep. When no run is due, a user begins a session.
 * Users see the queue of their virtual cluster under fifo, and join it only if
 * the wait is bearable. */
#ifndef TRACES_TIMETABLE_H
#define TRACES_TIMETABLE_H

#include "traces/generate/people.h"

/* A submission. `seconds` is the duration of the run; for a run that was
 * running when the trace begins, what was left of it. */
struct entry {
    double at; /* seconds since the start */
    uint32_t run;
    double seconds;
};

/* How much of a virtual cluster the jobs need. */
struct vc_demand {
    double capacity; /* GPUs */
    double gpu_s;    /* GPU time of its jobs, GPU seconds */
    double over_s;   /* time in which its jobs need more GPUs than it has */
    double most;     /* largest number of GPUs that its jobs need at once */
};

struct timetable {
    struct entry *entries; /* in the order of submission */
    size_t n;
    size_t n_running;     /* entries at the start that were already running */
    double running_gpu_s; /* their GPU time, GPU seconds */
    /* under fifo: runs that wait, and the sum of their waits, seconds */
    size_t n_waiting;
    double waited_s;
    struct vc_demand *demands; /* by virtual cluster; one if there are none */
    size_t n_demands;
};

struct timetable_options {
    const double *times; /* of people.n_runs submissions, ascending, seconds */
    double span;         /* length of all of it, seconds */
    /* The trace is the first `kept` submissions, of `trace_s` seconds. What
     * users have not come to by then is left out, as in a log that ends. */
    size_t kept;
    double mean; /* GPU time of a job, GPU seconds */
    double trace_s;
    double gpus; /* GPUs of the cluster */
    bool warm;   /* add the runs that were running when the trace begins */
    uint64_t seed;
};

/* The people are borrowed and must have been dealt and sorted; long runs become
 * longer or shorter, so that the trace has the GPU time of `mean`.
 * timetable_fini frees what *out holds. */
void timetable_make(struct timetable *out, struct people *people,
                    const struct calibration *calibration,
                    const struct traits *traits,
                    const struct timetable_options *options);
/* Fills `demands` and running_gpu_s. `span`: length of the trace, seconds. */
void timetable_count(struct timetable *timetable, const struct people *people,
                     double span);
void timetable_fini(struct timetable *timetable); /* accepts all zeroes */

#endif
