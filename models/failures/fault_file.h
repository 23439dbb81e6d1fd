/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a fault trace: which node failed from when to when.
 *
 * CSV: header start_s,end_s,node,class[,scope,gpu,cause], times in seconds. An
 * empty end_s means that the node was still faulty when the trace ended. JSON:
 * the form of InfiniteHBD (SIGCOMM'25), an array of events {"node_id",
 * "event_time" in days, "event_type" "fault_start" or "fault_end", "fault_type"
 * {"Level", "Class", "Desc"}}. An end closes the first open start in the file,
 * at or before its time, of the same node, class and description. */
#ifndef MODELS_FAULT_FILE_H
#define MODELS_FAULT_FILE_H

#include "base/arena.h"
#include "models/failures/fault.h"

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
