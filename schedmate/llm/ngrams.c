/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/llm/ngrams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

/* Returns the end of a terminal escape sequence "ESC [ ..." that begins at
 * `at`. Of any other sequence, only the ESC is skipped. */
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

static const char *skip_hex(const char *at, const char *end)
{
    while (at < end && ascii_is_hex(*at))
        at++;
    return at;
}

static const char *ngrams_skip_digits(const char *at, const char *end)
{
    while (at < end && ascii_is_digit(*at))
        at++;
    return at;
}

/* Returns the end of a bare word of 8 or more hexadecimal digits, at least one
 * of them decimal, which is an address or an identifier. Returns `at` if there
 * is none. */
static const char *skip_address(const char *at, const char *end)
{
    const char *p = skip_hex(at, end);
    bool word_ends = p == end || !ascii_is_alnum(*p);
    bool decimal = false;
    for (const char *c = at; c < p && !decimal; c++)
        decimal = ascii_is_digit(*c);
    return p - at >= 8 && decimal && word_ends ? p : at;
}

/* Returns the end of a number at `at`, or `at` if there is none. Sets *hex to
 * true for "0x1f" and for an address, otherwise to false. An address is not
 * looked for if a word ends right before `at` (after_word). */
static const char *skip_number(const char *at, const char *end, bool after_word,
                               bool *hex)
{
    *hex = true;
    if (end - at > 2 && at[0] == '0' && (at[1] | 32) == 'x' &&
        ascii_is_hex(at[2]))
        return skip_hex(at + 2, end);
    const char *p = after_word ? at : skip_address(at, end);
    if (p > at)
        return p;
    *hex = false;
    return ngrams_skip_digits(at, end);
}

/* State of normalising one line. */
struct normal {
    char *out;
    size_t n;
    size_t same;     /* how often the last character was repeated */
    bool has_begun;  /* true once the indentation of the line is over */
    bool after_word; /* true if the last character was a letter or digit */
};

static void ngrams_put_number(struct normal *to, bool hex)
{
    to->out[to->n++] = '0';
    if (hex && to->n < NGRAM_LINE_MAX)
        to->out[to->n++] = 'x';
    to->has_begun = to->after_word = true;
    to->same = 0;
}

static void put_char(struct normal *to, char c)
{
    c = (unsigned char)c < 32 || c == 127 ? ' ' : ascii_lower(c);
    to->after_word = ascii_is_alnum(c);
    bool again = to->n > 0 && to->out[to->n - 1] == c;
    to->same = again ? to->same + 1 : 0;
    /* Keep one blank between words, and at most three equal marks in a row. */
    if ((c == ' ' && to->has_begun && again) ||
        (!to->after_word && to->same > 2))
        return;
    to->has_begun |= c != ' ';
    to->out[to->n++] = c;
}

size_t ngram_normalise(struct text line, char out[NGRAM_LINE_MAX])
{
    const char *at = line.at, *end = line.at + line.len;
    struct normal to = {.out = out};
    while (at < end && to.n < NGRAM_LINE_MAX) {
        bool hex;
        const char *after = skip_number(at, end, to.after_word, &hex);
        if (after > at) {
            ngrams_put_number(&to, hex);
            at = after;
        } else if (*at == '\033') {
            at = skip_escape(at, end);
        } else {
            put_char(&to, *at++);
        }
    }
    while (to.n > 0 && out[to.n - 1] == ' ')
        to.n--;
    return to.n;
}

/* The finaliser of MurmurHash3: each bit of the gram affects each bit of the
 * result. */
static uint32_t ngrams_mix(uint64_t x)
{
    x ^= x >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    x ^= x >> 33;
    x *= UINT64_C(0xc4ceb9fe1a85ec53);
    return (uint32_t)(x >> 32);
}

static void ngrams_touch(struct ngram_bag *bag, uint64_t gram)
{
    uint32_t h = ngrams_mix(gram);
    uint32_t bucket = h % NGRAM_BUCKETS;
    if (!bag->is_touched[bucket]) {
        bag->is_touched[bucket] = 1;
        bag->touched[bag->n_touched++] = (uint16_t)bucket;
    }
    bag->at[bucket] += h >> 31 ? 1.0f : -1.0f;
}

void ngram_add(struct ngram_bag *bag, const char *at, size_t len)
{
    /* The window holds the last eight bytes, the newest in the lowest byte. A
     * gram is its lowest k bytes, and the highest byte is k, so that "abc"
     * differs from "\0abc". */
    uint64_t window = 0;
    for (size_t i = 0; i < len; i++) {
        window = window << 8 | (unsigned char)at[i];
        for (unsigned k = NGRAM_SHORTEST; k <= NGRAM_LONGEST; k++) {
            if (i + 1 < k)
                break;
            uint64_t mask = (UINT64_C(1) << (8 * k)) - 1;
            ngrams_touch(bag, (window & mask) | (uint64_t)k << 56);
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
    /* The order does not matter: sums of squares of small whole numbers are
     * exact. */
    float sum = 0;
    for (uint32_t i = 0; i < bag->n_touched; i++)
        sum += bag->at[bag->touched[i]] * bag->at[bag->touched[i]];
    return sum > 0 ? 1 / sqrtf(sum) : 0;
}

/* An embedding that needs no model: hashed n-grams of 3 to 5 bytes with signs,
 * scaled to length 1. It keeps digits, because in "batch_size=64" they carry
 * the meaning; the log classifier reads each number as "0". */

static void embed_one(struct ngram_bag *bag, struct text text, float *out)
{
    char *lower = mem_alloc(text.len + 1);
    for (size_t i = 0; i < text.len; i++)
        lower[i] = ascii_lower(text.at[i]);
    ngram_add(bag, lower, text.len);
    free(lower);
    float scale = ngram_scale(bag);
    for (size_t i = 0; i < NGRAM_BUCKETS; i++)
        out[i] = bag->at[i] * scale;
    ngram_clear(bag);
}

static enum status hashed_embed(void *self, const struct text *texts,
                                size_t count, float *out, struct error *err)
{
    struct ngram_bag *bag = mem_zalloc(1, sizeof *bag);
    (void)self;
    (void)err;
    for (size_t i = 0; i < count; i++)
        embed_one(bag, texts[i], out + i * NGRAM_BUCKETS);
    free(bag);
    return STATUS_OK;
}

double embed_cosine(const float *a, const float *b, size_t dimensions)
{
    double sum = 0;
    for (size_t i = 0; i < dimensions; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

const struct embed_ops embed_hashed = {
    .name = "hashed",
    .summary = "hashed character 3-5-grams, 4096 buckets; needs no server",
    .dimensions = NGRAM_BUCKETS,
    .embed = hashed_embed,
};
