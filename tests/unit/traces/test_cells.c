/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the conversion of local times to UTC, and the words that cells may
 * contain. */
#include "tests/support/test.h"

#include "base/text.h"
#include "traces/columns.h"

static sim_time utc(const char *s)
{
    sim_time at;
    assert_true(text_to_time(text_from(s), &at, NULL));
    return at;
}

static void expect(struct clock *clock, const char *local, const char *zulu)
{
    sim_time at;
    assert_true(clock_read(clock, text_from(local), &at));
    assert_int_equal(at, utc(zulu));
}

static void pacific_clocks_change_at_two_in_march_and_november(void **state)
{
    (void)state;
    struct clock clock = {.pacific = true};
    expect(&clock, "2017-03-12 01:59:59", "2017-03-12 09:59:59");
    expect(&clock, "2017-03-12 03:00:00", "2017-03-12 10:00:00");
    expect(&clock, "2017-08-14 23:27:00", "2017-08-15 06:27:00");
    expect(&clock, "2017-11-05 00:59:59", "2017-11-05 07:59:59");
    expect(&clock, "2017-11-05 01:30:00", "2017-11-05 08:30:00");
    expect(&clock, "2017-11-05 02:00:00", "2017-11-05 10:00:00");
    expect(&clock, "2018-11-04 02:00:00", "2018-11-04 10:00:00");
    expect(&clock, "2018-01-01 00:00:00", "2018-01-01 08:00:00");
}

static void the_hour_that_comes_twice_is_known(void **state)
{
    (void)state;
    const struct clock clock = {.pacific = true}, fixed = {.offset = SPAN_HOUR};
    assert_false(clock_is_ambiguous(&clock, utc("2017-11-05 07:59:59")));
    assert_true(clock_is_ambiguous(&clock, utc("2017-11-05 08:00:00")));
    assert_true(clock_is_ambiguous(&clock, utc("2017-11-05 09:59:59")));
    assert_false(clock_is_ambiguous(&clock, utc("2017-11-05 10:00:00")));
    assert_false(clock_is_ambiguous(&fixed, utc("2017-11-05 09:00:00")));
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    struct clock clocks[] = {{.pacific = true}, {.offset = 8 * SPAN_HOUR}};
    for (size_t i = 0; i < 2; i++) {
        /* Tests instants 1,234 s apart, from 2017-01-01 to 2018-04-01. */
        for (sim_time at = utc("2017-01-01"); at < utc("2018-04-01");
             at += 1234 * SPAN_SECOND) {
            struct out *out = out_to_memory();
            sim_time back;
            clock_write(&clocks[i], out, at);
            assert_true(clock_read(&clocks[i], out_memory(out), &back));
            if (back != at)
                assert_true(clock_is_ambiguous(&clocks[i], at) &&
                            back == at - SPAN_HOUR);
            out_abandon(out);
        }
    }
}

/* The reader remembers the day of the last date. So each date is read after a
 * bad date, after a date of another day, and again after itself. */
static void remembering_the_day_changes_nothing(void **state)
{
    (void)state;
    static const char *const dates[] = {
        "2020-04-01 00:00:00", "2020-04-01 23:59:59", "2020-02-29 12:00:00",
        "2020-04-01",          "2020-04-01T10:20:30", "1969-12-31 23:59:58",
    };
    static const char *const bad[] = {
        "2020-04-01 24:00:00", "2020-04-01 00:60:00",
        "2020-04-01 00:00:61", "2020-04-01 0a:00:00",
        "2020-04-01x00:00:00", "2020-04-01 00:00:0",
        "2020-04-31 00:00:00", "",
        "9999-01-01 00:00:00", "2020-04-01 00-00:00",
        "2020-04-01 00:000:0", "2020-04-01 00:00:0/",
    };
    struct clock clock = {.offset = 8 * SPAN_HOUR};
    sim_time at;
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        for (size_t j = 0; j < sizeof bad / sizeof *bad; j++) {
            for (int twice = 0; twice < 2; twice++) {
                assert_true(clock_read(&clock, text_from(dates[i]), &at));
                assert_int_equal(at, utc(dates[i]) - 8 * SPAN_HOUR);
            }
            assert_false(clock_read(&clock, text_from(bad[j]), &at));
        }
    }
}

static void a_date_with_a_zone_is_read_as_it_says(void **state)
{
    (void)state;
    struct clock clock = {.offset = 8 * SPAN_HOUR};
    expect(&clock, "2023-05-17 11:00:58+00:00", "2023-05-17 11:00:58");
    expect(&clock, "2023-03-01 00:18:22+08:00", "2023-02-28 16:18:22");
    expect(&clock, "2023-03-01 08:00:00", "2023-03-01 00:00:00");
}

static void ends_are_known_in_all_their_words(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        enum trace_end end;
    } words[] = {
        {"COMPLETED", TRACE_END_COMPLETED}, {"Pass", TRACE_END_COMPLETED},
        {"completed", TRACE_END_COMPLETED}, {"Killed", TRACE_END_CANCELLED},
        {"CANCELLED", TRACE_END_CANCELLED}, {"CANCELED", TRACE_END_CANCELLED},
        {"FAILED", TRACE_END_FAILED},       {"Failed", TRACE_END_FAILED},
        {"TIMEOUT", TRACE_END_FAILED},      {"NODE_FAIL", TRACE_END_FAILED},
        {"NotPass", TRACE_END_UNKNOWN},     {"", TRACE_END_UNKNOWN},
        {"COMPLETE", TRACE_END_UNKNOWN},    {"Passed", TRACE_END_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_int_equal(cells_end(text_from(words[i].word)), words[i].end);
}

static void nothing_has_several_words(void **state)
{
    (void)state;
    static const char *const nothing[] = {"", "None", "nan", "NaT", "NULL"};
    static const char *const something[] = {"0", "no", "n", "nothing", "-1"};
    for (size_t i = 0; i < 5; i++) {
        assert_true(cells_tell_nothing(text_from(nothing[i])));
        assert_false(cells_tell_nothing(text_from(something[i])));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pacific_clocks_change_at_two_in_march_and_november),
        cmocka_unit_test(the_hour_that_comes_twice_is_known),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(remembering_the_day_changes_nothing),
        cmocka_unit_test(a_date_with_a_zone_is_read_as_it_says),
        cmocka_unit_test(ends_are_known_in_all_their_words),
        cmocka_unit_test(nothing_has_several_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
