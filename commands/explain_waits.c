/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "commands/explain_internal.h"

/* Returns, by attempt, the time until which a recovery rule held the job back
 * after it; 0 for attempts without a ruling. */
static sim_time *releases(const struct verify_failures *failures)
{
    const struct verify_data *d = failures->data;
    sim_time *until = mem_zalloc(d->n_attempts + 1, sizeof *until);
    for (size_t i = 0; i < failures->n_rows; i++) {
        const struct verify_failure *row = &failures->rows[i];
        const struct verify_attempt *a = verify_failed_attempt(failures, row);
        if (a && row->delay > 0)
            until[a - d->attempts] = row->at + row->delay;
    }
    return until;
}

static void list_waits(const struct verify_failures *failures,
                       struct explain_line *line)
{
    const struct verify_data *d = line->data;
    sim_time *until = releases(failures);
    struct arena *arena = &line->waits->arena;
    struct explain_reasons *none = arena_alloc(arena, sizeof *none);
    for (size_t j = 0; j < d->n_jobs; j++) {
        const struct verify_job *job = &d->jobs[j];
        line->waits->first[j] = (uint32_t)line->waits->n;
        for (uint32_t i = 0; i <= job->n_attempts; i++) {
            bool last = i == job->n_attempts;
            size_t a = (size_t)job->first_attempt + i;
            struct waiting *w = &line->waits->at[line->waits->n];
            line->job_of[line->waits->n++] = (uint32_t)j;
            *w = (struct waiting){
                .from = i ? d->attempts[a - 1].end : job->submitted,
                .after_failure = i && d->attempts[a - 1].how == 'x',
                .started = !last};
            w->to = !last        ? d->attempts[a].start
                    : job->ended ? job->finish
                                 : d->end;
            w->to = w->to > w->from ? w->to : w->from;
            w->released = i && until[a - 1] > w->from ? until[a - 1] : w->from;
            w->released = w->released < w->to ? w->released : w->to;
            w->to_profile = !last && d->attempts[a].profiling;
            w->why = none;
            if (w->to == w->from)
                continue;
            w->why = arena_alloc(arena, sizeof *w->why);
            w->why->spans[EXPLAIN_HELD_BACK] = w->released - w->from;
            if (w->to_profile)
                w->why->spans[EXPLAIN_PROFILER_BUSY] = w->to - w->released;
        }
    }
    free(until);
}

static int by_class(const void *a, const void *b, void *jobs)
{
    const struct verify_job *all = jobs;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const struct verify_job *x = &all[i], *y = &all[k];
    if (x->vc != y->vc)
        return x->vc < y->vc ? -1 : 1;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    if (x->gpus != y->gpus)
        return x->gpus < y->gpus ? -1 : 1;
    return (i > k) - (i < k);
}

static bool is_class_of(const struct verify_job *x, const struct verify_job *y)
{
    return x->vc == y->vc && x->type == y->type && x->gpus == y->gpus;
}

static struct explain_class *add_class(struct explain_line *line,
                                       const struct verify_job *job)
{
    struct explain_class *c = &line->classes[line->n_classes++];
    struct explain_vc *vc = &line->vcs[job->vc];
    *c = (struct explain_class){
        .vc = job->vc, .type = job->type, .gpus = job->gpus};
    if (vc->n_classes++ == 0)
        vc->first_class = line->n_classes - 1;
    return c;
}

/* Puts the jobs into classes, which lie together by virtual cluster. */
static void find_classes(struct explain_line *line)
{
    const struct verify_data *d = line->data;
    uint32_t n = (uint32_t)d->n_jobs, n_classes = 0;
    uint32_t *order = mem_alloc((n + 1) * sizeof *order);
    uint32_t *ranks = ARENA_ARRAY(&line->arena, uint32_t, n + 1);
    struct explain_class *c = NULL;
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, n, sizeof *order, by_class, d->jobs);
    for (uint32_t i = 0; i < n; i++)
        n_classes +=
            i == 0 || !is_class_of(&d->jobs[order[i - 1]], &d->jobs[order[i]]);
    line->classes =
        ARENA_ARRAY(&line->arena, struct explain_class, n_classes + 1);
    for (uint32_t i = 0; i < n; i++) {
        const struct verify_job *job = &d->jobs[order[i]];
        if (i == 0 || !is_class_of(&d->jobs[order[i - 1]], job)) {
            c = add_class(line, job);
            c->jobs = ranks + i;
        }
        line->class_of[order[i]] = line->n_classes - 1;
        line->job_in_class[order[i]] = c->n_jobs;
        c->jobs[c->n_jobs++] = line->pools.rank[order[i]];
    }
    free(order);
}

static int by_turn(const void *a, const void *b, void *self)
{
    const struct explain_line *line = self;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const struct waiting *x = &line->waits->at[i], *y = &line->waits->at[k];
    sim_time tx = line->reserves ? x->released : x->to,
             ty = line->reserves ? y->released : y->to;
    if (tx != ty)
        return tx < ty ? -1 : 1;
    return (i > k) - (i < k); /* waits are in the order of submission */
}

/* Puts the waits for the policy into order, and into their classes. */
static void find_order(struct explain_line *line)
{
    const struct explain_waits *waits = line->waits;
    for (uint32_t w = 0; w < waits->n; w++) {
        const struct waiting *wait = &waits->at[w];
        line->place[w] = EXPLAIN_NO_WAIT;
        if (!wait->to_profile && wait->to > wait->released)
            line->order[line->n_order++] = w;
    }
    qsort_r(line->order, line->n_order, sizeof *line->order, by_turn, line);
    for (uint32_t i = 0; i < line->n_order; i++)
        line->classes[line->class_of[line->job_of[line->order[i]]]].n_places++;
    for (uint32_t k = 0; k < line->n_classes; k++) {
        struct explain_class *c = &line->classes[k];
        c->places = ARENA_ARRAY(&line->arena, uint32_t, c->n_places + 1);
        c->heap = ARENA_ARRAY(&line->arena, uint32_t, c->n_places + 1);
        c->passed = explain_sums_new(&line->arena, c->n_jobs + 1);
        c->quota = explain_sums_new(&line->arena, c->n_jobs + 1);
        c->blocked = explain_sums_new(&line->arena, c->n_places + 1);
        c->n_places = 0;
    }
    for (uint32_t i = 0; i < line->n_order; i++) {
        uint32_t w = line->order[i];
        struct explain_class *c =
            &line->classes[line->class_of[line->job_of[w]]];
        line->place[w] = i;
        line->in_class[w] = c->n_places;
        c->places[c->n_places++] = i;
    }
}

static int by_time(const void *a, const void *b)
{
    const struct explain_edge *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

sim_time explain_next_round(const struct explain_line *line, sim_time at)
{
    if (!line->round)
        return at;
    sim_span past = (at - line->phase) % line->round;
    past += past < 0 ? line->round : 0;
    return past ? at - past + line->round : at;
}

struct explain_edge *explain_edges_of(const struct explain_line *line,
                                      size_t *n)
{
    const struct verify_data *d = line->data;
    struct explain_edge *edges = mem_alloc(
        (2 * d->n_attempts + d->n_changes + 3 * (size_t)line->n_order + 1) *
        sizeof *edges);
    *n = 0;
    for (uint32_t i = 0; i < d->n_attempts; i++) {
        const struct verify_attempt *a = &d->attempts[i];
        if (a->profiling || a->end <= a->start)
            continue;
        edges[(*n)++] = (struct explain_edge){a->start, EDGE_START, i};
        edges[(*n)++] = (struct explain_edge){a->end, EDGE_STOP, i};
    }
    for (uint32_t i = 0; i < d->n_changes; i++)
        edges[(*n)++] = (struct explain_edge){d->changes[i].at, EDGE_NODE, i};
    for (uint32_t i = 0; i < line->n_order; i++) {
        uint32_t w = line->order[i];
        const struct waiting *wait = &line->waits->at[w];
        sim_time round = explain_next_round(line, wait->released);
        edges[(*n)++] =
            (struct explain_edge){wait->released, EDGE_WAIT_BEGINS, w};
        edges[(*n)++] = (struct explain_edge){wait->to, EDGE_WAIT_ENDS, w};
        if (round > wait->released && round < wait->to)
            edges[(*n)++] = (struct explain_edge){round, EDGE_ROUND, w};
    }
    qsort(edges, *n, sizeof *edges, by_time);
    return edges;
}

static void init_vcs(struct explain_line *line)
{
    const struct verify_data *d = line->data;
    uint32_t *n_jobs = mem_zalloc(line->n_vcs + 1, sizeof *n_jobs);
    for (size_t i = 0; i < d->n_jobs; i++)
        n_jobs[d->jobs[i].vc]++;
    for (uint32_t v = 0; v < line->n_vcs; v++) {
        struct explain_vc *vc = &line->vcs[v];
        *vc = (struct explain_vc){
            .starts = explain_sums_new(&line->arena, n_jobs[v]),
            .gpus = explain_sums_new(&line->arena, n_jobs[v]),
            .gpus_now = explain_sums_new(&line->arena, n_jobs[v]),
            .begun = explain_sums_new(&line->arena, n_jobs[v]),
            .waiting = explain_sums_new(&line->arena, n_jobs[v])};
    }
    free(n_jobs);
}

/* Finds the policy's rounds: the option round_s, and a phase that all starts
 * have. If they have none in common, the policy is treated as one without
 * rounds. */
static void find_rounds(struct explain_line *line, const char *policy)
{
    const struct verify_data *d = line->data;
    char owner[128];
    bool any = false;
    snprintf(owner, sizeof owner, "policy %.100s", policy);
    const char *length = json_string_value(json_object_get(
        json_object_get(json_object_get(d->manifest, "configuration"), owner),
        "round_s"));
    if (!length || !text_to_span(text_from(length), &line->round) ||
        line->round <= 0)
        line->round = 0;
    for (size_t i = 0; i < d->n_attempts && line->round; i++) {
        if (d->attempts[i].profiling)
            continue;
        sim_time phase = d->attempts[i].start % line->round;
        if (any && phase != line->phase)
            line->round = 0;
        line->phase = phase;
        any = true;
    }
}

static void init_line(struct explain_line *line, const struct verify_data *d)
{
    size_t n_waits = d->n_jobs + d->n_attempts + 1;
    char policy[100];
    const char *name =
        json_string_value(json_object_get(d->manifest, "policy"));
    snprintf(policy, sizeof policy, "%s", name ? name : "");
    policy[strcspn(policy, "+")] = '\0';
    line->data = d;
    line->n_vcs = (uint32_t)d->vcs.n_strings;
    line->reserves = strcmp(policy, "backfill") == 0;
    line->vcs = ARENA_ARRAY(&line->arena, struct explain_vc, line->n_vcs + 1);
    line->order = ARENA_ARRAY(&line->arena, uint32_t, n_waits);
    line->job_of = ARENA_ARRAY(&line->arena, uint32_t, n_waits);
    line->place = ARENA_ARRAY(&line->arena, uint32_t, n_waits);
    line->in_class = ARENA_ARRAY(&line->arena, uint32_t, n_waits);
    line->class_of = ARENA_ARRAY(&line->arena, uint32_t, d->n_jobs + 1);
    line->job_in_class = ARENA_ARRAY(&line->arena, uint32_t, d->n_jobs + 1);
    line->waits->at = mem_alloc(n_waits * sizeof *line->waits->at);
    line->waits->first = mem_alloc((d->n_jobs + 1) * sizeof(uint32_t));
    explain_pools_init(&line->pools, d, &line->arena);
    init_vcs(line);
    find_rounds(line, policy);
}

void explain_waits_of(const struct verify_failures *failures,
                      const bool *watched, struct explain_waits *out)
{
    struct explain_line line = {.waits = out, .watched = watched};
    *out = (struct explain_waits){0};
    arena_init(&out->arena);
    arena_init(&line.arena);
    init_line(&line, failures->data);
    list_waits(failures, &line);
    find_classes(&line);
    find_order(&line);
    explain_sweep(&line);
    for (size_t i = 0; i < out->n; i++)
        explain_reasons_rank(out->at[i].why);
    arena_fini(&line.arena);
}

void explain_waits_fini(struct explain_waits *waits)
{
    free(waits->at);
    free(waits->first);
    free(waits->blocks);
    arena_fini(&waits->arena);
}

struct explain_reasons explain_waits_sum(const struct explain_waits *waits,
                                         const struct verify_data *data,
                                         const struct verify_job *job)
{
    struct explain_reasons sum = {0};
    const struct waiting *w = &waits->at[waits->first[job - data->jobs]];
    for (uint32_t i = 0; i <= job->n_attempts; i++) {
        for (unsigned r = 0; r < EXPLAIN_N_REASONS; r++)
            sum.spans[r] += w[i].why->spans[r];
    }
    explain_reasons_rank(&sum);
    if (strcmp(verify_outcomes[job->outcome], "rejected") == 0)
        sum.main = EXPLAIN_REJECTED;
    return sum;
}
