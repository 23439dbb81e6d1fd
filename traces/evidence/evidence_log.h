/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the log of a job looks like: its style, and the numbers that its lines
 * follow from. The side-car of a trace and the index of repositories use these
 * words for styles. */
#ifndef TRACES_EVIDENCE_LOG_H
#define TRACES_EVIDENCE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* The words for styles of logs. */
#define EVIDENCE_STYLES 12
extern const char *const evidence_styles[EVIDENCE_STYLES];

/* Returns the word of evidence_styles that equals the text; NULL if there is
 * none. */
const char *evidence_style(struct text word);

struct evidence_log {
    /* path of a real log; NULL: a log of `style` is generated */
    const char *path;
    const char *style; /* a word of evidence_styles; NULL: unknown */
    /* True if progress lines state the time of a step or the samples per
     * second. */
    bool step_time;
    /* seconds per step, > 0, while the job is alone on its GPUs */
    double step_s;
    /* seconds of the job's work before its first step, >= 0; an attempt that
     * continues earlier work has none */
    double start_s;
    /* steps of the whole job as submitted, >= 1; the job may end earlier */
    uint64_t steps;
    uint64_t steps_per_epoch; /* >= 1 */
    uint64_t log_every;  /* steps from one progress line to the next, >= 1 */
    uint64_t batch_size; /* samples per step on all GPUs, >= 1 */
};

#endif
