/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text views: comparing, cutting, hashing, cleaning, the nearest word. */
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/out.h"

struct text text_from(const char *s)
{
    return (struct text){s, s ? strlen(s) : 0};
}

bool text_equal(struct text a, struct text b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

bool text_is(struct text t, const char *s)
{
    return text_equal(t, text_from(s));
}

bool text_is_nocase(struct text t, const char *s)
{
    for (size_t i = 0; i < t.len; i++) {
        if (s[i] == '\0' || ascii_lower(t.at[i]) != ascii_lower(s[i]))
            return false;
    }
    return s[t.len] == '\0';
}

bool text_starts(struct text t, const char *s)
{
    size_t len = strlen(s);
    return t.len >= len && (len == 0 || memcmp(t.at, s, len) == 0);
}

struct text text_trim(struct text t)
{
    while (t.len && (t.at[0] == ' ' || t.at[0] == '\t'))
        t.at++, t.len--;
    while (t.len && (t.at[t.len - 1] == ' ' || t.at[t.len - 1] == '\t'))
        t.len--;
    return t;
}

struct text text_split(struct text t, char c, struct text *rest)
{
    const char *hit = t.len ? memchr(t.at, c, t.len) : NULL;
    if (!hit) {
        *rest = (struct text){t.at ? t.at + t.len : NULL, 0};
        return t;
    }
    size_t n = (size_t)(hit - t.at);
    *rest = (struct text){hit + 1, t.len - n - 1};
    return (struct text){t.at, n};
}

bool text_to_bool(struct text t, bool *out)
{
    static const char *const words[] = {"false", "true", "no",
                                        "yes",   "off",  "on"};
    if (t.len == 1 &&
        (t.at[0] == '0' ||
         t.at[0] == '1')) { /* first, because traces write 0 and 1 */
        *out = t.at[0] == '1';
        return true;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (text_is_nocase(t, words[i])) {
            *out = i % 2 == 1;
            return true;
        }
    }
    return false;
}

uint64_t text_hash(struct text t)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < t.len; i++)
        h = (h ^ (unsigned char)t.at[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* Returns the number of edits between two words of at most 40 bytes; 40 if one
 * is longer. A swap of two adjacent characters counts as one edit, because it
 * is a common typing error. Three rows of the usual table are enough. */
static size_t edit_distance(struct text a, const char *b)
{
    enum { MAX = 40 };
    size_t nb = strlen(b), rows[3][MAX + 1];
    if (a.len > MAX || nb > MAX)
        return MAX;
    for (size_t j = 0; j <= nb; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t *row = rows[i % 3], *up = rows[(i - 1) % 3];
        const size_t *up2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t best =
                up[j - 1] + (ascii_lower(a.at[i - 1]) != ascii_lower(b[j - 1]));
            best = up[j] + 1 < best ? up[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a.at[i - 1] == b[j - 2] &&
                a.at[i - 2] == b[j - 1] && up2[j - 2] + 1 < best)
                best = up2[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[a.len % 3][nb];
}

const char *text_nearest(struct text t, const char *const *candidates,
                         size_t count)
{
    const char *best = NULL;
    size_t least = t.len / 2 < 3 ? t.len / 2 + 1 : 3;
    for (size_t i = 0; i < count; i++) {
        size_t d = edit_distance(t, candidates[i]);
        if (d < least) {
            least = d;
            best = candidates[i];
        }
    }
    return best;
}

struct text_suggestion text_suggest(const char *near)
{
    struct text_suggestion out = {""};
    if (near)
        snprintf(out.words, sizeof out.words, "; did you mean '%.100s'?", near);
    return out;
}

/* Returns the length in bytes of the non-ASCII UTF-8 character at `s` (RFC
 * 3629), or 0 if there is none. */
static size_t utf8_length(const unsigned char *s)
{
    static const struct {
        unsigned char lo, hi; /* range of the first byte */
        unsigned char second_lo, second_hi;
        size_t bytes;
    } rows[] = {
        {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
        {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
        {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (s[0] < rows[i].lo || s[0] > rows[i].hi)
            continue;
        if (s[1] < rows[i].second_lo || s[1] > rows[i].second_hi)
            return 0;
        for (size_t k = 2; k < rows[i].bytes; k++) {
            if ((s[k] & 0xc0) != 0x80)
                return 0;
        }
        return rows[i].bytes;
    }
    return 0;
}

/* True for a character of 3 bytes that ends a line or changes the direction in
 * which a terminal shows the text after it: U+2028 to U+202E, and U+2066 to
 * U+2069. */
static bool turns_text(const unsigned char *s)
{
    return s[0] == 0xe2 && ((s[1] == 0x80 && s[2] >= 0xa8 && s[2] <= 0xae) ||
                            (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
}

void text_clean(char *s)
{
    unsigned char *at = (unsigned char *)s;
    while (*at) {
        size_t n = *at < 0x80 ? 1 : utf8_length(at);
        bool control = *at < 0x20 || *at == 0x7f ||
                       (at[0] == 0xc2 && n == 2 && at[1] < 0xa0) ||
                       (n == 3 && turns_text(at));
        n = n ? n : 1;
        if (control || (n == 1 && *at >= 0x80))
            memset(at, '?', n);
        at += n;
    }
}

/* Numbers and seconds, from text and to text. */

/* Reads the common case: one to eighteen digits, which cannot overflow. False
 * for any other text. */
static inline bool text_plain_digits(struct text t, int64_t *out)
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
    if (text_plain_digits(t, out))
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
    if ((!text_plain_digits(t, &wide) && !text_to_i64(t, &wide)) || wide < 0 ||
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
    if (text_plain_digits(t, &seconds) && seconds <= most) {
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
                 {"second", 1},
                 {"min", 60},
                 {"minute", 60},
                 {"h", 3600},
                 {"hour", 3600},
                 {"d", 86400},
                 {"day", 86400},
                 {"w", INT64_C(7) * 86400},
                 {"week", INT64_C(7) * 86400}};
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
    if (unit.len > 3 && unit.at[unit.len - 1] == 's')
        unit.len--; /* two weeks */
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

/* Dates of the proleptic Gregorian calendar, from text and to text. */

int64_t civil_to_days(int64_t year, unsigned month, unsigned day)
{
    /* years that begin in March, so that the leap day is the last one */
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t yoe = y - era * 400;
    int64_t doy = (153 * ((int64_t)month + (month > 2 ? -3 : 9)) + 2) / 5 +
                  (int64_t)day - 1;
    int64_t doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    return era * 146097 + doe - 719468;
}

void civil_from_days(int64_t days, int64_t *year, unsigned *month,
                     unsigned *day)
{
    int64_t z = days + 719468;
    int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    int64_t doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153;
    *day = (unsigned)(doy - (153 * mp + 2) / 5 + 1);
    *month = (unsigned)(mp < 10 ? mp + 3 : mp - 9);
    *year = yoe + era * 400 + (*month <= 2);
}

/* Takes exactly `n` digits off the front of *t. Returns false if there are
 * fewer. */
static bool text_take_digits(struct text *t, size_t n, unsigned *out)
{
    if (t->len < n)
        return false;
    unsigned value = 0;
    for (size_t i = 0; i < n; i++) {
        if (t->at[i] < '0' || t->at[i] > '9')
            return false;
        value = value * 10 + (unsigned)(t->at[i] - '0');
    }
    t->at += n;
    t->len -= n;
    *out = value;
    return true;
}

static bool text_take_char(struct text *t, char c)
{
    if (t->len == 0 || t->at[0] != c)
        return false;
    t->at++;
    t->len--;
    return true;
}

static bool take_clock(struct text *t, sim_span *out)
{
    unsigned hour, minute, second = 0;
    sim_span micros = 0;
    if (!text_take_digits(t, 2, &hour) || !text_take_char(t, ':') ||
        !text_take_digits(t, 2, &minute))
        return false;
    if (text_take_char(t, ':')) {
        if (!text_take_digits(t, 2, &second))
            return false;
        if (text_take_char(t, '.')) {
            sim_span scale = SPAN_SECOND;
            unsigned digit, n = 0;
            for (; text_take_digits(t, 1, &digit); n++)
                micros += digit * (scale /= 10);
            if (n == 0)
                return false;
        }
    }
    if (hour > 23 || minute > 59 || second > 60)
        return false;
    *out =
        ((sim_span)hour * 3600 + minute * 60 + second) * SPAN_SECOND + micros;
    return true;
}

static bool take_zone(struct text *t, sim_span *offset)
{
    unsigned hour, minute;
    *offset = 0;
    if (text_take_char(t, 'Z'))
        return true;
    bool west = t->len && t->at[0] == '-';
    if (!text_take_char(t, '+') && !text_take_char(t, '-'))
        return false;
    if (!text_take_digits(t, 2, &hour))
        return false;
    text_take_char(t, ':');
    if (!text_take_digits(t, 2, &minute) || hour > 15 || minute > 59)
        return false;
    *offset = ((sim_span)hour * 3600 + minute * 60) * SPAN_SECOND;
    if (west)
        *offset = -*offset;
    return true;
}

/* True if the date exists. A date that does not exist becomes another date when
 * it is converted to a day number and back. */
static bool date_exists(unsigned year, unsigned month, unsigned day)
{
    int64_t back_year;
    unsigned back_month, back_day;
    if (month < 1 || month > 12)
        return false;
    civil_from_days(civil_to_days(year, month, day), &back_year, &back_month,
                    &back_day);
    return back_month == month && back_day == day;
}

bool text_to_time(struct text t, sim_time *out, bool *zoned)
{
    unsigned year, month, day;
    sim_span clock = 0, offset = 0;
    bool has_zone = false;
    if (!text_take_digits(&t, 4, &year) || !text_take_char(&t, '-') ||
        !text_take_digits(&t, 2, &month) || !text_take_char(&t, '-') ||
        !text_take_digits(&t, 2, &day))
        return false;
    if (!date_exists(year, month, day))
        return false;
    if (text_take_char(&t, ' ') || text_take_char(&t, 'T')) {
        if (!take_clock(&t, &clock))
            return false;
        if (t.len) {
            if (!take_zone(&t, &offset))
                return false;
            has_zone = true;
        }
    }
    if (t.len)
        return false;
    if (zoned)
        *zoned = has_zone;
    *out = civil_to_days(year, month, day) * SPAN_DAY + clock - offset;
    return true;
}

/* Years that a number without dashes is taken for. */
enum { YEAR_FIRST = 1970, YEAR_LAST = 2200 };

bool text_to_date(struct text t, sim_time *out)
{
    unsigned year, month = 1, day = 1;
    struct text rest = text_trim(t);
    if (text_to_time(rest, out, NULL))
        return true;
    if (!text_take_digits(&rest, 4, &year) || year < YEAR_FIRST ||
        year > YEAR_LAST)
        return false;
    if (text_take_char(&rest, '-')) {
        if (!text_take_digits(&rest, 2, &month))
            return false;
    } else if (rest.len && (!text_take_digits(&rest, 2, &month) ||
                            !text_take_digits(&rest, 2, &day))) {
        return false;
    }
    if (rest.len || !date_exists(year, month, day))
        return false;
    *out = civil_to_days(year, month, day) * SPAN_DAY;
    return true;
}

bool text_to_count(struct text t, uint64_t *out)
{
    double number;
    const char last = t.len ? t.at[t.len - 1] : '\0';
    const double unit = last == 'k' || last == 'K' ? 1e3
                        : last == 'M'              ? 1e6
                                                   : 0;
    if (unit == 0)
        return text_to_u64(t, out);
    t.len--;
    if (!text_to_double(t, &number) || number < 0 || number * unit > 1e15)
        return false;
    *out = (uint64_t)(number * unit + 0.5);
    return (double)*out == number * unit;
}

/* Takes "day" or "hour" off "day 10" and returns its length in seconds; 0 if
 * the text begins with neither. */
static double take_unit_word(struct text *t)
{
    struct text rest, word = text_split(*t, ' ', &rest);
    const double unit = text_is(word, "day")    ? 86400
                        : text_is(word, "hour") ? 3600
                                                : 0;
    if (unit > 0)
        *t = text_trim(rest);
    return unit;
}

bool text_to_when(struct text t, enum when_base *base, sim_time *out)
{
    double number;
    t = text_trim(t);
    *base = WHEN_DATE;
    if (text_to_date(t, out))
        return true;
    const double unit = take_unit_word(&t);
    *base = unit > 0 || !text_to_double(t, &number) ? WHEN_FIRST : WHEN_PLAIN;
    if (unit > 0)
        return text_to_double(t, &number) && number >= 0 &&
               span_from_outside(number * unit, SECONDS_MAX, out);
    return text_to_duration(t, out) && (*base == WHEN_PLAIN || *out >= 0);
}

void time_to_text(sim_time at, char out[TIME_TEXT_MAX])
{
    int64_t days = at / SPAN_DAY - (at % SPAN_DAY < 0), year;
    int64_t rest = at % SPAN_DAY;
    int64_t second = (rest < 0 ? rest + SPAN_DAY : rest) / SPAN_SECOND;
    unsigned month, day;
    civil_from_days(days, &year, &month, &day);
    snprintf(out, TIME_TEXT_MAX, "%04d-%02u-%02u %02d:%02d:%02d", (int)year,
             month, day, (int)(second / 3600), (int)(second / 60 % 60),
             (int)(second % 60));
}
