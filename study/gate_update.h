/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes new expected values into the text of a gate file. Only values that
 * differ are replaced, rows without a run are removed, rows of new runs are
 * inserted where the file has the run; every other byte stays as it is. */
#ifndef STUDY_GATE_UPDATE_H
#define STUDY_GATE_UPDATE_H

#include "study/gate_cases.h"

struct gate_reason {
    const char *reason;
    const char *date; /* as the user gave it; NULL: none */
};

struct gate_updated {
    size_t n_values, n_rows, n_removed; /* replaced; inserted; removed */
    size_t n_inputs; /* digests that were replaced or added */
    uint64_t number; /* of the update; 0: nothing changed */
};

/* Writes the whole new file to `out`. No case may have failed. Returns
 * STATUS_BAD_INPUT if the file has keys that are written with escapes, so that
 * they cannot be found in its text. */
enum status gate_update(const struct gate_cases *cases,
                        const struct gate_reason *reason, struct out *out,
                        struct gate_updated *updated,
                        struct error *err) MUST_USE;

#endif
