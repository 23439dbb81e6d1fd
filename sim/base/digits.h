/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decimal digits without branches on the number: eight are made at a time by
 * multiplication (P. Khuong, "How to print integers really fast", 2017), and
 * always eight bytes are stored, of which the leading or trailing zeroes are
 * not counted. Lengths of numbers cannot be foreseen by a processor, so a loop
 * over the digits costs more than all eight. */
#ifndef SIM_BASE_DIGITS_H
#define SIM_BASE_DIGITS_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "sim/base/units.h"

/* Each of these stores up to DIGITS_SPARE bytes more than it counts. */
enum { DIGITS_SPARE = 7, DIGITS_EIGHT = 100000000 };

/* Of a number below 10^8: the first digit in the lowest byte, not yet ASCII.
 * The halves are split into pairs and those into digits, all at once: 10486 /
 * 2^20 is 1/100 for what is below 10^4, 103 / 2^10 is 1/10 below 100. */
static inline uint64_t digits_of(uint32_t value)
{
    uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t tens = fours * 10486 >> 20 & UINT64_C(0x0000007f0000007f);
    uint64_t twos = tens | (fours - tens * 100) << 16;
    tens = twos * 103 >> 10 & UINT64_C(0x000f000f000f000f);
    return tens | (twos - tens * 10) << 8;
}

static inline void digits_store(char *at, uint64_t digits)
{
    uint64_t bytes = htole64(digits | UINT64_C(0x3030303030303030));
    memcpy(at, &bytes, sizeof bytes);
}

/* Of a number below 10^8; returns the end. */
static inline char *digits_put_small(char *at, uint32_t value)
{
    uint64_t digits = digits_of(value);
    /* The last digit is written even if it is 0. */
    unsigned zeroes = (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 56) / 8;
    digits_store(at, digits >> 8 * zeroes);
    return at + 8 - zeroes;
}

char *digits_put_large(char *at, uint64_t value);

static inline char *digits_put(char *at, uint64_t value)
{
    return __builtin_expect(value < DIGITS_EIGHT, 1)
               ? digits_put_small(at, (uint32_t)value)
               : digits_put_large(at, value);
}

/* A point and millionths without their trailing zeroes; nothing for 0. */
static inline char *digits_put_millionths(char *at, uint32_t millionths)
{
    uint64_t digits = digits_of(millionths * 100);
    unsigned length = (71 - (unsigned)__builtin_clzll(digits | 1)) / 8;
    *at = '.';
    digits_store(at + 1, digits);
    return millionths ? at + 1 + length : at;
}

/* Seconds: as span_to_text. */
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
