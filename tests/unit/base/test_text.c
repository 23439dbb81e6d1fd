/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests times in text, the comparison, splitting and cleaning of texts, the
 * symbols of equal strings, and suggestions of names. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void times_are_read_with_and_without_zone(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t seconds;
        bool zoned;
    } rows[] = {
        {"1970-01-01", 0, false},
        {"1970-01-01 00:00:01", 1, false},
        {"2000-02-29T12:00:00Z", 951825600, true},
        {"2017-10-09 09:30:00", 1507541400, false},
        {"2017-10-09T09:30:00+08:00", 1507512600, true},
        {"1969-12-31 23:59", -60, false},
    };
    sim_time at;
    bool zoned;
    for (size_t k = 0; k < COUNT(rows); k++) {
        assert_true(text_to_time(text_from(rows[k].text), &at, &zoned));
        assert_true(at == rows[k].seconds * SPAN_SECOND);
        assert_int_equal(zoned, rows[k].zoned);
    }
}

static void dates_that_do_not_exist_are_refused(void **state)
{
    (void)state;
    static const char *const no[] = {
        "2017-13-01",
        "2017-00-01",
        "2017-04-31",
        "2017-02-29",
        "1900-02-29",
        "2017-1-01",
        "2017-10-09 24:00",
        "2017-10-09 09:60",
        "2017-10-09 09:30:00x",
        "2017-10-09 ",
        "9:30",
    };
    sim_time at;
    for (size_t k = 0; k < COUNT(no); k++)
        assert_false(text_to_time(text_from(no[k]), &at, NULL));
}

static void civil_days_go_back_and_forth(void **state)
{
    (void)state;
    for (int64_t day = -800000; day < 800000; day += 37) {
        int64_t year;
        unsigned month, date;
        civil_from_days(day, &year, &month, &date);
        assert_true(civil_to_days(year, month, date) == day);
    }
    char text[TIME_TEXT_MAX];
    time_to_text(-1, text);
    assert_string_equal(text, "1969-12-31 23:59:59");
}

static void a_text_with_a_zero_byte_is_no_word(void **state)
{
    (void)state;
    bool value;
    assert_false(text_is_nocase((struct text){"no\0no", 5}, "no"));
    assert_false(text_to_bool((struct text){"no\0", 3}, &value));
    assert_true(text_is_nocase(text_from("NO"), "no"));
    assert_false(text_is_nocase(text_from("n"), "no"));
}

static void splitting_keeps_every_byte(void **state)
{
    (void)state;
    struct text rest, head = text_split(text_from("a=b=c"), '=', &rest);
    assert_true(text_is(head, "a"));
    assert_true(text_is(rest, "b=c"));
    head = text_split(text_from("abc"), '=', &rest);
    assert_true(text_is(head, "abc"));
    assert_int_equal(rest.len, 0);
    assert_true(text_is(text_trim(text_from(" \ta b ")), "a b"));
    assert_int_equal(text_trim(text_from("  ")).len, 0);
}

static void equal_strings_get_one_symbol(void **state)
{
    (void)state;
    struct interner in;
    interner_init(&in);
    assert_int_equal(interner_add(&in, text_from("")), 0);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t k = 0; k < 5000; k++) {
            char name[16];
            int n = snprintf(name, sizeof name, "job%u", k);
            struct text t = {name, (size_t)n};
            assert_int_equal(interner_add(&in, t), k + 1);
            assert_string_equal(interner_string(&in, k + 1), name);
        }
    }
    assert_int_equal(interner_find(&in, text_from("job17")), 18);
    assert_int_equal(interner_find(&in, text_from("nobody")), UINT32_MAX);
    interner_fini(&in);
}

/* Adds all names of up to MAX letters that consist of "a" and at most one
 * "b". */
static void names_of_any_length_are_told_apart(void **state)
{
    enum { MAX = 40 };
    struct interner in;
    (void)state;
    interner_init(&in);
    for (int round = 0; round < 2; round++) {
        uint32_t symbol = 1;
        for (size_t len = 1; len <= MAX; len++) {
            for (size_t b = 0; b <= len; b++) {
                char name[MAX + 1];
                memset(name, 'a', sizeof name);
                /* if b == len, the b is after the end of the name */
                name[b] = 'b';
                struct text t = {name, len};
                assert_int_equal(interner_add(&in, t), symbol);
                assert_int_equal(interner_find(&in, t), symbol++);
            }
        }
        assert_int_equal(in.n_strings, symbol);
    }
    interner_fini(&in);
}

static void the_nearest_name_is_suggested_only_when_near(void **state)
{
    (void)state;
    static const char *const names[] = {"fifo", "sjf", "srtf", "tiresias"};
    assert_string_equal(text_nearest(text_from("tiresia"), names, 4),
                        "tiresias");
    assert_string_equal(text_nearest(text_from("FIFO"), names, 4), "fifo");
    assert_null(text_nearest(text_from("backfill"), names, 4));
}

/* Control characters must not reach a terminal: the control characters of
 * ASCII, the eight-bit control characters of ISO 6429 (C1), truncated and
 * overlong UTF-8, and a surrogate. */
static void what_a_terminal_would_obey_is_cleaned(void **state)
{
    static const struct {
        const char *dirty, *clean;
    } rows[] = {
        {"plain ~", "plain ~"},
        {"a\033[2Jb\n\t\177", "a?[2Jb???"},
        {"\xc2\x9b"
         "1m",
         "??1m"},
        {"\x9b"
         "1m",
         "?1m"},
        {"Z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x98\x80",
         "Z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"cut \xe2\x82", "cut ??"},
        {"\xc0\x9b \xed\xa0\x80", "?? ???"},
        {"a\xe2\x80\xae"
         "b\xe2\x81\xa9 \xe2\x80\xaa\xe2\x80\xa8",
         "a???b??? ??????"},
        {"\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa",
         "\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char buf[64];
        snprintf(buf, sizeof buf, "%s", rows[i].dirty);
        text_clean(buf);
        assert_string_equal(buf, rows[i].clean);
    }
}

static void test_times_of_people(void **state)
{
    static const struct {
        const char *text;
        enum when_base base;
        double seconds;
    } rows[] = {
        {.text = "1970", .base = WHEN_DATE, .seconds = 0},
        {.text = "1971", .base = WHEN_DATE, .seconds = 365 * 86400.0},
        {.text = "1970-02", .base = WHEN_DATE, .seconds = 31 * 86400.0},
        {.text = "19700203", .base = WHEN_DATE, .seconds = 33 * 86400.0},
        {.text = "1969", .base = WHEN_PLAIN, .seconds = 1969},
        {.text = "2201", .base = WHEN_PLAIN, .seconds = 2201},
        {.text = "90", .base = WHEN_PLAIN, .seconds = 90},
        {.text = "2d", .base = WHEN_FIRST, .seconds = 172800},
        {.text = "day 10", .base = WHEN_FIRST, .seconds = 864000},
        {.text = "1week", .base = WHEN_FIRST, .seconds = 604800},
    };
    static const char *const no[] = {"",       "1970-13", "-2d", "day",
                                     "day -1", "2020-1",  "x"};
    enum when_base base;
    sim_time at;
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        assert_true(text_to_when(text_from(rows[k].text), &base, &at));
        assert_int_equal(base, rows[k].base);
        assert_int_equal(at, span_from_seconds(rows[k].seconds));
    }
    for (size_t k = 0; k < sizeof no / sizeof *no; k++)
        assert_false(text_to_when(text_from(no[k]), &base, &at));
}

static void test_counts_of_people(void **state)
{
    uint64_t n;
    (void)state;
    assert_true(text_to_count(text_from("1.5k"), &n) && n == 1500);
    assert_true(text_to_count(text_from("2M"), &n) && n == 2000000);
    assert_true(text_to_count(text_from("7"), &n) && n == 7);
    assert_false(text_to_count(text_from("k"), &n));
    assert_false(text_to_count(text_from("-1k"), &n));
    assert_false(text_to_count(text_from("1.0005k"), &n));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_read_with_and_without_zone),
        cmocka_unit_test(dates_that_do_not_exist_are_refused),
        cmocka_unit_test(civil_days_go_back_and_forth),
        cmocka_unit_test(a_text_with_a_zero_byte_is_no_word),
        cmocka_unit_test(splitting_keeps_every_byte),
        cmocka_unit_test(equal_strings_get_one_symbol),
        cmocka_unit_test(names_of_any_length_are_told_apart),
        cmocka_unit_test(the_nearest_name_is_suggested_only_when_near),
        cmocka_unit_test(what_a_terminal_would_obey_is_cleaned),
        cmocka_unit_test(test_times_of_people),
        cmocka_unit_test(test_counts_of_people),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
