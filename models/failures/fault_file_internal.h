/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the readers of fault traces. */
#ifndef MODELS_FAULT_FILE_INTERNAL_H
#define MODELS_FAULT_FILE_INTERNAL_H

#include "base/rows.h"
#include "models/failures/fault_file.h"

/* Adds a record that is zeroed except for its order and an unknown GPU. The
 * pointer is valid until the next call. */
struct fault_record *fault_file_add(struct fault_file *file);

/* Reads JSON from a file whose reading has not begun, and adds the records
 * unsorted; `end` is TIME_NEVER if the file has no end for the fault. `path` is
 * for messages. */
enum status fault_file_json(struct rows *rows, const char *path,
                            struct arena *arena, struct fault_file *out,
                            struct error *err) MUST_USE;

#endif
