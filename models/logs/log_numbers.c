/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/logs/log_numbers.h"

#include <string.h>

#include "models/logs/log_number_kind.h"

#define LOOK_MAX 1024

static bool is_digit(char c)
{
    return (unsigned)(c - '0') < 10;
}

static bool is_letter(char c)
{
    return ((unsigned)(c | 32) - 'a') < 26;
}

/* Reads HH:MM:SS with an optional fraction at `i`. Returns its length, 0 if
 * there is none. */
static size_t clock_at(struct text t, size_t i, double *seconds)
{
    unsigned part[3];
    size_t at = i;
    for (int k = 0; k < 3; k++) {
        if (at + 1 >= t.len || !is_digit(t.at[at]) || !is_digit(t.at[at + 1]))
            return 0;
        part[k] =
            (unsigned)(t.at[at] - '0') * 10 + (unsigned)(t.at[at + 1] - '0');
        at += 2;
        if (k < 2 && (at >= t.len || t.at[at++] != ':'))
            return 0;
    }
    if (part[0] > 23 || part[1] > 59 || part[2] > 60)
        return 0;
    *seconds = part[0] * 3600.0 + part[1] * 60.0 + part[2];
    double digit = 0.1;
    if (at + 1 < t.len && (t.at[at] == '.' || t.at[at] == ',') &&
        is_digit(t.at[at + 1])) {
        for (at++; at < t.len && is_digit(t.at[at]); at++, digit /= 10)
            *seconds += digit * (t.at[at] - '0');
    }
    return at - i;
}

/* Reads a decimal number at `i`, with sign and exponent. Returns its length. */
static size_t number_at(struct text t, size_t i, double *value)
{
    size_t at = i + (t.at[i] == '-' || t.at[i] == '+');
    while (at < t.len && (is_digit(t.at[at]) || t.at[at] == ',')) {
        /* "105,369" is one number, "3, 4" and "1,2" are two */
        if (t.at[at] == ',' &&
            !(at + 3 < t.len && is_digit(t.at[at + 1]) &&
              is_digit(t.at[at + 2]) && is_digit(t.at[at + 3]) &&
              (at + 4 == t.len || !is_digit(t.at[at + 4]))))
            break;
        at++;
    }
    if (at + 1 < t.len && t.at[at] == '.' && is_digit(t.at[at + 1])) {
        for (at++; at < t.len && is_digit(t.at[at]); at++)
            ;
    }
    if (at + 2 < t.len && (t.at[at] | 32) == 'e') {
        size_t e = at + 1 + (t.at[at + 1] == '-' || t.at[at + 1] == '+');
        if (e < t.len && is_digit(t.at[e])) {
            for (at = e; at < t.len && is_digit(t.at[at]); at++)
                ;
        }
    }
    char plain[40];
    size_t n = 0;
    for (size_t k = i; k < at && n < sizeof plain; k++) {
        if (t.at[k] != ',')
            plain[n++] = t.at[k];
    }
    return text_to_double((struct text){plain, n}, value) ? at - i : 0;
}

/* Reads "/ 2184" after a number: the last step. "12/22 22:31:53" and "09/02/20"
 * are dates and are refused. */
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
    if (at >= t.len || !is_digit(t.at[at]))
        return 0;
    size_t len = number_at(t, at, of);
    if (len && at + len + 1 < t.len &&
        (t.at[at + len] == '/' || clock_at(t, at + len + 1, &clock)))
        *of = 0;
    return len ? at + len - i : 0;
}

/* Returns true for a character that separates a key from the text before it. */
static bool parts_keys(char c)
{
    return c != 0 && strchr("|,;\t{}]", c) != NULL;
}

void log_numbers_read(struct text line, struct log_numbers *out)
{
    struct text t = {line.at, line.len > LOOK_MAX ? LOOK_MAX : line.len};
    size_t key = 0, i = 0;
    out->n = 0;
    out->has_clock = false;
    while (i < t.len) {
        char c = t.at[i];
        bool after_word =
            i > 0 && (is_letter(t.at[i - 1]) || t.at[i - 1] == '_' ||
                      is_digit(t.at[i - 1]) || t.at[i - 1] == '.');
        bool sign = (c == '-' || c == '+') && i + 1 < t.len &&
                    is_digit(t.at[i + 1]) && !after_word;
        if (!sign && !is_digit(c)) {
            key = parts_keys(c) ? i + 1 : key;
            i++;
            continue;
        }
        double clock;
        size_t len = clock_at(t, i, &clock);
        if (len) {
            if (!out->has_clock && i + len < t.len && t.at[i + len] != '<' &&
                (i == 0 || t.at[i - 1] != '<') && i < 64) {
                out->has_clock = true;
                out->clock = clock;
            }
            key = i += len;
            continue;
        }
        struct log_number number = {0};
        len = number_at(t, i, &number.printed);
        size_t more = len ? fraction_at(t, i + len, &number.of) : 0;
        size_t past = i + (len ? len : 1) + more;
        if (len && !after_word && out->n < LOG_NUMBERS_MAX &&
            log_number_classify(&number, (struct text){t.at + key, i - key},
                                (struct text){t.at + past, t.len - past}))
            out->at[out->n++] = number;
        key = i = past;
    }
}
