/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the parts of a run that exist once, each found by its name. Only this
 * file, run.c and compose_chains.c know every registry. */
#include "sim/run/compose.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "models/registry.h"
#include "models/workloads/workloads.h"
#include "policies/registry.h"
#include "sim/run/rules.h"

/* True if a rule applies to this owner in this run. */
static bool applies(const struct run *run, const struct rule *rule,
                    const char *owner)
{
    return strcmp(rule->rules, run->result.rules) == 0 &&
           strcmp(rule->owner, owner) == 0 &&
           (!rule->policy || strcmp(rule->policy, run->result.policy) == 0);
}

/* Merges the settings of one plug-in: those of the rules, then those of the
 * user. Settings of the rules apply only to the plug-in that they name. */
static enum status merge_spec(const struct run *run, const char *owner,
                              const char *text, const char *deflt,
                              struct spec *out, struct error *err)
{
    struct spec user = {0};
    struct text name = text_from(deflt);
    for (const struct rule *r = rules; r->rules; r++) {
        if (applies(run, r, owner) && !r->key)
            name = text_from(r->value);
    }
    if (text) {
        enum status st = spec_parse(owner, text_from(text), &user, err);
        if (st != STATUS_OK)
            return st;
    }
    bool same =
        !text || text_equal(user.name, name) || strcmp(owner, "policy") == 0;
    *out = (struct spec){.name = text ? user.name : name};
    if (user.n_layers)
        return error_set(err, STATUS_USAGE, "%s: no layer '%.*s'", owner,
                         TEXT_ARGS(user.layers[0]));
    for (const struct rule *r = rules; r->rules && same; r++) {
        if (applies(run, r, owner) && r->key)
            out->settings[out->n_settings++] =
                (struct spec_setting){text_from(r->key), text_from(r->value)};
    }
    for (size_t i = 0; i < user.n_settings; i++) {
        if (out->n_settings == SPEC_SETTINGS_MAX)
            return error_set(err, STATUS_USAGE, "%s: too many settings", owner);
        out->settings[out->n_settings++] = user.settings[i];
    }
    return STATUS_OK;
}

enum status compose_config(struct run *run, const char *owner, const char *name,
                           const struct spec *spec, const struct option *rows,
                           size_t size, void **config, struct error *err)
{
    struct arena *arena = &run->result.arena;
    const char *who = compose_join(arena, owner, name);
    *config = arena_alloc(arena, size ? size : 1);
    enum status st = spec_apply(spec, rows, *config, who, arena, err);
    if (st != STATUS_OK)
        return st;
    compose_note(run, owner, "name", name, NULL, NULL);
    compose_note_options(run, who, rows, *config);
    return STATUS_OK;
}

static enum status find_policy(struct run *run, struct error *err)
{
    const char *text = run->config.policy ? run->config.policy : "fifo";
    struct spec spec;
    enum status st = spec_parse("policy", text_from(text), &spec, err);
    if (st == STATUS_OK)
        st = policy_find(spec.name, &run->parts.policy, err);
    if (st == STATUS_OK)
        run->result.policy = run->parts.policy->name;
    return st;
}

static enum status make_policy(struct run *run, struct error *err)
{
    const struct policy_ops *ops = run->parts.policy;
    struct spec spec;
    void *config;
    enum status st =
        merge_spec(run, "policy", run->config.policy, ops->name, &spec, err);
    if (st == STATUS_OK)
        st = compose_config(run, "policy", ops->name, &spec, ops->options,
                            ops->config_size, &config, err);
    if (st != STATUS_OK)
        return st;
    run->parts.policy_config = config;
    run->first = ops->first ? ops->first(config) : NULL;
    run->first_config = config;
    return st;
}

static enum status make_placer(struct run *run, struct error *err)
{
    struct arena *arena = &run->result.arena;
    const struct placer_ops *ops;
    struct spec spec;
    void *config;
    enum status st = merge_spec(run, "placer", run->config.placer,
                                "consolidate", &spec, err);
    if (st == STATUS_OK)
        st = placer_find(spec.name, &ops, err);
    if (st == STATUS_OK)
        st = compose_config(run, "placer", ops->name, &spec, ops->options,
                            ops->config_size, &config, err);
    if (st != STATUS_OK)
        return st;
    run->result.placer = ops->name;
    run->parts.placer =
        (struct placer){ops, config, arena_alloc(arena, ops->state_size + 1)};
    run->parts.admission =
        (struct placer){ops, config, arena_alloc(arena, ops->state_size + 1)};
    if (ops->init) {
        ops->init(run->parts.placer.self, config, run->config.seed);
        ops->init(run->parts.admission.self, config, run->config.seed);
    }
    return STATUS_OK;
}

const char *compose_ruled(const struct run *run, const char *owner,
                          const char *deflt)
{
    for (const struct rule *r = rules; r->rules; r++) {
        if (applies(run, r, owner) && !r->key)
            deflt = r->value;
    }
    return deflt;
}

static bool shares(const struct run *run)
{
    return run->parts.policy->needs & POLICY_SHARES;
}

/* Default model of interference. If the policy shares GPUs: the model that was
 * fitted to measured pairs and works from the demand of the jobs. Under the
 * rules of another simulator: the constant that schedsim used before, so that
 * these results do not change. */
static const char *interference_of(const struct run *run)
{
    if (!shares(run))
        return "none";
    return strcmp(run->result.rules, "sound") == 0 ? "fitted" : "constant";
}

/* Puts a default in front of the settings: those of rules and user come after
 * it and win. */
static enum status put_first(struct spec *spec, const char *key,
                             const char *value, struct error *err)
{
    if (spec->n_settings == SPEC_SETTINGS_MAX)
        return error_set(err, STATUS_USAGE, "engine: too many settings");
    memmove(spec->settings + 1, spec->settings,
            spec->n_settings++ * sizeof *spec->settings);
    spec->settings[0] = (struct spec_setting){text_from(key), text_from(value)};
    return STATUS_OK;
}

static enum status make_engine_config(struct run *run, struct error *err)
{
    struct engine_config *config = &run->parts.config;
    struct arena *arena = &run->result.arena;
    char *text = NULL;
    struct spec spec;
    enum status st;
    if (run->config.engine) {
        size_t n = strlen(run->config.engine);
        text = arena_alloc(arena, n + 8);
        memcpy(text, "engine:", 7);
        memcpy(text + 7, run->config.engine, n + 1);
    }
    st = merge_spec(run, "engine", text, "engine", &spec, err);
    if (st == STATUS_OK && shares(run))
        st = put_first(&spec, "share_limit", "2", err);
    if (st == STATUS_OK)
        st = spec_apply(&spec, engine_options, config, "engine", arena, err);
    if (st == STATUS_OK)
        compose_note_options(run, "engine", engine_options, config);
    return st;
}

/* Defines a function that makes one model. OWNER is the word that the user
 * writes, FIND searches the registry, TARGET receives the descriptor and its
 * config. */
#define MAKE_MODEL(function, owner, text, deflt, ops_type, find, target) \
    static enum status function(struct run *run, struct error *err) \
    { \
        const struct ops_type *ops; \
        struct spec spec; \
        void *config; \
        enum status st = merge_spec(run, owner, text, deflt, &spec, err); \
        if (st == STATUS_OK) \
            st = find(spec.name, &ops, err); \
        if (st == STATUS_OK) \
            st = compose_config(run, owner, ops->name, &spec, ops->options, \
                                ops->config_size, &config, err); \
        if (st != STATUS_OK) \
            return st; \
        target.ops = ops; \
        target.config = config; \
        return STATUS_OK; \
    }

MAKE_MODEL(make_overhead, "overhead", run->config.overhead,
           (run->parts.throughput.ops->work ? "application" : "fixed"),
           overhead_ops, overhead_find, run->parts.overhead)
MAKE_MODEL(make_interference, "interference", run->config.interference,
           interference_of(run), interference_ops, interference_find,
           run->parts.interference)
MAKE_MODEL(make_belief, "belief",
           (run->config.belief ? run->config.belief : run->config.interference),
           interference_of(run), interference_ops, interference_find,
           run->parts.belief)
MAKE_MODEL(make_throughput_model, "throughput", run->config.throughput,
           (run->parts.policy->needs & POLICY_ELASTIC ? "application"
                                                      : "rigid"),
           throughput_ops, throughput_find, run->parts.throughput)
MAKE_MODEL(make_fault_model, "faults", run->config.faults, "exponential",
           fault_ops, fault_find, run->parts.fault)

/* Returns the forecast that the user names, else that of the rules, else that
 * which the policy wants. */
static const char *forecast_of(const struct run *run)
{
    const char *deflt = run->parts.policy->forecast;
    return run->config.forecast
               ? run->config.forecast
               : compose_ruled(run, "forecast", deflt ? deflt : "none");
}

MAKE_MODEL(make_forecast_model, "forecast", forecast_of(run), "file",
           forecast_ops, forecast_find, run->parts.forecast)

static enum status make_forecast(struct run *run, struct error *err)
{
    if (strcmp(forecast_of(run), "none") == 0)
        return STATUS_OK;
    enum status st = make_forecast_model(run, err);
    if (st == STATUS_OK)
        run->parts.forecast.self = arena_alloc(
            &run->result.arena, run->parts.forecast.ops->state_size + 1);
    return st;
}

static enum status make_throughput(struct run *run, struct error *err)
{
    enum status st = make_throughput_model(run, err);
    if (st == STATUS_OK)
        run->parts.throughput.state = arena_alloc(
            &run->result.arena, run->parts.throughput.ops->state_size + 1);
    return st;
}

static enum status make_recipe(struct run *run, struct error *err)
{
    struct spec spec;
    enum status st = merge_spec(run, "workloads", run->config.workloads,
                                "trace", &spec, err);
    if (st == STATUS_OK)
        st = workload_recipe_find(spec.name, &run->recipe, err);
    if (st == STATUS_OK)
        st = compose_config(run, "workloads", run->recipe->name, &spec,
                            run->recipe->options, run->recipe->config_size,
                            &run->recipe_config, err);
    return st;
}

static enum status make_fault(struct run *run, struct error *err)
{
    if (!run->config.faults || strcmp(run->config.faults, "none") == 0) {
        compose_note(run, "faults", "name", "none", NULL, NULL);
        return STATUS_OK;
    }
    enum status st = make_fault_model(run, err);
    if (st == STATUS_OK)
        run->parts.fault.self = arena_alloc(
            &run->result.arena, run->parts.fault.ops->state_size + 1);
    return st;
}

static enum status check_needs(const struct run *run, struct error *err)
{
    const struct policy_ops *policy = run->parts.policy;
    bool duration = false, demand = false;
    for (const struct estimator *l = run->parts.estimator; l; l = l->below) {
        duration |= l->ops->remaining != NULL;
        demand |= l->ops->demand != NULL;
    }
    const char *what = NULL;
    if ((policy->needs & POLICY_NEEDS_DURATION) && !duration)
        what = "an estimator of run times; try --estimators oracle";
    else if ((policy->needs & POLICY_NEEDS_DEMAND) && !demand)
        what = "an estimator of demand; try --estimators oracle,workload";
    if (!what)
        return STATUS_OK;
    return error_set(err, STATUS_USAGE, "policy %s needs %s", policy->name,
                     what);
}

enum status compose_parts(struct run *run, struct error *err)
{
    static enum status (*const steps[])(struct run *, struct error *) = {
        find_policy, make_engine_config, make_policy,        compose_partition,
        make_placer, make_throughput,    make_overhead,      make_interference,
        make_belief, make_fault,         compose_estimators, compose_recoveries,
        make_recipe, make_forecast,
    };
    run->result.rules = run->config.rules ? run->config.rules : "sound";
    enum status st = rules_check(run->result.rules, err);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && st == STATUS_OK; i++)
        st = steps[i](run, err);
    return st == STATUS_OK ? check_needs(run, err) : st;
}
