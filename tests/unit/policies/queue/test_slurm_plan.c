/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pencil case of Slurm's plan: a job holds all GPUs of a node for an hour,
 * and four jobs of one GPU and one hour wait. slurmctld 22.05 expects them
 * after 1, 2, 3 and 4 hours, because each reservation takes the whole node. */
#include "tests/support/test.h"

#include "policies/queue/slurm_plan.h"
#include "tests/support/plan_fixture.h"

enum { WAITERS = 8, NODE = 4 }; /* the node has eight GPUs */

static bool an_hour(void *self, const struct estimator *below,
                    const struct job *job, sim_time now, struct belief *out)
{
    (void)self;
    (void)below;
    (void)job;
    *out = (struct belief){.mean = SPAN_HOUR, .steady_until = now};
    return true;
}

static const struct estimator_ops hour = {.name = "hour", .remaining = an_hour};

/* Job 0 runs on the only node of type 1 that is up; the jobs after it wait for
 * that type. */
static void pencil_begin(struct plan_fixture *f, struct estimator *estimator,
                         struct runners *all)
{
    *estimator = (struct estimator){.ops = &hour};
    f->view.estimator = estimator;
    f->board.now = SPAN_HOUR;
    cluster_close(&f->cluster, NODE - 1);
    for (job_id i = 1; i <= WAITERS; i++) {
        f->jobs[i].gpus = 1;
        f->jobs[i].gpu_type = 1;
    }
    f->jobs[0].gpus = 8;
    plan_fixture_run(f, 0, NODE, 0xff);
    runners_add(all, 0);
}

/* The jobs that wait, in the order of their numbers. */
static struct waiting_jobs pencil_waiters(const struct plan_fixture *f,
                                          const struct job **at)
{
    for (job_id i = 0; i < WAITERS; i++)
        at[i] = &f->jobs[1 + i];
    return (struct waiting_jobs){at, WAITERS};
}

static void slurm_expects_one_after_another(void **state)
{
    struct plan_fixture *f = *state;
    struct estimator estimator;
    struct runners all = {0};
    const struct job *at[WAITERS];
    struct slurm_plan planner = {0};
    const struct slurm_plan_config config = {
        .depth = 100, .resolution = 60 * SPAN_SECOND, .window = 24 * SPAN_HOUR};
    pencil_begin(f, &estimator, &all);
    slurm_plan_init(&planner, &config, &f->cluster);
    slurm_plan_make(&planner, &f->plan, pencil_waiters(f, at), &all);
    assert_int_equal(planner.n_reserved, WAITERS);
    for (sim_time i = 0; i < WAITERS; i++) {
        assert_true(planner.reserved[i].at == (2 + i) * SPAN_HOUR);
        assert_true(planner.reserved[i].until == (3 + i) * SPAN_HOUR);
    }
    assert_int_equal(f->plan.n_actions, 0);
    slurm_plan_fini(&planner);
    free(all.at);
}

/* By GPUs, all can have theirs after an hour. */
static void conservative_expects_them_together(void **state)
{
    struct plan_fixture *f = *state;
    struct estimator estimator;
    struct runners all = {0};
    const struct job *at[WAITERS];
    struct conservative planner = {.depth = 100};
    pencil_begin(f, &estimator, &all);
    conservative_plan(&planner, &f->plan, pencil_waiters(f, at), &all);
    assert_int_equal(planner.n_reserved, WAITERS);
    for (size_t i = 0; i < WAITERS; i++) {
        assert_true(planner.reserved[i].at == 2 * SPAN_HOUR);
        assert_true(planner.reserved[i].where.at[0].mask == 1u << i);
    }
    conservative_fini(&planner);
    free(all.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAN_TEST(slurm_expects_one_after_another),
        PLAN_TEST(conservative_expects_them_together),
    };
    return cmocka_run_group_tests_name("slurm_plan", tests, NULL, NULL);
}
