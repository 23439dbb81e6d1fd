/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Updates the list "inputs" of a gate file: the traces and other files from
 * which the expected values were computed. */
#ifndef STUDY_GATE_INPUTS_H
#define STUDY_GATE_INPUTS_H

#include "commands/study/gate_cases.h"
#include "commands/study/json_items.h"

/* Makes `list`, the items of "inputs", name what the cases have read. Removes
 * the other inputs, unless the user left out cases. Returns the number of
 * inputs that were changed, added or removed. New texts live in the arena. */
size_t gate_inputs_update(const struct gate_cases *cases, struct arena *arena,
                          struct json_items *list);

#endif
