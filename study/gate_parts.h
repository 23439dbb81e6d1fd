/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lists of a gate file that may stand in the file or in one of its traces:
 * settings, policies and metrics. */
#ifndef STUDY_GATE_PARTS_H
#define STUDY_GATE_PARTS_H

#include "study/gate_file.h"
#include "study/gate_read.h"

/* Each reads a member of `object`. A missing list leaves *out and *n. */
enum status gate_read_settings(struct gate_reader *r, const json_t *object,
                               struct gate_settings *out) MUST_USE;
enum status gate_read_policies(struct gate_reader *r, const json_t *object,
                               const struct gate_policy **out,
                               size_t *n) MUST_USE;
enum status gate_read_metrics(struct gate_reader *r, const json_t *object,
                              const struct gate **out, size_t *n) MUST_USE;

#endif
