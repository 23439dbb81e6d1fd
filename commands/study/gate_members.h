/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes members of JSON objects as texts, for lists of items (json_items.h).
 * The texts live in the arena. */
#ifndef STUDY_GATE_MEMBERS_H
#define STUDY_GATE_MEMBERS_H

#include "commands/study/json_items.h"
#include "sim/results/gate.h"

/* Returns a copy of what was written to a stream in memory, and frees the
 * stream. */
struct text gate_text_of(struct arena *arena, struct out *out);
/* Writes a value: a number, null, or [mean, low, high]. */
void gate_put_value(struct out *out, const struct gate_expected *value,
                    bool has_interval);
/* Each of these three returns the member "KEY": VALUE. */
struct text gate_member(struct arena *arena, const char *key,
                        const struct gate_expected *value, bool has_interval);
struct text gate_whole_member(struct arena *arena, const char *key,
                              int64_t value);
struct text gate_text_member(struct arena *arena, const char *key,
                             const char *value);

#endif
