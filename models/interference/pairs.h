/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measured speeds of pairs of jobs on one GPU, each relative to the job running
 * alone. From these, pairs_resolve derives the speeds of every pair of usage
 * rows of a run: the measured ones, those of the nearest measured pair, or one
 * that the caller gives. */
#ifndef MODELS_PAIRS_H
#define MODELS_PAIRS_H

#include "models/usage/usage.h"

struct pair {
    uint32_t a, b;           /* indices in `keys` */
    double speed_a, speed_b; /* speeds, > 0; 1: as fast as alone */
};

struct pairs {
    /* The jobs that were paired, as usage rows. Figures are unknown until
     * pairs_resolve takes those of a row of the same model in the usage table
     * of the run, if there is one. */
    struct usage *keys;
    struct pair *pairs;
    size_t n_keys, cap_keys, n_pairs, cap_pairs;
};
#define PAIRS_KEYS_MAX 4096

/* Reads a file in one of three formats: Lucid's colocate_info.csv; CSV with
 * gpu,job,partner,job_speed,partner_speed; or Gavel's throughputs (a name that
 * ends with .json; steps per second, jobs called "name (batch size N)"). In the
 * last two, `gpu` selects the GPU type. Pairs that do not fit on one GPU are
 * left out. A malformed file, a file without any other pair and a CSV file with
 * more than PAIRS_KEYS_MAX jobs are STATUS_BAD_INPUT. Texts live in the arena;
 * pairs_fini frees the rest. After an error there is nothing to free. */
enum status pairs_read(const char *path, const char *gpu, struct arena *arena,
                       struct pairs *out, struct error *err) MUST_USE;
void pairs_fini(struct pairs *pairs); /* accepts all zeroes */

/* pairs_key returns the index of a key and adds the key, without copying its
 * texts, if it is new. pairs_add adds a pair. If the same pair was added
 * before, in either order, pairs_resolve uses the first one. */
uint32_t pairs_key(struct pairs *pairs, const struct usage *key);

enum pair_answer { PAIR_MEASURED, PAIR_NEAREST, PAIR_NONE, N_PAIR_ANSWERS };

/* The speeds of any two jobs that share GPUs, by their usage rows. */
struct pair_matrix {
    size_t n; /* number of usage rows that jobs have */
    /* by usage row: its index, 0 .. n-1, if a job has the row, else 0 */
    uint16_t *dense;
    /* n x n: speed of a job of the row beside a job of the column */
    double *speed;
    /* By row: the speed of the later of two co-located jobs that both have this
     * row. */
    double *later;
    uint64_t answers[N_PAIR_ANSWERS]; /* number of pairs by kind of answer */
    /* largest distance of any pair answered by PAIR_NEAREST */
    double farthest;
};

/* The speeds of two co-located jobs with the same usage row. MEAN: both run at
 * the mean of the pair's speeds. LISTED: the job that came later runs at the
 * first speed, the other at the second. */
enum pair_self { PAIR_SELF_MEAN, PAIR_SELF_LISTED };

/* Returns the speed of a job with usage row `victim` beside one with row
 * `other`; jobs of the run must have both rows. `later`: true if the victim
 * started after the other job. */
static inline double pair_speed(const struct pair_matrix *m, uint16_t victim,
                                uint16_t other, bool later)
{
    size_t row = m->dense[victim], column = m->dense[other];
    return row == column && later ? m->later[row]
                                  : m->speed[row * m->n + column];
}

#endif
