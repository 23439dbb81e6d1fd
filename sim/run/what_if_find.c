/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the nodes that a clause of --what-if means. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/describe.h"
#include "sim/run/what_if_internal.h"

bool what_if_means(const struct what_if_change *c, const struct node_group *g)
{
    return g->count && !g->profiler &&
           (c->vc == WHAT_IF_ANY || g->vc == c->vc) &&
           (c->type == WHAT_IF_ANY || g->type == c->type) &&
           (c->gpus == 0 || g->gpus == c->gpus) &&
           (c->rack == WHAT_IF_NO_RACK || g->rack == c->rack);
}

/* Distinct names, as an array and as one text for messages, each as far as
 * there is room. */
struct names {
    const char *at[CLUSTER_VCS_MAX];
    size_t n;
    char list[1024];
};

static void add_name(struct names *names, const char *name)
{
    size_t len = strlen(names->list);
    for (size_t i = 0; i < names->n; i++) {
        if (strcmp(names->at[i], name) == 0)
            return;
    }
    if (names->n == CLUSTER_VCS_MAX)
        return;
    names->at[names->n++] = name;
    if (len + strlen(name) + 8 < sizeof names->list)
        snprintf(names->list + len, sizeof names->list - len, "%s%s",
                 len ? ", " : "", name);
    else if (len > 3 && names->list[len - 1] != '.')
        memcpy(names->list + len, ", ...", sizeof ", ...");
}

enum status what_if_refuse(const struct what_if_change *c, const char *why)
{
    return error_set(c->err, STATUS_USAGE, "--what-if: '%.*s': %s",
                     TEXT_ARGS(c->clause->text), why);
}

/* Refuses a name that the cluster does not have. */
static enum status unknown(const struct what_if_change *c, const char *what,
                           struct text name, const struct names *names,
                           const char *more)
{
    char why[1536];
    const char *near = text_nearest(name, names->at, names->n);
    snprintf(why, sizeof why, "no %s '%.*s'%s%.60s%s; the cluster has %s%s",
             what, TEXT_ARGS(name), near ? "; did you mean '" : "",
             near ? near : "", near ? "'?" : "", names->list, more);
    return what_if_refuse(c, why);
}

/* Finds the virtual cluster that the clause names, or the only one that it can
 * mean. */
static enum status find_vc(struct what_if_change *c, struct names *names)
{
    const struct cluster_spec *spec = c->spec;
    c->vc = WHAT_IF_ANY;
    *names = (struct names){0};
    for (uint16_t vc = 0; vc < spec->n_vcs; vc++) {
        add_name(names, spec->vcs[vc]);
        if (c->clause->vc.len && text_is(c->clause->vc, spec->vcs[vc]))
            c->vc = vc;
    }
    if (c->clause->vc.len && c->vc == WHAT_IF_ANY)
        return unknown(c, "virtual cluster", c->clause->vc, names, "");
    if (c->clause->vc.len || c->as_one || spec->n_vcs == 1)
        return STATUS_OK;
    char why[1536];
    snprintf(why, sizeof why,
             "the cluster has %zu virtual clusters: write 'in NAME', one of %s",
             spec->n_vcs, names->list);
    return what_if_refuse(c, why);
}

/* Adds a GPU type to the description. */
static enum status add_type(struct what_if_change *c)
{
    struct cluster_spec *spec = c->spec;
    const struct what_if_clause *clause = c->clause;
    struct gpu_type_spec *types =
        ARENA_ARRAY(c->arena, struct gpu_type_spec, spec->n_types + 1);
    if (spec->n_types == CLUSTER_TYPES_MAX)
        return what_if_refuse(c,
                              "the cluster has 64 GPU types, and no more are "
                              "possible");
    memcpy(types, spec->types, spec->n_types * sizeof *types);
    types[spec->n_types] = (struct gpu_type_spec){
        .name = arena_copy(c->arena, clause->type.at, clause->type.len),
        .mem_mib = describe_type_memory(clause->type),
        .speed = clause->speed > 0 ? clause->speed : 1,
        .speed_known = clause->speed > 0};
    c->type = (uint16_t)spec->n_types++;
    spec->types = types;
    return STATUS_OK;
}

static enum status check_speed(const struct what_if_change *c)
{
    const struct gpu_type_spec *type = &c->spec->types[c->type];
    char why[240];
    if (c->clause->speed <= 0 ||
        (type->speed_known && type->speed == c->clause->speed))
        return STATUS_OK;
    if (type->speed_known)
        snprintf(why, sizeof why, "GPU type %.60s has the speed %g already",
                 type->name, type->speed);
    else
        snprintf(why, sizeof why,
                 "the cluster has GPU type %.60s and states no speed for it; "
                 "leave out '@%g' or state it in --cluster",
                 type->name, c->clause->speed);
    return what_if_refuse(c, why);
}

/* Finds the GPU type that the clause names, or the only one that the nodes
 * have. Adds a new type if a clause that adds nodes names it with its GPUs per
 * node. */
static enum status find_type(struct what_if_change *c, struct names *names)
{
    const struct what_if_clause *clause = c->clause;
    uint16_t only = WHAT_IF_ANY;
    c->type = WHAT_IF_ANY;
    c->gpus = 0;
    *names = (struct names){0};
    for (uint16_t t = 0; clause->type.len && t < c->spec->n_types; t++) {
        add_name(names, c->spec->types[t].name);
        if (text_is(clause->type, c->spec->types[t].name))
            c->type = t;
    }
    if (c->type != WHAT_IF_ANY)
        return check_speed(c);
    if (clause->type.len && clause->nodes > 0 && clause->gpus)
        return add_type(c);
    if (clause->type.len)
        return unknown(c, "GPU type", clause->type, names,
                       clause->nodes > 0 ? ". For a new type write the GPUs "
                                           "of a node too, such as 'of 8xH100'"
                                         : "");
    for (size_t i = 0; i < c->n; i++) {
        if (!what_if_means(c, &c->groups[i]))
            continue;
        only = c->groups[i].type;
        add_name(names, c->spec->types[only].name);
    }
    c->type = only;
    if (names->n == 1)
        return STATUS_OK;
    char why[1536];
    snprintf(why, sizeof why,
             names->n ? "there are nodes of several GPU types: write 'of "
                        "TYPE', one of %s"
                      : "the cluster has no node of this kind to add more of%s",
             names->list);
    return what_if_refuse(c, why);
}

/* Finds the number of GPUs of a node: of the nodes that the clause means or, if
 * there are none yet, of the nodes of the type in any virtual cluster. */
static enum status find_gpus(struct what_if_change *c, struct names *names)
{
    const uint16_t vc = c->vc;
    char word[24], why[1536];
    *names = (struct names){0};
    c->gpus = c->clause->gpus;
    if (c->gpus)
        return STATUS_OK;
    for (int pass = 0; pass < 2 && names->n == 0; pass++) {
        c->vc = pass ? WHAT_IF_ANY : vc;
        for (size_t i = 0; i < c->n; i++) {
            c->gpus = 0;
            if (!what_if_means(c, &c->groups[i]))
                continue;
            snprintf(word, sizeof word, "%" PRIu32, c->groups[i].gpus);
            add_name(names, arena_copy(c->arena, word, strlen(word)));
        }
    }
    c->vc = vc;
    if (names->n == 1) {
        c->gpus = (uint32_t)strtoul(names->at[0], NULL, 10);
        return STATUS_OK;
    }
    snprintf(why, sizeof why,
             "nodes of type %.60s have %s GPUs: name one kind, such as 'of "
             "%.8sx%.60s'",
             c->spec->types[c->type].name, names->n ? names->list : "no",
             names->n ? names->at[0] : "8", c->spec->types[c->type].name);
    return what_if_refuse(c, why);
}

/* True if nodes of the cluster have different racks. */
static bool has_racks(const struct what_if_change *c)
{
    for (size_t i = 1; i < c->n; i++) {
        if (c->groups[i].rack != c->groups[0].rack)
            return true;
    }
    return false;
}

/* Finds the virtual cluster of a clause about racks, which means nodes of any
 * kind. */
static enum status find_racks(struct what_if_change *c, struct names *names)
{
    c->type = WHAT_IF_ANY;
    c->gpus = 0;
    c->vc = WHAT_IF_ANY;
    if (!has_racks(c))
        return what_if_refuse(c, "the cluster has no racks: a cluster file "
                                 "gives them (\"rack\" of its nodes)");
    return c->clause->vc.len ? find_vc(c, names) : STATUS_OK;
}

enum status what_if_find(struct what_if_change *c)
{
    struct names *names = mem_zalloc(1, sizeof *names);
    enum status st;
    c->rack = WHAT_IF_NO_RACK;
    if (c->clause->racks || c->clause->rack != WHAT_IF_NO_RACK) {
        st = find_racks(c, names);
        free(names);
        return st;
    }
    st = find_vc(c, names);
    if (st == STATUS_OK)
        st = find_type(c, names);
    if (st == STATUS_OK)
        st = find_gpus(c, names);
    free(names);
    return st;
}
