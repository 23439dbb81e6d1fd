/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CHECK tests an invariant and is always compiled in. A failed check is a
 * bug in this program: it prints what is needed to reproduce the bug and
 * aborts. */
#ifndef SIM_BASE_CHECK_H
#define SIM_BASE_CHECK_H

#include "sim/base/units.h"

/* The place in the simulation at which a check failed. Filled by the engine. */
struct check_where {
    sim_time now;
    job_id job;
    uint64_t seed;
};

__attribute__((noreturn)) void check_failed(const char *file, int line,
                                            const char *what,
                                            const struct check_where *where);

#define CHECK(cond) \
    do { \
        if (__builtin_expect(!(cond), 0)) \
            check_failed(__FILE__, __LINE__, #cond, 0); \
    } while (0)

#define CHECK_IN(where, cond) \
    do { \
        if (__builtin_expect(!(cond), 0)) \
            check_failed(__FILE__, __LINE__, #cond, (where)); \
    } while (0)

#endif
