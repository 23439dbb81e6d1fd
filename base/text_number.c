/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers and seconds, from text and to text. */
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/digits.h"

/* Reads the common case: one to eighteen digits, which cannot overflow. False
 * for any other text. */
static inline bool plain_digits(struct text t, int64_t *out)
{
    uint64_t value = 0;
    if (t.len == 0 || t.len > 18)
        return false;
    for (size_t i = 0; i < t.len; i++) {
        if (!ascii_is_digit(t.at[i]))
            return false;
        value = value * 10 + (uint64_t)(t.at[i] - '0');
    }
    *out = (int64_t)value;
    return true;
}

/* Reads the digits from byte `i` to the end. False if there is none, there is
 * another character, or the number exceeds `limit`. */
static bool digits_within(struct text t, size_t i, uint64_t limit,
                          uint64_t *out)
{
    uint64_t value = 0;
    if (i == t.len)
        return false;
    for (; i < t.len; i++) {
        if (!ascii_is_digit(t.at[i]))
            return false;
        uint64_t digit = (uint64_t)(t.at[i] - '0');
        if (value > (limit - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

bool text_to_i64(struct text t, int64_t *out)
{
    if (plain_digits(t, out))
        return true;
    uint64_t value;
    bool negative = t.len && t.at[0] == '-';
    bool sign = negative || (t.len && t.at[0] == '+');
    if (!digits_within(t, sign, (uint64_t)INT64_MAX + negative, &value))
        return false;
    *out = (int64_t)(negative ? 0 - value : value);
    return true;
}

bool text_to_u64(struct text t, uint64_t *out)
{
    return digits_within(t, 0, UINT64_MAX, out);
}

bool text_to_u32(struct text t, uint32_t *out)
{
    int64_t wide;
    if ((!plain_digits(t, &wide) && !text_to_i64(t, &wide)) || wide < 0 ||
        wide > UINT32_MAX)
        return false;
    *out = (uint32_t)wide;
    return true;
}

/* Reads at most DIGITS_EXACT bytes: digits and at most one decimal point. The
 * digits and the power of ten are exact doubles, so their quotient is rounded
 * once, as strtod rounds. False for any other text. */
static bool plain_decimal(struct text t, double *out)
{
    static const double powers[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6, 1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};
    enum { DIGITS_EXACT = 15 }; /* any 15 digits are below 2^53 */
    uint64_t digits = 0;
    size_t i = 0, places = 0;
    if (t.len == 0 || t.len > DIGITS_EXACT || (t.len == 1 && t.at[0] == '.'))
        return false;
    for (; i < t.len && ascii_is_digit(t.at[i]); i++)
        digits = digits * 10 + (uint64_t)(t.at[i] - '0');
    if (i < t.len && t.at[i] == '.') {
        places = t.len - ++i;
        for (; i < t.len && ascii_is_digit(t.at[i]); i++)
            digits = digits * 10 + (uint64_t)(t.at[i] - '0');
    }
    *out = (double)digits / powers[places];
    return i == t.len;
}

/* strtod uses the decimal point of the locale, but the program never calls
 * setlocale and the library switches to the locale "C" (lib/handle.c). strtod
 * also reads hexadecimal, "inf" and "nan", which the character check
 * refuses. */
bool text_to_double(struct text t, double *out)
{
    char buf[64];
    if (plain_decimal(t, out))
        return true;
    if (t.len == 0 || t.len >= sizeof buf)
        return false;
    for (size_t i = 0; i < t.len; i++) {
        if (!strchr("0123456789+-.eE", t.at[i]))
            return false;
    }
    memcpy(buf, t.at, t.len);
    buf[t.len] = '\0';
    char *end;
    double value = strtod(buf, &end);
    if (end != buf + t.len || !isfinite(value))
        return false;
    *out = value;
    return true;
}

/* Reads seconds that have no decimal point, begin with it, or have an exponent:
 * "12", ".5", "1.5e3". False for any other text and beyond +-`most`. */
static bool span_of_number(struct text t, int64_t most, sim_span *out)
{
    int64_t seconds;
    double value;
    if (text_to_i64(t, &seconds)) {
        if (seconds > most || seconds < -most)
            return false;
        *out = seconds * SPAN_SECOND;
        return true;
    }
    return text_to_double(t, &value) &&
           span_from_outside(value, (double)most, out);
}

/* Reads the digits after a decimal point as microseconds; the seventh rounds
 * half up, and later digits are ignored. False if there is another
 * character. */
static bool micros_of(struct text fraction, int64_t *out)
{
    int64_t scale = SPAN_SECOND;
    *out = 0;
    for (size_t i = 0; i < fraction.len; i++) {
        char c = fraction.at[i];
        if (c < '0' || c > '9')
            return false;
        if (i < 6)
            *out += (c - '0') * (scale /= 10);
        else if (i == 6 && c >= '5')
            ++*out;
    }
    return true;
}

/* True for a decimal number with digits before its point and no exponent. */
static bool has_whole_part(struct text t, struct text whole)
{
    bool sign = whole.len && (whole.at[0] == '-' || whole.at[0] == '+');
    return whole.len != t.len && whole.len > sign &&
           !memchr(t.at, 'e', t.len) && !memchr(t.at, 'E', t.len);
}

/* Reads a number of seconds from -most to `most`; false for anything else.
 * Tries whole numbers first, because most traces have them. */
static bool span_within(struct text t, int64_t most, sim_span *out)
{
    int64_t seconds, micros;
    struct text fraction, whole;
    if (plain_digits(t, &seconds) && seconds <= most) {
        *out = seconds * SPAN_SECOND;
        return true;
    }
    whole = text_split(t, '.', &fraction);
    if (!has_whole_part(t, whole))
        return span_of_number(t, most, out);
    if (!text_to_i64(whole, &seconds) || seconds > most || seconds < -most)
        return false;
    if (!micros_of(fraction, &micros))
        return false;
    *out = seconds * SPAN_SECOND + (whole.at[0] == '-' ? -micros : micros);
    return true;
}

bool text_to_span(struct text t, sim_span *out)
{
    return span_within(t, (int64_t)SECONDS_MAX, out);
}

bool text_to_any_span(struct text t, sim_span *out)
{
    return span_within(t, INT64_MAX / SPAN_SECOND - 1, out);
}

bool text_to_duration(struct text t, sim_span *out)
{
    static const struct {
        const char *name;
        int64_t seconds;
    } units[] = {{"s", 1},
                 {"min", 60},
                 {"h", 3600},
                 {"d", 86400},
                 {"w", INT64_C(7) * 86400}};
    double number;
    t = text_trim(t);
    size_t n = t.len;
    while (n && t.at[n - 1] >= 'a' && t.at[n - 1] <= 'z')
        n--;
    struct text unit = text_skip(t, n);
    if (unit.len == 0)
        return text_to_span(t, out);
    t.len = n;
    if (!text_to_double(text_trim(t), &number))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        double seconds = number * (double)units[i].seconds;
        if (text_is(unit, units[i].name))
            return span_from_outside(seconds, SECONDS_MAX, out);
    }
    return false;
}

size_t u64_to_text(uint64_t value, char *out)
{
    return (size_t)(digits_put(out, value) - out);
}

size_t span_to_text(sim_span span, char *out)
{
    return (size_t)(digits_put_span(out, span) - out);
}
