/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/alone.h"

#include <stdlib.h>

void alone_init(struct alone *alone, const struct ledger *ledger,
                uint32_t n_jobs)
{
    *alone = (struct alone){.ledger = ledger, .n_jobs = n_jobs};
}

void alone_fini(struct alone *alone)
{
    free(alone->speed);
    free(alone->rest);
    *alone = (struct alone){0};
}

static void begin(struct alone *alone, const struct ledger_move *move)
{
    if (!alone->speed) {
        if (move->alone == 1)
            return;
        alone->speed = mem_alloc(alone->n_jobs * sizeof *alone->speed);
        for (uint32_t i = 0; i < alone->n_jobs; i++)
            alone->speed[i] = 1;
    }
    alone->speed[move->job->id] = move->alone;
}

static void end(struct alone *alone, const struct ledger_move *move)
{
    const struct ledger *ledger = alone->ledger;
    job_id id = move->job->id;
    const struct attempt *a = &ledger->attempts[ledger->last_attempt[id]];
    double time =
        (double)(move->at - a->start - (move->overhead - move->resume));
    double rest = time - move->work / (alone->speed ? alone->speed[id] : 1.0);
    if (rest == 0)
        return;
    rest *= (double)gpu_set_size(move->where);
    if (!alone->rest)
        alone->rest = mem_zalloc(alone->n_jobs, sizeof *alone->rest);
    alone->rest[id] += rest;
    alone->slowed += move->shared ? rest : 0;
}

static void alone_read(void *self, const struct ledger_move *move)
{
    if (move->kind == LEDGER_STARTED)
        begin(self, move);
    else if (ledger_ends_attempt(move->kind) || move->kind == LEDGER_OPEN)
        end(self, move);
}

struct ledger_reader alone_reader(struct alone *alone)
{
    return (struct ledger_reader){alone_read, alone};
}
