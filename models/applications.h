/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is true of the training applications of Pollux's and Sia's workloads:
 * step times by GPU type, placement and batch, progress and gradient noise by
 * epoch, and what a restart costs. A directory of the published tables
 * (placements-TYPE.csv, scalability-TYPE.csv, validation-M.csv in one folder an
 * application) tells them; without one, coefficients that were fitted to those
 * tables and are compiled in (models/applications.json). Semantics: the
 * simulator of siasosp23/artifacts, commit aaf7a0d.
 *
 * Policies may read the fields of struct application; the functions, except
 * application_find, application_limits and application_one_gpu, tell a job's
 * future and are for the engine (tests/lint/edges.py). Progress is counted in
 * iterations at the initial batch size. */
#ifndef MODELS_APPLICATIONS_H
#define MODELS_APPLICATIONS_H

#include "models/goodput.h"
#include "sim/base/units.h"

#define APPLICATION_TYPES_MAX 64
#define PLACEMENT_NODES_MAX 64

struct application_data; /* opaque */

struct application {
    const char *name;
    double initial_batch, largest_batch; /* M0, Mmax */
    double slowdown;  /* true rate = rate of the tables / this */
    sim_span restart; /* GPUs are held and idle after each (re)start */
    sim_span penalty; /* what a policy takes `restart` for */
    uint32_t epochs;  /* a job ends when it has done them all */
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

/* Whether application_find may find it; what else is wrong with its tables,
 * that tells. */
bool application_is_known(const struct applications *apps, const char *name);

/* By name, e.g. "cifar10"; owned by `apps`. Bad tables are STATUS_BAD_INPUT
 * with file and line. */
enum status application_find(struct applications *apps, const char *name,
                             const struct application **out,
                             struct error *err) MUST_USE;

/* For the manifest. applications_source: "fitted coefficients, synthetic" or
 * the directory. Files that were read so far, in order, with their SHA-256. */
const char *applications_source(const struct applications *apps);
size_t applications_files(const struct applications *apps);
const char *applications_file(const struct applications *apps, size_t i,
                              const char **digest);

/* GPUs of one job node by node. per_node NULL: as many on each. Nodes without
 * a GPU of the job do not count. */
struct placement {
    const uint32_t *per_node;
    uint32_t nodes, gpus;
};

/* Can it run on this type at all? */
bool application_runs_on(const struct application *app, uint8_t type);
/* The widest shape that was measured: nodes of one placement. */
uint32_t application_most_nodes(const struct application *app, uint8_t type);
/* Limits on the type as policies see them: local_max of the whole type,
 * `largest` capped at `requested` (0: no cap). The type must be one that it
 * runs on, here and below. */
struct batch_limits application_limits(const struct application *app,
                                       uint8_t type, double requested);
/* Samples a second of one GPU: the largest batch over the longest step; of one
 * replica of a pipeline. Ratios of two types project what is known of one on
 * the other. */
double application_one_gpu(const struct application *app, uint8_t type);
/* Pipelines of GPUs; stages 0 for an ordinary application. */
struct pipeline application_pipeline(const struct application *app,
                                     uint8_t type);

/* Seconds of an iteration without accumulation and of it those of gradient
 * exchange. False where nothing can be told: beyond the batches measured. */
struct step_time {
    double step, sync;
};
bool application_step(const struct application *app, uint8_t type,
                      struct placement placement, double local,
                      struct step_time *out) MUST_USE;
/* The largest batch of a GPU in a placement; 0 if nothing is known. */
uint32_t application_local_max(const struct application *app, uint8_t type,
                               struct placement placement);

/* Progress at the end of epoch e (0: the start), 0 <= e <= epochs. */
double application_epoch_end(const struct application *app, uint32_t e);
/* The epoch that a progress lies in, < epochs + 1; an end belongs to the epoch
 * that it begins. */
uint32_t application_epoch_at(const struct application *app, double progress);
/* Gradient statistics while training at a total batch size in epoch e. */
struct gradient application_gradient(const struct application *app,
                                     double total, uint32_t epoch);

/* The batch of a running job (Sia's simulator): that of the highest goodput if
 * `model` is not NULL, else batch_first; `fixed` > 0: this total whatever
 * follows. */
struct batch application_batch(const struct application *app, uint8_t type,
                               struct placement placement,
                               const struct step_model *model,
                               struct gradient gradient, double fixed);

/* How fast a job goes, and the progress up to which that holds: the end of the
 * epoch. rate: progress a second, 0 where it cannot run like that. */
struct pace {
    double rate, until;
    struct step_time step; /* what an observer sees: without slowdown; of a
                              pipeline, a whole iteration */
    struct gradient gradient;
};
struct pace application_pace(const struct application *app, uint8_t type,
                             struct placement placement, struct batch batch,
                             uint32_t epoch);

#endif
