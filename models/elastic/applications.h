/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The truth about the training applications of Pollux' and Sia's traces: step
 * times by GPU type, placement and batch, progress and gradient noise by epoch,
 * and the cost of a restart. It comes from a directory of the published tables
 * (placements-TYPE.csv, scalability-TYPE.csv and validation-M.csv in one folder
 * per application), or else from coefficients that were fitted to those tables
 * and are compiled in (models/elastic/applications.json). Interpolation follows
 * the simulator of siasosp23/artifacts, commit aaf7a0d.
 *
 * Policies may read the fields of struct application. The functions that tell
 * the future of a job are for the engine only; tests/lint/edges.py lists them.
 * Progress is counted in iterations at the initial batch size. */
#ifndef MODELS_APPLICATIONS_H
#define MODELS_APPLICATIONS_H

#include "models/elastic/goodput.h"
#include "sim/base/units.h"

#define APPLICATION_TYPES_MAX 64
#define PLACEMENT_NODES_MAX 64

struct application_data; /* opaque */

struct application {
    const char *name;
    double initial_batch, largest_batch; /* total batch sizes, M0 and Mmax */
    double slowdown;  /* rate of the tables over the true rate, > 0 */
    sim_span restart; /* time for which a start holds GPUs without work */
    sim_span penalty; /* what a policy assumes `restart` to be */
    uint32_t epochs;  /* number of epochs of a job, > 0 */
    struct application_data *data;
};

struct applications; /* opaque */

/* Opens a directory of tables, or, with `path` NULL, the compiled-in
 * coefficients. `types` has the names of the cluster's GPU types; the functions
 * below number types in this order. Each application of a directory is read by
 * application_find. The caller owns *out. */
enum status applications_open(const char *path, const char *const *types,
                              size_t n_types, struct applications **out,
                              struct error *err) MUST_USE;
void applications_close(struct applications *apps); /* accepts NULL */

/* True if there is an application of this name. Errors in its tables are
 * reported by application_find. */
bool application_is_known(const struct applications *apps, const char *name);

/* Finds an application by name, such as "cifar10"; `apps` owns it. Bad tables
 * are STATUS_BAD_INPUT with file and line. */
enum status application_find(struct applications *apps, const char *name,
                             const struct application **out,
                             struct error *err) MUST_USE;

/* What the manifest says: where the applications are from, and the number,
 * names and SHA-256 digests of the files that were read so far, in order. */
const char *applications_source(const struct applications *apps);
size_t applications_files(const struct applications *apps);
const char *applications_file(const struct applications *apps, size_t i,
                              const char **digest);

/* The GPUs of one job by node. */
struct placement {
    const uint32_t *per_node; /* NULL: equally many on each node */
    uint32_t nodes, gpus;
};

/* True if the application can run on this type. */
bool application_runs_on(const struct application *app, uint8_t type);
/* Returns the most nodes of any measured placement. */
uint32_t application_most_nodes(const struct application *app, uint8_t type);
/* Returns the limits on a type as policies see them: local_max is the largest
 * of any placement, `largest` is at most `requested` (0: no limit). Here and
 * below, the application must run on the type. */
struct batch_limits application_limits(const struct application *app,
                                       uint8_t type, double requested);
/* Returns the samples per second of one GPU, or of one pipeline: the largest
 * batch over the longest step. The ratio of two types scales the model of one
 * for the other. */
double application_one_gpu(const struct application *app, uint8_t type);
/* Returns the pipelines of the application; its `stages` is 0 if it has none.
 */
struct pipeline application_pipeline(const struct application *app,
                                     uint8_t type);

struct step_time {
    double step; /* seconds of an iteration without accumulation */
    double sync; /* seconds of it that exchange gradients */
};
/* Returns false if the tables have no answer, beyond the batches measured. */
bool application_step(const struct application *app, uint8_t type,
                      struct placement placement, double local,
                      struct step_time *out) MUST_USE;
/* Returns the largest batch per GPU in a placement; 0 if it is unknown. */
uint32_t application_local_max(const struct application *app, uint8_t type,
                               struct placement placement);

/* Returns the progress after e epochs, 0 <= e <= epochs. */
double application_epoch_end(const struct application *app, uint32_t e);
/* Returns the gradient statistics at a total batch size in an epoch. */
struct gradient application_gradient(const struct application *app,
                                     double total, uint32_t epoch);

/* Returns the batch that a running job takes, as in Sia's simulator: the total
 * `fixed` if it is > 0, else that of the highest goodput by `model`, or
 * batch_first if `model` is NULL. */
struct batch application_batch(const struct application *app, uint8_t type,
                               struct placement placement,
                               const struct step_model *model,
                               struct gradient gradient, double fixed);

/* The speed of a job in an epoch. */
struct training_speed {
    double rate; /* progress per second; 0: the job cannot run in this shape */
    double
        until; /* progress up to which the speed holds: the end of the epoch */
    /* What the job measures: its step time without slowdown; for a pipeline,
     * that of a whole iteration. */
    struct step_time step;
    struct gradient gradient;
};
struct training_speed application_speed(const struct application *app,
                                        uint8_t type,
                                        struct placement placement,
                                        struct batch batch, uint32_t epoch);

#endif
