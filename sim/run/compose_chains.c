/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the parts of a run that are chains: estimators and recovery rules. The
 * first layer is asked first and can pass a question to the layer below. */
#include <string.h>

#include "models/registry.h"
#include "sim/run/compose_internal.h"

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

enum status compose_estimators(struct run *run, struct error *err)
{
    unsigned needs = run->parts.policy.ops->needs;
    const char *deflt = needs & POLICY_PROFILES       ? "oracle,profiled"
                        : needs & POLICY_NEEDS_DEMAND ? "oracle,workload"
                                                      : "oracle";
    if (run->parts.policy.ops->estimators)
        deflt = run->parts.policy.ops->estimators;
    const char *named = run->config.estimators;
    struct text rest = text_from(compose_layer(
        run, LAYER_ADVISOR,
        named ? named : compose_ruled(run, "estimators", deflt), named));
    size_t n = 0;
    while (rest.len) {
        const struct estimator_ops *ops;
        struct spec spec;
        void *config;
        enum status st = spec_parse("estimator", next_part(&rest), &spec, err);
        if (st == STATUS_OK && n == CHAIN_MAX)
            st = error_set(err, STATUS_USAGE, "estimator: more than %d layers",
                           CHAIN_MAX);
        if (st == STATUS_OK)
            st = estimator_find(spec.name, &ops, err);
        if (st == STATUS_OK)
            st = compose_config(run, "estimator", ops->name, &spec,
                                ops->options, ops->config_size, &config, err);
        if (st != STATUS_OK)
            return st;
        run->estimators[n] = (struct estimator){.ops = ops, .config = config};
        if (n > 0)
            run->estimators[n - 1].below = &run->estimators[n];
        n++;
    }
    run->parts.estimator = n ? &run->estimators[0] : NULL;
    return STATUS_OK;
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
