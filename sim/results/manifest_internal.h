/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The function of manifest_settings.c, which manifest.c calls. */
#ifndef SIM_MANIFEST_INTERNAL_H
#define SIM_MANIFEST_INTERNAL_H

#include "sim/run/run.h"

struct json_stream;

/* Writes one object per owner ("policy sjf") with its keys and values. A chain
 * has the names of its layers in one value, top first: "advisor,history". */
void manifest_settings(struct json_stream *js, const struct run_result *run);

#endif
