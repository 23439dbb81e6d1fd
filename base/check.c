/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn void check_failed(const char *file, int line, const char *what,
                            const struct check_where *where)
{
    fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, what);
    if (where) {
        fprintf(stderr, "  at %.6f s, job %" PRId64 ", seed %" PRIu64 "\n",
                span_seconds(where->now),
                where->job == JOB_NONE ? -1 : (int64_t)where->job, where->seed);
    }
    abort();
}
