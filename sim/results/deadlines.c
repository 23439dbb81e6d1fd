/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/deadlines.h"

#include "base/json.h"

static double deadlines_tardiness_mean(const void *part)
{
    const struct deadlines *d = part;
    return d->finished
               ? d->tardiness / (double)d->finished / (double)SPAN_SECOND
               : NAN;
}

static double deadlines_tardiness_max(const void *part)
{
    const struct deadlines *d = part;
    return d->finished ? span_seconds(d->tardiness_max) : NAN;
}

const struct scalar deadline_scalars[] = {
    {{"jobs", "jobs", "count, law deadlines",
      "jobs that count and have a deadline"},
     SCALAR_FIELD(struct deadlines, jobs)},
    {{"deadline_missed", "jobs", "count, law deadlines",
      "those that ended after it, were given up or rejected, or had not ended "
      "when the run ended after it"},
     SCALAR_FIELD(struct deadlines, missed)},
    {{"share_missed", "", "share or null, deadline_missed / jobs",
      "deadline_missed / jobs"},
     SCALAR_RATIO(struct deadlines, missed, jobs)},
    {{"tardiness_mean_s", "s", "time or null, law deadlines",
      "time from the deadline to the end, 0 for a job in time; mean over the "
      "jobs that ran to their recorded end"},
     .compute = deadlines_tardiness_mean},
    {{"tardiness_max_s", "s", "time or null, law deadlines",
      "the longest such time"},
     .compute = deadlines_tardiness_max},
    {.column = {.name = NULL}},
};

void deadlines_add(struct deadlines *deadlines, const struct run_result *run,
                   const struct facts *f)
{
    const struct job_terms *terms = run->jobset.terms;
    if (terms[f->job->id].deadline == JOB_NO_DEADLINE ||
        !counted_has(&run->counted, f->job))
        return;
    sim_span late = f->end - f->job->submitted - terms[f->job->id].deadline;
    late = late > 0 ? late : 0;
    deadlines->jobs++;
    deadlines->missed += late > 0 || (f->ended && !f->finished);
    if (!f->finished)
        return;
    deadlines->finished++;
    deadlines->tardiness += (double)late;
    if (late > deadlines->tardiness_max)
        deadlines->tardiness_max = late;
}

void report_deadlines(struct json_stream *js, const struct deadlines *deadlines)
{
    json_stream_object(js, "deadlines");
    report_scalars(js, deadline_scalars, deadlines);
    json_stream_object_end(js);
}
