/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files application*.c share with each other, with the tool that fits
 * and with unit tests: for each GPU type measured curves or a fitted model, and
 * for each application its epochs. */
#ifndef MODELS_APPLICATION_INTERNAL_H
#define MODELS_APPLICATION_INTERNAL_H

#include <jansson.h>

#include "models/elastic/applications.h"
#include "sim/base/arena.h"
#include "sim/base/rows.h"
#include "sim/base/text.h"

struct step_point {
    double local;      /* samples per GPU */
    double step, sync; /* seconds; as in struct step_time */
};

/* The measured steps of one placement, or the mean over all placements with
 * these nodes and GPUs. */
struct step_curve {
    uint32_t nodes, gpus;
    uint32_t scaled_max; /* largest batch per GPU in scalability-TYPE.csv */
    uint8_t per_node[PLACEMENT_NODES_MAX]; /* canonical, of one placement */
    struct step_point *points;             /* by batch size */
    size_t n;                              /* at least 2 */
};

struct curves {
    struct step_curve *at; /* in the order that struct type_tables says */
    size_t n;
};

/* The largest batch per GPU of jobs with at least `gpus` GPUs. */
struct local_limit {
    uint32_t gpus, local_max;
};

/* The measured times over the fitted ones, on average over batches. */
struct shape_factor {
    uint32_t gpus;
    double compute, step; /* of step - sync, and of step */
};

struct type_tables {
    bool there;  /* the application runs on this type */
    bool fitted; /* a model is used instead of curves */
    /* Measured curves. */
    struct curves placements; /* ordered by per_node */
    struct curves shapes;     /* ordered by nodes, then GPUs */
    /* A fitted model. */
    struct step_model model;
    struct local_limit *limits; /* ordered by GPUs; the first is for 1 */
    size_t n_limits;
    struct shape_factor *factors; /* of dense shapes, ordered by GPUs */
    size_t n_factors;
    /* Both. */
    uint32_t node_gpus; /* most GPUs of a job on one node */
    uint32_t local_min, local_max, most_nodes;
    double one_gpu; /* samples per second of one GPU */
    struct pipeline pipeline;
};

struct application_data {
    struct type_tables *types; /* by GPU type */
    size_t n_types;
    double *ends;  /* progress after each epoch: epochs + 1, the first 0 */
    double *sizes; /* total batches with gradient statistics, ascending */
    struct gradient *gradients; /* by size, then epoch */
    size_t n_sizes;
};

/* What the tables of a directory do not contain. */
struct application_facts {
    const char *name;
    uint32_t epochs;
    sim_span restart, penalty;
    double slowdown;
    const json_t *entry; /* in applications.json; NULL: from a directory only */
};

struct application_file {
    const char *path, *digest; /* SHA-256 */
};

struct applications {
    const char *path; /* NULL: compiled in */
    const char **types;
    size_t n_types;
    json_t *root;                     /* applications.json */
    const struct application **known; /* the applications found so far */
    struct application_file *files;   /* those read to their end */
    size_t n, cap, n_files, cap_files;
    struct arena arena;
};

struct applications_json {
    const char *name, *json;
    size_t len;
};
extern const struct applications_json applications_jsons[];

/* application_curves.c: interpolation between the measured points. */

/* Writes the GPUs by node without empty nodes, in the rotation whose sequence
 * is the smallest. Returns false if there are more than PLACEMENT_NODES_MAX
 * nodes or if a node has more than 255 GPUs. */
bool placement_canonical(struct placement placement,
                         uint8_t out[PLACEMENT_NODES_MAX], uint32_t *nodes,
                         uint32_t *gpus) MUST_USE;
/* Returns -1, 0 or 1; sequences of equal length are ordered by their first
 * difference. */
int per_node_compare(const uint8_t *a, uint32_t n_a, const uint8_t *b,
                     uint32_t n_b);
/* Return false if the tables have no answer. tables_step: for any tables.
 * fitted_shape_step: for a fitted model, corrected by its factors. */
bool tables_step(const struct type_tables *t, struct placement placement,
                 double local, struct step_time *out) MUST_USE;
bool fitted_shape_step(const struct type_tables *t, uint32_t nodes,
                       uint32_t gpus, double local,
                       struct step_time *out) MUST_USE;
/* Returns the largest batch per GPU; 0 if it is unknown. */
uint32_t tables_local_max(const struct type_tables *t,
                          struct placement placement);
/* True for GPUs on as few nodes as possible, and equally many on each: one
 * node, or whole nodes. */
bool tables_dense(const struct type_tables *t, uint32_t nodes, uint32_t gpus);
/* Returns the largest batch per GPU of any measured placement of `gpus` GPUs; 0
 * if there is none. */
uint32_t tables_widest(const struct type_tables *t, uint32_t gpus);

#define FOLDER_ROOM 4096

/* application_table.c, application_steps.c: one folder of tables. */

/* An application that is being read. */
struct table_reader {
    struct applications *apps;
    const struct application_facts *facts;
    char folder[FOLDER_ROOM], path[FOLDER_ROOM + 256];
    struct rows *rows; /* the open table; NULL if none is */
    struct error *err;
};

/* Opens FOLDER/KIND-WHICH.csv, or KIND.csv if `which` is NULL, and reads its
 * header. Call table_close even if this failed. */
enum status table_open(struct table_reader *r, const char *kind,
                       const char *which, const struct rows_column *columns,
                       size_t n, int16_t *at) MUST_USE;
/* Closes the table. `whole`: it was read to its end, so the manifest names it.
 */
void table_close(struct table_reader *r, bool whole);
/* Read a number within low..high, or a whole number within 1..high. */
enum status table_number(const struct table_reader *r, int at, double low,
                         double high, double *out) MUST_USE;
enum status table_whole(const struct table_reader *r, int at, double high,
                        double *out) MUST_USE;

/* Reads the tables of a GPU type. Without such tables, returns STATUS_OK and
 * sets out->there to false. */
enum status application_read_type(struct table_reader *r, const char *type,
                                  struct type_tables *out) MUST_USE;

/* Read an application from its folder, or from its entry of applications.json.
 */
enum status application_read(struct applications *apps,
                             const struct application_facts *facts,
                             struct application *out,
                             struct error *err) MUST_USE;
enum status application_fitted(struct applications *apps,
                               const struct application_facts *facts,
                               struct application *out,
                               struct error *err) MUST_USE;
/* Reads factors, [[GPUs, compute, step], ...]. */
void application_factors(struct arena *arena, const json_t *list,
                         struct type_tables *t);
/* Returns the name that the tables have for a GPU type: its own, or the one of
 * which it is an alias. */
const char *application_type_name(const struct applications *apps,
                                  const char *type);
/* Returns stages and micro-batches on a type; zeroes if the application has no
 * pipelines. */
struct pipeline application_stages(const struct application_facts *facts,
                                   const char *type);

#endif
