/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/plan_fixture.h"

#include <string.h>

#include "sim/run/registry.h"
#include "tests/support/test.h"

static const struct gpu_type_spec types[] = {
    {.name = "old", .mem_mib = 100, .speed = 1, .speed_known = true},
    {.name = "new", .speed = 2, .speed_known = true}};
static const char *const vcs[] = {"a", "b"};
static const struct node_group groups[] = {
    {.count = 3, .gpus = 4, .type = 0, .vc = 0},
    {.count = 2, .gpus = 8, .type = 1, .vc = 0},
    {.count = 1, .gpus = 4, .type = 0, .vc = 1},
    {.count = 1, .gpus = 2, .type = 0, .vc = 1, .profiler = true},
};
static const struct cluster_spec spec = {.name = "test",
                                         .types = types,
                                         .vcs = vcs,
                                         .groups = groups,
                                         .n_types = 2,
                                         .n_vcs = 2,
                                         .n_groups = 4};

/* A placer that takes the lowest free GPUs, node by node. The tests check the
 * rules of the plan, so the choice of GPUs does not matter. */
static uint32_t place_lowest(void *self, const void *config,
                             const struct cluster *c, const struct pool *pool,
                             uint32_t gpus, struct gpu_slice *out)
{
    (void)self;
    (void)config;
    uint32_t n = 0;
    for (node_id i = pool->first_node; gpus; i++) {
        const struct node *node = &c->nodes[i];
        uint32_t take = node->n_free < gpus ? node->n_free : gpus;
        if (!pool_has(c, pool, i))
            continue;
        if (take)
            out[n++] = (struct gpu_slice){i, node_lowest(node, take)};
        gpus -= take;
    }
    return n;
}

static const struct placer_ops lowest = {.name = "lowest",
                                         .place = place_lowest};

int plan_fixture_open(void **state)
{
    struct plan_fixture *f = mem_zalloc(1, sizeof *f);
    *state = f;
    if (cluster_init(&f->cluster, &spec, 2, NULL) != STATUS_OK)
        return 1;
    for (job_id i = 0; i < PLAN_FIXTURE_JOBS; i++)
        f->jobs[i] = (struct job){.id = i, .gpus = 2, .gpu_type = GPU_TYPE_ANY};
    board_init(&f->board, &f->cluster, f->jobs, PLAN_FIXTURE_JOBS);
    for (job_id i = 0; i < PLAN_FIXTURE_JOBS; i++)
        board_move(&f->board, &f->jobs[i], JOB_PENDING);
    f->board.now = 100;
    f->throughput = (struct throughput){.ops = throughputs[0]};
    f->view = (struct view){.board = &f->board, .throughput = &f->throughput};
    f->placer = (struct placer){.ops = &lowest};
    arena_init(&f->scratch);
    plan_init(&f->plan, &f->view, &f->cluster, &f->placer, f->board.planned,
              &f->scratch);
    return 0;
}

int plan_fixture_close(void **state)
{
    struct plan_fixture *f = *state;
    plan_fini(&f->plan);
    arena_fini(&f->scratch);
    board_fini(&f->board);
    cluster_fini(&f->cluster);
    free(f);
    return 0;
}

void plan_fixture_run(struct plan_fixture *f, job_id id, node_id node,
                      uint64_t mask)
{
    struct gpu_slice slice = {node, mask};
    cluster_take(&f->cluster, slice, id);
    board_move(&f->board, &f->jobs[id], JOB_RUNNING);
    board_allocate(&f->board, &f->jobs[id], (struct gpu_set){&slice, 1},
                   mask_count(slice.mask));
}

void plan_fixture_expect_broken(struct plan_fixture *f, const char *words)
{
    assert_int_equal(f->plan.broken.status, STATUS_BAD_PLAN);
    assert_non_null(strstr(f->plan.broken.message, words));
}

void plan_snap(const struct plan_fixture *f, struct plan_snapshot *s)
{
    const struct cluster *c = &f->cluster;
    memset(s, 0, sizeof *s);
    for (node_id n = 0; n < c->n_nodes; n++) {
        s->free[n] = c->nodes[n].free;
        s->pool_of[n] = c->nodes[n].pool;
    }
    for (gpu_id g = 0; g < c->n_gpus; g++) {
        s->n_holders[g] = c->n_holders[g];
        for (uint32_t k = 0; k < c->n_holders[g]; k++)
            s->holders[g * 2 + k] = c->holders[g * c->share_limit + k];
    }
    for (uint32_t p = 0; p < c->n_pools; p++) {
        s->levels[p] = c->pools[p].levels;
        s->n_gpus[p] = c->pools[p].n_gpus;
        s->n_idle[p] = c->pools[p].n_idle;
    }
    s->n_free = c->n_free;
    memcpy(s->planned, f->board.planned, PLAN_FIXTURE_JOBS);
}
