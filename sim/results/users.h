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

#endif
