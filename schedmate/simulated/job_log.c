/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log that a job of the simulation would have written
 * (schedmate/simulated/evidence/log.h), from what the evidence says of its
 * kind and from how its present attempt went. */
#include "schedmate/simulated/simulated_internal.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/state/cluster.h"

/* Largest difference in work that rounding explains, us. A larger one means
 * that the speed has changed. */
#define WORK_SLACK 1000.0

enum { DRAW_NOISY }; /* argument `k` of the keyed draw */

static double alone_on(const struct cluster *cluster, struct gpu_set where)
{
    double slowest = INFINITY;
    for (uint32_t i = 0; i < where.count; i++) {
        const struct node *node = &cluster->nodes[where.at[i].node];
        double speed = cluster->types[cluster->pools[node->pool].type].speed;
        slowest = fmin(slowest, speed);
    }
    return slowest;
}

static node_id *hosts_of(struct gpu_set where, struct arena *arena)
{
    node_id *hosts = ARENA_ARRAY(arena, node_id, where.count);
    for (uint32_t i = 0; i < where.count; i++)
        hosts[i] = where.at[i].node;
    return hosts;
}

static struct log_kind log_kind_of(const struct schedmate *s,
                                   const struct job *job,
                                   const struct evidence_log *log,
                                   const struct log_style *style,
                                   struct gpu_set where, bool noisy)
{
    const struct run_env *env = &s->model.env;
    return (struct log_kind){
        .style = style,
        .step_s = log->step_s,
        .epoch_steps = log->steps_per_epoch,
        .steps = log->steps,
        .log_every = (uint32_t)fmin((double)log->log_every, UINT32_MAX),
        .gpus = gpu_set_size(where),
        .nodes = where.count,
        .batch = (uint32_t)fmin((double)log->batch_size, UINT32_MAX),
        .model = job->model ? env->string(env->strings, job->model) : "",
        .dataset = "",
        .prints_time = log->step_time,
        .noise = noisy ? LOG_NOISY : LOG_STANDARD,
        .jitter = s->config->jitter,
    };
}

const char *job_log_path(const struct schedmate *s, const struct job *job)
{
    const struct evidence *evidence = s->model.env.evidence;
    struct evidence_log kind;
    return evidence && evidence_log(evidence, job, &kind) ? kind.path : NULL;
}

bool job_log_init(struct job_log *log, const struct schedmate *s,
                  const struct job *job, struct gpu_set where,
                  struct arena *arena)
{
    const struct run_env *env = &s->model.env;
    *log = (struct job_log){.alone = 1};
    if (!env->evidence || where.count == 0 ||
        !evidence_log(env->evidence, job, &log->kind) || log->kind.path ||
        !log->kind.style)
        return false;
    const struct log_style *style = log_style_find(text_from(log->kind.style));
    uint64_t draws = rng_stream(env->seed, "logs");
    bool noisy = keyed_uniform(draws, job->id, DRAW_NOISY) < s->config->noisy;
    if (!style)
        return false;
    log->alone = alone_on(env->cluster, where);
    log->attempt = (struct log_attempt){
        .number = job->attempts,
        .hosts = hosts_of(where, arena),
    };
    log->source = (struct log_source){
        .kind = log_kind_of(s, job, &log->kind, style, where, noisy),
        .key = draws ^ job->id,
        .zero = env->zero,
        .attempts = &log->attempt,
        .n_attempts = 1,
        .hostile = s->config->hostile,
    };
    return true;
}

void job_log_until(struct job_log *log, const struct job_life *life,
                   sim_time until)
{
    log->attempt.segments = life->segments;
    log->attempt.n_segments = life->n;
    log->attempt.until = until;
}

sim_span job_log_work(const struct job_log *log, sim_span work)
{
    double own = (double)work / log->alone - log->kind.start_s * 1e6;
    return own > 0 ? (sim_span)own : 0;
}

static void log_append(struct job_life *life, sim_time at, sim_span work,
                       double speed)
{
    struct log_segment *s = life->segments;
    if (life->n == JOB_LOG_SEGMENTS) { /* the first two become one */
        sim_span span = s[2].at - s[0].at;
        s[0].speed = span > 0 ? (double)(s[2].work - s[0].work) / (double)span
                              : s[0].speed;
        memmove(&s[1], &s[2], (JOB_LOG_SEGMENTS - 2) * sizeof *s);
        life->n--;
    }
    s[life->n++] = (struct log_segment){at, work, speed};
}

void job_life_begin(struct job_life *life, uint32_t attempt, sim_time start,
                    sim_time now, sim_span work, double speed)
{
    double done = speed * (double)(now - start);
    *life = (struct job_life){.attempt = attempt};
    if (done <= (double)work) {
        log_append(life, start, work - (sim_span)done, speed);
        return;
    }
    log_append(life, start, 0, 0);
    log_append(life, now - (sim_span)((double)work / speed), 0, speed);
}

void job_life_add(struct job_life *life, sim_time now, sim_span work,
                  double speed)
{
    struct log_segment *last = &life->segments[life->n - 1];
    double span = (double)(now - last->at);
    double done = (double)(work - last->work);
    if (span <= 0) {
        last->speed = speed;
        return;
    }
    if (fabs(done - last->speed * span) > WORK_SLACK) {
        /* the speed was last->speed until the change and `speed` from then on
         */
        double first = (done - speed * span) / (last->speed - speed);
        if (first > 0 && first < span) {
            log_append(life, last->at + (sim_span)first,
                       last->work + (sim_span)(last->speed * first), speed);
            return;
        }
        last->speed = done / span;
    }
    if (fabs(last->speed - speed) > 1e-9)
        log_append(life, now, work, speed);
}
