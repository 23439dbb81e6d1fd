/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/failure_rows.h"

#include <stdlib.h>
#include <string.h>

static bool has_fault_model(const struct run_result *run)
{
    for (size_t i = 0; i < run->n_settings; i++) {
        const struct run_setting *s = &run->settings[i];
        if (strcmp(s->owner, "faults") == 0 && strcmp(s->key, "name") == 0)
            return strcmp(s->value, "none") != 0;
    }
    return false;
}

bool failure_rows_exist(const struct run_result *run)
{
    return run->ledger.n_faults || run->ledger.n_failures ||
           has_fault_model(run);
}

/* Fills attempt[] and restarted[] in one pass over all attempts. */
static void find_attempts(struct failure_rows *rows)
{
    const struct ledger *ledger = &rows->run->ledger;
    uint32_t *failure_of =
        mem_alloc((ledger->n_attempts + 1) * sizeof(uint32_t));
    uint32_t *count =
        mem_zalloc(rows->run->jobset.n_jobs + (size_t)1, sizeof *count);
    memset(failure_of, 0xff, ledger->n_attempts * sizeof *failure_of);
    for (uint32_t i = 0; i < ledger->n_failures; i++)
        failure_of[ledger->failures[i].attempt] = i;
    for (size_t i = 0; i < ledger->n_attempts; i++) {
        const struct attempt *a = &ledger->attempts[i];
        uint32_t before =
            a->previous == ATTEMPT_NONE ? UINT32_MAX : failure_of[a->previous];
        count[a->job]++;
        if (failure_of[i] != UINT32_MAX)
            rows->attempt[failure_of[i]] = count[a->job];
        if (before != UINT32_MAX)
            rows->restarted[before] = a->start;
    }
    free(failure_of);
    free(count);
}

void failure_rows_init(struct failure_rows *rows, const struct results *results)
{
    const struct run_result *run = results->run;
    size_t n = run->ledger.n_failures;
    *rows = (struct failure_rows){
        .run = run,
        .attempt = mem_zalloc(n + 1, sizeof *rows->attempt),
        .restarted = mem_alloc((n + 1) * sizeof *rows->restarted),
    };
    while (rows->n_faults < run->ledger.n_faults &&
           run->ledger.faults[rows->n_faults].at <= results->end)
        rows->n_faults++;
    for (size_t i = 0; i < n; i++)
        rows->restarted[i] = TIME_NEVER;
    if (n)
        find_attempts(rows);
}

void failure_rows_fini(struct failure_rows *rows)
{
    free(rows->attempt);
    free(rows->restarted);
}

static const struct fault_row *next_fault(const struct failure_rows *rows)
{
    const struct ledger *ledger = &rows->run->ledger;
    return rows->next_fault < rows->n_faults ? &ledger->faults[rows->next_fault]
                                             : NULL;
}

static sim_time failed_at(const struct ledger *ledger,
                          const struct failure_row *failure)
{
    return ledger->attempts[failure->attempt].end;
}

/* True if the next row is that of the next failure in the ledger, false if it
 * is that of the next fault or if no row is left. */
static bool failure_is_next(const struct failure_rows *rows)
{
    const struct ledger *ledger = &rows->run->ledger;
    const struct fault_row *fault = next_fault(rows);
    if (rows->next_failure == ledger->n_failures)
        return false;
    const struct failure_row *failure = &ledger->failures[rows->next_failure];
    if (!fault)
        return true;
    if (failure->fault != FAULT_NONE && failure->fault > rows->next_fault)
        return false;
    return failed_at(ledger, failure) <= fault->at;
}

static void read_failure(struct failure_rows *rows, struct failure_line *out)
{
    const struct ledger *ledger = &rows->run->ledger;
    size_t i = rows->next_failure++;
    const struct failure_row *failure = &ledger->failures[i];
    const struct attempt_cost *cost = ledger_cost(ledger, failure->attempt);
    rows->hit |= failure->fault == rows->next_fault;
    *out = (struct failure_line){
        .at = failed_at(ledger, failure),
        .failure = failure,
        .attempt = rows->attempt[i],
        .restarted = rows->restarted[i],
        .job = &rows->run->jobset.jobs[ledger->attempts[failure->attempt].job],
        .lost = cost ? cost->lost : 0,
    };
    if (failure->fault != FAULT_NONE) {
        out->fault = &ledger->faults[failure->fault];
        out->fault_number = failure->fault + 1;
    }
}

bool failure_rows_next(struct failure_rows *rows, struct failure_line *out)
{
    for (;;) {
        const struct fault_row *fault = next_fault(rows);
        if (failure_is_next(rows)) {
            read_failure(rows, out);
            return true;
        }
        if (!fault)
            return false;
        bool hit = rows->hit;
        rows->hit = false;
        rows->next_fault++;
        if (hit)
            continue;
        *out = (struct failure_line){
            .at = fault->at,
            .fault = fault,
            .fault_number = (uint32_t)rows->next_fault,
            .restarted = TIME_NEVER,
        };
        return true;
    }
}
