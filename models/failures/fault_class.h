/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The classes of faults that fault traces name, and what each class hits. */
#ifndef MODELS_FAULT_CLASS_H
#define MODELS_FAULT_CLASS_H

#include "base/text.h"
#include "models/failures/fault.h"

struct fault_class {
    /* name of the class in the trace; case does not matter */
    const char *name;
    enum fault_scope scope; /* jobs that a fault of the class hits */
    /* true for an act of an operator, such as a stress test */
    bool by_operator;
};

/* Returns the row of the class. For a class that no row names, returns a row
 * without a name whose scope is FAULT_NODE. */
const struct fault_class *fault_class_of(struct text name);

/* Finds the scope with this word: "node", "gpu", "nvlink", "nic", "storage".
 * Returns false if there is none. */
bool fault_scope_find(struct text word, enum fault_scope *out) MUST_USE;

#endif
