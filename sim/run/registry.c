/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run/registry.h"

#include "base/find.h"

extern const struct estimator_ops estimator_advisor, estimator_blend,
    estimator_declared, estimator_file, estimator_ga2m, estimator_gbdt,
    estimator_history, estimator_same_application, estimator_noisy,
    estimator_oracle, estimator_profiled, estimator_workload;
extern const struct interference_ops interference_constant, interference_fitted,
    interference_none, interference_table;
extern const struct monitor_ops monitor_perfect, monitor_tracker;
extern const struct throughput_ops throughput_application, throughput_rigid,
    throughput_table;
extern const struct overhead_ops overhead_application, overhead_fixed,
    overhead_none;
extern const struct fault_ops fault_exponential, fault_hardware, fault_once,
    fault_trace;
extern const struct recovery_ops recovery_backoff, recovery_elastic,
    recovery_handler, recovery_isolate, recovery_limit, recovery_none,
    recovery_person, recovery_requeue, recovery_retry;
extern const struct forecast_ops forecast_file, forecast_ga2m, forecast_recent;

const struct estimator_ops *const estimators[] = {
    &estimator_oracle,
    &estimator_declared,
    &estimator_workload,
    &estimator_profiled,
    &estimator_history,
    &estimator_gbdt,
    &estimator_ga2m,
    &estimator_file,
    &estimator_noisy,
    &estimator_blend,
    &estimator_same_application,
    &estimator_advisor,
    NULL,
};
const struct interference_ops *const interferences[] = {
    &interference_none,
    &interference_constant,
    &interference_table,
    &interference_fitted,
    NULL,
};
const struct monitor_ops *const monitors[] = {
    &monitor_perfect,
    &monitor_tracker,
    NULL,
};
const struct throughput_ops *const throughputs[] = {
    &throughput_rigid,
    &throughput_application,
    &throughput_table,
    NULL,
};
const struct overhead_ops *const overheads[] = {
    &overhead_fixed,
    &overhead_none,
    &overhead_application,
    NULL,
};
const struct fault_ops *const faults[] = {
    &fault_exponential, &fault_once, &fault_trace, &fault_hardware, NULL,
};
const struct recovery_ops *const recoveries[] = {
    &recovery_none,    &recovery_retry,
    &recovery_person,  &recovery_requeue,
    &recovery_backoff, &recovery_isolate,
    &recovery_elastic, &recovery_limit,
    &recovery_handler, NULL,
};
const struct forecast_ops *const forecasts[] = {
    &forecast_recent,
    &forecast_ga2m,
    &forecast_file,
    NULL,
};

PLUGIN_KIND(estimators, estimator_ops, estimator_find, "estimator", "estimator")
PLUGIN_KIND(interferences, interference_ops, interference_find, "interference",
            "interference model")
PLUGIN_KIND(monitors, monitor_ops, monitor_find, "monitor", "monitor")
PLUGIN_KIND(throughputs, throughput_ops, throughput_find, "throughput",
            "throughput model")
PLUGIN_KIND(overheads, overhead_ops, overhead_find, "overhead",
            "overhead model")
PLUGIN_KIND(faults, fault_ops, fault_find, "faults", "fault model")
PLUGIN_KIND(recoveries, recovery_ops, recovery_find, "recovery",
            "recovery rule")
PLUGIN_KIND(forecasts, forecast_ops, forecast_find, "forecast", "forecast")
