/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the replay of a result with a sorted list of all its edges. */
#include "sim/verify/verify_replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"

enum { N = 3000, CHANGES = 200 };

static int by_time(const void *a, const void *b)
{
    const struct verify_edge *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Makes attempts of a few moments, so that many edges are at one time; some
 * have no length, are open or are for profiling. */
static void make(struct verify_data *data, gsl_rng *rng, uint32_t moments)
{
    for (size_t i = 0; i < N; i++) {
        struct verify_attempt *a = &data->attempts[i];
        *a = (struct verify_attempt){.start = rng_below(rng, moments),
                                     .profiling = rng_below(rng, 4) == 0,
                                     .how = rng_below(rng, 9) ? 'f' : 'o'};
        a->end = a->start + rng_below(rng, 40) - 5;
    }
    for (size_t i = 0; i < CHANGES; i++)
        data->changes[i] = (struct verify_change){
            .at = (sim_time)(i * moments / CHANGES), .node = (uint32_t)i};
    data->n_attempts = rng_below(rng, N);
    data->n_changes = rng_below(rng, CHANGES);
}

static size_t list_all(const struct verify_data *data, bool profiling,
                       bool open_ends, struct verify_edge *out)
{
    size_t n = 0;
    for (uint32_t i = 0; i < data->n_attempts; i++) {
        const struct verify_attempt *a = &data->attempts[i];
        bool open = a->how == 'o' && !open_ends;
        if ((a->profiling && !profiling) || (a->end <= a->start && !open))
            continue;
        out[n++] = (struct verify_edge){a->start, VERIFY_EDGE_START, i};
        if (!open)
            out[n++] = (struct verify_edge){a->end, VERIFY_EDGE_END, i};
    }
    for (uint32_t i = 0; i < data->n_changes; i++)
        out[n++] =
            (struct verify_edge){data->changes[i].at, VERIFY_EDGE_NODE, i};
    qsort(out, n, sizeof *out, by_time);
    return n;
}

static void edges_come_in_the_order_of_a_sorted_list(void **state)
{
    static struct verify_attempt attempts[N];
    static struct verify_change changes[CHANGES];
    static struct verify_edge plain[2 * N + CHANGES];
    struct verify_data data = {.attempts = attempts, .changes = changes};
    gsl_rng *rng = rng_open(1, "test verify replay");
    (void)state;
    for (uint32_t round = 0; round < 40; round++) {
        bool profiling = round % 2, open_ends = round / 2 % 2;
        struct verify_replay replay;
        struct verify_edge edge;
        make(&data, rng, round % 3 ? 50 : 100000);
        size_t n = list_all(&data, profiling, open_ends, plain);
        verify_replay_init(&replay, &data, profiling, open_ends);
        for (size_t i = 0; i < n; i++) {
            assert_true(verify_replay_peek(&replay, &edge));
            assert_int_equal(by_time(&edge, &plain[i]), 0);
            verify_replay_pass(&replay, &edge);
        }
        assert_false(verify_replay_peek(&replay, &edge));
        verify_replay_fini(&replay);
    }
    rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_come_in_the_order_of_a_sorted_list),
    };
    return cmocka_run_group_tests_name("verify_replay", tests, NULL, NULL);
}
