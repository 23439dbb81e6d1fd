/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a result was made: provenance, and the identity of a run.
 *
 * How a result was made, and by which program: the last object of
 * manifest.json, "provenance". `verify --again` and `--config` read this
 * object. It names paths, and it differs between machines and builds that
 * compute equal results, so comparisons of results leave it out. The other
 * bytes of manifest.json depend only on what decides the result. */
#ifndef SIM_MANIFEST_H
#define SIM_MANIFEST_H

#include "base/json.h"
#include "sim/results/columns.h"
#include "sim/results/timeline.h"
#include "sim/run/run.h"

/* Version of manifest.json. Raise it when a key is removed or changes its
 * meaning. */
enum { MANIFEST_SCHEMA = 1 };

#define PROVENANCE_OPTIONS_MAX 48

/* How the questions to the language model of the run were answered. */
struct provenance_model {
    const char *backend; /* "http" or "replay"; NULL: no model was asked */
    uint64_t asked;      /* number of questions */
    uint64_t hits;       /* number of questions that a recording answered */
    uint64_t served;     /* number of questions that a server answered */
    uint64_t misses;     /* number of questions without an answer */
};

struct provenance {
    int argc;
    /* arguments as typed; the first is the command */
    const char *const *argv;
    const char *trace;
    /* The options that decide the result and that the user gave, with their
     * values as typed. In the order of --help. */
    struct provenance_option {
        const char *name, *text;
    } options[PROVENANCE_OPTIONS_MAX];
    size_t n_options;
    sim_span interval; /* time between rows of series.csv */
    /* what the user wants of the timeline, such as a crop; NULL: nothing */
    const struct timeline_wish *timeline;
    struct provenance_model model;
};

/* Returns the version of the program with its commit. */
const char *provenance_version(void);

/* Returns the commit of the sources: 40 hexadecimal digits, with -dirty if they
 * were changed, or "unknown". */
const char *provenance_commit(void);

/* Returns the length of the text of a manifest.json before "provenance", or its
 * whole length if it has none. */
size_t provenance_start(struct text manifest);

/* The identity of a result: the values of identity_columns, such as its trace,
 * its cluster and its policy. A run is compared with an earlier result only if
 * their identities are equal, or with --any-baseline. In summary.json the
 * identity is the object "identity". */

/* The last column is left out of summary.json if all jobs count. */
enum { IDENTITY_COUNTED = 6, IDENTITY_N };

extern const struct column identity_columns[]; /* ends with a NULL name */

struct identity {
    const char *values[IDENTITY_N]; /* by column: its text */
    const char *cluster_name;       /* for messages; not compared */
};

/* Fills the identity of a run. The texts live in the arena. */
void identity_of(const struct run_result *run, struct arena *arena,
                 struct identity *out);

void identity_write(struct json_stream *js, const struct run_result *run);

#endif
