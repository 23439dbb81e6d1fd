/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two classes of jobs of GFS (Duan et al., ASPLOS 2026): a *spot* job may
 * be stopped for a guaranteed one; every other job is *guaranteed*. A job is
 * spot if its priority in the trace is one of the words of --job-classes spot=.
 */
#ifndef SIM_RUN_CLASSES_H
#define SIM_RUN_CLASSES_H

#include "base/option.h"
#include "traces/load.h"

struct classes_config {
    const char *spot;   /* words, with '|' between them */
    sim_span guarantee; /* window for which a spot job hopes to run, us */
};
extern const struct option classes_options[];

/* Sets job_terms.spot of all jobs; upper and lower case are alike. Returns the
 * number of spot jobs. */
uint32_t classes_mark(struct jobset *jobset,
                      const struct classes_config *config);

#endif
