/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The users of a run, and how evenly it serves them. Jain's index of n values x
 * is (sum x)^2 / (n sum x^2): 1 if all are equal, 1/n if one has everything
 * (Jain, Chiu, Hawe 1984, DEC TR-301). */
#ifndef SIM_USERS_H
#define SIM_USERS_H

#include "sim/results/facts.h"

struct user_time {
    /* sum of the recorded running times of the user's finished jobs that count,
     * us */
    gpu_time needed;
    gpu_time spent; /* sum of the JCT of these jobs, us */
};

struct users {
    const char **names; /* by number, in the order of their first submissions;
                           the texts are borrowed from the run */
    uint32_t *numbers;  /* by symbol of the jobset's strings: number of the
                         * user */
    struct user_time *times; /* by number of the user: sums of times */
    size_t n;
    /* sums over finished jobs that count: rho, its square, their number */
    double rho, rho_squares, n_rho;
};

/* Numbers the users of the jobs. Jobs without a user count as jobs of the user
 * "(no user)". */
void users_init(struct users *users, const struct run_result *run);
void users_fini(struct users *users); /* accepts all zeroes */
/* Adds one job that counts. */
void users_add(struct users *users, const struct facts *facts);

/* Returns Jain's index of needed / spent over the users who have finished jobs
 * that count. needed / spent is the share of the time in the system that these
 * jobs would have needed without waiting. Jobs without a user are left out.
 * NaN: there is no such user. */
double users_jain(const struct users *users);
/* Returns Jain's index of the rho of finished jobs that count; NaN: none has a
 * rho. */
double users_jain_rho(const struct users *users);

#endif
