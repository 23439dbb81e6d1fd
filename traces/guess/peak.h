/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many GPUs the jobs of a trace used, to propose a cluster. */
#ifndef TRACES_GUESS_PEAK_H
#define TRACES_GUESS_PEAK_H

#include "traces/trace.h"

struct peak {
    uint64_t n_rows, n_jobs; /* n_jobs: rows with GPUs and a run time >= 0 */
    bool waits_known;        /* true: at least nine of ten jobs have a
                              * waiting time */
    /* Number of GPUs to propose: the largest number that the recorded cluster
     * used at one time or, if waits are not known, the mean demand between the
     * first and the last submission, divided by 0.8. At least the GPUs of the
     * largest job. */
    double gpus;
    uint64_t nodes; /* number of nodes with 8 GPUs that hold `gpus` */
    char note[TRACE_NOTE_MAX]; /* as trace_note writes it */
    const char *recorded_on;   /* as trace_recorded_on returns it */
};

/* Reads the whole trace and measures its peak. `path`, `spec`: as in
 * trace_open. */
enum status peak_measure(const char *path, const char *spec, struct peak *out,
                         struct error *err) MUST_USE;

#endif
