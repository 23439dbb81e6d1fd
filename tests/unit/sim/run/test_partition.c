/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests nodes that are set aside for profiling, and GPUs that a language model
 * takes: which are taken, which numbers nodes have then, and what is
 * refused. */
#include "sim/run/run_internal.h"

#include <stdio.h>
#include <string.h>

#include "sim/run/describe.h"
#include "tests/support/test.h"

struct bench {
    struct arena arena;
    struct cluster_spec spec;
    struct error err;
};

static void describe(struct bench *b, const char *cluster)
{
    *b = (struct bench){0};
    arena_init(&b->arena);
    if (describe_cluster(cluster, &b->arena, &b->spec, &b->err) != STATUS_OK)
        fail_msg("%s", b->err.message);
}

/* Checks the nodes, written as "0a 1a* 2b": number and virtual cluster of
 * each node, with a star if it is set aside. Nodes are numbered as by
 * cluster_init. */
static void expect(struct bench *b, const char *nodes)
{
    struct cluster c;
    char text[256] = "";
    size_t n = 0;
    assert_int_equal(cluster_init(&c, &b->spec, 1, &b->err), STATUS_OK);
    for (node_id i = 0; i < c.n_nodes; i++) {
        const struct pool *pool = &c.pools[c.nodes[i].pool];
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%u%s%s",
                              i ? " " : "", i, c.vcs[pool->vc],
                              pool->profiler ? "*" : "");
    }
    assert_string_equal(text, nodes);
    cluster_fini(&c);
}

static enum status take_named(struct bench *b, const char *text)
{
    struct partition p;
    enum status st = partition_parse(text_from(text), &p, &b->err);
    if (st == STATUS_OK)
        st = partition_take_named(&p, &b->spec, &b->arena, &b->err);
    return st;
}

static void the_last_node_of_who_has_most_is_taken(void **state)
{
    (void)state;
    struct bench b;
    describe(&b, "a=2x8,b=3x8,c=3x8");
    assert_int_equal(partition_take_any(1, 0, &b.spec, &b.arena), 1);
    expect(&b, "0a 1a 2b 3b 4b* 5c 6c 7c");
    assert_int_equal(partition_take_any(2, 0, &b.spec, &b.arena), 2);
    expect(&b, "0a 1a* 2b 3b 4b* 5c 6c 7c*");
    arena_fini(&b.arena);
}

static void no_virtual_cluster_loses_its_last_node(void **state)
{
    (void)state;
    struct bench b;
    describe(&b, "a=2x8,b=1x8");
    assert_int_equal(partition_take_any(5, 0, &b.spec, &b.arena), 1);
    expect(&b, "0a 1a* 2b");
    arena_fini(&b.arena);
    describe(&b, "1x8");
    assert_int_equal(partition_take_any(1, 0, &b.spec, &b.arena), 0);
    assert_false(partition_has_profilers(&b.spec));
    arena_fini(&b.arena);
}

/* Nodes of one virtual cluster and type may be in several groups of the
 * description. The last group gives its node, although nodes are numbered by
 * type. */
static void groups_are_emptied_from_the_end(void **state)
{
    (void)state;
    struct bench b;
    describe(&b, "a=1x8:T+1x4:U+1x2:T");
    assert_int_equal(take_named(&b, "1:a"), STATUS_OK);
    /* node numbers: two of type T (8 and 2 GPUs), then one of type U */
    expect(&b, "0a 1a* 2a");
    assert_int_equal(b.spec.groups[3].gpus, 2);
    assert_int_equal(take_named(&b, "2:a"), STATUS_OK);
    expect(&b, "0a* 1a* 2a*");
    arena_fini(&b.arena);
}

static void the_named_give_one_each_in_turn(void **state)
{
    (void)state;
    struct bench b;
    describe(&b, "a=3x8,b=3x8,c=3x8");
    assert_int_equal(take_named(&b, "3:c+a"), STATUS_OK);
    expect(&b, "0a 1a 2a* 3b 4b 5b 6c 7c* 8c*");
    arena_fini(&b.arena);
}

/* A node with 8 GPUs is taken, although b has more nodes, if its type has
 * another node left. If no node that wide can be spared, a narrower one is
 * taken. */
static void a_node_wide_enough_is_taken(void **state)
{
    (void)state;
    struct bench b;
    describe(&b, "a=2x4:T+2x8:U,b=5x4:T");
    assert_int_equal(partition_take_any(1, 8, &b.spec, &b.arena), 1);
    expect(&b, "0a 1a 2a 3a* 4b 5b 6b 7b 8b");
    assert_int_equal(partition_take_any(1, 8, &b.spec, &b.arena), 1);
    expect(&b, "0a 1a 2a 3a* 4b 5b 6b 7b 8b*");
    arena_fini(&b.arena);
    describe(&b, "a=2x4:T+2x8:U,b=5x4:T");
    assert_int_equal(partition_take_any(1, 3, &b.spec, &b.arena), 1);
    expect(&b, "0a 1a 2a 3a 4b 5b 6b 7b 8b*");
    arena_fini(&b.arena);
}

static void a_share_of_the_nodes_is_rounded_up(void **state)
{
    (void)state;
    static const struct {
        const char *text, *cluster;
        uint32_t nodes;
    } cases[] = {
        {"1.48%", "1x8", 1},        {"1.48%", "8x8", 1},   {"1.48%", "67x8", 1},
        {"1.48%", "68x8", 2},       {"1.48%", "135x8", 2}, {"0%", "135x8", 0},
        {"100%", "a=3x8,b=2x4", 5}, {"3", "8x8", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b;
        struct partition p;
        describe(&b, cases[i].cluster);
        assert_int_equal(partition_parse(text_from(cases[i].text), &p, &b.err),
                         STATUS_OK);
        assert_int_equal(partition_nodes(&p, &b.spec), cases[i].nodes);
        arena_fini(&b.arena);
    }
}

static void gpu_types_give_by_name(void **state)
{
    (void)state;
    struct bench b;
    describe(&b, "a=2x4:T+1x8:U,b=3x4:T");
    assert_int_equal(take_named(&b, "2:T+U"), STATUS_OK);
    expect(&b, "0a 1a 2a* 3b 4b 5b*");
    assert_int_equal(take_named(&b, "1:U"), STATUS_USAGE);
    assert_non_null(strstr(b.err.message, "GPU type 'U' has no node left"));
    arena_fini(&b.arena);
}

static void what_cannot_be_taken_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"1:z", "has no virtual cluster or GPU type 'z'"},
        {"3:a", "virtual cluster 'a' has no node left"},
        {"1:", "'1:' is not N[:NAME[+NAME...]]"},
        {"x", "'x' is not N[:NAME[+NAME...]]"},
        {"-1", "'-1' is not N"},
        {"70000", "at most 65535 nodes"},
        {"101%", "'101%' is not N"},
        {"%", "'%' is not N"},
        {"", "'' is not N"},
    };
    struct bench b;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        describe(&b, "a=2x8,b=3x8");
        assert_int_equal(take_named(&b, cases[i].text), STATUS_USAGE);
        if (!strstr(b.err.message, cases[i].words))
            fail_msg("%s: %s", cases[i].text, b.err.message);
        arena_fini(&b.arena);
    }
}

/* Takes GPUs for a language model and checks the GPUs of each node, by number:
 * "8 8 7*", with a star for a profiler node. */
static void expect_gpus(const char *cluster, uint32_t gpus, const char *name,
                        const char *nodes)
{
    struct bench b;
    struct cluster c;
    struct partition_gpus taken;
    char text[256] = "";
    size_t n = 0;
    describe(&b, cluster);
    if (partition_take_gpus(gpus, text_from(name), &b.spec, &b.arena, &taken,
                            &b.err) != STATUS_OK)
        fail_msg("%s", b.err.message);
    assert_int_equal(taken.gpus, gpus);
    assert_int_equal(cluster_init(&c, &b.spec, 1, &b.err), STATUS_OK);
    for (node_id i = 0; i < c.n_nodes; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%u%s", i ? " " : "",
                              c.nodes[i].gpus,
                              c.pools[c.nodes[i].pool].profiler ? "*" : "");
    assert_string_equal(text, nodes);
    cluster_fini(&c);
    arena_fini(&b.arena);
}

static void a_model_takes_gpus_of_last_nodes(void **state)
{
    (void)state;
    expect_gpus("3x8", 0, "", "8 8 8");
    expect_gpus("3x8", 1, "", "8 8 7");
    expect_gpus("3x8", 8, "", "8 8");
    expect_gpus("3x8", 11, "", "8 5");
    expect_gpus("3x8", 23, "", "1");
    /* profiler nodes are left alone */
    expect_gpus("2x8:A+1x8:A:profiler", 2, "", "8 6 8*");
    /* if two virtual clusters have equally many GPUs, the last one gives first;
     * after that the other one has more and gives */
    expect_gpus("a=2x4,b=2x4", 2, "", "4 4 4 2");
    expect_gpus("a=2x4,b=2x4", 6, "", "4 2 4");
    expect_gpus("a=1x4,b=3x4", 5, "", "4 4 3");
    expect_gpus("a=1x4:S+2x8:T,b=4x8:S", 3, "T", "4 8 5 8 8 8 8");
    expect_gpus("a=1x4:S+2x8:T,b=4x8:S", 3, "a", "4 8 5 8 8 8 8");
    /* each virtual cluster keeps a GPU of each type */
    expect_gpus("a=1x2,b=1x2", 2, "", "1 1");
}

static void a_model_gets_no_last_gpu(void **state)
{
    (void)state;
    struct bench b;
    struct partition_gpus taken;
    describe(&b, "a=1x2,b=1x2");
    assert_int_equal(partition_take_gpus(3, text_from(""), &b.spec, &b.arena,
                                         &taken, &b.err),
                     STATUS_USAGE);
    assert_non_null(strstr(b.err.message, "can spare 2 GPUs, not 3"));
    arena_fini(&b.arena);
    describe(&b, "a=1x2,b=1x2");
    assert_int_equal(partition_take_gpus(1, text_from("c"), &b.spec, &b.arena,
                                         &taken, &b.err),
                     STATUS_USAGE);
    assert_non_null(strstr(b.err.message, "no virtual cluster or GPU type"));
    arena_fini(&b.arena);
}

/* A planned change takes node 3 down. If the model takes node 4, of virtual
 * cluster b, node 3 keeps its number; if it takes node 1, of a, the number of
 * node 3 is lower by one; it cannot take node 3 itself, of c. */
static void planned_changes_follow_the_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *pool;
        enum status status;
        node_id node;
    } cases[] = {
        {"b", STATUS_OK, 3}, {"a", STATUS_OK, 2}, {"c", STATUS_USAGE, 0}};
    const struct capacity_change change = {.at = 5, .node = 3};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b;
        struct partition_gpus taken;
        describe(&b, i == 2 ? "a=2x8,c=2x8" : "a=2x8,b=3x8");
        b.spec.changes = &change;
        b.spec.n_changes = 1;
        assert_int_equal(partition_take_gpus(8, text_from(cases[i].pool),
                                             &b.spec, &b.arena, &taken, &b.err),
                         cases[i].status);
        if (cases[i].status == STATUS_OK)
            assert_int_equal(b.spec.changes[0].node, cases[i].node);
        arena_fini(&b.arena);
    }
}

static void the_shorthand_knows_profiler_nodes(void **state)
{
    (void)state;
    struct bench b;
    describe(&b, "a=1x8:A800:profiler+2x8:A800,b=1x4+1x2:profiler");
    expect(&b, "0a 1a 2a* 3b 4b*");
    assert_true(partition_has_profilers(&b.spec));
    arena_fini(&b.arena);
    arena_init(&b.arena);
    assert_int_equal(
        describe_cluster("2x8:A:profile", &b.arena, &b.spec, &b.err),
        STATUS_USAGE);
    arena_fini(&b.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_node_of_who_has_most_is_taken),
        cmocka_unit_test(no_virtual_cluster_loses_its_last_node),
        cmocka_unit_test(groups_are_emptied_from_the_end),
        cmocka_unit_test(the_named_give_one_each_in_turn),
        cmocka_unit_test(a_node_wide_enough_is_taken),
        cmocka_unit_test(a_share_of_the_nodes_is_rounded_up),
        cmocka_unit_test(gpu_types_give_by_name),
        cmocka_unit_test(what_cannot_be_taken_is_told),
        cmocka_unit_test(a_model_takes_gpus_of_last_nodes),
        cmocka_unit_test(a_model_gets_no_last_gpu),
        cmocka_unit_test(planned_changes_follow_the_numbers),
        cmocka_unit_test(the_shorthand_knows_profiler_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
