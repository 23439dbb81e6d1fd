/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the part `deadlines` of summary.json again. */
#include <math.h>

#include "sim/verify/verify.h"

void verify_deadlines(const struct verify_data *data,
                      struct verify_report *report)
{
    struct verify_part part;
    double jobs = 0, missed = 0, finished = 0, sum = 0, most = 0;
    for (size_t i = 0; data->deadlines && i < data->n_jobs; i++) {
        const struct verify_job *job = &data->jobs[i];
        if (data->deadlines[i] == TIME_NEVER || !verify_counts(data, job))
            continue;
        sim_time end =
            job->finish > job->submitted ? job->finish : job->submitted;
        double late = fmax(0, (double)(end - data->deadlines[i]));
        jobs++;
        missed += late > 0 || (job->ended && !job->finished);
        if (!job->finished)
            continue;
        finished++;
        sum += late;
        most = fmax(most, late);
    }
    if (!verify_part_find(data, "deadlines", jobs > 0, report, &part))
        return;
    verify_part_expect(&part, "jobs", jobs);
    verify_part_expect(&part, "deadline_missed", missed);
    verify_part_expect(&part, "tardiness_mean_s",
                       finished > 0 ? sum / finished / 1e6 : NAN);
    verify_part_expect(&part, "tardiness_max_s",
                       finished > 0 ? most / 1e6 : NAN);
}
