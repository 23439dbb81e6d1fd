/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/log_numbers.h"

#include <string.h>

#include "base/ascii.h"
#include "schedmate/logs/log_number_kind.h"

/* Number of bytes at the start of a line that are read. */
#define LOOK_MAX 1024
/* A time of day counts only if it begins within this many bytes of the start of
 * the line. */
#define CLOCK_WITHIN 64

static size_t skip_digits(struct text t, size_t i)
{
    while (ascii_is_digit(text_char(t, i)))
        i++;
    return i;
}

/* Reads the two digits at `i`. Returns false if there are not two digits. */
static bool two_digits(struct text t, size_t i, unsigned *out)
{
    char tens = text_char(t, i), ones = text_char(t, i + 1);
    *out = (unsigned)(tens - '0') * 10 + (unsigned)(ones - '0');
    return ascii_is_digit(tens) && ascii_is_digit(ones);
}

/* Reads HH:MM:SS with an optional fraction at `i`. Returns its length, 0 if
 * there is none. */
static size_t clock_at(struct text t, size_t i, double *seconds)
{
    unsigned part[3];
    size_t at = i;
    for (int k = 0; k < 3; k++, at += 3) {
        if (!two_digits(t, at, &part[k]) ||
            (k < 2 && text_char(t, at + 2) != ':'))
            return 0;
    }
    if (part[0] > 23 || part[1] > 59 || part[2] > 60)
        return 0;
    *seconds = part[0] * 3600.0 + part[1] * 60.0 + part[2];
    at--; /* the end of the seconds: no colon follows them */
    bool point = text_char(t, at) == '.' || text_char(t, at) == ',';
    double digit = 0.1;
    if (point && ascii_is_digit(text_char(t, at + 1))) {
        for (at++; ascii_is_digit(text_char(t, at)); at++, digit /= 10)
            *seconds += digit * (t.at[at] - '0');
    }
    return at - i;
}

/* True for a comma between thousands, as in "105,369". "3, 4" and "1,2" are two
 * numbers each. */
static bool is_thousands(struct text t, size_t comma)
{
    return text_char(t, comma) == ',' && skip_digits(t, comma + 1) == comma + 4;
}

/* Returns the end of the exponent at `at`, or `at` if there is none. */
static size_t exponent_end(struct text t, size_t at)
{
    if (at + 2 >= t.len || (t.at[at] | 32) != 'e')
        return at;
    size_t digits = at + 1 + (t.at[at + 1] == '-' || t.at[at + 1] == '+');
    size_t end = skip_digits(t, digits);
    return end > digits ? end : at;
}

/* Reads a decimal number at `i`, which may have a sign, commas between
 * thousands and an exponent. Returns its length, 0 if there is none. */
static size_t number_at(struct text t, size_t i, double *value)
{
    size_t at = i + (t.at[i] == '-' || t.at[i] == '+');
    while (ascii_is_digit(text_char(t, at)) || is_thousands(t, at))
        at++;
    if (text_char(t, at) == '.' && ascii_is_digit(text_char(t, at + 1)))
        at = skip_digits(t, at + 1);
    at = exponent_end(t, at);
    char plain[40];
    size_t n = 0;
    for (size_t k = i; k < at && n < sizeof plain; k++) {
        if (t.at[k] != ',')
            plain[n++] = t.at[k];
    }
    return text_to_double((struct text){plain, n}, value) ? at - i : 0;
}

/* Reads the last step of a counter: "/ 2184" after a number. Returns the length
 * read, 0 if there is none. "12/22 22:31:53" and "09/02/20" are dates: their
 * second number is skipped, and *of is 0. */
static size_t fraction_at(struct text t, size_t i, double *of)
{
    double clock;
    size_t at = i;
    while (at < t.len && t.at[at] == ' ')
        at++;
    if (at >= t.len || t.at[at] != '/')
        return 0;
    for (at++; at < t.len && t.at[at] == ' '; at++)
        ;
    if (at >= t.len || !ascii_is_digit(t.at[at]))
        return 0;
    size_t len = number_at(t, at, of);
    if (len && at + len + 1 < t.len &&
        (t.at[at + len] == '/' || clock_at(t, at + len + 1, &clock)))
        *of = 0;
    return len ? at + len - i : 0;
}

/* True for a character that separates a key from the text before it. */
static bool parts_keys(char c)
{
    return c != 0 && strchr("|,;\t{}]", c) != NULL;
}

/* True for a character of a word or number: no new number begins right after
 * it. */
static bool joins_word(char c)
{
    return ascii_is_name(c) || c == '.';
}

/* Keeps the first time of day near the start of a line, unless the line ends
 * with it. A time next to '<' is the elapsed or remaining time of a progress
 * bar and is not kept. */
static void keep_clock(struct text t, size_t i, size_t len, double clock,
                       struct log_numbers *out)
{
    bool bar = text_char(t, i - 1) == '<' || text_char(t, i + len) == '<';
    if (out->has_clock || bar || i >= CLOCK_WITHIN || i + len >= t.len)
        return;
    out->has_clock = true;
    out->clock = clock;
}

/* Returns the length of the number's unit at the front of the text after the
 * number if the unit has a slash, as in "ms/it", so that the unit is not part
 * of the next key; otherwise 0. */
static size_t unit_length(const struct log_number *number, struct text after)
{
    size_t i = 0;
    const char *unit = number->unit;
    if (!strchr(unit, '/'))
        return 0;
    for (; *unit; unit++) {
        while (text_char(after, i) == ' ')
            i++;
        if (ascii_lower(text_char(after, i)) != *unit)
            return 0;
        i++;
    }
    return i;
}

/* Reads the number at `i`, whose key begins at `key`. Skips a number that is
 * part of a word. Keeps any other if its kind is known and there is room; else
 * notes whether its key names the time that a step waits for data. Returns the
 * bytes read, at least 1. */
static size_t take_number(struct text t, size_t key, size_t i, bool after_word,
                          struct log_numbers *out)
{
    struct log_number number = {0};
    size_t len = number_at(t, i, &number.printed);
    if (len == 0)
        return 1;
    size_t end = i + len + fraction_at(t, i + len, &number.of);
    if (!after_word && out->n < LOG_NUMBERS_MAX &&
        log_number_classify(&number, (struct text){t.at + key, i - key},
                            text_skip(t, end))) {
        out->at[out->n++] = number;
        end += unit_length(&number, text_skip(t, end));
    } else if (!after_word) {
        out->has_part |= log_number_is_part((struct text){t.at + key, i - key});
    }
    return end - i;
}

void log_numbers_read(struct text line, struct log_numbers *out)
{
    struct text t = {line.at, line.len > LOOK_MAX ? LOOK_MAX : line.len};
    size_t key = 0, i = 0;
    out->n = 0;
    out->has_clock = out->has_part = false;
    while (i < t.len) {
        char c = t.at[i];
        bool after_word = joins_word(text_char(t, i - 1));
        bool sign = (c == '-' || c == '+') && !after_word &&
                    ascii_is_digit(text_char(t, i + 1));
        if (!sign && !ascii_is_digit(c)) {
            key = parts_keys(c) ? i + 1 : key;
            i++;
            continue;
        }
        double clock;
        size_t len = clock_at(t, i, &clock);
        if (len)
            keep_clock(t, i, len, clock, out);
        else
            len = take_number(t, key, i, after_word, out);
        key = i += len;
    }
}
