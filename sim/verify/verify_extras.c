/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes again the numbers of summary.json that the user asked for: shares of
 * jobs that wait longer than a time, Jain's index, groups by user and by GPU
 * type. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/verify/verify_internal.h"

static const char *extras_setting(const struct verify_data *data,
                                  const char *key)
{
    return json_string_value(json_object_get(
        json_object_get(json_object_get(data->manifest, "configuration"),
                        "results"),
        key));
}

bool verify_groups_by(const struct verify_data *data, const char *what)
{
    const char *by = extras_setting(data, "by");
    return by && strstr(by, what);
}

void verify_waits(const struct verify_data *data,
                  const struct verify_member_list *list, json_t *object)
{
    const char *text = extras_setting(data, "wait_over");
    struct text rest = text_from(text ? text : "");
    while (rest.len) {
        struct text word = text_split(rest, ',', &rest);
        sim_span over;
        char key[96];
        double n = 0, longer = 0;
        if (!text_to_any_span(word, &over))
            continue;
        for (size_t i = 0; i < list->n; i++) {
            const struct verify_job *job = verify_member(data, list, i);
            if (!verify_counts(data, job))
                continue;
            n++;
            longer += job->queue_delay > over ||
                      strcmp(verify_outcomes[job->outcome], "rejected") == 0;
        }
        snprintf(key, sizeof key, "share_waiting_over_%.*ss", TEXT_ARGS(word));
        json_object_set_new(object, key,
                            n > 0 ? json_real(longer / n) : json_null());
    }
}

static void set_jain(json_t *object, const char *key, double sum,
                     double squares, double n)
{
    json_object_set_new(object, key,
                        squares > 0 ? json_real(sum * sum / (n * squares))
                                    : json_null());
}

void verify_jain(const struct verify_data *data, json_t *object)
{
    size_t n_users = data->users.n_strings;
    double *needed = mem_zalloc(n_users + 1, sizeof *needed),
           *spent = mem_zalloc(n_users + 1, sizeof *spent);
    double sum = 0, squares = 0, n = 0, rho = 0, rho2 = 0, n_rho = 0;
    for (size_t i = 0; i < data->n_jobs; i++) {
        const struct verify_job *job = &data->jobs[i];
        const struct verify_job_more *m = &data->job_more[i];
        if (!job->finished || !verify_counts(data, job))
            continue;
        needed[job->user] += (double)job->duration;
        spent[job->user] += (double)verify_life(job);
        rho += m->has_rho ? m->rho : 0;
        rho2 += m->has_rho ? m->rho * m->rho : 0;
        n_rho += m->has_rho;
    }
    /* symbol 0 is the empty text: no user */
    for (size_t u = 1; u < n_users; u++) {
        double x = spent[u] > 0 ? needed[u] / spent[u] : 0;
        sum += x;
        squares += x * x;
        n += spent[u] > 0;
    }
    set_jain(object, "jain_users", sum, squares, n);
    set_jain(object, "jain_rho", rho, rho2, n_rho);
    free(needed);
    free(spent);
}

uint32_t verify_type_of(const struct verify_data *data,
                        const struct verify_job *job)
{
    if (job->n_attempts == 0)
        return UINT32_MAX;
    const struct verify_attempt *last =
        &data->attempts[job->first_attempt + job->n_attempts - 1];
    if (last->n_ranges == 0)
        return UINT32_MAX;
    uint32_t gpu = data->ranges[last->first_gpu_range].first;
    return data->nodes[data->node_of[gpu]].type;
}

/* Counts the jobs of each key. Keys number names or kinds, or are UINT32_MAX,
 * whose jobs come last. */
uint32_t *verify_order(const struct verify_data *data, const uint32_t *keys)
{
    const size_t n = data->n_jobs;
    uint32_t *order = mem_alloc((n + 1) * sizeof *order), most = 0;
    for (size_t i = 0; i < n; i++)
        most = keys[i] != UINT32_MAX && keys[i] > most ? keys[i] : most;
    /* by key: the place of the next job with it */
    uint32_t *next = mem_zalloc((size_t)most + 3, sizeof *next);
    for (size_t i = 0; i < n; i++)
        next[(keys[i] == UINT32_MAX ? most + 1 : keys[i]) + 1]++;
    for (size_t k = 0; k <= most; k++)
        next[k + 1] += next[k];
    for (uint32_t i = 0; i < n; i++)
        order[next[keys[i] == UINT32_MAX ? most + 1 : keys[i]]++] = i;
    free(next);
    return order;
}
