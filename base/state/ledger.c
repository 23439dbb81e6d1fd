/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/state/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

void ledger_init(struct ledger *ledger, uint32_t n_jobs)
{
    /* Room for five attempts per four jobs, each on one node: most runs need no
     * more, so little is copied when the arrays grow. */
    enum { WHERE_BYTES = 4 }; /* usual packed size of an attempt on one node */
    size_t room = n_jobs + n_jobs / 4;
    *ledger = (struct ledger){
        .attempts = mem_alloc(room * sizeof *ledger->attempts),
        .cap_attempts = room,
        .where = mem_alloc(room * WHERE_BYTES),
        .cap_where = room * WHERE_BYTES,
        .last_attempt = mem_alloc(n_jobs * sizeof *ledger->last_attempt)};
    memset(ledger->last_attempt, 0xff, n_jobs * sizeof *ledger->last_attempt);
    arena_init(&ledger->arena);
}

void ledger_fini(struct ledger *ledger)
{
    free(ledger->attempts);
    free(ledger->last_attempt);
    free(ledger->costs);
    free(ledger->rejections);
    free(ledger->node_changes);
    free(ledger->faults);
    free(ledger->failures);
    free(ledger->evictions);
    free(ledger->advices);
    free(ledger->tokens);
    free(ledger->where);
    arena_fini(&ledger->arena);
    *ledger = (struct ledger){0};
}

void ledger_read_by(struct ledger *ledger, struct ledger_reader reader)
{
    CHECK(ledger->n_readers < sizeof ledger->readers / sizeof *ledger->readers);
    ledger->readers[ledger->n_readers++] = reader;
}

static uint8_t *put_varint(uint8_t *at, uint64_t value)
{
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

static const uint8_t *get_varint(const uint8_t *at, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0;; shift += 7) {
        *value |= (uint64_t)(*at & 0x7f) << shift;
        if (!(*at++ & 0x80))
            return at;
    }
}

/* Stores a gang as bytes: the number of slices, then the node and the mask of
 * each slice. Returns the offset of these bytes in ledger.where. */
static uint32_t pack(struct ledger *ledger, struct gpu_set set)
{
    enum { SLICE_BYTES = 13 }; /* 3 for a node below 65536, 10 for a mask */
    size_t need = ledger->n_where + 5 + (size_t)set.count * SLICE_BYTES;
    CHECK(need < UINT32_MAX);
    ledger->where = mem_grow(ledger->where, &ledger->cap_where, need, 1);
    uint8_t *start = ledger->where + ledger->n_where;
    uint8_t *at = put_varint(start, set.count);
    for (uint32_t i = 0; i < set.count; i++) {
        at = put_varint(at, set.at[i].node);
        at = put_varint(at, set.at[i].mask);
    }
    uint32_t offset = (uint32_t)ledger->n_where;
    ledger->n_where += (size_t)(at - start);
    return offset;
}

static void begin_attempt(struct ledger *ledger, const struct ledger_move *m)
{
    ledger->attempts =
        mem_grow(ledger->attempts, &ledger->cap_attempts,
                 ledger->n_attempts + 1, sizeof *ledger->attempts);
    uint32_t number = (uint32_t)ledger->n_attempts++;
    ledger->attempts[number] = (struct attempt){
        .start = m->at,
        .end = TIME_NEVER,
        .job = m->job->id,
        .previous = ledger->last_attempt[m->job->id],
        .where = pack(ledger, m->where),
        .shared = m->shared,
        .profiling = m->profiling,
        .n_gpus = m->gpus <= UINT8_MAX ? (uint8_t)m->gpus : 0,
    };
    ledger->last_attempt[m->job->id] = number;
}

static void end_attempt(struct ledger *ledger, const struct ledger_move *m)
{
    uint32_t number = ledger->last_attempt[m->job->id];
    struct attempt *attempt = &ledger->attempts[number];
    if (m->kind != LEDGER_OPEN)
        attempt->end = m->at;
    attempt->how = (uint8_t)m->kind;
    attempt->shared |= m->shared;
    if (m->overhead == 0 && m->lost == 0 &&
        m->work == (double)(m->at - attempt->start))
        return;
    if (ledger->cap_costs <= number) {
        ledger->cap_costs = ledger->cap_attempts;
        ledger->costs = mem_resize(ledger->costs,
                                   ledger->cap_costs * sizeof *ledger->costs);
    }
    attempt->costly = true;
    ledger->costs[number] = (struct attempt_cost){.overhead = m->overhead,
                                                  .resume = m->resume,
                                                  .lost = m->lost,
                                                  .writing = m->writing,
                                                  .work = m->work};
}

static const char *ledger_keep(struct ledger *ledger, const char *why)
{
    return why ? arena_copy(&ledger->arena, why, strlen(why)) : "";
}

static void add_rejection(struct ledger *ledger, const struct ledger_move *m)
{
    ledger->rejections =
        mem_grow(ledger->rejections, &ledger->cap_rejections,
                 ledger->n_rejections + 1, sizeof *ledger->rejections);
    ledger->rejections[ledger->n_rejections++] =
        (struct rejection){m->job->id, m->at, ledger_keep(ledger, m->why)};
}

static void add_node_change(struct ledger *ledger, const struct ledger_move *m)
{
    ledger->node_changes =
        mem_grow(ledger->node_changes, &ledger->cap_node_changes,
                 ledger->n_node_changes + 1, sizeof *ledger->node_changes);
    ledger->node_changes[ledger->n_node_changes++] = (struct node_change){
        m->at, m->node, (uint8_t)m->kind, ledger_keep(ledger, m->why)};
}

void ledger_add(struct ledger *ledger, const struct ledger_move *move)
{
    if (move->kind == LEDGER_STARTED)
        begin_attempt(ledger, move);
    else if (ledger_ends_attempt(move->kind) || move->kind == LEDGER_OPEN)
        end_attempt(ledger, move);
    else if (move->kind == LEDGER_REJECTED)
        add_rejection(ledger, move);
    else if (ledger_is_of_node(move->kind))
        add_node_change(ledger, move);
    ledger->n_moves++;
    if (move->job)
        ledger->last = move->at;
    for (size_t i = 0; i < ledger->n_readers; i++)
        ledger->readers[i].read(ledger->readers[i].self, move);
}

uint32_t ledger_add_fault(struct ledger *ledger, const struct fault_row *row)
{
    CHECK(ledger->n_faults < FAULT_NONE);
    ledger->faults = mem_grow(ledger->faults, &ledger->cap_faults,
                              ledger->n_faults + 1, sizeof *ledger->faults);
    ledger->faults[ledger->n_faults++] = *row;
    return (uint32_t)(ledger->n_faults - 1);
}

void ledger_add_failure(struct ledger *ledger, const struct failure_row *row)
{
    ledger->failures =
        mem_grow(ledger->failures, &ledger->cap_failures,
                 ledger->n_failures + 1, sizeof *ledger->failures);
    ledger->failures[ledger->n_failures++] = *row;
}

void ledger_add_eviction(struct ledger *ledger, struct eviction_row row)
{
    ledger->evictions =
        mem_grow(ledger->evictions, &ledger->cap_evictions,
                 ledger->n_evictions + 1, sizeof *ledger->evictions);
    ledger->evictions[ledger->n_evictions++] = row;
}

uint32_t ledger_add_advice(struct ledger *ledger, const struct advice_row *row,
                           uint32_t n_jobs)
{
    CHECK(ledger->n_advices < ADVICE_NONE);
    if (!ledger->advices) { /* most runs with questions have one question per
                             * job */
        ledger->cap_advices = n_jobs + n_jobs / 16 + 16;
        ledger->advices =
            mem_alloc(ledger->cap_advices * sizeof *ledger->advices);
    }
    ledger->advices = mem_grow(ledger->advices, &ledger->cap_advices,
                               ledger->n_advices + 1, sizeof *ledger->advices);
    ledger->advices[ledger->n_advices++] = *row;
    return (uint32_t)(ledger->n_advices - 1);
}

void ledger_count_tokens(struct ledger *ledger, uint32_t advice,
                         struct advice_tokens tokens)
{
    size_t had = ledger->cap_tokens;
    CHECK(advice < ledger->n_advices);
    ledger->tokens = mem_grow(ledger->tokens, &ledger->cap_tokens,
                              (size_t)advice + 1, sizeof *ledger->tokens);
    memset(ledger->tokens + had, 0,
           (ledger->cap_tokens - had) * sizeof *ledger->tokens);
    ledger->tokens[advice] = tokens;
}

struct advice_tokens ledger_tokens(const struct ledger *ledger, uint32_t advice,
                                   bool *counted)
{
    const struct advice_row *row = &ledger->advices[advice];
    struct advice_tokens none = {0}, own = none;
    if (ledger->tokens && advice < ledger->cap_tokens)
        own = ledger->tokens[advice];
    *counted = own.in || own.out;
    if (*counted)
        return own;
    return row->server == ADVICE_NO_SERVER
               ? none
               : ledger->station.tokens[row->module];
}

void ledger_close(struct ledger *ledger, sim_time horizon)
{
    ledger->last = horizon;
}

uint32_t ledger_where(const struct ledger *ledger,
                      const struct attempt *attempt, struct gpu_slice *out,
                      uint32_t room)
{
    uint64_t count, node, mask;
    const uint8_t *at = get_varint(ledger->where + attempt->where, &count);
    for (uint32_t i = 0; i < count; i++) {
        at = get_varint(at, &node);
        at = get_varint(at, &mask);
        if (i < room)
            out[i] = (struct gpu_slice){(node_id)node, mask};
    }
    return (uint32_t)count;
}

uint32_t ledger_count_gpus(const struct ledger *ledger,
                           const struct attempt *attempt)
{
    uint64_t count, node, mask;
    uint32_t n = 0;
    const uint8_t *at = get_varint(ledger->where + attempt->where, &count);
    for (uint32_t i = 0; i < count; i++) {
        at = get_varint(at, &node);
        at = get_varint(at, &mask);
        n += mask_count(mask);
    }
    return n;
}
