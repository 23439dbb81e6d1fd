/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measured speeds of pairs, from a file. By default a pair that is not in the
 * file gets the speeds of the nearest measured pair; the manifest counts such
 * pairs. For more than two jobs, the speeds beside each single job are
 * multiplied (assumed: no table has triples). Pairs were measured on one GPU;
 * in the engine, a job on several GPUs runs at the rate of the slowest of them.
 *
 * Measured speeds can exceed 1 (20.6 % of Lucid's, up to 1.498). The reasons
 * are noise, caches and clocks, not packing, so a rate above 1 becomes 1 unless
 * `clip` is off. The two speeds of a workload beside itself are replaced by
 * their mean unless `self` is listed. With
 * `nearest=false,none=1,clip=false,self=listed` the table is read as Lucid's
 * simulator reads it. */
#include <stdio.h>

#include "base/state/cluster.h"
#include "models/interference/interference.h"
#include "models/interference/pairs.h"

struct table_config {
    const char *file, *gpu;
    double none;
    bool clip, nearest;
    unsigned self; /* rule for two jobs of one row, enum pair_self */
};

struct table {
    const struct pair_matrix *matrix; /* speeds of pairs, by row of usage */
};

static const char *const self_names[] = {"mean", "listed", NULL};

static const struct option table_options[] = {
    OPT_PATH(struct table_config, file, "file", "",
             "file of measured pairs: Lucid's colocate_info.csv, Gavel's "
             "throughputs (JSON), or CSV with the columns "
             "gpu,job,partner,job_speed,partner_speed",
             NULL),
    OPT_TEXT(
        struct table_config, gpu, "gpu", "v100",
        "GPU type whose pairs are read from Gavel's throughputs or from the "
        "CSV",
        "assumed"),
    OPT_BOOL(
        struct table_config, clip, "clip", 1,
        "cut speeds at 1, so that no job runs faster beside others than alone",
        "assumed: measured speeds above 1 are noise "
        "(models/interference/interference_table.c)"),
    OPT_BOOL(struct table_config, nearest, "nearest", 1,
             "take the speeds of the nearest measured pair for a pair that "
             "was not measured; false: take those of the setting none",
             "assumed"),
    OPT_CHOICE(struct table_config, self, "self", PAIR_SELF_MEAN, self_names,
               "mean: two jobs of one workload run at the mean of the pair's "
               "speeds; listed: the later job runs at the first speed, the "
               "other at the second",
               "Lucid's simulator: listed"),
    OPT_DOUBLE(
        struct table_config, none, "none", 0.83, 0.01, 1,
        "relative speed of both jobs if no measured pair can be compared",
        "1 / 1.2, the constant slowdown of Horus (TPDS 2022)"),
    {0},
};

static size_t n_used(const struct usage_table *usage)
{
    size_t n = 0;
    for (size_t i = 0; i < usage->n; i++)
        n += usage->rows[i].n_jobs > 0;
    return n;
}

/* Notes for the manifest how many pairs of the run were measured, how many take
 * the speeds of the nearest measured pair, and how many are unknown. */
static void report(const struct run_env *env, const struct pair_matrix *matrix)
{
    char text[160];
    snprintf(text, sizeof text,
             "%llu measured, %llu nearest (at most %.3f away), %llu unknown",
             (unsigned long long)matrix->answers[PAIR_MEASURED],
             (unsigned long long)matrix->answers[PAIR_NEAREST],
             matrix->farthest, (unsigned long long)matrix->answers[PAIR_NONE]);
    env_note(env, "pairs", text,
             "pairs of workloads of this run, by the source of their speeds",
             matrix->answers[PAIR_NEAREST] || matrix->answers[PAIR_NONE]
                 ? "assumed: a pair that was not measured behaves as the "
                   "nearest measured one"
                 : "");
}

static enum status table_init(void *self, const void *config,
                              const struct run_env *env, struct error *err)
{
    const struct table_config *c = config;
    struct table *t = self;
    struct pairs pairs;
    if (!c->file[0])
        return error_set(err, STATUS_USAGE,
                         "interference table: no file is named; write "
                         "table:file=FILE");
    if (n_used(env->usage) > USAGE_ROWS_MAX)
        return error_set(err, STATUS_BAD_INPUT,
                         "interference table: the jobs have more than %d "
                         "workloads",
                         USAGE_ROWS_MAX);
    enum status st = pairs_read(c->file, c->gpu, env->arena, &pairs, err);
    if (st != STATUS_OK)
        return st;
    t->matrix = pairs_resolve(&pairs, env->usage, c->nearest, c->none,
                              (enum pair_self)c->self, env->arena);
    pairs_fini(&pairs);
    report(env, t->matrix);
    return STATUS_OK;
}

static void table_rates(const struct interference *model,
                        const struct job *const *jobs, size_t count,
                        double *rates)
{
    const struct table_config *c = model->config;
    const struct table *t = model->self;
    double speeds[SHARE_LIMIT_MAX];
    for (size_t i = 0; i < count; i++) {
        size_t n = 0;
        for (size_t k = 0; k < count; k++) {
            if (k != i)
                speeds[n++] = pair_speed(t->matrix, jobs[i]->usage,
                                         jobs[k]->usage, i > k);
        }
        interference_sort(speeds, n);
        rates[i] = 1.0;
        for (size_t k = 0; k < n; k++)
            rates[i] *= speeds[k];
        if (c->clip && rates[i] > 1)
            rates[i] = 1.0;
    }
}

const struct interference_ops interference_table = {
    .name = "table",
    .summary = "measured speeds of pairs; a missing pair takes those of the "
               "nearest",
    .options = table_options,
    .config_size = sizeof(struct table_config),
    .state_size = sizeof(struct table),
    .init = table_init,
    .rates = table_rates,
};
