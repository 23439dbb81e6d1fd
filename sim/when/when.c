/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/when/when.h"

#include "sim/when/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The draws of one question. A column is a job that waits, a holder a job that
 * runs at the present. */
struct when_draws {
    const struct state *state;
    uint32_t n, done;
    const uint32_t *state_job; /* by job of a run: its index in the state */
    uint32_t *column; /* by job of the state; JOB_NONE: it does not wait */
    uint32_t *holder; /* by job of the state; JOB_NONE: it does not run */
    size_t n_columns, n_holders;
    struct interner users; /* users of holders */
    uint32_t *user;        /* by holder: symbol of its user */
    uint64_t *met; /* by holder: the column and draw in which it was met last */
    uint64_t *sums;   /* by user: scratch */
    uint64_t *ahead;  /* by column: jobs before it, summed over draws */
    uint32_t *holds;  /* by GPU: the holder at the present; JOB_NONE */
    sim_time *starts; /* by column, then draw */
    sim_time *ends;   /* by holder, then draw */
    uint16_t *meets;  /* by column, then holder: draws in which it gets GPUs
                       * that the holder has at the present */
    uint16_t *kept;   /* by column, then reservation: draws in which it keeps
                       * the job from GPUs */
    uint32_t *free;   /* by column: GPUs of its virtual cluster that are free */
};

static void draws_init(struct when_draws *d, const struct state *state,
                       uint32_t n)
{
    *d = (struct when_draws){.state = state, .n = n};
    d->column = mem_alloc((state->n_jobs + 1) * sizeof *d->column);
    d->holder = mem_alloc((state->n_jobs + 1) * sizeof *d->holder);
    d->user = mem_alloc((state->n_jobs + 1) * sizeof *d->user);
    interner_init(&d->users);
    for (size_t i = 0; i < state->n_jobs; i++) {
        const struct state_job *job = &state->jobs[i];
        bool runs = job->started != TIME_NEVER;
        if (runs)
            d->user[d->n_holders] =
                interner_add(&d->users, text_from(job->user));
        d->column[i] = runs || job->held ? JOB_NONE : (uint32_t)d->n_columns++;
        d->holder[i] = runs ? (uint32_t)d->n_holders++ : JOB_NONE;
    }
    d->starts = mem_alloc((d->n_columns * n + 1) * sizeof *d->starts);
    d->ends = mem_alloc((d->n_holders * n + 1) * sizeof *d->ends);
    d->meets = mem_zalloc(d->n_columns * d->n_holders + 1, sizeof *d->meets);
    d->kept =
        mem_zalloc(d->n_columns * state->n_reservations + 1, sizeof *d->kept);
    d->free = mem_zalloc(d->n_columns + 1, sizeof *d->free);
    d->met = mem_zalloc(d->n_holders + 1, sizeof *d->met);
    d->ahead = mem_zalloc(d->n_columns + 1, sizeof *d->ahead);
    d->sums = mem_zalloc(d->users.n_strings, sizeof *d->sums);
    for (size_t i = 0; i < d->n_columns * n; i++)
        d->starts[i] = TIME_NEVER;
    for (size_t i = 0; i < d->n_holders * n; i++)
        d->ends[i] = TIME_NEVER;
}

static void draws_fini(struct when_draws *d)
{
    free(d->column);
    free(d->holder);
    free(d->holds);
    free(d->starts);
    free(d->ends);
    free(d->meets);
    free(d->kept);
    free(d->free);
    free(d->user);
    free(d->met);
    free(d->ahead);
    free(d->sums);
    interner_fini(&d->users);
}

/* Notes which job holds which GPU at the present, from the ledger of a run, and
 * how many are free. */
static void draws_hold(struct when_draws *d, const struct run_result *r)
{
    const struct cluster *c = &r->cluster;
    const sim_time present = d->state->at - r->jobset.zero;
    struct gpu_slice *where = mem_alloc(c->n_nodes * sizeof *where);
    uint32_t *free_in = mem_zalloc(c->n_vcs, sizeof *free_in);
    d->holds = mem_alloc((c->n_gpus + 1u) * sizeof *d->holds);
    memset(d->holds, 0xff, (c->n_gpus + 1u) * sizeof *d->holds);
    for (size_t i = 0; i < r->ledger.n_attempts; i++) {
        const struct attempt *a = &r->ledger.attempts[i];
        const uint32_t job = d->state_job[a->job];
        if (a->start >= present || job == JOB_NONE)
            continue;
        uint32_t n = ledger_where(&r->ledger, a, where, c->n_nodes);
        for (uint32_t k = 0; k < n; k++) {
            gpu_id first = c->nodes[where[k].node].first_gpu;
            for (struct gpu_walk w = gpu_walk(first, where[k].mask);
                 gpu_walk_next(&w);)
                d->holds[w.gpu] = d->holder[job];
        }
    }
    for (node_id i = 0; i < c->n_nodes; i++) {
        const struct node *node = &c->nodes[i];
        for (uint32_t k = 0; k < node->gpus; k++)
            free_in[c->pools[node->pool].vc] +=
                d->holds[node->first_gpu + k] == JOB_NONE;
    }
    for (uint32_t i = 0; i < r->jobset.n_jobs; i++) {
        const uint32_t job = d->state_job[i];
        if (job != JOB_NONE && d->column[job] != JOB_NONE)
            d->free[d->column[job]] = free_in[r->jobset.jobs[i].vc];
    }
    free(free_in);
    free(where);
}

/* Notes on whose GPUs a waiting job starts. */
static void draws_meet(struct when_draws *d, const struct run_result *r,
                       const struct attempt *a, uint32_t column,
                       struct gpu_slice *where)
{
    const struct cluster *c = &r->cluster;
    const uint32_t n = ledger_where(&r->ledger, a, where, c->n_nodes);
    /* a holder counts once in a draw */
    const uint64_t now = (uint64_t)d->done * d->n_columns + column + 1;
    for (uint32_t k = 0; k < n; k++) {
        gpu_id first = c->nodes[where[k].node].first_gpu;
        for (struct gpu_walk w = gpu_walk(first, where[k].mask);
             gpu_walk_next(&w);) {
            uint32_t holder = d->holds[w.gpu];
            if (holder == JOB_NONE || d->met[holder] == now)
                continue;
            d->meets[column * d->n_holders + holder]++;
            d->met[holder] = now;
        }
    }
}

static void draws_keep(struct when_draws *d, const struct run *run,
                       const struct run_result *r)
{
    const size_t n = d->state->n_reservations;
    for (job_id i = 0; i < r->jobset.n_jobs && n; i++) {
        const uint32_t job = d->state_job[i], kept_by = run_kept_by(run, i);
        if (kept_by && job != JOB_NONE && d->column[job] != JOB_NONE)
            d->kept[d->column[job] * n + kept_by - 1]++;
    }
}

static void draws_take(struct when_draws *d, const struct run *run,
                       const struct run_result *r)
{
    const sim_time zero = r->jobset.zero;
    struct gpu_slice *where = mem_alloc(r->cluster.n_nodes * sizeof *where);
    if (!d->holds)
        draws_hold(d, r);
    draws_keep(d, run, r);
    for (size_t i = 0; i < r->ledger.n_attempts; i++) {
        const struct attempt *a = &r->ledger.attempts[i];
        const uint32_t job = d->state_job[a->job];
        if (job == JOB_NONE || a->previous != ATTEMPT_NONE || a->profiling)
            continue;
        if (d->holder[job] != JOB_NONE && a->end != TIME_NEVER) {
            d->ends[d->holder[job] * d->n + d->done] = a->end + zero;
        } else if (d->column[job] != JOB_NONE) {
            d->starts[d->column[job] * d->n + d->done] = a->start + zero;
            draws_meet(d, r, a, d->column[job], where);
        }
    }
    free(where);
    d->done++;
}

static int when_by_time(const void *a, const void *b)
{
    const sim_time x = *(const sim_time *)a, y = *(const sim_time *)b;
    return (x > y) - (x < y);
}

void when_sort(sim_time *at, size_t n)
{
    qsort(at, n, sizeof *at, when_by_time);
}

sim_time when_quantile(const sim_time *sorted, uint32_t n, double share)
{
    uint32_t k = (uint32_t)(share * n);
    return sorted[k < n ? k : n - 1];
}

/* Returns when the first of the holders of a user ends, with 80 %: of those
 * that the job meets at least half as often as the one that it meets most. */
static sim_time when_first_end(const struct when_draws *d, size_t column,
                               uint32_t user, sim_time *scratch)
{
    const uint16_t *meets = &d->meets[column * d->n_holders];
    uint32_t most = 0;
    for (size_t h = 0; h < d->n_holders; h++) {
        if (d->user[h] == user && meets[h] > most)
            most = meets[h];
    }
    for (uint32_t draw = 0; draw < d->n; draw++)
        scratch[draw] = TIME_NEVER;
    for (size_t h = 0; h < d->n_holders; h++) {
        if (d->user[h] != user || meets[h] * 2u < most)
            continue;
        for (uint32_t draw = 0; draw < d->n; draw++) {
            sim_time end = d->ends[h * d->n + draw];
            scratch[draw] = end < scratch[draw] ? end : scratch[draw];
        }
    }
    when_sort(scratch, d->n);
    return when_quantile(scratch, d->n, 0.8);
}

/* Finds the user whose jobs hold most of the GPUs that a job waits for. */
static void when_find_holder(const struct when_draws *d, size_t column,
                             struct when_row *row, struct arena *arena,
                             sim_time *scratch)
{
    uint64_t all = 0;
    uint32_t best = 0;
    memset(d->sums, 0, d->users.n_strings * sizeof *d->sums);
    for (size_t h = 0; h < d->n_holders; h++) {
        const uint16_t meets = d->meets[column * d->n_holders + h];
        d->sums[d->user[h]] += meets;
        all += meets;
    }
    for (uint32_t user = 1; user < d->users.n_strings; user++)
        best = d->sums[user] > d->sums[best] ? user : best;
    if (d->sums[best] * 2 < d->n) /* in most draws it meets none of them */
        return;
    const char *name = interner_string(&d->users, best);
    row->holder = arena_copy(arena, name, strlen(name));
    row->n_holders = (uint32_t)((d->sums[best] + d->n / 2) / d->n);
    row->has_others = (all - d->sums[best]) * 2 >= d->n;
    row->first_end = when_first_end(d, column, best, scratch);
}

/* Counts, for each job and draw, the jobs that wait at the present too and
 * start before it. */
static void count_ahead(struct when_draws *d)
{
    sim_time *sorted = mem_alloc((d->n_columns + 1) * sizeof *sorted);
    for (uint32_t draw = 0; draw < d->n; draw++) {
        for (size_t column = 0; column < d->n_columns; column++)
            sorted[column] = d->starts[column * d->n + draw];
        when_sort(sorted, d->n_columns);
        for (size_t column = 0; column < d->n_columns; column++) {
            const sim_time at = d->starts[column * d->n + draw];
            size_t lo = 0, hi = d->n_columns;
            while (lo < hi) {
                size_t mid = lo + (hi - lo) / 2;
                if (sorted[mid] < at)
                    lo = mid + 1;
                else
                    hi = mid;
            }
            d->ahead[column] += lo;
        }
    }
    free(sorted);
}

/* Returns the reservation plus 1 that keeps a job from GPUs in most draws. */
static size_t when_kept_by(const struct when_draws *d, size_t column)
{
    const size_t n = d->state->n_reservations;
    size_t best = 0;
    for (size_t k = 0; k < n; k++) {
        const uint16_t *kept = &d->kept[column * n];
        if (kept[k] * 2u >= d->n && (!best || kept[k] > kept[best - 1]))
            best = k + 1;
    }
    return best;
}

static void when_sum_up(struct when_draws *d, struct when *when)
{
    count_ahead(d);
    sim_time *scratch = mem_alloc(d->n * sizeof *scratch);
    when->rows = mem_zalloc(d->n_columns + 1, sizeof *when->rows);
    for (size_t i = 0; i < d->state->n_jobs; i++) {
        const uint32_t column = d->column[i];
        struct when_row *row = &when->rows[when->n_rows];
        if (column == JOB_NONE)
            continue;
        when->n_rows++;
        row->job = i;
        row->free = d->free[column];
        row->kept_by = when_kept_by(d, column);
        memcpy(scratch, &d->starts[column * d->n], d->n * sizeof *scratch);
        when_sort(scratch, d->n);
        row->p10 = when_quantile(scratch, d->n, 0.1);
        row->p50 = when_quantile(scratch, d->n, 0.5);
        row->p90 = when_quantile(scratch, d->n, 0.9);
        row->ahead = (uint32_t)((d->ahead[column] + d->n / 2) / d->n);
        when_find_holder(d, column, row, &when->arena, scratch);
    }
    free(scratch);
}

enum status when_ask(const struct state *state,
                     const struct when_options *options, struct when *out,
                     struct error *err)
{
    const uint32_t draws = options->limits_only ? 1 : options->draws;
    struct when_draws d;
    struct when_world world;
    struct run *run;
    enum status st = STATUS_OK;
    *out = (struct when){.state = state, .draws = draws};
    arena_init(&out->arena);
    draws_init(&d, state, draws);
    when_world_init(&world, state);
    struct beliefs *beliefs = beliefs_new(state);
    if (options->limits_only)
        beliefs_limits_only(beliefs);
    sim_span *runs = mem_alloc((state->n_jobs + 1) * 2 * sizeof *runs);
    sim_span *plans = runs + state->n_jobs + 1;
    beliefs_plan(beliefs, plans);
    for (uint32_t draw = 0; draw < draws && st == STATUS_OK && d.n_columns;
         draw++) {
        beliefs_draw(beliefs, options->config.seed, draw, runs);
        st = when_world_run(&world, &options->config, runs, plans, &run, err);
        if (st != STATUS_OK)
            break;
        const struct run_result *r = run_result(run);
        if (!out->policy)
            out->policy = arena_copy(&out->arena, r->policy, strlen(r->policy));
        d.state_job = world.state_job;
        draws_take(&d, run, r);
        run_free(run);
    }
    if (st == STATUS_OK)
        when_sum_up(&d, out);
    snprintf(out->words, sizeof out->words, "%s", beliefs_words(beliefs));
    free(runs);
    beliefs_free(beliefs);
    when_world_fini(&world);
    draws_fini(&d);
    if (st != STATUS_OK)
        when_fini(out);
    return st;
}

const char *when_after(const struct state *state, sim_time at,
                       char out[WHEN_AFTER_MAX])
{
    const size_t room = WHEN_AFTER_MAX;
    const int64_t s = (at - state->at) / SPAN_SECOND;
    if (at >= TIME_NEVER)
        snprintf(out, room, "never");
    else if (s < 60)
        snprintf(out, room, "%ds", (int)(s > 0 ? s : 0));
    else if (s < 3600)
        snprintf(out, room, "%dmin", (int)(s / 60));
    else if (s < 86400)
        snprintf(out, room, "%dh %02dmin", (int)(s / 3600),
                 (int)(s % 3600 / 60));
    else
        snprintf(out, room, "%dd %02dh", (int)(s / 86400),
                 (int)(s % 86400 / 3600));
    return out;
}

/* Writes whose running jobs hold the GPUs, as the end of a sentence. */
static void reason_holders(const struct when *when, const struct when_row *row,
                           char *out, size_t room)
{
    const struct state_job *job = &when->state->jobs[row->job];
    const bool one = row->n_holders == 1 && !row->has_others;
    char end[WHEN_AFTER_MAX];
    snprintf(out, room,
             "; %u job%s of %.40s%s hold%s %s, the first ends within %s with "
             "80 %%",
             row->n_holders, row->n_holders == 1 ? "" : "s",
             *row->holder ? row->holder : "unknown users",
             row->has_others ? " and jobs of others" : "", one ? "s" : "",
             job->gpus > row->free ? "them" : "GPUs that it gets",
             when_after(when->state, row->first_end, end));
}

/* Writes which reservation keeps nodes from the job, as the end of a sentence.
 */
static void reason_kept(const struct when *when, const struct when_row *row,
                        char *out, size_t room)
{
    const struct state *state = when->state;
    const struct state_reservation *r = &state->reservations[row->kept_by - 1];
    char length[WHEN_AFTER_MAX];
    if (strcmp(state->jobs[row->job].reservation, r->name) == 0)
        snprintf(out, room, "; runs in reservation %.40s", r->name);
    else if (r->from > state->at)
        snprintf(out, room,
                 "; may not reach into reservation %.40s, which begins in %s",
                 r->name, when_after(state, r->from, length));
    else
        snprintf(out, room, "; reservation %.40s keeps nodes for %s", r->name,
                 when_after(state, r->until, length));
}

/* Writes why a job cannot start at all. */
static void reason_never(const struct when *when, char *out, size_t room)
{
    const struct state *state = when->state;
    if (state->n_outs == 0)
        snprintf(out, room, "cannot start on this cluster as it is");
    else
        snprintf(out, room,
                 "cannot start on this cluster as it is; out of service: "
                 "%.60s%s",
                 state->outs[0].node, state->n_outs > 1 ? " and others" : "");
}

void when_reason(const struct when *when, const struct when_row *row, char *out,
                 size_t room)
{
    const struct state *state = when->state;
    const struct state_job *job = &state->jobs[row->job];
    char end[WHEN_AFTER_MAX], ahead[80] = "", holders[160] = "", comes[80] = "";
    char kept[160] = "";
    if (row->p50 >= TIME_NEVER && !job->n_after) {
        reason_never(when, out, room);
        return;
    }
    if (row->p90 <= state->at) {
        snprintf(out, room, "can start now");
        return;
    }
    if (job->n_after)
        snprintf(comes, sizeof comes, "after the %s of %.40s%s; ",
                 job->after[0].start ? "start" : "end", job->after[0].job,
                 job->n_after == 1 ? ""
                 : job->after_any  ? " or another"
                                   : " and others");
    else if (state_job_comes(state, job) > state->at)
        snprintf(comes, sizeof comes, "may begin in %s%s%.40s; ",
                 when_after(state, state_job_comes(state, job), end),
                 *job->reservation ? ", with reservation " : "",
                 job->reservation);
    if (row->holder)
        reason_holders(when, row, holders, sizeof holders);
    if (row->ahead)
        snprintf(ahead, sizeof ahead, "; %u job%s before it", row->ahead,
                 row->ahead == 1 ? " starts" : "s start");
    if (row->kept_by)
        reason_kept(when, row, kept, sizeof kept);
    snprintf(out, room, "%swaits for %u GPU%s%s%s%s", comes, job->gpus,
             job->gpus == 1 ? "" : "s", kept, holders, ahead);
}

void when_fini(struct when *when)
{
    free(when->rows);
    arena_fini(&when->arena);
    *when = (struct when){0};
}
