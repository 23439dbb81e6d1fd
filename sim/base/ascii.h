/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes of ASCII characters. Unlike those of the C library they do not depend
 * on the locale and accept any char: a byte of a longer UTF-8 sequence belongs
 * to no class. */
#ifndef SIM_BASE_ASCII_H
#define SIM_BASE_ASCII_H

#include <stdbool.h>

static inline bool ascii_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool ascii_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool ascii_is_letter(char c)
{
    return ascii_is_upper(c) || (c >= 'a' && c <= 'z');
}

static inline bool ascii_is_alnum(char c)
{
    return ascii_is_letter(c) || ascii_is_digit(c);
}

/* A character of a name in a programming language. */
static inline bool ascii_is_name(char c)
{
    return ascii_is_alnum(c) || c == '_';
}

static inline bool ascii_is_hex(char c)
{
    return ascii_is_digit(c) || (c >= 'a' && c <= 'f') ||
           (c >= 'A' && c <= 'F');
}

/* Returns the small letter of a capital, and any other character unchanged. */
static inline char ascii_lower(char c)
{
    return ascii_is_upper(c) ? (char)(c | 32) : c;
}

#endif
