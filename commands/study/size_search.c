/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Executes the search in rounds of runs. In each round, each series whose
 * search is not over tries one more x. The x of a round depend only on the
 * results of earlier rounds, so the answer does not depend on the number of
 * threads. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/study/size.h"
#include "commands/study/sweep_internal.h"
#include "sim/results/report.h"
#include "traces/shelf.h"

enum { ROUNDS_MAX = 200, PROBES = 5 };

/* A run of a round. */
struct size_search_trial {
    uint32_t replication;
    int64_t *x;   /* value of x in this run, by unit */
    bool *wanted; /* by unit: true if the series of the unit gets the point */
    struct size_point *points; /* results by unit */
    struct size_point whole;   /* result over all jobs */
    char why[256];
};

struct size_search_round {
    struct size *size;
    /* replications of the trace; NULL: there are none */
    struct replicas *replicas;
    struct size_search_trial *trials;
    struct study_task *tasks;
    size_t n, cap, cap_tasks;
};

/* Returns the direction in which x makes targets easier to meet: 1 if a larger
 * x does, -1 if a smaller x does. */
static int64_t sign_of(const struct size *size)
{
    return size->space.more_is_better ? 1 : -1;
}

bool size_is_best(const struct size *size, size_t unit, int64_t x)
{
    const struct size_unit *u = &size->space.units[unit];
    return x == (size->space.more_is_better ? u->most : u->least);
}

static bool is_worst(const struct size *size, size_t unit, int64_t x)
{
    const struct size_unit *u = &size->space.units[unit];
    return x == (size->space.more_is_better ? u->least : u->most);
}

const struct size_point *size_answer(const struct size_series *series)
{
    return series->has_good ? &series->points[series->good] : NULL;
}

static int64_t within(const struct size_unit *unit, int64_t x)
{
    return x < unit->least ? unit->least : x > unit->most ? unit->most : x;
}

/* Returns false if the search is over; else sets *x to the next x to try, and
 * doubles the step of the series unless both ends are known. */
static bool next_x(const struct size *size, uint32_t replication, size_t unit,
                   int64_t *x)
{
    struct size_series *s = size_series(size, replication, unit);
    const struct size_unit *u = &size->space.units[unit];
    int64_t good = s->has_good ? s->points[s->good].x : 0;
    int64_t bad = s->has_bad ? s->points[s->bad].x : 0;
    if (!s->has_good && !s->has_bad) {
        s->step = u->now / 16 > 1 ? u->now / 16 : 1;
        *x = within(u, u->now);
        return true;
    }
    if (s->has_good && s->has_bad) {
        *x = good + (bad - good) / 2;
        return *x != good && *x != bad;
    }
    if (s->has_good ? is_worst(size, unit, good)
                    : size_is_best(size, unit, bad))
        return false;
    *x = within(u, s->has_good ? good - sign_of(size) * s->step
                               : bad + sign_of(size) * s->step);
    s->step *= 2;
    return true;
}

static void search_add_point(struct size *size, uint32_t replication,
                             size_t unit, const struct size_point *point,
                             bool searches)
{
    struct size_series *s = size_series(size, replication, unit);
    s->points = mem_grow(s->points, &s->cap, s->n + 1, sizeof *s->points);
    s->points[s->n] = *point;
    if (searches && point->holds) {
        s->good = s->n;
        s->has_good = true;
    } else if (searches) {
        s->bad = s->n;
        s->has_bad = true;
    }
    s->n++;
}

/* Fills a point from the summary of a run, or from a group of its jobs. */
static void search_judge(const struct size *size, const struct summary *summary,
                         const struct group *group, struct size_point *point)
{
    const struct totals *t = group ? &group->totals : &summary->totals;
    const struct distribution *wait = group ? &group->of[METRIC_QUEUE_DELAY]
                                            : &summary->of[METRIC_QUEUE_DELAY];
    point->rejected = t->outcome[OUTCOME_REJECTED];
    point->unfinished = t->outcome[OUTCOME_UNFINISHED];
    point->longest_wait = wait->count ? wait->max : 0;
    point->holds = point->unfinished == 0 &&
                   (point->rejected == 0 || size->ignores_rejected);
    for (size_t i = 0; i < size->n_targets; i++) {
        point->values[i] = size_target_value(&size->targets[i], summary, group);
        point->holds &= t->jobs == 0 ||
                        size_target_holds(&size->targets[i], point->values[i]);
    }
}

static const struct group *search_group_of(const struct summary *summary,
                                           const char *name)
{
    for (size_t i = 0; i < summary->n_groups[GROUP_VC]; i++) {
        if (strcmp(summary->groups[GROUP_VC][i].name, name) == 0)
            return &summary->groups[GROUP_VC][i];
    }
    return NULL;
}

static void search_take(void *self, const struct study_run *run)
{
    struct size_search_round *round = self;
    struct size *size = round->size;
    struct size_search_trial *trial = &round->trials[run->index];
    struct summary summary;
    if (!run->replay)
        return;
    const struct run_result *result = run->replay->results.run;
    job_pass(NULL, NULL, run->replay->results, &summary);
    if (result->n_unfinished)
        snprintf(trial->why, sizeof trial->why, "%.250s", result->unfinished);
    search_judge(size, &summary, NULL, &trial->whole);
    for (size_t u = 0; u < size->space.n_units; u++) {
        trial->points[u].x = trial->x[u];
        if (trial->wanted[u])
            search_judge(
                size, &summary,
                size->space.joint
                    ? search_group_of(&summary, size->space.units[u].name)
                    : NULL,
                &trial->points[u]);
    }
    summary_fini(&summary);
}

/* Adds a run to the round. The caller sets `wanted`, and the x that differ from
 * today's. The result is valid until the next call. */
static struct size_search_trial *search_add_trial(
    struct size_search_round *round, uint32_t replication)
{
    struct size *size = round->size;
    const size_t n = size->space.n_units;
    round->trials = mem_grow(round->trials, &round->cap, round->n + 1,
                             sizeof *round->trials);
    struct size_search_trial *t = &round->trials[round->n++];
    *t = (struct size_search_trial){
        .replication = replication,
        .x = ARENA_ARRAY(&size->arena, int64_t, n),
        .wanted = ARENA_ARRAY(&size->arena, bool, n),
        .points = ARENA_ARRAY(&size->arena, struct size_point, n)};
    for (size_t u = 0; u < n; u++) {
        t->x[u] = size->space.units[u].now;
        t->wanted[u] = false;
    }
    return t;
}

static void configure(const struct size_search_round *round,
                      const struct size_search_trial *trial,
                      struct arena *arena, struct run_config *config)
{
    const struct size *size = round->size;
    *config = *size->config;
    const char *own = config->what_if,
               *more = size_space_clauses(&size->space, trial->x, arena);
    if (*more && own) {
        size_t n = strlen(own) + strlen(more) + 3;
        char *both = arena_alloc(arena, n);
        snprintf(both, n, "%s; %s", own, more);
        config->what_if = both;
    } else if (*more) {
        config->what_if = more;
    }
    if (trial->replication == 0)
        return;
    replicas_configure(round->replicas, trial->replication, arena, config);
}

/* Executes the runs of the round, gives each point to its series, and empties
 * the round. `searches`: the points also move the ends of the bisection. */
static enum status search_execute(struct size_search_round *round,
                                  struct shelf *shelf, bool searches,
                                  struct error *err)
{
    struct size *size = round->size;
    round->tasks = mem_grow(round->tasks, &round->cap_tasks, round->n + 1,
                            sizeof *round->tasks);
    for (size_t i = 0; i < round->n; i++) {
        round->tasks[i] = (struct study_task){.observe = {.label = "size"}};
        configure(round, &round->trials[i], &size->arena,
                  &round->tasks[i].config);
    }
    struct study study = {.tasks = round->tasks,
                          .n = round->n,
                          .n_threads = size->threads,
                          .shelf = shelf,
                          .stop_at_error = true,
                          .self = round,
                          .take = search_take};
    enum status st = study_execute(&study, err);
    study_end(&study, "size", "nothing is kept, the same command begins again");
    if (st != STATUS_OK)
        return st;
    size->n_runs += round->n;
    for (size_t i = 0; i < round->n; i++) {
        const struct size_search_trial *t = &round->trials[i];
        const char *why = arena_copy(&size->arena, t->why, strlen(t->why));
        for (size_t u = 0; u < size->space.n_units; u++) {
            t->points[u].why = why;
            if (t->wanted[u])
                search_add_point(size, t->replication, u, &t->points[u],
                                 searches);
        }
    }
    round->n = 0;
    return STATUS_OK;
}

/* Adds a run. If units are searched for together, each unit with an answer so
 * far gets that x; all other units keep today's. */
static struct size_search_trial *add_at_answers(struct size_search_round *round,
                                                uint32_t replication)
{
    const struct size *size = round->size;
    struct size_search_trial *t = search_add_trial(round, replication);
    for (size_t u = 0; u < size->space.n_units && size->space.joint; u++) {
        const struct size_point *p =
            size_answer(size_series(size, replication, u));
        t->x[u] = p ? p->x : t->x[u];
    }
    return t;
}

/* Adds the runs of one replication that its series need next. */
static void search_plan(struct size_search_round *round, uint32_t replication)
{
    const struct size *size = round->size;
    struct size_search_trial *shared = NULL;
    int64_t x;
    for (size_t u = 0; u < size->space.n_units; u++) {
        if (!next_x(size, replication, u, &x))
            continue;
        struct size_search_trial *t =
            shared ? shared : add_at_answers(round, replication);
        shared = size->space.joint ? t : NULL;
        t->x[u] = x;
        t->wanted[u] = true;
    }
}

static enum status size_search_one(struct size_search_round *round,
                                   struct shelf *shelf, struct error *err)
{
    const struct size *size = round->size;
    for (int i = 0; i < ROUNDS_MAX; i++) {
        for (uint32_t r = 0; r <= size->replications; r++)
            search_plan(round, r);
        if (round->n == 0)
            break;
        enum status st = search_execute(round, shelf, true, err);
        if (st != STATUS_OK)
            return st;
    }
    return STATUS_OK;
}

/* Sets *x to the i-th value to probe for a unit: one near the unit's answer or,
 * if the unit has no answer, one between today's x and the hardest x, in case
 * the targets are easier to meet there. Returns false if there is no i-th
 * value. */
static bool beside(const struct size *size, size_t unit, size_t i, int64_t *x)
{
    static const int64_t away[PROBES] = {2, 3, 5, 9, 17};
    const struct size_unit *u = &size->space.units[unit];
    const struct size_point *answer = size_answer(size_series(size, 0, unit));
    if (answer) {
        *x = answer->x + (i < PROBES ? away[i] : -away[i - PROBES]);
        return *x >= u->least && *x <= u->most;
    }
    int64_t worst = size->space.more_is_better ? u->least : u->most;
    *x = u->now + (worst - u->now) * (int64_t)(i + 1) / (PROBES * 2);
    return i % 3 == 0;
}

/* Tries points around the answers for the trace itself, at growing distances,
 * to find out whether an easier x always meets the targets. */
static enum status probe(struct size_search_round *round, struct shelf *shelf,
                         struct error *err)
{
    const struct size *size = round->size;
    int64_t x;
    for (size_t i = 0; i < PROBES * 2; i++) {
        struct size_search_trial *shared = NULL;
        for (size_t u = 0; u < size->space.n_units; u++) {
            if (!beside(size, u, i, &x))
                continue;
            struct size_search_trial *t =
                shared ? shared : add_at_answers(round, 0);
            shared = size->space.joint ? t : NULL;
            t->x[u] = x;
            t->wanted[u] = true;
        }
    }
    return round->n ? search_execute(round, shelf, false, err) : STATUS_OK;
}

/* Runs the trace with the answers of all units together. */
static enum status try_together(struct size_search_round *round,
                                struct shelf *shelf, struct error *err)
{
    struct size *size = round->size;
    struct size_search_trial *t = add_at_answers(round, 0);
    for (size_t u = 0; u < size->space.n_units; u++)
        t->wanted[u] = size_answer(size_series(size, 0, u)) != NULL;
    const struct size_point *points = t->points;
    enum status st = search_execute(round, shelf, false, err);
    size->whole = round->trials[0].whole;
    for (size_t u = 0; u < size->space.n_units && st == STATUS_OK; u++)
        size->broken_units +=
            size_answer(size_series(size, 0, u)) && !points[u].holds;
    return st;
}

enum status size_search(struct size *size, struct error *err)
{
    struct shelf *shelf = shelf_new(0);
    struct size_search_round round = {.size = size};
    enum status st = STATUS_OK;
    size->series =
        mem_zalloc((size->replications + (size_t)1) * size->space.n_units + 1,
                   sizeof *size->series);
    if (size->replications)
        st =
            replicas_open(size->config, size->config->trace, size->replications,
                          size->block_days, shelf, &round.replicas, err);
    if (st == STATUS_OK)
        st = size_search_one(&round, shelf, err);
    if (st == STATUS_OK)
        st = probe(&round, shelf, err);
    if (st == STATUS_OK && size->space.joint)
        st = try_together(&round, shelf, err);
    free(round.trials);
    free(round.tasks);
    shelf_free(shelf);
    replicas_free(round.replicas);
    return st;
}

void size_fini(struct size *size)
{
    size_t n = (size->replications + (size_t)1) * size->space.n_units;
    for (size_t i = 0; size->series && i < n; i++)
        free(size->series[i].points);
    free(size->series);
    arena_fini(&size->arena);
}
