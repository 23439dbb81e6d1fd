/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `explain DIR --job ID`: says when a job waited and why. It reads only a
 * result directory, so it works for any policy. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/json_out.h"
#include "sim/cli/cli.h"
#include "sim/cli/explain_failure.h"
#include "sim/cli/table.h"
#include "sim/verify/verify.h"

struct explain_input {
    struct cli_call call;
    const char *dir, *job;
    bool json;
};

/* An interval in which the job was pending, and the state of its virtual
 * cluster during it. */
struct waiting {
    sim_time from, to;
    /* true if a recovery rule may have held the job back first */
    bool after_failure;
    /* true if the wait ended with a start, false if with the end of the run */
    bool started;
    /* time with fewer free GPUs than the job needs, us */
    sim_span full;
    /* time with enough free GPUs that the job did not get, us */
    sim_span passed_over;
    uint32_t free_at_start; /* free GPUs when the job began to wait */
    /* number of jobs submitted earlier that were waiting at that time */
    uint32_t queued_ahead;
    /* number of jobs submitted later that started meanwhile */
    uint32_t overtaken;
    uint64_t overtaken_gpus;
};

struct edge {
    sim_time at;
    /* GPUs freed (> 0) or taken (< 0), by a job or by a node that came or
     * went */
    int32_t gpus;
};

static int by_time(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    /* At equal times, GPUs are freed before they are taken. */
    return (x->gpus < y->gpus) - (x->gpus > y->gpus);
}

/* Lists the changes of the number of free GPUs of a virtual cluster. A shared
 * GPU counts once for each job on it, so the computed number of free GPUs can
 * be too low; the printed text says so where it matters. */
static struct edge *edges_of(const struct verify_data *d, uint32_t vc,
                             size_t *count, int64_t *gpus)
{
    struct edge *edges =
        mem_zalloc(2 * d->n_attempts + d->n_changes + 1, sizeof *edges);
    size_t n = 0;
    *gpus = 0;
    for (size_t i = 0; i < d->n_nodes; i++)
        *gpus += d->nodes[i].vc == vc && !d->nodes[i].profiler
                     ? d->nodes[i].gpus
                     : 0;
    for (size_t i = 0; i < d->n_attempts; i++) {
        const struct verify_attempt *a = &d->attempts[i];
        if (d->jobs[a->job].vc != vc || a->profiling || a->end <= a->start)
            continue;
        edges[n++] = (struct edge){a->start, -(int32_t)a->gpus};
        edges[n++] = (struct edge){a->end, (int32_t)a->gpus};
    }
    for (size_t i = 0; i < d->n_changes; i++) {
        const struct verify_change *c = &d->changes[i];
        const struct verify_node *node = &d->nodes[c->node];
        if (node->vc == vc && !node->profiler)
            edges[n++] = (struct edge){c->at, c->kind == NODE_COMES ||
                                                      c->kind == NODE_BACK
                                                  ? (int32_t)node->gpus
                                                  : -(int32_t)node->gpus};
    }
    qsort(edges, n, sizeof *edges, by_time);
    *count = n;
    return edges;
}

static void measure_free(const struct edge *edges, size_t n, int64_t gpus,
                         uint32_t need, struct waiting *w)
{
    int64_t free_gpus = gpus;
    sim_time now = w->from;
    bool began = false;
    for (size_t i = 0; i <= n; i++) {
        sim_time at = i < n ? edges[i].at : w->to;
        if (at > w->from && !began) {
            w->free_at_start = free_gpus > 0 ? (uint32_t)free_gpus : 0;
            began = true;
        }
        if (at > w->to)
            at = w->to;
        if (at > now) {
            *(free_gpus < (int64_t)need ? &w->full : &w->passed_over) +=
                at - now;
            now = at;
        }
        if (i < n)
            free_gpus += edges[i].gpus;
    }
}

static bool waits_at(const struct verify_data *d, const struct verify_job *job,
                     sim_time at)
{
    sim_time since = job->submitted;
    for (uint32_t i = 0; i < job->n_attempts; i++) {
        const struct verify_attempt *a = &d->attempts[job->first_attempt + i];
        if (since <= at && at < a->start)
            return true;
        since = a->end;
    }
    return !job->finished && since <= at && (!job->ended || at < job->finish);
}

static void measure_queue(const struct verify_data *d,
                          const struct verify_job *job, struct waiting *w)
{
    for (size_t i = 0; i < d->n_jobs; i++) {
        const struct verify_job *other = &d->jobs[i];
        if (other->vc != job->vc || other == job)
            continue;
        bool earlier = other < job; /* jobs are in the order of submission */
        w->queued_ahead += earlier && waits_at(d, other, w->from);
        for (uint32_t k = 0; !earlier && k < other->n_attempts; k++) {
            const struct verify_attempt *a =
                &d->attempts[other->first_attempt + k];
            bool meanwhile = a->start >= w->from && a->start < w->to;
            w->overtaken += meanwhile;
            w->overtaken_gpus += meanwhile ? a->gpus : 0;
        }
    }
}

static json_t *event(json_t *json, const char *what, sim_time from, sim_time to)
{
    json_t *row = json_object(), *all = json_object_get(json, "events");
    json_put(row, "event", json_text(what));
    json_put(row, "from_s", json_number(span_seconds(from)));
    json_put(row, "to_s", json_number(span_seconds(to)));
    json_array_append_new(all, row);
    return row;
}

static void write_waiting(json_t *json, const struct waiting *w)
{
    json_t *row = event(json, "waits", w->from, w->to);
    json_put(row, "started", json_boolean(w->started));
    json_put(row, "after_failure", json_boolean(w->after_failure));
    json_put(row, "free_gpus", json_integer(w->free_at_start));
    json_put(row, "earlier_jobs_waiting", json_integer(w->queued_ahead));
    json_put(row, "too_few_gpus_s", json_number(span_seconds(w->full)));
    json_put(row, "passed_over_s", json_number(span_seconds(w->passed_over)));
    json_put(row, "later_jobs_started", json_integer(w->overtaken));
    json_put(row, "later_jobs_gpus",
             json_integer((json_int_t)w->overtaken_gpus));
}

static void print_waiting(const struct waiting *w, uint32_t need)
{
    char span[TABLE_SPAN_MAX], part[TABLE_SPAN_MAX];
    say(stdout, "%.6f s  waits %s%s", span_seconds(w->from),
        table_span(span_seconds(w->to - w->from), span),
        w->started ? "" : ", and never starts");
    say(stdout,
        "    needs %u GPUs; %u were free in its virtual cluster, %u earlier "
        "jobs waited already",
        need, w->free_at_start, w->queued_ahead);
    if (w->full)
        say(stdout, "    %s: fewer than %u GPUs were free",
            table_span(span_seconds(w->full), part), need);
    if (w->passed_over)
        say(stdout,
            "    %s: enough GPUs were free, but %sthe policy kept them for "
            "others or no placement used them",
            table_span(span_seconds(w->passed_over), part),
            w->after_failure ? "a recovery rule held the job back, or " : "");
    if (w->overtaken)
        say(stdout,
            "    meanwhile %u starts of jobs submitted later, on %" PRIu64
            " GPUs",
            w->overtaken, w->overtaken_gpus);
}

static const char *how_words(uint8_t how)
{
    switch (how) {
    case 's':
        return "stopped by the policy";
    case 'e':
        return "evicted by the monitor";
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

/* Explains a wait for profiling. A job that waits for profiling does not wait
 * for GPUs of its virtual cluster, so the texts on free GPUs do not apply. */
static void tell_profiling(const struct verify_data *d, const struct waiting *w,
                           json_t *json)
{
    uint32_t n = 0, gpus = 0;
    char span[TABLE_SPAN_MAX];
    for (size_t i = 0; i < d->n_attempts; i++) {
        const struct verify_attempt *a = &d->attempts[i];
        n += a->profiling && a->start < w->to && a->end > w->from;
    }
    for (size_t i = 0; i < d->n_nodes; i++)
        gpus += d->nodes[i].profiler ? d->nodes[i].gpus : 0;
    if (json) {
        json_t *row = event(json, "waits for a profile", w->from, w->to);
        json_put(row, "profiled_meanwhile", json_integer(n));
        json_put(row, "profiler_gpus", json_integer(gpus));
        return;
    }
    say(stdout, "%.6f s  waits %s to be profiled", span_seconds(w->from),
        table_span(span_seconds(w->to - w->from), span));
    say(stdout,
        "    meanwhile %u others were profiled; %u GPUs are set aside for that",
        n, gpus);
}

static void tell_attempt(const struct verify_data *d,
                         const struct verify_attempt *a, json_t *json)
{
    char span[TABLE_SPAN_MAX];
    uint32_t node = d->node_of[d->ranges[a->first_gpu_range].first];
    if (json) {
        json_t *row = event(json, a->profiling ? "is profiled" : "runs",
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
                        const struct verify_job *job, json_t *json)
{
    const struct verify_data *d = failures->data;
    size_t n;
    int64_t gpus;
    char span[TABLE_SPAN_MAX];
    struct edge *edges = edges_of(d, job->vc, &n, &gpus);
    sim_time since = job->submitted;
    tell_job(d, job, gpus, json);
    for (uint32_t i = 0; i <= job->n_attempts; i++) {
        bool last = i == job->n_attempts;
        const struct verify_attempt *a = &d->attempts[job->first_attempt + i];
        struct waiting w = {.from = since,
                            .after_failure = i > 0 && a[-1].how == 'x',
                            .started = !last};
        w.to = last ? (job->ended ? job->finish : d->end) : a->start;
        if (w.to > w.from && !last && a->profiling) {
            tell_profiling(d, &w, json);
        } else if (w.to > w.from) {
            measure_free(edges, n, gpus, job->gpus, &w);
            measure_queue(d, job, &w);
            if (json)
                write_waiting(json, &w);
            else
                print_waiting(&w, job->gpus);
        }
        if (last)
            break;
        tell_attempt(d, a, json);
        if (a->how == 'x')
            explain_failure(failures, a, json);
        since = a->end;
    }
    if (job->held && !json)
        say(stdout,
            "recovery rules held the job back for %s of this after failures",
            table_span(span_seconds(job->held), span));
    free(edges);
}

static enum status explain(const struct explain_input *input,
                           const struct verify_failures *failures,
                           struct error *err)
{
    const struct verify_data *data = failures->data;
    struct out *out;
    size_t i = 0;
    while (i < data->n_jobs && strcmp(data->jobs[i].id, input->job) != 0)
        i++;
    if (i == data->n_jobs)
        return error_set(err, STATUS_USAGE, "%s: has no job '%.100s'",
                         input->dir, input->job);
    if (!input->json) {
        explain_job(failures, &data->jobs[i], NULL);
        return STATUS_OK;
    }
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    json_t *json = json_object();
    explain_job(failures, &data->jobs[i], json);
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
    enum status st = verify_read(input->dir, &data, err);
    if (st != STATUS_OK)
        return st;
    st = verify_failures_read(&failures, input->dir, &data, &report, err);
    if (st == STATUS_OK)
        st = explain(input, &failures, err);
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
