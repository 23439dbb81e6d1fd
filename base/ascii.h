/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes of ASCII characters. Unlike the functions of the C library, these
 * do not depend on the locale and accept any char. A byte of a multi-byte
 * UTF-8 sequence belongs to no class. */
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

/* True for a character that may stand in an identifier. */
static inline bool ascii_is_name(char c)
{
    return ascii_is_alnum(c) || c == '_';
}

static inline bool ascii_is_hex(char c)
{
    return ascii_is_digit(c) || (c >= 'a' && c <= 'f') ||
           (c >= 'A' && c <= 'F');
}

/* Returns the lower-case form of an upper-case letter, and any other
 * character unchanged. */
static inline char ascii_lower(char c)
{
    return ascii_is_upper(c) ? (char)(c | 32) : c;
}

#endif
