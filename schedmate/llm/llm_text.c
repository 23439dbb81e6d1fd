/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/llm/llm_text.h"

#include <math.h>
#include <stdio.h>

/* Well-formed UTF-8 by its first byte: the range of the second byte and the
 * length in bytes (Table 3-7 of the Unicode standard). Later bytes are 80 to
 * BF. */
static const struct utf8_row {
    unsigned char first, last; /* range of the first byte */
    unsigned char low, high;   /* range of the second byte */
    unsigned char length;
} utf8_rows[] = {
    /* the row begins at 1, because a 0 byte would end the text */
    {.first = 0x01, .last = 0x7f, .length = 1},
    {.first = 0xc2, .last = 0xdf, .low = 0x80, .high = 0xbf, .length = 2},
    {.first = 0xe0, .last = 0xe0, .low = 0xa0, .high = 0xbf, .length = 3},
    {.first = 0xe1, .last = 0xec, .low = 0x80, .high = 0xbf, .length = 3},
    {.first = 0xed, .last = 0xed, .low = 0x80, .high = 0x9f, .length = 3},
    {.first = 0xee, .last = 0xef, .low = 0x80, .high = 0xbf, .length = 3},
    {.first = 0xf0, .last = 0xf0, .low = 0x90, .high = 0xbf, .length = 4},
    {.first = 0xf1, .last = 0xf3, .low = 0x80, .high = 0xbf, .length = 4},
    {.first = 0xf4, .last = 0xf4, .low = 0x80, .high = 0x8f, .length = 4},
};

static bool llm_text_fits(const struct utf8_row *row, const unsigned char *at,
                          size_t len)
{
    if (at[0] < row->first || at[0] > row->last || row->length > len)
        return false;
    if (row->length > 1 && (at[1] < row->low || at[1] > row->high))
        return false;
    for (size_t i = 2; i < row->length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return false;
    }
    return true;
}

/* Returns the length of the well-formed sequence at `at`, 0 if there is
 * none. */
static size_t llm_text_sequence(const unsigned char *at, size_t len)
{
    for (size_t i = 0; i < sizeof utf8_rows / sizeof *utf8_rows; i++) {
        if (llm_text_fits(&utf8_rows[i], at, len))
            return utf8_rows[i].length;
    }
    return 0;
}

size_t llm_utf8_clean(char *at, size_t len)
{
    size_t replaced = 0;
    for (size_t i = 0; i < len;) {
        size_t n = llm_text_sequence((const unsigned char *)at + i, len - i);
        if (n == 0) {
            at[i] = '?';
            replaced++;
        }
        i += n ? n : 1;
    }
    return replaced;
}

const char *llm_utf8_copy(struct arena *arena, struct text t)
{
    char *copy = arena_copy(arena, t.at, t.len);
    llm_utf8_clean(copy, t.len);
    return copy;
}

void llm_json_string(struct out *out, struct text t)
{
    static const char short_form[] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    out_char(out, '"');
    for (size_t i = 0; i < t.len; i++) {
        unsigned char c = (unsigned char)t.at[i];
        if (c == '"' || c == '\\') {
            out_char(out, '\\');
            out_char(out, (char)c);
        } else if (c < sizeof short_form && short_form[c]) {
            out_char(out, '\\');
            out_char(out, short_form[c]);
        } else if (c < 0x20) {
            out_printf(out, "\\u%04x", c);
        } else {
            out_char(out, (char)c);
        }
    }
    out_char(out, '"');
}

void llm_json_number(struct out *out, double value)
{
    char buf[40];
    double back;
    int n = 0;
    for (int digits = 15; digits <= 17; digits++) {
        n = snprintf(buf, sizeof buf, "%.*g", digits, value);
        if (text_to_double((struct text){buf, (size_t)n}, &back) &&
            back == value)
            break;
    }
    out_bytes(out, buf, (size_t)n);
}

static const char alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static unsigned char byte_at(const float *at, size_t i)
{
    uint32_t bits;
    memcpy(&bits, &at[i / 4], sizeof bits);
    return (unsigned char)(bits >> (i % 4 * 8));
}

void llm_floats_encode(struct out *out, const float *at, size_t n)
{
    for (size_t i = 0; i < n * 4; i += 3) {
        size_t left = n * 4 - i;
        uint32_t word = (uint32_t)byte_at(at, i) << 16;
        word |= left > 1 ? (uint32_t)byte_at(at, i + 1) << 8 : 0;
        word |= left > 2 ? byte_at(at, i + 2) : 0;
        out_char(out, alphabet[word >> 18]);
        out_char(out, alphabet[word >> 12 & 63]);
        out_char(out, left > 1 ? alphabet[word >> 6 & 63] : '=');
        out_char(out, left > 2 ? alphabet[word & 63] : '=');
    }
}

/* Decodes the first 4 of n base64 characters to 24 bits. If n < 4, each missing
 * character counts as six 0 bits. Returns false if one of them is not in the
 * alphabet. */
static bool quad(const char *at, size_t n, uint32_t *word)
{
    *word = 0;
    for (size_t i = 0; i < 4; i++) {
        const char *hit = i < n ? memchr(alphabet, at[i], 64) : alphabet;
        if (!hit)
            return false;
        *word = *word << 6 | (uint32_t)(hit - alphabet);
    }
    return true;
}

bool llm_floats_decode(struct text base64, struct arena *arena, float **at,
                       size_t *n)
{
    while (base64.len && base64.at[base64.len - 1] == '=')
        base64.len--;
    size_t bytes =
        base64.len / 4 * 3 + (base64.len % 4 ? base64.len % 4 - 1 : 0);
    if (base64.len % 4 == 1 || bytes % 4)
        return false;
    *n = bytes / 4;
    *at = ARENA_ARRAY(arena, float, *n + 1);
    uint32_t bits = 0;
    for (size_t i = 0, done = 0; i < base64.len; i += 4) {
        uint32_t word;
        size_t left = base64.len - i;
        if (!quad(base64.at + i, left, &word))
            return false;
        for (size_t k = 0; k < 3 && done < bytes; k++, done++) {
            bits = bits >> 8 | (word >> (16 - 8 * k) & 255) << 24;
            if (done % 4 == 3) {
                float value;
                memcpy(&value, &bits, sizeof value);
                if (!isfinite(value))
                    return false;
                (*at)[done / 4] = value;
            }
        }
    }
    return true;
}
