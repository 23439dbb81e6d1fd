/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plan over waiting jobs, without an engine, for tests of the rules of
 * policies/decide/plan.h. */
#ifndef TESTS_SUPPORT_PLAN_FIXTURE_H
#define TESTS_SUPPORT_PLAN_FIXTURE_H

#include "policies/decide/plan.h"

/* Number of jobs. Each job waits and asks for 2 GPUs of any type. */
enum { PLAN_FIXTURE_JOBS = 24 };

/* The cluster of the fixture. Virtual cluster 0 has nodes 0 to 2 with four GPUs
 * each of type 0 (100 MiB per GPU), and nodes 3 and 4 with eight GPUs each of
 * type 1. Virtual cluster 1 has node 5 with four GPUs of type 0, and node 6
 * with two GPUs, which is set aside for profiling. */
struct plan_fixture {
    struct cluster cluster;
    struct job jobs[PLAN_FIXTURE_JOBS];
    struct board board;
    struct view view;
    struct throughput throughput;
    struct placer placer;
    struct arena scratch;
    struct plan plan;
};

/* Setup and teardown of one test; *state is a struct plan_fixture. */
int plan_fixture_open(void **state);
int plan_fixture_close(void **state);
#define PLAN_TEST(test) \
    cmocka_unit_test_setup_teardown(test, plan_fixture_open, plan_fixture_close)

/* Starts the job on the GPUs `mask` of the node, as committing a plan would. */
void plan_fixture_run(struct plan_fixture *f, job_id id, node_id node,
                      uint64_t mask);
/* Fails the test unless the plan is broken and its message has these words. */
void plan_fixture_expect_broken(struct plan_fixture *f, const char *words);

/* A copy of what a plan may change in the cluster and on the board, to compare
 * the state before and after. */
struct plan_snapshot {
    uint64_t free[16];
    uint8_t n_holders[64];
    job_id holders[128];
    uint64_t levels[8];
    uint32_t n_gpus[8], n_idle[8];
    uint16_t pool_of[16];
    uint32_t n_free;
    uint8_t planned[PLAN_FIXTURE_JOBS];
};

void plan_snap(const struct plan_fixture *f, struct plan_snapshot *s);

#endif
