/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures without error. `look_s` after a guest has started, evicts it if the
 * speed of the resident has fallen below a share of its speed before. This is
 * SchedMate's Metric Tracker (section 4.1) with perfect readings. */
#include "models/interference/monitor.h"

struct perfect_config {
    sim_span look;
    double threshold;
    bool lose_work, bar_host;
};

static const struct option perfect_options[] = {
    OPT_SPAN(struct perfect_config, look, "look_s", 60, 0, SECONDS_MAX,
             "time from the start of the newcomer until the monitor measures "
             "the speed of the resident",
             "assumed; SchedMate looks after several tens of training steps"),
    OPT_DOUBLE(struct perfect_config, threshold, "threshold", 0.65, 0, 100,
               "evict the newcomer if the speed of the resident is below this "
               "share of its speed before the newcomer came",
               "SchedMate, section 4.1; its evaluation uses 0.5"),
    OPT_BOOL(struct perfect_config, lose_work, "lose_work", true,
             "an evicted job loses all the work that it has done",
             "SchedMate, section 4.1"),
    OPT_BOOL(struct perfect_config, bar_host, "bar_host", false,
             "the resident of an evicted newcomer never shares GPUs again "
             "either",
             "SchedMate bars the evicted job only"),
    {0},
};

struct perfect {
    const struct perfect_config *config;
};

static enum status perfect_init(void *self, const void *config,
                                const struct run_env *env, struct error *err)
{
    struct perfect *p = self;
    (void)env;
    (void)err;
    p->config = config;
    return STATUS_OK;
}

static sim_time perfect_joined(void *self, struct company *company)
{
    const struct perfect *p = self;
    return company->joined + p->config->look;
}

static void perfect_look(void *self, struct company *company,
                         const struct sighting *now, struct judgement *out)
{
    const struct perfect_config *config =
        ((const struct perfect *)self)->config;
    if (!(now->rel_speed / company->before.rel_speed < config->threshold))
        return;
    out->evict = true;
    out->keeps_work = !config->lose_work;
    out->bar_host = config->bar_host;
    out->why = "slows the resident down";
}

const struct monitor_ops monitor_perfect = {
    .name = "perfect",
    .summary = "evict a newcomer that slows the resident too much; speeds are "
               "known without error",
    .options = perfect_options,
    .config_size = sizeof(struct perfect_config),
    .state_size = sizeof(struct perfect),
    .init = perfect_init,
    .joined = perfect_joined,
    .look = perfect_look,
};
