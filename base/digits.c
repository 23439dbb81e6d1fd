/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/digits.h"

#define THREE(a, b, c) ((a) | (b) << 8 | (c) << 16)
#define ONES(a, b) \
    THREE(a, b, 0), THREE(a, b, 1), THREE(a, b, 2), THREE(a, b, 3), \
        THREE(a, b, 4), THREE(a, b, 5), THREE(a, b, 6), THREE(a, b, 7), \
        THREE(a, b, 8), THREE(a, b, 9)
#define TENS(a) \
    ONES(a, 0), ONES(a, 1), ONES(a, 2), ONES(a, 3), ONES(a, 4), ONES(a, 5), \
        ONES(a, 6), ONES(a, 7), ONES(a, 8), ONES(a, 9)

const uint32_t digits_three[1000] = {TENS(0), TENS(1), TENS(2), TENS(3),
                                     TENS(4), TENS(5), TENS(6), TENS(7),
                                     TENS(8), TENS(9)};

char *digits_put_large(char *at, uint64_t value)
{
    at = digits_put(at, value / DIGITS_MILLION);
    digits_store(at, digits_six((uint32_t)(value % DIGITS_MILLION)));
    return at + 6;
}
