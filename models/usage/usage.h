/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What training uses of a GPU: a table with one row for each combination of
 * model, data set, batch size and precision in a run. job.usage is the number
 * of the job's row. The figures come from models/usage/usage.json, which is
 * compiled in, or from a file of the user; each figure says whether it was
 * measured or is assumed. */
#ifndef MODELS_USAGE_H
#define MODELS_USAGE_H

#include <stdbool.h>

#include "sim/base/arena.h"
#include "sim/base/error.h"
#include "sim/base/option.h"
#include "sim/state/job.h"

struct jobset; /* traces/load.h */

#define USAGE_FIGURES(X) \
    X(GPU_UTIL, "gpu_util") \
    X(MEM_BW_UTIL, "mem_bw_util") \
    X(MEM_MIB, "mem_mib") \
    X(SM_ACTIVITY, "sm_activity") \
    X(COLD_START_S, "cold_start_s") \
    X(WARM_UP_S, "warm_up_s")

enum usage_figure {
#define FIGURE_ENUM(name, key) FIGURE_##name,
    USAGE_FIGURES(FIGURE_ENUM)
#undef FIGURE_ENUM
        N_FIGURES
};

/* Size of the jobs that a model is drawn for (SchedMate, section 5.2). */
enum model_class { CLASS_ANY, CLASS_SMALL, CLASS_MEDIUM, CLASS_LARGE };

enum figure_status { FIGURE_UNKNOWN, FIGURE_MEASURED, FIGURE_ASSUMED };

struct figure {
    double value; /* -1 if unknown */
    const char *source;
    enum figure_status status;
};

struct usage {
    const char *family; /* publication or file that lists the row: "lucid" */
    const char *model, *dataset; /* empty if unknown */
    uint32_t batch_size;         /* of all GPUs together; 0 if unknown */
    int8_t amp;                  /* 1: mixed precision, 0: not, -1: unknown */
    uint8_t class;               /* enum model_class */
    uint8_t sharing; /* enum sharing_class that the row's source publishes */
    bool inherited;  /* the figures are those of the nearest listed row */
    uint32_t n_jobs; /* jobs of the run that have this row */
    struct figure figures[N_FIGURES];
};

/* In row 0 everything is unknown. */
struct usage_table {
    struct usage *rows;
    size_t n, cap;
    size_t n_listed;    /* rows below this number are from the file, the others
                           from the trace */
    const char *recipe; /* name of the recipe that gave the jobs their rows */
};
#define USAGE_ROWS_MAX 1024

const char *figure_name(enum usage_figure figure);

/* True if the names have the same letters and digits; case and punctuation may
 * differ. */
bool model_name_equal(const char *a, const char *b);
/* Returns how different two rows are: 0 if they agree; more than 0, below 1, if
 * batch size, precision or data set differ; 2 if the models differ. */
double usage_distance(const struct usage *a, const struct usage *b);

/* The rows of models/usage/usage.json as usage_read would read them, without
 * row 0. */
extern const struct usage usage_built_in[];
extern const size_t usage_n_built_in;

/* Reads a table. `path` NULL: the one compiled in; else a JSON file like
 * models/usage/usage.json, or a CSV file with the columns of Lucid's
 * single_data.csv. Texts live in the arena, usage_fini frees the rows. */
enum status usage_read(const char *path, struct arena *arena,
                       struct usage_table *out, struct error *err) MUST_USE;
void usage_add(struct usage_table *table, const struct usage *usage);
void usage_fini(struct usage_table *table); /* accepts all zeroes */

/* A way to choose the model that each job trains. */
struct model_recipe {
    const char *name, *summary;
    const struct option *options;
    size_t config_size;
};
/* All recipes; ends with NULL. */
extern const struct model_recipe *const model_recipes[];
enum status model_recipe_find(struct text name, const struct model_recipe **out,
                              struct error *err) MUST_USE;
/* Fills *out, sets job.usage of each job, and the utilisation and memory of
 * jobs for which the trace has none. The recipes that draw models replace the
 * model and batch size of each job. */
enum status usage_assign(const struct model_recipe *recipe, const void *config,
                         uint64_t seed, struct jobset *jobs,
                         struct arena *arena, struct usage_table *out,
                         struct error *err) MUST_USE;

#endif
