/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes new expected values into the text of a gate file. Replaces values that
 * differ, inserts the row of a new run after that of the run before it, removes
 * rows and values without a run or metric, brings "inputs" up to date, and adds
 * an entry to "updates". All other bytes stay as they are. */
#ifndef STUDY_GATE_UPDATE_H
#define STUDY_GATE_UPDATE_H

#include "commands/study/gate_cases.h"

struct gate_reason {
    const char *reason;
    const char *date; /* date of the update, as the user gave it; NULL: none */
};

struct gate_updated {
    /* number of values replaced, added or removed in rows that stay; numbers of
     * rows inserted and removed */
    size_t n_values, n_rows, n_removed;
    size_t n_inputs; /* number of inputs that were changed, added or removed */
    uint64_t number; /* number of the update; 0: nothing changed */
};

/* Writes the whole new file to `out`, a stream in memory; if nothing has
 * changed (updated->number is 0), the caller must not keep it. No case may have
 * failed. Returns STATUS_BAD_INPUT if the file has keys or names that are
 * written with escapes, so that they cannot be found in its text. */
enum status gate_update(const struct gate_cases *cases,
                        const struct gate_reason *reason, struct out *out,
                        struct gate_updated *updated,
                        struct error *err) MUST_USE;

#endif
