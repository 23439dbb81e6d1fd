/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks whether the run is complete, and of how many jobs. */
#include <stdio.h>
#include <string.h>

#include "sim/verify/verify_internal.h"

json_t *verify_identity(const struct verify_data *data)
{
    json_t *part = json_object_get(data->want_summary, "identity");
    if (!part) {
        part = json_object();
        json_object_set_new(data->want_summary, "identity", part);
    }
    return part;
}

/* Gives the share of the GPU time asked for that the finished jobs hold, which
 * the summary of an incomplete run has. */
static void summary_expect_share(const struct verify_data *data)
{
    double asked = 0, finished = 0;
    for (size_t i = 0; i < data->n_jobs; i++) {
        const struct verify_job *job = &data->jobs[i];
        double time = (double)job->duration * job->gpus;
        asked += time;
        finished += job->finished ? time : 0;
    }
    json_object_set_new(data->want_summary, "finished_share",
                        asked > 0 ? json_real(finished / asked) : json_null());
}

/* Checks the number of jobs that did not finish: those that wait, run or were
 * rejected, and of those given up the ones that began too often. */
static void summary_check_complete(const struct verify_data *data,
                                   struct verify_report *report)
{
    json_int_t least = 0, most = 0;
    for (size_t i = 0; i < data->n_jobs; i++) {
        const char *outcome = verify_outcomes[data->jobs[i].outcome];
        const bool lost = !data->jobs[i].finished;
        most += lost;
        least += lost && strcmp(outcome, "given-up") != 0;
    }
    const json_t *have = json_object_get(data->summary, "unfinished");
    const json_int_t n = json_integer_value(have);
    if (!json_is_integer(have) || n < least || n > most)
        verify_say(report, "summary.unfinished: is %lld, jobs.csv gives %lld",
                   (long long)n, (long long)least);
    json_object_set_new(data->want_summary, "complete", json_boolean(n == 0));
    const bool says_why = json_object_get(data->summary, "unfinished_why");
    if (says_why != (n > 0))
        verify_say(report, "summary.unfinished_why: %s",
                   n > 0 ? "is missing" : "should not be there");
    if (n > 0)
        summary_expect_share(data);
}

void verify_summary(const struct verify_data *data,
                    struct verify_report *report)
{
    char jobs[24];
    snprintf(jobs, sizeof jobs, "%zu", data->n_jobs);
    json_object_set_new(verify_identity(data), "jobs", json_string(jobs));
    summary_check_complete(data, report);
}
