/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fault model on a cluster, which tests query for faults without a run. */
#ifndef TESTS_SUPPORT_FAULT_FIXTURE_H
#define TESTS_SUPPORT_FAULT_FIXTURE_H

#include "models/failures/fault.h"

struct fault_fixture {
    struct fault_source source;
    struct cluster cluster;
    struct arena arena;
    struct remarks remarks;
    struct error err;
    char path[40]; /* path of a file that the test wrote, or "" */
};

/* Setup and teardown for cmocka_unit_test_setup_teardown. */
int fault_fixture_setup(void **state);
int fault_fixture_teardown(void **state);

/* Writes a file with this text, which the teardown removes. */
void fault_fixture_write(struct fault_fixture *fixture, const char *text);
/* Starts a fault model on nodes of eight GPUs. `spec`: name and settings; "%s"
 * in it is replaced by the path of the written file. */
enum status fault_fixture_begin(struct fault_fixture *fixture, uint32_t nodes,
                                uint64_t seed, const char *spec) MUST_USE;
bool fault_fixture_next(struct fault_fixture *fixture,
                        struct fault *out) MUST_USE;

#endif
