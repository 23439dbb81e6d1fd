/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lucid's sharing scores (Tiny 0, Medium 1, Jumbo 2), and what the policy does
 * if the trace lacks the data to compute them.
 *
 * The decision tree cannot classify a job of unknown utilisation. But a class
 * promises a relative speed, because Lucid's analysis labels a workload by its
 * mean relative speed in pairs. With unknown=pace, such a job therefore gets
 * the class whose promise holds when the interference model runs it beside a
 * job like itself. */
#include <inttypes.h>

#include "policies/lucid/lucid.h"

static bool may_share(const struct lucid *s, const struct job *job)
{
    return s->share_limit > 1 && s->config->sharing != LUCID_SHARING_OFF &&
           job->gpus <= s->config->pair_gpus;
}

/* Returns true, and marks the job as counted, the first time that a fallback is
 * used for a job that may share. */
static bool is_news(const struct lucid *s, const struct view *view,
                    const struct job *job)
{
    struct lucid_mine *mine = view_mine(view, job);
    bool news = may_share(s, job) && !mine->counted;
    mine->counted |= news;
    return news;
}

void lucid_count_unknown(struct lucid *s, const struct view *view,
                         const struct job *job)
{
    struct lucid_mine *mine = view_mine(view, job);
    bool news = is_news(s, view, job);
    s->fallbacks.unknown += news;
    mine->unknown |= news;
}

void lucid_count_known(struct lucid *s, const struct view *view,
                       const struct job *job)
{
    struct lucid_mine *mine = view_mine(view, job);
    s->fallbacks.unknown -= mine->unknown;
    mine->counted = mine->counted && !mine->unknown;
    mine->unknown = false;
}

static uint8_t score_by_util(const struct lucid_config *c, double compute)
{
    return (uint8_t)((100 * compute >= c->tiny_util) +
                     (100 * compute >= c->medium_util));
}

static uint8_t score_by_speed(const struct lucid_config *c, double rel_speed)
{
    return (uint8_t)((rel_speed < c->tiny_speed) +
                     (rel_speed < c->medium_speed));
}

uint8_t lucid_score(struct lucid *s, const struct view *view,
                    const struct job *job, const struct demand *demand)
{
    if (demand->sharing != SHARING_UNKNOWN)
        return (uint8_t)(demand->sharing - SHARING_TINY);
    uint8_t score = score_by_util(s->config, demand->compute);
    if (!demand->assumed)
        return score;
    double rel_speed = view_rate_if_shared(view, job, job);
    if (s->config->unknown == LUCID_UNKNOWN_BY_SPEED)
        score = score_by_speed(s->config, rel_speed);
    if (is_news(s, view, job)) {
        s->fallbacks.assumed[score]++;
        s->fallbacks.rel_speed[score] = rel_speed;
    }
    return score;
}

static void remark_assumed(const struct lucid *s, struct remarks *remarks)
{
    static const char *const names[] = {"Tiny", "Medium", "Jumbo"};
    static const char *const reasons[] = {
        [LUCID_UNKNOWN_BY_SPEED] = "by the relative speed that two of them "
                                   "are expected to have on the same GPUs,",
        [LUCID_UNKNOWN_BY_UTIL] =
            "by the utilisation that the estimator assumes; two of them on "
            "the same GPUs are expected to have a relative speed of",
    };
    const struct lucid_fallbacks *f = &s->fallbacks;
    for (int i = 0; i < SHARING_CLASSES; i++) {
        if (f->assumed[i])
            remarks_add(
                remarks, remark_rank_of(f->assumed[i], f->n_jobs),
                "no estimator knows the GPU utilisation of %" PRIu32
                " of %" PRIu32
                " jobs; they count as %s, %s %.2f (policy option unknown; "
                "--workloads gives jobs a model)",
                f->assumed[i], f->n_jobs, names[i], reasons[s->config->unknown],
                f->rel_speed[i]);
    }
}

void lucid_remark(const void *self, struct remarks *remarks)
{
    const struct lucid *s = self;
    const struct lucid_fallbacks *f = &s->fallbacks;
    if (s->config->profiling == LUCID_PROFILING_BEFORE)
        profiler_remark(&s->profiler, remarks);
    else if (f->unknown)
        remarks_add(remarks, remark_rank_of(f->unknown, f->n_jobs),
                    "the estimators tell the demand of %" PRIu32 " of %" PRIu32
                    " jobs only after a profile, which "
                    "profiling=%s gives to no job in this run, so those jobs "
                    "did not share (profiling=before, or --estimators with the "
                    "layer workload)",
                    f->unknown, f->n_jobs,
                    s->config->profiling == LUCID_PROFILING_NONE ? "none"
                                                                 : "parallel");
    remark_assumed(s, remarks);
    if (f->no_forecast && s->share_limit > 1 && s->config->pair_gpus)
        remarks_add(remarks, REMARK_NUMBERS,
                    "sharing=dynamic without a forecast of submissions "
                    "means that jobs may share at any time (--forecast)");
}
