/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/alone.h"

#include <stdlib.h>

/* A period in which the speed of an attempt is constant. */
struct alone_segment {
    sim_span since; /* active time of the attempt before the segment, us */
    double cost;    /* see cost_of; 0: sharing does not slow the job */
};

void alone_init(struct alone *alone, const struct ledger *ledger,
                uint32_t n_jobs)
{
    *alone = (struct alone){.ledger = ledger, .n_jobs = n_jobs};
}

void alone_fini(struct alone *alone)
{
    free(alone->segments);
    free(alone->rest);
    *alone = (struct alone){0};
}

/* Returns the cost of sharing per unit of active time, in which the attempt
 * works or writes checkpoints: 1 - relative speed, times the share of the
 * active time in which it works. */
static double cost_of(const struct ledger_move *move)
{
    /* rate while no checkpoint is written */
    double unwritten = move->alone * move->rel_speed;
    return (1 - move->rel_speed) * (move->rate / unwritten);
}

/* Adds the cost of the segment that ends when the attempt has been active for
 * `active`. */
static void end_segment(struct alone *alone, const struct ledger_move *move,
                        sim_span active)
{
    if (!alone->segments)
        return;
    struct alone_segment *segment = &alone->segments[move->job->id];
    if (segment->cost != 0)
        alone->slowed += segment->cost * (double)(active - segment->since) *
                         (double)gpu_set_size(move->where);
    segment->cost = 0;
}

static void begin_segment(struct alone *alone, const struct ledger_move *move,
                          sim_span active)
{
    if (move->rel_speed == 1)
        return;
    if (!alone->segments)
        alone->segments = mem_zalloc(alone->n_jobs, sizeof *alone->segments);
    alone->segments[move->job->id] =
        (struct alone_segment){.since = active, .cost = cost_of(move)};
}

static void end(struct alone *alone, const struct ledger_move *move)
{
    const struct ledger *ledger = alone->ledger;
    job_id id = move->job->id;
    const struct attempt *a = &ledger->attempts[ledger->last_attempt[id]];
    sim_span worked = move->at - a->start - (move->overhead - move->resume);
    end_segment(alone, move, worked + move->writing);
    double rest = (double)worked - move->work / move->alone;
    if (rest == 0)
        return;
    if (!alone->rest)
        alone->rest = mem_zalloc(alone->n_jobs, sizeof *alone->rest);
    alone->rest[id] += rest * (double)gpu_set_size(move->where);
}

static void alone_read(void *self, const struct ledger_move *move)
{
    if (move->kind == LEDGER_STARTED) {
        begin_segment(self, move, 0);
    } else if (move->kind == LEDGER_RATE) {
        end_segment(self, move, move->active);
        begin_segment(self, move, move->active);
    } else if (ledger_ends_attempt(move->kind) || move->kind == LEDGER_OPEN) {
        end(self, move);
    }
}

struct ledger_reader alone_reader(struct alone *alone)
{
    return (struct ledger_reader){alone_read, alone};
}
