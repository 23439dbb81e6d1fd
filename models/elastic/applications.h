/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The truth about the training applications of Pollux's and Sia's workloads:
 * step times by GPU type, placement and batch, progress and gradient noise by
 * epoch, and the cost of a restart. It comes from a directory of the published
 * tables (placements-TYPE.csv, scalability-TYPE.csv, validation-M.csv in one
 * folder per application), or else from coefficients that were fitted to those
 * tables and are compiled in (models/elastic/applications.json). Semantics: the
 * simulator of siasosp23/artifacts, commit aaf7a0d.
 *
 * Policies may read the fields of struct application. The functions, except
 * application_find, application_limits and application_one_gpu, tell the future
 * of a job and are for the engine (tests/lint/edges.py). Progress is counted in
 * iterations at the initial batch size. */
#ifndef MODELS_APPLICATIONS_H
#define MODELS_APPLICATIONS_H

#include "models/elastic/goodput.h"
#include "sim/base/units.h"

#define APPLICATION_TYPES_MAX 64
#define PLACEMENT_NODES_MAX 64

struct application_data; /* opaque */

struct application {
    const char *name;
    double initial_batch, largest_batch; /* M0, Mmax */
    double slowdown;  /* true rate = rate of the tables / this */
    sim_span restart; /* GPUs are held without work after each (re)start */
    sim_span penalty; /* the value that a policy assumes for `restart` */
    uint32_t epochs;  /* a job ends when it has done all its epochs */
    struct application_data *data;
};

struct applications; /* opaque */

/* `types`: names of the cluster's GPU types; their order numbers them below.
 * `path` NULL: what is compiled in. A directory is read application by
 * application, at application_find; a type that no application knows is
 * STATUS_BAD_INPUT here. Owned by the caller. */
enum status applications_open(const char *path, const char *const *types,
                              size_t n_types, struct applications **out,
                              struct error *err) MUST_USE;
void applications_close(struct applications *apps); /* accepts NULL */

/* True if application_find may find it. Other errors in its tables are reported
 * by application_find. */
bool application_is_known(const struct applications *apps, const char *name);

/* Finds an application by name, e.g. "cifar10"; owned by `apps`. Bad tables are
 * STATUS_BAD_INPUT with file and line. */
enum status application_find(struct applications *apps, const char *name,
                             const struct application **out,
                             struct error *err) MUST_USE;

/* For the manifest. applications_source: "fitted coefficients, synthetic" or
 * the directory. applications_files: the files that were read so far, in order,
 * with their SHA-256. */
const char *applications_source(const struct applications *apps);
size_t applications_files(const struct applications *apps);
const char *applications_file(const struct applications *apps, size_t i,
                              const char **digest);

/* GPUs of one job, node by node. per_node NULL: equally many on each. Nodes
 * without a GPU of the job do not count. */
struct placement {
    const uint32_t *per_node;
    uint32_t nodes, gpus;
};

/* True if the application can run on this type. */
bool application_runs_on(const struct application *app, uint8_t type);
/* The most nodes of one placement that was measured. */
uint32_t application_most_nodes(const struct application *app, uint8_t type);
/* Limits on the type as policies see them: local_max is that of the whole type,
 * `largest` is capped at `requested` (0: no cap). Here and below the
 * application must run on the type. */
struct batch_limits application_limits(const struct application *app,
                                       uint8_t type, double requested);
/* Samples per second of one GPU: the largest batch over the longest step; for a
 * pipeline, of one replica. The ratio of two types is used to carry the model
 * of one over to the other. */
double application_one_gpu(const struct application *app, uint8_t type);
/* The pipelines of the application; stages is 0 for one without. */
struct pipeline application_pipeline(const struct application *app,
                                     uint8_t type);

/* Seconds of an iteration without accumulation, and how many of them go to
 * gradient exchange. Returns false if the tables cannot tell: beyond the
 * batches measured. */
struct step_time {
    double step, sync;
};
bool application_step(const struct application *app, uint8_t type,
                      struct placement placement, double local,
                      struct step_time *out) MUST_USE;
/* The largest batch per GPU in a placement; 0 if it is unknown. */
uint32_t application_local_max(const struct application *app, uint8_t type,
                               struct placement placement);

/* Progress at the end of epoch e (0: the start), 0 <= e <= epochs. */
double application_epoch_end(const struct application *app, uint32_t e);
/* Gradient statistics while training at a total batch size in epoch e. */
struct gradient application_gradient(const struct application *app,
                                     double total, uint32_t epoch);

/* The batch of a running job (Sia's simulator): that of the highest goodput if
 * `model` is not NULL, else batch_first; `fixed` > 0: this total in every
 * case. */
struct batch application_batch(const struct application *app, uint8_t type,
                               struct placement placement,
                               const struct step_model *model,
                               struct gradient gradient, double fixed);

/* The speed of a job, and the progress up to which it holds: the end of the
 * epoch. rate: progress per second, 0 if the job cannot run in this shape. */
struct training_speed {
    double rate, until;
    /* as an observer sees it: without slowdown; for a pipeline, of a whole
     * iteration */
    struct step_time step;
    struct gradient gradient;
};
struct training_speed application_speed(const struct application *app,
                                        uint8_t type,
                                        struct placement placement,
                                        struct batch batch, uint32_t epoch);

#endif
