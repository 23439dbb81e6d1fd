/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "commands/explain_internal.h"
#include "sim/verify/verify_replay.h"

/* Returns, by attempt, the time until which a recovery rule held the job back
 * after it; 0 for attempts without a ruling. NULL if there are no failures. */
static sim_time *releases(const struct verify_failures *failures)
{
    const struct verify_data *d = failures->data;
    if (failures->n_rows == 0)
        return NULL;
    sim_time *until = mem_zalloc(d->n_attempts + 1, sizeof *until);
    for (size_t i = 0; i < failures->n_rows; i++) {
        const struct verify_failure *row = &failures->rows[i];
        const struct verify_attempt *a = verify_failed_attempt(failures, row);
        if (a && row->delay > 0)
            until[a - d->attempts] = row->at + row->delay;
    }
    return until;
}

/* Returns wait number `i` of a job, without its reasons. */
static struct waiting wait_of(const struct verify_data *d,
                              const struct verify_job *job, uint32_t i,
                              const sim_time *until)
{
    bool last = i == job->n_attempts;
    size_t a = (size_t)job->first_attempt + i;
    struct waiting w = {.from = i ? d->attempts[a - 1].end : job->submitted,
                        .after_failure = i && d->attempts[a - 1].how == 'x',
                        .started = !last,
                        .to_profile = !last && d->attempts[a].profiling};
    sim_time to = last ? job->finish : d->attempts[a].start;
    w.to = to > w.from ? to : w.from;
    w.released = i && until && until[a - 1] > w.from ? until[a - 1] : w.from;
    w.released = w.released < w.to ? w.released : w.to;
    return w;
}

/* Adds a wait of a job that was asked for. `none`: the reasons of an empty
 * one. */
static void add_wait(struct explain_waits *waits, const struct waiting *w,
                     struct explain_reasons *none)
{
    struct waiting *out = &waits->at[waits->n++];
    *out = *w;
    out->why = none;
    if (w->to == w->from)
        return;
    out->why = arena_alloc(&waits->arena, sizeof *out->why);
    out->why->spans[EXPLAIN_HELD_BACK] = w->released - w->from;
    if (w->to_profile)
        out->why->spans[EXPLAIN_PROFILER_BUSY] = w->to - w->released;
}

/* Lists the waits of the jobs that were asked for, and the turns of all
 * jobs. */
static void list_waits(const struct verify_failures *failures,
                       struct explain_line *line)
{
    const struct verify_data *d = line->data;
    struct explain_waits *waits = line->waits;
    struct explain_reasons *none = arena_alloc(&waits->arena, sizeof *none);
    sim_time *until = releases(failures);
    size_t k = 0;
    for (uint32_t j = 0; j < d->n_jobs; j++) {
        bool asked = k < waits->n_jobs && waits->jobs[k] == j;
        if (asked)
            waits->first[k++] = (uint32_t)waits->n;
        for (uint32_t i = 0; i <= d->jobs[j].n_attempts; i++) {
            struct waiting w = wait_of(d, &d->jobs[j], i, until);
            if (!w.to_profile && w.to > w.released) {
                line->turns = mem_grow(line->turns, &line->cap_turns,
                                       line->n_turns + 1, sizeof *line->turns);
                line->turns[line->n_turns++] = (struct explain_turn){
                    .released = w.released,
                    .to = w.to,
                    .job = j,
                    .wait = asked ? (uint32_t)waits->n : EXPLAIN_NO_WAIT};
            }
            if (asked)
                add_wait(waits, &w, none);
        }
    }
    free(until);
}

/* Puts the turns into the order in which the policy serves them. */
static void sort_turns(struct explain_line *line)
{
    size_t n = line->n_turns;
    struct verify_timed *list = mem_alloc((n + 1) * sizeof *list);
    struct explain_turn *sorted = mem_alloc((n + 1) * sizeof *sorted);
    for (uint32_t i = 0; i < n; i++) {
        const struct explain_turn *t = &line->turns[i];
        list[i] =
            (struct verify_timed){line->reserves ? t->released : t->to, i};
    }
    verify_sort_timed(list, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = line->turns[list[i].index];
    free(list);
    free(line->turns);
    line->turns = sorted;
}

static int by_vc(const void *a, const void *b)
{
    const struct explain_class *x = a, *y = b;
    if (x->vc != y->vc)
        return x->vc < y->vc ? -1 : 1;
    return (x->n_turns > y->n_turns) - (x->n_turns < y->n_turns);
}

/* Finds the classes of the turns, which lie together by virtual cluster. */
static void find_classes(struct explain_line *line)
{
    const struct verify_data *d = line->data;
    struct interner
        keys; /* of the classes, in the order of their first turns */
    interner_init(&keys);
    for (size_t i = 0; i < line->n_turns; i++) {
        const struct verify_job *job = &d->jobs[line->turns[i].job];
        const uint32_t key[] = {job->vc, job->type, job->gpus};
        line->turns[i].class =
            interner_add(&keys, (struct text){(const char *)key, sizeof key}) -
            1;
    }
    uint32_t n = line->n_classes = (uint32_t)keys.n_strings - 1;
    uint32_t *place = mem_alloc((n + 1) * sizeof *place);
    line->classes = ARENA_ARRAY(&line->arena, struct explain_class, n + 1);
    for (uint32_t k = 0; k < n; k++) { /* n_turns is for now its old place */
        uint32_t key[3];
        memcpy(key, interner_string(&keys, k + 1), sizeof key);
        line->classes[k] = (struct explain_class){
            .vc = key[0], .type = key[1], .gpus = key[2], .n_turns = k};
    }
    if (n)
        qsort(line->classes, n, sizeof *line->classes, by_vc);
    for (uint32_t k = 0; k < n; k++) {
        struct explain_class *c = &line->classes[k];
        place[c->n_turns] = k;
        c->n_turns = 0;
        if (line->vcs[c->vc].n_classes++ == 0)
            line->vcs[c->vc].first_class = k;
    }
    for (size_t i = 0; i < line->n_turns; i++)
        line->turns[i].class = place[line->turns[i].class];
    free(place);
    interner_fini(&keys);
}

/* Gives the classes their turns, and their jobs that were asked for. */
static void fill_classes(struct explain_line *line)
{
    const struct explain_waits *waits = line->waits;
    for (size_t i = 0; i < line->n_turns; i++) {
        struct explain_class *c = &line->classes[line->turns[i].class];
        c->n_turns++;
        c->n_places += line->turns[i].wait != EXPLAIN_NO_WAIT;
    }
    for (uint32_t k = 0; k < line->n_classes; k++) {
        struct explain_class *c = &line->classes[k];
        c->heap = ARENA_ARRAY(&line->arena, uint32_t, c->n_turns + 1);
        c->places = ARENA_ARRAY(&line->arena, uint32_t, c->n_places + 1);
        c->jobs = ARENA_ARRAY(&line->arena, uint32_t, c->n_places + 1);
        c->passed = explain_sums_new(&line->arena, c->n_places + 1);
        c->quota = explain_sums_new(&line->arena, c->n_places + 1);
        c->blocked = explain_sums_new(&line->arena, c->n_places + 1);
        c->n_places = 0;
    }
    uint32_t *class_of = mem_alloc((waits->n_jobs + 1) * sizeof *class_of);
    for (size_t k = 0; k < waits->n_jobs; k++)
        class_of[k] = UINT32_MAX;
    for (uint32_t i = 0; i < line->n_turns; i++) {
        const struct explain_turn *t = &line->turns[i];
        struct explain_class *c = &line->classes[t->class];
        if (t->wait == EXPLAIN_NO_WAIT)
            continue;
        c->places[c->n_places++] = i;
        class_of[explain_below(waits->jobs, (uint32_t)waits->n_jobs, t->job)] =
            t->class;
    }
    for (size_t k = 0; k < waits->n_jobs; k++) {
        if (class_of[k] == UINT32_MAX)
            continue;
        struct explain_class *c = &line->classes[class_of[k]];
        c->jobs[c->n_jobs++] = line->pools.rank[waits->jobs[k]];
    }
    free(class_of);
}

sim_time explain_next_round(const struct explain_line *line, sim_time at)
{
    if (!line->round)
        return at;
    sim_span past = (at - line->phase) % line->round;
    past += past < 0 ? line->round : 0;
    return past ? at - past + line->round : at;
}

static void init_vcs(struct explain_line *line)
{
    const struct verify_data *d = line->data;
    const struct explain_waits *waits = line->waits;
    uint32_t *n_jobs = mem_zalloc(line->n_vcs + 1, sizeof *n_jobs);
    for (size_t k = 0; k < waits->n_jobs; k++)
        n_jobs[d->jobs[waits->jobs[k]].vc]++;
    for (uint32_t v = 0; v < line->n_vcs; v++) {
        uint32_t n = (d->merged ? (uint32_t)waits->n_jobs : n_jobs[v]) + 1;
        line->vcs[v] =
            (struct explain_vc){.starts = explain_sums_new(&line->arena, n),
                                .gpus = explain_sums_new(&line->arena, n),
                                .gpus_now = explain_sums_new(&line->arena, n),
                                .begun = explain_sums_new(&line->arena, n),
                                .waiting = explain_sums_new(&line->arena, n)};
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
    char policy[100];
    const char *name =
        json_string_value(json_object_get(d->manifest, "policy"));
    snprintf(policy, sizeof policy, "%s", name ? name : "");
    policy[strcspn(policy, "+")] = '\0';
    line->data = d;
    line->n_vcs = (uint32_t)d->vcs.n_strings;
    line->held = ARENA_ARRAY(&line->arena, int64_t, line->n_vcs + 1);
    line->reserves = strcmp(policy, "backfill") == 0;
    line->vcs = ARENA_ARRAY(&line->arena, struct explain_vc, line->n_vcs + 1);
    explain_pools_init(&line->pools, d, line->waits->jobs, line->waits->n_jobs,
                       &line->arena);
    init_vcs(line);
    find_rounds(line, policy);
}

static int by_index(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Lists the jobs, each once, and makes room for their waits. */
static void init_waits(struct explain_waits *waits, const struct verify_data *d,
                       const uint32_t *jobs, size_t n)
{
    size_t n_waits = 0;
    *waits = (struct explain_waits){
        .jobs = mem_alloc((n + 1) * sizeof *waits->jobs)};
    arena_init(&waits->arena);
    memcpy(waits->jobs, jobs, n * sizeof *jobs);
    qsort(waits->jobs, n, sizeof *waits->jobs, by_index);
    for (size_t i = 0; i < n; i++) {
        if (i && waits->jobs[i] == waits->jobs[waits->n_jobs - 1])
            continue;
        waits->jobs[waits->n_jobs++] = waits->jobs[i];
        n_waits += (size_t)d->jobs[waits->jobs[i]].n_attempts + 1;
    }
    waits->first = mem_alloc((waits->n_jobs + 1) * sizeof *waits->first);
    waits->at = mem_alloc((n_waits + 1) * sizeof *waits->at);
}

void explain_waits_of(const struct verify_failures *failures,
                      const uint32_t *jobs, size_t n, bool blocks,
                      struct explain_waits *out)
{
    struct explain_line line = {.waits = out, .blocks = blocks};
    init_waits(out, failures->data, jobs, n);
    arena_init(&line.arena);
    init_line(&line, failures->data);
    list_waits(failures, &line);
    sort_turns(&line);
    find_classes(&line);
    fill_classes(&line);
    explain_sweep(&line);
    for (size_t i = 0; i < out->n; i++)
        explain_reasons_rank(out->at[i].why);
    free(line.turns);
    arena_fini(&line.arena);
}

void explain_waits_fini(struct explain_waits *waits)
{
    free(waits->jobs);
    free(waits->first);
    free(waits->at);
    free(waits->blocks);
    arena_fini(&waits->arena);
}

const struct waiting *explain_waits_job(const struct explain_waits *waits,
                                        const struct verify_data *data,
                                        const struct verify_job *job)
{
    uint32_t place = explain_below(waits->jobs, (uint32_t)waits->n_jobs,
                                   (uint32_t)(job - data->jobs));
    return &waits->at[waits->first[place]];
}

struct explain_reasons explain_waits_sum(const struct explain_waits *waits,
                                         const struct verify_data *data,
                                         const struct verify_job *job)
{
    struct explain_reasons sum = {0};
    const struct waiting *w = explain_waits_job(waits, data, job);
    for (uint32_t i = 0; i <= job->n_attempts; i++) {
        for (unsigned r = 0; r < EXPLAIN_N_REASONS; r++)
            sum.spans[r] += w[i].why->spans[r];
    }
    explain_reasons_rank(&sum);
    if (strcmp(verify_outcomes[job->outcome], "rejected") == 0)
        sum.main = EXPLAIN_REJECTED;
    return sum;
}

/* A job on the heap of those with the longest queueing delays. */
struct explain_delay {
    sim_span delay;
    uint32_t job;
};

/* True if the first job leaves the list before the second one. */
static bool is_shorter(const void *a, const void *b)
{
    const struct explain_delay *x = a, *y = b;
    return x->delay != y->delay ? x->delay < y->delay : x->job > y->job;
}

static const struct heap_kind delay_heap = {
    .size = sizeof(struct explain_delay), .before = is_shorter};

size_t explain_longest(const struct verify_data *d, uint32_t user, size_t n_max,
                       uint32_t *out)
{
    size_t n = 0;
    n_max = n_max < d->n_jobs ? n_max : d->n_jobs;
    struct explain_delay *heap = mem_alloc((n_max + 1) * sizeof *heap);
    for (uint32_t i = 0; i < d->n_jobs && n_max; i++) {
        struct explain_delay one = {d->jobs[i].queue_delay, i};
        if (user && d->jobs[i].user != user)
            continue;
        if (n == n_max && is_shorter(&one, &heap[0]))
            continue;
        if (n == n_max)
            heap_take(&delay_heap, NULL, heap, n--, 0);
        heap_put(&delay_heap, NULL, heap, n++, &one);
    }
    for (size_t i = n; i > 0; i--) {
        out[i - 1] = heap[0].job;
        heap_take(&delay_heap, NULL, heap, i, 0);
    }
    free(heap);
    return n;
}
