/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `explain DIR`: says when and why one job or many waited. It reads only a
 * result directory, so it works for any policy. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/cli.h"
#include "commands/explain_advice.h"
#include "commands/explain_failure.h"
#include "commands/explain_many.h"
#include "commands/explain_wait.h"
#include "commands/table.h"

struct explain_input {
    struct cli_call call;
    const char *dir;
    struct explain_wish wish;
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
    char span[TABLE_SPAN_MAX], at[EXPLAIN_TIME_MAX];
    uint32_t node = d->node_of[d->ranges[a->first_gpu_range].first];
    if (json) {
        json_t *row = explain_event(json, a->profiling ? "is profiled" : "runs",
                                    a->start, a->end);
        json_put(row, "gpus", json_integer(a->gpus));
        json_put(row, "first_node", json_integer(node));
        json_put(row, "end", json_text(how_words(a->how)));
        return;
    }
    say(stdout, "%s  %s on %u GPU%s of node %u%s, runs %s: %s",
        explain_time(a->start, at), a->profiling ? "is profiled" : "starts",
        a->gpus, explain_plural(a->gpus), node,
        a->n_ranges > 1 ? " and others" : "",
        table_span(span_seconds(a->end - a->start), span), how_words(a->how));
}

static void tell_job(const struct verify_data *d, const struct verify_job *job,
                     json_t *json)
{
    char span[TABLE_SPAN_MAX], at[EXPLAIN_TIME_MAX];
    int64_t gpus = 0; /* of its virtual cluster, not set aside for profiling */
    for (size_t i = 0; i < d->n_nodes; i++)
        gpus += d->nodes[i].vc == job->vc && !d->nodes[i].profiler
                    ? d->nodes[i].gpus
                    : 0;
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
    say(stdout, "job %s: %u GPU%s in %s (%" PRId64 " GPUs), runs %s, %s",
        job->id, job->gpus, explain_plural(job->gpus), vc, gpus,
        table_span(span_seconds(job->duration), span),
        verify_outcomes[job->outcome]);
    say(stdout, "%s  submitted", explain_time(job->submitted, at));
}

/* Tells what happened to the job, in order of time. */
static void explain_job(const struct verify_failures *failures,
                        struct explain_advice *advice,
                        const struct explain_many *many,
                        const struct verify_job *job, json_t *json)
{
    const struct verify_data *d = failures->data;
    const struct waiting *waits =
        &many->waits.at[many->waits.first[job - d->jobs]];
    tell_job(d, job, json);
    for (uint32_t i = 0; i <= job->n_attempts; i++) {
        const struct verify_attempt *a = &d->attempts[job->first_attempt + i];
        const struct waiting *w = &waits[i];
        explain_questions(advice, w->from, json);
        if (w->to > w->from)
            explain_wait(d, &many->waits, job, w, many->named, json);
        explain_questions(advice, w->to, json);
        if (i == job->n_attempts)
            break;
        tell_attempt(d, a, json);
        if (a->how == 'x')
            explain_failure(failures, a, json);
        if (a->how == 'e')
            explain_eviction(advice, a, json);
    }
}

/* Explains job number `i` of `many`, with all of its events: prints them, or
 * adds them to `json` if that is not NULL. */
static enum status explain_one(const struct explain_input *input,
                               const struct verify_failures *failures,
                               struct explain_many *many, size_t i,
                               json_t *json, struct error *err)
{
    struct explain_advice advice = {0};
    const struct verify_job *job = many->jobs[i];
    enum status st =
        explain_advice_read(&advice, input->dir, many->data, job, err);
    if (st == STATUS_OK)
        explain_job(failures, &advice, many, job, json);
    if (st == STATUS_OK && json)
        explain_reasons_put(json, &many->reasons[i]);
    explain_advice_fini(&advice);
    return st;
}

static enum status write_json(json_t *json, struct error *err)
{
    struct out *out;
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    json_write(out, json);
    return out_close(out, err);
}

/* Writes the answer as JSON. For one named job: an object with its events.
 * Otherwise: an object with sums and a list with an object of this kind for
 * each job. */
static enum status explain_json(const struct explain_input *input,
                                const struct verify_failures *failures,
                                struct explain_many *many, struct error *err)
{
    json_t *root = json_object(), *jobs = json_array();
    bool one = input->wish.jobs.n == 1;
    enum status st = STATUS_OK;
    if (!one)
        explain_many_put(root, many);
    for (size_t i = 0; i < many->n && st == STATUS_OK; i++) {
        json_t *json = one ? json_incref(root) : json_object();
        st = explain_one(input, failures, many, i, json, err);
        if (one)
            json_decref(json);
        else
            json_array_append_new(jobs, json);
    }
    if (one)
        json_decref(jobs);
    else
        json_put(root, "jobs", jobs);
    if (st == STATUS_OK)
        st = write_json(root, err);
    json_decref(root);
    return st;
}

static enum status explain(const struct explain_input *input,
                           const struct verify_failures *failures,
                           struct explain_many *many, struct error *err)
{
    enum status st = STATUS_OK;
    if (input->json)
        return explain_json(input, failures, many, err);
    if (!input->wish.jobs.n)
        explain_many_print(many);
    for (size_t i = 0; i < many->n && st == STATUS_OK && input->wish.jobs.n;
         i++) {
        if (i)
            putchar('\n');
        st = explain_one(input, failures, many, i, NULL, err);
    }
    return st;
}

static enum status check_wish(const struct explain_wish *wish,
                              struct error *err)
{
    if (!wish->jobs.n && !wish->user && !wish->worst && !wish->all)
        return error_set(err, STATUS_USAGE,
                         "explain: which jobs? Give --job ID, --user NAME, "
                         "--worst N or --all");
    if (wish->jobs.n && (wish->user || wish->worst || wish->all))
        return error_set(err, STATUS_USAGE,
                         "explain: --job names its jobs; leave out --%s",
                         wish->user    ? "user"
                         : wish->worst ? "worst"
                                       : "all");
    return STATUS_OK;
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
    struct explain_many many = {0};
    enum status st = check_wish(&input->wish, err);
    if (st == STATUS_OK)
        st = verify_read(input->dir, &data, err);
    if (st != STATUS_OK)
        return st;
    st = verify_failures_read(&failures, input->dir, &data, &report, err);
    if (st == STATUS_OK)
        st = explain_many_find(&input->wish, input->dir, &failures, &many, err);
    if (st == STATUS_OK)
        st = explain(input, &failures, &many, err);
    explain_many_fini(&many);
    verify_failures_fini(&failures);
    verify_data_fini(&data);
    return st;
}

static const struct arg args[] = {
    TAKE_WORD(struct explain_input, dir, "DIR", "result directory"),
    TAKE_LIST(struct explain_input, wish.jobs, "job", "ID",
              "a job, by its job_id in jobs.csv; may be given more than once"),
    TAKE_TEXT(struct explain_input, wish.user, "user", "NAME",
              "the jobs of this user"),
    TAKE_U32(struct explain_input, wish.worst, "worst", "N",
             "the N jobs, or jobs of --user, with the longest queueing delays",
             .lo = 1, .hi = 1e9),
    TAKE_FLAG(struct explain_input, wish.all, "all", "all jobs"),
    TAKE_FLAG(struct explain_input, json, "json", "print JSON"),
    {0},
};

#define REASON_LINE(name, code, help) code ": " help "; "

const struct command command_explain = {
    .name = "explain",
    .summary = "say when and why jobs of a result waited",
    .about = "Says when jobs of a result waited, and why: all events of jobs "
             "that --job names, otherwise a row for each job that waited.",
    .notes =
        "The reasons, of which each moment of a wait has one: " EXPLAIN_REASONS(
            REASON_LINE) "in JSON each job has `reason`, the "
                         "longest, and `reasons`, the seconds of each. --job "
                         "and --worst "
                         "also name who held the GPUs and which jobs stood in "
                         "front.",
    .parts = {{.rows = args}},
    .input_size = sizeof(struct explain_input),
    .run = run,
    .examples = "explain results --job 17\n"
                "explain results --job 17 --job 18 --json\n"
                "explain results --worst 10\n"
                "explain results --user anna --json",
};
