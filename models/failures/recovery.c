/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/failures/recovery.h"

#include <math.h>

#include "base/rng.h"

void recovery_ask(const struct recovery *first, const struct failure *failure,
                  struct ruling *out)
{
    for (const struct recovery *r = first; r; r = r->below) {
        if (!r->ops->rule(r, failure, out))
            continue;
        if (!out->by)
            out->by = r->ops->name;
        return;
    }
}

sim_span recovery_draw(uint64_t stream, const struct failure *failure,
                       uint32_t k, sim_span median, double sigma)
{
    double seconds = span_seconds(median) *
                     exp(sigma * keyed_normal(stream, failure->key, k));
    return span_from_seconds(seconds < SECONDS_MAX ? seconds : SECONDS_MAX);
}
