/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds again which jobs the metrics of jobs count: those between the warm-up
 * and the cool-down that manifest.json names. */
#include <math.h>
#include <string.h>

#include "sim/verify/verify.h"

/* Reads a length of time, such as "2d", or a share of `whole`, such as "10%"; 0
 * if the text is neither. */
static sim_span cut_of(const char *text, sim_span whole)
{
    struct text given = text_from(text ? text : "");
    sim_span span = 0;
    double value = 0;
    if (given.len && given.at[given.len - 1] == '%') {
        given.len--;
        if (text_to_double(text_trim(given), &value))
            span = (sim_span)floor((double)whole * (value / 100));
        return span;
    }
    return text_to_duration(given, &span) ? span : 0;
}

bool verify_counts(const struct verify_data *data, const struct verify_job *job)
{
    return job->submitted >= data->count_from &&
           job->submitted <= data->count_to;
}

/* Returns an option as given; without the provenance, what the manifest says of
 * it. */
static const char *counted_given(const struct verify_data *data,
                                 const char *option)
{
    const json_t *provenance = json_object_get(data->manifest, "provenance");
    const char *given = json_string_value(
        json_object_get(provenance ? json_object_get(provenance, "options")
                                   : json_object_get(data->manifest, "counted"),
                        option));
    return given ? given : "0";
}

void verify_counted(struct verify_data *data)
{
    const json_t *counted = json_object_get(data->manifest, "counted");
    json_int_t jobs = 0;
    char text[2 * SPAN_TEXT_MAX + 4];
    size_t n;
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
    json_object_set_new(data->want_manifest, "counted",
                        json_pack("{s:s, s:s, s:f, s:f, s:I}", "warmup",
                                  counted_given(data, "warmup"), "cooldown",
                                  counted_given(data, "cooldown"), "from_s",
                                  span_seconds(data->count_from), "to_s",
                                  span_seconds(data->count_to), "jobs", jobs));
    n = span_to_text(data->count_from, text);
    memcpy(text + n, " to ", 4);
    n += 4;
    n += span_to_text(data->count_to, text + n);
    json_object_set_new(verify_identity(data), "counted",
                        json_stringn(text, n));
}
