/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that the files of the naive simulator share. */
#ifndef TESTS_DIFFERENTIAL_NAIVE_INTERNAL_H
#define TESTS_DIFFERENTIAL_NAIVE_INTERNAL_H

#include "tests/differential/naive.h"

/* Returns true if jobs can use the node now; see `imagines`. */
bool naive_is_up(const struct naive *n, int node);
/* Gives the job GPUs by the rule of the placer. Returns false and gives no GPU
 * if the job does not fit. */
bool naive_place(struct naive *n, int job);
/* Returns true if the job could be placed on an empty cluster without the nodes
 * that have left for good. */
bool naive_can_ever_start(struct naive *n, int job);
/* Takes all GPUs from the job. */
void naive_leave(struct naive *n, int job);
/* Returns true if the job holds a GPU. */
bool naive_holds(const struct naive *n, int job);

#endif
