/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Beliefs drawn from the truth with errors that settings give, by default the
 * published ones. They serve jobs for which the trace gives neither a name nor
 * a model, so that no similar jobs can be found; with beliefs=law they serve
 * all jobs. Since the errors are put in, a run with this law says nothing about
 * how accurate the advisor is. */
#include <math.h>

#include "base/rng.h"
#include "base/state/truth.h"
#include "schedmate/simulated/simulated_internal.h"

enum { DRAW_DURATION = 8, DRAW_UTIL }; /* arguments `k` of keyed draws */

void advisor_law(const struct schedmate_config *config,
                 const struct truth_book *truth, uint64_t stream,
                 const struct job *job, sim_time now, struct advice *out)
{
    double z = keyed_normal(stream, job->id, DRAW_DURATION);
    sim_span work = truth->remaining(truth, job->id, now);
    *out = (struct advice){
        .seconds = span_seconds(work) * exp(config->duration_sigma * z),
        .compute = -1,
        .mem_mib = -1,
    };
    if (job->gpu_util == GPU_UTIL_UNKNOWN)
        return;
    /* The setting is the mean of |error|; sqrt(2 / pi) is the mean of |z|. */
    double sigma = config->util_error * sqrt(acos(-1.0) / 2);
    double factor = 1 + sigma * keyed_normal(stream, job->id, DRAW_UTIL);
    double compute = job->gpu_util / 100.0 * factor;
    out->compute = fmin(1, fmax(0, compute));
    if (job->mem_mib > 0) /* no error of memory was published */
        out->mem_mib = (double)job->mem_mib;
}
