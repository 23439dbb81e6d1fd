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
        {"UTC", 0},      {"utc", 0},     {"Z", 0},
        {"GMT", 0},      {"UTC+8", 480}, {"GMT-03:30", -210},
        {"+08:00", 480}, {"+0530", 330}, {"-5", -300},
    };
    static const char *const bad[] = {"",      "8",      "+",    "+8h",
                                      "+99:0", "+08:99", "UTC8", "Asia/Tokyo"};
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
    static const char *const bad[] = {"../../etc/passwd", "/etc/passwd", "",
                                      "Nowhere/At_All", "."};
    struct zone zone;
    struct error err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(zone_open(text_from(bad[i]), "here", &zone, &err),
                         STATUS_USAGE);
    assert_non_null(strstr(err.message, "here: zone: '.' is no offset"));
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
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(the_system_is_asked_for_names_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
