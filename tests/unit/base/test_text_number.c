/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests numbers and spans in text: what is accepted, what is refused, and that
 * numbers are read back as they were written. */
#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void whole_numbers_are_read_to_their_limits(void **state)
{
    (void)state;
    int64_t i;
    uint64_t u;
    uint32_t w;
    assert_true(text_to_i64(text_from("-9223372036854775808"), &i));
    assert_true(i == INT64_MIN);
    assert_true(text_to_i64(text_from("9223372036854775807"), &i));
    assert_true(i == INT64_MAX);
    assert_false(text_to_i64(text_from("9223372036854775808"), &i));
    assert_false(text_to_i64(text_from("-9223372036854775809"), &i));
    assert_true(text_to_u64(text_from("18446744073709551615"), &u));
    assert_true(u == UINT64_MAX);
    assert_false(text_to_u64(text_from("18446744073709551616"), &u));
    assert_true(text_to_u32(text_from("4294967295"), &w));
    assert_false(text_to_u32(text_from("4294967296"), &w));
    assert_false(text_to_u32(text_from("-1"), &w));
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    static const char *const no[] = {
        "",    " 1",   "1 ", "+",  "-",     "1.5x", "0x10", "nan", "NaN",
        "inf", "-inf", "1e", "e1", "1e999", "--1",  "1,5",  "1_0", "\xc2\xbd"};
    double d;
    int64_t i;
    sim_span s;
    for (size_t k = 0; k < COUNT(no); k++) {
        assert_false(text_to_double(text_from(no[k]), &d));
        assert_false(text_to_i64(text_from(no[k]), &i));
        assert_false(text_to_span(text_from(no[k]), &s));
    }
    assert_false(text_to_double((struct text){"1\0002", 3}, &d));
    assert_false(text_to_i64((struct text){"1\0002", 3}, &i));
}

static void decimals_are_read_as_strtod_reads_them(void **state)
{
    (void)state;
    static const char *const some[] = {"0",
                                       "0.1",
                                       ".5",
                                       "5.",
                                       "007.25",
                                       "1e3",
                                       "-2.5",
                                       "0.3",
                                       "72.37",
                                       "99999999999999",
                                       "9.99999999999999",
                                       ".00000000000001",
                                       "123456789012345678"};
    char buf[32];
    double d;
    for (size_t k = 0; k < COUNT(some); k++) {
        assert_true(text_to_double(text_from(some[k]), &d));
        assert_true(d == strtod(some[k], NULL));
    }
    uint64_t x = 1;
    for (int i = 0; i < 100000; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
        snprintf(buf, sizeof buf, "%.*f", (int)(x >> 60),
                 (double)(x >> 20 & 0xffffffff) / 65536 /
                     (double)(1 + (x >> 8 & 0xfff)));
        assert_true(text_to_double(text_from(buf), &d));
        assert_true(d == strtod(buf, NULL));
    }
    assert_false(text_to_double(text_from("."), &d));
    assert_false(text_to_double(text_from("1.2.3"), &d));
}

/* The parser must accept exactly the texts that strtod reads to the end, if the
 * number is finite and the text has only characters of a number. The copy ends
 * at the last byte, so that a sanitizer sees any read beyond it. */
static void compare_with_the_library(const char *text, size_t len)
{
    char *exact = malloc(len), *end;
    memcpy(exact, text, len);
    const struct text t = {exact, len};
    double d, number = strtod(text, &end);
    bool is_number = end == text + len && isfinite(number) &&
                     strspn(text, "0123456789+-.eE") == len;
    assert_int_equal(text_to_double(t, &d), is_number);
    assert_true(!is_number || d == number);
    int64_t i;
    size_t sign = text[0] == '-' || text[0] == '+';
    bool is_whole =
        len > sign && strspn(text + sign, "0123456789") == len - sign;
    assert_int_equal(text_to_i64(t, &i), is_whole);
    assert_true(!is_whole || i == strtoll(text, NULL, 10));
    sim_span span;
    bool is_span = is_number && fabs(number) <= SECONDS_MAX;
    assert_int_equal(text_to_span(t, &span), is_span);
    assert_true(!is_whole || !is_span || span == i * SPAN_SECOND);
    free(exact);
}

static void short_numbers_are_told_from_what_looks_like_them(void **state)
{
    (void)state;
    static const char others[] = "..--+:/ ,aE?\x7f\xb0";
    char text[16];
    uint64_t x = 1;
    for (int k = 0; k < 200000; k++) {
        size_t len = 1 + (size_t)k % 12;
        for (size_t i = 0; i <= len; i++) {
            x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
            text[i] = (char)('0' + (x >> 33) % 10);
        }
        text[len] = '\0';
        for (size_t n = (size_t)(x >> 60) % 4; n > 1;
             n--) /* puts up to 2 other characters in place of digits */
            text[(x >> 8 * n & 0xff) % len] =
                others[(x >> (20 + 8 * n) & 0xff) % (sizeof others - 1)];
        compare_with_the_library(text, len);
    }
}

static void spans_are_exact_to_the_microsecond(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        sim_span span;
    } rows[] = {
        {"0", 0},
        {"1", 1000000},
        {"-1", -1000000},
        {"0.000001", 1},
        {"-0.000001", -1},
        {"0.1", 100000},
        {"12.", 12000000},
        {".5", 500000},
        {"0.0000005", 1},
        {"0.0000004", 0},
        {"1e3", 1000000000},
        {"3155760000", INT64_C(3155760000000000)},
        {"1600000000.123457", INT64_C(1600000000123457)},
    };
    sim_span s;
    for (size_t k = 0; k < COUNT(rows); k++) {
        assert_true(text_to_span(text_from(rows[k].text), &s));
        assert_true(s == rows[k].span);
    }
    assert_false(text_to_span(text_from("3155760001"), &s));
    assert_false(text_to_span(text_from("1e300"), &s));
    assert_false(text_to_span(text_from("1.5.5"), &s));
}

static void a_span_written_reads_back(void **state)
{
    (void)state;
    gsl_rng *rng = rng_open(1, "test text");
    for (int k = 0; k < 20000; k++) {
        sim_span span = (sim_span)rng_below(rng, UINT32_MAX) *
                        (rng_below(rng, 1000) + 1),
                 back;
        if (k % 2)
            span = -span;
        if (k % 3 == 0)
            span -= span % SPAN_SECOND;
        span %= INT64_C(3000000000000000);
        char buf[SPAN_TEXT_MAX];
        struct text t = {buf, span_to_text(span, buf)};
        assert_true(text_to_span(t, &back));
        assert_true(back == span);
    }
    rng_free(rng);
}

/* Tests numbers of each length, and the neighbours of each power of ten, where
 * the length changes. */
static void numbers_are_written_as_printf_writes_them(void **state)
{
    (void)state;
    gsl_rng *rng = rng_open(2, "test text");
    for (uint64_t power = 1, next = 0; power != next; power = next) {
        next = power <= UINT64_MAX / 10 ? power * 10 : power;
        for (unsigned k = 0; k < 2000; k++) {
            uint64_t value = k < 3   ? power - 1 + k
                             : k < 5 ? UINT64_MAX - k + 3
                                     : power * (rng_below(rng, 9) + 1) +
                                           rng_below(rng, UINT32_MAX) % power;
            char expected[32], got[U64_TEXT_MAX];
            int n = snprintf(expected, sizeof expected, "%" PRIu64, value);
            assert_int_equal(u64_to_text(value, got), n);
            assert_memory_equal(got, expected, (size_t)n);
        }
    }
    for (unsigned k = 0; k < 1000000; k += k < 1000 ? 1 : 37) {
        char expected[32], got[SPAN_TEXT_MAX];
        int n = snprintf(expected, sizeof expected, "7.%06u", k);
        while (expected[n - 1] == '0')
            n--;
        n -= expected[n - 1] == '.';
        assert_int_equal(span_to_text(7 * SPAN_SECOND + k, got), n);
        assert_memory_equal(got, expected, (size_t)n);
    }
    rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_are_read_to_their_limits),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(decimals_are_read_as_strtod_reads_them),
        cmocka_unit_test(short_numbers_are_told_from_what_looks_like_them),
        cmocka_unit_test(spans_are_exact_to_the_microsecond),
        cmocka_unit_test(a_span_written_reads_back),
        cmocka_unit_test(numbers_are_written_as_printf_writes_them),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
