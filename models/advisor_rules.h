/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the Scheduling Advisor's rules share: what was gathered,
 * and how a field is set. */
#ifndef MODELS_ADVISOR_RULES_H
#define MODELS_ADVISOR_RULES_H

#include "models/advisor_gather.h"

struct rules {
    struct gather gather;
    struct arena *arena;
    struct metadata *out;
};

/* Sets a field that is not set yet; NULL sets nothing. */
void rules_set(struct rules *rules, enum metadata_field field,
               const char *value, const char *where);
bool rules_has(const struct rules *rules, enum metadata_field field);
const struct setting *rules_find(const struct rules *rules,
                                 const char *const *keys, setting_fits *fits);

/* A name: not a number, a switch, or a file of weights. */
bool rules_is_name(struct text value);

/* The model and the dataset, by settings or by what the code builds. */
void rules_set_model(struct rules *rules);
void rules_set_dataset(struct rules *rules);

#endif
