/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/page_data.h"

static json_t *run_data(const struct report_run *run)
{
    const struct verify_data *d = &run->data;
    json_t *json = json_object();
    json_put(json, "label", json_text(run->label));
    json_put(json, "policy", json_text(run->policy));
    json_put(json, "dir", json_text(run->dir));
    json_put(json, "end_s", json_number(span_seconds(d->end)));
    json_put(json, "summary", json_incref(d->summary));
    json_put(json, "servers", json_integer(run->servers));
    json_put(json, "questions", json_integer((json_int_t)run->n_questions));
    json_put(json, "faults", json_boolean(run->failures.exists));
    return json;
}

json_t *page_data(const struct report_runs *runs,
                  const struct page_wishes *wishes)
{
    json_t *json = json_object(), *all = json_array();
    json_put(json, "program", json_text(SCHEDSIM_VERSION));
    json_put(json, "title", json_text(wishes->title));
    json_put(json, "waiters", json_integer(wishes->waiters));
    json_put(json, "end_s", json_number(span_seconds(runs->end)));
    json_put(json, "same_jobs", json_boolean(runs->same_jobs));
    json_put(json, "differs", json_text(runs->differs));
    for (size_t i = 0; i < runs->n; i++)
        json_array_append_new(all, run_data(&runs->at[i]));
    json_put(json, "runs", all);
    return json;
}
