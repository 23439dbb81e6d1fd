/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges the settings of the parts of a run, and makes those parts that have no
 * file of their own, such as the placer and the monitor. The configuration
 * names the parts. */
#include "sim/run/compose_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "models/usage/usage.h"
#include "policies/registry.h"
#include "sim/run/conventions.h"
#include "sim/run/registry.h"

/* True if the convention sets an option of this owner, or chooses its plug-in,
 * in this run. */
static bool applies(const struct run *run, const struct convention *c,
                    const char *owner)
{
    return strcmp(c->preset, run->result.conventions) == 0 &&
           strcmp(c->owner, owner) == 0 &&
           (!c->policy || strcmp(c->policy, run->parts.policy.ops->name) == 0);
}

static enum status add_setting(struct spec *spec, const char *owner,
                               struct spec_setting setting, struct error *err)
{
    CHECK(owner);
    if (spec->n_settings == SPEC_SETTINGS_MAX)
        return error_set(err, STATUS_USAGE, "%s: too many settings", owner);
    spec->settings[spec->n_settings++] = setting;
    return STATUS_OK;
}

/* Adds to *spec what the conventions set for an owner. */
static void add_conventions(const struct run *run, const char *owner,
                            struct spec *spec)
{
    for (const struct convention *c = conventions; c->preset; c++) {
        if (!applies(run, c, owner) || !c->key)
            continue;
        CHECK(spec->n_settings < SPEC_SETTINGS_MAX);
        spec->settings[spec->n_settings++] =
            (struct spec_setting){.key = text_from(c->key),
                                  .value = text_from(c->value),
                                  .ruled = true};
    }
}

enum status compose_merge_spec(const struct run *run, const char *owner,
                               const struct spec *user, bool by_conventions,
                               struct spec *out, struct error *err)
{
    enum status st = STATUS_OK;
    *out = (struct spec){.name = user->name};
    if (by_conventions)
        add_conventions(run, owner, out);
    for (size_t i = 0; i < user->n_settings && st == STATUS_OK; i++)
        st = add_setting(out, owner, user->settings[i], err);
    for (size_t i = 0; i < run->n_moved && st == STATUS_OK; i++) {
        if (strcmp(run->moved[i].owner, owner) == 0)
            st = add_setting(out, owner, run->moved[i].setting, err);
    }
    return st;
}

enum status compose_merge(const struct run *run, const char *owner,
                          const char *text, const char *deflt, struct spec *out,
                          struct error *err)
{
    struct text name = text_from(compose_ruled(run, owner, deflt));
    struct spec user = {.name = name};
    enum status st = STATUS_OK;
    if (text)
        st = spec_parse(owner, text_from(text), &user, err);
    if (st != STATUS_OK)
        return st;
    if (user.n_layers)
        return error_set(err, STATUS_USAGE, "%s: no layer '%.*s'", owner,
                         TEXT_ARGS(user.layers[0]));
    return compose_merge_spec(run, owner, &user, text_equal(user.name, name),
                              out, err);
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
    if (!text_is(spec->name, name))
        remarks_add(&run->result.remarks, REMARK_DETAIL,
                    "%s %.*s is called %s now; the old name will be removed in "
                    "the next release",
                    owner, TEXT_ARGS(spec->name), name);
    compose_note(run, owner, "name", name, NULL, NULL);
    compose_note_options(run, who, rows, *config);
    return STATUS_OK;
}

enum status compose_part(struct run *run, const struct plugin_kind *kind,
                         const char *text, const char *deflt, struct part *out,
                         struct error *err)
{
    struct spec spec;
    void *config;
    const struct plugin *plugin;
    enum status st = compose_merge(run, kind->owner, text, deflt, &spec, err);
    if (st == STATUS_OK)
        st = plugin_find(kind, spec.name, &plugin, err);
    if (st == STATUS_OK)
        st = compose_config(run, kind->owner, plugin->name, &spec,
                            plugin->options, plugin->config_size, &config, err);
    if (st != STATUS_OK)
        return st;
    out->plugin = plugin;
    out->config = config;
    return STATUS_OK;
}

/* Makes two instances of the placer, because placers have state: asking whether
 * a job could ever be placed must not change where other jobs are placed. */
static enum status make_placer(struct run *run, struct error *err)
{
    enum status st = compose_part(run, &placers_kind, run->config.placer,
                                  "consolidate", &run->parts.placer.part, err);
    if (st != STATUS_OK)
        return st;
    run->parts.admission = run->parts.placer;
    run->result.placer = run->parts.placer.ops->name;
    return STATUS_OK;
}

const char *compose_ruled(const struct run *run, const char *owner,
                          const char *deflt)
{
    for (const struct convention *c = conventions; c->preset; c++) {
        if (applies(run, c, owner) && !c->key)
            deflt = c->value;
    }
    return deflt;
}

static bool shares(const struct run *run)
{
    return run->parts.policy.ops->needs & POLICY_SHARES;
}

/* Returns the default model of interference: `none` for a policy that does not
 * share GPUs; else, under the conventions of another simulator, `constant`, the
 * older default, so that results under these conventions do not change; else
 * the model that was fitted to measured pairs and uses the demand of the
 * jobs. */
static const char *interference_of(const struct run *run)
{
    if (!shares(run))
        return "none";
    return strcmp(run->result.conventions, "sound") == 0 ? "fitted"
                                                         : "constant";
}

static enum status make_throughput(struct run *run, struct error *err)
{
    unsigned needs = run->parts.policy.ops->needs;
    return compose_part(run, &throughputs_kind, run->config.throughput,
                        needs & POLICY_ELASTIC ? "application" : "rigid",
                        &run->parts.throughput.part, err);
}

static enum status make_overhead(struct run *run, struct error *err)
{
    bool elastic = run->parts.throughput.ops->work != NULL;
    return compose_part(run, &overheads_kind, run->config.overhead,
                        elastic ? "application" : "fixed",
                        &run->parts.overhead.part, err);
}

/* Makes two models: of the interference that happens, and of the interference
 * that the policy expects. */
static enum status make_interference(struct run *run, struct error *err)
{
    const struct run_config *config = &run->config;
    struct plugin_kind belief = interferences_kind;
    belief.owner = "belief";
    enum status st =
        compose_part(run, &interferences_kind, config->interference,
                     interference_of(run), &run->parts.interference.part, err);
    if (st == STATUS_OK)
        st =
            compose_part(run, &belief,
                         config->belief ? config->belief : config->interference,
                         interference_of(run), &run->parts.belief.part, err);
    return st;
}

/* Returns the forecast that the user names, else that of the conventions, else
 * that of the policy, else "none". */
static const char *forecast_of(const struct run *run)
{
    const char *deflt = run->parts.policy.ops->forecast;
    return run->config.forecast
               ? run->config.forecast
               : compose_ruled(run, "forecast", deflt ? deflt : "none");
}

static enum status make_forecast(struct run *run, struct error *err)
{
    const char *text = forecast_of(run);
    if (strcmp(text, "none") == 0)
        return STATUS_OK;
    return compose_part(run, &forecasts_kind, text, "file",
                        &run->parts.forecast.part, err);
}

/* Records nothing if there is no monitor, so that the manifest of a run without
 * one is as it was before the program had monitors. */
static enum status make_monitor(struct run *run, struct error *err)
{
    const char *text;
    enum status st = compose_tracker(run, &text, err);
    if (st != STATUS_OK || !text || strcmp(text, "none") == 0)
        return st;
    st = compose_part(run, &monitors_kind, text, "perfect",
                      &run->parts.monitor.part, err);
    if (st == STATUS_OK)
        run->result.monitor = run->parts.monitor.ops->name;
    return st;
}

static enum status make_recipe(struct run *run, struct error *err)
{
    struct spec spec;
    enum status st = compose_merge(run, "workloads", run->config.model_recipe,
                                   "trace", &spec, err);
    if (st == STATUS_OK)
        st = model_recipe_find(spec.name, &run->recipe, err);
    if (st == STATUS_OK)
        st = compose_config(run, "workloads", run->recipe->name, &spec,
                            run->recipe->options, run->recipe->config_size,
                            &run->recipe_config, err);
    return st;
}

static enum status make_fault(struct run *run, struct error *err)
{
    const char *text = run->config.faults;
    if (text && strcmp(text, "none") != 0)
        return compose_part(run, &faults_kind, text, "exponential",
                            &run->parts.fault.part, err);
    compose_note(run, "faults", "name", "none", NULL, NULL);
    return STATUS_OK;
}

enum status compose_parts(struct run *run, struct error *err)
{
    static enum status (*const steps[])(struct run *, struct error *) = {
        compose_policy_find, compose_engine,    compose_policy_make,
        compose_partition,   make_placer,       make_throughput,
        compose_time_law,    make_overhead,     make_interference,
        make_monitor,        make_fault,        compose_estimators,
        compose_recoveries,  compose_schedmate, make_recipe,
        make_forecast,
    };
    run->result.conventions =
        run->config.conventions ? run->config.conventions : "sound";
    enum status st = conventions_check(run->result.conventions, err);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && st == STATUS_OK; i++)
        st = steps[i](run, err);
    return st;
}
