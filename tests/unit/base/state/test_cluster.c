/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the index of the cluster with a search over all nodes and GPUs. */
#include "base/arena.h"
#include "base/rng.h"
#include "base/state/cluster.h"
#include "tests/support/test.h"

static const struct gpu_type_spec types[] = {
    {.name = "small", .speed = 1.0, .speed_known = true},
    {.name = "big", .speed = 2.0, .speed_known = true}};
static const char *const vcs[] = {"one", "two"};
static const struct node_group groups[] = {
    {.count = 70, .gpus = 8, .type = 0, .vc = 0},
    {.count = 3, .gpus = 4, .type = 0, .vc = 0},
    {.count = 5, .gpus = 64, .type = 1, .vc = 0},
    {.count = 2, .gpus = 8, .type = 0, .vc = 1},
    {.count = 1, .gpus = 2, .type = 0, .vc = 1, .profiler = true},
};
static const struct cluster_spec spec = {.name = "test",
                                         .types = types,
                                         .vcs = vcs,
                                         .groups = groups,
                                         .n_types = 2,
                                         .n_vcs = 2,
                                         .n_groups = 5};

static int setup(void **state)
{
    struct cluster *c = mem_zalloc(1, sizeof *c);
    *state = c;
    return cluster_init(c, &spec, 3, NULL) != STATUS_OK;
}

static int teardown(void **state)
{
    cluster_fini(*state);
    free(*state);
    return 0;
}

/* Returns the mask of the free GPUs of a node, computed from the numbers of
 * holders alone. */
static uint64_t free_of(const struct cluster *c, const struct node *node)
{
    uint64_t mask = 0;
    for (uint32_t g = 0; node->up && g < node->gpus; g++) {
        if (c->n_holders[node->first_gpu + g] == 0)
            mask |= UINT64_C(1) << g;
    }
    return mask;
}

static node_id scan_tightest(const struct cluster *c, const struct pool *p,
                             uint32_t gpus)
{
    node_id best = NODE_NONE;
    for (node_id n = p->first_node; n < p->first_node + p->n_nodes; n++) {
        uint32_t f =
            pool_has(c, p, n) ? mask_count(free_of(c, &c->nodes[n])) : 0;
        if (f >= gpus &&
            (best == NODE_NONE || f < mask_count(free_of(c, &c->nodes[best]))))
            best = n;
    }
    return best;
}

static void compare_pool(const struct cluster *c, const struct pool *p)
{
    uint32_t n_free = 0, n_gpus = 0, n_idle = 0;
    for (node_id n = p->first_node; n < p->first_node + p->n_nodes; n++) {
        const struct node *node = &c->nodes[n];
        uint64_t mask = free_of(c, node);
        if (!pool_has(c, p, n))
            /* a pool and the pool of its lent nodes have the same range; a node
             * is in only one of them */
            continue;
        assert_true(node->free == mask);
        assert_int_equal(node->n_free, mask_count(mask));
        n_free += mask_count(mask);
        n_gpus += node->up ? node->gpus : 0;
        n_idle += mask_count(mask) == node->gpus ? node->gpus : 0;
    }
    assert_int_equal(p->n_free, n_free);
    assert_int_equal(p->n_idle, n_idle);
    assert_int_equal(p->n_gpus, n_gpus);
    for (uint32_t g = 1; g <= p->widest; g++)
        assert_int_equal(pool_tightest(c, p, g), scan_tightest(c, p, g));
}

static void compare(const struct cluster *c)
{
    uint32_t n_free = 0;
    for (uint32_t p = 0; p < c->n_pools; p++) {
        compare_pool(c, &c->pools[p]);
        n_free += c->pools[p].n_free;
    }
    assert_int_equal(c->n_free, n_free);
}

struct holding {
    struct gpu_slice slice;
    job_id job;
};

/* Makes at most one random change: a job takes free GPUs, joins another job on
 * its GPUs, or gives GPUs back. Returns the new number of holdings. */
static size_t change(struct cluster *c, gsl_rng *rng, struct holding *held,
                     size_t n, job_id job)
{
    if (n > 0 && rng_below(rng, 2) == 0) {
        size_t i = rng_below(rng, (uint32_t)n);
        if (rng_below(rng, 3) == 0 && job != held[i].job) {
            gpu_id gpu = c->nodes[held[i].slice.node].first_gpu +
                         (uint32_t)__builtin_ctzll(held[i].slice.mask);
            if (c->n_holders[gpu] < c->share_limit) {
                cluster_join(c, held[i].slice, job);
                held[n] = (struct holding){held[i].slice, job};
                return n + 1;
            }
        }
        cluster_give(c, held[i].slice, held[i].job);
        if (rng_below(rng, 4) == 0) {
            cluster_join(c, held[i].slice, held[i].job);
            return n;
        }
        held[i] = held[n - 1];
        return n - 1;
    }
    node_id node = rng_below(rng, c->n_nodes);
    uint32_t n_free = c->nodes[node].n_free;
    if (n_free == 0)
        return n;
    uint64_t mask = node_lowest(&c->nodes[node], 1 + rng_below(rng, n_free));
    held[n] = (struct holding){{node, mask}, job};
    cluster_take(c, held[n].slice, job);
    return n + 1;
}

static void index_agrees_with_a_walk_after_any_change(void **state)
{
    struct cluster *c = *state;
    static struct holding held[4096];
    size_t n = 0;
    gsl_rng *rng = rng_open(3, "test cluster");
    compare(c);
    for (job_id job = 0; job < 3000; job++) {
        n = change(c, rng, held, n, job);
        node_id node = rng_below(rng, c->n_nodes);
        bool idle = true;
        for (uint32_t g = 0; g < c->nodes[node].gpus; g++)
            idle &= c->n_holders[c->nodes[node].first_gpu + g] == 0;
        if (idle && rng_below(rng, 4) == 0)
            cluster_set_up(c, node, !c->nodes[node].up);
        if (idle && c->nodes[node].up && rng_below(rng, 4) == 0) {
            if (cluster_is_lent(c, node))
                cluster_take_back(c, node);
            else if (!c->pools[c->nodes[node].pool].profiler)
                cluster_lend(c, node);
        }
        if (job % 20 == 0)
            compare(c);
    }
    compare(c);
    rng_free(rng);
}

static void nodes_are_numbered_by_virtual_cluster_then_type(void **state)
{
    const struct cluster *c = *state;
    uint32_t last = 0;
    for (node_id n = 0; n < c->n_nodes; n++) {
        const struct pool *p = &c->pools[c->nodes[n].pool];
        uint32_t key = p->vc * 4u + p->type * 2u + p->profiler;
        assert_true(key >= last);
        last = key;
    }
    assert_int_equal(c->n_nodes, 81);
    assert_int_equal(c->n_gpus, 70 * 8 + 3 * 4 + 5 * 64 + 2 * 8 + 2);
}

static void profiler_nodes_are_no_capacity_of_a_virtual_cluster(void **state)
{
    const struct cluster *c = *state;
    assert_int_equal(cluster_vc_gpus(c, 1), 16);
    assert_int_equal(cluster_vc_free(c, 1), 16);
    assert_int_equal(cluster_vc_find(c, "two"), 1);
    assert_int_equal(cluster_vc_find(c, "three"), UINT16_MAX);
}

static void a_node_of_64_gpus_can_be_taken_whole(void **state)
{
    struct cluster *c = *state;
    node_id big = pool_tightest(c, &c->pools[1], 64);
    assert_int_equal(c->nodes[big].gpus, 64);
    struct gpu_slice all = {big, node_lowest(&c->nodes[big], 64)};
    assert_true(all.mask == UINT64_MAX);
    cluster_take(c, all, 1);
    compare(c);
    cluster_give(c, all, 1);
    compare(c);
}

static void descriptions_out_of_range_are_refused(void **state)
{
    (void)state;
    struct cluster c;
    struct error err;
    struct node_group group = {.count = 1, .gpus = 65};
    struct cluster_spec bad = spec;
    bad.groups = &group;
    bad.n_groups = 1;
    assert_int_equal(cluster_init(&c, &bad, 1, &err), STATUS_BAD_INPUT);
    group = (struct node_group){.count = 1, .gpus = 0};
    assert_int_equal(cluster_init(&c, &bad, 1, &err), STATUS_BAD_INPUT);
    group = (struct node_group){.count = 0, .gpus = 8};
    assert_int_equal(cluster_init(&c, &bad, 1, &err), STATUS_BAD_INPUT);
    group = (struct node_group){.count = 65536, .gpus = 8};
    assert_int_equal(cluster_init(&c, &bad, 1, &err), STATUS_BAD_INPUT);
    bad = spec;
    bad.n_vcs = 0;
    assert_int_equal(cluster_init(&c, &bad, 1, &err), STATUS_BAD_INPUT);
    bad.n_vcs = CLUSTER_VCS_MAX + 1;
    assert_int_equal(cluster_init(&c, &bad, 1, &err), STATUS_BAD_INPUT);
    bad = spec;
    bad.n_types = 0;
    assert_int_equal(cluster_init(&c, &bad, 1, &err), STATUS_BAD_INPUT);
    bad.n_types = CLUSTER_TYPES_MAX + 1;
    assert_int_equal(cluster_init(&c, &bad, 1, &err), STATUS_BAD_INPUT);
}

static void the_largest_descriptions_are_accepted(void **state)
{
    static const char *names[CLUSTER_VCS_MAX];
    struct gpu_type_spec many[CLUSTER_TYPES_MAX];
    const struct node_group group = {.count = CLUSTER_NODES_MAX,
                                     .gpus = NODE_GPUS_MAX};
    struct cluster_spec wide = {.name = "wide",
                                .types = many,
                                .vcs = names,
                                .groups = &group,
                                .n_types = CLUSTER_TYPES_MAX,
                                .n_vcs = 1,
                                .n_groups = 1};
    struct cluster c;
    (void)state;
    for (uint32_t i = 0; i < CLUSTER_TYPES_MAX; i++)
        many[i] = types[0];
    for (uint32_t i = 0; i < CLUSTER_VCS_MAX; i++)
        names[i] = "vc";
    assert_int_equal(cluster_init(&c, &wide, 1, NULL), STATUS_OK);
    assert_int_equal(c.n_gpus, 65535 * 64);
    cluster_fini(&c);
    wide.n_types = 1;
    wide.n_vcs = CLUSTER_VCS_MAX;
    assert_int_equal(cluster_init(&c, &wide, 1, NULL), STATUS_OK);
    cluster_fini(&c);
}

static void a_sum_is_known_if_each_node_tells_its_part(void **state)
{
    struct node_group two[] = {
        {.count = 3, .gpus = 8, .cpus = 1, .mem_mib = 1},
        {.count = 2, .gpus = 8, .cpus = 4, .mem_mib = 8}};
    const struct cluster_spec sums = {.groups = two, .n_groups = 2};
    (void)state;
    assert_true(cluster_spec_cpus(&sums) == 11);
    assert_true(cluster_spec_memory(&sums) == 19);
    two[0].cpus = 0;
    two[0].mem_mib = 0;
    assert_true(cluster_spec_cpus(&sums) == 0);
    assert_true(cluster_spec_memory(&sums) == 0);
    two[0].count = 0; /* no node of this kind is there */
    assert_true(cluster_spec_cpus(&sums) == 8);
    assert_true(cluster_spec_memory(&sums) == 16);
}

static void a_node_that_drains_offers_nothing(void **state)
{
    struct cluster *c = *state;
    const struct node *node = &c->nodes[0];
    const struct pool *pool = &c->pools[node->pool];
    uint32_t n_gpus = pool->n_gpus, n_free = pool->n_free;
    cluster_take(c, (struct gpu_slice){0, 0xf}, 1);
    cluster_drain(c, 0, true);
    assert_true(node->free == 0);
    assert_int_equal(pool->n_free, n_free - 8);
    assert_int_equal(pool->n_gpus, n_gpus - 4);
    /* the job goes to other GPUs of the node, as an undone stop does */
    cluster_give(c, (struct gpu_slice){0, 0xf}, 1);
    assert_int_equal(pool->n_gpus, n_gpus - 8);
    cluster_join(c, (struct gpu_slice){0, 0x30}, 1);
    assert_true(node->free == 0);
    assert_int_equal(pool->n_gpus, n_gpus - 6);
    cluster_drain(c, 0, false);
    assert_true(node->free == 0xcf);
    compare(c);
    cluster_give(c, (struct gpu_slice){0, 0x30}, 1);
    assert_int_equal(pool->n_gpus, n_gpus);
    assert_int_equal(pool->n_free, n_free);
    compare(c);
}

static void a_node_that_is_up_comes_up_once(void **state)
{
    struct cluster *c = *state;
    uint32_t n_free = c->n_free;
    cluster_set_up(c, 3, true);
    assert_int_equal(c->n_free, n_free);
    cluster_set_up(c, 3, false);
    cluster_set_up(c, 3, false);
    assert_int_equal(c->n_free, n_free - 8);
    compare(c);
}

static void no_node_has_more_gpus_than_the_widest(void **state)
{
    const struct cluster *c = *state;
    const struct pool *pool = &c->pools[0];
    assert_int_equal(pool_tightest(c, pool, 0), NODE_NONE);
    assert_int_equal(pool_tightest(c, pool, pool->widest + 1u), NODE_NONE);
    assert_int_equal(pool_tightest(c, &c->pools[1], 0), NODE_NONE);
    assert_int_equal(pool_tightest(c, &c->pools[1], 65), NODE_NONE);
    assert_int_equal(pool_next_at(c, pool, pool->widest + 1u, NODE_NONE),
                     NODE_NONE);
}

static void a_sum_over_nodes_is_unknown_if_one_is(void **state)
{
    (void)state;
    struct node_group own[] = {{.count = 2, .gpus = 8},
                               {.count = 0, .gpus = 8},
                               {.count = 3, .gpus = 4}};
    struct cluster_spec some = spec;
    some.groups = own;
    some.n_groups = 3;
    own[0].cpus = 10, own[0].mem_mib = 100;
    assert_true(cluster_spec_cpus(&some) == 0);
    assert_true(cluster_spec_memory(&some) == 0);
    own[2].cpus = 7, own[2].mem_mib = 50;
    assert_true(cluster_spec_cpus(&some) == 41);
    assert_true(cluster_spec_memory(&some) == 350);
}

/* Groups in any order give the numbers that cluster_init gives. */
static void a_group_knows_the_number_of_its_first_node(void **state)
{
    (void)state;
    const struct node_group own[] = {
        {.count = 1, .gpus = 2, .vc = 1, .profiler = true},
        {.count = 4, .gpus = 8, .vc = 1},
        {.count = 5, .gpus = 8, .type = 1},
        {.count = 2, .gpus = 4},
        {.count = 3, .gpus = 16},
    };
    const node_id first[] = {14, 10, 5, 0, 2};
    struct cluster_spec some = spec;
    struct cluster c;
    some.groups = own;
    some.n_groups = 5;
    assert_int_equal(cluster_init(&c, &some, 1, NULL), STATUS_OK);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(cluster_spec_number(&some, i), first[i]);
        assert_int_equal(c.nodes[first[i]].gpus, own[i].gpus);
    }
    cluster_fini(&c);
}

#define ON_A_CLUSTER(test) \
    cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_A_CLUSTER(index_agrees_with_a_walk_after_any_change),
        ON_A_CLUSTER(nodes_are_numbered_by_virtual_cluster_then_type),
        ON_A_CLUSTER(profiler_nodes_are_no_capacity_of_a_virtual_cluster),
        ON_A_CLUSTER(a_node_of_64_gpus_can_be_taken_whole),
        cmocka_unit_test(the_largest_descriptions_are_accepted),
        cmocka_unit_test(a_sum_is_known_if_each_node_tells_its_part),
        ON_A_CLUSTER(a_node_that_drains_offers_nothing),
        ON_A_CLUSTER(a_node_that_is_up_comes_up_once),
        ON_A_CLUSTER(no_node_has_more_gpus_than_the_widest),
        cmocka_unit_test(descriptions_out_of_range_are_refused),
        cmocka_unit_test(a_sum_over_nodes_is_unknown_if_one_is),
        cmocka_unit_test(a_group_knows_the_number_of_its_first_node),
    };
    return cmocka_run_group_tests_name("cluster", tests, NULL, NULL);
}
