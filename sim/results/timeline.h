/* SPDX-License-Identifier: GPL-3.0-or-later */
/* timeline.json: the run in the Chrome trace event format, for Perfetto and
 * chrome://tracing. docs/timeline.md says what is drawn. A crop limits the file
 * to a stretch of time and to some virtual clusters: a cropped file holds the
 * parts of the whole file's slices that lie in the crop. */
#ifndef SIM_TIMELINE_H
#define SIM_TIMELINE_H

#include "sim/run/run.h"

/* What the user asks for, as typed. Texts are borrowed. */
struct timeline_wish {
    bool wanted;
    bool gzip; /* true: writes timeline.json.gz in place of timeline.json */
    /* A date in UTC, or a time since the first submission: a number with the
     * unit s, min, h, d or w, or without one for seconds. NULL: no limit. */
    const char *from, *to;
    const char *const *vcs; /* names of virtual clusters */
    size_t n_vcs;           /* number of `vcs`; 0: all virtual clusters */
};

/* The value of a counter of a virtual cluster from `at` on. */
struct timeline_count {
    sim_time at;
    uint32_t value;
    uint16_t vc;
    uint8_t kind; /* enum timeline_counter */
};

/* Counters of a virtual cluster. */
enum timeline_counter {
    TIMELINE_PENDING, /* jobs that wait for GPUs */
    TIMELINE_BUSY,    /* GPUs of its nodes that a job holds */
    TIMELINE_CLOSED,  /* GPUs of its nodes that are out of service */
    TIMELINE_COUNTERS /* number of counters */
};

/* Reads the moves of a run and keeps the counters within the crop. */
struct timeline {
    struct timeline_wish wish;
    const struct cluster *cluster;
    sim_time from, to; /* the crop, [from, to) */
    bool *vcs;         /* by virtual cluster: true if it is shown */
    sim_time now;      /* time of the last move; -1: there was none */
    bool begun;        /* true once the counters at `from` are kept */
    /* All virtual clusters whose counters changed at `now` have numbers from
     * `changed_from` to `changed_to` - 1. */
    uint32_t changed_from, changed_to;
    uint8_t *holders; /* by GPU: number of jobs that hold it */
    bool *pending;    /* by job: true if it waits for GPUs */
    bool *closed;     /* by node: true if it is out of service */
    /* By virtual cluster and counter: the value now, and the last one kept. */
    uint32_t (*values)[TIMELINE_COUNTERS], (*kept)[TIMELINE_COUNTERS];
    struct timeline_count *counts; /* values kept, by time */
    size_t n_counts, cap_counts;
};

/* Checks, before the run is known, that `from` and `to` are dates or times.
 * STATUS_USAGE if one is neither. */
enum status timeline_check(const struct timeline_wish *wish,
                           struct error *err) MUST_USE;
/* Resolves the crop for a run that has been prepared, and attaches the timeline
 * to its ledger. STATUS_USAGE if the crop is empty, names an unknown virtual
 * cluster, or has an end that is neither a date nor a time; there is then
 * nothing to free. */
enum status timeline_open(struct timeline *timeline,
                          const struct timeline_wish *wish,
                          struct run_result *run, struct error *err) MUST_USE;
/* Call it when the run is over. */
void timeline_close(struct timeline *timeline);
void timeline_fini(struct timeline *timeline); /* accepts all zeroes */

#endif
