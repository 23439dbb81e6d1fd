/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/log_causes.h"

struct log_cause log_cause_of(const struct log_knowledge *k, struct text line)
{
    const struct log_signature *best = NULL, *next;
    struct log_matches m;
    log_matches_begin(k, line, &m);
    while ((next = log_matches_next(&m))) {
        if (!next->reason)
            continue;
        if (next->decides) {
            best = next;
            break;
        }
        if (!best || next->weight > best->weight)
            best = next;
    }
    if (!best)
        return (struct log_cause){.kind = FAILURE_OTHER, .part = PART_NONE};
    return (struct log_cause){.kind = best->reason->kind,
                              .part = best->reason->part,
                              .weight = best->weight,
                              .reason = best->reason->name,
                              .signature = best};
}
