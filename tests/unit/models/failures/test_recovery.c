/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks single rules of recovery about single failures, with delays that can be
 * computed by hand. */
#include "tests/support/test.h"

#include <string.h>

#include "models/failures/failure_truth.h"
#include "models/failures/recovery.h"
#include "sim/run/registry.h"

struct desk {
    struct arena arena;
    struct recovery layer, below;
    struct job job;
    struct failure_truth truth;
    struct failure failure;
    struct ruling ruling;
};

static const struct recovery_ops *rule_called(const char *name)
{
    for (size_t i = 0; recoveries[i]; i++) {
        if (strcmp(recoveries[i]->name, name) == 0)
            return recoveries[i];
    }
    fail_msg("no rule %s", name);
    return NULL;
}

/* A failure, the first of the job, of no recorded gap and without a node that
 * is gone, at 01:00 of the first day. */
static void desk_open(struct desk *d)
{
    *d = (struct desk){
        .truth = {.node = NODE_NONE, .kind = FAILURE_SCRIPT},
        .failure = {.at = SPAN_HOUR,
                    .failures = 1,
                    .key = 7,
                    .gap = -1,
                    .gone = NODE_NONE},
    };
    arena_init(&d->arena);
    d->failure.job = &d->job;
    d->failure.truth = &d->truth;
}

static void *desk_room(struct arena *arena, size_t bytes)
{
    return memset(arena_alloc(arena, bytes), 0, bytes);
}

/* Asks a rule, whose settings are "key=value,...". */
static bool desk_asks(struct desk *d, const char *name, const char *settings)
{
    struct error err;
    const struct run_env env = {.seed = 1};
    d->layer = (struct recovery){.ops = rule_called(name),
                                 .below = d->below.ops ? &d->below : NULL};
    void *config = desk_room(&d->arena, d->layer.ops->config_size);
    option_defaults(d->layer.ops->options, config);
    for (struct text rest = text_from(settings); rest.len;) {
        struct text value,
            key = text_split(text_split(rest, ',', &rest), '=', &value);
        assert_int_equal(option_set(d->layer.ops->options, config, name, key,
                                    value, &d->arena, &err),
                         STATUS_OK);
    }
    d->layer.config = config;
    if (d->layer.ops->init) {
        d->layer.self = desk_room(&d->arena, d->layer.ops->state_size);
        assert_int_equal(d->layer.ops->init(d->layer.self, config, &env, &err),
                         STATUS_OK);
    }
    d->ruling =
        (struct ruling){.verdict = VERDICT_GIVE_UP, .suspect = NODE_NONE};
    return d->layer.ops->rule(&d->layer, &d->failure, &d->ruling);
}

static void a_limit_gives_up(void **state)
{
    (void)state;
    struct desk d;
    desk_open(&d);
    assert_false(desk_asks(&d, "limit", ""));
    assert_false(desk_asks(&d, "limit", "age_s=3600"));
    assert_true(desk_asks(&d, "limit", "age_s=3599"));
    assert_int_equal(d.ruling.verdict, VERDICT_GIVE_UP);
    assert_true(desk_asks(&d, "limit", "attempts=1"));
    arena_fini(&d.arena);
}

static void delays_grow_up_to_a_limit(void **state)
{
    (void)state;
    static const double delays[] = {10, 20, 40, 50, 50};
    struct desk d;
    desk_open(&d);
    for (uint32_t i = 0; i < 5; i++) {
        d.failure.failures = i + 1;
        assert_true(
            desk_asks(&d, "backoff", "detect_s=3,delay_max_s=50,resume=off"));
        assert_int_equal(d.ruling.verdict, VERDICT_RESTART);
        assert_true(span_seconds(d.ruling.delay) == 3 + delays[i]);
    }
    d.failure.failures = 7;
    assert_false(desk_asks(&d, "backoff", ""));
    arena_fini(&d.arena);
}

static void a_lost_node_requeues(void **state)
{
    (void)state;
    struct desk d;
    desk_open(&d);
    assert_false(desk_asks(&d, "requeue", ""));
    d.failure.gone = 3;
    assert_true(desk_asks(&d, "requeue", ""));
    assert_int_equal(d.ruling.verdict, VERDICT_RESUME);
    assert_true(desk_asks(&d, "requeue", "resume=off"));
    assert_int_equal(d.ruling.verdict, VERDICT_RESTART);
    assert_false(desk_asks(&d, "requeue", "attempts=1"));
    d.job.elasticity = JOB_RIGID;
    assert_false(desk_asks(&d, "elastic", ""));
    d.job.elasticity = JOB_ADAPTIVE;
    assert_true(desk_asks(&d, "elastic", "detect_s=5"));
    assert_true(d.ruling.verdict == VERDICT_RESUME &&
                d.ruling.delay == 5 * SPAN_SECOND);
    assert_false(desk_asks(&d, "elastic", "attempts=1"));
    d.failure.gone = NODE_NONE;
    assert_false(desk_asks(&d, "elastic", ""));
    arena_fini(&d.arena);
}

static void a_person_works_by_day(void **state)
{
    (void)state;
    static const char settings[] =
        "detect_s=600,detect_sigma=0,sigma=0,day_begins_h=8,day_ends_h=18,";
    static const struct {
        const char *more;
        double at_h, noticed_s;
    } all[] = {
        {"utc_offset_h=0", 1, 7 * 3600},
        {"utc_offset_h=0", 12, 600},
        {"utc_offset_h=0", 20, 12 * 3600},
        {"utc_offset_h=8", 1, 600},
        {"utc_offset_h=-8", 1, 600},
        {"utc_offset_h=-8", 3, 13 * 3600},
        {"on_call=on", 1, 600},
    };
    struct desk d;
    desk_open(&d);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s%s", settings, all[i].more);
        d.failure.at = span_from_seconds(all[i].at_h * 3600);
        assert_true(desk_asks(&d, "person", text));
        if (span_seconds(d.ruling.detected) != all[i].noticed_s)
            fail_msg("%s at %g: %g", all[i].more, all[i].at_h,
                     span_seconds(d.ruling.detected));
        assert_int_equal(d.ruling.verdict, VERDICT_RESUME);
    }
    assert_true(desk_asks(&d, "person", "resume=off"));
    assert_int_equal(d.ruling.verdict, VERDICT_RESTART);
    assert_false(desk_asks(&d, "person", "attempts=1"));
    arena_fini(&d.arena);
}

static void a_test_blames_a_node(void **state)
{
    (void)state;
    const struct gpu_slice where[] = {{.node = 4}, {.node = 4}};
    struct desk d;
    desk_open(&d);
    d.failure.where = (struct gpu_set){.at = where, .count = 2};
    d.below = (struct recovery){.ops = rule_called("backoff")};
    void *config = desk_room(&d.arena, d.below.ops->config_size);
    option_defaults(d.below.ops->options, config);
    d.below.config = config;
    static const struct {
        const char *settings;
        node_id fault, gone, suspect;
        bool hardware;
        sim_span gap;
    } all[] = {
        /* the fault is found, missed, or another node is blamed */
        {"finds=1", 9, NODE_NONE, 9, true, -1},
        {"finds=0,false_alarm=0", 9, NODE_NONE, NODE_NONE, true, -1},
        {"finds=0,false_alarm=1", 9, NODE_NONE, 4, true, -1},
        {"finds=1,false_alarm=1", NODE_NONE, NODE_NONE, 4, true, -1},
        /* nothing is tested */
        {"finds=1", 9, 9, NODE_NONE, true, -1},
        {"finds=1", 9, NODE_NONE, NODE_NONE, false, -1},
        {"finds=1", 9, NODE_NONE, NODE_NONE, true, 5},
        /* with all=on, everything is */
        {"finds=1,all=on", 9, NODE_NONE, 9, false, -1},
        {"finds=1,all=on", 9, NODE_NONE, 9, true, 5},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        d.truth.node = all[i].fault;
        d.truth.kind =
            all[i].hardware ? FAILURE_INFRASTRUCTURE : FAILURE_SCRIPT;
        d.failure.gone = all[i].gone;
        d.failure.gap = all[i].gap;
        assert_true(desk_asks(&d, "isolate", all[i].settings));
        if (d.ruling.suspect != all[i].suspect)
            fail_msg("%zu: %u", i, d.ruling.suspect);
        assert_int_equal(d.ruling.verdict, VERDICT_RESUME);
    }
    d.failure.failures = 7;
    assert_true(desk_asks(&d, "isolate", "all=on"));
    assert_int_equal(d.ruling.verdict, VERDICT_GIVE_UP);
    assert_int_equal(d.ruling.suspect, NODE_NONE);
    arena_fini(&d.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_gives_up),
        cmocka_unit_test(delays_grow_up_to_a_limit),
        cmocka_unit_test(a_lost_node_requeues),
        cmocka_unit_test(a_person_works_by_day),
        cmocka_unit_test(a_test_blames_a_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
