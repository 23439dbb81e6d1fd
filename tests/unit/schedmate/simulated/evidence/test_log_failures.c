/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests generated logs of failures: hosts in reports, and verdicts that hostile
 * lines must not change. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/logs/handler.h"
#include "tests/support/built_in.h"
#include "tests/support/log_life.h"

struct reading {
    struct log_classifier *classifier;
    struct handler_config handler;
    struct locator_config config;
    struct locator locator;
    struct diagnosis diagnosis;
};

static void feed(void *self, struct text line, uint64_t number)
{
    struct reading *r = self;
    (void)locator_feed(&r->locator, line, number);
}

/* Reads a log as `diagnose` does: locates the first error and judges the lines
 * around it. */
static void diagnose(struct reading *r, const struct log_source *source)
{
    struct located at;
    struct arena arena;
    arena_init(&arena);
    locator_start(&r->locator, &r->config, r->classifier, built_in_knowledge());
    log_each(source, feed, r);
    locator_end(&r->locator, &at);
    r->diagnosis = (struct diagnosis){0};
    if (at.found) {
        uint64_t before = r->handler.window / HANDLER_BEFORE_SHARE;
        uint64_t first = at.offset > before ? at.offset - before : 0;
        struct text lead = log_text(source, first, at.offset - first, &arena);
        struct text window = log_text(source, first, r->handler.window, &arena);
        handler_judge(built_in_knowledge(), window, lead.len, at.sure,
                      &r->diagnosis);
    }
    arena_fini(&arena);
}

static void hostile_lines_change_no_verdict(void **state)
{
    (void)state;
    gsl_rng *rng = rng_open(4, "hostile logs");
    struct reading *r = mem_zalloc(1, sizeof *r);
    struct error err;
    option_defaults(locator_options, &r->config);
    option_defaults(handler_options, &r->handler);
    assert_int_equal(log_classifier_new(LOG_LINEAR, NULL, &r->classifier, &err),
                     STATUS_OK);
    for (int round = 0; round < 200; round++) {
        struct log_life life;
        log_life_draw(rng, &life);
        life.source.n_attempts = 1;
        life.attempts[0].end = LOG_FAILED;
        life.source.hostile = false;
        diagnose(r, &life.source);
        struct diagnosis honest = r->diagnosis;
        life.source.hostile = true;
        diagnose(r, &life.source);
        if (honest.kind != r->diagnosis.kind ||
            honest.part != r->diagnosis.part ||
            honest.action != r->diagnosis.action)
            fail_msg("round %d: %s became %s", round, honest.reason,
                     r->diagnosis.reason);
    }
    log_classifier_free(r->classifier);
    free(r);
    rng_free(rng);
}

static void the_faulty_host_is_in_the_report(void **state)
{
    (void)state;
    gsl_rng *rng = rng_open(5, "hosts in logs");
    for (int round = 0; round < 100; round++) {
        struct log_life life;
        struct arena arena;
        char name[MADE_HOST_MAX];
        arena_init(&arena);
        log_life_draw(rng, &life);
        life.source.n_attempts = 1;
        struct log_attempt *a = &life.attempts[0];
        a->hosts = life.hosts;
        a->end = LOG_RUNNING;
        uint64_t before = log_count(&life.source);
        a->end = LOG_FAILED;
        a->failure = (struct log_failure){
            .fault = (enum log_fault)rng_below(rng, LOG_FAULT_REMOTE),
            .node = life.hosts[rng_below(rng, life.source.kind.nodes)]};
        struct text report = log_text(&life.source, before, UINT64_MAX, &arena);
        log_host_name(a->failure.node, name);
        if (!memmem(report.at, report.len, name, strlen(name)))
            fail_msg("%s is not in %.*s", name, TEXT_ARGS(report));
        arena_fini(&arena);
    }
    rng_free(rng);
}

static void names_of_hosts_are_found(void **state)
{
    (void)state;
    char name[MADE_HOST_MAX], line[64];
    node_id node;
    for (node_id i = 0; i < 100000; i += 777) {
        log_host_name(i, name);
        snprintf(line, sizeof line, "srun: error: %s: task 3", name);
        assert_true(log_host_find(text_from(line), &node));
        assert_int_equal(node, i);
    }
    assert_false(log_host_find(text_from("gpunode and gpunod 7"), &node));
}

static void causes_have_reports(void **state)
{
    (void)state;
    assert_int_equal(log_fault_of("NVLink error", LOG_N_FAULTS),
                     LOG_FAULT_NVLINK);
    assert_int_equal(log_fault_of("NIC or link fault", LOG_N_FAULTS),
                     LOG_FAULT_NETWORK);
    assert_int_equal(log_fault_of("key error", LOG_N_FAULTS), LOG_FAULT_SCRIPT);
    assert_int_equal(log_fault_of("no such cause", LOG_FAULT_OTHER),
                     LOG_FAULT_OTHER);
    assert_int_equal(log_fault_of(NULL, LOG_FAULT_NODE), LOG_FAULT_NODE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_lines_change_no_verdict),
        cmocka_unit_test(the_faulty_host_is_in_the_report),
        cmocka_unit_test(names_of_hosts_are_found),
        cmocka_unit_test(causes_have_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
