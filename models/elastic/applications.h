/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The truth about the training applications of Pollux' and Sia's traces: step
 * times by GPU type, placement and batch size, progress and gradient noise by
 * epoch, and the cost of a restart. It comes from a directory of the published
 * tables (placements-TYPE.csv, scalability-TYPE.csv and validation-M.csv in one
 * folder per application), or else from coefficients that were fitted to those
 * tables and are compiled in (models/elastic/applications.json). Interpolation
 * follows the simulator of siasosp23/artifacts, commit aaf7a0d, except for
 * shapes that were not measured (application_curves.c).
 *
 * Policies may read the fields of struct application, but must not call the
 * functions that tell the future of a job; tests/lint/edges.py lists them.
 * Progress is counted in iterations at the initial batch size. The code is in
 * application.c. */
#ifndef MODELS_APPLICATIONS_H
#define MODELS_APPLICATIONS_H

#include "base/units.h"
#include "models/elastic/goodput.h"

#define APPLICATION_TYPES_MAX 64
#define PLACEMENT_NODES_MAX 64

struct application_data; /* tables or model of an application; opaque */

struct application {
    const char *name;
    /* smallest and largest total batch size; the initial one is M0 in
     * goodput.h */
    double initial_batch, largest_batch;
    double slowdown; /* rate by the tables divided by the true rate, > 0 */
    /* time after a start for which a job holds its GPUs without working, us */
    sim_span restart;
    /* `restart` as policies assume it to be, us */
    sim_span penalty;
    uint32_t epochs; /* number of epochs of a job, > 0 */
    /* largest batch per GPU, whatever was measured; 0: no such limit */
    uint32_t local_most;
    /* true: a job stays on one GPU and keeps the largest batch */
    bool alone;
    struct application_data *data;
};

struct applications; /* an open source of applications; opaque */

/* Opens a directory of tables or, if `path` is NULL, the compiled-in
 * coefficients. `types` has the names of the cluster's GPU types; the functions
 * below number types in this order. The tables of an application are read when
 * application_find asks for it. Returns STATUS_BAD_INPUT if `path` is not a
 * directory. The caller owns *out; it is NULL after an error. */
enum status applications_open(const char *path, const char *const *types,
                              size_t n_types, struct applications **out,
                              struct error *err) MUST_USE;
void applications_close(struct applications *apps); /* accepts NULL */
/* Gives the applications that are found from now on the constants of Pollux'
 * simulator (petuum/adaptdl, branch osdi21-artifact, simulator/): 30 s a
 * restart and no slowdown; yolov3 has at most 8 samples on a GPU
 * (applications.py), and ncf is `alone` (simulator.py). */
void applications_follow_pollux(struct applications *apps);

/* True if a compiled-in application or a folder of the directory has this name.
 * Its tables may still be wrong or missing, which application_find reports. */
bool application_is_known(const struct applications *apps, const char *name);

/* Finds an application by name, such as "cifar10"; `apps` owns it. Returns
 * STATUS_BAD_INPUT if the name is unknown or its tables are missing or wrong;
 * for a wrong row of a table, the message names the file and the line. */
enum status application_find(struct applications *apps, const char *name,
                             const struct application **out,
                             struct error *err) MUST_USE;

/* For the manifest. applications_source returns where the applications come
 * from; applications_files, the number of files read to the end so far; and
 * applications_file, the path and SHA-256 digest of the i-th of these. `apps`
 * owns all texts. */
const char *applications_source(const struct applications *apps);
size_t applications_files(const struct applications *apps);
const char *applications_file(const struct applications *apps, size_t i,
                              const char **digest);

/* The GPUs of one job: how many there are in all and on each of `nodes` nodes.
 * A node may hold none of them. */
struct placement {
    /* GPUs on each node; NULL: equally many on each */
    const uint32_t *per_node;
    uint32_t nodes, gpus;
};

/* True if the application was measured on this GPU type. */
bool application_runs_on(const struct application *app, uint8_t type);
/* Returns the largest number of nodes of any measured placement or shape; 0 if
 * the application does not run on the type. */
uint32_t application_most_nodes(const struct application *app, uint8_t type);
/* Returns the batch limits on a GPU type as policies see them. local_max is the
 * maximum over all placements; `largest` is at most `requested` (0: no limit).
 * The application must run on the type here and in the functions below that
 * take a type. */
struct batch_limits application_limits(const struct application *app,
                                       uint8_t type, double requested);
/* Returns the samples per second of one GPU, the largest batch divided by the
 * longest step time, or of one pipeline; 0 if neither was measured. The ratio
 * of this figure between two types scales a model of one type to the other. */
double application_one_gpu(const struct application *app, uint8_t type);
/* Returns the pipelines of the application on a type. `stages` is 0 if the
 * application has no pipelines on it. */
struct pipeline application_pipeline(const struct application *app,
                                     uint8_t type);

struct step_time {
    double step; /* time of an iteration without accumulation, seconds */
    double sync; /* part of `step` in which gradients are exchanged, seconds */
};
/* Finds the step time of a placement at `local` samples per GPU; for a
 * pipeline, out->step is the time of one micro-batch in one stage. Returns
 * false if the tables do not give one, for example for a batch size beyond the
 * measured ones; *out is then undefined. */
bool application_step(const struct application *app, uint8_t type,
                      struct placement placement, double local,
                      struct step_time *out) MUST_USE;
/* Returns the largest batch per GPU in a placement; 0 if it is unknown. */
uint32_t application_local_max(const struct application *app, uint8_t type,
                               struct placement placement);

/* Returns the progress after e epochs, 0 <= e <= epochs. */
double application_epoch_end(const struct application *app, uint32_t e);
/* Returns the gradient statistics at a total batch size in an epoch, counted
 * from 0. Between two measured batch sizes the statistics are interpolated. The
 * nearest measured batch size and the last epoch stand for what lies beyond
 * them. */
struct gradient application_gradient(const struct application *app,
                                     double total, uint32_t epoch);

/* Returns the batch that a running job uses, as in Sia's simulator: the total
 * `fixed` if it is > 0, else the batch of the highest goodput by `model`, or
 * batch_first if `model` is NULL; all within what was measured. For an
 * application of pipelines, always its one batch. */
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
