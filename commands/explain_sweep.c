/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sweep over a result: keeps the state of each class of waiting jobs, and
 * lets each wait read the totals of its class when it begins and ends. */
#include <stdlib.h>

#include "base/heap.h"
#include "commands/explain_internal.h"
#include "sim/verify/verify_replay.h"

/* Totals of the class and the virtual cluster of a wait at one time. */
struct explain_sweep_totals {
    sim_span spans[FIT_PLACED + 1], rested;
    uint64_t passed, quota, blocked, starts, gpus, gpu_time;
};

/* Kinds of edges, in their order within an instant. Waits end before anything
 * starts, so that a job that starts no longer counts as waiting. The last three
 * are in the order of enum verify_edge_kind. */
enum explain_edge_kind {
    EDGE_WAIT_ENDS,
    EDGE_ROUND, /* the first round of a wait begins */
    EDGE_WAIT_BEGINS,
    EXPLAIN_LISTS, /* number of kinds that are listed by time */
    EDGE_STOP = EXPLAIN_LISTS,
    EDGE_NODE,
    EDGE_START
};

struct explain_edge {
    sim_time at;
    enum explain_edge_kind kind;
    uint32_t index; /* of the turn, the attempt or the change */
};

struct explain_sweep {
    struct explain_line *line;
    struct verify_replay replay; /* of the attempts and the nodes */
    struct explain_list {
        struct verify_timed *at;
        size_t n, next;
    } lists[EXPLAIN_LISTS]; /* edges of turns, by kind */
    size_t n_left;          /* waits asked for whose end is still to come */
    struct explain_sweep_totals *base; /* by wait: the totals when it began */
    uint32_t *begun, n_begun; /* turns asked for that began at this instant */
    bool *watching;           /* by wait: true if its blocks are listed now */
    uint32_t *watched, n_watched; /* watched turns that have not ended */
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
    size_t n = waits->n_blocks;
    if (n && waits->blocks[n - 1].wait == wait &&
        waits->blocks[n - 1].job == job) {
        waits->blocks[n - 1].span += span;
        return;
    }
    waits->blocks = mem_grow(waits->blocks, &waits->cap_blocks, n + 1,
                             sizeof *waits->blocks);
    waits->blocks[waits->n_blocks++] = (struct explain_block){wait, job, span};
}

/* Lists the front job as what blocks the watched waits of the class. */
static void watch(struct explain_sweep *s, uint32_t class, uint32_t front,
                  sim_span span)
{
    struct explain_line *line = s->line;
    for (uint32_t i = 0; i < s->n_watched; i++) {
        const struct explain_turn *turn = &line->turns[s->watched[i]];
        if (s->watching[turn->wait] && turn->class == class &&
            s->watched[i] > front)
            add_block(line->waits, &line->waits->at[turn->wait],
                      line->turns[front].job, span);
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
                                             uint32_t number)
{
    const struct explain_line *line = s->line;
    const struct explain_turn *turn = &line->turns[number];
    struct explain_class *c = &line->classes[turn->class];
    const struct explain_vc *vc = &line->vcs[c->vc];
    uint32_t rank = line->pools.rank[turn->job], later = rank + 1;
    uint32_t at = explain_below(c->jobs, c->n_jobs, rank);
    uint32_t place = explain_below(c->places, c->n_places, number);
    flush(s, c);
    struct explain_sweep_totals t = {
        .rested = c->rested,
        .passed = sum_from(&c->passed, at + 1),
        .quota = explain_sums_of(&c->quota, at + 1),
        .blocked = explain_sums_of(&c->blocked, place + 1),
        .starts = sum_from(&vc->starts, later),
        .gpus = sum_from(&vc->gpus, later),
        .gpu_time = (uint64_t)s->now * sum_from(&vc->gpus_now, later) -
                    sum_from(&vc->begun, later)};
    for (unsigned i = 0; i <= FIT_PLACED; i++)
        t.spans[i] = c->spans[i];
    return t;
}

static void begin_wait(struct explain_sweep *s, uint32_t number)
{
    struct explain_line *line = s->line;
    const struct explain_turn *turn = &line->turns[number];
    struct explain_class *c = &line->classes[turn->class];
    struct explain_vc *vc = &line->vcs[c->vc];
    heap_put(&place_heap, NULL, c->heap, c->n_heap++, &number);
    c->n_waiting++;
    vc->n_waiting++;
    explain_sums_add(&vc->waiting, line->pools.rank[turn->job], 1);
    s->touched[c->vc] = true;
    if (turn->wait == EXPLAIN_NO_WAIT)
        return;
    s->base[turn->wait] = totals_of(s, number);
    s->begun[s->n_begun++] = number;
    if (line->blocks) {
        s->watched[s->n_watched++] = number;
        s->watching[turn->wait] = explain_next_round(line, s->now) == s->now;
    }
}

/* The first round of a wait begins: until now the policy rested. */
static void begin_round(struct explain_sweep *s, uint32_t number)
{
    uint32_t w = s->line->turns[number].wait;
    struct explain_sweep_totals t = totals_of(s, number), *base = &s->base[w];
    sim_span *spans = s->line->waits->at[w].why->spans;
    spans[EXPLAIN_BETWEEN_ROUNDS] +=
        t.spans[FIT_PLACED] - base->spans[FIT_PLACED];
    base->spans[FIT_PLACED] = t.spans[FIT_PLACED];
    base->blocked = t.blocked;
    s->watching[w] = true;
}

/* Sets the reasons of a wait that ends. */
static void set_reasons(struct explain_sweep *s, uint32_t number)
{
    struct explain_line *line = s->line;
    const struct explain_turn *turn = &line->turns[number];
    struct waiting *wait = &line->waits->at[turn->wait];
    if (line->round && explain_next_round(line, turn->released) >= turn->to)
        begin_round(s, number);
    const struct explain_sweep_totals *base = &s->base[turn->wait];
    struct explain_sweep_totals t = totals_of(s, number);
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
}

static void end_wait(struct explain_sweep *s, uint32_t number)
{
    struct explain_line *line = s->line;
    const struct explain_turn *turn = &line->turns[number];
    struct explain_class *c = &line->classes[turn->class];
    if (turn->wait != EXPLAIN_NO_WAIT) {
        set_reasons(s, number);
        s->n_left--;
    }
    c->n_waiting--;
    line->vcs[c->vc].n_waiting--;
    explain_sums_add(&line->vcs[c->vc].waiting, line->pools.rank[turn->job],
                     UINT64_MAX);
    s->touched[c->vc] = true;
    for (uint32_t i = 0; i < s->n_watched; i++) {
        if (s->watched[i] == number)
            s->watched[i--] = s->watched[--s->n_watched];
    }
}

/* The GPUs of a virtual cluster have changed; under quotas, those of all. */
static void touch_vc(struct explain_sweep *s, uint32_t vc)
{
    for (uint32_t v = 0; s->line->data->merged && v < s->line->n_vcs; v++)
        s->touched[v] = true;
    s->touched[vc] = true;
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
    touch_vc(s, line->data->jobs[a->job].vc);
    line->held[line->data->jobs[a->job].vc] +=
        a->profiling ? 0 : (int64_t)a->gpus * sign;
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
        touch_vc(s, line->data->nodes[change->node].vc);
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
    while (c->n_heap && line->turns[c->heap[0]].to <= s->now)
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
        const struct explain_turn *turn = &line->turns[s->begun[i]];
        const struct explain_class *c = &line->classes[turn->class];
        struct waiting *wait = &line->waits->at[turn->wait];
        for (uint32_t p = 0; p < line->pools.n; p++) {
            const struct explain_pool *pool = &line->pools.at[p];
            if (explain_in_reach(c, pool))
                wait->free_gpus += (uint32_t)pool->free;
        }
        /* the sum includes the job itself */
        wait->ahead =
            (uint32_t)explain_sums_of(&line->vcs[c->vc].waiting,
                                      line->pools.rank[turn->job] + 1) -
            1;
    }
    s->n_begun = 0;
}

/* Lists the edges of the turns by time. */
static void list_edges(struct explain_sweep *s)
{
    const struct explain_line *line = s->line;
    for (unsigned k = 0; k < EXPLAIN_LISTS; k++)
        s->lists[k].at = mem_alloc((line->n_turns + 1) * sizeof *s->lists->at);
    struct explain_list *ends = &s->lists[EDGE_WAIT_ENDS],
                        *rounds = &s->lists[EDGE_ROUND],
                        *begins = &s->lists[EDGE_WAIT_BEGINS];
    for (uint32_t i = 0; i < line->n_turns; i++) {
        const struct explain_turn *t = &line->turns[i];
        bool asked = t->wait != EXPLAIN_NO_WAIT;
        sim_time round = explain_next_round(line, t->released);
        s->n_left += asked;
        begins->at[begins->n++] = (struct verify_timed){t->released, i};
        ends->at[ends->n++] = (struct verify_timed){t->to, i};
        if (asked && round > t->released && round < t->to)
            rounds->at[rounds->n++] = (struct verify_timed){round, i};
    }
    for (unsigned k = 0; k < EXPLAIN_LISTS; k++)
        verify_sort_timed(s->lists[k].at, s->lists[k].n);
}

/* Takes the next edge; returns false if there is none. */
static bool take_edge(struct explain_sweep *s, struct explain_edge *edge)
{
    struct verify_edge move;
    struct explain_list *from = NULL;
    bool any = verify_replay_peek(&s->replay, &move);
    if (any)
        *edge = (struct explain_edge){
            move.at, (enum explain_edge_kind)(EDGE_STOP + move.kind),
            move.index};
    for (unsigned k = EXPLAIN_LISTS; k-- > 0;) {
        struct explain_list *list = &s->lists[k];
        if (list->next == list->n ||
            (any && list->at[list->next].at > edge->at))
            continue;
        *edge = (struct explain_edge){list->at[list->next].at,
                                      (enum explain_edge_kind)k,
                                      list->at[list->next].index};
        from = list;
        any = true;
    }
    if (from)
        from->next++;
    else if (any)
        verify_replay_pass(&s->replay, &move);
    return any;
}

void explain_sweep(struct explain_line *line)
{
    size_t n_waits = line->waits->n + 1;
    struct explain_edge edge, next;
    struct explain_state *states =
        mem_zalloc(line->n_classes + 1, sizeof *states);
    struct explain_sweep s = {.line = line,
                              .base = mem_alloc(n_waits * sizeof *s.base),
                              .begun = mem_alloc(n_waits * sizeof *s.begun),
                              .watching =
                                  mem_zalloc(n_waits, sizeof *s.watching),
                              .watched = mem_alloc(n_waits * sizeof *s.watched),
                              .touched = mem_zalloc(line->n_vcs + 1, 1)};
    verify_replay_init(&s.replay, line->data, false, true);
    list_edges(&s);
    for (bool any = take_edge(&s, &edge); any && s.n_left; edge = next) {
        s.now = edge.at;
        apply(&s, &edge);
        any = take_edge(&s, &next);
        if (!any || next.at > s.now)
            end_instant(&s, states);
    }
    verify_replay_fini(&s.replay);
    for (unsigned k = 0; k < EXPLAIN_LISTS; k++)
        free(s.lists[k].at);
    free(states);
    free(s.base);
    free(s.begun);
    free(s.watching);
    free(s.watched);
    free(s.touched);
}
