/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws of the fault model `hardware`. Each depends on the seed and on the
 * fault that it is about, never on earlier draws. */
#ifndef SIM_FAULT_DRAWN_H
#define SIM_FAULT_DRAWN_H

#include "models/failures/fault_profile.h"

/* The draws about one fault. */
enum risk_draw {
    DRAW_GAP,     /* from the repair until the next fault of this kind */
    DRAW_AGE,     /* the part of the first gap that is left at time 0 */
    DRAW_REPAIR,  /* length of the repair */
    DRAW_GPU,     /* which GPU of the node */
    DRAW_HIDDEN,  /* whether the fault is hidden */
    DRAW_REFAULT, /* whether another fault follows soon */
    DRAW_REFAULT_GAP,
    DRAW_BURST, /* whether the fault begins a batch */
    DRAW_BURST_SIZE,
    DRAW_BURST_FIRST /* from here on two draws for each further fault */
};

/* Returns the key of fault `number` of a kind at a place, which the caller
 * numbers: a node or a virtual cluster. */
uint64_t risk_key(uint32_t place, enum fault_scope kind, uint32_t number);

/* Returns the time between two faults of one kind, in seconds in service, for a
 * place without earlier faults; INFINITY if the rate is 0. `first`: returns
 * what is left of a gap that began long before, so that the mean rate is
 * constant from the start for any shape. */
double risk_gap(const struct fault_risk *risk, uint64_t stream, uint64_t key,
                bool first);

/* Draws the time of a repair, in microseconds; at most
 * figures->repair_max_s. */
sim_span risk_repair(const struct fault_figures *figures, enum fault_scope kind,
                     uint64_t stream, uint64_t key);

/* Returns the hazard of a node that has had k faults, divided by that of a node
 * without faults; 1 if `frailty` is off. */
double risk_frailty(const struct fault_figures *figures, uint32_t k);

/* Returns the number of further faults in the batch that this fault begins; 0
 * if it begins none. */
uint32_t risk_burst(const struct fault_figures *figures, uint64_t stream,
                    uint64_t key);

/* True if a fault of the same kind follows soon after the repair, which took
 * `repair`; then *gap becomes the time from the repair to that fault, in
 * seconds. Otherwise *gap is unchanged. */
bool risk_refaults(const struct fault_figures *figures, uint64_t stream,
                   uint64_t key, sim_span repair, double *gap);

/* Adjusts the rates of the kinds of a node, which are means over all faults, to
 * the laws that are on. With `frailty` a rate becomes that of a node without
 * earlier faults; with `bursts` it leaves out the faults that batches and
 * repairs bring, because those are drawn apart. */
void risk_prepare(struct fault_figures *figures);

/* Returns the faults per 1000 days that a job on one node meets: the sum over
 * all kinds of faults of a node. Call it before risk_prepare. */
double risk_total(const struct fault_figures *figures);

#endif
