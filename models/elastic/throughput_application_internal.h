/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by throughput_application.c, which runs the jobs, and
 * throughput_application_init.c, which sets them up. */
#ifndef MODELS_THROUGHPUT_APPLICATION_INTERNAL_H
#define MODELS_THROUGHPUT_APPLICATION_INTERNAL_H

#include "models/elastic/learner.h"
#include "models/elastic/nominal_run.h"
#include "models/elastic/throughput.h"

struct application_config {
    /* directory of tables; "": use the compiled-in coefficients */
    const char *tables;
    sim_span tune; /* time between two choices of a batch size, us, > 0 */
    bool pooled;   /* true: one model for all GPU types */
    /* true: a job that names an application is described by it even if its run
     * time is recorded; false: such a job is rigid and runs for that time */
    bool replace;
};

struct app_job {
    /* application of the job; NULL: this model does not describe the job */
    const struct application *app;
    const struct nominal_run *nominal_run;
    struct learner learner;
    /* The following fields describe the current attempt, or the last one. */
    uint8_t type;
    struct placement placement;
    uint32_t *per_node; /* GPUs by node, for `placement`; owned */
    uint32_t room;      /* capacity of per_node, elements */
    struct batch batch;
    struct training_speed speed; /* speed in the current phase */
};

struct application_state {
    struct applications *apps;
    struct fits *fits;
    struct app_job *jobs; /* state of each job, by job id */
    uint32_t n_jobs;
    struct nominal_runs nominal_runs;
    const struct cluster *cluster;
    sim_time zero; /* start of the run, us since 1970 UTC */
};

enum status application_init(void *self, const void *config,
                             const struct run_env *env,
                             struct error *err) MUST_USE;
void application_fini(void *self);

#endif
