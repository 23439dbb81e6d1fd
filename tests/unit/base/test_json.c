/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON that is written piece by piece has the same bytes as the text that
 * jansson makes of a tree with the same values. Doubles have the digits of
 * printf. */
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "base/rng.h"
#include "tests/support/test.h"

static void is_as_printed(double value)
{
    char expected[64], got[REAL_TEXT_MAX];
    int n = snprintf(expected, sizeof expected, "%.15g", value);
    size_t len = real_to_text(value, got);
    if (len != (size_t)n || memcmp(got, expected, len) != 0)
        fail_msg("%.*s is not %s (%a)", (int)len, got, expected, value);
}

static double of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void doubles_are_written_as_printf_writes_them(void **state)
{
    (void)state;
    gsl_rng *rng = rng_open(1, "test json");
    for (int exponent = 1023 - 20; exponent < 1023 + 60; exponent++) {
        for (int i = 0; i < 3000; i++) {
            uint64_t bits = (uint64_t)gsl_rng_get(rng) << 32 | gsl_rng_get(rng);
            bits = bits >> 12 >> (i % 4 ? 0 : i % 52) << (i % 4 ? 0 : i % 52);
            double value = of_bits(bits | (uint64_t)exponent << 52);
            is_as_printed(value);
            is_as_printed(-value);
        }
    }
    rng_free(rng);
}

/* Tests numbers halfway between two decimals, and the neighbours of powers of
 * ten. */
static void doubles_are_rounded_to_even(void **state)
{
    (void)state;
    for (int power = -6; power < 18; power++) {
        double ten = pow(10, power), up = ten, down = ten;
        for (int i = 0; i < 200; i++) {
            is_as_printed(up = nextafter(up, INFINITY));
            is_as_printed(down = nextafter(down, 0));
        }
    }
    for (int shift = 1; shift < 60; shift++) {
        for (uint64_t odd = 1; odd < 400; odd += 2) {
            is_as_printed(ldexp((double)odd, -shift));
            is_as_printed(100000000000000 + ldexp((double)odd, -shift % 7));
            is_as_printed(10000000000000 + ldexp((double)odd, -shift % 9));
        }
    }
    static const double rare[] = {0, -0.0, 1e300, 1e-300, 5e-324, 1e15, 1e-4};
    for (size_t i = 0; i < sizeof rare / sizeof *rare; i++)
        is_as_printed(rare[i]);
}

struct pair {
    gsl_rng *rng;
    struct json_stream stream;
    char text[16];
};

/* Makes a text of plain letters, controls, UTF-8 and invalid UTF-8. */
static const char *any_text(struct pair *p)
{
    static const char *const pieces[] = {
        "a",    "Z9",   " ",        "\"",           "\\",   "/",
        "\n",   "\t",   "\b",       "\f",           "\r",   "\x01",
        "\x1f", "\x7f", "\xc3\xa4", "\xe2\x82\xac", "\xff", "\xc3"};
    p->text[0] = '\0';
    for (uint64_t n = rng_below(p->rng, 5), len = 0; n--;) {
        const char *piece =
            pieces[rng_below(p->rng, sizeof pieces / sizeof *pieces)];
        memcpy(p->text + len, piece, strlen(piece) + 1);
        len += strlen(piece);
    }
    return p->text;
}

static double any_number(struct pair *p)
{
    double value = (double)gsl_rng_get(p->rng) - 2e9;
    switch (rng_below(p->rng, 5)) {
    case 0:
        return value;
    case 1:
        return NAN;
    case 2:
        return value / 1000;
    case 3:
        return ldexp(value, (int)rng_below(p->rng, 120) - 60);
    default:
        return value / 3;
    }
}

/* Writes a value that is neither an object nor an array to the stream, and
 * returns it as a tree. */
static json_t *add_scalar(struct pair *p, const char *key, uint64_t kind,
                          bool yes)
{
    double number = any_number(p);
    int64_t whole = (int64_t)gsl_rng_get(p->rng) * (yes ? 1 : -2000000000);
    switch (kind) {
    case 0:
        any_text(p);
        json_stream_text(&p->stream, key, yes ? p->text : NULL);
        return json_text(yes ? p->text : NULL);
    case 1:
        json_stream_number(&p->stream, key, number);
        return json_number(number);
    case 2:
        json_stream_whole(&p->stream, key, whole);
        return json_integer(whole);
    default:
        json_stream_bool(&p->stream, key, yes);
        return json_boolean(yes);
    }
}

/* Writes a random value to the stream, and returns it as a tree. */
static json_t *add_any(struct pair *p, const char *key, unsigned depth)
{
    enum { SCALARS = 4, KINDS = 6 };
    bool object = rng_below(p->rng, 2) == 1;
    uint64_t kind = rng_below(p->rng, depth < 5 ? KINDS : SCALARS);
    if (depth > 0 && kind < SCALARS)
        return add_scalar(p, key, kind, object);
    json_t *all = object ? json_object() : json_array();
    (object ? json_stream_object : json_stream_array)(&p->stream, key);
    for (uint64_t i = 0, n = rng_below(p->rng, 6); i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "\"%u\" \xc3\xa4\n", (unsigned)i);
        json_t *value = add_any(p, object ? name : NULL, depth + 1);
        if (object)
            json_put(all, name, value);
        else
            json_array_append_new(all, value);
    }
    (object ? json_stream_object_end : json_stream_array_end)(&p->stream);
    return all;
}

static void a_stream_has_the_bytes_of_a_tree(void **state)
{
    (void)state;
    struct pair p = {.rng = rng_open(2, "test json")};
    for (int i = 0; i < 3000; i++) {
        struct out *out = out_to_memory(), *expected = out_to_memory();
        p.stream = json_stream_to(out);
        json_t *tree = add_any(&p, NULL, 0);
        json_stream_end(&p.stream);
        json_write(expected, tree);
        struct text a = out_memory(out), b = out_memory(expected);
        assert_int_equal(a.len, b.len);
        assert_memory_equal(a.at, b.at, a.len);
        json_decref(tree);
        out_abandon(out);
        out_abandon(expected);
    }
    rng_free(p.rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_are_written_as_printf_writes_them),
        cmocka_unit_test(doubles_are_rounded_to_even),
        cmocka_unit_test(a_stream_has_the_bytes_of_a_tree),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
