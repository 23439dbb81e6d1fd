/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the factors of the share tree with published answers: the trees of
 * flux-accounting's tests (src/fairness/weighted_tree/test/accounts_data,
 * answers in t/expected/print_hierarchy), the example of Slurm's page on
 * the classic factor, and Slurm's decay worked out by hand. */
#include "policies/shares/share_tree.h"

#include <math.h>

#include "tests/support/test.h"

struct tree_row {
    uint32_t parent; /* row number from 1; 0: the root */
    bool is_leaf;
    double shares, usage;
    /* LF, and rank as the documents have it and as the code of Slurm has it */
    double level, document, code;
};

enum { TREE_ROWS_MAX = 16 };

static void tree_build(struct share_tree *tree, const struct tree_row *rows,
                       size_t n)
{
    uint32_t node[TREE_ROWS_MAX + 1] = {SHARE_ROOT};
    share_tree_init(tree);
    for (size_t i = 0; i < n; i++)
        node[i + 1] = share_tree_add(tree, node[rows[i].parent], rows[i].shares,
                                     rows[i].is_leaf);
    for (size_t i = 0; i < n; i++) {
        if (rows[i].is_leaf)
            share_tree_charge(tree, node[i + 1], rows[i].usage);
    }
}

static void assert_near(double a, double b, double by)
{
    assert_true(fabs(a - b) <= by);
}

static double tree_used(const struct share_tree *tree, uint32_t node)
{
    return tree->at[node].usage / tree->at[tree->at[node].parent].usage;
}

static double tree_level(const struct share_tree *tree, uint32_t node)
{
    const struct share_node *me = &tree->at[node];
    return me->shares / tree->at[me->parent].children / tree_used(tree, node);
}

/* Ranks are those of the documents, N of the tree = 1. */
static void tree_check(const struct tree_row *rows, size_t n)
{
    struct share_tree tree;
    tree_build(&tree, rows, n);
    for (size_t i = 0; i < n; i++) {
        assert_near(tree.at[i + 1].usage, rows[i].usage, 0);
        if (rows[i].level > 0)
            assert_near(tree_level(&tree, (uint32_t)i + 1), rows[i].level,
                        5e-7);
    }
    share_tree_rank(&tree, SHARE_TIES_DOCUMENT);
    for (size_t i = 0; i < n; i++)
        assert_near(tree.at[i + 1].factor, rows[i].document, 5e-7);
    share_tree_rank(&tree, SHARE_TIES_CODE);
    for (size_t i = 0; i < n; i++)
        assert_near(tree.at[i + 1].factor, rows[i].code, 5e-7);
    share_tree_fini(&tree);
}

static void fair_tree_without_ties(void **state)
{
    static const struct tree_row rows[] = {
        {0, false, 1000, 121, .990246, 0, 0},
        {1, true, 10000, 100, 0, .285714, .285714},
        {1, true, 1000, 11, 0, .142857, .142857},
        {1, true, 100000, 10, 0, .428571, .428571},
        {0, false, 100, 11, 1.089271, 0, 0},
        {5, true, 100000, 8, 0, .714286, .714286},
        {5, true, 10000, 3, 0, .571429, .571429},
        {0, false, 10, 1, 1.198198, 0, 0},
        {8, true, 100, 0, 0, 1, 1},
        {8, true, 10, 1, 0, .857143, .857143},
    };
    (void)state;
    tree_check(rows, sizeof rows / sizeof *rows);
}

/* Two accounts have equal LF: their users are ranked together, or those of the
 * one added first after those of the other. */
static void fair_tree_with_tied_accounts(void **state)
{
    static const struct tree_row rows[] = {
        {0, false, 100, 12, .998498, 0, 0},
        {1, true, 10000, 10, 0, .5, .25},
        {1, true, 1000, 1, 0, .5, .25},
        {1, true, 100000, 1, 0, .75, .625},
        {0, false, 1000, 120, .998498, 0, 0},
        {5, true, 10000, 100, 0, .5, .625},
        {5, true, 1000, 10, 0, .5, .625},
        {5, true, 100000, 10, 0, .75, .75},
        {0, false, 10, 1, 1.198198, 0, 0},
        {9, true, 100, 0, 0, 1, 1},
        {9, true, 10, 1, 0, .875, .875},
    };
    (void)state;
    tree_check(rows, sizeof rows / sizeof *rows);
}

static void fair_tree_with_all_accounts_tied(void **state)
{
    static const struct tree_row rows[] = {
        {0, false, 10000, 1200, 1, 0, 0},
        {1, true, 10000, 1000, 0, .666667, .222222},
        {1, true, 1000, 100, 0, .666667, .222222},
        {1, true, 100000, 100, 0, 1, .555556},
        {0, false, 100, 12, 1, 0, 0},
        {5, true, 10000, 10, 0, .666667, .555556},
        {5, true, 1000, 1, 0, .666667, .555556},
        {5, true, 100000, 1, 0, 1, .888889},
        {0, false, 1000, 120, 1, 0, 0},
        {9, true, 10000, 100, 0, .666667, .888889},
        {9, true, 1000, 10, 0, .666667, .888889},
        {9, true, 100000, 10, 0, 1, 1},
    };
    (void)state;
    tree_check(rows, sizeof rows / sizeof *rows);
}

/* A user beside an account of equal LF has the rank of its highest user; a node
 * without shares comes last, whatever it used. */
static void fair_tree_of_users_beside_accounts(void **state)
{
    static const struct tree_row rows[] = {
        {0, false, 1, 5, 0, 0, 0},    {1, true, 1, 4, 0, .5, .5},
        {1, true, 1, 1, 0, 1, 1},     {0, true, 1, 5, 0, 1, 1},
        {0, true, 0, 0, 0, .25, .25},
    };
    (void)state;
    tree_check(rows, sizeof rows / sizeof *rows);
}

static void classic_example(void **state)
{
    static const struct tree_row rows[] = {
        {0, false, 40, .45, 0, 0, 0}, {1, false, 30, .2, 0, 0, 0},
        {2, true, 1, .2, 0, 0, 0},    {1, false, 10, .25, 0, 0, 0},
        {4, true, 1, .25, 0, 0, 0},   {4, true, 1, 0, 0, 0, 0},
        {0, false, 60, .25, 0, 0, 0}, {7, false, 25, .25, 0, 0, 0},
        {8, true, 1, .25, 0, 0, 0},   {7, false, 35, 0, 0, 0, 0},
        {10, true, 1, 0, 0, 0, 0},
    };
    /* All usage of the example is 0.7 of the cluster: another user below the
     * root, without shares, has the rest. */
    static const struct {
        uint32_t node;
        double effective, norm, factor;
    } expected[] = {
        {1, .45, .4, -1},          {7, .25, .6, -1},
        {2, .3875, .3, -1},        {4, .3, .1, -1},
        {8, .25, .25, -1},         {10, .1458, .35, -1},
        {3, .3875, .3, .408479},   {5, .275, .05, .022097},
        {6, .15, .05, .125},       {9, .25, .25, .5},
        {11, .1458, .35, .749154},
    };
    struct share_tree tree;
    (void)state;
    tree_build(&tree, rows, sizeof rows / sizeof *rows);
    share_tree_charge(&tree, share_tree_add(&tree, SHARE_ROOT, 0, true), .3);
    share_tree_classic_accounts(&tree);
    share_tree_classic(&tree);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct share_node *node = &tree.at[expected[i].node];
        assert_near(node->effective, expected[i].effective, 5e-5);
        assert_near(node->norm, expected[i].norm, 1e-12);
        if (expected[i].factor >= 0)
            assert_near(node->factor, expected[i].factor, 5e-7);
    }
    share_tree_fini(&tree);
}

static void decay_of_slurm_and_exact(void **state)
{
    const double week = 604800, slurm = share_decay_of(SHARE_DECAY_SLURM, week),
                 exact = share_decay_of(SHARE_DECAY_EXACT, week);
    (void)state;
    assert_near(pow(slurm, 300), .99965631, 5e-9);
    assert_near(pow(exact, 300), .99965624, 5e-9);
    assert_near(pow(slurm, 86400), .90574266, 5e-9);
    assert_near(pow(slurm, 3 * 86400), .74304389, 5e-9);
    assert_near(pow(slurm, week), .50007340, 5e-9);
    assert_near(pow(slurm, 2 * week), .25007340, 5e-9);
    assert_near(pow(exact, week), .5, 1e-9);
    assert_near(share_usage_of(slurm, 8, 300), 2399.175, 5e-4);
    assert_near(share_decay_of(SHARE_DECAY_SLURM, 0), 1, 0);
    assert_near(share_decay_of(SHARE_DECAY_EXACT, 0), 1, 0);
}

/* A used 1,000 GPU-hours a week ago, B 600 just now, with equal shares. */
static void two_users_a_week_apart(void **state)
{
    struct share_tree tree;
    const double slurm = share_decay_of(SHARE_DECAY_SLURM, 604800);
    (void)state;
    share_tree_init(&tree);
    const uint32_t a = share_tree_add(&tree, SHARE_ROOT, 1, true);
    const uint32_t b = share_tree_add(&tree, SHARE_ROOT, 1, true);
    share_tree_charge(&tree, a, 1000);
    share_tree_decay(&tree, pow(slurm, 604800));
    share_tree_charge(&tree, b, 600);
    assert_near(tree.at[a].usage, 500.073, 5e-4);
    assert_near(tree_used(&tree, a), .454582, 5e-7);
    assert_near(tree_used(&tree, b), .545418, 5e-7);
    assert_near(tree_level(&tree, a), 1.099912, 5e-7);
    assert_near(tree_level(&tree, b), .916728, 5e-7);
    share_tree_rank(&tree, SHARE_TIES_DOCUMENT);
    assert_near(tree.at[a].factor, 1, 0);
    assert_near(tree.at[b].factor, .5, 0);
    share_tree_fini(&tree);
}

static void a_tree_without_leaves(void **state)
{
    struct share_tree tree;
    (void)state;
    share_tree_init(&tree);
    share_tree_add(&tree, SHARE_ROOT, 1, false);
    share_tree_rank(&tree, SHARE_TIES_DOCUMENT);
    share_tree_rank(&tree, SHARE_TIES_CODE);
    share_tree_classic_accounts(&tree);
    share_tree_classic(&tree);
    assert_near(tree.at[1].effective, 0, 0);
    share_tree_fini(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fair_tree_without_ties),
        cmocka_unit_test(fair_tree_with_tied_accounts),
        cmocka_unit_test(fair_tree_with_all_accounts_tied),
        cmocka_unit_test(fair_tree_of_users_beside_accounts),
        cmocka_unit_test(classic_example),
        cmocka_unit_test(decay_of_slurm_and_exact),
        cmocka_unit_test(two_users_a_week_apart),
        cmocka_unit_test(a_tree_without_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
