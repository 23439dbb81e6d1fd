/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes decimal digits without a loop over the digits, because a processor
 * cannot predict where such a loop ends. Two look-ups in a table of three-digit
 * numbers give six digits. Each store writes eight bytes, even if the text is
 * shorter. */
#ifndef SIM_BASE_DIGITS_H
#define SIM_BASE_DIGITS_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "base/units.h"

/* The digits_put functions may write up to DIGITS_SPARE bytes after the end of
 * their text; digits_put_millionths writes two more for 0. */
enum { DIGITS_SPARE = 7, DIGITS_MILLION = 1000000 };

/* The digits of 000 to 999: the first digit in the lowest byte, each byte a
 * number from 0 to 9 and not a character. */
extern const uint32_t digits_three[1000];

/* Returns the six digits of a number below 10^6, each as in digits_three, the
 * first in the lowest byte. */
static inline uint64_t digits_six(uint32_t value)
{
    uint32_t front = value / 1000;
    return digits_three[front] | (uint64_t)digits_three[value - front * 1000]
                                     << 24;
}

static inline void digits_store(char *at, uint64_t digits)
{
    uint64_t bytes = htole64(digits | UINT64_C(0x3030303030303030));
    memcpy(at, &bytes, sizeof bytes);
}

char *digits_put_large(char *at, uint64_t value);

/* Writes the number; returns the end of the text. */
static inline char *digits_put(char *at, uint64_t value)
{
    if (__builtin_expect(value >= DIGITS_MILLION, 0))
        return digits_put_large(at, value);
    uint64_t digits = digits_six((uint32_t)value);
    /* The bit at 40 stops the count, so that the last digit is written even if
     * it is 0. */
    unsigned zeroes = (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 40) / 8;
    digits_store(at, digits >> 8 * zeroes);
    return at + 6 - zeroes;
}

/* Writes a decimal point and the millionths without trailing zeroes; returns
 * the end of the text. For 0 returns `at` itself, but overwrites DIGITS_SPARE +
 * 2 bytes there. `millionths` is below 10^6. */
static inline char *digits_put_millionths(char *at, uint32_t millionths)
{
    uint64_t digits = digits_six(millionths);
    unsigned length = (71 - (unsigned)__builtin_clzll(digits | 1)) / 8;
    *at = '.';
    digits_store(at + 1, digits);
    return millionths ? at + 1 + length : at;
}

/* Writes seconds as span_to_text does; returns the end of the text. */
static inline char *digits_put_span(char *at, sim_span span)
{
    uint64_t micros = (uint64_t)span;
    if (__builtin_expect(span < 0, 0)) {
        *at++ = '-';
        micros = 0 - micros;
    }
    uint64_t whole = micros / (uint64_t)SPAN_SECOND;
    uint32_t rest = (uint32_t)(micros - whole * (uint64_t)SPAN_SECOND);
    at = digits_put(at, whole);
    return rest ? digits_put_millionths(at, rest) : at;
}

#endif
