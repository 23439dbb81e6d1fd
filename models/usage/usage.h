/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What training jobs ask of a GPU: one profile for each workload (model, data
 * set, batch size, precision) of a run, shared by all models; job.profile is
 * its number. The figures come from models/usage/usage.json, which is
 * compiled in, or from a file of the user; each figure says whether it was
 * measured or is assumed. */
#ifndef MODELS_USAGE_H
#define MODELS_USAGE_H

#include <stdbool.h>

#include "sim/base/arena.h"
#include "sim/base/error.h"
#include "sim/base/option.h"
#include "sim/state/job.h"

struct workload; /* traces/load.h */

#define WORKLOAD_FIGURES(X) \
    X(GPU_UTIL, "gpu_util") \
    X(MEM_BW_UTIL, "mem_bw_util") \
    X(MEM_MIB, "mem_mib") \
    X(SM_ACTIVITY, "sm_activity") \
    X(COLD_START_S, "cold_start_s") \
    X(WARM_UP_S, "warm_up_s")

enum workload_figure {
#define FIGURE_ENUM(name, key) FIGURE_##name,
    WORKLOAD_FIGURES(FIGURE_ENUM)
#undef FIGURE_ENUM
        N_FIGURES
};

/* Class by the size of a job, as in SchedMate, section 5.2. */
enum workload_class { CLASS_ANY, CLASS_SMALL, CLASS_MEDIUM, CLASS_LARGE };

enum figure_status { FIGURE_UNKNOWN, FIGURE_MEASURED, FIGURE_ASSUMED };

struct figure {
    double value; /* -1 if unknown */
    const char *source;
    enum figure_status status;
};

struct profile {
    const char *family, *model, *dataset; /* empty if unknown */
    uint32_t batch_size;                  /* 0 if unknown */
    int8_t amp;                           /* mixed precision; -1 if unknown */
    uint8_t class;                        /* enum workload_class */
    uint8_t sharing; /* enum sharing_class of models/estimators/estimator.h, as
                        published */
    bool inherited;  /* figures come from the nearest batch size or precision */
    uint32_t n_jobs;
    struct figure figures[N_FIGURES];
};

/* Row 0 is the unknown workload. */
struct workloads {
    struct profile *rows;
    size_t n, cap;
    size_t n_listed; /* rows below this number are from the file, the others
                        from the trace */
    const char *recipe;
};
#define WORKLOADS_MAX 1024

const char *figure_name(enum workload_figure figure);

/* True if the letters and digits are the same, whatever case and
 * punctuation. */
bool workload_name_equal(const char *a, const char *b);
/* Returns how different two workloads of one model are: 0 the same, below 1
 * another batch size, precision or data set; 2 if the models differ. */
double profile_distance(const struct profile *a, const struct profile *b);

/* models/usage/usage.json as workloads_read would read it, without row
 * 0. */
extern const struct profile workloads_built_in[];
extern const size_t workloads_n_built_in;

/* Reads profiles. `path` NULL: those compiled in; else a JSON file like
 * models/usage/usage.json, or a CSV file with the columns of Lucid's
 * single_data.csv. Texts live in the arena, workloads_fini frees the rows. */
enum status workloads_read(const char *path, struct arena *arena,
                           struct workloads *out, struct error *err) MUST_USE;
void workloads_add(struct workloads *workloads, const struct profile *profile);
void workloads_fini(struct workloads *workloads); /* accepts all zeroes */

/* A way to give every job a profile, and its utilisation and memory if the
 * trace has none. */
struct workload_recipe {
    const char *name, *summary;
    const struct option *options;
    size_t config_size;
};
extern const struct workload_recipe
    *const workload_recipes[]; /* ends with NULL */
enum status workload_recipe_find(struct text name,
                                 const struct workload_recipe **out,
                                 struct error *err) MUST_USE;
enum status workloads_assign(const struct workload_recipe *recipe,
                             const void *config, uint64_t seed,
                             struct workload *jobs, struct arena *arena,
                             struct workloads *out, struct error *err) MUST_USE;

#endif
