/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes in timeline.json: outages, failures, evictions, and the servers of the
 * language model. An argument that is a column of failures.csv has the name of
 * the column. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/failures/causes.h"
#include "models/failures/fault.h"
#include "models/failures/recovery.h"
#include "sim/results/advice.h"
#include "sim/results/failures.h"
#include "sim/results/timeline.h"

/* Writes those arguments of a fault that its instant and its slice have in
 * common. */
static void timeline_fault_args(struct timeline_args *args,
                                const struct fault_row *fault)
{
    timeline_text(args, "scope",
                  fault_scope_name((enum fault_scope)fault->scope));
    timeline_text(args, "after",
                  fault_after_name((enum fault_after)fault->after));
    timeline_span(args, "repair", fault->repair);
}

static void timeline_nodes_put_fault(struct timeline_writer *w,
                                     const struct failure_line *line)
{
    const struct run_result *run = w->run;
    const struct fault_row *fault = line->fault;
    bool on_node = fault->node != NODE_NONE;
    const struct timeline_event event = {
        .name = fault->cause,
        .category = "fault",
        .process =
            on_node ? timeline_node(run, fault->node) : timeline_vc(fault->vc),
        .track = on_node
                     ? timeline_node_track(run, fault->node, TIMELINE_FAULTS)
                     : timeline_vc_track(run, fault->vc, TIMELINE_STORAGE),
        .kind = TIMELINE_INSTANT,
        .at = fault->at,
    };
    struct timeline_args args;
    if (!timeline_begin(w, &event, &args))
        return;
    timeline_whole(&args, "fault", line->fault_number);
    timeline_fault_args(&args, fault);
    if (fault->scope == FAULT_GPU)
        timeline_whole(&args, "gpu",
                       fault->gpu % run->cluster.nodes[fault->node].gpus);
    timeline_bool(&args, "harmless", fault->harmless);
    timeline_bool(&args, "missed", fault->missed);
    timeline_whole(&args, "hits", fault->n_hit);
    timeline_end(w, &event, &args);
}

static void put_ruling(struct timeline_args *args,
                       const struct failure_row *failure)
{
    timeline_text(args, "verdict",
                  verdict_name((enum verdict)failure->verdict));
    timeline_text(args, "by", failure->by);
    timeline_text(args, "told", failure->told);
    timeline_span(args, "detected", failure->detected);
    if (failure->verdict != VERDICT_GIVE_UP)
        timeline_span(args, "delay", failure->delay);
    if (failure->suspect != NODE_NONE) {
        timeline_whole(args, "suspect", failure->suspect);
        timeline_span(args, "test", failure->test);
    }
}

static void nodes_put_failure(struct timeline_writer *w,
                              const struct failure_line *line)
{
    const struct run_result *run = w->run;
    const struct failure_row *failure = line->failure;
    struct gpu_slice first = facts_where(&w->reader, failure->attempt).at[0];
    struct gpu_walk walk = gpu_walk(0, first.mask);
    char id[SOURCE_ID_MAX], name[SOURCE_ID_MAX + 16];
    gpu_walk_next(&walk);
    snprintf(name, sizeof name, "%s fails",
             jobset_source_id(&run->jobset, line->job, id));
    const struct timeline_event event = {
        .name = name,
        .category = "failure",
        .process = timeline_node(run, first.node),
        .track = timeline_gpu(run, first.node, walk.gpu),
        .kind = TIMELINE_INSTANT,
        .at = line->at,
    };
    struct timeline_args args;
    if (!timeline_begin(w, &event, &args))
        return;
    timeline_text(&args, "cause", failure->cause);
    timeline_text(&args, "kind",
                  failure_kind_name((enum failure_kind)failure->kind));
    if (line->fault)
        timeline_whole(&args, "fault", line->fault_number);
    if (failure->node != NODE_NONE)
        timeline_whole(&args, "node", failure->node);
    timeline_whole(&args, "attempt", line->attempt);
    timeline_whole(&args, "failures", failure->number);
    put_ruling(&args, failure);
    timeline_span(&args, "lost", line->lost);
    timeline_end(w, &event, &args);
}

/* Writes a rejection on a track of the virtual cluster, because a rejected job
 * never had a GPU. */
static void put_rejection(struct timeline_writer *w, const struct rejection *r)
{
    const struct run_result *run = w->run;
    const struct job *job = &run->jobset.jobs[r->job];
    char id[SOURCE_ID_MAX], name[SOURCE_ID_MAX + 16];
    snprintf(name, sizeof name, "%s rejected",
             jobset_source_id(&run->jobset, job, id));
    const struct timeline_event event = {
        .name = name,
        .category = "rejection",
        .process = timeline_vc(job->vc),
        .track = timeline_vc_track(run, job->vc, TIMELINE_REJECTIONS),
        .kind = TIMELINE_INSTANT,
        .at = r->at,
    };
    struct timeline_args args;
    if (!timeline_begin(w, &event, &args))
        return;
    timeline_whole(&args, "gpus", job->gpus);
    timeline_text(&args, "why", r->why);
    timeline_end(w, &event, &args);
}

void timeline_failures(struct timeline_writer *w)
{
    struct failure_rows rows;
    struct failure_line line;
    uint32_t last = 0; /* number of the last fault written */
    failure_rows_init(&rows, &w->reader.results);
    while (failure_rows_next(&rows, &line)) {
        if (line.fault_number > last) {
            timeline_nodes_put_fault(w, &line);
            last = line.fault_number;
        }
        if (line.failure)
            nodes_put_failure(w, &line);
    }
    failure_rows_fini(&rows);
    for (size_t i = 0; i < w->run->ledger.n_rejections; i++)
        put_rejection(w, &w->run->ledger.rejections[i]);
}

/* Slices of nodes in timeline.json: the time for which a node is out of
 * service, by reason, the time for which it is lent to the profiler, and hidden
 * faults. The ledger holds faults, failures and changes of nodes in three
 * lists, each by time; one sweep merges them. */

struct outage {
    const char *why; /* reason; NULL: the node is in service */
    sim_time since;
    sim_span length; /* length of test and repair; -1: the reason has neither */
    sim_span test;   /* length of the test of an isolated node; -1: none */
    const struct fault_row *fault; /* fault that is repaired; NULL: none */
};

struct node_story {
    struct outage outage;
    const struct fault_row *hidden; /* hidden fault that still lasts, or NULL */
    sim_span test; /* length of the last test that a ruling set for the node */
};

struct timeline_nodes_sweep {
    struct timeline_writer *w;
    const struct run_result *run;
    sim_time end;             /* end of the simulation */
    struct node_story *nodes; /* by node: its state during the sweep */
    bool *has_spares;         /* by pool: true if the pool has spare nodes */
    sim_time *lent;           /* by node: time since which it is lent; -1: it is
                               * not lent */
};

static void put_outage(const struct timeline_nodes_sweep *s, node_id node,
                       const struct outage *o, sim_time end)
{
    const struct timeline_event event = {
        .name = o->why,
        .category = "out of service",
        .process = timeline_node(s->run, node),
        .track = timeline_node_track(s->run, node, TIMELINE_OUTAGES),
        .at = o->since,
        .length = end - o->since,
    };
    struct timeline_args args;
    if (!timeline_begin(s->w, &event, &args))
        return;
    if (o->test >= 0)
        timeline_span(&args, "test", o->test);
    if (o->fault) {
        if (o->test >= 0)
            timeline_text(&args, "cause", o->fault->cause);
        timeline_whole(&args, "fault",
                       (uint64_t)(o->fault - s->run->ledger.faults) + 1);
        timeline_fault_args(&args, o->fault);
    }
    timeline_end(s->w, &event, &args);
}

/* Writes the outage of a node, which ends at `end`. A node whose repair is over
 * and that stays out of service, in a pool that has spares, is a spare from
 * then on. */
static void end_outage(struct timeline_nodes_sweep *s, node_id node,
                       sim_time end)
{
    struct outage *o = &s->nodes[node].outage;
    sim_time whole = o->since + o->length;
    if (!o->why)
        return;
    if (o->length >= 0 && whole < end &&
        s->has_spares[s->run->cluster.nodes[node].pool]) {
        put_outage(s, node, o, whole);
        *o = (struct outage){
            .why = "spare", .since = whole, .length = -1, .test = -1};
    }
    put_outage(s, node, o, end);
    *o = (struct outage){0};
}

/* Writes the hidden fault of a node, if it has one. The fault has healed by
 * itself by the time `at`, or the event `how` ends it at that time. */
static void end_hidden(struct timeline_nodes_sweep *s, node_id node,
                       sim_time at, const char *how)
{
    const struct fault_row *fault = s->nodes[node].hidden;
    if (!fault)
        return;
    bool heals = fault->at + fault->repair <= at;
    sim_time end = heals ? fault->at + fault->repair : at;
    const struct timeline_event event = {
        .name = fault->cause,
        .category = "hidden fault",
        .process = timeline_node(s->run, node),
        .track = timeline_node_track(s->run, node, TIMELINE_FAULTS),
        .at = fault->at,
        .length = end - fault->at,
    };
    struct timeline_args args;
    s->nodes[node].hidden = NULL;
    if (!timeline_begin(s->w, &event, &args))
        return;
    timeline_whole(&args, "fault",
                   (uint64_t)(fault - s->run->ledger.faults) + 1);
    timeline_fault_args(&args, fault);
    timeline_text(&args, "ends", heals ? "healed" : how);
    timeline_end(s->w, &event, &args);
}

static void read_fault(struct timeline_nodes_sweep *s,
                       const struct fault_row *fault)
{
    if (fault->missed || fault->node == NODE_NONE ||
        fault->after != FAULT_HIDDEN)
        return;
    end_hidden(s, fault->node, fault->at, "replaced by another fault");
    s->nodes[fault->node].hidden = fault;
}

/* Keeps the length of the test that a ruling sets for its suspect. A ruling on
 * a node that is or goes out of service changes nothing. */
static void nodes_read_failure(struct timeline_nodes_sweep *s,
                               const struct failure_row *failure)
{
    const struct fault_row *faults = s->run->ledger.faults;
    node_id suspect = failure->suspect;
    if (suspect == NODE_NONE || s->nodes[suspect].outage.why)
        return;
    if (failure->fault != FAULT_NONE && failure->node == suspect &&
        faults[failure->fault].after == FAULT_DOWN)
        return;
    s->nodes[suspect].test = failure->test;
}

/* Returns the fault that takes the node down at the time of the change, or
 * NULL. `next` is the index of the first fault after that time. */
static const struct fault_row *find_fault(const struct ledger *ledger,
                                          const struct node_change *change,
                                          size_t next)
{
    while (next-- > 0 && ledger->faults[next].at == change->at) {
        const struct fault_row *fault = &ledger->faults[next];
        if (fault->node == change->node && fault->after == FAULT_DOWN &&
            !fault->missed)
            return fault;
    }
    return NULL;
}

/* Sets the length of the outage of an isolated node: the test and, if the node
 * has a hidden fault, the repair. Ends the hidden fault. */
static void nodes_isolate(struct timeline_nodes_sweep *s,
                          const struct node_change *change)
{
    struct node_story *node = &s->nodes[change->node];
    const struct fault_row *hidden = node->hidden;
    struct outage *o = &node->outage;
    o->length = o->test = node->test;
    if (hidden && hidden->at + hidden->repair > change->at) {
        o->fault = hidden;
        o->length += hidden->repair;
    }
    end_hidden(s, change->node, change->at, "isolated");
}

/* Writes the loan of a node, if it is lent; the loan ends at `end`. */
static void end_loan(struct timeline_nodes_sweep *s, node_id node, sim_time end)
{
    const struct timeline_event event = {
        .name = "lent to the profiler",
        .category = "loan",
        .process = timeline_node(s->run, node),
        .track = timeline_node_track(s->run, node, TIMELINE_LOANS),
        .at = s->lent[node],
        .length = end - s->lent[node],
    };
    struct timeline_args args;
    if (s->lent[node] >= 0 && timeline_begin(s->w, &event, &args))
        timeline_end(s->w, &event, &args);
    s->lent[node] = -1;
}

static void nodes_read_change(struct timeline_nodes_sweep *s,
                              const struct node_change *change,
                              size_t next_fault)
{
    struct node_story *node = &s->nodes[change->node];
    if (change->kind == LEDGER_NODE_LENT)
        s->lent[change->node] = change->at;
    if (change->kind == LEDGER_NODE_BACK)
        end_loan(s, change->node, change->at);
    if (change->kind == LEDGER_NODE_UP)
        end_outage(s, change->node, change->at);
    if (change->kind != LEDGER_NODE_DOWN || node->outage.why)
        return;
    struct outage *o = &node->outage;
    *o = (struct outage){.why = change->why,
                         .since = change->at,
                         .length = -1,
                         .test = -1,
                         .fault =
                             find_fault(&s->run->ledger, change, next_fault)};
    if (o->fault) {
        o->length = o->fault->repair;
    } else if (strcmp(change->why, "isolated") == 0) {
        nodes_isolate(s, change);
    } else if (strcmp(change->why, "spare") == 0) {
        s->has_spares[s->run->cluster.nodes[change->node].pool] = true;
    }
}

/* Reads the three lists by time. At one instant faults come first, then
 * failures, then changes of nodes, because each may cause the next. */
static void nodes_merge(struct timeline_nodes_sweep *s)
{
    const struct ledger *l = &s->run->ledger;
    size_t fault = 0, failure = 0;
    for (size_t i = 0; i < l->n_node_changes; i++) {
        const struct node_change *change = &l->node_changes[i];
        if (change->at > s->end)
            break;
        for (; fault < l->n_faults && l->faults[fault].at <= change->at;
             fault++)
            read_fault(s, &l->faults[fault]);
        for (; failure < l->n_failures &&
               l->attempts[l->failures[failure].attempt].end <= change->at;
             failure++)
            nodes_read_failure(s, &l->failures[failure]);
        nodes_read_change(s, change, fault);
    }
    for (; fault < l->n_faults && l->faults[fault].at <= s->end; fault++)
        read_fault(s, &l->faults[fault]);
}

void timeline_outages(struct timeline_writer *w)
{
    const struct cluster *c = &w->run->cluster;
    struct timeline_nodes_sweep s = {
        .w = w,
        .run = w->run,
        .end = w->reader.results.end,
        .nodes = mem_zalloc(c->n_nodes + (size_t)1, sizeof *s.nodes),
        .has_spares = mem_zalloc(c->n_pools + (size_t)1, sizeof *s.has_spares),
        .lent = mem_alloc((c->n_nodes + (size_t)1) * sizeof *s.lent),
    };
    for (node_id n = 0; n < c->n_nodes; n++)
        s.lent[n] = -1;
    nodes_merge(&s);
    for (node_id n = 0; n < c->n_nodes; n++) {
        end_outage(&s, n, s.end);
        end_hidden(&s, n, s.end, "lasts until the run ends");
        end_loan(&s, n, s.end);
    }
    free(s.nodes);
    free(s.has_spares);
    free(s.lent);
}

/* Evictions in timeline.json: an instant on the first GPU of each attempt that
 * the monitor ended. */

void timeline_evictions(struct timeline_writer *w)
{
    const struct run_result *run = w->run;
    for (size_t i = 0; i < run->ledger.n_evictions; i++) {
        const struct eviction_row *row = &run->ledger.evictions[i];
        const struct attempt *a = &run->ledger.attempts[row->attempt];
        struct gpu_set where = facts_where(&w->reader, row->attempt);
        const struct job *jobs = run->jobset.jobs;
        char job[SOURCE_ID_MAX], host[SOURCE_ID_MAX];
        const struct timeline_event event = {
            .name = "evicted",
            .category = "eviction",
            .process = timeline_node(run, where.at[0].node),
            .track = timeline_gpu(run, where.at[0].node,
                                  (uint32_t)__builtin_ctzll(where.at[0].mask)),
            .kind = TIMELINE_INSTANT,
            .at = a->end,
        };
        struct timeline_args args;
        if (!timeline_begin(w, &event, &args))
            continue;
        timeline_text(&args, "job",
                      jobset_source_id(&run->jobset, &jobs[a->job], job));
        timeline_text(&args, "host",
                      jobset_source_id(&run->jobset, &jobs[row->host], host));
        timeline_text(&args, "why", row->why);
        timeline_span(&args, "lost",
                      facts_stay(&w->reader.results, row->attempt).lost);
        timeline_end(w, &event, &args);
    }
}

/* The language model in timeline.json: a process with a track for each server,
 * on it a slice for each question that the server worked on, and counters of
 * the questions that wait for a server and of those that a server works on. A
 * crop to virtual clusters leaves out the slices of other clusters' jobs, but
 * the counters count all questions, because all share the servers. */

static void timeline_nodes_put_question(struct timeline_writer *w,
                                        uint32_t number)
{
    const struct run_result *run = w->run;
    const struct advice_row *row = &run->ledger.advices[number];
    const struct job *job = &run->jobset.jobs[row->job];
    char id[SOURCE_ID_MAX];
    bool counted;
    struct advice_tokens tokens = ledger_tokens(&run->ledger, number, &counted);
    const struct timeline_event event = {
        .name = jobset_source_id(&run->jobset, job, id),
        .category = advice_module_name((enum advice_module)row->module),
        .process = timeline_model(run),
        .track = timeline_server(run, row->server),
        .at = advice_begun(row),
        .length = row->service,
    };
    struct timeline_args args;
    if (!w->timeline->vcs[job->vc] || !timeline_begin(w, &event, &args))
        return;
    timeline_span(&args, "waited", (sim_span)row->waited);
    timeline_text(&args, "basis",
                  advice_basis_name((enum advice_basis)row->basis));
    timeline_whole(&args, "k", row->k);
    timeline_whole(&args, "tokens_in", tokens.in);
    timeline_whole(&args, "tokens_out", tokens.out);
    timeline_end(w, &event, &args);
}

/* A change of two numbers of questions: of those that wait for a server and of
 * those that a server works on. */
struct timeline_nodes_step {
    sim_time at;
    int waiting, served;
};

static int nodes_by_time(const void *a, const void *b)
{
    sim_time x = ((const struct timeline_nodes_step *)a)->at,
             y = ((const struct timeline_nodes_step *)b)->at;
    return (x > y) - (x < y);
}

/* Lists the steps of all questions by time. Returns their number. */
static size_t list_steps(const struct ledger *ledger,
                         struct timeline_nodes_step *steps)
{
    size_t n = 0;
    for (size_t i = 0; i < ledger->n_advices; i++) {
        const struct advice_row *row = &ledger->advices[i];
        if (row->server == ADVICE_NO_SERVER)
            continue;
        steps[n++] = (struct timeline_nodes_step){(sim_time)row->asked, 1, 0};
        steps[n++] = (struct timeline_nodes_step){advice_begun(row), -1, 1};
        steps[n++] = (struct timeline_nodes_step){advice_answered(row), 0, -1};
    }
    qsort(steps, n, sizeof *steps, nodes_by_time);
    return n;
}

/* Writes the counters at each time in the crop at which a counter changes. */
static void put_counters(struct timeline_writer *w)
{
    const struct timeline *tl = w->timeline;
    const struct ledger *ledger = &w->run->ledger;
    struct timeline_nodes_step *steps =
        mem_alloc((3 * ledger->n_advices + 1) * sizeof *steps);
    size_t n = list_steps(ledger, steps), i = 0;
    int waiting = 0, served = 0, was_waiting = -1, was_served = -1;
    for (sim_time at = tl->from; at < tl->to && n;) {
        for (; i < n && steps[i].at <= at; i++) {
            waiting += steps[i].waiting;
            served += steps[i].served;
        }
        uint32_t process = timeline_model(w->run);
        if (waiting != was_waiting)
            timeline_count(w, process, "questions that wait", "questions", at,
                           (uint64_t)waiting);
        if (served != was_served)
            timeline_count(w, process, "questions in service", "questions", at,
                           (uint64_t)served);
        was_waiting = waiting;
        was_served = served;
        if (i == n)
            break;
        at = steps[i].at;
    }
    free(steps);
}

void timeline_station(struct timeline_writer *w)
{
    const struct ledger *ledger = &w->run->ledger;
    for (uint32_t i = 0; i < ledger->n_advices; i++) {
        if (ledger->advices[i].server != ADVICE_NO_SERVER)
            timeline_nodes_put_question(w, i);
    }
    put_counters(w);
}
