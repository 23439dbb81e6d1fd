/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The function of manifest_settings.c, which manifest.c calls. */
#ifndef SIM_MANIFEST_INTERNAL_H
#define SIM_MANIFEST_INTERNAL_H

#include "sim/run/run.h"

struct json_stream;

/* Writes the member "configuration": for each owner of settings
 * (run_setting.owner, such as "policy sjf") an object with its keys and values.
 * The last value of a key counts, but "name" has all of them, such as those of
 * the estimators of a chain, top first: "advisor,history". */
void manifest_settings(struct json_stream *js, const struct run_result *run);

#endif
