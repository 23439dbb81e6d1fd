/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the event queue with a plain array that is searched from end to end.
 */
#include "base/arena.h"
#include "base/rng.h"
#include "base/state/evq.h"
#include "tests/support/test.h"

#define MODEL_MAX 512

struct model {
    struct evq_entry at[MODEL_MAX];
    size_t n;
};

static size_t model_first(const struct model *m)
{
    size_t best = 0;
    for (size_t i = 1; i < m->n; i++) {
        const struct evq_entry *a = &m->at[i], *b = &m->at[best];
        if (a->at < b->at || (a->at == b->at && a->order < b->order))
            best = i;
    }
    return best;
}

static void model_remove(struct model *m, size_t i)
{
    m->at[i] = m->at[--m->n];
}

static struct evq_entry take(struct evq *q)
{
    struct evq_entry first = *evq_peek(q);
    evq_pop(q);
    return first;
}

static void step(struct evq *q, struct model *m, gsl_rng *rng, uint32_t number)
{
    uint32_t what = rng_below(rng, 10);
    if (m->n == 0 || (what < 4 && m->n < MODEL_MAX)) {
        uint32_t rank = rng_below(rng, 4);
        struct evq_entry e = {.at = rng_below(rng, 40),
                              .order = (uint64_t)rank << 32 | number,
                              .payload = number};
        e.handle = evq_add(q, e.at, rank, e.payload);
        m->at[m->n++] = e;
        return;
    }
    size_t i = rng_below(rng, (uint32_t)m->n);
    if (what < 6) {
        m->at[i].at = rng_below(rng, 40);
        evq_move(q, m->at[i].handle, m->at[i].at);
        assert_int_equal(evq_time(q, m->at[i].handle), m->at[i].at);
    } else if (what < 7) {
        evq_cancel(q, m->at[i].handle);
        model_remove(m, i);
    } else {
        i = model_first(m);
        assert_int_equal(evq_peek(q)->payload, m->at[i].payload);
        struct evq_entry got = take(q);
        assert_int_equal(got.payload, m->at[i].payload);
        assert_int_equal(got.at, m->at[i].at);
        assert_int_equal(evq_rank(&got), m->at[i].order >> 32);
        model_remove(m, i);
    }
}

static void random_operations_agree_with_a_searched_array(void **state)
{
    (void)state;
    static struct model model;
    struct evq q;
    evq_init(&q);
    gsl_rng *rng = rng_open(7, "test evq");
    for (uint32_t k = 0, added = 0; k < 30000; k++) {
        size_t before = model.n;
        step(&q, &model, rng, added);
        added += model.n > before;
        assert_int_equal(q.n, model.n);
    }
    while (model.n) {
        size_t i = model_first(&model);
        assert_int_equal(take(&q).payload, model.at[i].payload);
        model_remove(&model, i);
    }
    assert_null(evq_peek(&q));
    rng_free(rng);
    evq_fini(&q);
}

static void equal_times_come_by_rank_then_by_insertion(void **state)
{
    (void)state;
    struct evq q;
    evq_init(&q);
    evq_add(&q, 5, 2, 0);
    evq_add(&q, 5, 1, 1);
    evq_add(&q, 5, 1, 2);
    evq_add(&q, 4, 9, 3);
    const uint32_t want[] = {3, 1, 2, 0};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(take(&q).payload, want[i]);
    evq_fini(&q);
}

static void a_move_and_back_keeps_the_place_among_equals(void **state)
{
    (void)state;
    struct evq q;
    evq_init(&q);
    evq_handle first = evq_add(&q, 5, 1, 0);
    evq_add(&q, 5, 1, 1);
    evq_move(&q, first, 9);
    evq_move(&q, first, 5);
    assert_int_equal(take(&q).payload, 0);
    assert_int_equal(take(&q).payload, 1);
    evq_fini(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_operations_agree_with_a_searched_array),
        cmocka_unit_test(equal_times_come_by_rank_then_by_insertion),
        cmocka_unit_test(a_move_and_back_keeps_the_place_among_equals),
    };
    return cmocka_run_group_tests_name("evq", tests, NULL, NULL);
}
