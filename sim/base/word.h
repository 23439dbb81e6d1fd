/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One to eight digits read at once, without a loop over them. */
#ifndef SIM_BASE_WORD_H
#define SIM_BASE_WORD_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { WORD_MAX = 8 };

#define WORD_BYTES(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Returns the n bytes at `at`, 1 <= n <= WORD_MAX, after enough '0' to make
 * them eight; the first is the lowest byte. Reads nothing beyond the n
 * bytes. */
static inline uint64_t word_of(const char *at, size_t n)
{
    const uint64_t zeros = WORD_BYTES('0') >> 8 >> 8 * (n - 1);
    if (n >= sizeof(uint32_t)) {
        uint32_t first, last; /* they overlap, unless n is 8 */
        memcpy(&first, at, sizeof first);
        memcpy(&last, at + n - sizeof last, sizeof last);
        return zeros | (uint64_t)le32toh(last) << 32 |
               (uint64_t)le32toh(first) << 8 * (WORD_MAX - n);
    }
    const unsigned char *u = (const unsigned char *)at;
    return zeros | (uint64_t)u[n - 1] << 56 |
           (uint64_t)u[n / 2] << (n == 3 ? 48 : 56) |
           (uint64_t)u[0] << 8 * (WORD_MAX - n);
}

/* False if one of the eight bytes is not a digit. */
static inline bool word_number(uint64_t word, uint64_t *out)
{
    const uint64_t high = WORD_BYTES(0xf0), pair = UINT64_C(0x000000ff000000ff);
    if ((word & high) != WORD_BYTES('0') ||
        ((word + WORD_BYTES(6)) & high) != WORD_BYTES('0'))
        return false;
    word &= WORD_BYTES(0x0f);
    word = word * 10 + (word >> 8); /* every second byte holds two digits */
    *out = ((word & pair) * (100 + (UINT64_C(1000000) << 32)) +
            (word >> 16 & pair) * (1 + (UINT64_C(10000) << 32))) >>
           32;
    return true;
}

/* Removes the first '.'; the bytes before it move up. Returns how many bytes
 * follow it, or 0 if there is no point. */
static inline unsigned word_cut_point(uint64_t *word)
{
    const uint64_t other = *word ^ WORD_BYTES('.');
    const uint64_t hit = (other - WORD_BYTES(1)) & ~other & WORD_BYTES(0x80);
    if (!hit)
        return 0;
    const unsigned at = (unsigned)__builtin_ctzll(hit) / 8;
    const uint64_t before = (UINT64_C(1) << 8 * at) - 1;
    *word = (*word & ~(before << 8 | 0xff)) | (*word & before) << 8 | '0';
    return WORD_MAX - 1 - at;
}

#endif
