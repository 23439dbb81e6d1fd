/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sweep over a result: keeps the state of each class of waiting jobs, and
 * lets each wait read the totals of its class when it begins and ends. */
#include <stdlib.h>

#include "base/heap.h"
#include "commands/explain_internal.h"

/* Totals of the class and the virtual cluster of a wait at one time. */
struct explain_sweep_totals {
    sim_span spans[FIT_PLACED + 1], rested;
    uint64_t passed, quota, blocked, starts, gpus, gpu_time;
};

struct explain_sweep {
    struct explain_line *line;
    struct explain_sweep_totals *base; /* by wait: the totals when it began */
    uint32_t *begun, n_begun;          /* waits that began at this instant */
    bool *watching; /* by wait: true if its blocks are listed now */
    uint32_t *watched, n_watched; /* watched waits that have not ended */
    bool *touched;                /* by virtual cluster */
    sim_time now;
};

static bool is_before(const void *a, const void *b)
{
    return *(const uint32_t *)a < *(const uint32_t *)b;
}

static const struct heap_kind place_heap = {.size = sizeof(uint32_t),
                                            .before = is_before};

static void add_block(struct explain_waits *waits, const struct waiting *wait,
                      uint32_t job, sim_span span)
{
    struct explain_block *last = &waits->blocks[waits->n_blocks];
    if (waits->n_blocks && last[-1].wait == wait && last[-1].job == job) {
        last[-1].span += span;
        return;
    }
    waits->blocks = mem_grow(waits->blocks, &waits->cap_blocks,
                             waits->n_blocks + 1, sizeof *waits->blocks);
    waits->blocks[waits->n_blocks++] = (struct explain_block){wait, job, span};
}

/* Lists the front job as what blocks the watched waits of the class. */
static void watch(struct explain_sweep *s, uint32_t class, uint32_t front,
                  sim_span span)
{
    struct explain_line *line = s->line;
    for (uint32_t i = 0; i < s->n_watched; i++) {
        uint32_t w = s->watched[i];
        if (s->watching[w] && line->class_of[line->job_of[w]] == class &&
            line->place[w] > front)
            add_block(line->waits, &line->waits->at[w],
                      line->job_of[line->order[front]], span);
    }
}

/* Adds the time since the last change of a class to its totals. */
static void flush(struct explain_sweep *s, struct explain_class *c)
{
    const struct explain_state *state = &c->state;
    sim_span span = s->now - c->since;
    sim_time from = c->since;
    c->since = s->now;
    if (span == 0)
        return;
    if (state->fit == FIT_FULL) {
        explain_sums_add(&c->passed, state->n_passed, (uint64_t)span);
        if (state->quota)
            explain_sums_add(&c->quota, state->n_passed, (uint64_t)span);
    }
    if (state->fit == FIT_PLACED && state->rest_until > from) {
        sim_time until =
            state->rest_until < s->now ? state->rest_until : s->now;
        c->rested += until - from;
        span -= until - from;
    }
    c->spans[state->fit] += span;
    if (state->fit != FIT_PLACED || state->front == EXPLAIN_NO_WAIT ||
        span == 0)
        return;
    uint32_t before = explain_below(c->places, c->n_places, state->front);
    explain_sums_add(&c->blocked, before, (uint64_t)span);
    if (s->n_watched)
        watch(s, (uint32_t)(c - s->line->classes), state->front, span);
}

/* Returns what entries from `i` on sum up to. */
static uint64_t sum_from(const struct explain_sums *sums, uint32_t i)
{
    return explain_sums_of(sums, sums->n) - explain_sums_of(sums, i);
}

static struct explain_sweep_totals totals_of(struct explain_sweep *s,
                                             uint32_t w)
{
    const struct explain_line *line = s->line;
    uint32_t job = line->job_of[w], at = line->job_in_class[job];
    uint32_t later = line->pools.rank[job] + 1;
    struct explain_class *c = &line->classes[line->class_of[job]];
    const struct explain_vc *vc = &line->vcs[c->vc];
    flush(s, c);
    struct explain_sweep_totals t = {
        .rested = c->rested,
        .passed = sum_from(&c->passed, at + 1),
        .quota = explain_sums_of(&c->quota, at + 1),
        .blocked = explain_sums_of(&c->blocked, line->in_class[w] + 1),
        .starts = sum_from(&vc->starts, later),
        .gpus = sum_from(&vc->gpus, later),
        .gpu_time = (uint64_t)s->now * sum_from(&vc->gpus_now, later) -
                    sum_from(&vc->begun, later)};
    for (unsigned i = 0; i <= FIT_PLACED; i++)
        t.spans[i] = c->spans[i];
    return t;
}

static void begin_wait(struct explain_sweep *s, uint32_t w)
{
    struct explain_line *line = s->line;
    uint32_t job = line->job_of[w];
    struct explain_class *c = &line->classes[line->class_of[job]];
    struct explain_vc *vc = &line->vcs[c->vc];
    s->base[w] = totals_of(s, w);
    heap_put(&place_heap, NULL, c->heap, c->n_heap++, &line->place[w]);
    c->n_waiting++;
    vc->n_waiting++;
    explain_sums_add(&vc->waiting, line->pools.rank[job], 1);
    s->touched[c->vc] = true;
    s->begun[s->n_begun++] = w;
    if (line->watched && line->watched[job]) {
        s->watched[s->n_watched++] = w;
        s->watching[w] = explain_next_round(line, s->now) == s->now;
    }
}

/* The first round of a wait begins: until now the policy rested. */
static void begin_round(struct explain_sweep *s, uint32_t w)
{
    struct explain_sweep_totals t = totals_of(s, w), *base = &s->base[w];
    sim_span *spans = s->line->waits->at[w].why->spans;
    spans[EXPLAIN_BETWEEN_ROUNDS] +=
        t.spans[FIT_PLACED] - base->spans[FIT_PLACED];
    base->spans[FIT_PLACED] = t.spans[FIT_PLACED];
    base->blocked = t.blocked;
    s->watching[w] = true;
}

static void end_wait(struct explain_sweep *s, uint32_t w)
{
    struct explain_line *line = s->line;
    struct waiting *wait = &line->waits->at[w];
    uint32_t job = line->job_of[w];
    struct explain_class *c = &line->classes[line->class_of[job]];
    if (line->round && explain_next_round(line, wait->released) >= wait->to)
        begin_round(s, w);
    const struct explain_sweep_totals *base = &s->base[w];
    struct explain_sweep_totals t = totals_of(s, w);
    sim_span *spans = wait->why->spans;
    sim_span full = t.spans[FIT_FULL] - base->spans[FIT_FULL],
             placed = t.spans[FIT_PLACED] - base->spans[FIT_PLACED],
             blocked = (sim_span)(t.blocked - base->blocked);
    spans[EXPLAIN_NODES_OUT] = t.spans[FIT_OUT] - base->spans[FIT_OUT];
    spans[EXPLAIN_NODES_LENT] = t.spans[FIT_LENT] - base->spans[FIT_LENT];
    spans[EXPLAIN_FRAGMENTED] =
        t.spans[FIT_FRAGMENTED] - base->spans[FIT_FRAGMENTED];
    spans[EXPLAIN_BETWEEN_ROUNDS] += t.rested - base->rested;
    spans[line->reserves ? EXPLAIN_RESERVED_FOR : EXPLAIN_BLOCKED_BY] = blocked;
    spans[EXPLAIN_PASSED_OVER] = placed - blocked;
    spans[EXPLAIN_OVERTAKEN] = (sim_span)(t.passed - base->passed);
    spans[EXPLAIN_QUOTA] = (sim_span)(t.quota - base->quota);
    spans[EXPLAIN_TOO_FEW_GPUS] =
        full - spans[EXPLAIN_OVERTAKEN] - spans[EXPLAIN_QUOTA];
    wait->later_starts = t.starts - base->starts;
    wait->later_gpus = t.gpus - base->gpus;
    wait->later_time = t.gpu_time - base->gpu_time;
    c->n_waiting--;
    line->vcs[c->vc].n_waiting--;
    explain_sums_add(&line->vcs[c->vc].waiting, line->pools.rank[job],
                     UINT64_MAX);
    s->touched[c->vc] = true;
    for (uint32_t i = 0; i < s->n_watched; i++) {
        if (s->watched[i] == w)
            s->watched[i--] = s->watched[--s->n_watched];
    }
}

/* Adds the start (sign 1) or the end (-1) of an attempt. */
static void move_attempt(struct explain_sweep *s, uint32_t attempt, int sign)
{
    struct explain_line *line = s->line;
    const struct verify_attempt *a = &line->data->attempts[attempt];
    struct explain_vc *vc = &line->vcs[line->data->jobs[a->job].vc];
    uint32_t rank = line->pools.rank[a->job];
    uint64_t gpus = (uint64_t)((int64_t)a->gpus * sign);
    explain_sums_add(&vc->gpus_now, rank, gpus);
    explain_sums_add(&vc->begun, rank, gpus * (uint64_t)s->now);
    s->touched[line->data->jobs[a->job].vc] = true;
    if (sign < 0) {
        explain_pools_end(&line->pools, a);
        return;
    }
    explain_pools_start(&line->pools, a);
    explain_sums_add(&vc->starts, rank, 1);
    explain_sums_add(&vc->gpus, rank, gpus);
}

static void apply(struct explain_sweep *s, const struct explain_edge *edge)
{
    struct explain_line *line = s->line;
    const struct verify_change *change;
    switch (edge->kind) {
    case EDGE_WAIT_ENDS:
        end_wait(s, edge->index);
        break;
    case EDGE_ROUND:
        begin_round(s, edge->index);
        break;
    case EDGE_WAIT_BEGINS:
        begin_wait(s, edge->index);
        break;
    case EDGE_NODE:
        change = &line->data->changes[edge->index];
        explain_pools_change(&line->pools, change);
        s->touched[line->data->nodes[change->node].vc] = true;
        break;
    case EDGE_STOP:
        move_attempt(s, edge->index, -1);
        break;
    case EDGE_START:
        move_attempt(s, edge->index, 1);
    }
}

static void set_state(struct explain_sweep *s, struct explain_class *c,
                      struct explain_state state)
{
    const struct explain_state *old = &c->state;
    if (state.fit == FIT_PLACED)
        state.rest_until = old->fit == FIT_PLACED
                               ? old->rest_until
                               : explain_next_round(s->line, s->now);
    if (state.fit == old->fit && state.n_passed == old->n_passed &&
        state.quota == old->quota && state.front == old->front)
        return;
    flush(s, c);
    c->state = state;
}

/* Returns the place of the first wait of the class that has begun and not
 * ended; EXPLAIN_NO_WAIT if there is none. */
static uint32_t first_place(const struct explain_sweep *s,
                            struct explain_class *c)
{
    const struct explain_line *line = s->line;
    while (c->n_heap && line->waits->at[line->order[c->heap[0]]].to <= s->now)
        heap_take(&place_heap, NULL, c->heap, c->n_heap--, 0);
    return c->n_heap ? c->heap[0] : EXPLAIN_NO_WAIT;
}

/* Judges the classes of a virtual cluster that have waiting jobs again. */
static void explain_sweep_renew(struct explain_sweep *s,
                                const struct explain_vc *vc,
                                struct explain_state *states)
{
    struct explain_class *all = &s->line->classes[vc->first_class];
    uint32_t front = EXPLAIN_NO_WAIT;
    for (uint32_t i = 0; i < vc->n_classes; i++) {
        if (!all[i].n_waiting)
            continue;
        states[i] = explain_judge(s->line, &all[i]);
        uint32_t first = first_place(s, &all[i]);
        if (states[i].fit != FIT_PLACED && first < front)
            front = first;
    }
    for (uint32_t i = 0; i < vc->n_classes; i++) {
        if (!all[i].n_waiting)
            continue;
        if (states[i].fit == FIT_PLACED)
            states[i].front = front;
        set_state(s, &all[i], states[i]);
    }
}

/* Free GPUs elsewhere may have changed. */
static void renew_quota(struct explain_sweep *s, const struct explain_vc *vc)
{
    for (uint32_t i = 0; i < vc->n_classes; i++) {
        struct explain_class *c = &s->line->classes[vc->first_class + i];
        struct explain_state state = c->state;
        if (!c->n_waiting || state.fit != FIT_FULL)
            continue;
        state.quota = explain_is_quota(s->line, c);
        set_state(s, c, state);
    }
}

/* Judges again what the instant changed. Free GPUs of one virtual cluster
 * matter to the others too, for `quota`. */
static void end_instant(struct explain_sweep *s, struct explain_state *states)
{
    struct explain_line *line = s->line;
    for (uint32_t v = 0; v < line->n_vcs; v++) {
        if (line->vcs[v].n_waiting && s->touched[v])
            explain_sweep_renew(s, &line->vcs[v], states);
        else if (line->vcs[v].n_waiting)
            renew_quota(s, &line->vcs[v]);
        s->touched[v] = false;
    }
    for (uint32_t i = 0; i < s->n_begun; i++) {
        uint32_t w = s->begun[i], job = line->job_of[w];
        const struct explain_class *c = &line->classes[line->class_of[job]];
        struct waiting *wait = &line->waits->at[w];
        for (uint32_t p = 0; p < line->pools.n; p++) {
            const struct explain_pool *pool = &line->pools.at[p];
            if (pool->vc == c->vc && explain_in_reach(c, pool))
                wait->free_gpus += (uint32_t)pool->free;
        }
        wait->ahead = (uint32_t)explain_sums_of(&line->vcs[c->vc].waiting,
                                                line->pools.rank[job]);
    }
    s->n_begun = 0;
}

void explain_sweep(struct explain_line *line)
{
    size_t n, n_waits = line->waits->n + 1;
    struct explain_edge *edges = explain_edges_of(line, &n);
    struct explain_state *states =
        mem_zalloc(line->n_classes + 1, sizeof *states);
    struct explain_sweep s = {.line = line,
                              .base = mem_alloc(n_waits * sizeof *s.base),
                              .begun = mem_alloc(n_waits * sizeof *s.begun),
                              .watching =
                                  mem_zalloc(n_waits, sizeof *s.watching),
                              .watched = mem_alloc(n_waits * sizeof *s.watched),
                              .touched = mem_zalloc(line->n_vcs + 1, 1)};
    for (size_t i = 0; i < n; i++) {
        s.now = edges[i].at;
        apply(&s, &edges[i]);
        if (i + 1 == n || edges[i + 1].at > s.now)
            end_instant(&s, states);
    }
    free(edges);
    free(states);
    free(s.base);
    free(s.begun);
    free(s.watching);
    free(s.watched);
    free(s.touched);
}
