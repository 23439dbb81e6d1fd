/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/engine/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/check.h"
#include "sim/engine/engine_internal.h"
#include "sim/engine/time_law.h"

/* Failures and checkpoints in the progress of jobs: when a job meets the
 * failures that its trace records, and how long it has written checkpoints. */

double progress_rate(const struct progress *p, double rate)
{
    struct checkpoints c = p->checkpoints;
    if (!progress_writes(p))
        return rate;
    double interval = (double)c.interval;
    return rate * (interval / (interval + rate * (double)c.write));
}

sim_span progress_writing(const struct progress *p)
{
    struct checkpoints c = p->checkpoints;
    if (!progress_writes(p))
        return 0;
    return (sim_span)llrint(p->done * ((double)c.write / (double)c.interval));
}

const struct own_failure *progress_own_failure(const struct progress_book *book,
                                               const struct job *job)
{
    const struct truth *truth = &book->truths[job->id];
    uint32_t passed = book->n_passed ? book->n_passed[job->id] : 0;
    return passed < truth->n_failures
               ? &book->own_failures[truth->first_failure + passed]
               : NULL;
}

sim_time progress_own_failure_at(const struct progress_book *book,
                                 const struct job *job)
{
    const struct own_failure *own = progress_own_failure(book, job);
    const struct progress *p = progress_of(book, job);
    if (!own)
        return TIME_NEVER;
    double span = book->law.ops->duration(&book->law, p, p->left - own->left);
    return progress_after(p->since, span > 0 ? span : 0, 0);
}

void progress_pass_failure(struct progress_book *book, const struct job *job)
{
    if (!book->n_passed)
        book->n_passed =
            mem_zalloc(book->board->n_jobs, sizeof *book->n_passed);
    book->n_passed[job->id]++;
}

/* Tests rule 5 of plan.h: a policy that is asked again at the same instant
 * plans nothing but a wake. */

/* Writes the first action of a plan in words. */
static void name_action(const struct plan *plan, char *out, size_t room)
{
    const struct plan_action *a = &plan->actions[0];
    const char *kind = plan_kind_name(a->kind);
    if (a->job)
        snprintf(out, room, "%s of job %u", kind, a->job->id);
    else
        snprintf(out, room, "%s of node %u", kind, a->node);
}

enum status settle_ask(struct engine *e, struct error *err)
{
    char what[64];
    struct plan *plan = &e->plan;
    e->parts.policy.ops->decide(e->parts.policy.self, &e->view, plan);
    if (plan->broken.status != STATUS_OK)
        return error_set(err, plan->broken.status, "%s %s",
                         e->parts.policy.ops->name, plan->broken.message);
    if (plan->n_actions == 0) {
        plan_clear(plan);
        return STATUS_OK;
    }
    name_action(plan, what, sizeof what);
    return error_set(err, STATUS_BROKEN,
                     "%s at %.6f s: asked again at the same instant, it plans "
                     "%s (rule 5 of plan.h)",
                     e->parts.policy.ops->name, span_seconds(e->board.now),
                     what);
}

/* What base/state/truth.h offers on the progress of jobs: the work left, and
 * until when it changes steadily. */

_Static_assert(offsetof(struct progress_book, truth) == 0,
               "a truth_book is the beginning of a progress_book");

sim_span progress_remaining(const struct truth_book *truth, job_id id,
                            sim_time now)
{
    const struct progress_book *book = (const void *)truth;
    uint32_t alloc = book->board->alloc_of[id];
    if (alloc == ALLOC_NONE)
        return progress_waiting(book, id);
    const struct progress *p = &book->progress[alloc];
    if (now <= p->since)
        return p->left;
    sim_span work = progress_work_in(now - p->since, p->rate);
    return work < p->left ? p->left - work : 0;
}

/* The same as `steady_until` of base/state/truth.h. */
static sim_time progress_steady_until(const struct truth_book *truth, job_id id,
                                      sim_time now)
{
    const struct progress_book *book = (const void *)truth;
    uint32_t alloc = book->board->alloc_of[id];
    if (alloc == ALLOC_NONE)
        return TIME_NEVER;
    const struct progress *p = &book->progress[alloc];
    if (now < p->since || p->rate != 1.0 || p->phase.until > 0 ||
        p->phase.again != TIME_NEVER)
        return 0;
    return now + progress_remaining(truth, id, now);
}

void progress_init(struct progress_book *book, const struct truth *truths,
                   const struct board *board, struct time_law law)
{
    *book = (struct progress_book){
        .truth = {progress_remaining, progress_steady_until},
        .truths = truths,
        .law = law,
        .board = board,
    };
}

void progress_fini(struct progress_book *book)
{
    free(book->left);
    free(book->n_passed);
    free(book->progress);
    *book = (struct progress_book){0};
}

sim_span progress_waiting(const struct progress_book *book, job_id job)
{
    if (book->board->jobs[job].state == JOB_FINISHED)
        return 0;
    return book->left ? book->left[job] : book->truths[job].work;
}

void progress_set_waiting(struct progress_book *book, job_id job, sim_span left)
{
    uint32_t n = book->board->n_jobs;
    if (!book->left) { /* allocated late, because in many runs no job stops */
        book->left = mem_alloc(n * sizeof *book->left);
        for (uint32_t i = 0; i < n; i++)
            book->left[i] = book->truths[i].work;
    }
    book->left[job] = left;
}

struct progress *progress_start(struct progress_book *book,
                                const struct job *job, sim_span limit)
{
    uint32_t alloc = book->board->alloc_of[job->id];
    sim_span left = progress_waiting(book, job->id);
    size_t cap = book->cap_progress;
    book->progress =
        mem_grow(book->progress, &cap, alloc + 1u, sizeof *book->progress);
    book->cap_progress = (uint32_t)cap;
    struct progress *p = &book->progress[alloc];
    *p = (struct progress){
        .since = book->board->allocs[alloc].ready,
        .left = left,
        .at_start = left,
        .limit = limit > 0 ? book->board->now + limit : TIME_NEVER,
        .breaks = TIME_NEVER,
        .end = EVQ_NONE,
    };
    if (book->law.ops->begin)
        book->law.ops->begin(p);
    return p;
}

void progress_end_phase(const struct progress_book *book, struct progress *p,
                        sim_span left)
{
    progress_settle(book, p);
    p->done += (double)(p->left - left);
    p->left = left;
}

void progress_finish(const struct progress_book *book, struct progress *p)
{
    progress_settle(book, p);
    if (book->law.ops->rounds)
        progress_end_phase(book, p, 0);
}

sim_time progress_end(const struct progress_book *book,
                      const struct progress *p)
{
    const struct time_law *law = &book->law;
    CHECK(p->rate > 0);
    if (law->ops->end)
        return law->ops->end(law, p);
    return progress_after(p->since, law->ops->duration(law, p, p->left),
                          time_law_config(law)->lag);
}

sim_span progress_lag(const struct progress_book *book,
                      const struct progress *p)
{
    const struct time_law_ops *law = book->law.ops;
    sim_span passed = book->board->now - p->since;
    bool idles = p->left == 0 || (law->idles && law->idles(p));
    return idles && passed > 0 ? p->idle + passed : p->idle;
}

sim_span progress_active(const struct progress_book *book,
                         const struct job *job)
{
    const struct allocation *alloc = board_allocation(book->board, job);
    sim_time now = book->board->now;
    return now - alloc->started - progress_startup(alloc, now) -
           progress_lag(book, progress_of(book, job));
}

sim_time progress_work_end(const struct progress_book *book,
                           const struct progress *p)
{
    if (p->phase.until == 0)
        return TIME_NEVER;
    sim_span work = p->left - p->phase.until;
    return progress_after(p->since,
                          book->law.ops->duration(&book->law, p, work), 0);
}

sim_time progress_phase_end(const struct progress_book *book,
                            const struct progress *p)
{
    sim_time end = progress_work_end(book, p);
    return end < p->phase.again ? end : p->phase.again;
}

/* The law of this simulator: work is rate x time, to the microsecond. At rate 1
 * nothing is rounded. */

static const struct option exact_options[] = {
    OPT_SPAN(struct time_law_config, lag, "lag_s", 0, 0, 3600,
             "time for which a job whose work is done still holds its GPUs; if "
             "its node goes meanwhile, the job has finished then",
             "0: exact; Lucid's simulator: 1 for preemptive policies"),
    {0},
};

static double exact_duration(const struct time_law *law,
                             const struct progress *p, sim_span work)
{
    (void)law;
    return p->rate == 1 ? (double)work : ceil((double)work / p->rate);
}

static void exact_settle(const struct time_law *law, struct progress *p,
                         sim_time now)
{
    sim_span work = progress_work_in(now - p->since, p->rate);
    sim_time until = now;
    /* all work was done before now; the job is in its lag */
    if (work > p->left) {
        work = p->left;
        until = p->since + (sim_span)exact_duration(law, p, work);
    }
    p->left -= work;
    p->done += (double)work;
    p->since = until;
}

const struct time_law_ops time_law_exact = {
    .name = "exact",
    .summary = "work is rate x time, to the microsecond",
    .options = exact_options,
    .config_size = sizeof(struct time_law_config),
    .duration = exact_duration,
    .settle = exact_settle,
};

/* The law of Sia's simulator, which has whole seconds only: work ends at the
 * multiple of a step, counted from the last change of speed, that is nearest to
 * its exact end (halves to even). The job then has done exactly its work, even
 * if the rounded time would give a little less or more. */

struct grid_config {
    struct time_law_config shared;
    sim_span step;
};

static const struct option grid_options[] = {
    OPT_SPAN(struct grid_config, step, "step_s", 1, 1e-6, 60,
             "work of a running job ends on the nearest multiple of this after "
             "it began or last changed its speed",
             "Sia's simulator: 1"),
    OPT_SPAN(struct grid_config, shared.lag, "lag_s", 0, 0, 3600,
             "time for which a job whose work is done still holds its GPUs; if "
             "its node goes meanwhile, the job has finished then",
             NULL),
    {0},
};

static double grid_duration(const struct time_law *law,
                            const struct progress *p, sim_span work)
{
    double step = (double)((const struct grid_config *)law->config)->step;
    return rint((double)work / p->rate / step) * step;
}

static void grid_settle(const struct time_law *law, struct progress *p,
                        sim_time now)
{
    sim_span work = progress_work_in(now - p->since, p->rate);
    double span = grid_duration(law, p, p->left);
    sim_time until = now;
    if (work > p->left || span <= (double)(now - p->since)) {
        work = p->left;
        until = p->since + (sim_span)span;
    }
    p->left -= work;
    p->done += (double)work;
    p->since = until;
}

static sim_span grid_tick(const struct time_law *law)
{
    return ((const struct grid_config *)law->config)->step;
}

const struct time_law_ops time_law_grid = {
    .name = "grid",
    .summary = "work ends on a grid of seconds, as in Sia's simulator",
    .options = grid_options,
    .config_size = sizeof(struct grid_config),
    .rounds = true,
    .duration = grid_duration,
    .settle = grid_settle,
    .tick = grid_tick,
};

/* The law of Lucid's simulator: each second after the start subtracts `rate`
 * from a double of seconds, and the job ends one second after the double has
 * become 0 or less. An attempt that is profiled is timed as in the law
 * `exact`. */

static const struct option countdown_options[] = {
    OPT_BOOL(struct time_law_config, later_stays_slow, "later_stays_slow",
             false,
             "a job keeps the rate that it had beside another job even after "
             "that job, if it came earlier, has ended",
             "Lucid's simulator: true, a defect"),
    {0},
};

uint64_t countdown_run(double *remain, double rate, uint64_t most)
{
    double r = *remain;
    uint64_t n = 0;
    int exponent;
    while (n < most && r > 0) {
        double next = r - rate, step = r - next;
        /* All doubles between `low` and 2 * `low` are `unit` apart, so each
         * subtraction takes an equal step, except at ties. */
        frexp(r, &exponent);
        double low = ldexp(0.5, exponent), unit = ldexp(1, exponent - 53);
        double units = rate / unit, many = floor((r - low) / step) - 1;
        CHECK(next < r);
        if (many < 2 || units - floor(units) == 0.5) {
            r = next;
            n++;
            continue;
        }
        if (many > (double)(most - n))
            many = (double)(most - n);
        r -= many * step;
        n += (uint64_t)many;
    }
    *remain = r;
    return n;
}

static bool is_profiled(const struct progress *p)
{
    return p->limit != TIME_NEVER;
}

static void countdown_begin(struct progress *p)
{
    p->countdown = span_seconds(p->left);
}

static double countdown_duration(const struct time_law *law,
                                 const struct progress *p, sim_span work)
{
    return time_law_exact.duration(law, p, work);
}

static void countdown_settle(const struct time_law *law, struct progress *p,
                             sim_time now)
{
    if (is_profiled(p)) {
        time_law_exact.settle(law, p, now);
        return;
    }
    uint64_t seconds = (uint64_t)((now - p->since) / SPAN_SECOND);
    if (seconds == 0)
        return; /* p->left stays as the caller set it until a whole second
                 * has passed */
    countdown_run(&p->countdown, p->rate, seconds);
    sim_span rest = p->countdown > 0 ? span_from_seconds(p->countdown) : 0;
    sim_span passed = (sim_span)seconds * SPAN_SECOND, work = p->left - rest;
    if (rest == 0)
        p->idle += passed - (sim_span)llrint((double)work / p->rate);
    p->done += (double)work;
    p->left = rest;
    p->since += passed;
}

static sim_time countdown_end(const struct time_law *law,
                              const struct progress *p)
{
    double remain = p->countdown;
    if (is_profiled(p))
        return progress_after(p->since, countdown_duration(law, p, p->left), 0);
    uint64_t n = countdown_run(&remain, p->rate, UINT32_MAX);
    return p->since + (sim_span)(n + 1) * SPAN_SECOND;
}

static sim_span countdown_tick(const struct time_law *law)
{
    (void)law;
    return SPAN_SECOND;
}

static bool countdown_idles(const struct progress *p)
{
    return !is_profiled(p);
}

const struct time_law_ops time_law_countdown = {
    .name = "countdown",
    .summary = "work is counted down once a second, as in Lucid's simulator",
    .options = countdown_options,
    .config_size = sizeof(struct time_law_config),
    .one_speed = true,
    .begin = countdown_begin,
    .duration = countdown_duration,
    .settle = countdown_settle,
    .end = countdown_end,
    .tick = countdown_tick,
    .idles = countdown_idles,
};

/* All laws of time that a run can choose by name. */

const struct plugin *const time_laws[] = {
    &time_law_exact.plugin,
    &time_law_countdown.plugin,
    &time_law_grid.plugin,
    NULL,
};

static const struct plugin *time_law_at(size_t i)
{
    return time_laws[i];
}

const struct plugin_kind time_laws_kind = {
    .owner = "time-law", .words = "law of time", .at = time_law_at};
