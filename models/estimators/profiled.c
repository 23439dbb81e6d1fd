/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers with the demand that profiling measures: unknown until the profiling
 * of the job is over, then the mean over the time profiled. While a job loads
 * its libraries, data and weights (cold start), its GPUs are idle; in its first
 * steps (warm-up) the job uses its GPUs less than later. The mean includes
 * both, so a short profiling underestimates the demand of a job; a long one
 * costs more GPU time. This layer gives no run times. */
#include "models/estimators/estimator.h"
#include "models/usage/usage.h"

struct profiled_config {
    double util, mem_mib, warm_level;
    sim_span cold_start, warm_up;
};

static const struct option profiled_options[] = {
    OPT_DOUBLE(struct profiled_config, util, "util", 52.32, 0, 100,
               "GPU utilisation of a job if the trace gives none, percent",
               "assumed: near 52.3, the mean of Philly (Jeon et al., ATC'19), "
               "which was not checked against the paper"),
    OPT_DOUBLE(struct profiled_config, mem_mib, "mem_mib", 0, 0, 1e9,
               "memory of a job on each GPU if the trace gives none, MiB",
               "assumed: 0, which fits on every GPU"),
    OPT_SPAN(
        struct profiled_config, cold_start, "cold_start_s", 10, 0, 86400,
        "time without GPU use at the start of a job, if its usage row gives "
        "none",
        "10: BERT and GPT-2 on V100 in Muri's profiles"),
    OPT_SPAN(struct profiled_config, warm_up, "warm_up_s", 20, 0, 86400,
             "time of the warm-up after the cold start, if the job's usage row "
             "gives none",
             "assumed: as for Lucid's models in models/usage/usage.json"),
    OPT_DOUBLE(struct profiled_config, warm_level, "warm_up_level", 0, 0, 1,
               "utilisation during warm-up, as a share of the later one",
               "assumed: 0; SchedMate, section 4.1, says that profiles taken "
               "during warm-up underestimate"),
    {0},
};

struct profiled {
    const struct profiled_config *config;
    const struct usage_table *usage;
    /* By job: time for which the job was profiled, us; 0 or less: it was not
     * profiled. While a job that was not profiled runs: the start of its
     * attempt, negated. */
    sim_span *watched;
};

static enum status profiled_init(void *self, const void *config,
                                 const struct run_env *env, struct error *err)
{
    struct profiled *s = self;
    (void)err;
    s->config = config;
    s->usage = env->usage;
    s->watched = ARENA_ARRAY(env->arena, sim_span, env->n_jobs);
    return STATUS_OK;
}

static void profiled_observe(void *self, const struct event *event,
                             struct wakeups *wakeups)
{
    struct profiled *s = self;
    (void)wakeups;
    if (!event->job || s->watched[event->job->id] > 0)
        return;
    if (event->kind == EVENT_STARTED)
        s->watched[event->job->id] = -event->at;
    else if (event->kind == EVENT_PROFILED)
        s->watched[event->job->id] += event->at;
    else if (event->kind == EVENT_FAILED || event->kind == EVENT_STOPPED)
        s->watched[event->job->id] = 0;
}

/* Returns a figure in seconds of the job's usage row as a span; `deflt` if it
 * is unknown. */
static sim_span profiled_figure(const struct profiled *s, const struct job *job,
                                enum usage_figure which, sim_span deflt)
{
    if (!s->usage || job->usage >= s->usage->n)
        return deflt;
    const struct figure *f = &s->usage->rows[job->usage].figures[which];
    return f->status == FIGURE_UNKNOWN ? deflt : span_from_seconds(f->value);
}

static bool profiled_demand(void *self, const struct estimator *below,
                            const struct job *job, struct demand *out)
{
    const struct profiled *s = self;
    const struct profiled_config *c = s->config;
    sim_span watched = s->watched[job->id];
    (void)below;
    if (watched <= 0)
        return false;
    sim_span cold = profiled_figure(s, job, FIGURE_COLD_START_S, c->cold_start);
    sim_span warm = profiled_figure(s, job, FIGURE_WARM_UP_S, c->warm_up);
    sim_span trains = watched > cold ? watched - cold : 0;
    sim_span steady = trains > warm ? trains - warm : 0;
    double seen = (double)steady + c->warm_level * (double)(trains - steady);
    bool known = job->gpu_util != GPU_UTIL_UNKNOWN;
    double util = known ? job->gpu_util : c->util;
    double mem = job->mem_mib > 0 ? (double)job->mem_mib : c->mem_mib;
    *out = (struct demand){
        .compute = util / 100 * seen / (double)watched,
        /* a job takes its memory after the cold start */
        .mem_mib = trains ? mem : 0,
        .assumed = !known,
        .source = "profiled",
    };
    return true;
}

const struct estimator_ops estimator_profiled = {
    .name = "profiled",
    .summary = "no run times; demand as measured while the job was profiled",
    .options = profiled_options,
    .config_size = sizeof(struct profiled_config),
    .basis = BASIS_PROFILED,
    .state_size = sizeof(struct profiled),
    .init = profiled_init,
    .observe = profiled_observe,
    .demand = profiled_demand,
};
