/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a result was made, and by which program: the last object of
 * manifest.json, "provenance". It is what `rerun` and `--config` read. It names
 * paths, and it differs between machines and builds that compute the same, so
 * it is left out where results are compared: without it the bytes of
 * manifest.json depend only on what decides the result. */
#ifndef SIM_PROVENANCE_H
#define SIM_PROVENANCE_H

#include "sim/json_stream.h"
#include "sim/run_options.h"

/* Of manifest.json. Raised when a key is removed or means something else. */
enum { MANIFEST_SCHEMA = 1 };

struct provenance {
    int argc;
    const char *const *argv; /* as given, from the command's name on */
    const struct run_options *options;
    sim_span interval; /* of series.csv */
};

/* As given, under "selection": which jobs of the trace. */
void provenance_selection(struct json_stream *js, const struct provenance *p);
/* Under "provenance". */
void provenance_write(struct json_stream *js, const struct provenance *p,
                      const struct run_result *run);

/* The length of what comes before "provenance" in the text of a manifest.json,
 * all of it if there is none. */
size_t provenance_start(struct text manifest);

#endif
