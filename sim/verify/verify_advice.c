/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/verify/verify_advice.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void say_at(const struct verify_advices *v,
                   const struct verify_question *q, const char *what)
{
    verify_say(v->report, "advice.csv:%" PRIu64 ": %s", q->line, what);
}

static void check_order(struct verify_advices *v,
                        const struct verify_question *q)
{
    if (q->asked < v->before || q->asked > v->data->end)
        say_at(v, q,
               "asked_s: is before that of the row above, or after the "
               "end of the run");
    v->before = q->asked;
}

/* Simulates the servers: the one that is free first takes the question, when it
 * is asked or as soon as the server is free. */
static void check_station(struct verify_advices *v,
                          const struct verify_question *q)
{
    uint32_t best = 0;
    if (q->server == VERIFY_NO_SERVER) {
        if (q->begun != q->asked || q->answered != q->asked)
            say_at(v, q,
                   "begun_s or answered_s: is later than asked_s, "
                   "although the model was not asked");
        return;
    }
    for (uint32_t i = 1; i < v->options.servers; i++) {
        if (v->free_at[i] < v->free_at[best])
            best = i;
    }
    sim_time begun = v->free_at[best] > q->asked ? v->free_at[best] : q->asked;
    if (q->server != best)
        say_at(v, q, "server: another server was free earlier");
    if (q->begun != begun)
        say_at(v, q,
               "begun_s: is not the time at which the first server was "
               "free");
    v->free_at[best] = verify_span_sum(begun, q->answered - q->begun);
}

/* Checks how long the server worked on a question. In a replay a recording
 * gives this time, so it is not checked. */
static void check_service(const struct verify_advices *v,
                          const struct verify_question *q)
{
    const struct verify_advice_options *o = &v->options;
    sim_span service = q->answered - q->begun;
    if (q->server == VERIFY_NO_SERVER || strcmp(o->fidelity, "replay") == 0)
        return;
    if (service < o->shortest[q->module] || service > o->longest[q->module])
        say_at(v, q,
               "answered_s: the time from begun_s is not what the options of "
               "--schedmate say");
}

static void check_basis(const struct verify_advices *v,
                        const struct verify_question *q)
{
    bool jobs = q->basis == BASIS_RESUBMISSION || q->basis == BASIS_SIMILAR;
    bool good = q->module == ADVISOR
                    ? q->basis != BASIS_READ
                    : q->basis == BASIS_READ || q->basis == BASIS_NOTHING;
    if (q->server == VERIFY_NO_SERVER)
        good = q->module == ADVISOR &&
               (q->basis == BASIS_RESUBMISSION || q->basis == BASIS_NOTHING);
    if (!good || (q->basis == BASIS_WAITS && q->answered < v->data->end))
        say_at(v, q, "basis: is not possible for this question");
    if (jobs ? q->k < 1 || q->k > v->options.top
             : q->k != (q->basis == BASIS_READ))
        say_at(v, q, "k: does not fit the basis");
}

static void check_tokens(const struct verify_advices *v,
                         const struct verify_question *q)
{
    const struct verify_advice_options *o = &v->options;
    bool asked = q->server != VERIFY_NO_SERVER;
    uint32_t in = asked ? o->tokens_in[q->module] : 0;
    uint32_t out = asked ? o->tokens_out : 0;
    if (q->counted ? q->tokens_in == 0 && q->tokens_out == 0
                   : q->tokens_in != in || q->tokens_out != out)
        say_at(v, q,
               "tokens: are marked as counted but are 0, or are not "
               "those of the options");
}

/* True if the job was in the state in which the module asks about it. */
static bool advice_may_ask(const struct verify_advices *v,
                           const struct verify_question *q, uint32_t row)
{
    const struct verify_data *d = v->data;
    const struct verify_job *job = &d->jobs[row];
    if (q->module == ADVISOR)
        return job->submitted == q->asked && !v->asked[row];
    for (uint32_t i = 0; i < job->n_attempts; i++) {
        const struct verify_attempt *a = &d->attempts[job->first_attempt + i];
        if (q->module == HANDLER
                ? a->how == 'x' && a->end == q->asked
                : a->shared && a->start <= q->asked && a->end >= q->asked)
            return true;
    }
    return false;
}

static void check_job(struct verify_advices *v, const struct verify_question *q)
{
    size_t n;
    const uint32_t *rows = verify_ids_find(&v->ids, q->id, &n);
    for (size_t i = 0; i < n; i++) {
        if (!advice_may_ask(v, q, rows[i]))
            continue;
        v->asked[rows[i]] |= q->module == ADVISOR;
        return;
    }
    say_at(v, q,
           n ? "job_id: the module does not ask about this job now"
             : "job_id: is not a job of jobs.csv");
}

static void advice_check_row(void *self, const struct verify_question *q)
{
    struct verify_advices *v = self;
    if (q->module == VERIFY_MODULES || q->basis == VERIFY_BASES) {
        say_at(v, q, "module or basis: is not a known word");
        return;
    }
    check_order(v, q);
    check_station(v, q);
    check_service(v, q);
    check_basis(v, q);
    check_tokens(v, q);
    check_job(v, q);
    verify_advice_add(v, q);
}

static sim_span span_option(const json_t *options, const char *key)
{
    sim_span span = 0;
    const char *text = json_string_value(json_object_get(options, key));
    return text && text_to_span(text_from(text), &span) ? span : 0;
}

static uint32_t count_option(const json_t *options, const char *key)
{
    uint32_t n = 0;
    const char *text = json_string_value(json_object_get(options, key));
    return text && text_to_u32(text_from(text), &n) ? n : 0;
}

static struct verify_advice_options advice_read_options(const json_t *json)
{
    const char *fidelity = json_string_value(json_object_get(json, "fidelity"));
    sim_span longest = span_option(json, "latency_s");
    sim_span shortest = span_option(json, "latency_min_s");
    sim_span tracker = span_option(json, "tracker_latency_s");
    sim_span handler = span_option(json, "handler_latency_s");
    uint32_t gpus = count_option(json, "llm_gpus");
    if (!fidelity)
        fidelity = "";
    if (strcmp(fidelity, "calibrated") != 0 || shortest > longest)
        shortest = longest;
    return (struct verify_advice_options){
        .fidelity = fidelity,
        .servers = gpus ? gpus : count_option(json, "servers"),
        .top = count_option(json, "top"),
        .longest = {longest, tracker, handler},
        .shortest = {shortest, tracker, handler},
        .tokens_in = {count_option(json, "advisor_tokens"),
                      count_option(json, "tracker_tokens"),
                      count_option(json, "handler_tokens")},
        .tokens_out = count_option(json, "answer_tokens"),
    };
}

static enum status advice_check(struct verify_advices *v,
                                const struct verify_part *part, const char *dir,
                                struct error *err)
{
    struct verify_advice_reader reader = {dir, advice_check_row, v, v->report};
    if (v->options.servers == 0)
        return error_set(err, STATUS_BROKEN,
                         "manifest.configuration.schedmate: lacks the number "
                         "of servers");
    v->free_at = mem_zalloc(v->options.servers, sizeof *v->free_at);
    v->asked = mem_zalloc(v->data->n_jobs + 1, sizeof *v->asked);
    verify_ids_init(&v->ids, v->data);
    enum status st = verify_advice_read(&reader, err);
    if (st == STATUS_OK)
        verify_advice_parts(v, part);
    return st;
}

enum status verify_advice(const char *dir, struct verify_data *data,
                          struct verify_report *report, struct error *err)
{
    const json_t *options = json_object_get(
        json_object_get(data->manifest, "configuration"), "schedmate");
    bool exists = verify_advice_exists(data);
    struct verify_advices v = {.data = data, .report = report};
    struct verify_part part;
    enum status st = STATUS_OK;
    if (exists != (options != NULL))
        verify_say(report, "advice.csv: %s",
                   exists ? "should not be there" : "is missing");
    if (!verify_part_find(data, "advice", exists, report, &part) || !options)
        return STATUS_OK;
    v.options = advice_read_options(options);
    st = advice_check(&v, &part, dir, err);
    data->llm_busy = v.sums.busy;
    verify_ids_fini(&v.ids);
    free(v.free_at);
    free(v.asked);
    free(v.sums.delays);
    return st;
}
