/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Failures of jobs: what a job loses, what the recovery rules decide, and what
 * follows from it. */
#include <stdlib.h>

#include "sim/engine/engine_internal.h"

/* Adds to the ledger a move of a job that holds no GPUs. */
static void note(struct engine *e, enum ledger_kind kind, const struct job *job,
                 const char *why)
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

static struct ruling ask(struct engine *e, const struct failure *failure)
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
        note(e, LEDGER_RETRIED, job, NULL);
    } else {
        board_move(&e->board, job, JOB_HELD);
        note(e, LEDGER_HELD, job, NULL);
        evq_add(&e->queue, e->board.now + delay, EVENT_SUBMITTED, job->id);
    }
}

/* Isolates the suspect node at the time that the ruling sets, unless the node
 * is out of service already or the fault itself takes it out. */
static void isolate(struct engine *e, const struct fail_cause *cause,
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
    sim_span done = p->at_start - p->left;
    sim_span interval = p->checkpoints.interval;
    if (verdict != VERDICT_RESUME)
        return rates_work_done(e, job);
    if (recorded)
        return 0;
    return interval > 0 ? done % interval : done;
}

static void record(struct engine *e, const struct job *job,
                   const struct fail_cause *cause, const struct ruling *ruling)
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

bool fail_job(struct engine *e, struct job *job, const struct fail_cause *cause)
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
    struct ruling ruling = ask(e, &failure);
    bool again = comes_again(cause, &ruling);
    sim_span lost = lost_by(e, job, ruling.verdict, cause->gap >= 0 && !again);
    if (cause->gap >= 0 && !again)
        progress_pass_failure(&e->book, job);
    isolate(e, cause, &ruling);
    record(e, job, cause, &ruling);
    p->left += lost;
    commit_leave(e, job, LEDGER_FAILED, lost,
                 ruling.cause ? ruling.cause : cause->text);
    if (ruling.verdict == VERDICT_GIVE_UP) {
        board_move(&e->board, job, JOB_FAILED);
        note(e, LEDGER_GIVEN_UP, job, cause->text);
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
    note(e, LEDGER_GIVEN_UP, job, why);
    engine_note(e, EVENT_FAILED, job, NODE_NONE);
}
