/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A double between 1e-4 and 1e15, times the power of ten that leaves 15 digits
 * before the point, is a whole number of at most 117 bits divided by a power of
 * two. Integer arithmetic computes this quotient and rounds it once, ties to
 * even. printf does this for numbers of any length at ten times the cost;
 * doubles outside this range go to printf. */
#include "base/real.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/digits.h"

enum { DIGITS = 15, FRACTION_BITS = 52, EXPONENT_BIAS = 1023 };

__extension__ typedef unsigned __int128 wide;

/* Returns mantissa / 2^shift * 10^power, rounded to the nearest whole number,
 * ties to even. */
static uint64_t scaled(uint64_t mantissa, unsigned shift, unsigned power)
{
    static const uint64_t powers[] = {1,    10,   100,  1000, 1e4,  1e5,  1e6,
                                      1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13,
                                      1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
    wide product = (wide)mantissa * powers[power];
    wide half = (wide)1 << (shift - 1), rest = product & (2 * half - 1);
    uint64_t whole = (uint64_t)(product >> shift);
    return whole + (rest > half || (rest == half && whole % 2 == 1));
}

/* Writes 15 digits without trailing zeroes after the point; the first digit
 * stands for 10^exponent. Returns the length of the text. */
static size_t put_decimal(char *out, uint64_t digits, int exponent)
{
    /* Three groups of six digits; the first three digits are "000". */
    char text[DIGITS + 3 + DIGITS_SPARE], *at = out;
    digits_store(text, digits_six((uint32_t)(digits / 1000000000000)));
    digits_store(text + 6, digits_six((uint32_t)(digits / 1000000 % 1000000)));
    digits_store(text + 12, digits_six((uint32_t)(digits % 1000000)));
    const char *first = text + 3;
    size_t n = DIGITS, whole = exponent < 0 ? 0 : (size_t)exponent + 1;
    while (n > whole && first[n - 1] == '0')
        n--;
    if (whole == 0)
        *at++ = '0';
    memcpy(at, first, whole);
    at += whole;
    if (n > whole)
        *at++ = '.';
    for (int zeroes = exponent + 1; zeroes < 0; zeroes++)
        *at++ = '0';
    memcpy(at, first + whole, n - whole);
    return (size_t)(at - out) + n - whole;
}

size_t real_to_text(double value, char out[REAL_TEXT_MAX])
{
    bool negative = value < 0;
    double size = negative ? -value : value;
    if (size >= 1e-4 && size < 1e15) {
        const uint64_t limit = UINT64_C(1000000000000000);
        uint64_t bits;
        memcpy(&bits, &size, sizeof bits);
        int binary = (int)(bits >> FRACTION_BITS) - EXPONENT_BIAS;
        uint64_t implied = UINT64_C(1) << FRACTION_BITS;
        uint64_t mantissa = (bits & (implied - 1)) | implied;
        unsigned shift = (unsigned)(FRACTION_BITS - binary);
        /* rounded down; may be 1 too small */
        int exponent = binary * 1233 >> 12;
        uint64_t digits =
            scaled(mantissa, shift, (unsigned)(DIGITS - 1 - exponent));
        if (digits >= limit && ++exponent < DIGITS)
            digits = scaled(mantissa, shift, (unsigned)(DIGITS - 1 - exponent));
        if (exponent < DIGITS) {
            out[0] = '-';
            return put_decimal(out + negative, digits, exponent) + negative;
        }
    }
    char text[REAL_TEXT_MAX];
    int n = snprintf(text, sizeof text, "%.*g", DIGITS, value);
    memcpy(out, text, (size_t)n);
    return (size_t)n;
}
