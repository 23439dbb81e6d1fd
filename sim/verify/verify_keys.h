/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks the keys of manifest.json and summary.json by the rules that
 * result_tables (sim/results/columns.h) declares. The parts of `verify` say
 * what they computed again, the walk over the keys compares. */
#ifndef SIM_VERIFY_VERIFY_KEYS_H
#define SIM_VERIFY_VERIFY_KEYS_H

#include "sim/verify/verify.h"

/* Checks each key but for the laws: unknown and missing ones, forms, and what
 * other keys give. `name`: "manifest" or "summary". */
void verify_keys_forms(const struct verify_data *data, const char *name,
                       const json_t *root, struct verify_report *report);
/* Compares the keys whose rule is a law with `want`; a key may be missing
 * exactly if `want` lacks it. */
void verify_keys_laws(const struct verify_data *data, const char *name,
                      const json_t *root, const json_t *want,
                      struct verify_report *report);

#endif
