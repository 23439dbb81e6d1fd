/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measured speeds of pairs of usage on one GPU, each relative to running
 * alone, and the speeds of every two usage of a run: measured, or those of
 * the nearest measured pair. */
#ifndef MODELS_PAIRS_H
#define MODELS_PAIRS_H

#include "models/usage/usage.h"

struct pair {
    uint32_t a, b; /* indices into keys */
    double speed_a, speed_b;
};

struct pairs {
    struct usage *keys; /* figures are unknown except for usage that the
                             run's table contains */
    struct pair *pairs;
    size_t n_keys, cap_keys, n_pairs, cap_pairs;
};
#define PAIRS_KEYS_MAX 4096

/* Reads Lucid's colocate_info.csv; CSV with
 * gpu,job,partner,job_speed,partner_speed; or Gavel's throughputs (JSON, steps
 * a second, "name (batch size N)"), of which `gpu` selects the table. Pairs
 * that do not fit on one GPU are left out. Texts live in the arena; pairs_fini
 * frees the rest. */
enum status pairs_read(const char *path, const char *gpu, struct arena *arena,
                       struct pairs *out, struct error *err) MUST_USE;
void pairs_fini(struct pairs *pairs); /* accepts all zeroes */

/* pairs_key: adds a row as read, once. pairs_add: adds a pair; the first
 * one in either order counts. */
uint32_t pairs_key(struct pairs *pairs, const struct usage *key);
void pairs_add(struct pairs *pairs, uint32_t a, uint32_t b, double speed_a,
               double speed_b);

enum pair_answer { PAIR_MEASURED, PAIR_NEAREST, PAIR_NONE, N_PAIR_ANSWERS };

/* Speeds of the run's rows of usage beside each other. */
struct pair_matrix {
    uint16_t *dense; /* row of usage -> row, for those that jobs have */
    double *speed;   /* n x n: speed of the row beside the column */
    double *later;   /* n: speed of the row beside itself, of the job that came
                        later */
    size_t n;
    uint64_t answers[N_PAIR_ANSWERS]; /* number of unordered pairs */
    double farthest;                  /* largest distance of a PAIR_NEAREST */
};

/* Two jobs of one row: both run at the mean of the two speeds, or the job
 * that came later runs at the first speed and the other at the second. */
enum pair_self { PAIR_SELF_MEAN, PAIR_SELF_LISTED };

/* `none` is the speed where no pair can be compared, or, without `nearest`,
 * where the pair was not measured. The result lives in the arena. */
struct pair_matrix *pairs_resolve(const struct pairs *pairs,
                                  const struct usage_table *usage, bool nearest,
                                  double none, enum pair_self self,
                                  struct arena *arena);

/* `later`: the victim came after the other job. */
static inline double pair_speed(const struct pair_matrix *m, uint16_t victim,
                                uint16_t other, bool later)
{
    size_t row = m->dense[victim], column = m->dense[other];
    return row == column && later ? m->later[row]
                                  : m->speed[row * m->n + column];
}

#endif
