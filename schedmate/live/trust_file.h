/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file of counts by which a model is trusted (llm_trust.h), as `schedsim
 * mate trust` writes it:
 *
 *     {"model": "NAME",
 *      "counts": {"silent": {"n": 31, "rules": 30, "model": 31}, ...},
 *      "fields": {"batch_size": {"n": 38, "rules": 35, "model": 37}, ...}}
 *
 * "fields" are those of the Scheduling Advisor and may be missing. */
#ifndef SCHEDMATE_TRUST_FILE_H
#define SCHEDMATE_TRUST_FILE_H

#include "base/error.h"
#include "schedmate/llm/llm_trust.h"

/* Reads a file and sets *out. STATUS_BAD_INPUT if it is not of this form; a
 * class or a field that is not named has no counts. */
enum status trust_file_read(const char *path, struct llm_trust *out,
                            struct error *err) MUST_USE;

/* Writes a file; "-" is standard output. */
enum status trust_file_write(const char *path, const char *model,
                             const struct llm_trust *trust,
                             struct error *err) MUST_USE;

#endif
