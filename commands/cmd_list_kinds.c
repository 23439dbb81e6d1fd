/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of things that `list` shows, each taken from the table that the
 * program itself uses. */
#include <string.h>

#include "commands/cmd_list_internal.h"
#include "commands/inputs.h"
#include "models/failures/fault_profile.h"
#include "models/usage/usage.h"
#include "policies/outside/program.h"
#include "policies/registry.h"
#include "schedmate/live/advise.h"
#include "schedmate/live/backend.h"
#include "schedmate/logs/incidents.h"
#include "schedmate/logs/schedmate_handler.h"
#include "schedmate/logs/schedmate_tracker.h"
#include "schedmate/watch/watch.h"
#include "sim/run/conventions.h"
#include "sim/run/describe.h"
#include "sim/run/registry.h"
#include "sim/run/run.h"
#include "traces/registry.h"

#define ITEMS_OF(function, array) \
    static bool function(size_t i, struct list_item *out) \
    { \
        if (!array[i]) \
            return false; \
        *out = (struct list_item){.name = array[i]->name, \
                                  .summary = array[i]->summary, \
                                  .options = array[i]->options, \
                                  .config_size = array[i]->config_size}; \
        return true; \
    }
ITEMS_OF(policy_item, policies)
ITEMS_OF(placer_item, placers)
ITEMS_OF(format_item, trace_formats)
ITEMS_OF(overhead_item, overheads)
ITEMS_OF(interference_item, interferences)
ITEMS_OF(monitor_item, monitors)
ITEMS_OF(throughput_item, throughputs)
ITEMS_OF(fault_item, faults)
ITEMS_OF(forecast_item, forecasts)
ITEMS_OF(recovery_item, recoveries)
ITEMS_OF(workloads_item, model_recipes)
ITEMS_OF(time_law_item, time_laws)

static bool llm_item(size_t i, struct list_item *out)
{
    if (!llms[i])
        return false;
    *out = (struct list_item){.name = llms[i]->name,
                              .summary = llms[i]->summary,
                              .options = llms[i]->options,
                              .config_size = llms[i]->config_size,
                              .reach = llms[i]->reach};
    return true;
}

static bool outside_item(size_t i, struct list_item *out)
{
    *out = (struct list_item){.name = policy_exec.name,
                              .summary = policy_exec.summary,
                              .options = policy_exec.options,
                              .config_size = policy_exec.config_size};
    return i == 0;
}

static bool estimator_item(size_t i, struct list_item *out)
{
    if (!estimators[i])
        return false;
    *out = (struct list_item){.name = estimators[i]->name,
                              .summary = estimators[i]->summary,
                              .options = estimators[i]->options,
                              .config_size = estimators[i]->config_size,
                              .explains = estimators[i]->explain != NULL};
    return true;
}

static bool fault_profile_item(size_t i, struct list_item *out)
{
    *out = (struct list_item){.name = fault_profiles[i].name,
                              .summary = fault_profiles[i].summary,
                              .options = fault_profiles[i].rows,
                              .config_size = sizeof(struct fault_figures)};
    return fault_profiles[i].name;
}

static bool cluster_item(size_t i, struct list_item *out)
{
    *out = (struct list_item){.name = presets[i].name,
                              .summary = presets[i].shorthand,
                              .source = presets[i].source};
    return presets[i].name;
}

static bool conventions_item(size_t i, struct list_item *out)
{
    *out = (struct list_item){.name = conventions_names[i].name,
                              .summary = conventions_names[i].summary};
    return conventions_names[i].name;
}

static bool schedmate_item(size_t i, struct list_item *out)
{
    *out = (struct list_item){
        .name = "schedmate",
        .summary = "settings of --schedmate, for a policy NAME+schedmate",
    };
    out->options = run_schedmate_options(&out->config_size);
    return i == 0;
}

static bool engine_item(size_t i, struct list_item *out)
{
    *out = (struct list_item){.name = "engine",
                              .summary = "settings of the simulation itself"};
    out->options = run_engine_options(&out->config_size);
    return i == 0;
}

static bool sampling_item(size_t i, struct list_item *out)
{
    *out = (struct list_item){
        .name = "sampling",
        .summary = "sampling settings, which every language model accepts"};
    out->options = backend_options(&out->config_size);
    return i == 0;
}

static bool advisor_item(size_t i, struct list_item *out)
{
    static const char *const summaries[] = {
        "settings of 'advise': how often it asks a language model",
        "settings of 'advise': which files of a directory it reads",
        "settings of 'advise': which jobs of the history count as similar",
    };
    *out = (struct list_item){0};
    out->options = advise_options(i, &out->name, &out->config_size);
    if (i < sizeof summaries / sizeof *summaries)
        out->summary = summaries[i];
    return out->options != NULL;
}

static bool logs_item(size_t i, struct list_item *out)
{
    static const struct list_item items[] = {
        {.name = "tracker",
         .summary = "settings of 'track': which part of a log it reads",
         .options = tracker_options,
         .config_size = sizeof(struct tracker_config)},
        {.name = "locator",
         .summary = "settings of 'diagnose': how it finds the first error",
         .options = locator_options,
         .config_size = sizeof(struct locator_config)},
        {.name = "handler",
         .summary =
             "settings of 'diagnose': which lines around the error it reads",
         .options = handler_options,
         .config_size = sizeof(struct handler_config)},
        {.name = "incidents",
         .summary = "settings of 'diagnose --method rcacopilot': how it "
                    "compares logs of failures",
         .options = incidents_options,
         .config_size = sizeof(struct incidents_config)},
        {.name = "watch",
         .summary = "settings of 'watch': what it reads, and when it tells",
         .options = watch_options,
         .config_size = sizeof(struct watch_config)},
    };
    if (i < sizeof items / sizeof *items)
        *out = items[i];
    return i < sizeof items / sizeof *items;
}

static bool input_item(size_t i, struct list_item *out)
{
    *out = (struct list_item){.name = input_formats[i].name,
                              .summary = input_formats[i].summary};
    return input_formats[i].name != NULL;
}

#define KIND(name_, function, ...) \
    { \
        .name = name_, .at = function, __VA_ARGS__ \
    }
#define MODEL(name_, function, ...) \
    KIND(name_, function, .is_model = true, __VA_ARGS__)

const struct list_kind list_kinds[] = {
    KIND("policies", policy_item),
    KIND("policies-outside", outside_item),
    KIND("placers", placer_item),
    KIND("formats", format_item, .more = MORE_COLUMNS),
    MODEL("estimators", estimator_item),
    MODEL("overheads", overhead_item),
    MODEL("interferences", interference_item),
    MODEL("monitors", monitor_item),
    MODEL("throughputs", throughput_item),
    MODEL("faults", fault_item),
    MODEL("fault-profiles", fault_profile_item),
    MODEL("forecasts", forecast_item),
    MODEL("recoveries", recovery_item),
    MODEL("workloads", workloads_item),
    MODEL("llms", llm_item, .more = MORE_SAMPLING),
    MODEL("sampling", sampling_item),
    MODEL("advisor", advisor_item),
    MODEL("logs", logs_item),
    KIND("clusters", cluster_item),
    KIND("conventions", conventions_item),
    KIND("time-laws", time_law_item),
    KIND("engine", engine_item),
    KIND("schedmate", schedmate_item),
    KIND("files", input_item, .more = MORE_ROWS),
    {0},
};
