/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the policy of a run, in the registry or outside, parses its settings,
 * and ends it after the run if it is a program. */
#include "policies/outside/outside_spec.h"
#include "policies/outside/shared_object.h"
#include "policies/registry.h"
#include "sim/run/compose_internal.h"

/* Starts the program that decides. Its settings are parsed here and not with
 * those of the other parts, because the program says what the policy needs. */
static enum status open_program(struct run *run, struct error *err)
{
    struct run_result *r = &run->result;
    struct policy *policy = &run->parts.policy;
    struct spec spec;
    void *config;
    policy->ops = &policy_exec;
    enum status st =
        compose_merge_spec(run, "policy", &run->policy_spec, false, &spec, err);
    if (st == STATUS_OK)
        st = compose_config(run, "policy", policy_exec.name, &spec,
                            policy_exec.options, policy_exec.config_size,
                            &config, err);
    if (st == STATUS_OK)
        st = program_open(config, run->config.answerer, &r->arena, &r->remarks,
                          &run->program, err);
    if (st != STATUS_OK)
        return st;
    policy->ops = program_policy(run->program);
    policy->config = run->program;
    return STATUS_OK;
}

/* Loads a policy that is a shared object, and records its digest. */
static enum status open_object(struct run *run, struct error *err)
{
    struct text name = run->policy_spec.name;
    const char *path = arena_copy(&run->result.arena, name.at, name.len);
    enum status st = shared_object_open(path, &run->parts.policy.ops, err);
    if (st != STATUS_OK)
        return st;
    compose_file(run, "policy", path, NULL);
    /* from here on the policy has the name that it gives itself */
    run->policy_spec.name = text_from(run->parts.policy.ops->name);
    return STATUS_OK;
}

enum status compose_policy_find(struct run *run, struct error *err)
{
    const char *text = run->config.policy ? run->config.policy : "fifo";
    const struct policy_ops *own = run->config.own_policy;
    struct spec *spec = &run->policy_spec;
    enum status st = outside_spec(text_from(text), spec, err);
    if (st != STATUS_OK)
        return st;
    if (text_is(spec->name, policy_exec.name))
        st = open_program(run, err);
    else if (own && text_is(spec->name, own->name))
        run->parts.policy.ops = own;
    else if (outside_is_path(spec->name))
        st = open_object(run, err);
    else
        st = policy_find(spec->name, &run->parts.policy.ops, err);
    if (st != STATUS_OK)
        return st;
    run->result.policy_needs = run->parts.policy.ops->needs;
    run->result.policy_forecasts = run->parts.policy.ops->forecast != NULL;
    return compose_layers(run, spec, err);
}

enum status compose_policy_make(struct run *run, struct error *err)
{
    struct policy *policy = &run->parts.policy;
    const struct plugin *plugin = &policy->ops->plugin;
    struct spec spec;
    void *config;
    if (run->program)
        return STATUS_OK;
    enum status st =
        compose_merge_spec(run, "policy", &run->policy_spec, true, &spec, err);
    if (st == STATUS_OK)
        st = compose_config(run, "policy", plugin->name, &spec, plugin->options,
                            plugin->config_size, &config, err);
    if (st == STATUS_OK)
        policy->config = config;
    return st;
}

enum status compose_policy_end(struct run *run, struct error *err)
{
    if (!run->program)
        return STATUS_OK;
    return program_end(run->program, &run->result.remarks, err);
}
