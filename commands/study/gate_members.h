/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes members of JSON objects as texts, for lists of items (json_items.h).
 * The texts live in the arena. */
#ifndef STUDY_GATE_MEMBERS_H
#define STUDY_GATE_MEMBERS_H

#include "base/arena.h"
#include "commands/study/json_items.h"

/* Returns a copy of what was written to a stream in memory, and frees the
 * stream. */
struct text gate_text_of(struct arena *arena, struct out *out);
/* Writes a list of n values, or the one value if n is 0; NaN as null. */
void gate_put_values(struct out *out, const double *values, size_t n);
/* Each of these three returns the member "KEY": VALUE; the first has values as
 * gate_put_values writes them. */
struct text gate_member(struct arena *arena, const char *key,
                        const double *values, size_t n);
struct text gate_whole_member(struct arena *arena, const char *key,
                              int64_t value);
struct text gate_text_member(struct arena *arena, const char *key,
                             const char *value);

#endif
