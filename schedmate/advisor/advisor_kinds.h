/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tells the kind of a model from its class in a library or from its layers, and
 * the task from the classes of libraries that the code uses. The code is in
 * clues.c. */
#ifndef MODELS_ADVISOR_KINDS_H
#define MODELS_ADVISOR_KINDS_H

#include "schedmate/advisor/advisor_clues.h"
#include "schedmate/advisor/python/py_machine.h"

/* Both functions return NULL if no clue fits. `model` may be NULL. */
const char *advisor_kind_of_model(const struct clues *clues,
                                  const struct py_machine *machine,
                                  const struct py_value *model);
const char *advisor_task_of_calls(const struct clues *clues,
                                  const struct py_machine *machine,
                                  const struct py_value *model);

#endif
