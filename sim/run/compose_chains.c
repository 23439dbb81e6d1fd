/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the parts of a run that are chains: estimators and recovery rules. The
 * first layer is asked first and can pass a question to the layer below. */
#include <string.h>

#include "sim/run/compose_internal.h"
#include "sim/run/registry.h"

/* Splits off the first part of a chain and returns it. Commas separate both the
 * parts and the settings of a part: "file:path=x.csv,column=y,oracle". A comma
 * separates settings if the text after it, up to the next comma, has a '=' and
 * no ':'. */
static struct text next_part(struct text *rest)
{
    struct text tail, part = text_split(*rest, ',', &tail);
    while (tail.len) {
        struct text after, more = text_split(tail, ',', &after);
        if (!memchr(more.at, '=', more.len) || memchr(more.at, ':', more.len))
            break;
        part.len = (size_t)(more.at + more.len - part.at);
        tail = after;
    }
    *rest = tail;
    return part;
}

/* The estimators of run times if nobody names others: what a scheduler can
 * learn from the jobs that have ended, and no knowledge of the future. */
static const char learned[] = "ga2m,history";

/* Returns the default source of demand; NULL: the policy asks for none. */
static const char *default_demand(unsigned needs)
{
    return needs & POLICY_PROFILES       ? "profiled"
           : needs & POLICY_NEEDS_DEMAND ? "workload"
                                         : NULL;
}

/* Adds the layers that `text` names below the `*n` layers of the chain. */
static enum status add_estimators(struct run *run, const char *text, size_t *n,
                                  struct error *err)
{
    struct text rest = text_from(text);
    while (rest.len) {
        const struct estimator_ops *ops;
        struct spec spec;
        void *config;
        enum status st = spec_parse("estimator", next_part(&rest), &spec, err);
        if (st == STATUS_OK && *n == CHAIN_MAX)
            st = error_set(err, STATUS_USAGE, "estimator: more than %d layers",
                           CHAIN_MAX);
        if (st == STATUS_OK)
            st = estimator_find(spec.name, &ops, err);
        if (st == STATUS_OK)
            st = compose_config(run, "estimator", ops->name, &spec,
                                ops->options, ops->config_size, &config, err);
        if (st != STATUS_OK)
            return st;
        run->estimators[*n] = (struct estimator){.ops = ops, .config = config};
        if (*n > 0)
            run->estimators[*n - 1].below = &run->estimators[*n];
        ++*n;
    }
    return STATUS_OK;
}

/* Makes the chain that the user or the conventions name, and completes it: a
 * policy that needs run times or demand gets the default source of what no
 * layer of the chain can tell. */
enum status compose_estimators(struct run *run, struct error *err)
{
    const unsigned needs = run->parts.policy.ops->needs;
    const char *named = run->config.estimators, *demand = default_demand(needs);
    const char *chain = named ? named : compose_ruled(run, "estimators", NULL);
    bool knows_times = false, knows_demand = false;
    size_t n = 0;
    const bool uses_times =
        needs & (POLICY_NEEDS_DURATION | (chain ? 0 : POLICY_USES_DURATION));
    enum status st = add_estimators(
        run, compose_layer(run, LAYER_ADVISOR, chain ? chain : "", named), &n,
        err);
    for (size_t i = 0; i < n; i++) {
        const struct estimator_ops *ops = run->estimators[i].ops;
        bool is_advisor = ops->of_schedmate && !named;
        knows_times |= ops->remaining && !is_advisor;
        knows_demand |= ops->demand && !is_advisor;
    }
    if (st == STATUS_OK && uses_times && !knows_times)
        st = add_estimators(run, learned, &n, err);
    if (st == STATUS_OK && demand && !knows_demand)
        st = add_estimators(run, demand, &n, err);
    run->parts.estimator = n ? &run->estimators[0] : NULL;
    return st;
}

enum status compose_recoveries(struct run *run, struct error *err)
{
    const char *named = run->config.recovery;
    struct text rest = text_from(
        compose_layer(run, LAYER_HANDLER, named ? named : "none", named));
    size_t n = 0;
    while (rest.len) {
        const struct recovery_ops *ops;
        struct spec spec;
        void *config;
        enum status st = spec_parse("recovery", next_part(&rest), &spec, err);
        if (st == STATUS_OK && n == CHAIN_MAX)
            st = error_set(err, STATUS_USAGE, "recovery: more than %d layers",
                           CHAIN_MAX);
        if (st == STATUS_OK)
            st = recovery_find(spec.name, &ops, err);
        if (st == STATUS_OK)
            st = compose_config(run, "recovery", ops->name, &spec, ops->options,
                                ops->config_size, &config, err);
        if (st != STATUS_OK)
            return st;
        run->recoveries[n] = (struct recovery){.ops = ops, .config = config};
        if (n > 0)
            run->recoveries[n - 1].below = &run->recoveries[n];
        n++;
    }
    run->parts.recovery = n ? &run->recoveries[0] : NULL;
    return STATUS_OK;
}
