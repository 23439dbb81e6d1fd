/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The headers that each cmocka program needs, in the order that cmocka
 * requires. */
#ifndef TESTS_SUPPORT_TEST_H
#define TESTS_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
