/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills the cluster of DRF's example (NSDI 2011, section 4.1): 9 CPUs and 18
 * GB; tasks of A need 1 and 4, those of B 3 and 1. */
#include "policies/shares/dominant.h"

#include "tests/support/test.h"

static const struct dominant capacity = {{0, 9, 18}};
static const struct dominant needs[2] = {{{0, 1, 4}}, {{0, 3, 1}}};

/* Serves the owner of the smallest share until its task does not fit. Writes
 * the owners served to `order`; returns their number. */
static int fill(const double weight[2], int first_at_ties,
                struct dominant *used, char order[16])
{
    int n = 0;
    for (;; n++) {
        const double a = dominant_share(&used[0], &capacity, weight[0]);
        const double b = dominant_share(&used[1], &capacity, weight[1]);
        const int next = a < b ? 0 : b < a ? 1 : first_at_ties;
        struct dominant all = used[0];
        dominant_add(&all, &used[1]);
        dominant_add(&all, &needs[next]);
        for (int r = 0; r < DOMINANT_N; r++) {
            if (all.of[r] > capacity.of[r]) {
                order[n] = '\0';
                return n;
            }
        }
        dominant_add(&used[next], &needs[next]);
        order[n] = next ? 'B' : 'A';
    }
}

static void the_example_of_the_paper(void **state)
{
    static const double equal[2] = {1, 1};
    (void)state;
    for (int first = 0; first < 2; first++) {
        struct dominant used[2] = {{{0}}, {{0}}};
        char order[16];
        assert_int_equal(fill(equal, first, used, order), 5);
        assert_string_equal(order, first ? "BAABA" : "ABABA");
        assert_true(used[0].of[DOMINANT_CPUS] == 3);
        assert_true(used[1].of[DOMINANT_CPUS] == 6);
        assert_true(used[0].of[DOMINANT_MEMORY] == 12);
        assert_true(used[1].of[DOMINANT_MEMORY] == 2);
        assert_true(dominant_share(&used[0], &capacity, 1) ==
                    dominant_share(&used[1], &capacity, 1));
    }
}

/* With twice the weight, a task of A counts for 1/9: A has three before it is
 * where B is after its first, then a fourth, and B's second does not fit. */
static void weights_divide_shares(void **state)
{
    static const double weight[2] = {2, 1};
    struct dominant used[2] = {{{0}}, {{0}}};
    char order[16];
    (void)state;
    fill(weight, 0, used, order);
    assert_string_equal(order, "ABAAA");
    assert_true(isinf(dominant_share(&used[0], &capacity, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_paper),
        cmocka_unit_test(weights_divide_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
