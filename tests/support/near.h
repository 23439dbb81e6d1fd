/* SPDX-License-Identifier: GPL-3.0-or-later */
/* assert_near fails the test unless two numbers differ by at most `room`. */
#ifndef TESTS_SUPPORT_NEAR_H
#define TESTS_SUPPORT_NEAR_H

#include <math.h>

#include "tests/support/test.h"

#define assert_near(a, b, room) \
    do { \
        double near_a = (a), near_b = (b); \
        if (!(fabs(near_a - near_b) <= (room))) \
            fail_msg("%s is %.17g, not %.17g", #a, near_a, near_b); \
    } while (0)

#endif
