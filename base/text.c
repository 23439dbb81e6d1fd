/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text views: comparing, cutting, hashing, cleaning, the nearest word. */
#include "base/text.h"

#include <string.h>

#include "base/ascii.h"

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
