/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A policy in C++: the job that asks for the fewest GPUs goes first, unless a
 * job has waited for `patience_s`.
 *
 *     c++ -std=c++20 $(pkg-config --cflags schedsim) -fPIC -shared -o small_first.so
 *         small_first.cc
 *     schedsim run TRACE --policy ./small_first.so:patience_s=7200
 */
#include <algorithm>
#include <vector>

#include <schedsim_policy.h>

struct config {
    sim_span patience;
};

static const struct option options[] = {
    OPT_SPAN(struct config, patience, "patience_s", 3600, 0, SECONDS_MAX,
             "time after which a job goes first whatever it asks for", NULL),
    {},
};

struct small_first {
    const config *settings;
};

static enum status init(void *self, const void *config_, const run_env *,
                        struct error *)
{
    static_cast<small_first *>(self)->settings =
        static_cast<const config *>(config_);
    return STATUS_OK;
}

static void decide(void *self, const view *view, plan *plan)
{
    const sim_span patience =
        static_cast<const small_first *>(self)->settings->patience;
    const vc_list touched = view_touched(view);
    const auto key = [&](const job *job) {
        const bool late = view_now(view) - job->submitted >= patience;
        return late ? 0u : job->gpus;
    };
    for (uint32_t i = 0; i < touched.count; i++) {
        std::vector<const job *> jobs;
        for (auto job = view_first_pending(view, touched.at[i]); job;
             job = view_next_pending(view, job))
            jobs.push_back(job);
        std::stable_sort(
            jobs.begin(), jobs.end(),
            [&](const job *a, const job *b) { return key(a) < key(b); });
        for (const job *job : jobs)
            plan_start(plan, job);
    }
}

static const policy_ops small_first_ops = [] {
    policy_ops ops = {};
    ops.name = "small-first";
    ops.summary = "fewest GPUs first, unless a job has waited for long";
    ops.options = options;
    ops.config_size = sizeof(config);
    ops.state_size = sizeof(small_first);
    ops.init = init;
    ops.decide = decide;
    return ops;
}();

SCHEDSIM_POLICY(small_first_ops);
