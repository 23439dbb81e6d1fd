/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The models of each kind: arrays that end with NULL. */
#ifndef SIM_REGISTRY_H
#define SIM_REGISTRY_H

#include "models/elastic/throughput.h"
#include "models/estimators/estimator.h"
#include "models/failures/fault.h"
#include "models/failures/overhead.h"
#include "models/failures/recovery.h"
#include "models/forecasts/forecast.h"
#include "models/interference/interference.h"
#include "models/interference/monitor.h"

extern const struct estimator_ops *const estimators[];
extern const struct interference_ops *const interferences[];
extern const struct monitor_ops *const monitors[];
extern const struct throughput_ops *const throughputs[];
extern const struct overhead_ops *const overheads[];
extern const struct fault_ops *const faults[];
extern const struct recovery_ops *const recoveries[];
extern const struct forecast_ops *const forecasts[];

/* Descriptors of the arrays above, for code that handles the plug-ins of a run,
 * whatever their kind. */
extern const struct plugin_kind estimators_kind, interferences_kind,
    monitors_kind, throughputs_kind, overheads_kind, faults_kind,
    recoveries_kind, forecasts_kind;

/* Find a model of one kind by name. If there is none, they return STATUS_USAGE;
 * the error names the nearest known model, or the command that lists them if no
 * name is near. */
enum status estimator_find(struct text name, const struct estimator_ops **out,
                           struct error *err) MUST_USE;
enum status interference_find(struct text name,
                              const struct interference_ops **out,
                              struct error *err) MUST_USE;
enum status monitor_find(struct text name, const struct monitor_ops **out,
                         struct error *err) MUST_USE;
enum status throughput_find(struct text name, const struct throughput_ops **out,
                            struct error *err) MUST_USE;
enum status overhead_find(struct text name, const struct overhead_ops **out,
                          struct error *err) MUST_USE;
enum status fault_find(struct text name, const struct fault_ops **out,
                       struct error *err) MUST_USE;
enum status recovery_find(struct text name, const struct recovery_ops **out,
                          struct error *err) MUST_USE;
enum status forecast_find(struct text name, const struct forecast_ops **out,
                          struct error *err) MUST_USE;

#endif
