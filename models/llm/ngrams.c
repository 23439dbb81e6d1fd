/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/llm/ngrams.h"

#include <math.h>
#include <string.h>

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(unsigned char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_alnum(unsigned char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Returns the end of a terminal escape sequence that begins at `at`. */
static const char *skip_escape(const char *at, const char *end)
{
    at++;
    if (at < end && *at == '[') {
        at++;
        while (at < end && (unsigned char)*at < 0x40)
            at++;
        if (at < end)
            at++;
    }
    return at;
}

/* Returns the end of a number at `at`. A bare word of 8 or more hexadecimal
 * digits, at least one of them decimal, counts as a number because it is an
 * address or an identifier. */
static const char *skip_number(const char *at, const char *end, bool after_word,
                               bool *hex)
{
    const char *p = at;
    bool decimal = false;
    *hex = false;
    if (end - at > 2 && at[0] == '0' && (at[1] | 32) == 'x' &&
        is_hex((unsigned char)at[2])) {
        *hex = true;
        for (p = at + 2; p < end && is_hex((unsigned char)*p); p++)
            ;
        return p;
    }
    if (!after_word) {
        for (; p < end && is_hex((unsigned char)*p); p++)
            decimal |= is_digit((unsigned char)*p);
        if (p - at >= 8 && decimal &&
            (p == end || !is_alnum((unsigned char)*p))) {
            *hex = true;
            return p;
        }
    }
    for (p = at; p < end && is_digit((unsigned char)*p); p++)
        ;
    return p;
}

size_t ngram_normalise(struct text line, char out[NGRAM_LINE_MAX])
{
    const char *at = line.at, *end = line.at + line.len;
    size_t n = 0, same = 0;
    bool seen = false; /* true after the indentation */
    bool after_word = false;
    while (at < end && n < NGRAM_LINE_MAX) {
        unsigned char c = (unsigned char)*at;
        if (c == 27) {
            at = skip_escape(at, end);
            continue;
        }
        if (is_digit(c) || (!after_word && is_hex(c))) {
            bool hex;
            const char *past = skip_number(at, end, after_word, &hex);
            if (past > at) {
                out[n++] = '0';
                if (hex && n < NGRAM_LINE_MAX)
                    out[n++] = 'x';
                at = past;
                seen = after_word = true;
                same = 0;
                continue;
            }
        }
        at++;
        if (c < 32 || c == 127)
            c = ' ';
        if (c >= 'A' && c <= 'Z')
            c |= 32;
        after_word = is_alnum(c);
        same = n > 0 && (unsigned char)out[n - 1] == c ? same + 1 : 0;
        /* Keep one blank between words and three of any other mark. */
        if ((c == ' ' && seen && same > 0) || (!after_word && same > 2))
            continue;
        seen |= c != ' ';
        out[n++] = (char)c;
    }
    while (n > 0 && out[n - 1] == ' ')
        n--;
    return n;
}

/* The finaliser of MurmurHash3: every bit of the gram reaches every bit of the
 * bucket. */
static uint32_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    x ^= x >> 33;
    x *= UINT64_C(0xc4ceb9fe1a85ec53);
    return (uint32_t)(x >> 32);
}

static void touch(struct ngram_bag *bag, uint64_t gram)
{
    uint32_t h = mix(gram);
    uint32_t bucket = h % NGRAM_BUCKETS;
    if (!bag->is_touched[bucket]) {
        bag->is_touched[bucket] = 1;
        bag->touched[bag->n_touched++] = (uint16_t)bucket;
    }
    bag->at[bucket] += h >> 31 ? 1.0f : -1.0f;
}

void ngram_add(struct ngram_bag *bag, const char *at, size_t len)
{
    /* The window holds the last eight bytes, the newest lowest. The length of
     * the gram is mixed in above them, so that "ab" at the start differs from
     * "\0ab". */
    uint64_t window = 0;
    for (size_t i = 0; i < len; i++) {
        window = window << 8 | (unsigned char)at[i];
        for (unsigned k = NGRAM_SHORTEST; k <= NGRAM_LONGEST; k++) {
            if (i + 1 < k)
                break;
            uint64_t mask = (UINT64_C(1) << (8 * k)) - 1;
            touch(bag, (window & mask) | (uint64_t)k << 56);
        }
    }
}

void ngram_clear(struct ngram_bag *bag)
{
    for (uint32_t i = 0; i < bag->n_touched; i++) {
        bag->at[bag->touched[i]] = 0;
        bag->is_touched[bag->touched[i]] = 0;
    }
    bag->n_touched = 0;
}

float ngram_scale(const struct ngram_bag *bag)
{
    /* The sum of squares of small whole numbers is exact in any order. */
    float sum = 0;
    for (uint32_t i = 0; i < bag->n_touched; i++)
        sum += bag->at[bag->touched[i]] * bag->at[bag->touched[i]];
    return sum > 0 ? 1 / sqrtf(sum) : 0;
}
