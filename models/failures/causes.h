/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the cause of a failure that the trace recorded without its cause: from
 * a table of causes, given how long the job had run and how many GPUs it held.
 *
 * The table is that of Acme (NSDI'24, Table 3): 29 reasons with their counts,
 * mean number of GPUs and mean time to failure. The probability of a cause is
 * proportional to its count times the densities of the run time and of the
 * number of GPUs, both assumed to be exponential with the published means,
 * because only the means are published. */
#ifndef SIM_CAUSES_H
#define SIM_CAUSES_H

#include "base/failure_kind.h"
#include "base/text.h"
#include "base/units.h"
#include "models/failures/fault.h"

struct failure_cause {
    const char *name;
    enum failure_kind kind;
    double count;   /* number of failures in the table */
    double gpus;    /* mean number of GPUs of the failed jobs */
    double minutes; /* mean time from the start to the failure, minutes */
};

/* Returns the cause at the quantile `u`, 0 < u < 1, of the distribution,
 * given the run time and the number of GPUs. */
const struct failure_cause *cause_draw(double u, sim_span ran, uint32_t gpus);

/* Returns the word for a kind of simulated failure, as results have it:
 * "infrastructure", "framework", "script". */
const char *failure_kind_name(enum failure_kind kind);

/* The classes of faults that fault traces name, and what each class hits. */

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
