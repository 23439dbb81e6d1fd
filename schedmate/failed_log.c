/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/failed_log.h"

#include "models/failures/failure_truth.h"

enum log_fault failed_log_label(const struct failure *failure)
{
    static const enum log_fault otherwise[FAILURE_N_KINDS] = {
        [FAILURE_INFRASTRUCTURE] = LOG_FAULT_NODE,
        [FAILURE_FRAMEWORK] = LOG_FAULT_FRAMEWORK,
        [FAILURE_SCRIPT] = LOG_FAULT_SCRIPT,
    };
    const struct failure_truth *truth = failure->truth;
    return log_fault_of(truth->cause, otherwise[truth->kind]);
}

static uint32_t at_most(uint64_t n)
{
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static struct log_kind kind_of(const struct run_env *env,
                               const struct failure *failure,
                               const struct evidence_log *log)
{
    const struct job *job = failure->job;
    return (struct log_kind){
        .style = log_style_find(text_from(log->style)),
        .step_s = log->step_s,
        .epoch_steps = log->steps_per_epoch,
        .steps = log->steps,
        .log_every = at_most(log->log_every),
        .gpus = gpu_set_size(failure->where),
        .nodes = failure->where.count,
        .batch = at_most(log->batch_size),
        .model = job->model ? env->string(env->strings, job->model) : "",
        .dataset = "",
        .prints_time = log->step_time,
    };
}

/* Returns how the attempt went: it worked at its mean speed all the time. */
static struct log_segment segment_of(const struct failure *failure)
{
    double ran = (double)failure->ran, done = (double)failure->done;
    return (struct log_segment){.at = failure->at - failure->ran,
                                .work = failure->work - failure->done,
                                .speed = ran > 0 ? done / ran : 0};
}

bool failed_log_of(const struct run_env *env, const struct failure *failure,
                   struct arena *arena, struct failed_log *out)
{
    struct evidence_log log;
    if (!env->evidence || !evidence_log(env->evidence, failure->job, &log) ||
        log.path || !log.style)
        return false;
    uint32_t n = failure->where.count;
    out->segment = segment_of(failure);
    out->hosts = ARENA_ARRAY(arena, node_id, n);
    for (uint32_t i = 0; i < n; i++)
        out->hosts[i] = failure->where.at[i].node;
    out->attempt = (struct log_attempt){
        .number = failure->job->attempts,
        .segments = &out->segment,
        .n_segments = 1,
        .until = failure->at,
        .hosts = out->hosts,
        .end = LOG_FAILED,
        .failure = {.fault = failed_log_label(failure),
                    .cause = failure->truth->cause,
                    .node = failure->truth->node},
    };
    out->source = (struct log_source){.kind = kind_of(env, failure, &log),
                                      .key = failure->job->id,
                                      .zero = env->zero,
                                      .attempts = &out->attempt,
                                      .n_attempts = 1};
    return true;
}
