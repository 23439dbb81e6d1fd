/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many GPUs the jobs of a trace used, to propose a cluster. */
#ifndef TRACES_GUESS_PEAK_H
#define TRACES_GUESS_PEAK_H

#include "traces/trace.h"

struct peak {
    uint64_t n_rows, n_jobs; /* jobs: rows with GPUs and a run time */
    bool waits_known;        /* at least nine of ten jobs have a waiting time */
    /* the most GPUs in use at one time in the recorded cluster or, if waits are
     * not known, mean demand / 0.8; at least the GPUs of the largest job */
    double gpus;
    uint64_t nodes; /* nodes of 8 GPUs that hold them */
    char note[TRACE_NOTE_MAX];
    const char *recorded_on; /* see trace_recorded_on */
};

/* Reads the whole trace. */
enum status peak_measure(const char *path, const char *spec, struct peak *out,
                         struct error *err) MUST_USE;

#endif
