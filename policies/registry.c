/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/registry.h"

extern const struct policy_ops policy_backfill, policy_chronus, policy_drf,
    policy_edf, policy_elasticflow, policy_fifo, policy_fjf, policy_gandiva,
    policy_gavel_las, policy_gavel_makespan, policy_gfs, policy_horus,
    policy_lucid, policy_multifactor, policy_pollux, policy_qssf,
    policy_random_pack, policy_recorded, policy_sia, policy_sjf,
    policy_smallest, policy_spot_fifo, policy_srsf, policy_srtf, policy_themis,
    policy_tiresias;
extern const struct placer_ops placer_consolidate, placer_first_fit,
    placer_random, placer_runs, placer_spread;

const struct policy_ops *const policies[] = {
    &policy_fifo,     &policy_fjf,         &policy_sjf,
    &policy_edf,      &policy_elasticflow, &policy_chronus,
    &policy_srtf,     &policy_srsf,        &policy_qssf,
    &policy_smallest, &policy_backfill,    &policy_multifactor,
    &policy_drf,      &policy_tiresias,    &policy_horus,
    &policy_lucid,    &policy_gavel_las,   &policy_gavel_makespan,
    &policy_themis,   &policy_gandiva,     &policy_random_pack,
    &policy_sia,      &policy_pollux,      &policy_spot_fifo,
    &policy_gfs,      &policy_recorded,    NULL,
};

const struct placer_ops *const placers[] = {
    &placer_consolidate, &placer_first_fit, &placer_spread,
    &placer_random,      &placer_runs,      NULL,
};

PLUGIN_KIND(policies, policy_ops, policy_find, "policy", "policy")
PLUGIN_KIND(placers, placer_ops, placer_find, "placer", "placer")
