/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/explain_wait.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/cli/cli.h"
#include "sim/cli/table.h"

struct explain_edge {
    sim_time at;
    /* GPUs freed (> 0) or taken (< 0), by a job or by a node that came or
     * went */
    int32_t gpus;
    bool is_node;
    /* free GPUs, and GPUs of nodes that are up, from this edge on */
    int64_t free, up;
};

static int by_time(const void *a, const void *b)
{
    const struct explain_edge *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    /* At equal times, GPUs are freed before they are taken. */
    return (x->gpus < y->gpus) - (x->gpus > y->gpus);
}

/* Sets the numbers of GPUs after each edge. `all`: number of GPUs before the
 * first edge. */
static void sum_up(struct explain_edge *edges, size_t n, int64_t all)
{
    for (size_t i = 0; i < n; i++) {
        edges[i].free = (i ? edges[i - 1].free : all) + edges[i].gpus;
        edges[i].up = (i ? edges[i - 1].up : all) +
                      (edges[i].is_node ? edges[i].gpus : 0);
    }
}

/* Lists the changes of the number of free GPUs of a virtual cluster. A shared
 * GPU counts once for each job on it, so the computed number of free GPUs can
 * be too low. */
void explain_gpus_init(struct explain_gpus *gpus, const struct verify_data *d,
                       uint32_t vc)
{
    struct explain_edge *edges =
        mem_zalloc(2 * d->n_attempts + d->n_changes + 1, sizeof *edges);
    size_t n = 0;
    int64_t all = 0;
    for (size_t i = 0; i < d->n_nodes; i++)
        all += d->nodes[i].vc == vc && !d->nodes[i].profiler ? d->nodes[i].gpus
                                                             : 0;
    for (size_t i = 0; i < d->n_attempts; i++) {
        const struct verify_attempt *a = &d->attempts[i];
        if (d->jobs[a->job].vc != vc || a->profiling || a->end <= a->start)
            continue;
        edges[n++] =
            (struct explain_edge){.at = a->start, .gpus = -(int32_t)a->gpus};
        edges[n++] =
            (struct explain_edge){.at = a->end, .gpus = (int32_t)a->gpus};
    }
    for (size_t i = 0; i < d->n_changes; i++) {
        const struct verify_change *c = &d->changes[i];
        const struct verify_node *node = &d->nodes[c->node];
        if (node->vc == vc && !node->profiler)
            edges[n++] = (struct explain_edge){
                .at = c->at,
                .gpus = c->kind == NODE_COMES || c->kind == NODE_BACK
                            ? (int32_t)node->gpus
                            : -(int32_t)node->gpus,
                .is_node = true};
    }
    qsort(edges, n, sizeof *edges, by_time);
    sum_up(edges, n, all);
    *gpus = (struct explain_gpus){edges, n, all};
}

void explain_gpus_fini(struct explain_gpus *gpus)
{
    free(gpus->edges);
}

/* Returns the index of the first edge after a time; the number of edges if
 * there is none. */
static size_t edge_after(const struct explain_gpus *gpus, sim_time at)
{
    size_t lo = 0, hi = gpus->n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (gpus->edges[mid].at > at)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

void explain_measure(const struct explain_gpus *gpus, uint32_t need,
                     struct waiting *w)
{
    const struct explain_edge *edges = gpus->edges;
    size_t i = edge_after(gpus, w->from);
    for (sim_time now = w->from; now < w->to; i++) {
        int64_t free_gpus = i ? edges[i - 1].free : gpus->all,
                up = i ? edges[i - 1].up : gpus->all;
        sim_time at = i < gpus->n && edges[i].at < w->to ? edges[i].at : w->to;
        if (now == w->from && at > now)
            w->free_at_start = free_gpus > 0 ? (uint32_t)free_gpus : 0;
        *(free_gpus < (int64_t)need ? &w->full : &w->passed_over) += at - now;
        w->nodes_out += up < (int64_t)need ? at - now : 0;
        now = at;
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
        if (other->submitted >= w->to)
            break; /* all further jobs were submitted later */
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

json_t *explain_event(json_t *json, const char *what, sim_time from,
                      sim_time to)
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
    json_t *row = explain_event(json, "waits", w->from, w->to);
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
        w->started ? "" : ", and the job never starts");
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

void explain_wait(const struct verify_data *d, const struct verify_job *job,
                  const struct explain_gpus *gpus, struct waiting *w,
                  json_t *json)
{
    explain_measure(gpus, job->gpus, w);
    measure_queue(d, job, w);
    if (json)
        write_waiting(json, w);
    else
        print_waiting(w, job->gpus);
}

/* Shows a wait for a profile. The texts on free GPUs do not apply, because the
 * job does not wait for GPUs of its virtual cluster. */
void explain_profile_wait(const struct verify_data *d, const struct waiting *w,
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
        json_t *row =
            explain_event(json, "waits for a profile", w->from, w->to);
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
