/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the sources of faults share: faults that are drawn, faults of a file. */
#ifndef MODELS_FAILURES_FAULT_INTERNAL_H
#define MODELS_FAILURES_FAULT_INTERNAL_H

#include "base/arena.h"
#include "models/failures/fault.h"
#include "models/failures/fault_profile.h"

/* == fault_drawn.c: Draws of the fault model `hardware`. Each depends on the
 * seed and on the fault that it is about, never on earlier draws. */

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

/* == fault_file.c: Reads a fault trace: which node failed from when to when.
 *
 * CSV: header start_s,end_s,node,class[,scope,gpu,cause], times in seconds. An
 * empty end_s means that the node was still faulty when the trace ended. JSON:
 * the form of InfiniteHBD (SIGCOMM'25), an array of events {"node_id",
 * "event_time" in days, "event_type" "fault_start" or "fault_end", "fault_type"
 * {"Level", "Class", "Desc"}}. An end closes the first open start in the file,
 * at or before its time, of the same node, class and description. */

#define FAULT_GPU_UNKNOWN UINT8_MAX

struct fault_record {
    /* microseconds of the trace's own clock, 0 <= start <= end. If the file has
     * no end for the fault, `end` is fault_file.length, and TIME_NEVER while
     * the file is being read. */
    sim_time start, end;
    const char *node; /* name of the node in the trace; not empty */
    /* name of the class in the trace; "" if it names none */
    const char *class;
    const char *cause; /* cause for the results; never empty */
    size_t order;      /* position of the start in the file, from 0 */
    /* jobs that are hit, enum fault_scope, never FAULT_STORAGE */
    uint8_t scope;
    uint8_t gpu; /* number of the GPU on the node, or FAULT_GPU_UNKNOWN */
    /* true for an act of an operator, such as a stress test */
    bool by_operator;
};

struct fault_file {
    /* records, ordered by start, then `order`; freed by fault_file_fini */
    struct fault_record *at;
    size_t n, cap;
    sim_time length; /* the last time in the file; 0 if it has no record */
    size_t n_open;   /* records without an end in the file: end is `length` */
};

/* Reads a fault trace. Texts are copied to the arena. `skip`: other columns
 * that a CSV file may have, separated by '+'; "*": any. STATUS_BAD_INPUT names
 * file, line and column of wrong input. Call fault_file_fini even if this
 * fails. */
enum status fault_file_read(const char *path, const char *skip,
                            struct arena *arena, struct fault_file *out,
                            struct error *err) MUST_USE;
void fault_file_fini(struct fault_file *file);

#endif
