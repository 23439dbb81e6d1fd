/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What training jobs use of a GPU: a table with one row per combination of
 * source, model, data set, batch size and precision. job.usage is the number of
 * the job's row. The figures come from models/usage/usage.json, which is
 * compiled in, or from a file of the user; each figure says whether it was
 * measured, was fitted, is assumed or is unknown. */
#ifndef MODELS_USAGE_H
#define MODELS_USAGE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/option.h"
#include "base/state/job.h"

struct jobset; /* defined in traces/load.h */

#define USAGE_FIGURES(X) \
    X(GPU_UTIL, "gpu_util") \
    X(MEM_BW_UTIL, "mem_bw_util") \
    X(MEM_MIB, "mem_mib") \
    X(SM_ACTIVITY, "sm_activity") \
    X(COLD_START_S, "cold_start_s") \
    X(WARM_UP_S, "warm_up_s") \
    X(STEP_FIXED_S, "step_fixed_s") \
    X(STEP_SAMPLE_S, "step_sample_s") \
    X(STEP_NODES_S, "step_nodes_s") \
    X(STEP_SPREAD_S, "step_spread_s")

enum usage_figure {
#define FIGURE_ENUM(name, key) FIGURE_##name,
    USAGE_FIGURES(FIGURE_ENUM)
#undef FIGURE_ENUM
        N_FIGURES
};

/* Size classes of models, and of jobs by their number of GPUs. The recipe
 * `schedmate` draws a model of the job's class (SchedMate, section 5.2).
 * CLASS_ANY: the model is in no class. */
enum model_class { CLASS_ANY, CLASS_SMALL, CLASS_MEDIUM, CLASS_LARGE };

enum figure_status {
    FIGURE_UNKNOWN,
    FIGURE_MEASURED,
    FIGURE_FITTED, /* follows from a law that was fitted to measurements */
    FIGURE_ASSUMED
};

struct figure {
    double value; /* 0..1, MiB or seconds, see usage.json; -1: unknown */
    const char *source;
    enum figure_status status;
};

struct usage {
    /* publication that lists the row, such as "lucid"; "trace" for a row that
     * was made for jobs of the trace; "" for row 0 */
    const char *family;
    const char *model, *dataset; /* names; "": unknown */
    /* Batch size as the source counts it: of all GPUs, or of one GPU in the
     * family schedmate; 0: unknown. */
    uint32_t batch_size;
    /* 1: mixed precision; 0: full precision; -1: unknown */
    int8_t amp;
    uint8_t class; /* size class, enum model_class */
    /* enum sharing_class; SHARING_UNKNOWN if the source gives none */
    uint8_t sharing;
    /* true if the figures are those of a listed row with another batch size,
     * precision or data set */
    bool inherited;
    /* number of jobs of the run that have this row */
    uint32_t n_jobs;
    struct figure figures[N_FIGURES];
};

/* The usage rows of a run. The figures of row 0 are unknown; it is for jobs
 * without a model. */
struct usage_table {
    struct usage *rows;
    size_t n, cap;
    /* rows 1 .. n_listed-1 come from the file or are compiled in, the rows
     * after them come from the trace */
    size_t n_listed;
    const char *recipe; /* name of the recipe that chose the rows of the jobs */
};
#define USAGE_ROWS_MAX 1024

const char *figure_name(enum usage_figure figure);

/* Returns the seconds of a training step of a job of `gpus` GPUs on `nodes`
 * nodes, by the law in models/usage/usage.json. 0 if the batch size or a figure
 * of the law is unknown, `nodes` is 0 or a node would have no GPU. */
double usage_step_seconds(const struct usage *usage, uint32_t gpus,
                          uint32_t nodes);

/* True if two names are equal. Case is ignored, and so are all characters but
 * ASCII letters and digits. */
bool model_name_equal(const char *a, const char *b);
/* Returns the distance between two rows: 0 if they agree; between 0 and 1 if
 * batch size, precision or data set differ; 2 if the models differ. What is
 * unknown in one of the rows counts as equal. */
double usage_distance(const struct usage *a, const struct usage *b);

/* The rows of models/usage/usage.json, compiled in. They are as usage_read
 * would read them from that file, without row 0. */
extern const struct usage usage_built_in[];
extern const size_t usage_n_built_in;

/* Reads a table and puts row 0 before it. `path`: NULL for the compiled-in
 * table, a JSON file like models/usage/usage.json, or a CSV file, called *.csv,
 * with the columns of Lucid's single_data.csv. Texts of a file live in the
 * arena; usage_fini frees the rows. STATUS_BAD_INPUT if the file is wrong or
 * has more rows than USAGE_ROWS_MAX. After an error *out is empty. */
enum status usage_read(const char *path, struct arena *arena,
                       struct usage_table *out, struct error *err) MUST_USE;
void usage_add(struct usage_table *table, const struct usage *usage);
void usage_fini(struct usage_table *table); /* accepts all zeroes */

/* A recipe: a way to choose the model that each job trains. */
struct model_recipe {
    const char *name, *summary;
    const struct option *options;
    size_t config_size;
};
/* All recipes; ends with NULL. */
extern const struct model_recipe *const model_recipes[];
enum status model_recipe_find(struct text name, const struct model_recipe **out,
                              struct error *err) MUST_USE;
/* Fills *out and sets job.usage of each job. Utilisation and memory that the
 * trace does not give become those of the row, if it has them. Recipes that
 * draw models replace model, batch size, utilisation and memory of each job;
 * STATUS_USAGE if the option `family` leaves no row for a job. Returns errors
 * of usage_read too. After an error *out is empty. */
enum status usage_assign(const struct model_recipe *recipe, const void *config,
                         uint64_t seed, struct jobset *jobs,
                         struct arena *arena, struct usage_table *out,
                         struct error *err) MUST_USE;

#endif
