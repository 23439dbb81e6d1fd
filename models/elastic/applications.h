/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The truth about the training applications of Pollux' and Sia's traces: step
 * times by GPU type, placement and batch size, progress and gradient noise by
 * epoch, and the cost of a restart. It comes from a directory of the published
 * tables (placements-TYPE.csv, scalability-TYPE.csv and validation-M.csv in one
 * folder per application), or else from coefficients that were fitted to those
 * tables and are compiled in (models/elastic/applications.json). Interpolation
 * follows the simulator of siasosp23/artifacts, commit aaf7a0d.
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

struct application_data; /* tables or model of an application; opaque */

struct application {
    const char *name;
    /* smallest and largest total batch size; the initial one is M0 in
     * goodput.h */
    double initial_batch, largest_batch;
    double slowdown; /* rate by the tables divided by the true rate, > 0 */
    /* time for which a job holds its GPUs before it works after a start, us */
    sim_span restart;
    /* `restart` as policies assume it to be, us */
    sim_span penalty;
    uint32_t epochs; /* number of epochs of a job, > 0 */
    struct application_data *data;
};

struct applications; /* an open source of applications; opaque */

/* Opens a directory of tables or, if `path` is NULL, the compiled-in
 * coefficients. `types` has the names of the cluster's GPU types; the functions
 * below number types in this order. In a directory, an application is read when
 * application_find asks for it. The caller owns *out. */
enum status applications_open(const char *path, const char *const *types,
                              size_t n_types, struct applications **out,
                              struct error *err) MUST_USE;
void applications_close(struct applications *apps); /* accepts NULL */

/* True if there is an application of this name. Its tables may still be wrong,
 * which application_find reports. */
bool application_is_known(const struct applications *apps, const char *name);

/* Finds an application by name, such as "cifar10"; `apps` owns it. For wrong
 * tables, returns STATUS_BAD_INPUT with file and line. */
enum status application_find(struct applications *apps, const char *name,
                             const struct application **out,
                             struct error *err) MUST_USE;

/* For the manifest. applications_source returns where the applications come
 * from; applications_files, the number of files read so far; and
 * applications_file, the path and SHA-256 digest of the i-th of these. */
const char *applications_source(const struct applications *apps);
size_t applications_files(const struct applications *apps);
const char *applications_file(const struct applications *apps, size_t i,
                              const char **digest);

/* The GPUs of one job: how many there are in all and on each node. */
struct placement {
    /* GPUs on each node; NULL: equally many on each */
    const uint32_t *per_node;
    uint32_t nodes, gpus;
};

/* True if the application was measured on this GPU type. */
bool application_runs_on(const struct application *app, uint8_t type);
/* Returns the most nodes of any measured placement. */
uint32_t application_most_nodes(const struct application *app, uint8_t type);
/* Returns the batch limits on a GPU type as policies see them. local_max is the
 * maximum over all placements; `largest` is at most `requested` (0: no limit).
 * For this and the following functions, the application must run on the
 * type. */
struct batch_limits application_limits(const struct application *app,
                                       uint8_t type, double requested);
/* Returns the samples per second of one GPU, or of one pipeline: the largest
 * batch divided by the longest step time. The ratio of this figure between two
 * types scales a model of one type to the other. */
double application_one_gpu(const struct application *app, uint8_t type);
/* Returns the pipelines of the application on a type. `stages` is 0 if the
 * application has no pipelines. */
struct pipeline application_pipeline(const struct application *app,
                                     uint8_t type);

struct step_time {
    double step; /* time of an iteration without accumulation, seconds */
    double sync; /* part of `step` in which gradients are exchanged, seconds */
};
/* Finds the step time of a placement at `local` samples per GPU. Returns false
 * if the tables do not give one, for example for a batch size beyond the
 * measured ones. */
bool application_step(const struct application *app, uint8_t type,
                      struct placement placement, double local,
                      struct step_time *out) MUST_USE;
/* Returns the largest batch per GPU in a placement; 0 if it is unknown. */
uint32_t application_local_max(const struct application *app, uint8_t type,
                               struct placement placement);

/* Returns the progress after epoch e, 0 <= e <= epochs. */
double application_epoch_end(const struct application *app, uint32_t e);
/* Returns the gradient statistics of an epoch at a total batch size. */
struct gradient application_gradient(const struct application *app,
                                     double total, uint32_t epoch);

/* Returns the batch that a running job uses, as in Sia's simulator: the total
 * `fixed` if it is > 0, else the batch of the highest goodput by `model`, or
 * batch_first if `model` is NULL. */
struct batch application_batch(const struct application *app, uint8_t type,
                               struct placement placement,
                               const struct step_model *model,
                               struct gradient gradient, double fixed);

/* The speed of a job in an epoch. */
struct training_speed {
    double rate; /* progress per second; 0: the job cannot run in this shape */
    /* progress up to which the speed holds: the end of the epoch */
    double until;
    /* What the job measures: its step time before `slowdown` is applied (for a
     * pipeline, the time of a whole iteration), and the gradient statistics. */
    struct step_time step;
    struct gradient gradient;
};
struct training_speed application_speed(const struct application *app,
                                        uint8_t type,
                                        struct placement placement,
                                        struct batch batch, uint32_t epoch);

#endif
