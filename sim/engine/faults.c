/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hardware faults: which jobs each fault hits, what happens to the node, and
 * hidden faults, which make jobs fail again. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "sim/engine/engine_internal.h"

/* Failures of jobs: what a job loses, what the recovery rules decide, and what
 * follows from it. */

static void hit(struct engine *e, const struct fault *fault, uint32_t number);

/* Adds to the ledger a move of a job that holds no GPUs. */
static void faults_note(struct engine *e, enum ledger_kind kind,
                        const struct job *job, const char *why)
{
    ledger_add(e->parts.ledger,
               &(struct ledger_move){
                   .at = e->board.now, .kind = kind, .job = job, .why = why});
}

/* Counts a failure of the job. Returns the number of its failures so far, this
 * one included. */
static uint32_t count_failure(struct engine *e, const struct job *job)
{
    if (!e->failures) /* allocated late, because in most runs no job fails */
        e->failures = mem_zalloc(e->parts.n_jobs, sizeof *e->failures);
    return ++e->failures[job->id];
}

bool fail_ends_in_lag(struct engine *e, struct job *job)
{
    struct progress *p = progress_of(&e->book, job);
    progress_settle(&e->book, p);
    if (!progress_is_done(&e->book, p))
        return false;
    if (p->end != EVQ_NONE)
        evq_cancel(&e->queue, p->end);
    apply_finish(e, job);
    return true;
}

static struct ruling faults_ask(struct engine *e, const struct failure *failure)
{
    struct ruling ruling = {.verdict = VERDICT_GIVE_UP, .suspect = NODE_NONE};
    recovery_ask(e->parts.recovery, failure, &ruling);
    if (!ruling.by)
        ruling.by = "none";
    if (ruling.delay < ruling.detected)
        ruling.delay = ruling.detected;
    return ruling;
}

static void hold_or_retry(struct engine *e, struct job *job, sim_span delay)
{
    if (delay <= 0) {
        apply_pending(e, job);
        faults_note(e, LEDGER_RETRIED, job, NULL);
    } else {
        board_move(&e->board, job, JOB_HELD);
        faults_note(e, LEDGER_HELD, job, NULL);
        evq_add(&e->queue, e->board.now + delay, EVENT_SUBMITTED, job->id);
    }
}

/* Isolates the suspect node at the time that the ruling sets, unless the node
 * is out of service already or the fault itself takes it out. */
static void faults_isolate_one(struct engine *e, const struct fail_cause *cause,
                               const struct ruling *ruling)
{
    struct faults *f = &e->faults;
    const struct cluster *c = e->parts.cluster;
    if (ruling->suspect == NODE_NONE ||
        (cause->node_goes && ruling->suspect == cause->node))
        return;
    CHECK_IN(&e->where, ruling->suspect < c->n_nodes);
    if (!c->nodes[ruling->suspect].up)
        return;
    if (!f->tests)
        f->tests = mem_zalloc(e->parts.cluster->n_nodes, sizeof *f->tests);
    f->tests[ruling->suspect] = ruling->test;
    evq_add(&e->queue, e->board.now + ruling->delay, EVENT_NODE_DOWN,
            ruling->suspect | NODES_ISOLATE);
}

/* True if the job starts again although its own code or settings have failed
 * and its user has not corrected them. */
static bool comes_again(const struct fail_cause *cause,
                        const struct ruling *ruling)
{
    return ruling->uncorrected && ruling->verdict != VERDICT_GIVE_UP &&
           cause->gap >= 0 && cause->kind != FAILURE_INFRASTRUCTURE;
}

/* Returns the work that the failure loses. A failure that the trace recorded
 * loses no work if the job resumes, because the run times of the next rows
 * include the work that was done again. */
static sim_span lost_by(struct engine *e, const struct job *job,
                        enum verdict verdict, bool recorded)
{
    const struct progress *p = progress_of(&e->book, job);
    if (verdict != VERDICT_RESUME)
        return rates_work_done(e, job);
    if (recorded)
        return 0;
    return progress_unsaved(p);
}

static void fail_record(struct engine *e, const struct job *job,
                        const struct fail_cause *cause,
                        const struct ruling *ruling)
{
    struct ledger *ledger = e->parts.ledger;
    bool ends = ruling->verdict == VERDICT_GIVE_UP;
    ledger_add_failure(ledger, &(struct failure_row){
                                   .attempt = ledger->last_attempt[job->id],
                                   .fault = cause->fault,
                                   .number = e->failures[job->id],
                                   .detected = ruling->detected,
                                   .delay = ends ? 0 : ruling->delay,
                                   .test = ruling->test,
                                   .cause = cause->text,
                                   .told = ruling->cause,
                                   .by = ruling->by,
                                   .node = cause->node,
                                   .suspect = ruling->suspect,
                                   .kind = (uint8_t)cause->kind,
                                   .verdict = (uint8_t)ruling->verdict,
                               });
}

/* Ends the attempt as failed and carries out what the recovery rules decide.
 * Returns false if the job had done all its work, so that it finished
 * instead. */
static bool fail_job(struct engine *e, struct job *job,
                     const struct fail_cause *cause)
{
    if (fail_ends_in_lag(e, job))
        return false;
    const struct allocation *alloc = board_allocation(&e->board, job);
    struct progress *p = progress_of(&e->book, job);
    const struct failure_truth truth = {cause->kind, cause->node, cause->text};
    sim_time now = e->board.now;
    uint32_t number = count_failure(e, job);
    const struct failure failure = {
        .job = job,
        .at = now,
        .ran = now - alloc->started,
        .work = rates_work_done(e, job),
        .done = p->at_start - p->left,
        .failures = number,
        .key = e->faults.rulings ^ ((uint64_t)job->id << 32 | number),
        .where = alloc->where,
        .gap = cause->gap,
        .gone = cause->node_goes ? cause->node : NODE_NONE,
        .truth = &truth,
    };
    struct ruling ruling = faults_ask(e, &failure);
    bool again = comes_again(cause, &ruling);
    sim_span lost = lost_by(e, job, ruling.verdict, cause->gap >= 0 && !again);
    if (cause->gap >= 0 && !again)
        progress_pass_failure(&e->book, job);
    faults_isolate_one(e, cause, &ruling);
    fail_record(e, job, cause, &ruling);
    p->left += lost;
    commit_leave(e, job, LEDGER_FAILED, lost,
                 ruling.cause ? ruling.cause : cause->text);
    if (ruling.verdict == VERDICT_GIVE_UP) {
        board_move(&e->board, job, JOB_FAILED);
        faults_note(e, LEDGER_GIVEN_UP, job, cause->text);
    } else {
        hold_or_retry(e, job, ruling.delay);
    }
    engine_note_lost(e, EVENT_FAILED, job, lost,
                     ruling.verdict == VERDICT_RESTART);
    return true;
}

/* Returns the cause of the recorded failure that the job has just reached, and
 * sets the work left of the job to that of the failure. */
static struct fail_cause own_cause(struct engine *e, struct job *job)
{
    const struct own_failure *own = progress_own_failure(&e->book, job);
    CHECK_IN(&e->where, own);
    progress_end_phase(&e->book, progress_of(&e->book, job), own->left);
    return (struct fail_cause){.kind = (enum failure_kind)own->kind,
                               .text = own->cause,
                               .node = NODE_NONE,
                               .fault = FAULT_NONE,
                               .gap = own->gap};
}

void fail_as_queued(struct engine *e, struct job *job)
{
    struct progress *p = progress_of(&e->book, job);
    struct fail_cause cause;
    p->end = EVQ_NONE;
    if (p->breaks == e->board.now)
        cause = (struct fail_cause){
            .kind = FAILURE_INFRASTRUCTURE,
            .text = e->parts.ledger->faults[p->broken_by].cause,
            .node = p->broken_on,
            .fault = p->broken_by,
            .gap = -1};
    else
        cause = own_cause(e, job);
    fail_job(e, job, &cause);
}

void fail_worn(struct engine *e, struct job *job)
{
    static const char why[] = "was started 65,535 times and gets nowhere";
    if (job->state != JOB_RUNNING)
        return; /* the job had done all its work and has finished */
    if (e->n_worn++ == 0)
        e->worn = job->id;
    commit_leave(e, job, LEDGER_FAILED, 0, why);
    board_move(&e->board, job, JOB_FAILED);
    faults_note(e, LEDGER_GIVEN_UP, job, why);
    engine_note(e, EVENT_FAILED, job, NODE_NONE);
}

/* Nodes that go out of service and return, and spare nodes. */

/* Stops a job whose node goes out of service. The job loses no work; if it has
 * done all its work, it finishes. */
static void faults_evict(struct engine *e, struct job *job)
{
    if (fail_ends_in_lag(e, job))
        return;
    commit_leave(e, job, LEDGER_STOPPED, 0, "capacity");
    apply_pending(e, job);
    if (e->parts.config.outage_place == OUTAGE_KEEPS_PLACE)
        board_keep_place(&e->board, job);
    engine_note(e, EVENT_STOPPED, job, NODE_NONE);
}

/* Returns a job that holds a GPU of the node, or NULL. */
static struct job *some_holder(struct engine *e, node_id id)
{
    const struct cluster *c = e->parts.cluster;
    const struct node *node = &c->nodes[id];
    for (uint32_t g = 0; g < node->gpus; g++) {
        gpu_id gpu = node->first_gpu + g;
        if (c->n_holders[gpu])
            return &e->board.jobs[c->holders[(size_t)gpu * c->share_limit]];
    }
    return NULL;
}

/* Counts, while the run is stalled, consecutive faults and returns of nodes
 * between which no job moved; a fault of a node that is already down counts
 * too. The first one after a move counts as 0. */
static void nodes_count_change(struct engine *e)
{
    const struct ledger *ledger = e->parts.ledger;
    uint64_t moves = ledger->n_moves - ledger->n_node_changes;
    bool stalled = moves == e->moves_before && engine_is_stalled(e);
    e->n_stalled = stalled ? e->n_stalled + 1 : 0;
    e->moves_before = moves;
}

static void faults_touch(struct engine *e, node_id id)
{
    const struct cluster *c = e->parts.cluster;
    if (c->merged)
        board_touch_all(&e->board);
    else
        board_touch(&e->board, c->pools[c->nodes[id].pool].vc);
}

static void set_draining(struct engine *e, node_id id, bool drains)
{
    cluster_drain(e->parts.cluster, id, drains);
    e->n_draining = drains ? e->n_draining + 1 : e->n_draining - 1;
    faults_touch(e, id);
}

/* Adds a reason for the node to be down. The first reason stops the jobs on the
 * node; the node is up again when no reason is left. The plans by which a node
 * drains become reasons too. */
static void go_down(struct engine *e, node_id id, const char *why)
{
    struct node *node = &e->parts.cluster->nodes[id];
    struct job *job;
    if (node->downs++ > 0)
        return;
    while ((job = some_holder(e, id)))
        faults_evict(e, job);
    if (node->drains) {
        set_draining(e, id, false);
        node->downs += (uint16_t)__builtin_popcount(e->planned_out[id]);
    }
    cluster_set_up(e->parts.cluster, id, false);
    ledger_add(e->parts.ledger, &(struct ledger_move){.at = e->board.now,
                                                      .kind = LEDGER_NODE_DOWN,
                                                      .node = id,
                                                      .why = why});
    faults_touch(e, id);
    engine_note(e, EVENT_NODE_DOWN, NULL, id);
}

/* Orders planned changes as the engine applies them. */
static int faults_by_turn(const void *a, const void *b)
{
    const struct capacity_change *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->up - y->up;
}

/* Finds when each node leaves for good: it goes down by a planned change, and
 * no later ones bring it back. */
static void faults_find_gone(struct engine *e)
{
    size_t n = e->parts.n_changes, n_nodes = e->parts.cluster->n_nodes;
    struct capacity_change *changes = mem_alloc(n * sizeof *changes);
    uint8_t *out = mem_zalloc(n_nodes, sizeof *out);
    memcpy(changes, e->parts.changes, n * sizeof *changes);
    for (size_t i = 0; i < n; i++)
        changes[i].at = changes[i].at < 0 ? 0 : changes[i].at;
    qsort(changes, n, sizeof *changes, faults_by_turn);
    e->gone_at = mem_alloc(n_nodes * sizeof *e->gone_at);
    for (node_id id = 0; id < n_nodes; id++)
        e->gone_at[id] = TIME_NEVER;
    for (size_t i = 0; i < n; i++) {
        const struct capacity_change *change = &changes[i];
        node_id id = change->node;
        uint8_t plan = (uint8_t)(1U << change->plan), before = out[id];
        out[id] = change->up ? before & (uint8_t)~plan : before | plan;
        if (!out[id])
            e->gone_at[id] = TIME_NEVER;
        else if (!before)
            e->gone_at[id] = change->at;
    }
    free(changes);
    free(out);
}

void nodes_open_gone(struct engine *e, bool open)
{
    for (node_id id = 0; id < e->parts.cluster->n_nodes; id++) {
        if (e->gone_at[id] != NODES_IS_GONE)
            continue;
        if (open)
            cluster_open(&e->empty, id);
        else
            cluster_close(&e->empty, id);
    }
}

void nodes_up(struct engine *e, node_id id)
{
    if (e->parts.cluster->nodes[id].up || !cluster_open(e->parts.cluster, id))
        return;
    ledger_add(e->parts.ledger, &(struct ledger_move){.at = e->board.now,
                                                      .kind = LEDGER_NODE_UP,
                                                      .node = id});
    nodes_count_change(e);
    faults_touch(e, id);
    engine_note(e, EVENT_NODE_UP, NULL, id);
}

static void leave_for_good(struct engine *e, node_id id)
{
    e->gone_at[id] = NODES_IS_GONE;
    e->n_gone++;
    cluster_close(&e->empty, id);
    e->n_admissions = 0; /* their answers are about more nodes */
    e->must_set_aside = true;
}

/* Takes a draining node down, for no other reason than its plans. */
static void end_draining(struct engine *e, node_id id, const char *why)
{
    go_down(e, id, why);
    e->parts.cluster->nodes[id].downs--;
    e->must_set_aside |= e->gone_at[id] == NODES_IS_GONE;
}

void nodes_take_drained(struct engine *e)
{
    const struct cluster *c = e->parts.cluster;
    for (node_id id = 0; id < c->n_nodes && e->n_draining; id++) {
        if (c->nodes[id].drains && !some_holder(e, id))
            end_draining(e, id, "drained");
    }
}

/* Brings the node in line with its plans after one of them has changed. */
static void nodes_follow(struct engine *e, const struct capacity_change *c)
{
    const struct node *node = &e->parts.cluster->nodes[c->node];
    const char *why = c->drains ? "drained" : "capacity";
    if (c->up && !node->drains) {
        nodes_up(e, c->node);
    } else if (c->up) {
        if (e->planned_out[c->node])
            return; /* another plan drains the node still */
        set_draining(e, c->node, false);
        engine_note(e, EVENT_NODE_UP, NULL, c->node);
    } else if (node->drains) {
        if (!c->drains)
            end_draining(e, c->node, why);
    } else if (c->drains && node->up && some_holder(e, c->node)) {
        set_draining(e, c->node, true);
        engine_note(e, EVENT_NODE_DOWN, NULL, c->node);
    } else {
        go_down(e, c->node, why);
    }
}

void nodes_planned(struct engine *e, size_t change)
{
    const struct capacity_change *c = &e->parts.changes[change];
    uint8_t *out = &e->planned_out[c->node], plan = (uint8_t)(1U << c->plan);
    bool is_out = *out & plan;
    if (is_out != c->up) {
        e->n_repeats++;
        return;
    }
    *out ^= plan;
    nodes_follow(e, c);
    if (e->gone_at[c->node] == e->board.now)
        leave_for_good(e, c->node);
}

/* Brings a spare node of the pool of node `id` into service, after the time
 * swap_s. Counts the node as missed if no spare is ready. Does nothing if the
 * run has no spares. */
static void faults_replace(struct engine *e, node_id id)
{
    struct spares *s = &e->spares;
    uint32_t pool = e->parts.cluster->nodes[id].pool;
    if (!s->n)
        return;
    if (s->n[pool] == 0) {
        s->missed[pool]++;
        return;
    }
    node_id spare = s->at[pool * e->parts.config.spares + --s->n[pool]];
    evq_add(&e->queue, e->board.now + e->parts.config.swap, EVENT_NODE_UP,
            spare | NODES_SPARE);
}

/* Takes a failed or tested node out of service for the time `out`. A spare node
 * takes its place if one is ready. */
static void nodes_out(struct engine *e, node_id id, sim_span out,
                      const char *why)
{
    go_down(e, id, why);
    faults_replace(e, id);
    evq_add(&e->queue, e->board.now + out, EVENT_NODE_UP, id | NODES_REPAIRED);
}

void nodes_repaired(struct engine *e, node_id id)
{
    struct spares *s = &e->spares;
    uint32_t pool = e->parts.cluster->nodes[id].pool;
    if (s->n && s->missed[pool] == 0) {
        s->at[pool * e->parts.config.spares + s->n[pool]++] = id;
        return;
    }
    if (s->n)
        s->missed[pool]--;
    nodes_up(e, id);
}

enum status nodes_init(struct engine *e, struct error *err)
{
    struct cluster *c = e->parts.cluster;
    uint32_t spares = e->parts.config.spares;
    e->planned_out = mem_zalloc(c->n_nodes, sizeof *e->planned_out);
    if (e->parts.n_changes)
        faults_find_gone(e);
    if (spares == 0)
        return STATUS_OK;
    e->spares.at = mem_alloc(c->n_pools * spares * sizeof *e->spares.at);
    e->spares.n = mem_zalloc(c->n_pools, sizeof *e->spares.n);
    e->spares.missed = mem_zalloc(c->n_pools, sizeof *e->spares.missed);
    for (uint32_t p = 0; p < c->n_pools; p++) {
        const struct pool *pool = &c->pools[p];
        if (pool->profiler)
            continue;
        if (pool->n_nodes <= spares)
            return error_set(err, STATUS_USAGE,
                             "engine: spares=%u, but virtual cluster %s has a "
                             "pool of %u nodes",
                             spares, c->vcs[pool->vc], pool->n_nodes);
        for (uint32_t i = 0; i < spares; i++) {
            node_id node = pool->first_node + pool->n_nodes - 1 - i;
            e->spares.at[p * spares + e->spares.n[p]++] = node;
            go_down(e, node, "spare");
            /* closed also in the empty cluster, because a job that only a spare
             * could run must be rejected */
            cluster_close(&e->empty, node);
        }
    }
    return STATUS_OK;
}

void nodes_fini(struct engine *e)
{
    free(e->planned_out);
    free(e->gone_at);
    free(e->spares.at);
    free(e->spares.n);
    free(e->spares.missed);
}

void faults_init(struct engine *e)
{
    uint64_t seed = e->parts.seed;
    e->faults.relapses = rng_stream(seed, "hidden fault");
    e->faults.storage = rng_stream(seed, "storage fault");
    e->faults.rulings = rng_stream(seed, "failure");
}

void faults_fini(struct engine *e)
{
    free(e->faults.defects);
    free(e->faults.tests);
    free(e->faults.hit);
}

double faults_rate(const struct engine *e)
{
    const struct fault_source *source = &e->parts.fault;
    return source->ops && source->ops->rate
               ? source->ops->rate(source->config, e->parts.cluster)
               : 0;
}

void faults_draw(struct engine *e)
{
    const struct fault_source *source = &e->parts.fault;
    do {
        if (!source->ops || !source->ops->next(source->self, &e->faults.next))
            return;
    } while (e->faults.next.at < e->parts.faults_from);
    CHECK_IN(&e->where, e->faults.next.at >= e->board.now);
    evq_add(&e->queue, e->faults.next.at, EVENT_NODE_DOWN, NODES_FAULT);
    e->faults.waits = 1;
}

/* Returns the mask of those GPUs of the node that are in `where`. */
static uint64_t mask_on(struct gpu_set where, node_id node)
{
    for (uint32_t i = 0; i < where.count; i++) {
        if (where.at[i].node == node)
            return where.at[i].mask;
    }
    return 0;
}

/* True if a fault of this scope on the node hits a job on these GPUs. */
static bool reaches(enum fault_scope scope, node_id node, uint32_t gpu,
                    struct gpu_set where)
{
    uint64_t mask = mask_on(where, node);
    switch (scope) {
    case FAULT_NODE:
        return mask != 0;
    case FAULT_GPU:
        return mask >> gpu & 1;
    case FAULT_NVLINK:
        return mask_count(mask) > 1;
    case FAULT_NIC:
        return mask != 0 && where.count > 1;
    case FAULT_STORAGE:
    case FAULT_N_SCOPES:
        break;
    }
    return false;
}

static void add_hit(struct engine *e, job_id job, uint32_t *n)
{
    struct faults *f = &e->faults;
    for (uint32_t i = 0; i < *n; i++) {
        if (f->hit[i] == job)
            return;
    }
    f->hit = mem_grow(f->hit, &f->cap_hit, *n + 1u, sizeof *f->hit);
    f->hit[(*n)++] = job;
}

/* Lists the jobs on a node that the fault hits, ordered by GPU, then by the
 * number of the job. Returns their number. */
static uint32_t find_hit_on_node(struct engine *e, const struct fault *fault)
{
    const struct cluster *c = e->parts.cluster;
    const struct node *node = &c->nodes[fault->node];
    uint32_t n = 0;
    for (uint32_t g = 0; g < node->gpus; g++) {
        gpu_id gpu = node->first_gpu + g;
        for (uint32_t k = 0; k < c->n_holders[gpu]; k++) {
            job_id id = c->holders[(size_t)gpu * c->share_limit + k];
            const struct allocation *alloc =
                board_allocation(&e->board, &e->board.jobs[id]);
            if (reaches(fault->scope, fault->node, fault->gpu % node->gpus,
                        alloc->where))
                add_hit(e, id, &n);
        }
    }
    return n;
}

/* Lists the running jobs of the virtual cluster that a storage fault hits. Each
 * job is drawn separately. Returns their number. */
static uint32_t find_hit_by_storage(struct engine *e, const struct fault *fault)
{
    uint32_t n = 0;
    for (job_id id = e->board.running[fault->vc].first; id != JOB_NONE;
         id = e->board.links[id].next) {
        if (keyed_uniform(e->faults.storage, fault->key, id) <
            (double)fault->share)
            add_hit(e, id, &n);
    }
    return n;
}

static uint32_t find_hit(struct engine *e, const struct fault *fault)
{
    if (fault->harmless)
        return 0;
    return fault->scope == FAULT_STORAGE ? find_hit_by_storage(e, fault)
                                         : find_hit_on_node(e, fault);
}

/* Adds the fault to the ledger; returns its number there. */
static uint32_t faults_record(struct engine *e, const struct fault *fault,
                              bool missed)
{
    const struct cluster *c = e->parts.cluster;
    bool storage = fault->scope == FAULT_STORAGE;
    return ledger_add_fault(
        e->parts.ledger,
        &(struct fault_row){
            .at = fault->at,
            .repair = fault->repair,
            .cause = fault->cause,
            .node = storage ? NODE_NONE : fault->node,
            .vc = storage ? fault->vc : c->pools[c->nodes[fault->node].pool].vc,
            .scope = fault->scope,
            .after = fault->after,
            .gpu = fault->gpu,
            .harmless = fault->harmless,
            .missed = missed,
        });
}

static void leave_defect(struct engine *e, const struct fault *fault,
                         uint32_t number)
{
    struct faults *f = &e->faults;
    if (!f->defects)
        f->defects = mem_zalloc(e->parts.cluster->n_nodes, sizeof *f->defects);
    f->defects[fault->node] = (struct defect){
        .until = fault->at + fault->repair,
        .repair = fault->repair,
        .relapse = fault->relapse,
        .cause = fault->cause,
        .key = fault->key,
        .fault = number,
        .scope = fault->scope,
        .gpu = fault->gpu % e->parts.cluster->nodes[fault->node].gpus,
    };
}

static void hit(struct engine *e, const struct fault *fault, uint32_t number)
{
    uint32_t n = find_hit(e, fault);
    e->parts.ledger->faults[number].n_hit = n;
    for (uint32_t i = 0; i < n; i++) {
        struct job *job = &e->board.jobs[e->faults.hit[i]];
        const struct fail_cause cause = {
            .kind = FAILURE_INFRASTRUCTURE,
            .text = fault->cause,
            .node = fault->scope == FAULT_STORAGE ? NODE_NONE : fault->node,
            .fault = number,
            .gap = -1,
            .node_goes = fault->after == FAULT_DOWN};
        if (job->state == JOB_RUNNING)
            fail_job(e, job, &cause);
    }
}

void faults_strike(struct engine *e)
{
    struct fault fault = e->faults.next;
    bool on_node = fault.scope != FAULT_STORAGE;
    e->faults.waits = 0;
    nodes_count_change(e);
    faults_draw(e);
    bool missed = on_node && !e->parts.cluster->nodes[fault.node].up;
    uint32_t number = faults_record(e, &fault, missed);
    if (missed)
        return; /* a node that is down cannot fail again */
    hit(e, &fault, number);
    if (!on_node || fault.after == FAULT_PASSES)
        return;
    if (fault.after == FAULT_HIDDEN) {
        leave_defect(e, &fault, number);
        return;
    }
    nodes_out(e, fault.node, fault.repair, fault.cause);
}

/* Returns a key that is unique to this start of the job, so that the random
 * draws of two starts are independent. */
static uint64_t start_key(const struct job *job)
{
    return (uint64_t)job->id << 16 | job->attempts;
}

/* Draws the time from the start of the job until the defect makes it fail. */
static sim_span relapse_of(const struct engine *e, const struct defect *defect,
                           const struct job *job)
{
    double u =
        keyed_uniform(e->faults.relapses ^ defect->key, start_key(job), 0);
    return (sim_span)ceil(-log(u) * (double)defect->relapse);
}

void faults_break(struct engine *e, const struct job *job)
{
    struct progress *p = progress_of(&e->book, job);
    struct gpu_set where = board_allocation(&e->board, job)->where;
    for (uint32_t i = 0; i < where.count; i++) {
        node_id id = where.at[i].node;
        const struct defect *d = &e->faults.defects[id];
        if (d->until <= e->board.now || !reaches(d->scope, id, d->gpu, where))
            continue;
        sim_time at = e->board.now + relapse_of(e, d, job);
        if (at < d->until && at < p->breaks) {
            p->breaks = at;
            p->broken_by = d->fault;
            p->broken_on = id;
        }
    }
}

void faults_isolate(struct engine *e, node_id node)
{
    struct faults *f = &e->faults;
    struct defect *defect = f->defects ? &f->defects[node] : NULL;
    if (!e->parts.cluster->nodes[node].up)
        return; /* the node is out of service already */
    sim_span out = f->tests[node];
    if (defect && defect->until > e->board.now)
        out += defect->repair;
    if (defect)
        *defect = (struct defect){0};
    nodes_out(e, node, out, "isolated");
}
