/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of numbers of GPUs by virtual clusters is fitted to both margins by
 * iterative proportional fitting (Deming and Stephan 1940) and rounded. */
#include "traces/generate/generate_internal.h"

#include <math.h>
#include <stdlib.h>

#define SWEEPS 60

/* A table of probabilities, and its margins: the shares of the jobs by number
 * of GPUs (`share`) and by virtual cluster (`jobs`). */
struct sizes_table {
    const struct sizes *sizes;
    double *p;            /* [i * n_vcs + v] */
    double *share, *jobs; /* by i; by v */
};

static void rake_columns(const struct sizes_table *t)
{
    for (size_t v = 0; v < t->sizes->n_vcs; v++) {
        double sum = 0;
        for (size_t i = 0; i < t->sizes->n; i++)
            sum += t->p[i * t->sizes->n_vcs + v];
        for (size_t i = 0; i < t->sizes->n && sum > 0; i++)
            t->p[i * t->sizes->n_vcs + v] *= t->jobs[v] / sum;
    }
}

static void rake_rows(const struct sizes_table *t)
{
    for (size_t i = 0; i < t->sizes->n; i++) {
        double *row = &t->p[i * t->sizes->n_vcs], sum = 0;
        for (size_t v = 0; v < t->sizes->n_vcs; v++)
            sum += row[v];
        for (size_t v = 0; v < t->sizes->n_vcs && sum > 0; v++)
            row[v] *= t->share[i] / sum;
    }
}

/* Rounds the table to whole jobs. What rounding takes from a column in one row
 * is given back in the next. */
static void round_table(const struct sizes_table *t, uint32_t n,
                        struct sizes *out)
{
    size_t m = out->n_vcs;
    uint32_t *row_n = mem_alloc(out->n * sizeof *row_n);
    double *owed = mem_zalloc(m, sizeof *owed);
    double *wanted = mem_zalloc(m, sizeof *wanted);
    ranks_apportion(t->share, out->n, n, row_n);
    for (size_t i = 0; i < out->n; i++) {
        double sum = 0;
        for (size_t v = 0; v < m; v++) {
            owed[v] += t->p[i * m + v] * n;
            wanted[v] = t->p[i * m + v] > 0 ? fmax(owed[v], 1e-9) : 0;
            sum += wanted[v];
        }
        if (sum > 0)
            ranks_apportion(wanted, m, row_n[i], &out->jobs[i * m]);
        for (size_t v = 0; v < m; v++) {
            owed[v] -= out->jobs[i * m + v];
            out->of_vc[v] += out->jobs[i * m + v];
        }
    }
    free(row_n);
    free(owed);
    free(wanted);
}

/* Returns the published share of the jobs of a virtual cluster that ask for
 * `gpus` GPUs, 0..1. */
static double share_in(const struct calibration_name *vc, double gpus)
{
    for (size_t k = 0; k < vc->n_sizes; k++) {
        if (vc->sizes[k].value == gpus)
            return vc->sizes[k].weight;
    }
    return 0;
}

/* Sets the margins and the first table. */
static void sizes_begin(const struct calibration *c, struct sizes_table *t,
                        struct sizes *s)
{
    double gpu_time = 0;
    for (size_t v = 0; v < c->n_vcs; v++)
        gpu_time += c->vcs[v].gpu_time;
    for (size_t i = 0; i < s->n; i++)
        t->share[i] = c->gpu_counts[i].weight;
    for (size_t v = 0; v < s->n_vcs; v++) {
        t->jobs[v] = c->n_vcs ? c->vcs[v].share : 1;
        s->gpu_time[v] = c->n_vcs ? c->vcs[v].gpu_time / gpu_time : 1;
    }
    for (size_t i = 0; i < s->n; i++) {
        for (size_t v = 0; v < s->n_vcs; v++)
            t->p[i * s->n_vcs + v] =
                c->n_vcs ? t->jobs[v] * share_in(&c->vcs[v], s->gpus[i])
                         : t->share[i];
    }
}

enum status sizes_make(const struct calibration *calibration, uint32_t gpus,
                       uint32_t n, struct arena *arena, struct sizes *out,
                       struct error *err)
{
    const struct calibration *c = calibration;
    size_t m = c->n_vcs ? c->n_vcs : 1, rows = 0;
    while (rows < c->n_gpu_counts && c->gpu_counts[rows].value <= gpus)
        rows++;
    if (rows == 0)
        return error_set(err, STATUS_USAGE,
                         "--gpus: no job of %s asks for so few", c->name);
    *out = (struct sizes){
        .n = rows,
        .n_vcs = m,
        .gpus = ARENA_ARRAY(arena, uint32_t, rows),
        .jobs = ARENA_ARRAY(arena, uint32_t, rows * m),
        .of_vc = ARENA_ARRAY(arena, uint32_t, m),
        .gpu_time = ARENA_ARRAY(arena, double, m),
    };
    for (size_t i = 0; i < rows; i++)
        out->gpus[i] = (uint32_t)c->gpu_counts[i].value;
    struct sizes_table t = {
        .sizes = out,
        .p = ARENA_ARRAY(arena, double, rows *m),
        .share = ARENA_ARRAY(arena, double, rows),
        .jobs = ARENA_ARRAY(arena, double, m),
    };
    sizes_begin(c, &t, out);
    for (int i = 0; i < SWEEPS; i++) {
        rake_rows(&t);
        rake_columns(&t);
    }
    rake_rows(&t);
    round_table(&t, n, out);
    return STATUS_OK;
}
