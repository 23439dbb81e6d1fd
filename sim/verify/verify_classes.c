/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks the column `class` of jobs.csv, and computes the part `classes` of
 * summary.json again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim/verify/verify.h"

struct classes_sums {
    double jobs[2], finished[2], jct[2], queued[2]; /* [1]: spot */
    double stops, early, good, lost;
};

static const char *classes_setting(const struct verify_data *data,
                                   const char *key)
{
    const char *text = json_string_value(json_object_get(
        json_object_get(json_object_get(data->manifest, "configuration"),
                        "job-classes"),
        key));
    return text ? text : "";
}

/* True if `words`, separated by '|', have this priority. */
static bool classes_say_spot(const char *words, const char *priority)
{
    const size_t n = strlen(priority);
    for (const char *at = words; n && *at; at += *at == '|') {
        size_t skip = strspn(at, " "), length;
        at += skip;
        length = strcspn(at, "|");
        if (length == n && strncasecmp(at, priority, n) == 0)
            return true;
        at += length;
    }
    return false;
}

static void add_spot(const struct verify_data *data,
                     const struct verify_job *job, double window,
                     struct classes_sums *s)
{
    for (uint32_t k = 0; k < job->n_attempts; k++) {
        const size_t i = job->first_attempt + k;
        const struct verify_attempt *a = &data->attempts[i];
        const double windows = (double)(a->end - a->start) / window;
        s->good += a->how == 'f' ? fmax(1, ceil(windows)) : floor(windows);
        s->stops += a->how == 's';
        s->early += a->how == 's' && windows < 1;
        if (a->how != 's')
            continue;
        const struct verify_attempt_more *m = verify_more_of_attempt(data, a);
        s->lost += (double)(m->lost + m->resume) * a->gpus;
    }
}

static void classes_expect(const struct verify_part *part,
                           const struct classes_sums *s, const char *class,
                           bool spot)
{
    const struct {
        const char *name;
        double value;
    } rows[] = {
        {"jobs", s->jobs[spot]},
        {"jct_mean_s",
         s->finished[spot] > 0 ? s->jct[spot] / s->finished[spot] / 1e6 : NAN},
        {"queue_delay_mean_s", s->finished[spot] > 0
                                   ? s->queued[spot] / s->finished[spot] / 1e6
                                   : NAN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char key[64];
        snprintf(key, sizeof key, "%s_%s", class, rows[i].name);
        verify_part_expect(part, key, rows[i].value);
    }
}

void verify_classes(const struct verify_data *data,
                    struct verify_report *report)
{
    const char *words = classes_setting(data, "spot");
    const double window = strtod(classes_setting(data, "guarantee_s"), NULL);
    struct verify_part part;
    struct classes_sums s = {0};
    size_t n_spot = 0;
    for (size_t i = 0; i < data->n_jobs; i++) {
        const struct verify_job *job = &data->jobs[i];
        const struct verify_job_class none = {"", ""};
        const struct verify_job_class *m =
            data->classes ? &data->classes[i] : &none;
        const bool spot = strcmp(m->class, "spot") == 0;
        n_spot += spot;
        if (*words && (spot != classes_say_spot(words, m->priority) ||
                       (!spot && strcmp(m->class, "guaranteed") != 0)))
            verify_say_job(data, report, job, "class",
                           "class is '%s', but its priority '%s' and the "
                           "words for spot '%s' say otherwise",
                           m->class, m->priority, words);
        if (!verify_counts(data, job))
            continue;
        s.jobs[spot]++;
        s.finished[spot] += job->finished;
        s.jct[spot] +=
            job->finished ? (double)(job->finish - job->submitted) : 0;
        s.queued[spot] += job->finished ? (double)job->queue_delay : 0;
        if (spot && window > 0)
            add_spot(data, job, window * 1e6, &s);
    }
    if (!verify_part_find(data, "classes", n_spot > 0, report, &part))
        return;
    classes_expect(&part, &s, "guaranteed", false);
    classes_expect(&part, &s, "spot", true);
    verify_part_expect(&part, "spot_evictions", s.stops);
    verify_part_expect(&part, "eviction_rate",
                       s.stops + s.good > 0 ? s.stops / (s.stops + s.good)
                                            : NAN);
    verify_part_expect(&part, "guarantee_violations", s.early);
    verify_part_expect(&part, "lost_gpu_hours", s.lost / 3.6e9);
}
