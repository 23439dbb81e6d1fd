/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/when/delays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/what_if.h"
#include "sim/when/world.h"

enum { WORLDS = 2 };

struct delays_draws {
    const struct state *state;
    uint32_t n;
    /* by world, job of the state, draw: start of a waiting job or end of a
     * running one, us since 1970 */
    sim_time *at[WORLDS];
    struct when_world worlds[WORLDS];
    sim_time *scratch;
};

static void delays_take(struct delays_draws *d, int world, uint32_t draw,
                        const struct run_result *r)
{
    const uint32_t *state_job = d->worlds[world].state_job;
    for (size_t i = 0; i < r->ledger.n_attempts; i++) {
        const struct attempt *a = &r->ledger.attempts[i];
        const uint32_t job = state_job[a->job];
        if (job == JOB_NONE)
            continue;
        sim_time *at = &d->at[world][(size_t)job * d->n + draw];
        if (d->state->jobs[job].started == TIME_NEVER) {
            if (a->previous == ATTEMPT_NONE && !a->profiling)
                *at = a->start + r->jobset.zero;
        } else if (a->how == LEDGER_FINISHED) {
            *at = a->end + r->jobset.zero;
        }
    }
}

/* Keeps what --what-if does. */
static void delays_note(struct delays *out, const struct run_result *r)
{
    out->changes = ARENA_ARRAY(&out->arena, const char *, r->remarks.count + 1);
    out->n_changes = 0;
    for (size_t i = 0; i < r->remarks.count; i++) {
        const char *text = r->remarks.at[i].text;
        if (strncmp(text, WHAT_IF_REMARK, strlen(WHAT_IF_REMARK)) == 0)
            out->changes[out->n_changes++] =
                arena_copy(&out->arena, text, strlen(text));
    }
}

static enum status delays_run(const struct when_options *options, int world,
                              const char *against, const sim_span *runs,
                              const sim_span *plans, uint32_t draw,
                              struct delays_draws *d, struct delays *out,
                              struct error *err)
{
    struct run_config config = options->config;
    struct run *run;
    if (world == 0) {
        config.what_if = NULL;
        config.policy = against ? against : config.policy;
    }
    enum status st =
        when_world_run(&d->worlds[world], &config, runs, plans, &run, err);
    if (st != STATUS_OK)
        return st;
    if (draw == 0 && world == 1)
        delays_note(out, run_result(run));
    delays_take(d, world, draw, run_result(run));
    run_free(run);
    return STATUS_OK;
}

/* The largest p50 first, then in the order of the state. */
static int delays_by_delay(const void *a, const void *b)
{
    const struct delay_row *x = a, *y = b;
    if (x->p50 != y->p50)
        return x->p50 > y->p50 ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

static int delays_by_sum(const void *a, const void *b)
{
    const struct delay_sum *x = a, *y = b;
    if (x->p50 != y->p50)
        return x->p50 > y->p50 ? -1 : 1;
    return strcmp(x->user, y->user);
}

/* Returns by how much later a job starts, or ends, in the second world. */
static sim_span delay_of(const struct delays_draws *d, size_t job,
                         uint32_t draw)
{
    const sim_time before = d->at[0][job * d->n + draw];
    const sim_time after = d->at[1][job * d->n + draw];
    if (before == TIME_NEVER || after == TIME_NEVER)
        return before == after       ? 0
               : after == TIME_NEVER ? DELAYS_NEVER
                                     : -DELAYS_NEVER;
    return after - before;
}

static sim_time delays_median(struct delays_draws *d, const sim_time *at)
{
    memcpy(d->scratch, at, d->n * sizeof *at);
    when_sort(d->scratch, d->n);
    return when_quantile(d->scratch, d->n, 0.5);
}

static void delays_add_row(struct delays_draws *d, struct delays *out,
                           size_t job)
{
    struct delay_row *row = &out->rows[out->n_rows++];
    row->job = job;
    row->runs = d->state->jobs[job].started != TIME_NEVER;
    row->before = delays_median(d, &d->at[0][job * d->n]);
    row->after = delays_median(d, &d->at[1][job * d->n]);
    for (uint32_t draw = 0; draw < d->n; draw++)
        d->scratch[draw] = delay_of(d, job, draw);
    when_sort(d->scratch, d->n);
    row->p10 = when_quantile(d->scratch, d->n, 0.1);
    row->p50 = when_quantile(d->scratch, d->n, 0.5);
    row->p90 = when_quantile(d->scratch, d->n, 0.9);
}

/* Sums up the waiting jobs of a user, or of all: user NULL. */
static struct delay_sum delays_sum(struct delays_draws *d,
                                   const struct delays *out, const char *user)
{
    struct delay_sum sum = {.user = user};
    memset(d->scratch, 0, d->n * sizeof *d->scratch);
    for (size_t i = 0; i < out->n_waiting; i++) {
        const struct delay_row *row = &out->rows[i];
        if (user && strcmp(user, d->state->jobs[row->job].user) != 0)
            continue;
        sum.n_jobs++;
        sum.n_later += row->p50 > DELAYS_LEAST;
        sum.n_sooner += row->p50 < -DELAYS_LEAST;
        for (uint32_t draw = 0; draw < d->n; draw++) {
            const sim_span delay = delay_of(d, row->job, draw);
            if (delay < DELAYS_NEVER && delay > -DELAYS_NEVER)
                d->scratch[draw] += delay;
        }
    }
    when_sort(d->scratch, d->n);
    sum.p10 = when_quantile(d->scratch, d->n, 0.1);
    sum.p50 = when_quantile(d->scratch, d->n, 0.5);
    sum.p90 = when_quantile(d->scratch, d->n, 0.9);
    return sum;
}

static void delays_sum_users(struct delays_draws *d, struct delays *out)
{
    struct interner users;
    interner_init(&users);
    for (size_t i = 0; i < out->n_waiting; i++)
        interner_add(&users, text_from(d->state->jobs[out->rows[i].job].user));
    out->users =
        ARENA_ARRAY(&out->arena, struct delay_sum, users.n_strings + 1u);
    bool has_nameless = false;
    for (size_t i = 0; i < out->n_waiting; i++)
        has_nameless |= !*d->state->jobs[out->rows[i].job].user;
    for (uint32_t symbol = has_nameless ? 0 : 1; symbol < users.n_strings;
         symbol++) {
        const char *name = interner_string(&users, symbol);
        out->users[out->n_users++] =
            delays_sum(d, out, arena_copy(&out->arena, name, strlen(name)));
    }
    interner_fini(&users);
    qsort(out->users, out->n_users, sizeof *out->users, delays_by_sum);
}

static void delays_sum_up(struct delays_draws *d, struct delays *out)
{
    const struct state *state = d->state;
    out->rows = mem_zalloc(state->n_jobs + 1, sizeof *out->rows);
    for (int runs = 0; runs < 2; runs++) {
        for (size_t i = 0; i < state->n_jobs; i++) {
            if ((state->jobs[i].started != TIME_NEVER) == runs &&
                !state->jobs[i].held)
                delays_add_row(d, out, i);
        }
        if (!runs)
            out->n_waiting = out->n_rows;
    }
    qsort(out->rows, out->n_waiting, sizeof *out->rows, delays_by_delay);
    qsort(out->rows + out->n_waiting, out->n_rows - out->n_waiting,
          sizeof *out->rows, delays_by_delay);
    out->all = delays_sum(d, out, NULL);
    delays_sum_users(d, out);
    for (size_t i = 0; i < out->n_waiting; i++) {
        out->n_never += out->rows[i].p50 == DELAYS_NEVER;
        out->n_only_then += out->rows[i].p50 == -DELAYS_NEVER;
    }
    if (out->all.n_later)
        out->later = out->rows[out->all.n_later / 2].p50;
}

static void delays_draws_init(struct delays_draws *d, const struct state *state,
                              uint32_t n)
{
    const size_t cells = state->n_jobs * n + 1;
    *d = (struct delays_draws){.state = state, .n = n};
    d->scratch = mem_alloc(n * sizeof *d->scratch);
    for (int world = 0; world < WORLDS; world++) {
        when_world_init(&d->worlds[world], state);
        d->at[world] = mem_alloc(cells * sizeof *d->at[world]);
        for (size_t i = 0; i < cells; i++)
            d->at[world][i] = TIME_NEVER;
    }
}

static void delays_draws_fini(struct delays_draws *d)
{
    for (int world = 0; world < WORLDS; world++) {
        free(d->at[world]);
        when_world_fini(&d->worlds[world]);
    }
    free(d->scratch);
}

enum status delays_ask(const struct state *state,
                       const struct when_options *options, const char *against,
                       struct delays *out, struct error *err)
{
    const uint32_t draws = options->limits_only ? 1 : options->draws;
    struct delays_draws d;
    enum status st = STATUS_OK;
    const char *after = options->config.policy;
    *out = (struct delays){.state = state,
                           .draws = draws,
                           .before = against ? against : after,
                           .after = after};
    arena_init(&out->arena);
    delays_draws_init(&d, state, draws);
    struct beliefs *beliefs = beliefs_new(state);
    if (options->limits_only)
        beliefs_limits_only(beliefs);
    sim_span *runs = mem_alloc((state->n_jobs + 1) * 2 * sizeof *runs);
    sim_span *plans = runs + state->n_jobs + 1;
    beliefs_plan(beliefs, plans);
    for (uint32_t draw = 0; draw < draws && st == STATUS_OK && state->n_jobs;
         draw++) {
        beliefs_draw(beliefs, options->config.seed, draw, runs);
        for (int world = 0; world < WORLDS && st == STATUS_OK; world++)
            st = delays_run(options, world, against, runs, plans, draw, &d, out,
                            err);
    }
    if (st == STATUS_OK)
        delays_sum_up(&d, out);
    snprintf(out->words, sizeof out->words, "%s", beliefs_words(beliefs));
    free(runs);
    beliefs_free(beliefs);
    delays_draws_fini(&d);
    if (st != STATUS_OK)
        delays_fini(out);
    return st;
}

void delays_fini(struct delays *delays)
{
    free(delays->rows);
    arena_fini(&delays->arena);
    *delays = (struct delays){0};
}
