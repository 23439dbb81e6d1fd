/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate's Metric Tracker in simulated time by the code of the live module
 * (schedmate/logs/schedmate_tracker.h). */
#include "schedmate/simulated/simulated_internal.h"

#include <stdlib.h>

#include "schedmate/logs/schedmate_tracker.h"

/* Number of lines at the end of a log that are made at first; most logs need no
 * more. */
#define TRACKER_REPLAY_TAIL_LINES 256
/* Number of lines at the beginning of a log, where programs print settings. */
#define TRACKER_REPLAY_HEAD_LINES 100
/* Smallest number of progress lines that the second reading waits for. */
#define LINES_AWAITED 3

struct tracker_replay {
    struct schedmate *shared;
    struct ledger *ledger;
    struct log_classifier *classifier;
    struct tracker_config config;
    struct arena scratch; /* reset by each reading */
    uint32_t *life_of;    /* by job: 1 + index in `lives`; 0: none */
    struct job_life *lives;
    size_t n_lives, cap_lives;
};

enum status tracker_replay_new(const struct run_env *env,
                               struct tracker_replay **out, struct error *err)
{
    struct tracker_replay *r = mem_zalloc(1, sizeof *r);
    r->shared = env->schedmate;
    r->ledger = env->ledger;
    r->life_of = ARENA_ARRAY(env->arena, uint32_t, env->n_jobs);
    arena_init(&r->scratch);
    option_defaults(tracker_options, &r->config);
    *out = r;
    return log_classifier_new(LOG_LINEAR, NULL, &r->classifier, err);
}

void tracker_replay_free(struct tracker_replay *r)
{
    if (!r)
        return;
    log_classifier_free(r->classifier);
    arena_fini(&r->scratch);
    free(r->lives);
    free(r);
}

static struct job_life *life_of(struct tracker_replay *r, const struct job *job)
{
    uint32_t *number = &r->life_of[job->id];
    if (!*number) {
        r->lives =
            mem_grow(r->lives, &r->cap_lives, r->n_lives + 1, sizeof *r->lives);
        r->lives[r->n_lives++] = (struct job_life){0};
        *number = (uint32_t)r->n_lives;
    }
    return &r->lives[*number - 1];
}

/* Adds the work and the speed of the resident at `now` to its life, which
 * begins anew with each attempt, and returns the life. */
static const struct job_life *live(struct tracker_replay *r,
                                   const struct job_log *log,
                                   const struct job *job, sim_time now,
                                   const struct sighting *seen)
{
    struct job_life *life = life_of(r, job);
    sim_span work = job_log_work(log, seen->work);
    if (life->attempt == job->attempts) {
        job_life_add(life, now, work, seen->rel_speed);
        return life;
    }
    uint32_t attempt = r->ledger->last_attempt[job->id];
    job_life_begin(life, job->attempts, r->ledger->attempts[attempt].start, now,
                   work, seen->rel_speed);
    return life;
}

/* Finds the last progress lines among the lines from .. to-1, but searches only
 * the last config.walk of these. Makes TRACKER_REPLAY_TAIL_LINES lines at first
 * and 8 times as many at each further try until it finds enough, because most
 * logs need few. */
static void find_lines(struct tracker_replay *r, const struct log_source *log,
                       uint64_t from, uint64_t to, struct tracker_lines *out)
{
    uint64_t n = TRACKER_REPLAY_TAIL_LINES;
    bool whole;
    do {
        uint64_t most = to - from < r->config.walk ? to - from : r->config.walk;
        whole = n >= most;
        n = whole ? most : n;
        struct text text = log_text(log, to - n, n, &r->scratch);
        tracker_find(r->classifier, &r->config, text, out);
        n *= 8;
    } while (!whole && out->n < r->config.lines);
}

/* Reads the time of a step from progress lines. If a model is asked and gives
 * no answer, the step time stays unknown: what rules read must not pass for an
 * answer of the model. */
static void replay_read_lines(struct tracker_replay *r,
                              const struct log_source *log,
                              const struct tracker_lines *lines,
                              struct log_reading *out)
{
    struct language_model *model = &r->shared->model;
    struct advice_tokens before = language_model_tokens(model), after;
    struct track track = {0};
    struct error err;
    struct text head = log_text(log, 0, TRACKER_REPLAY_HEAD_LINES, &r->scratch);
    tracker_read(&r->config, lines, head, &track);
    if (model->client && lines->n) {
        if (tracker_ask(model->client, lines, head, &r->scratch, &track,
                        &err) != STATUS_OK) {
            language_model_fail(model, &err);
            return;
        }
        track.source = track.model_s > 0 ? TRACKER_MODEL : TRACKER_NOT_FOUND;
        track.seconds_per_step = track.model_s;
        out->service = language_model_service(track.latency);
        after = language_model_tokens(model);
        out->tokens = (struct advice_tokens){after.in - before.in,
                                             after.out - before.out};
    }
    if (track.source != TRACKER_NOT_FOUND && track.seconds_per_step > 0)
        out->step_s = track.seconds_per_step;
}

void tracker_replay_read(struct tracker_replay *r,
                         const struct company *company, sim_time now,
                         const struct sighting *seen,
                         const struct log_reading *first,
                         struct log_reading *out)
{
    struct language_model *model = &r->shared->model;
    struct tracker_lines lines;
    struct job_log log;
    *out = (struct log_reading){.service = -1};
    arena_reset(&r->scratch);
    if (language_model_failed(model) ||
        !job_log_init(&log, r->shared, company->resident, company->where,
                      &r->scratch)) {
        model->n_no_log++;
        return;
    }
    job_log_until(&log, live(r, &log, company->resident, now, seen), now);
    out->has_log = true;
    out->lines = log_count(&log.source);
    find_lines(r, &log.source, first ? first->lines : 0, out->lines, &lines);
    replay_read_lines(r, &log.source, &lines, out);
    model->n_logs++;
    model->n_logs_unknown += !(out->step_s > 0);
}

sim_time tracker_replay_due(const struct tracker_replay *r,
                            const struct company *company)
{
    const struct schedmate *s = r->shared;
    struct evidence_log log;
    if (!evidence_log(s->model.env.evidence, company->resident, &log) ||
        !(company->beside > 0))
        return company->ready + s->config->check;
    double steps = s->config->steps;
    if (steps < (double)log.log_every * LINES_AWAITED)
        steps = (double)log.log_every * LINES_AWAITED;
    double seconds = steps * log.step_s / company->beside;
    return company->ready +
           (seconds < 1e9 ? span_from_seconds(seconds) : s->config->check);
}
