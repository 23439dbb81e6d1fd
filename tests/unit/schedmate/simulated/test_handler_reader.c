/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the Failure Handler on generated logs: how many failures of the
 * infrastructure it finds, which node it names, the effect of hostile lines,
 * and the comparison of logs with earlier logs. */
#include "tests/support/test.h"

#include <string.h>

#include "schedmate/simulated/simulated_internal.h"

enum { NODES = 4, FAULTY = 42 };

struct lab {
    struct log_source source;
    struct log_attempt attempt;
    struct log_segment segment;
    node_id hosts[NODES];
    struct gpu_slice slices[NODES];
    struct gpu_set where;
    struct handler_reader *reader;
    struct error err;
};

static struct lab lab;

/* Sets the log of a job that ran for an hour and then failed. */
static void write_log(uint64_t key, size_t style, enum log_fault fault,
                      const char *cause)
{
    bool infra = fault <= LOG_FAULT_STORAGE;
    lab.segment = (struct log_segment){.speed = 1};
    lab.attempt = (struct log_attempt){
        .number = 1,
        .segments = &lab.segment,
        .n_segments = 1,
        .until = SPAN_HOUR,
        .hosts = lab.hosts,
        .end = LOG_FAILED,
        .failure = {.fault = fault,
                    .cause = cause,
                    .node = infra && fault != LOG_FAULT_STORAGE ? FAULTY
                                                                : NODE_NONE}};
    lab.source = (struct log_source){
        .kind = {.style = log_style_find(text_from(log_style_name(style % 12))),
                 .step_s = 0.5,
                 .epoch_steps = 1000,
                 .steps = 100000,
                 .log_every = 10,
                 .gpus = 32,
                 .nodes = NODES,
                 .batch = 256,
                 .model = "resnet50",
                 .dataset = "imagenet",
                 .prints_time = true},
        .key = key,
        .attempts = &lab.attempt,
        .n_attempts = 1};
}

static struct handler_reading read_at(sim_time at)
{
    struct handler_reading out;
    assert_int_equal(handler_read(lab.reader,
                                  &(struct handler_log){.made = &lab.source},
                                  at, lab.where, &out, &lab.err),
                     STATUS_OK);
    return out;
}

static void begin(enum handler_method method)
{
    lab = (struct lab){0};
    for (node_id i = 0; i < NODES; i++) {
        lab.hosts[i] = FAULTY - 2 + i;
        lab.slices[i] = (struct gpu_slice){FAULTY - 2 + i, 0xff};
    }
    lab.where = (struct gpu_set){lab.slices, NODES};
    assert_int_equal(handler_reader_new(method, NULL, &lab.reader, &lab.err),
                     STATUS_OK);
}

static int teardown(void **state)
{
    (void)state;
    handler_reader_free(lab.reader);
    return 0;
}

static void reports_are_recognised(void **state)
{
    (void)state;
    unsigned hits = 0, alarms = 0, named = 0, right = 0, n = 0;
    begin(HANDLER_LOCATOR);
    for (uint64_t key = 0; key < 60; key++, n++) {
        write_log(key, key, (enum log_fault)(key % 5), NULL);
        struct handler_reading r = read_at(SPAN_HOUR);
        hits += r.verdict.infrastructure;
        named += r.verdict.node != NODE_NONE;
        right += r.verdict.node == FAULTY;
        assert_int_equal(r.latency, -1);
        assert_true(r.tokens.in > 0);
        write_log(key, key, key % 2 ? LOG_FAULT_SCRIPT : LOG_FAULT_FRAMEWORK,
                  NULL);
        alarms += read_at(SPAN_HOUR).verdict.infrastructure;
    }
    print_message("# %u of %u recognised, %u false alarms, %u nodes named, %u "
                  "of them rightly\n",
                  hits, n, alarms, named, right);
    assert_true(hits >= n * 3 / 4);
    /* some reports do not name the failed part, so no reader can always be
     * right */
    assert_true(alarms <= n / 5);
    assert_true(named >= n / 3 && right >= named * 3 / 4);
}

/* Lines which pretend that the infrastructure failed must not make the module
 * report a failure of the infrastructure, or name a node without one. */
static void hostile_lines_give_no_orders(void **state)
{
    (void)state;
    begin(HANDLER_LOCATOR);
    for (uint64_t key = 0; key < 60; key++) {
        write_log(key, key, key % 2 ? LOG_FAULT_SCRIPT : LOG_FAULT_FRAMEWORK,
                  NULL);
        struct handler_verdict plain = read_at(SPAN_HOUR).verdict;
        lab.source.hostile = true;
        struct handler_verdict hostile = read_at(SPAN_HOUR).verdict;
        assert_true(plain.infrastructure || !hostile.infrastructure);
        assert_true(hostile.infrastructure || hostile.node == NODE_NONE);
    }
}

static void a_node_of_another_job_is_not_blamed(void **state)
{
    (void)state;
    begin(HANDLER_LOCATOR);
    for (uint64_t key = 0; key < 12; key++) {
        write_log(key, key, LOG_FAULT_NODE, NULL);
        for (node_id i = 0; i < NODES; i++)
            lab.slices[i].node = 7 + i;
        assert_int_equal(read_at(SPAN_HOUR).verdict.node, NODE_NONE);
    }
}

static void the_end_of_a_log_is_read_without_a_search(void **state)
{
    (void)state;
    begin(HANDLER_LAST_LINES);
    write_log(1, 0, LOG_FAULT_NVLINK, NULL);
    assert_true(read_at(SPAN_HOUR).verdict.infrastructure);
    lab.attempt.end = LOG_RUNNING;
    assert_false(read_at(SPAN_HOUR).verdict.infrastructure);
}

static void a_log_is_compared_with_known_ones_only(void **state)
{
    (void)state;
    begin(HANDLER_RCACOPILOT);
    write_log(1, 0, LOG_FAULT_NVLINK, NULL);
    assert_false(read_at(SPAN_HOUR).verdict.infrastructure);
    handler_reader_add(lab.reader, &(struct handler_log){.made = &lab.source},
                       SPAN_HOUR, LOG_FAULT_NVLINK);
    /* the cause of the failure that was added is known only an hour later, from
     * 2 h on */
    assert_false(read_at(2 * SPAN_HOUR - 1).verdict.infrastructure);
    struct handler_verdict known = read_at(2 * SPAN_HOUR).verdict;
    assert_true(known.infrastructure);
    assert_string_equal(known.told, "nvlink");
    handler_reader_add(lab.reader, &(struct handler_log){.made = &lab.source},
                       SPAN_HOUR, LOG_FAULT_NVLINK);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_teardown(f, teardown)
    const struct CMUnitTest tests[] = {
        CASE(reports_are_recognised),
        CASE(hostile_lines_give_no_orders),
        CASE(a_node_of_another_job_is_not_blamed),
        CASE(the_end_of_a_log_is_read_without_a_search),
        CASE(a_log_is_compared_with_known_ones_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
