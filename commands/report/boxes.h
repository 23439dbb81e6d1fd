/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Box plots: percentiles of a metric by classes of jobs. */
#ifndef REPORT_BOXES_H
#define REPORT_BOXES_H

#include "commands/report/cdf.h"

enum boxes_by {
    BOXES_BY_GPUS,     /* GPUs that the job asks for */
    BOXES_BY_DURATION, /* running time that the trace recorded */
    BOXES_BY_STATE,    /* how the trace recorded the end of the job */
    BOXES_BYS,
};
extern const char *const boxes_by_names[BOXES_BYS];
enum { BOXES_CLASSES_MAX = 6 };

/* Percentiles by nearest rank, largest value and mean, seconds. n: number of
 * jobs; if it is 0, all other members are 0. */
struct box {
    size_t n;
    double p5, p25, p50, p75, p95, max, mean;
};

/* Returns the words of a class, such as "2-4 GPUs"; NULL after the last
 * class. */
const char *boxes_class(enum boxes_by by, unsigned class);
/* Fills a box for each class, over the jobs for which report_run_counts is
 * true. */
void boxes_of(const struct report_run *run, enum report_metric metric,
              enum boxes_by by, struct box out[BOXES_CLASSES_MAX]);

#endif
