/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests offsets that need no file, zone files that the test writes, and zone
 * files of the system if there are any. */
#include "tests/support/test.h"

#include <string.h>

#include "traces/columns.h"
#include "traces/zone.h"

static void fixed_offsets_need_no_file(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int minutes;
    } good[] = {
        {"UTC", 0},     {"utc", 0},          {"Z", 0},        {"GMT", 0},
        {"UTC+8", 480}, {"GMT-03:30", -210}, {"+08:00", 480}, {"+0530", 330},
        {"-5", -300},   {"+12:", 720},
    };
    static const char *const bad[] = {"",      "8",      "+",    "+8h",
                                      "+99:0", "+08:99", "UTC8", "Asia/Tokyo",
                                      "+8:x",  "+08:001"};
    sim_span offset;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(zone_fixed(text_from(good[i].name), &offset));
        assert_int_equal(offset, good[i].minutes * 60 * SPAN_SECOND);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(zone_fixed(text_from(bad[i]), &offset));
}

/* Parts of a zone file of version 2 that lists no changes. berlin() joins them
 * and adds a rule. */
static const char head[] = "TZif2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                           "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\4";
static const char type[] = "\0\0\x0e\x10\0\0CET";

static struct text berlin(char *out, const char *rule)
{
    size_t n = 0;
    for (int block = 0; block < 2; block++) {
        memcpy(out + n, head, sizeof head - 1);
        n += sizeof head - 1;
        memcpy(out + n, type, sizeof type);
        n += sizeof type;
    }
    return (struct text){out,
                         n + (size_t)snprintf(out + n, 64, "\n%s\n", rule)};
}

static sim_time utc(const char *date)
{
    sim_time at;
    assert_true(text_to_time(text_from(date), &at, NULL));
    return at;
}

static void rules_say_when_clocks_change(void **state)
{
    (void)state;
    char bytes[512];
    struct zone zone;
    bool twice;
    assert_true(zone_parse(berlin(bytes, "CET-1CEST,M3.5.0,M10.5.0/3"), &zone));
    assert_int_equal(zone_to_utc(&zone, utc("2024-01-01 12:00"), &twice),
                     utc("2024-01-01 11:00"));
    assert_int_equal(zone_to_utc(&zone, utc("2024-07-01 12:00"), &twice),
                     utc("2024-07-01 10:00"));
    assert_false(twice);
    /* Clocks skip from 02:00 to 03:00. */
    assert_int_equal(zone_to_utc(&zone, utc("2024-03-31 02:30"), &twice),
                     utc("2024-03-31 01:30"));
    assert_false(twice);
    /* Clocks show 02:00 to 03:00 twice. */
    assert_int_equal(zone_to_utc(&zone, utc("2024-10-27 02:30"), &twice),
                     utc("2024-10-27 00:30"));
    assert_true(twice);
    zone_close(&zone);
}

/* A file of version 2 with CET and CEST, and `n` changes between them. */
static struct text changing(char *out, const int64_t *at, const char *kinds,
                            size_t n, const char *rule)
{
    size_t len = berlin(out, "").len - 2 - (sizeof head - 1) - sizeof type;
    memcpy(out + len, head, sizeof head - 1);
    out[len + 35] = (char)n;
    out[len + 39] = 2;
    len += sizeof head - 1;
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 8; k++)
            out[len++] = (char)(at[i] >> (56 - 8 * k));
    }
    memcpy(out + len, kinds, n);
    len += n;
    memcpy(out + len, "\0\0\x0e\x10\0\0\0\0\x1c\x20\1\0CET", 16);
    len += 16;
    return (struct text){out,
                         len + (size_t)snprintf(out + len, 64, "\n%s\n", rule)};
}

/* Returns the offset of the file at a date of its local time, in hours; -99 if
 * the file is refused. */
static double offset_of(struct text file, const char *date)
{
    struct zone zone;
    bool twice;
    double hours = -99;
    if (zone_parse(file, &zone))
        hours =
            span_seconds(utc(date) - zone_to_utc(&zone, utc(date), &twice)) /
            3600;
    zone_close(&zone);
    return hours;
}

static void files_list_changes(void **state)
{
    (void)state;
    static const char summer[] = "\1\0", odd[] = "\1\2";
    /* 2000-01-01 and 2001-01-01; before 1843 and after 2223; in no order */
    static const int64_t two[] = {946684800, 978307200},
                         far[] = {-5000000000, 9000000000},
                         back[] = {978307200, 946684800};
    char bytes[512];
    assert_true(offset_of(changing(bytes, two, summer, 2, ""), "2000-06-01") ==
                2);
    assert_true(
        offset_of(changing(bytes, two, summer, 2, "CET-1"), "2002-06-01") == 1);
    assert_true(
        offset_of(changing(bytes, two, summer, 2, "CET-1"), "1999-06-01") == 1);
    assert_true(offset_of(changing(bytes, far, summer, 2, ""), "2000-06-01") ==
                2);
    assert_true(offset_of(changing(bytes, two, odd, 2, ""), "2000-06-01") ==
                -99);
    assert_true(offset_of(changing(bytes, back, summer, 2, ""), "2000-06-01") ==
                -99);
    /* Rules in each way of writing. */
    static const struct {
        const char *rule, *date;
        double hours;
    } rules[] = {
        {"<+0530>-5:30", "2020-01-01", 5.5},
        {"<+01>-1:00:36", "2020-01-01", 1.01},
        {"EST5EDT,M3.2.0,M11.1.0", "2020-07-01", -4},
        {"EST+5EDT+4,M3.2.0/2:00:00,M11.1.0", "2020-07-01", -4},
        {"AEST-10AEDT,M10.1.0,M4.1.0/3", "2020-01-01", 11},
        {"AEST-10AEDT,M10.1.0,M4.1.0/3", "2020-07-01", 10},
        {"X-1Y,M12.5.0,M1.1.0", "2020-07-01", -99},
        {"XXX-1YYY,M12.5.0,M2.1.0", "2020-07-01", 1},
        {"<+01", "2020-01-01", -99},
        {"CET-", "2020-01-01", -99},
        {"CET-168", "2020-01-01", -99},
        {"CET-1:x", "2020-01-01", -99},
        {"CET-1:00:x", "2020-01-01", -99},
        {"CET-1CEST!", "2020-01-01", -99},
        {"CET-1CEST-x,M3.5.0,M10.5.0", "2020-01-01", -99},
        {"CET-1CEST,M3.5.0", "2020-01-01", -99},
        {"CET-1CEST,M0.5.0,M10.5.0", "2020-01-01", -99},
        {"CET-1CEST,Mx.5.0,M10.5.0", "2020-01-01", -99},
        {"CET-1CEST,M3-5.0,M10.5.0", "2020-01-01", -99},
        {"CET-1CEST,M3.x.0,M10.5.0", "2020-01-01", -99},
        {"CET-1CEST,M3.0.0,M10.5.0", "2020-01-01", -99},
        {"CET-1CEST,M3.6.0,M10.5.0", "2020-01-01", -99},
        {"CET-1CEST,M3.5-0,M10.5.0", "2020-01-01", -99},
        {"CET-1CEST,M3.5.x,M10.5.0", "2020-01-01", -99},
        {"CET-1CEST,M3.5.7,M10.5.0", "2020-01-01", -99},
        {"CET-1CEST,M3.5.0/x,M10.5.0", "2020-01-01", -99},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const double hours =
            offset_of(berlin(bytes, rules[i].rule), rules[i].date);
        if (hours != rules[i].hours)
            fail_msg("%s: %g", rules[i].rule, hours);
    }
    /* No type at all. */
    struct text whole = berlin(bytes, "CET-1");
    bytes[39] = 0;
    assert_true(offset_of(whole, "2020-01-01") == -99);
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    static const char *const rules[] = {"CET-1CEST", "CET-1CEST,J60,J300",
                                        "CET-1CEST,M13.5.0,M10.5.0", "C-1",
                                        "CET-1CEST,M3.5.0,M10.5.0x"};
    char bytes[512];
    struct zone zone;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        assert_false(zone_parse(berlin(bytes, rules[i]), &zone));
        zone_close(&zone);
    }
    struct text whole = berlin(bytes, "CET-1CEST,M3.5.0,M10.5.0/3");
    for (size_t n = 0; n + 20 < whole.len; n++) {
        assert_false(zone_parse((struct text){whole.at, n}, &zone));
        zone_close(&zone);
    }
    for (size_t i = 0; i < whole.len; i++) { /* the bytes may be refused or
                                              * read, but must not crash the
                                              * reader */
        bytes[i] = (char)~bytes[i];
        (void)!zone_parse(whole, &zone);
        zone_close(&zone);
        bytes[i] = (char)~bytes[i];
    }
}

static void the_system_is_asked_for_names_only(void **state)
{
    (void)state;
    static const char *const bad[] = {"../../etc/passwd",
                                      "/etc/passwd",
                                      "",
                                      "Nowhere/At_All",
                                      ".",
                                      ("a-name-that-is-longer-than-sixty-four-"
                                       "letters-and-so-belongs-to-no-zone"),
                                      "zone.tab"};
    struct zone zone;
    struct error err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(zone_open(text_from(bad[i]), "here", &zone, &err),
                         STATUS_USAGE);
    assert_non_null(strstr(err.message, "here: zone: 'zone.tab' is no offset"));
    if (zone_open(text_from("Asia/Kolkata"), "here", &zone, &err) ==
        STATUS_OK) {
        bool twice;
        assert_int_equal(zone_to_utc(&zone, utc("2024-01-01 05:30"), &twice),
                         utc("2024-01-01 00:00"));
        zone_close(&zone);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_offsets_need_no_file),
        cmocka_unit_test(rules_say_when_clocks_change),
        cmocka_unit_test(files_list_changes),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(the_system_is_asked_for_names_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
