/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/digits.h"

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

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool text_is_nocase(struct text t, const char *s)
{
    for (size_t i = 0; i < t.len; i++) {
        if (s[i] == '\0' || lower(t.at[i]) != lower(s[i]))
            return false;
    }
    return s[t.len] == '\0';
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

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The common number: up to eighteen digits, which cannot overflow. */
static inline bool plain_digits(struct text t, int64_t *out)
{
    if (t.len == 0 || t.len > 18)
        return false;
    uint64_t value = 0;
    for (size_t i = 0; i < t.len; i++) {
        unsigned digit = (unsigned char)t.at[i] - (unsigned)'0';
        if (digit > 9)
            return false;
        value = value * 10 + digit;
    }
    *out = (int64_t)value;
    return true;
}

bool text_to_i64(struct text t, int64_t *out)
{
    if (plain_digits(t, out))
        return true;
    size_t i = 0;
    bool negative = false;
    if (t.len && (t.at[0] == '-' || t.at[0] == '+'))
        negative = t.at[i++] == '-';
    if (i == t.len)
        return false;
    uint64_t value = 0, limit = (uint64_t)INT64_MAX + negative;
    for (; i < t.len; i++) {
        if (t.at[i] < '0' || t.at[i] > '9')
            return false;
        uint64_t digit = (uint64_t)(t.at[i] - '0');
        if (value > (limit - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = (int64_t)(negative ? 0 - value : value);
    return true;
}

bool text_to_u64(struct text t, uint64_t *out)
{
    if (t.len == 0)
        return false;
    uint64_t value = 0;
    for (size_t i = 0; i < t.len; i++) {
        if (t.at[i] < '0' || t.at[i] > '9')
            return false;
        uint64_t digit = (uint64_t)(t.at[i] - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
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

/* Digits with at most one point, few enough that they and the power of ten are
 * exact doubles: their quotient is rounded once, as strtod rounds. */
static bool plain_decimal(struct text t, double *out)
{
    static const double powers[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6, 1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};
    enum { DIGITS_EXACT = 15 }; /* below 2^53 */
    uint64_t digits = 0;
    size_t i = 0, places = 0;
    if (t.len == 0 || t.len > DIGITS_EXACT)
        return false;
    for (; i < t.len && is_digit(t.at[i]); i++)
        digits = digits * 10 + (uint64_t)(t.at[i] - '0');
    if (i < t.len && t.at[i] == '.' && t.len > 1) {
        places = t.len - ++i;
        for (; i < t.len && is_digit(t.at[i]); i++)
            digits = digits * 10 + (uint64_t)(t.at[i] - '0');
    }
    *out = (double)digits / powers[places];
    return i == t.len;
}

/* strtod reads the decimal point of the locale, but this program never calls
 * setlocale, so it is always the C locale's. It also reads hexadecimal, "inf"
 * and "nan", which the character check refuses. */
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

bool text_to_bool(struct text t, bool *out)
{
    static const char *const words[] = {"false", "true", "no",
                                        "yes",   "off",  "on"};
    if (t.len == 1 && (t.at[0] == '0' || t.at[0] == '1')) { /* as in traces */
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

bool text_to_span(struct text t, sim_span *out)
{
    int64_t seconds = 0, micros = 0;
    if (plain_digits(t, &seconds) && seconds <= (int64_t)SECONDS_MAX) {
        *out = seconds * SPAN_SECOND;
        return true;
    }
    struct text fraction;
    struct text whole = text_split(t, '.', &fraction);
    bool negative = whole.len && whole.at[0] == '-';
    bool digits =
        whole.len > (whole.len && (whole.at[0] == '-' || whole.at[0] == '+'));
    if (whole.len == t.len || !digits || memchr(t.at, 'e', t.len) ||
        memchr(t.at, 'E', t.len)) {
        /* "12", ".5", "1e3": the first is common, the rest are rare */
        double value;
        if (text_to_i64(t, &seconds)) {
            if (seconds > (int64_t)SECONDS_MAX ||
                seconds < -(int64_t)SECONDS_MAX)
                return false;
            *out = seconds * SPAN_SECOND;
            return true;
        }
        if (!text_to_double(t, &value) || fabs(value) > SECONDS_MAX)
            return false;
        *out = span_from_seconds(value);
        return true;
    }
    if (!text_to_i64(whole, &seconds) || seconds > (int64_t)SECONDS_MAX ||
        seconds < -(int64_t)SECONDS_MAX)
        return false;
    int64_t scale = SPAN_SECOND;
    for (size_t i = 0; i < fraction.len; i++) {
        char c = fraction.at[i];
        if (c < '0' || c > '9')
            return false;
        if (i < 6)
            micros += (c - '0') * (scale /= 10);
        else if (i == 6 && c >= '5')
            micros++;
    }
    *out = seconds * SPAN_SECOND + (negative ? -micros : micros);
    return true;
}

int64_t civil_to_days(int64_t year, unsigned month, unsigned day)
{
    /* Years that begin in March, so that the leap day is the last one. */
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

/* Exactly `n` digits at t->at, which are consumed. */
static bool take_digits(struct text *t, size_t n, unsigned *out)
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

static bool take_char(struct text *t, char c)
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
    if (!take_digits(t, 2, &hour) || !take_char(t, ':') ||
        !take_digits(t, 2, &minute))
        return false;
    if (take_char(t, ':')) {
        if (!take_digits(t, 2, &second))
            return false;
        if (take_char(t, '.')) {
            sim_span scale = SPAN_SECOND;
            unsigned digit, n = 0;
            for (; take_digits(t, 1, &digit); n++)
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
    if (take_char(t, 'Z'))
        return true;
    bool west = t->len && t->at[0] == '-';
    if (!take_char(t, '+') && !take_char(t, '-'))
        return false;
    if (!take_digits(t, 2, &hour))
        return false;
    take_char(t, ':');
    if (!take_digits(t, 2, &minute) || hour > 15 || minute > 59)
        return false;
    *offset = ((sim_span)hour * 3600 + minute * 60) * SPAN_SECOND;
    if (west)
        *offset = -*offset;
    return true;
}

/* A date that does not exist comes back from its day number as another. */
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
    if (!take_digits(&t, 4, &year) || !take_char(&t, '-') ||
        !take_digits(&t, 2, &month) || !take_char(&t, '-') ||
        !take_digits(&t, 2, &day))
        return false;
    if (!date_exists(year, month, day))
        return false;
    if (take_char(&t, ' ') || take_char(&t, 'T')) {
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

void time_to_text(sim_time at, char out[TIME_TEXT_MAX])
{
    int64_t days = at / SPAN_DAY - (at % SPAN_DAY < 0), year;
    int64_t second = (at - days * SPAN_DAY) / SPAN_SECOND;
    unsigned month, day;
    civil_from_days(days, &year, &month, &day);
    snprintf(out, TIME_TEXT_MAX, "%04d-%02u-%02u %02d:%02d:%02d", (int)year,
             month, day, (int)(second / 3600), (int)(second / 60 % 60),
             (int)(second % 60));
}

size_t u64_to_text(uint64_t value, char *out)
{
    return (size_t)(digits_put(out, value) - out);
}

size_t span_to_text(sim_span span, char *out)
{
    return (size_t)(digits_put_span(out, span) - out);
}

uint64_t text_hash(struct text t)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < t.len; i++)
        h = (h ^ (unsigned char)t.at[i]) * UINT64_C(0x100000001b3);
    return h;
}

enum { SHORT_MAX = 8 };

/* One to SHORT_MAX bytes as a number that no other text of the same length has.
 * Without a loop: lengths change from name to name, and a processor that
 * guesses wrong how often a loop turns waits longer than the loop takes. */
static inline uint64_t short_key(const char *at, size_t n)
{
    uint32_t first, last;
    if (n >= sizeof first) {
        memcpy(&first, at, sizeof first);
        memcpy(&last, at + n - sizeof last, sizeof last);
        return (uint64_t)first << 32 | last;
    }
    const unsigned char *u = (const unsigned char *)at;
    return (uint64_t)u[0] << 16 | (uint64_t)u[n / 2] << 8 | u[n - 1];
}

/* Names are short: eight bytes at a time, where FNV takes one. Each step can be
 * undone, so that short texts of one length share no hash. */
static inline uint64_t slot_hash(struct text t)
{
    const uint64_t prime = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t h = t.len * prime;
    size_t i = 0;
    if (t.len == 0)
        return 0;
    for (uint64_t word; i + sizeof word < t.len; i += sizeof word) {
        memcpy(&word, t.at + i, sizeof word);
        h = (h ^ word) * prime;
        h ^= h >> 32;
    }
    h = (h ^ short_key(t.at + i, t.len - i)) * prime;
    return h ^ h >> 32;
}

void interner_init(struct interner *in)
{
    *in = (struct interner){0};
    arena_init(&in->arena);
    in->n_slots = 64;
    in->slots = mem_zalloc(in->n_slots, sizeof *in->slots);
    interner_add(in, (struct text){"", 0});
}

void interner_fini(struct interner *in)
{
    arena_fini(&in->arena);
    free(in->strings);
    free(in->slots);
    *in = (struct interner){0};
}

/* The slot that holds t, or the empty slot where it belongs. */
static inline struct interner_slot *find_slot(const struct interner *in,
                                              struct text t, uint64_t hash)
{
    for (size_t i = hash;; i++) {
        struct interner_slot *slot = &in->slots[i & (in->n_slots - 1)];
        if (!slot->next || (slot->hash == hash && slot->len == t.len &&
                            (t.len <= SHORT_MAX ||
                             text_equal(in->strings[slot->next - 1], t))))
            return slot;
    }
}

static void double_slots(struct interner *in)
{
    struct interner_slot *old = in->slots;
    size_t n_old = in->n_slots;
    in->n_slots *= 2;
    in->slots = mem_zalloc(in->n_slots, sizeof *in->slots);
    for (size_t s = 0; s < n_old; s++) {
        size_t i = old[s].hash & (in->n_slots - 1);
        if (!old[s].next)
            continue;
        while (in->slots[i].next)
            i = (i + 1) & (in->n_slots - 1);
        in->slots[i] = old[s];
    }
    free(old);
}

uint32_t interner_add(struct interner *in, struct text t)
{
    uint64_t hash = slot_hash(t);
    struct interner_slot *slot = find_slot(in, t, hash);
    if (slot->next)
        return slot->next - 1;
    if ((in->n_strings + 1) * 4 > in->n_slots * 3) {
        double_slots(in);
        slot = find_slot(in, t, hash);
    }
    in->strings = mem_grow(in->strings, &in->cap_strings, in->n_strings + 1,
                           sizeof *in->strings);
    uint32_t symbol = (uint32_t)in->n_strings++;
    in->strings[symbol] =
        (struct text){arena_copy(&in->arena, t.at, t.len), t.len};
    *slot = (struct interner_slot){hash, (uint32_t)t.len, symbol + 1};
    return symbol;
}

uint32_t interner_find(const struct interner *in, struct text t)
{
    return find_slot(in, t, slot_hash(t))->next - 1; /* 0 - 1 is UINT32_MAX */
}

const char *interner_string(const struct interner *in, uint32_t symbol)
{
    return in->strings[symbol].at;
}

/* Edits between two short words; two neighbours that changed places are one
 * edit, as in typing. Three rows of the usual table are enough. */
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
            size_t best = up[j - 1] + (lower(a.at[i - 1]) != lower(b[j - 1]));
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
