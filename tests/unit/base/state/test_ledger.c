/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests that attempts, which the ledger stores in a compact form, are read back
 * unchanged, and that readers see each move. */
#include "base/state/ledger.h"

#include "base/rng.h"
#include "tests/support/test.h"

static struct job jobs[8] = {{.id = 0}, {.id = 1}, {.id = 2}, {.id = 3},
                             {.id = 4}, {.id = 5}, {.id = 6}, {.id = 7}};

static void gangs_of_any_shape_are_kept(void **state)
{
    (void)state;
    enum { N = 300 };
    static struct gpu_slice sets[N][40];
    uint32_t counts[N];
    struct ledger ledger;
    gsl_rng *rng = rng_open(2, "test ledger");
    ledger_init(&ledger, 8);
    for (uint32_t i = 0; i < N; i++) {
        counts[i] = 1 + rng_below(rng, 40);
        for (uint32_t k = 0; k < counts[i]; k++) {
            uint64_t mask = (uint64_t)rng_below(rng, UINT32_MAX) << 32 |
                            (rng_below(rng, UINT32_MAX) + 1u);
            sets[i][k] = (struct gpu_slice){rng_below(rng, 65535),
                                            i % 2 ? mask : (mask & 0xff) | 1};
        }
        struct gpu_set where = {sets[i], counts[i]};
        struct ledger_move start = {.at = 2 * i,
                                    .kind = LEDGER_STARTED,
                                    .job = &jobs[i % 8],
                                    .where = where};
        struct ledger_move stop = {.at = 2 * i + 1,
                                   .kind = LEDGER_STOPPED,
                                   .job = &jobs[i % 8],
                                   .work = 1};
        ledger_add(&ledger, &start);
        ledger_add(&ledger, &stop);
    }
    assert_int_equal(ledger.n_attempts, N);
    assert_null(ledger.costs);
    for (uint32_t i = 0; i < N; i++) {
        struct gpu_slice out[40];
        uint32_t n = ledger_where(&ledger, &ledger.attempts[i], out, 40);
        assert_true(gpu_set_equal((struct gpu_set){out, n},
                                  (struct gpu_set){sets[i], counts[i]}));
        assert_int_equal(ledger_where(&ledger, &ledger.attempts[i], out, 0), n);
        assert_int_equal(ledger_gpus(&ledger, &ledger.attempts[i]),
                         gpu_set_size((struct gpu_set){sets[i], counts[i]}));
    }
    rng_free(rng);
    ledger_fini(&ledger);
}

static void attempts_of_a_job_are_linked_backwards(void **state)
{
    (void)state;
    struct ledger ledger;
    struct gpu_slice slice = {0, 1};
    ledger_init(&ledger, 8);
    for (int i = 0; i < 3; i++) {
        struct ledger_move m = {.at = i * 10,
                                .kind = LEDGER_STARTED,
                                .job = &jobs[1],
                                .where = {&slice, 1}};
        ledger_add(&ledger, &m);
        m.at += 5;
        m.kind = i == 2 ? LEDGER_FINISHED : LEDGER_STOPPED;
        m.overhead = i == 1 ? 7 : 0;
        m.work = 5;
        ledger_add(&ledger, &m);
    }
    uint32_t at = ledger.last_attempt[1];
    assert_int_equal(at, 2);
    assert_int_equal(ledger.attempts[at].how, LEDGER_FINISHED);
    assert_int_equal(ledger.attempts[at].end, 25);
    at = ledger.attempts[at].previous;
    assert_int_equal(at, 1);
    assert_int_equal(ledger_cost(&ledger, at)->overhead, 7);
    at = ledger.attempts[at].previous;
    assert_null(ledger_cost(&ledger, at));
    assert_int_equal(ledger.attempts[at].previous, ATTEMPT_NONE);
    assert_int_equal(ledger.last_attempt[0], ATTEMPT_NONE);
    assert_int_equal(ledger.last, 25);
    ledger_fini(&ledger);
}

static void a_running_attempt_has_no_end(void **state)
{
    (void)state;
    struct ledger ledger;
    struct gpu_slice slice = {0, 1};
    ledger_init(&ledger, 8);
    struct ledger_move m = {
        .kind = LEDGER_STARTED, .job = &jobs[0], .where = {&slice, 1}};
    ledger_add(&ledger, &m);
    assert_true(ledger.attempts[0].end == TIME_NEVER);
    ledger_fini(&ledger);
}

/* An attempt stores the number of its GPUs up to 255. */
static void a_gang_of_300_gpus_is_counted(void **state)
{
    (void)state;
    struct ledger ledger;
    struct gpu_slice where[5];
    for (uint32_t i = 0; i < 5; i++)
        where[i] = (struct gpu_slice){i, UINT64_MAX >> 4};
    ledger_init(&ledger, 8);
    struct ledger_move m = {.kind = LEDGER_STARTED,
                            .job = &jobs[0],
                            .gpus = 300,
                            .where = {where, 5}};
    ledger_add(&ledger, &m);
    assert_int_equal(ledger_gpus(&ledger, &ledger.attempts[0]), 300);
    m.gpus = 60, m.job = &jobs[1], m.where.count = 1;
    ledger_add(&ledger, &m);
    assert_int_equal(ledger_gpus(&ledger, &ledger.attempts[1]), 60);
    ledger_fini(&ledger);
}

static void an_answer_has_its_own_tokens_or_those_of_its_server(void **state)
{
    (void)state;
    struct ledger ledger;
    const struct advice_row alone = {.server = ADVICE_NO_SERVER};
    const struct advice_row served = {.server = 0, .module = 1};
    bool counted;
    ledger_init(&ledger, 8);
    ledger.station.tokens[1] = (struct advice_tokens){70, 30};
    for (uint32_t i = 0; i < 200; i++)
        assert_int_equal(
            ledger_add_advice(&ledger, i % 2 ? &served : &alone, 8), i);
    assert_int_equal(ledger_tokens(&ledger, 1, &counted).in, 70);
    assert_false(counted);
    ledger_count_tokens(&ledger, 1, (struct advice_tokens){5, 0});
    ledger_count_tokens(&ledger, 2, (struct advice_tokens){0, 6});
    ledger_count_tokens(&ledger, 199, (struct advice_tokens){7, 8});
    assert_int_equal(ledger_tokens(&ledger, 1, &counted).in, 5);
    assert_true(counted);
    assert_int_equal(ledger_tokens(&ledger, 2, &counted).out, 6);
    assert_true(counted);
    assert_int_equal(ledger_tokens(&ledger, 199, &counted).out, 8);
    assert_int_equal(ledger_tokens(&ledger, 3, &counted).out, 30);
    assert_false(counted);
    assert_int_equal(ledger_tokens(&ledger, 4, &counted).in, 0);
    assert_false(counted);
    ledger_fini(&ledger);
}

static void count_moves(void *self, const struct ledger_move *move)
{
    int *seen = self;
    seen[move->kind]++;
}

static void readers_see_every_move_once(void **state)
{
    (void)state;
    int seen[LEDGER_RATE + 1] = {0};
    char why[] = "too large";
    struct ledger ledger;
    ledger_init(&ledger, 8);
    ledger_read_by(&ledger, (struct ledger_reader){count_moves, seen});
    struct ledger_move m = {.kind = LEDGER_SUBMITTED, .job = &jobs[3]};
    ledger_add(&ledger, &m);
    m = (struct ledger_move){
        .at = 4, .kind = LEDGER_REJECTED, .job = &jobs[3], .why = why};
    ledger_add(&ledger, &m);
    m = (struct ledger_move){.at = 9, .kind = LEDGER_NODE_DOWN, .node = 2};
    ledger_add(&ledger, &m);
    why[0] = 'x'; /* the ledger keeps its own copy */
    assert_int_equal(seen[LEDGER_SUBMITTED], 1);
    assert_int_equal(seen[LEDGER_REJECTED], 1);
    assert_int_equal(seen[LEDGER_NODE_DOWN], 1);
    assert_int_equal(ledger.n_moves, 3);
    assert_string_equal(ledger.rejections[0].why, "too large");
    assert_string_equal(ledger.node_changes[0].why, "");
    assert_int_equal(ledger.node_changes[0].kind, LEDGER_NODE_DOWN);
    /* `last` is the time of the last change of a job; changes of nodes do not
     * count */
    assert_int_equal(ledger.last, 4);
    ledger_fini(&ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gangs_of_any_shape_are_kept),
        cmocka_unit_test(attempts_of_a_job_are_linked_backwards),
        cmocka_unit_test(a_running_attempt_has_no_end),
        cmocka_unit_test(a_gang_of_300_gpus_is_counted),
        cmocka_unit_test(an_answer_has_its_own_tokens_or_those_of_its_server),
        cmocka_unit_test(readers_see_every_move_once),
    };
    return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
