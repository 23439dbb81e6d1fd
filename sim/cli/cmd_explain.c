/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `explain DIR --job ID`: says when a job waited and why. It reads only a
 * result directory, so it works for any policy. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/cli/explain_advice.h"
#include "sim/cli/explain_failure.h"
#include "sim/cli/explain_wait.h"
#include "sim/cli/table.h"

struct explain_input {
    struct cli_call call;
    const char *dir, *job;
    bool json;
};

static const char *how_words(uint8_t how)
{
    switch (how) {
    case 's':
        return "stopped by the policy";
    case 'e':
        return "evicted by the monitor; it never shares GPUs again";
    case 'm':
        return "moved to other GPUs";
    case 'x':
        return "failed";
    case 'p':
        return "profiling over";
    case 'o':
        return "still running at the end of the run";
    default:
        return "finished";
    }
}

static void tell_attempt(const struct verify_data *d,
                         const struct verify_attempt *a, json_t *json)
{
    char span[TABLE_SPAN_MAX];
    uint32_t node = d->node_of[d->ranges[a->first_gpu_range].first];
    if (json) {
        json_t *row = explain_event(json, a->profiling ? "is profiled" : "runs",
                                    a->start, a->end);
        json_put(row, "gpus", json_integer(a->gpus));
        json_put(row, "first_node", json_integer(node));
        json_put(row, "end", json_text(how_words(a->how)));
        return;
    }
    say(stdout, "%.6f s  %s on %u GPUs of node %u%s, runs %s: %s",
        span_seconds(a->start), a->profiling ? "is profiled" : "starts",
        a->gpus, node, a->n_ranges > 1 ? " and others" : "",
        table_span(span_seconds(a->end - a->start), span), how_words(a->how));
}

static void tell_job(const struct verify_data *d, const struct verify_job *job,
                     int64_t gpus, json_t *json)
{
    char span[TABLE_SPAN_MAX];
    const char *vc = interner_string(&d->vcs, job->vc);
    if (json) {
        json_put(json, "job", json_text(job->id));
        json_put(json, "gpus", json_integer(job->gpus));
        json_put(json, "vc", json_text(vc));
        json_put(json, "vc_gpus", json_integer(gpus));
        json_put(json, "duration_s", json_number(span_seconds(job->duration)));
        json_put(json, "submitted_s",
                 json_number(span_seconds(job->submitted)));
        json_put(json, "outcome", json_text(verify_outcomes[job->outcome]));
        json_put(json, "held_back_s", json_number(span_seconds(job->held)));
        json_put(json, "events", json_array());
        return;
    }
    say(stdout, "job %s: %u GPUs in %s (%" PRId64 " GPUs), runs %s, %s",
        job->id, job->gpus, vc, gpus,
        table_span(span_seconds(job->duration), span),
        verify_outcomes[job->outcome]);
    say(stdout, "%.6f s  submitted", span_seconds(job->submitted));
}

/* Explains each wait of the job. Between two attempts the job is pending,
 * unless a recovery rule held it back. The result directory has only the total
 * time held back, not the time held back between two attempts. */
static void explain_job(const struct verify_failures *failures,
                        struct explain_advice *advice,
                        const struct verify_job *job, json_t *json)
{
    const struct verify_data *d = failures->data;
    struct explain_gpus gpus;
    char span[TABLE_SPAN_MAX];
    sim_time since = job->submitted;
    explain_gpus_init(&gpus, d, job->vc);
    tell_job(d, job, gpus.all, json);
    for (uint32_t i = 0; i <= job->n_attempts; i++) {
        bool last = i == job->n_attempts;
        const struct verify_attempt *a = &d->attempts[job->first_attempt + i];
        struct waiting w = {.from = since,
                            .after_failure = i > 0 && a[-1].how == 'x',
                            .started = !last};
        w.to = last ? (job->ended ? job->finish : d->end) : a->start;
        explain_questions(advice, w.from, json);
        if (w.to > w.from && !last && a->profiling)
            explain_profile_wait(d, &w, json);
        else if (w.to > w.from)
            explain_wait(d, job, &gpus, &w, json);
        explain_questions(advice, w.to, json);
        if (last)
            break;
        tell_attempt(d, a, json);
        if (a->how == 'x')
            explain_failure(failures, a, json);
        if (a->how == 'e')
            explain_eviction(advice, a, json);
        since = a->end;
    }
    if (job->held && !json)
        say(stdout,
            "recovery rules held the job back for %s of this after failures",
            table_span(span_seconds(job->held), span));
    explain_gpus_fini(&gpus);
}

static enum status find_job(const struct explain_input *input,
                            const struct verify_data *data,
                            const struct verify_job **out, struct error *err)
{
    size_t i = 0;
    while (i < data->n_jobs && strcmp(data->jobs[i].id, input->job) != 0)
        i++;
    if (i == data->n_jobs)
        return error_set(err, STATUS_USAGE, "%s: has no job '%.100s'",
                         input->dir, input->job);
    *out = &data->jobs[i];
    return STATUS_OK;
}

static enum status explain(const struct explain_input *input,
                           const struct verify_failures *failures,
                           struct explain_advice *advice,
                           const struct verify_job *job, struct error *err)
{
    struct out *out;
    if (!input->json) {
        explain_job(failures, advice, job, NULL);
        return STATUS_OK;
    }
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    json_t *json = json_object();
    explain_job(failures, advice, job, json);
    json_write(out, json);
    json_decref(json);
    return out_close(out, err);
}

/* Ignores violations in rows of failures.csv, because `verify` reports them. */
static void ignore(void *self, const char *words)
{
    (void)self;
    (void)words;
}

static enum status run(void *self, struct error *err)
{
    const struct explain_input *input = self;
    struct verify_data data;
    struct verify_report report = {.line = ignore};
    struct verify_failures failures;
    struct explain_advice advice = {0};
    const struct verify_job *job = NULL;
    enum status st = verify_read(input->dir, &data, err);
    if (st != STATUS_OK)
        return st;
    st = verify_failures_read(&failures, input->dir, &data, &report, err);
    if (st == STATUS_OK)
        st = find_job(input, &data, &job, err);
    if (st == STATUS_OK)
        st = explain_advice_read(&advice, input->dir, &data, job, err);
    if (st == STATUS_OK)
        st = explain(input, &failures, &advice, job, err);
    explain_advice_fini(&advice);
    verify_failures_fini(&failures);
    verify_data_fini(&data);
    return st;
}

static const struct arg args[] = {
    TAKE_WORD(struct explain_input, dir, "DIR", "result directory"),
    TAKE_TEXT(struct explain_input, job, "job", "ID",
              "the job, by its job_id in jobs.csv", .is_required = true),
    TAKE_FLAG(struct explain_input, json, "json", "print JSON"),
    {0},
};

const struct command command_explain = {
    .name = "explain",
    .summary = "say when and why a job of a result waited",
    .about = "Says when a job of a result waited, and why.",
    .parts = {{.rows = args}},
    .input_size = sizeof(struct explain_input),
    .run = run,
    .examples = "explain results --job 17\nexplain results --job 17 --json",
};
