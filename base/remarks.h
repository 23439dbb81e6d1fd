/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Remarks: what the user must know to read a result. Each thing that was
 * ignored, dropped, replaced, assumed or fallen back on is one sentence.
 * Remarks stand below the table that a run prints, as "note: ...", and in
 * summary.json and manifest.json.
 *
 * A sentence names what happened, to how many, and the option that changes it:
 * "profiling: 879 of 960 jobs ask for more GPUs than the profiler nodes have
 * (4); they were never profiled (--profilers)". Count first and remark once at
 * the end, instead of once for each job. */
#ifndef SIM_BASE_REMARKS_H
#define SIM_BASE_REMARKS_H

#include <stddef.h>

struct arena;

/* Remarks in the order in which they were made. A struct with only the arena
 * set is a valid empty list; the texts live as long as the arena. */
struct remarks {
    struct arena *arena;
    const char **at; /* owned; remarks_fini frees it */
    size_t count, cap;
};

/* Adds one sentence without a full stop: one line of at most 1023 bytes, with
 * control characters and bytes that are not UTF-8 replaced by '?'. A sentence
 * that was already added is not repeated. `remarks` may be NULL: then the
 * remark is dropped (in unit tests). */
void remarks_add(struct remarks *remarks, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Puts the remark that was added last before the others. Does nothing if there
 * is none. */
void remarks_last_first(struct remarks *remarks);
void remarks_fini(struct remarks *remarks);

#endif
