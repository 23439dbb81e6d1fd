/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds again which jobs the metrics of jobs count: those between the warm-up
 * and the cool-down that manifest.json names. */
#include <math.h>
#include <string.h>

#include "sim/verify/verify.h"

/* Reads a length of time, such as "2d", or a share of `whole`, such as "10%"; 0
 * if the text is neither. */
static sim_span cut_of(const char *given, sim_span whole)
{
    sim_span span = 0;
    size_t n = given ? strlen(given) : 0;
    char percent[64];
    double value = 0;
    if (n > 1 && n < sizeof percent && given[n - 1] == '%') {
        memcpy(percent, given, n - 1);
        percent[n - 1] = '\0';
        if (text_to_double(text_trim(text_from(percent)), &value))
            span = (sim_span)floor((double)whole * (value / 100));
        return span;
    }
    return n && text_to_duration(text_from(given), &span) ? span : 0;
}

static sim_span seconds_of(const json_t *value)
{
    sim_span span = 0;
    const char *text = json_string_value(value);
    if (text && text_to_any_span(text_from(text), &span))
        return span;
    span_from_outside(json_number_value(value), SECONDS_MAX, &span);
    return span;
}

bool verify_counts(const struct verify_data *data, const struct verify_job *job)
{
    return job->submitted >= data->count_from &&
           job->submitted <= data->count_to;
}

void verify_counted(struct verify_data *data, struct verify_report *report)
{
    const json_t *counted = json_object_get(data->manifest, "counted");
    json_int_t jobs = 0;
    data->count_from = INT64_MIN;
    data->count_to = INT64_MAX;
    if (!counted || data->n_jobs == 0)
        return;
    sim_time first = data->jobs[0].submitted;
    sim_time last = data->jobs[data->n_jobs - 1].submitted;
    const char *warmup = json_string_value(json_object_get(counted, "warmup"));
    const char *cooldown =
        json_string_value(json_object_get(counted, "cooldown"));
    data->count_from = first + cut_of(warmup, last - first);
    data->count_to = last - cut_of(cooldown, last - first);
    for (size_t i = 0; i < data->n_jobs; i++)
        jobs += verify_counts(data, &data->jobs[i]);
    if (seconds_of(json_object_get(counted, "from_s")) != data->count_from ||
        seconds_of(json_object_get(counted, "to_s")) != data->count_to)
        verify_say(report,
                   "manifest.counted: --warmup and --cooldown count "
                   "submissions from %.15g s to %.15g s",
                   span_seconds(data->count_from),
                   span_seconds(data->count_to));
    if (json_integer_value(json_object_get(counted, "jobs")) != jobs)
        verify_say(
            report, "manifest.counted.jobs: is %lld, jobs.csv gives %lld",
            (long long)json_integer_value(json_object_get(counted, "jobs")),
            (long long)jobs);
}
