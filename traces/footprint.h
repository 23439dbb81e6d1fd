/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many GPUs the jobs of a trace used, and the cluster that is proposed for
 * a trace that names none. `run`, `compare`, `size`, `trace resample` and
 * `trace guess` all take the cluster from here. */
#ifndef TRACES_FOOTPRINT_H
#define TRACES_FOOTPRINT_H

#include "base/arena.h"
#include "traces/trace.h"

/* Number of bytes of the description of a cluster, with its end. */
#define FOOTPRINT_TEXT_MAX 2048
/* Largest number of GPU types that a proposed cluster tells apart. */
#define FOOTPRINT_TYPES_MAX 32

struct footprint; /* opaque: sums over rows */

struct footprint_fit {
    uint64_t n_jobs; /* rows with GPUs and a run time >= 0 */
    double gpu_s;    /* their run times times their GPUs */
    /* True: at least nine of ten jobs have a waiting time. Then `gpus` is the
     * largest number that the recorded cluster used at one time; otherwise the
     * mean demand between the first and the last submission, divided by 0.8. At
     * least the GPUs of the largest job. */
    bool waits_known;
    double gpus;
    sim_time first, last; /* first and last submission; us */
    sim_span longest;     /* longest run time, us */
    uint32_t most;        /* GPUs of the largest job */
    uint32_t width;       /* GPUs of a node */
    bool width_known;     /* true: the numbers of nodes of the rows tell it;
                           * false: 8 is assumed */
    /* Number of GPU types of the proposed cluster; 0: no row names one, or the
     * names cannot be written in a description. */
    size_t n_types;
    bool types_lost; /* true: rows name GPU types that the cluster lacks */
    /* As --cluster takes it, such as "4x8" or "3x8:A100+2x8:V100". */
    char cluster[FOOTPRINT_TEXT_MAX];
    char why[256]; /* one line: what the cluster was chosen by */
};

struct footprint *footprint_new(void);
void footprint_add(struct footprint *sums, const struct trace_row *row);
/* Fills *out. The caller adds no rows afterwards. */
void footprint_end(struct footprint *sums, struct footprint_fit *out);
/* Returns the cluster of the trace whose rows were added: a copy of
 * `recorded_on` or, if that is NULL, the proposed one. */
const char *footprint_cluster(struct footprint *sums, const char *recorded_on,
                              struct arena *arena);
void footprint_free(struct footprint *sums); /* accepts NULL */

#endif
