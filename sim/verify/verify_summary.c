/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks the head of summary.json: what it repeats of manifest.json, and
 * whether the run is complete. */
#include <stdio.h>
#include <string.h>

#include "sim/verify/verify_internal.h"

/* Values of summary.json and the values of manifest.json that they repeat. */
static const struct {
    const char *have, *want;
} summary_copies[] = {
    {"policy", "policy"},
    {"placer", "placer"},
    {"rules", "rules"},
    {"cluster", "cluster.name"},
    {"format", "input.format"},
    {"remarks", "remarks"},
    {"remark_ranks", "remark_ranks"},
    {"identity.trace", "input.sha256"},
    {"identity.policy", "policy"},
    {"identity.rules", "rules"},
    {"identity.first_submission", "input.time_zero"},
};

static const json_t *summary_value(const json_t *root, const char *path)
{
    struct text rest = text_from(path);
    while (rest.len) {
        char key[32];
        struct text word = text_split(rest, '.', &rest);
        snprintf(key, sizeof key, "%.*s", TEXT_ARGS(word));
        root = json_object_get(root, key);
    }
    return root;
}

static void summary_check_copies(const struct verify_data *data,
                                 struct verify_report *report)
{
    for (size_t i = 0; i < sizeof summary_copies / sizeof *summary_copies;
         i++) {
        const json_t *have =
            summary_value(data->summary, summary_copies[i].have);
        const json_t *want =
            summary_value(data->manifest, summary_copies[i].want);
        if (!json_equal(have, want) && (have || want))
            verify_say(report, "summary.%s: differs from %s of manifest.json",
                       summary_copies[i].have, summary_copies[i].want);
    }
    const char *jobs =
        json_string_value(summary_value(data->summary, "identity.jobs"));
    char want[24];
    snprintf(want, sizeof want, "%zu", data->n_jobs);
    if (!jobs || strcmp(jobs, want) != 0)
        verify_say(report, "summary.identity.jobs: jobs.csv has %zu",
                   data->n_jobs);
}

/* Checks the share of the GPU time asked for that the finished jobs hold, which
 * the summary of an incomplete run has. */
static void summary_check_share(const struct verify_data *data, bool wanted,
                                struct verify_report *report)
{
    const json_t *have = json_object_get(data->summary, "finished_share");
    double asked = 0, finished = 0;
    for (size_t i = 0; i < data->n_jobs; i++) {
        const struct verify_job *job = &data->jobs[i];
        double time = (double)job->duration * job->gpus;
        asked += time;
        finished += job->finished ? time : 0;
    }
    const double share = asked > 0 ? finished / asked : NAN;
    if (wanted != (have != NULL))
        verify_say(report, "summary.finished_share: %s",
                   wanted ? "is missing" : "should not be there");
    else if (json_is_number(have) &&
             fabs(share - json_number_value(have)) > 1e-9)
        verify_say(report,
                   "summary.finished_share: is %.15g, jobs.csv gives %.15g",
                   json_number_value(have), share);
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
    const json_t *complete = json_object_get(data->summary, "complete");
    if (!json_is_boolean(complete) || json_is_true(complete) != (n == 0))
        verify_say(report,
                   "summary.complete: is %s, but %lld jobs did not finish",
                   json_is_true(complete) ? "true" : "false", (long long)n);
    const char *why =
        json_string_value(json_object_get(data->summary, "unfinished_why"));
    if ((why && *why) != (n > 0))
        verify_say(report, "summary.unfinished_why: %s",
                   n > 0 ? "is missing" : "should not be there");
    summary_check_share(data, n > 0, report);
}

void verify_summary(const struct verify_data *data,
                    struct verify_report *report)
{
    summary_check_copies(data, report);
    summary_check_complete(data, report);
}
