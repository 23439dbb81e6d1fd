/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests fault traces: which rows are read, how the nodes of the trace are
 * mapped to nodes of the cluster, and what is refused. The published trace is
 * replayed to the microsecond; this check is skipped if the file is absent.
 * Tests the rates of `exponential`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/failures/fault_internal.h"
#include "tests/support/fault_fixture.h"
#include "tests/support/test.h"

static enum status begin(struct fault_fixture *m, uint32_t nodes,
                         const char *spec)
{
    return fault_fixture_begin(m, nodes, 7, spec);
}

/* Returns up to `most` further faults as "NODE@START+REPAIR SCOPE, ...", in
 * seconds. */
static const char *rest(struct fault_fixture *m, size_t most)
{
    static char text[512];
    struct fault f;
    size_t n = 0;
    text[0] = 0;
    for (size_t i = 0; i < most && fault_fixture_next(m, &f); i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%u@%g+%g %s",
                              i ? ", " : "", f.node, span_seconds(f.at),
                              span_seconds(f.repair),
                              fault_scope_name((enum fault_scope)f.scope));
    return text;
}

static const char *const small = "start_s,end_s,node,class,scope,gpu,cause\n"
                                 "20,25,n10,Test,,,\n"
                                 "10,,n9,GPU,,3,lost\n"
                                 "10.5,11,n10,NIC,,,\n"
                                 "30,40,n7,GPU,node,,\n";

static void a_csv_is_sorted_and_ranked(void **state)
{
    struct fault_fixture *m = *state;
    fault_fixture_write(m, small);
    assert_int_equal(begin(m, 8, "trace:file=%s"), STATUS_OK);
    /* Nodes are sorted by name: n10 is 0, n7 is 1, n9 is 2. The fault of n9 has
     * no end in the trace, so it lasts to the end of the trace, 40 s. */
    assert_string_equal(rest(m, 9), "2@10+30 gpu, 0@10.5+0.5 nic, 0@20+5 node, "
                                    "1@30+10 node");
    assert_int_equal(m->remarks.count, 2);
    assert_string_equal(m->remarks.at[0].text,
                        "faults: 5 of 8 nodes never fail, because the trace "
                        "records 3 nodes (--faults trace:nodes)");
    assert_string_equal(m->remarks.at[1].text,
                        "faults: 1 faults of the trace have no end; they last "
                        "until its last time");
}

static void numbers_are_sorted_as_numbers(void **state)
{
    struct fault_fixture *m = *state;
    fault_fixture_write(m, "start_s,end_s,node,class\n1,2,10,Fan\n3,4,9,Fan\n");
    assert_int_equal(begin(m, 2, "trace:file=%s"), STATUS_OK);
    assert_string_equal(rest(m, 9), "1@1+1 node, 0@3+1 node");
}

static void nodes_that_the_cluster_lacks_are_left_out(void **state)
{
    struct fault_fixture *m = *state;
    fault_fixture_write(m, "start_s,end_s,node,class\n1,2,10,Fan\n3,4,9,Fan\n");
    assert_int_equal(begin(m, 10, "trace:file=%s,map=number"), STATUS_OK);
    assert_string_equal(rest(m, 9), "9@3+1 node");
    assert_int_equal(m->remarks.count, 1);
    assert_non_null(strstr(m->remarks.at[0].text, "1 of 2 faults"));
}

static void a_trace_is_cut_stretched_and_repeated(void **state)
{
    struct fault_fixture *m = *state;
    fault_fixture_write(m, "start_s,end_s,node,class\n1,9,a,Fan\n2,3,b,Fan\n"
                           "6,7,b,Fan\n");
    assert_int_equal(begin(m, 2,
                           "trace:file=%s,from_s=4,stretch=2,"
                           "repair_factor=0.5,length_s=10,repeat=on"),
                     STATUS_OK);
    /* In the first pass, the fault of a begins at -6 s and is repaired after 4
     * s. This is before the run, so the fault is left out, and so is the first
     * fault of b. The trace begins again at 12 s. */
    assert_string_equal(rest(m, 5), "1@4+0.5 node, 0@14+4 node, 1@16+0.5 node, "
                                    "1@24+0.5 node, 0@34+4 node");
}

static void a_repair_that_began_before_the_run_goes_on(void **state)
{
    struct fault_fixture *m = *state;
    fault_fixture_write(m, "start_s,end_s,node,class\n1,9,a,Fan\n2,3,b,Fan\n");
    assert_int_equal(begin(m, 2, "trace:file=%s,from_s=4"), STATUS_OK);
    assert_string_equal(rest(m, 5), "0@0+5 node");
}

static void operators_may_do_no_harm(void **state)
{
    struct fault_fixture *m = *state;
    static const int keys[] = {2, 3, 1, 4};
    struct fault f;
    fault_fixture_write(m, small);
    assert_int_equal(begin(m, 3, "trace:file=%s,operators=harmless,scope=node"),
                     STATUS_OK);
    for (int i = 0; i < 4; i++) {
        assert_true(fault_fixture_next(m, &f));
        assert_int_equal(f.harmless, i == 2);
        assert_int_equal(f.key, keys[i]);
    }
    assert_false(fault_fixture_next(m, &f));
}

static void operators_may_be_left_out(void **state)
{
    struct fault_fixture *m = *state;
    fault_fixture_write(m, small);
    assert_int_equal(begin(m, 3, "trace:file=%s,operators=drop,after=hidden"),
                     STATUS_OK);
    assert_string_equal(rest(m, 9),
                        "2@10+30 gpu, 0@10.5+0.5 nic, 1@30+10 node");
    /* three of the four faults remain, on three nodes in 40 s */
    assert_float_equal(m->source.ops->rate(m->source.config, &m->cluster),
                       3.0 / 3 / 40, 1e-12);
}

static void a_draw_takes_no_node_twice(void **state)
{
    struct fault_fixture *m = *state;
    char text[8000] = "start_s,end_s,node,class\n";
    size_t n = strlen(text);
    bool seen[64] = {false};
    struct fault f;
    for (int i = 0; i < 60; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%d,%d,%d,Fan\n", i,
                              i + 1, i);
    fault_fixture_write(m, text);
    assert_int_equal(begin(m, 64, "trace:file=%s,map=draw,nodes=64"),
                     STATUS_OK);
    bool sorted = true;
    for (int i = 0; i < 60; i++) {
        assert_true(fault_fixture_next(m, &f));
        assert_false(seen[f.node]);
        seen[f.node] = true;
        sorted &= f.node == (node_id)i;
    }
    assert_false(sorted);
}

/* Files or settings with one mistake, and a part of the message for each. */
static const struct {
    const char *spec, *text, *message;
} wrong[] = {
    {.spec = "trace", .text = "", .message = "no file is named"},
    {.spec = "trace:file=%s", .text = "start_s,end_s,node\n", .message = ":1:"},
    {.spec = "trace:file=%s",
     .text = "start_s,end_s,node,class\n3,2,a,GPU\n",
     .message = ":2:3: end_s: '2' is not a time at or after the start, 3 s"},
    {.spec = "trace:file=%s",
     .text = "start_s,end_s,node,class\n-3,2,a,GPU\n",
     .message = ":2:1: start_s: '-3' is not a time of 0 s or more"},
    {.spec = "trace:file=%s",
     .text = "start_s,end_s,node,class\n1,2,,GPU\n",
     .message = ":2:5: node: expected the name of a node"},
    {.spec = "trace:file=%s",
     .text = "start_s,end_s,node,class,scope\n1,2,a,GPU,rack\n",
     .message = ":2:11: scope: 'rack' is none of node, gpu, nvlink, nic"},
    {.spec = "trace:file=%s",
     .text = "start_s,end_s,node,class,gpu\n1,2,a,GPU,64\n",
     .message = ":2:11: gpu: '64' is not the number of a GPU, 0..63"},
    {.spec = "trace:file=%s",
     .text = "start_s,end_s,node,class,size\n",
     .message = "size"},
    {.spec = "trace:file=%s,map=number",
     .text = "start_s,end_s,node,class\n1,2,a,GPU\n",
     .message = "map=number needs numbers"},
    {.spec = "trace:file=%s,nodes=1",
     .text = "start_s,end_s,node,class\n1,2,a,GPU\n1,2,b,GPU\n",
     .message = "nodes=1, but 2 nodes fail in"},
    {.spec = "trace:file=%s,length_s=1",
     .text = "start_s,end_s,node,class\n1,2,a,GPU\n",
     .message = "length_s: 1, but the last time of"},
    {.spec = "trace:file=%s,from_s=3",
     .text = "start_s,end_s,node,class\n1,2,a,GPU\n",
     .message = "from_s: 3, but the trace is 2 s long"},
    {.spec = "trace:file=%s", .text = "[{]", .message = ":1:"},
    {.spec = "trace:file=%s",
     .text = "{}",
     .message = ":1:1: expected an array of events"},
    {.spec = "trace:file=%s",
     .text = "[\n {\"event_time\": \"x\"}]",
     .message = ":2:3: event_time: expected days, 0 or more"},
    {.spec = "trace:file=%s",
     .text = "[\n {\"event_time\": 1}]",
     .message = ":2:2: node_id: expected the name of a node"},
    {.spec = "trace:file=%s",
     .text = "[{\"event_time\": 1, \"node_id\": \"a\",\n"
             "\"event_type\": \"fault_end\",\n"
             " \"fault_type\": {\"Class\": \"GPU\", \"Desc\": \"x\"}}]",
     .message = ":2:1: event_type: expected a fault_start of this node"},
    {.spec = "trace:file=%s",
     .text = "[{\"event_time\": 1, \"node_id\": \"a\",\n"
             "\"event_type\": \"over\",\n"
             " \"fault_type\": {\"Class\": \"GPU\", \"Desc\": \"x\"}}]",
     .message = ":2:1: event_type: expected fault_start or fault_end"},
};

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        void *one;
        fault_fixture_setup(&one);
        struct fault_fixture *m = one;
        fault_fixture_write(m, wrong[i].text);
        if (begin(m, 2, wrong[i].spec) == STATUS_OK)
            fail_msg("accepted: %s", wrong[i].text);
        if (!strstr(m->err.message, wrong[i].message))
            fail_msg("'%s' lacks '%s'", m->err.message, wrong[i].message);
        fault_fixture_teardown(&one);
    }
}

/* Finds the published trace; skips the test if it is absent. */
static void find_published(char path[512])
{
    const char *shared = getenv("SCHEDSIM_SHARED");
    snprintf(path, 512, "%s/traces/faults/infinitehbd_fault_trace.json",
             shared ? shared : "../shared");
    if (access(path, R_OK) == 0)
        return;
    print_message("skipped: ../shared not present\n");
    skip();
}

static void the_published_trace_is_played_exactly(void **state)
{
    struct fault_fixture *m = *state;
    char path[512], spec[600];
    struct fault_file file;
    struct fault f;
    find_published(path);
    snprintf(spec, sizeof spec, "trace:file=%s,nodes=400", path);
    assert_int_equal(begin(m, 400, spec), STATUS_OK);
    assert_int_equal(fault_file_read(path, "", &m->arena, &file, &m->err),
                     STATUS_OK);
    assert_int_equal(file.n, 584);
    assert_int_equal(file.n_open, 0);
    assert_int_equal(m->remarks.count, 0);
    size_t n_acts = 0, n_gpu = 0;
    for (size_t i = 0; i < file.n; i++) {
        assert_true(fault_fixture_next(m, &f));
        assert_int_equal(f.at, file.at[i].start);
        assert_int_equal(f.at + f.repair, file.at[i].end);
        n_acts += file.at[i].by_operator;
        n_gpu += f.scope == FAULT_GPU;
    }
    assert_false(fault_fixture_next(m, &f));
    assert_int_equal(n_acts, 103);
    assert_int_equal(n_gpu, 158);
    double rate = m->source.ops->rate(m->source.config, &m->cluster);
    assert_float_equal(rate * 86400 * 1000, 4.18, 0.005);
    fault_file_fini(&file);
}

/* Counts the faults of 1,000 weeks on n nodes, of which there must be `each` a
 * week, within 4 standard errors. */
static void count_weeks(uint32_t nodes, const char *spec, double each)
{
    enum { WEEKS = 1000 };
    void *state;
    struct fault f = {0};
    double count = 0;
    fault_fixture_setup(&state);
    struct fault_fixture *m = state;
    assert_int_equal(begin(m, nodes, spec), STATUS_OK);
    double rate = m->source.ops->rate(m->source.config, &m->cluster);
    assert_true(fabs(rate * nodes * 7 * 86400 - each) < 1e-9);
    while (fault_fixture_next(m, &f) && f.at < WEEKS * 7 * SPAN_DAY)
        count++;
    if (fabs(count - WEEKS * each) > 4 * sqrt(WEEKS * each))
        fail_msg("%s: %g faults in %d weeks, expected %g", spec, count, WEEKS,
                 WEEKS * each);
    fault_fixture_teardown(&state);
}

static void a_week_has_its_number_of_faults(void **state)
{
    (void)state;
    count_weeks(1, "exponential:per_week=3", 3);
    count_weeks(14, "exponential:per_week=3", 3);
    count_weeks(2000, "exponential:per_week=0.5", 0.5);
    count_weeks(14, "exponential:per_1000_node_days=6.5", 0.637);
}

static void a_rate_is_given_once(void **state)
{
    struct fault_fixture *m = *state;
    assert_int_equal(
        begin(m, 8, "exponential:per_week=3,per_1000_node_days=6.5"),
        STATUS_USAGE);
    assert_non_null(strstr(m->err.message, "only with per_week=0"));
}

#define TEST(f) \
    cmocka_unit_test_setup_teardown(f, fault_fixture_setup, \
                                    fault_fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_csv_is_sorted_and_ranked),
        TEST(numbers_are_sorted_as_numbers),
        TEST(nodes_that_the_cluster_lacks_are_left_out),
        TEST(a_trace_is_cut_stretched_and_repeated),
        TEST(a_repair_that_began_before_the_run_goes_on),
        TEST(operators_may_do_no_harm),
        TEST(operators_may_be_left_out),
        TEST(a_draw_takes_no_node_twice),
        TEST(what_is_wrong_is_named),
        TEST(the_published_trace_is_played_exactly),
        TEST(a_week_has_its_number_of_faults),
        TEST(a_rate_is_given_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
