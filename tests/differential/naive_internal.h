/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that the files of the naive simulator share. */
#ifndef TESTS_DIFFERENTIAL_NAIVE_INTERNAL_H
#define TESTS_DIFFERENTIAL_NAIVE_INTERNAL_H

#include "tests/differential/naive.h"

/* Gives the job GPUs by the rule of the placer. Returns false and gives no GPU
 * if the job does not fit. */
bool naive_place(struct naive *n, int job);
/* Takes all GPUs from the job. */
void naive_leave(struct naive *n, int job);
/* Returns true if the job holds a GPU. */
bool naive_holds(const struct naive *n, int job);

#endif
