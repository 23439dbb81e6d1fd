/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the comparison of the log of a failed job with earlier logs. The
 * embedding of these tests counts letters "a" and "b", so that distances can be
 * computed by hand. */
#include "tests/support/test.h"

#include <math.h>

#include "schedmate/logs/incidents.h"

/* Writes for each text the vector (a, b) of its numbers of letters, divided by
 * the length of the vector. Keeps the length of the last text in `self`. */
static enum status letters_embed(void *self, const struct text *texts,
                                 size_t count, float *out, struct error *err)
{
    struct text *last = self;
    (void)err;
    for (size_t t = 0; t < count; t++) {
        float at[2] = {0, 0};
        for (size_t i = 0; i < texts[t].len; i++) {
            at[0] += texts[t].at[i] == 'a';
            at[1] += texts[t].at[i] == 'b';
        }
        float length = sqrtf(at[0] * at[0] + at[1] * at[1]);
        out[2 * t] = length > 0 ? at[0] / length : 0;
        out[2 * t + 1] = length > 0 ? at[1] / length : 0;
        last->len = texts[t].len;
    }
    return STATUS_OK;
}

static const struct embed_ops letters = {
    .name = "letters", .dimensions = 2, .embed = letters_embed};

static const struct incident network = {FAILURE_INFRASTRUCTURE, PART_NETWORK,
                                        0};
static const struct incident user = {FAILURE_SCRIPT, PART_NONE, 0};

struct lab {
    struct incidents_config config;
    struct incidents *all;
    struct text read; /* `len`: bytes of the text that was embedded last */
    struct error err;
};

static struct lab lab;

static int setup(void **state)
{
    lab = (struct lab){0};
    option_defaults(incidents_options, &lab.config);
    lab.all = incidents_new(&lab.config, &letters, &lab.read);
    *state = &lab;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    incidents_free(lab.all);
    return 0;
}

static void add(const char *log, const struct incident *incident, sim_time at)
{
    struct incident i = *incident;
    i.at = at;
    assert_int_equal(incidents_add(lab.all, text_from(log), &i, &lab.err),
                     STATUS_OK);
}

static struct diagnosis judge(const char *log, sim_time at)
{
    struct diagnosis d;
    assert_int_equal(incidents_judge(lab.all, text_from(log), at, &d, &lab.err),
                     STATUS_OK);
    return d;
}

static void nothing_is_known_without_incidents(void **state)
{
    (void)state;
    struct diagnosis d = judge("a", 0);
    assert_true(d.failed);
    assert_int_equal(d.kind, FAILURE_OTHER);
    assert_int_equal(d.source, HANDLER_NOTHING);
    assert_int_equal(d.action, ACTION_TELL_USER);
}

static void the_nearest_incident_decides(void **state)
{
    (void)state;
    add("b", &user, 0);
    add("a", &network, 0);
    struct diagnosis d = judge("aab", 0);
    assert_int_equal(d.kind, FAILURE_INFRASTRUCTURE);
    assert_int_equal(d.part, PART_NETWORK);
    assert_int_equal(d.source, HANDLER_NEAREST);
    assert_int_equal(d.action, ACTION_TEST_NETWORK);
    /* cosine 2 / sqrt 5, distance sqrt(2 - 4 / sqrt 5) = 0.4595 */
    assert_true(fabs(d.confidence - 1 / 1.4595) < 1e-4);
    assert_int_equal(judge("b", 0).kind, FAILURE_SCRIPT);
}

static void old_incidents_count_less(void **state)
{
    (void)state;
    add("a", &network, 0);
    add("b", &user, 2 * SPAN_DAY);
    /* exp(-0.3 x 2) = 0.549; distance sqrt 2 gives 1 / 2.414 = 0.414 */
    struct diagnosis d = judge("a", 2 * SPAN_DAY);
    assert_int_equal(d.kind, FAILURE_INFRASTRUCTURE);
    assert_true(fabs(d.confidence - exp(-0.6)) < 1e-6);
    /* after one more day, both weights are lower by the same factor */
    assert_int_equal(judge("a", 3 * SPAN_DAY).kind, FAILURE_INFRASTRUCTURE);
}

static void an_incident_of_today_beats_an_old_equal(void **state)
{
    (void)state;
    add("a", &network, 0);
    add("b", &user, 3 * SPAN_DAY);
    /* exp(-0.9) = 0.407 < 1 / (1 + sqrt 2) = 0.414 */
    assert_int_equal(judge("a", 3 * SPAN_DAY).kind, FAILURE_SCRIPT);
}

static void equal_incidents_go_by_their_order(void **state)
{
    (void)state;
    add("a", &user, 0);
    add("a", &network, 0);
    assert_int_equal(judge("a", 0).kind, FAILURE_SCRIPT);
}

static void what_resembles_nothing_is_unseen(void **state)
{
    (void)state;
    lab.config.least = 0.5;
    add("a", &network, 0);
    assert_int_equal(judge("b", 0).source, HANDLER_NOTHING);
    assert_int_equal(judge("a", 0).source, HANDLER_NEAREST);
}

static void only_distinct_lines_of_the_end_are_read(void **state)
{
    (void)state;
    lab.config.lines = 3;
    judge("first line, not read\nstep 1\nstep 22\nend", 0);
    /* numbers become 0, so "step 0" is read once, followed by "end" */
    assert_int_equal(lab.read.len, sizeof "step 0\nend\n" - 1);
    judge("", 0);
    assert_int_equal(lab.read.len, 0);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(nothing_is_known_without_incidents),
        CASE(the_nearest_incident_decides),
        CASE(old_incidents_count_less),
        CASE(an_incident_of_today_beats_an_old_equal),
        CASE(equal_incidents_go_by_their_order),
        CASE(what_resembles_nothing_is_unseen),
        CASE(only_distinct_lines_of_the_end_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
