/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules of policies/quota on trees small enough for a pencil. */
#include "tests/support/test.h"

#include <stdlib.h>

#include "policies/quota/quota.h"

#define COHORT(parent_, ...) \
    { \
        .parent = parent_, .borrowing_limit = QUOTA_NO_LIMIT, \
        .lending_limit = QUOTA_NO_LIMIT, .weight = 1, __VA_ARGS__ \
    }
#define QUEUE(parent_, nominal_, borrowing, lending, ...) \
    { \
        .parent = parent_, .is_queue = true, .nominal = nominal_, \
        .borrowing_limit = borrowing, .lending_limit = lending, .weight = 1, \
        __VA_ARGS__ \
    }
#define NONE QUOTA_NO_LIMIT
#define ROOT QUOTA_NO_PARENT

static const struct quota_fairness classical = {.enabled = false};
static const struct quota_fairness fair = {
    .enabled = true, .steps = {QUOTA_FINAL_SHARE, QUOTA_INITIAL_SHARE}};

/* Makes a tree of nodes in which the loads are in use. */
static struct quota_tree tree_with(struct quota_node *nodes, uint32_t n,
                                   const struct quota_load *loads,
                                   size_t n_loads)
{
    struct quota_tree tree = {nodes, n};
    quota_tree_init(&tree);
    for (size_t i = 0; i < n_loads; i++)
        quota_use(&tree, loads[i].queue, loads[i].amount);
    return tree;
}

static void limits_bound_what_is_lent_and_borrowed(void **state)
{
    /* a lends 4 of its 10; b has 6 and may borrow 3 */
    struct quota_node nodes[] = {COHORT(ROOT), QUEUE(0, 10, NONE, 4),
                                 QUEUE(0, 6, 3, NONE)};
    struct quota_tree tree = tree_with(nodes, 3, NULL, 0);
    (void)state;
    assert_int_equal(nodes[0].subtree, 10);
    assert_int_equal(nodes[1].local, 6);
    assert_int_equal(quota_potential(&tree, 1), 16);
    assert_int_equal(quota_potential(&tree, 2), 9);
    quota_use(&tree, 1, 7); /* 6 of its own part, 1 of what all see */
    assert_int_equal(nodes[0].usage, 1);
    assert_int_equal(quota_available(&tree, 2), 9);
    quota_use(&tree, 1, 2);
    assert_int_equal(quota_available(&tree, 2), 7);
    quota_use(&tree, 2, 7);
    assert_int_equal(quota_available(&tree, 1), 0);
    assert_true(quota_borrows(&tree, 2, 0));
    assert_false(quota_borrows(&tree, 1, 1));
    assert_true(quota_borrows(&tree, 1, 2));
    quota_use(&tree, 2, -7);
    quota_use(&tree, 1, -9);
    assert_int_equal(nodes[0].usage, 0);
}

static void a_cohort_adds_its_own_quota(void **state)
{
    /* the department has 4 and 3 of its own, and lends 2 */
    struct quota_node nodes[] = {COHORT(ROOT), COHORT(0, .nominal = 3),
                                 QUEUE(1, 4, NONE, NONE),
                                 QUEUE(0, 5, NONE, NONE)};
    bool below;
    (void)state;
    nodes[1].lending_limit = 2;
    struct quota_tree tree = tree_with(nodes, 4, NULL, 0);
    assert_int_equal(quota_potential(&tree, 2), 12);
    assert_int_equal(quota_potential(&tree, 3), 7);
    assert_int_equal(nodes[0].height, 2);
    assert_int_equal(quota_height_that_fits(&tree, 2, 4, &below), 0);
    assert_true(below);
    assert_int_equal(quota_height_that_fits(&tree, 2, 7, &below), 1);
    assert_true(below);
    assert_int_equal(quota_height_that_fits(&tree, 2, 8, &below), 2);
    assert_false(below);
}

static void a_share_is_what_is_borrowed_over_the_weight(void **state)
{
    struct quota_node nodes[] = {COHORT(ROOT), QUEUE(0, 4, NONE, NONE),
                                 QUEUE(0, 12, NONE, NONE)};
    (void)state;
    nodes[1].weight = 2;
    struct quota_tree tree = tree_with(nodes, 3, NULL, 0);
    quota_use(&tree, 1, 8); /* 4 of 16 borrowed: 250, over 2 */
    struct quota_share share = quota_share_of(&tree, 1);
    assert_int_equal((int)share.weighted, 125);
    assert_int_equal((int)quota_share_of(&tree, 2).weighted, 0);
    nodes[1].weight = 0;
    struct quota_share endless = quota_share_of(&tree, 1);
    assert_true(endless.infinite);
    assert_true(quota_share_compare(endless, share) > 0);
    assert_int_equal(quota_share_compare(endless, endless), 0);
}

static void rules_compare_priority_and_age(void **state)
{
    const struct quota_load job = {.priority = 1, .created = 5};
    const struct quota_load lower = {.priority = 0, .created = 1};
    const struct quota_load newer = {.priority = 1, .created = 6};
    const struct quota_load older = {.priority = 1, .created = 5};
    (void)state;
    assert_true(quota_rule_allows(QUOTA_LOWER, &job, &lower));
    assert_false(quota_rule_allows(QUOTA_LOWER, &job, &newer));
    assert_true(quota_rule_allows(QUOTA_LOWER_OR_NEWER, &job, &newer));
    assert_false(quota_rule_allows(QUOTA_LOWER_OR_NEWER, &job, &older));
    assert_true(quota_rule_allows(QUOTA_ANY, &lower, &job));
    assert_false(quota_rule_allows(QUOTA_NEVER, &job, &lower));
}

/* a has 4 and reclaims, b has 4 and runs 2 + 3 + 1, borrowing 2. */
static const struct quota_load borrowed[] = {
    {.id = 0, .queue = 2, .amount = 2, .reserved = 1},
    {.id = 1, .queue = 2, .amount = 3, .reserved = 2},
    {.id = 2, .queue = 2, .amount = 1, .reserved = 3},
};

static void the_newest_go_first_and_unneeded_ones_stay(void **state)
{
    struct quota_node nodes[] = {COHORT(ROOT),
                                 QUEUE(0, 4, NONE, NONE, .reclaim = QUOTA_ANY),
                                 QUEUE(0, 4, NONE, NONE)};
    struct quota_tree tree = tree_with(nodes, 3, borrowed, 3);
    const struct quota_load job = {.id = 9, .queue = 1, .amount = 4};
    struct quota_victim out[3];
    (void)state;
    /* 2 are free. The newest gives 1, the next 3, with which it is not needed
     * any more. */
    assert_int_equal(quota_victims(&tree, borrowed, 3, &job, &classical, out),
                     1);
    assert_int_equal(out[0].load, 1);
    assert_int_equal(out[0].reason, QUOTA_RECLAIM);
    assert_int_equal(nodes[2].usage, 6);
    assert_int_equal(quota_victims(&tree, borrowed, 3, &job, &fair, out), 1);
    assert_int_equal(out[0].load, 1);
    nodes[1].reclaim = QUOTA_LOWER; /* all priorities are equal */
    assert_int_equal(quota_victims(&tree, borrowed, 3, &job, &classical, out),
                     0);
}

static void who_would_borrow_takes_only_by_priority(void **state)
{
    struct quota_node nodes[] = {COHORT(ROOT),
                                 QUEUE(0, 4, NONE, NONE, .reclaim = QUOTA_ANY),
                                 QUEUE(0, 4, NONE, NONE)};
    struct quota_load loads[3];
    struct quota_victim out[3];
    (void)state;
    for (int i = 0; i < 3; i++)
        loads[i] = borrowed[i];
    loads[1].priority = -1;
    struct quota_tree tree = tree_with(nodes, 3, loads, 3);
    const struct quota_load job = {.id = 9, .queue = 1, .amount = 3};
    quota_use(&tree, 1, 2); /* a holds 2, none is free */
    assert_int_equal(quota_victims(&tree, loads, 3, &job, &classical, out), 0);
    nodes[1].borrow_within = true;
    nodes[1].max_priority = -2;
    assert_int_equal(quota_victims(&tree, loads, 3, &job, &classical, out), 0);
    nodes[1].max_priority = -1;
    assert_int_equal(quota_victims(&tree, loads, 3, &job, &classical, out), 1);
    assert_int_equal(out[0].load, 1);
    assert_int_equal(out[0].reason, QUOTA_RECLAIM_BORROWING);
}

static void the_queue_with_the_larger_share_gives(void **state)
{
    struct quota_node nodes[] = {COHORT(ROOT, .nominal = 9),
                                 QUEUE(0, 0, NONE, NONE, .reclaim = QUOTA_ANY),
                                 QUEUE(0, 0, NONE, NONE),
                                 QUEUE(0, 0, NONE, NONE)};
    const struct quota_load loads[] = {
        {.id = 0, .queue = 2, .amount = 1}, {.id = 1, .queue = 2, .amount = 1},
        {.id = 2, .queue = 2, .amount = 1}, {.id = 3, .queue = 3, .amount = 2},
        {.id = 4, .queue = 3, .amount = 2}, {.id = 5, .queue = 3, .amount = 2}};
    struct quota_tree tree = tree_with(nodes, 4, loads, 6);
    struct quota_load job = {.id = 9, .queue = 1, .amount = 2};
    struct quota_victim out[6];
    (void)state;
    assert_int_equal(quota_victims(&tree, loads, 6, &job, &fair, out), 1);
    assert_int_equal(out[0].load, 3);
    assert_int_equal(out[0].reason, QUOTA_FAIR);
    /* With 5 of 9 it would have more than the 4 that are left to the third
     * queue, but less than the 6 of before. */
    job.amount = 5;
    assert_int_equal(quota_victims(&tree, loads, 6, &job, &fair, out), 0);
}

static void heads_have_turns_and_keep_what_they_claim(void **state)
{
    /* a may reclaim from lower priorities only; b borrows all of a's 4 */
    struct quota_node nodes[] = {
        COHORT(ROOT), QUEUE(0, 4, NONE, NONE, .reclaim = QUOTA_LOWER),
        QUEUE(0, 4, NONE, NONE), QUEUE(0, 2, NONE, NONE)};
    const struct quota_load loads[] = {{.id = 0, .queue = 2, .amount = 7}};
    struct quota_tree tree = tree_with(nodes, 4, loads, 1);
    struct quota_head heads[] = {
        {.job = {.id = 1, .queue = 3, .amount = 3, .created = 1}},
        {.job = {.id = 2, .queue = 1, .amount = 4, .created = 2}},
        {.job = {.id = 3, .queue = 2, .amount = 99, .created = 0}},
    };
    uint32_t order[3];
    (void)state;
    quota_cycle(&tree, loads, 1, heads, 3, &classical, order);
    /* the head within its quota first; it may stop nothing and keeps what is
     * free, so the one that would borrow is passed over */
    assert_int_equal(order[0], 1);
    assert_int_equal(heads[1].outcome, QUOTA_CLAIM);
    assert_int_equal(heads[0].outcome, QUOTA_SKIP);
    assert_int_equal(heads[2].outcome, QUOTA_NO_FIT);
    for (int i = 0; i < 3; i++)
        free(heads[i].victims);
}

static void victims_of_one_head_are_not_those_of_another(void **state)
{
    struct quota_node nodes[] = {
        COHORT(ROOT), QUEUE(0, 3, NONE, NONE, .reclaim = QUOTA_ANY),
        QUEUE(0, 3, NONE, NONE, .reclaim = QUOTA_ANY), QUEUE(0, 2, NONE, NONE)};
    const struct quota_load loads[] = {{.id = 0, .queue = 3, .amount = 8}};
    struct quota_tree tree = tree_with(nodes, 4, loads, 1);
    struct quota_head heads[] = {
        {.job = {.id = 1, .queue = 1, .amount = 3, .created = 1}},
        {.job = {.id = 2, .queue = 2, .amount = 3, .created = 2}},
    };
    uint32_t order[2];
    (void)state;
    quota_cycle(&tree, loads, 1, heads, 2, &classical, order);
    assert_int_equal(heads[0].outcome, QUOTA_PREEMPT);
    assert_int_equal(heads[0].n_victims, 1);
    assert_int_equal(heads[1].outcome, QUOTA_SKIP);
    assert_int_equal(nodes[3].usage, 0);
    assert_int_equal(nodes[1].usage, 3);
    for (int i = 0; i < 2; i++)
        free(heads[i].victims);
}

static void under_fair_sharing_the_smaller_share_goes_first(void **state)
{
    struct quota_node nodes[] = {COHORT(ROOT, .nominal = 8),
                                 QUEUE(0, 0, NONE, NONE),
                                 QUEUE(0, 0, NONE, NONE)};
    const struct quota_load loads[] = {{.id = 0, .queue = 1, .amount = 2}};
    struct quota_tree tree = tree_with(nodes, 3, loads, 1);
    struct quota_head heads[] = {
        {.job = {.id = 1, .queue = 1, .amount = 2, .created = 1}},
        {.job = {.id = 2, .queue = 2, .amount = 3, .created = 2}},
    };
    uint32_t order[2];
    (void)state;
    quota_cycle(&tree, loads, 1, heads, 2, &fair, order);
    assert_int_equal(order[0], 1); /* 3 of 8 against 2 + 2 of 8 */
    assert_int_equal(heads[0].outcome, QUOTA_ADMIT);
    assert_int_equal(heads[1].outcome, QUOTA_ADMIT);
    assert_int_equal(nodes[0].usage, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_bound_what_is_lent_and_borrowed),
        cmocka_unit_test(a_cohort_adds_its_own_quota),
        cmocka_unit_test(a_share_is_what_is_borrowed_over_the_weight),
        cmocka_unit_test(rules_compare_priority_and_age),
        cmocka_unit_test(the_newest_go_first_and_unneeded_ones_stay),
        cmocka_unit_test(who_would_borrow_takes_only_by_priority),
        cmocka_unit_test(the_queue_with_the_larger_share_gives),
        cmocka_unit_test(heads_have_turns_and_keep_what_they_claim),
        cmocka_unit_test(victims_of_one_head_are_not_those_of_another),
        cmocka_unit_test(under_fair_sharing_the_smaller_share_goes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
