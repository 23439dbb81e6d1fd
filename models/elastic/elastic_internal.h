/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of models/elastic share: curves of applications, goodput. */
#ifndef MODELS_ELASTIC_ELASTIC_INTERNAL_H
#define MODELS_ELASTIC_ELASTIC_INTERNAL_H

#include <jansson.h>

#include "base/arena.h"
#include "base/rows.h"
#include "base/state/cluster.h"
#include "base/text.h"
#include "models/elastic/applications.h"
#include "models/elastic/goodput.h"

/* Data structures and functions that the files application*.c share with each
 * other, with bench/fit_applications.c and with unit tests. An application has
 * measured curves or a fitted model for each GPU type, and the progress and
 * gradient statistics of each epoch. */

struct step_point {
    double local; /* batch per GPU, samples */
    /* times of an iteration, seconds, as in struct step_time */
    double step, sync;
};

/* The measured steps of one placement or of one shape (nodes, GPUs). A point of
 * a shape is the mean over all placements of this shape that were measured at
 * the batch size or, if there are none, over the rows of
 * scalability-TYPE.csv. */
struct step_curve {
    uint32_t nodes, gpus;
    /* largest batch per GPU in scalability-TYPE.csv; 0: no row there */
    uint32_t scaled_max;
    /* for a placement: GPUs on each node, as placement_canonical writes them;
     * unused for a shape */
    uint8_t per_node[PLACEMENT_NODES_MAX];
    struct step_point *points; /* measured points, ordered by batch size */
    size_t n;                  /* number of points, at least 2 */
};

struct curves {
    /* curves, in the order that struct type_tables names */
    struct step_curve *at;
    size_t n;
};

/* The largest batch per GPU of jobs with at least `gpus` GPUs and fewer GPUs
 * than the next limit in the list. */
struct local_limit {
    uint32_t gpus, local_max;
};

/* Correction of a fitted model in one shape: measured time divided by fitted
 * time, averaged over batch sizes. */
struct shape_factor {
    uint32_t gpus;
    double compute, step; /* factor on (step - sync); factor on step */
};

struct type_tables {
    bool there;  /* true if the application runs on this type */
    bool fitted; /* true: a fitted model; false: measured curves */
    /* Set only with measured curves: */
    /* curves of placements, ordered by per_node_compare */
    struct curves placements;
    /* curves of shapes, ordered by nodes, then GPUs */
    struct curves shapes;
    /* Set only with a fitted model: */
    struct step_model model;
    /* ordered by GPUs; the first one is for 1 GPU */
    struct local_limit *limits;
    size_t n_limits;
    /* corrections in dense shapes, ordered by GPUs */
    struct shape_factor *factors;
    size_t n_factors;
    /* Set for both kinds of speed, curves and a model: */
    uint32_t node_gpus; /* largest number of GPUs of a job on one node */
    uint32_t local_min, local_max, most_nodes;
    double one_gpu; /* see application_one_gpu */
    struct pipeline pipeline;
};

struct application_data {
    struct type_tables *types; /* tables by GPU type */
    size_t n_types;
    /* progress after each epoch, epochs + 1 elements; the first is 0 */
    double *ends;
    /* total batch sizes that have gradient statistics, ascending */
    double *sizes;
    /* statistics by index in `sizes`, then by epoch */
    struct gradient *gradients;
    size_t n_sizes;
};

/* The facts of an application that the tables of a directory do not contain. */
struct application_facts {
    const char *name;
    uint32_t epochs;
    sim_span restart, penalty;
    double slowdown;
    /* entry in applications.json; NULL: only applications.csv in the directory
     * has the application */
    const json_t *entry;
};

struct application_file {
    const char *path, *digest; /* path of the file; its SHA-256 digest */
};

struct applications {
    const char *path; /* directory of tables; NULL: use the compiled-in data */
    const char **types;
    size_t n_types;
    bool pollux;  /* true: applications_follow_pollux was called */
    json_t *root; /* root of applications.json */
    const struct application **known; /* applications found so far */
    /* files read to the end, for the manifest */
    struct application_file *files;
    size_t n, cap, n_files, cap_files;
    struct arena arena;
};

struct applications_json {
    const char *name, *json;
    size_t len;
};
extern const struct applications_json applications_jsons[];

/* tables_step and fitted_shape_step compute a step time. They return false, and
 * leave *out undefined, if the tables do not give one. tables_step accepts any
 * tables. fitted_shape_step requires a fitted model and applies its correction
 * factors. */
bool tables_step(const struct type_tables *t, struct placement placement,
                 double local, struct step_time *out) MUST_USE;
bool fitted_shape_step(const struct type_tables *t, uint32_t nodes,
                       uint32_t gpus, double local,
                       struct step_time *out) MUST_USE;
/* Returns the largest batch per GPU in a placement; 0 if it is unknown. */
uint32_t tables_local_max(const struct type_tables *t,
                          struct placement placement);
/* True if the GPUs are on as few nodes as possible with equally many on each:
 * on one node, or on nodes that are used completely. */
bool tables_dense(const struct type_tables *t, uint32_t nodes, uint32_t gpus);
/* Returns the largest batch per GPU of any measured placement of `gpus` GPUs; 0
 * if there is none, as in a fitted model. */
uint32_t tables_widest(const struct type_tables *t, uint32_t gpus);

#define FOLDER_ROOM 4096

/* Reading an application: a table (application.c), the tables of a GPU
 * type (application_curves.c), the whole application (application.c,
 * application.c), and facts (application.c). */

/* The state of reading a folder of tables. */
struct table_reader {
    struct applications *apps;
    const struct application_facts *facts;
    char folder[FOLDER_ROOM], path[FOLDER_ROOM + 256];
    struct rows *rows; /* the open table; NULL: no table is open */
    struct error *err;
};

/* Opens FOLDER/KIND-WHICH.csv, or KIND.csv if `which` is NULL, and reads its
 * header into `at`, as rows_header does. A column that is not among `columns`
 * is an error. Call table_close even if this fails. */
enum status table_open(struct table_reader *r, const char *kind,
                       const char *which, const struct rows_column *columns,
                       size_t n, int16_t *at) MUST_USE;
/* Closes the table. `whole`: true if the table was read to its end. Only such
 * tables are listed in the manifest with their digests. */
void table_close(struct table_reader *r, bool whole);
/* table_number reads a number within low..high from cell `at` of the row,
 * table_whole a whole number within 1..high. Anything else is
 * STATUS_BAD_INPUT. */
enum status table_number(const struct table_reader *r, int at, double low,
                         double high, double *out) MUST_USE;
enum status table_whole(const struct table_reader *r, int at, double high,
                        double *out) MUST_USE;

/* Reads the tables of a GPU type into *out, which must be zeroed. If there is
 * no placements-TYPE.csv, returns STATUS_OK and leaves *out zeroed. `type`: see
 * application_type_name. */
enum status application_read_type(struct table_reader *r, const char *type,
                                  struct type_tables *out) MUST_USE;

/* Sets t->factors from a JSON list [[GPUs, compute, step], ...]. The factors
 * live in the arena. */
void application_factors(struct arena *arena, const json_t *list,
                         struct type_tables *t);
/* Returns the stages and micro-batches of an application on a GPU type; both
 * are 0 if it has no pipelines there. The caller sets the time of a stage. */
struct pipeline application_stages(const struct application_facts *facts,
                                   const char *type);

/* For unit tests of goodput and its fit: the statistical efficiency, the
 * objective with its gradient, and the number of fits that were made. */

/* Returns gradient_gain / scale at scale = total / M0, > 0. The result is at
 * most 1 if the scale is at least 1; it is 1 if sqr and var are both 0. */
double goodput_efficiency(struct gradient gradient, double scale);

/* Returns the objective that step_model_fit minimises, for n > 0 rows.
 * `gradient` (may be NULL) receives its STEP_MODEL_SIZE derivatives, in the
 * order of struct step_model. */
double step_model_loss(const struct step_model *model,
                       const struct step_sample *rows, size_t n,
                       double *gradient);

/* Returns the number of fits in the store: one per distinct set of rows. */
size_t fits_made(const struct fits *fits);

/* == throughput_application.c: The nominal run of a job of a known application
 * defines the work of the job: the time that the job would take on the GPUs and
 * with the batch size that it asks for, on the first GPU type of the cluster on
 * which that is possible. If it is possible on no type, the nominal run is on a
 * single GPU (for a pipeline, on one GPU per stage) with the initial batch
 * size. Wherever the job runs, the work of an epoch is that of the nominal run,
 * which thus translates between progress and work. */

/* A nominal run, which by definition has rate 1. */
struct nominal_run {
    const struct application *app;
    /* GPUs and total batch size that the job asks for; batch 0: it asks for
     * none, and the nominal run has local_min samples on each GPU */
    uint32_t gpus, batch;
    /* Work up to the end of each epoch, us: app->epochs + 1 elements, the first
     * is 0. */
    int64_t *ends;
};

/* What the cluster has of one GPU type, without profiler nodes. */
struct type_size {
    /* number of GPUs of the widest node; 0: there is no node */
    uint32_t node_gpus;
    uint32_t gpus; /* number of GPUs on all nodes */
};

struct nominal_runs {
    struct type_size *sizes; /* sizes by GPU type */
    uint32_t n_types;
    /* nominal runs that were asked for so far, owned */
    struct nominal_run **at;
    size_t n, cap;
};

/* Returns a placement of `gpus` GPUs on as few nodes as possible if all nodes
 * were as wide as the widest, size.node_gpus > 0. The result points to
 * `per_node`, which must have PLACEMENT_NODES_MAX elements. If more nodes are
 * needed, `nodes` says how many, and no model may be asked about it. */
struct placement placement_densest(struct type_size size, uint32_t gpus,
                                   uint32_t per_node[]);

#endif
