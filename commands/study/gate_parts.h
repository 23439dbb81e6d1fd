/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the lists that a gate file may have for all traces or for one trace:
 * settings, policies and metrics. */
#ifndef STUDY_GATE_PARTS_H
#define STUDY_GATE_PARTS_H

#include "commands/study/gate_file.h"
#include "commands/study/gate_read.h"

/* Each reads the member of `object` that its name says. If the member is
 * missing, *out and *n do not change. Returns STATUS_BAD_INPUT if it is not
 * valid. */
enum status gate_read_settings(struct gate_reader *r, const json_t *object,
                               struct gate_settings *out) MUST_USE;
enum status gate_read_policies(struct gate_reader *r, const json_t *object,
                               const struct gate_policy **out,
                               size_t *n) MUST_USE;
enum status gate_read_metrics(struct gate_reader *r, const json_t *object,
                              const struct gate **out, size_t *n) MUST_USE;

#endif
