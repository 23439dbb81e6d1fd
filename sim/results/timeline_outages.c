/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slices of nodes in timeline.json: the time for which a node is out of
 * service, by reason, the time for which it is lent to the profiler, and hidden
 * faults. The ledger holds faults, failures and changes of nodes in three
 * lists, each by time; one sweep merges them. */
#include <stdlib.h>
#include <string.h>

#include "models/failures/fault.h"
#include "sim/results/timeline_event.h"

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

struct sweep {
    struct timeline_writer *w;
    const struct run_result *run;
    sim_time end;             /* end of the simulation */
    struct node_story *nodes; /* by node: its state during the sweep */
    bool *has_spares;         /* by pool: true if the pool has spare nodes */
    sim_time *lent;           /* by node: time since which it is lent; -1: it is
                               * not lent */
};

static void put_outage(const struct sweep *s, node_id node,
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
static void end_outage(struct sweep *s, node_id node, sim_time end)
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
static void end_hidden(struct sweep *s, node_id node, sim_time at,
                       const char *how)
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

static void read_fault(struct sweep *s, const struct fault_row *fault)
{
    if (fault->missed || fault->node == NODE_NONE ||
        fault->after != FAULT_HIDDEN)
        return;
    end_hidden(s, fault->node, fault->at, "replaced by another fault");
    s->nodes[fault->node].hidden = fault;
}

/* Keeps the length of the test that a ruling sets for its suspect. A ruling on
 * a node that is or goes out of service changes nothing. */
static void read_failure(struct sweep *s, const struct failure_row *failure)
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
static void isolate(struct sweep *s, const struct node_change *change)
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
static void end_loan(struct sweep *s, node_id node, sim_time end)
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

static void read_change(struct sweep *s, const struct node_change *change,
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
        isolate(s, change);
    } else if (strcmp(change->why, "spare") == 0) {
        s->has_spares[s->run->cluster.nodes[change->node].pool] = true;
    }
}

/* Reads the three lists by time. At one instant faults come first, then
 * failures, then changes of nodes, because each may cause the next. */
static void merge(struct sweep *s)
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
            read_failure(s, &l->failures[failure]);
        read_change(s, change, fault);
    }
    for (; fault < l->n_faults && l->faults[fault].at <= s->end; fault++)
        read_fault(s, &l->faults[fault]);
}

void timeline_outages(struct timeline_writer *w)
{
    const struct cluster *c = &w->run->cluster;
    struct sweep s = {
        .w = w,
        .run = w->run,
        .end = w->reader.results.end,
        .nodes = mem_zalloc(c->n_nodes + (size_t)1, sizeof *s.nodes),
        .has_spares = mem_zalloc(c->n_pools + (size_t)1, sizeof *s.has_spares),
        .lent = mem_alloc((c->n_nodes + (size_t)1) * sizeof *s.lent),
    };
    for (node_id n = 0; n < c->n_nodes; n++)
        s.lent[n] = -1;
    merge(&s);
    for (node_id n = 0; n < c->n_nodes; n++) {
        end_outage(&s, n, s.end);
        end_hidden(&s, n, s.end, "lasts until the run ends");
        end_loan(&s, n, s.end);
    }
    free(s.nodes);
    free(s.has_spares);
    free(s.lent);
}
