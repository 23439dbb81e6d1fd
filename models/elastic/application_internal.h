/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data from which models/elastic/applications.h answers: for each GPU type
 * either measured curves or a fitted model, and for each application its
 * epochs. For the files application*.c only. */
#ifndef MODELS_APPLICATION_INTERNAL_H
#define MODELS_APPLICATION_INTERNAL_H

#include <jansson.h>

#include "models/elastic/applications.h"
#include "sim/base/arena.h"
#include "sim/base/rows.h"
#include "sim/base/text.h"

struct step_point {
    double local, step, sync;
};

/* Measured steps of one placement, or of all placements with these nodes and
 * GPUs, by batch size; at least two points. */
struct step_curve {
    uint32_t nodes, gpus;
    uint32_t scaled_max; /* largest batch in scalability-TYPE.csv */
    /* GPUs by node of a placement, canonical */
    uint8_t per_node[PLACEMENT_NODES_MAX];
    struct step_point *points;
    size_t n;
};

struct curves {
    struct step_curve *at; /* in order */
    size_t n;
};

/* The largest batch per GPU from `gpus` GPUs on. */
struct local_limit {
    uint32_t gpus, local_max;
};

/* The true time over the fitted one, on average over batches. */
struct shape_factor {
    uint32_t gpus;
    double compute, step;
};

struct type_tables {
    bool there, fitted;
    struct curves placements;   /* measured: by per_node */
    struct curves shapes;       /* measured: by nodes, then GPUs */
    struct step_model model;    /* fitted */
    struct local_limit *limits; /* fitted: by GPUs, the first from 1 */
    size_t n_limits;
    struct shape_factor *factors; /* fitted: by GPUs, for dense shapes */
    size_t n_factors;
    uint32_t node_gpus; /* most GPUs on one node */
    uint32_t local_min, local_max, most_nodes;
    double one_gpu;
    struct pipeline pipeline;
};

struct application_data {
    struct type_tables *types;
    size_t n_types;
    double *ends;  /* epochs + 1 of them, the first 0 */
    double *sizes; /* total batches with gradient statistics, ascending */
    struct gradient *gradients; /* by size, then epoch */
    size_t n_sizes;
};

/* Facts that the tables of a directory do not tell. */
struct application_facts {
    const char *name;
    uint32_t epochs;
    sim_span restart, penalty;
    double slowdown;
    const json_t *entry; /* in applications.json; NULL: from a directory only */
};

struct application_file {
    const char *path, *digest;
};

struct applications {
    const char *path; /* NULL: compiled in */
    const char **types;
    size_t n_types;
    json_t *root; /* applications.json */
    const struct application **known;
    struct application_file *files;
    size_t n, cap, n_files, cap_files;
    struct arena arena;
};

struct applications_json {
    const char *name, *json;
    size_t len;
};
extern const struct applications_json applications_jsons[];

/* application_curves.c: interpolation between the measured points.
 *
 * placement_canonical: the rotation with the smallest sequence, without empty
 * nodes; false if it has more than PLACEMENT_NODES_MAX nodes or a node more
 * than 255 GPUs. */
bool placement_canonical(struct placement placement,
                         uint8_t out[PLACEMENT_NODES_MAX], uint32_t *nodes,
                         uint32_t *gpus) MUST_USE;
/* Returns -1, 0 or 1; sequences of equal length are ordered by their first
 * difference. */
int per_node_compare(const uint8_t *a, uint32_t n_a, const uint8_t *b,
                     uint32_t n_b);
bool tables_step(const struct type_tables *t, struct placement placement,
                 double local, struct step_time *out) MUST_USE;
bool fitted_shape_step(const struct type_tables *t, uint32_t nodes,
                       uint32_t gpus, double local,
                       struct step_time *out) MUST_USE;
uint32_t tables_local_max(const struct type_tables *t,
                          struct placement placement);
/* True for GPUs on as few nodes as possible, and equally many on each: one
 * node, or whole nodes. */
bool tables_dense(const struct type_tables *t, uint32_t nodes, uint32_t gpus);
/* The largest batch of any measured placement of `gpus` GPUs; 0: none. */
uint32_t tables_widest(const struct type_tables *t, uint32_t gpus);

#define FOLDER_ROOM 4096

/* application_table.c and application_steps.c: one folder of tables.
 *
 * An application that is being read; `rows` is the table that is open, or
 * NULL. */
struct table_reader {
    struct applications *apps;
    const struct application_facts *facts;
    char folder[FOLDER_ROOM], path[FOLDER_ROOM + 256];
    struct rows *rows;
    struct error *err;
};

/* Opens FOLDER/KIND-WHICH.csv (KIND.csv without `which`) and reads its header.
 * Must be closed even if it failed. */
enum status table_open(struct table_reader *r, const char *kind,
                       const char *which, const struct rows_column *columns,
                       size_t n, int16_t *at) MUST_USE;
/* `whole`: the file was read to its end, so it is named in the manifest. */
void table_close(struct table_reader *r, bool whole);
enum status table_number(const struct table_reader *r, int at, double low,
                         double high, double *out) MUST_USE;
enum status table_whole(const struct table_reader *r, int at, double high,
                        double *out) MUST_USE;

/* Returns STATUS_OK with out->there false if there are no tables of that
 * type. */
enum status application_read_type(struct table_reader *r, const char *type,
                                  struct type_tables *out) MUST_USE;

enum status application_read(struct applications *apps,
                             const struct application_facts *facts,
                             struct application *out,
                             struct error *err) MUST_USE;
enum status application_fitted(struct applications *apps,
                               const struct application_facts *facts,
                               struct application *out,
                               struct error *err) MUST_USE;
/* Reads [[GPUs, compute, step], ...]. */
void application_factors(struct arena *arena, const json_t *list,
                         struct type_tables *t);
/* The name of the tables of a GPU type: its own, or the one that it is an alias
 * of. */
const char *application_type_name(const struct applications *apps,
                                  const char *type);
/* Stages and micro-batches of a pipeline on a type, if the application is a
 * pipeline. */
struct pipeline application_stages(const struct application_facts *facts,
                                   const char *type);

#endif
