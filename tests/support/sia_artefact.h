/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measurements and results of the simulator of the Sia artefact (SOSP 2023):
 * files below $SCHEDSIM_SHARED, by default ../shared. If they are absent, the
 * tests that compare with them are skipped. */
#ifndef TESTS_SUPPORT_SIA_ARTEFACT_H
#define TESTS_SUPPORT_SIA_ARTEFACT_H

#include <jansson.h>

#include "base/text.h"
#include "models/elastic/applications.h"

/* The GPU types of the artefact's clusters, and for each type the number of
 * GPUs per node. */
#define SIA_TYPES 3
extern const char *const sia_types[SIA_TYPES];
extern const uint32_t sia_node_gpus[SIA_TYPES];

struct sia_artefact {
    char folder[2048];
    struct error err; /* last error of a call that failed */
    struct applications *apps;
};

/* A check. `run` gets the member `file` of its row. It returns NULL if the
 * check passes, otherwise what is wrong. */
struct sia_check {
    const char *name;
    const char *(*run)(struct sia_artefact *sia, const char *file);
    const char *file; /* path of the file below golden/sia; NULL: none */
};

/* Returns the path of a file below golden/sia, valid until the next call. */
const char *sia_artefact_file(const struct sia_artefact *sia, const char *name);
/* Returns the index of a GPU type; UINT8_MAX if the name is unknown. */
uint8_t sia_type_of(struct text name);
/* Runs the checks and prints the results as TAP, without cmocka, whose version
 * 1.1.5 calls a skipped test "not ok". Returns the exit status. */
int sia_artefact_run(const struct sia_check *checks, size_t n);

#endif
