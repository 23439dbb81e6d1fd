/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CHECK and CHECK_IN test an invariant and are always compiled in. If it is
 * broken, which is a bug of this program, they print the condition and its
 * place in the code (CHECK_IN also the time, the job and the seed) and
 * abort. The code is in memory.c. */
#ifndef SIM_BASE_CHECK_H
#define SIM_BASE_CHECK_H

#include "base/units.h"

/* Where the simulation stands when a check fails: the time, the job (JOB_NONE:
 * no particular job) and the seed. Filled by the caller of CHECK_IN. */
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
