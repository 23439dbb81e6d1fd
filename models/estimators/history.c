/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers with the rolling mean of the run times of similar jobs that have
 * ended. Kinds of similarity are tried from the narrowest to the widest, and
 * the first one with enough ended jobs answers. The end of a job updates one
 * cell per kind and scans no jobs.
 *
 * `kinds=qssf,decay=1,mean=arithmetic,least=1` is P_naive of HeliosArtifact for
 * exact names: the user's jobs of this name, else the jobs of this name of all
 * users, else the user's jobs, else all. Of the user's jobs only those with
 * this number of GPUs count, if there are any. Names that only resemble each
 * other are not matched, because published traces hash them. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "models/estimators/elapsed.h"
#include "models/estimators/tally.h"

bool tally_key_of(const struct job *job, unsigned parts, struct tally_key *out)
{
    uint32_t what = parts & TALLY_MODEL ? job->model : job->name;
    bool names = parts & (TALLY_NAME | TALLY_MODEL);
    if (((parts & TALLY_USER) && !job->user) || (names && !what))
        return false;
    uint64_t user = parts & TALLY_USER ? job->user : 0;
    uint64_t gpus = parts & TALLY_GPUS ? job->gpus : 0;
    uint64_t vc = parts & TALLY_VC ? job->vc : 0;
    out->who = user << 32 | (names ? what : 0);
    out->what = (uint64_t)(parts | 32) << 56 | vc << 32 | gpus;
    return true;
}

/* Hashes both halves of a key with the last step of splitmix64 (Steele, Lea,
 * Flood 2014). */
static size_t history_slot_of(struct tally_key key, size_t n_slots)
{
    uint64_t x = key.who + UINT64_C(0x9e3779b97f4a7c15) * key.what;
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (size_t)(x ^ (x >> 31)) & (n_slots - 1);
}

/* Returns the cell of the key, or the empty cell where it belongs. */
static struct tally_cell *seek(const struct tally *tally, struct tally_key key)
{
    size_t i = history_slot_of(key, tally->n_slots);
    while (tally->cells[i].key.what && (tally->cells[i].key.who != key.who ||
                                        tally->cells[i].key.what != key.what))
        i = (i + 1) & (tally->n_slots - 1);
    return &tally->cells[i];
}

static void history_widen(struct tally *tally)
{
    struct tally wide = {.n = tally->n,
                         .n_slots = tally->n_slots ? 2 * tally->n_slots : 64};
    wide.cells = mem_zalloc(wide.n_slots, sizeof *wide.cells);
    for (size_t i = 0; i < tally->n_slots; i++) {
        if (tally->cells[i].key.what)
            *seek(&wide, tally->cells[i].key) = tally->cells[i];
    }
    free(tally->cells);
    *tally = wide;
}

void tally_fini(struct tally *tally)
{
    free(tally->cells);
    *tally = (struct tally){0};
}

const struct tally_cell *tally_find(const struct tally *tally,
                                    struct tally_key key)
{
    if (!tally->n)
        return NULL;
    const struct tally_cell *cell = seek(tally, key);
    return cell->key.what ? cell : NULL;
}

void tally_add(struct tally *tally, struct tally_key key, double value,
               double decay, sim_time at)
{
    if (2 * tally->n >= tally->n_slots)
        history_widen(tally);
    struct tally_cell *cell = seek(tally, key);
    if (!cell->key.what) {
        *cell = (struct tally_cell){.key = key};
        tally->n++;
    }
    cell->weight = cell->weight * decay + 1;
    cell->sum = cell->sum * decay + value;
    cell->squares = cell->squares * decay + value * value;
    cell->at = at;
}

void elapsed_init(struct elapsed *elapsed, const struct run_env *env)
{
    elapsed->started = ARENA_ARRAY(env->arena, sim_time, env->n_jobs);
    elapsed->ran = ARENA_ARRAY(env->arena, sim_span, env->n_jobs);
    for (uint32_t i = 0; i < env->n_jobs; i++)
        elapsed->started[i] = -1;
}

void elapsed_observe(struct elapsed *elapsed, const struct event *event)
{
    if (!event->job)
        return;
    sim_time *started = &elapsed->started[event->job->id];
    sim_span *ran = &elapsed->ran[event->job->id];
    if (event->kind == EVENT_STARTED) {
        *started = event->at;
    } else if (*started >= 0 && event->job->state != JOB_RUNNING) {
        *ran += event->at - *started;
        *started = -1;
    }
    if (event->from_start || event->lost > *ran)
        *ran = 0;
    else
        *ran -= event->lost;
}

sim_span elapsed_of(const struct elapsed *elapsed, const struct job *job,
                    sim_time now)
{
    sim_time started = elapsed->started[job->id];
    return elapsed->ran[job->id] + (started >= 0 ? now - started : 0);
}

struct belief elapsed_belief_of(sim_span ran, bool waits, sim_time now,
                                sim_span total, sim_span overrun)
{
    sim_span rest = total - ran;
    struct belief belief = {.mean = rest, .spread = -1};
    /* a job that has not run keeps its estimate, even one of 0 or less */
    if (ran == 0 && waits)
        belief.steady_until = TIME_NEVER;
    else if (rest > 0)
        belief.steady_until = now + rest;
    else if (ran > 0)
        belief.mean = overrun;
    return belief;
}

struct belief elapsed_belief(const struct elapsed *elapsed,
                             const struct job *job, sim_time now,
                             sim_span total, sim_span overrun)
{
    return elapsed_belief_of(elapsed_of(elapsed, job, now),
                             elapsed->started[job->id] < 0, now, total,
                             overrun);
}

enum { KINDS_FINE, KINDS_QSSF };

static const char *const kinds_names[] = {"fine", "qssf", NULL};

enum { MEAN_GEOMETRIC, MEAN_ARITHMETIC };

static const char *const mean_names[] = {"geometric", "arithmetic", NULL};

struct history_config {
    unsigned kinds, mean;
    double decay;
    uint32_t least;
    sim_span overrun;
};

static const struct option history_options[] = {
    OPT_CHOICE(
        struct history_config, kinds, "kinds", KINDS_FINE, kinds_names,
        "which jobs are similar: qssf compares user, name and GPUs; fine "
        "also model and virtual cluster",
        "assumed: fine; HeliosArtifact: qssf"),
    OPT_CHOICE(struct history_config, mean, "mean", MEAN_GEOMETRIC, mean_names,
               "mean of the run times of similar jobs",
               "assumed: geometric; HeliosArtifact: arithmetic"),
    OPT_DOUBLE(struct history_config, decay, "decay", 0.8, 0, 1,
               "weight of a job relative to the next one that ends",
               "assumed; HeliosArtifact: 1"),
    OPT_U32(struct history_config, least, "least", 1, 1, 1000,
            "ended jobs that a kind of similarity needs to answer",
            "HeliosArtifact: 1"),
    OPT_SPAN(struct history_config, overrun, "overrun_s", 60, 0, 86400,
             "believed remaining time of a job that outlives its estimate",
             "assumed"),
    {0},
};

static const unsigned fine[] = {TALLY_USER | TALLY_NAME | TALLY_GPUS,
                                TALLY_USER | TALLY_NAME,
                                TALLY_USER | TALLY_MODEL | TALLY_GPUS,
                                TALLY_NAME | TALLY_GPUS,
                                TALLY_USER | TALLY_GPUS,
                                TALLY_MODEL | TALLY_GPUS,
                                TALLY_USER,
                                TALLY_VC | TALLY_GPUS,
                                TALLY_GPUS,
                                0};

static const unsigned qssf[] = {TALLY_USER | TALLY_NAME | TALLY_GPUS,
                                TALLY_USER | TALLY_NAME,
                                TALLY_NAME,
                                TALLY_USER | TALLY_GPUS,
                                TALLY_USER,
                                0};

struct history {
    const struct history_config *config;
    /* sets of enum tally_part, tried in order; the last is 0: all jobs */
    const unsigned *kinds;
    struct elapsed elapsed;
    struct tally tally;
    /* by job: run time and its spread as estimated at submission, us; total 0:
     * there is no estimate */
    sim_span *total, *spread;
};

/* Converts a run time to the scale on which means are taken: seconds, or ln(1 +
 * seconds) for geometric means. */
static double to_scale(const struct history *s, sim_span ran)
{
    double seconds = span_seconds(ran);
    return s->config->mean == MEAN_GEOMETRIC ? log1p(seconds) : seconds;
}

/* Adds the run time of a job that ended. */
static void history_learn(struct history *s, const struct job *job,
                          sim_span ran, sim_time at)
{
    struct tally_key key;
    size_t i = 0;
    do {
        if (tally_key_of(job, s->kinds[i], &key))
            tally_add(&s->tally, key, to_scale(s, ran), s->config->decay, at);
    } while (s->kinds[i++]);
}

/* True if there is a cell and it has at least the weight of `least` values.
 * With decay this weight is less than `least`: it is 1 + decay + decay^2 + ...,
 * a sum of `least` terms. */
static bool is_enough(const struct history *s, const struct tally_cell *cell)
{
    double need = 0, one = 1;
    for (uint32_t i = 0; i < s->config->least; i++, one *= s->config->decay)
        need += one;
    return cell && cell->weight >= need * (1 - 1e-9);
}

static const struct tally_cell *most_similar(const struct history *s,
                                             const struct job *job)
{
    struct tally_key key;
    size_t i = 0;
    do {
        const struct tally_cell *cell = tally_key_of(job, s->kinds[i], &key)
                                            ? tally_find(&s->tally, key)
                                            : NULL;
        if (is_enough(s, cell))
            return cell;
    } while (s->kinds[i++]);
    return NULL;
}

/* Sets the estimate of a job at its submission. The estimate does not change
 * while the job waits, so a policy that ranks jobs by it need not ask again. */
static void history_estimate(struct history *s, const struct job *job)
{
    const struct tally_cell *cell = most_similar(s, job);
    if (!cell)
        return;
    double mean = cell->sum / cell->weight;
    double sigma = sqrt(fmax(0, cell->squares / cell->weight - mean * mean));
    if (s->config->mean == MEAN_GEOMETRIC) {
        mean = expm1(mean);
        sigma = fmin(SECONDS_MAX, (mean + 1) * sigma);
    }
    s->total[job->id] = span_from_seconds(mean);
    s->spread[job->id] = span_from_seconds(sigma);
    if (s->total[job->id] == 0)
        /* one microsecond, because 0 means that there is no estimate */
        s->total[job->id] = 1;
}

static enum status history_init(void *self, const void *config,
                                const struct run_env *env, struct error *err)
{
    struct history *s = self;
    (void)err;
    s->config = config;
    s->kinds = s->config->kinds == KINDS_QSSF ? qssf : fine;
    elapsed_init(&s->elapsed, env);
    s->total = ARENA_ARRAY(env->arena, sim_span, env->n_jobs);
    s->spread = ARENA_ARRAY(env->arena, sim_span, env->n_jobs);
    const struct past_job **past = past_by_end(env);
    for (uint32_t i = 0; i < env->n_past; i++)
        history_learn(s, &past[i]->job, past[i]->ran, past[i]->ended);
    free(past);
    return STATUS_OK;
}

static void history_observe(void *self, const struct event *event,
                            struct wakeups *wakeups)
{
    struct history *s = self;
    (void)wakeups;
    elapsed_observe(&s->elapsed, event);
    /* A job that returns after a failure keeps its estimate: it is not a new
     * submission. */
    if (event->kind == EVENT_SUBMITTED && event->job->attempts == 0)
        history_estimate(s, event->job);
    else if (event->kind == EVENT_FINISHED)
        history_learn(s, event->job, s->elapsed.ran[event->job->id], event->at);
}

static bool history_remaining(void *self, const struct estimator *below,
                              const struct job *job, sim_time now,
                              struct belief *out)
{
    struct history *s = self;
    (void)below;
    if (!s->total[job->id])
        return false;
    *out = elapsed_belief(&s->elapsed, job, now, s->total[job->id],
                          s->config->overrun);
    out->spread = s->spread[job->id];
    out->source = "history";
    return true;
}

static void history_fini(void *self)
{
    tally_fini(&((struct history *)self)->tally);
}

const struct estimator_ops estimator_history = {
    .name = "history",
    .summary =
        "the rolling mean of the run times of similar jobs that have ended",
    .options = history_options,
    .config_size = sizeof(struct history_config),
    .basis = BASIS_LEARNED,
    .state_size = sizeof(struct history),
    .init = history_init,
    .observe = history_observe,
    .remaining = history_remaining,
    .fini = history_fini,
};
