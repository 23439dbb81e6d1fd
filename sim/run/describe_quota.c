/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the quotas of a cluster file: its lists "queues" and "cohorts". */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "sim/run/describe_internal.h"

static const char *const quota_rule_names[] = {[QUOTA_NEVER] = "never",
                                               [QUOTA_LOWER] = "lower",
                                               [QUOTA_LOWER_OR_NEWER] =
                                                   "lower-or-newer",
                                               [QUOTA_ANY] = "any",
                                               NULL};

struct quota_reader {
    const char *path;
    struct arena *arena;
    const json_t *cohorts, *queues;
    struct quota_tree *tree;
    /* by cohort in the file: its node in the tree; QUOTA_NO_PARENT: not yet */
    uint32_t *node_of;
};

static enum status quota_refuse(const struct quota_reader *r, const char *list,
                                size_t i, const char *what, struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT, "%s: %s[%zu]: %s", r->path, list, i,
                     what);
}

/* Says that a name is unknown, and which known one is nearest. */
static enum status quota_unknown(const struct quota_reader *r, const char *list,
                                 size_t i, const char *key, struct text name,
                                 const char *what, const char *const *known,
                                 size_t n, struct error *err)
{
    const char *near = n ? text_nearest(name, known, n) : NULL;
    return error_set(err, STATUS_BAD_INPUT, "%s: %s[%zu]: %s: no %s '%.*s'%s",
                     r->path, list, i, key, what, TEXT_ARGS(name),
                     text_suggest(near).words);
}

static const char *quota_text(const json_t *item, const char *key)
{
    const char *text = json_string_value(json_object_get(item, key));
    return text && *text ? text : NULL;
}

/* Reads a number of GPUs. A missing key or null is `deflt`. */
static bool quota_gpus(const json_t *item, const char *key, int64_t deflt,
                       int64_t *out)
{
    const json_t *value = json_object_get(item, key);
    const json_type type = value ? json_typeof(value) : JSON_NULL;
    *out = type == JSON_NULL ? deflt : json_integer_value(value);
    return type == JSON_NULL ||
           (type == JSON_INTEGER && *out >= 0 && *out <= INT32_MAX);
}

static bool quota_read_rule(const json_t *item, const char *key,
                            enum quota_rule deflt, enum quota_rule *out)
{
    const json_t *value = json_object_get(item, key);
    const char *word = json_string_value(value);
    *out = deflt;
    for (unsigned i = 0; word && quota_rule_names[i]; i++) {
        if (strcmp(word, quota_rule_names[i]) == 0) {
            *out = (enum quota_rule)i;
            return true;
        }
    }
    return !value;
}

/* Reads what queues and cohorts have in common. */
static enum status quota_read_limits(const struct quota_reader *r,
                                     const char *list, size_t i,
                                     const json_t *item,
                                     struct quota_node *node, struct error *err)
{
    const struct {
        const char *key;
        int64_t deflt, *out;
    } rows[] = {{"nominal", 0, &node->nominal},
                {"borrowing_limit", QUOTA_NO_LIMIT, &node->borrowing_limit},
                {"lending_limit", QUOTA_NO_LIMIT, &node->lending_limit}};
    const json_t *weight = json_object_get(item, "weight");
    node->weight = weight ? json_number_value(weight) : 1;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (!quota_gpus(item, rows[k].key, rows[k].deflt, rows[k].out))
            return error_set(err, STATUS_BAD_INPUT,
                             "%s: %s[%zu]: %s: expected GPUs, a whole number "
                             "of 0 to %d",
                             r->path, list, i, rows[k].key, INT32_MAX);
    }
    if ((weight && !json_is_number(weight)) || node->weight < 0)
        return quota_refuse(r, list, i,
                            "weight: expected a number of 0 or more", err);
    if (node->is_queue && node->lending_limit != QUOTA_NO_LIMIT &&
        node->lending_limit > node->nominal)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: %s[%zu]: lending_limit %" PRId64
                         " is more than the nominal quota %" PRId64,
                         r->path, list, i, node->lending_limit, node->nominal);
    return STATUS_OK;
}

static enum status quota_read_cohort(struct quota_reader *r, size_t i,
                                     const json_t *item, struct error *err)
{
    struct quota_node *node = &r->tree->nodes[r->tree->n];
    *node = (struct quota_node){.parent = QUOTA_NO_PARENT};
    enum status st = quota_read_limits(r, "cohorts", i, item, node, err);
    const char *name = quota_text(item, "name");
    node->name = name ? arena_copy(r->arena, name, strlen(name)) : NULL;
    r->node_of[i] = r->tree->n++;
    return st;
}

/* Returns the number of a cohort in the file; the number of cohorts: there is
 * none of this name. */
static size_t quota_cohort_at(const struct quota_reader *r, const char *name)
{
    size_t i = 0;
    while (i < json_array_size(r->cohorts) &&
           strcmp(quota_text(json_array_get(r->cohorts, i), "name"), name) != 0)
        i++;
    return i;
}

static enum status quota_find_cohort(const struct quota_reader *r,
                                     const char *list, size_t i,
                                     const char *key, size_t *out,
                                     struct error *err)
{
    const json_t *items = strcmp(list, "queues") == 0 ? r->queues : r->cohorts;
    const char *name = quota_text(json_array_get(items, i), key);
    size_t n = json_array_size(r->cohorts);
    const json_t *value = json_object_get(json_array_get(items, i), key);
    *out = n;
    if (!name && value && !json_is_null(value))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: %s[%zu]: %s: expected the name of a cohort",
                         r->path, list, i, key);
    if (!name)
        return STATUS_OK;
    *out = quota_cohort_at(r, name);
    if (*out < n)
        return STATUS_OK;
    const char **known = ARENA_ARRAY(r->arena, const char *, n + 1);
    for (size_t k = 0; k < n; k++)
        known[k] = quota_text(json_array_get(r->cohorts, k), "name");
    return quota_unknown(r, list, i, key, text_from(name), "cohort", known, n,
                         err);
}

/* Checks that each cohort has a name of its own. */
static enum status quota_check_names(const struct quota_reader *r,
                                     struct error *err)
{
    for (size_t i = 0; i < json_array_size(r->cohorts); i++) {
        if (!quota_text(json_array_get(r->cohorts, i), "name"))
            return quota_refuse(r, "cohorts", i, "expected a \"name\"", err);
    }
    for (size_t i = 0; i < json_array_size(r->cohorts); i++) {
        const json_t *item = json_array_get(r->cohorts, i);
        if (quota_cohort_at(r, quota_text(item, "name")) != i)
            return error_set(err, STATUS_BAD_INPUT,
                             "%s: cohorts[%zu]: name: '%.60s' is listed before",
                             r->path, i, quota_text(item, "name"));
    }
    return STATUS_OK;
}

/* Puts a cohort into the tree if its parent is there. */
static enum status quota_place_cohort(struct quota_reader *r, size_t i,
                                      struct error *err)
{
    size_t n = json_array_size(r->cohorts), parent;
    enum status st = quota_find_cohort(r, "cohorts", i, "parent", &parent, err);
    if (st != STATUS_OK || r->node_of[i] != QUOTA_NO_PARENT ||
        (parent < n && r->node_of[parent] == QUOTA_NO_PARENT))
        return st;
    uint32_t at = r->tree->n;
    st = quota_read_cohort(r, i, json_array_get(r->cohorts, i), err);
    if (parent < n)
        r->tree->nodes[at].parent = r->node_of[parent];
    return st;
}

/* Puts the cohorts into the tree, each after its parent. */
static enum status quota_read_cohorts(struct quota_reader *r, struct error *err)
{
    size_t n = json_array_size(r->cohorts);
    uint32_t before;
    enum status st = quota_check_names(r, err);
    r->node_of = ARENA_ARRAY(r->arena, uint32_t, n + 1);
    for (size_t i = 0; i < n; i++)
        r->node_of[i] = QUOTA_NO_PARENT;
    do {
        before = r->tree->n;
        for (size_t i = 0; i < n && st == STATUS_OK; i++)
            st = quota_place_cohort(r, i, err);
    } while (st == STATUS_OK && r->tree->n > before);
    for (size_t i = 0; st == STATUS_OK && i < n; i++) {
        if (r->node_of[i] == QUOTA_NO_PARENT)
            st = quota_refuse(r, "cohorts", i,
                              "its parents form a cycle, so it has no root",
                              err);
    }
    return st;
}

static bool quota_is_listed(const struct quota_tree *tree, const char *vc)
{
    for (uint32_t k = 0; k < tree->n; k++) {
        if (tree->nodes[k].is_queue && strcmp(tree->nodes[k].name, vc) == 0)
            return true;
    }
    return false;
}

/* Reads which jobs those of a queue may have stopped. */
static bool quota_read_rules(const json_t *item, struct quota_node *node)
{
    const json_t *top = json_object_get(item, "borrow_within");
    node->borrow_within = top && !json_is_null(top);
    node->max_priority = (int32_t)json_integer_value(top);
    return quota_read_rule(item, "within", QUOTA_NEVER, &node->within) &&
           quota_read_rule(item, "reclaim", QUOTA_ANY, &node->reclaim) &&
           (!node->borrow_within ||
            (json_is_integer(top) &&
             node->max_priority == json_integer_value(top)));
}

static enum status quota_read_queue(struct quota_reader *r, size_t i,
                                    const json_t *item, struct error *err)
{
    const char *vc = quota_text(item, "vc");
    struct quota_node *node = &r->tree->nodes[r->tree->n];
    size_t cohort;
    if (!vc)
        return quota_refuse(r, "queues", i, "expected a \"vc\"", err);
    if (quota_is_listed(r->tree, vc))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: queues[%zu]: vc: '%.60s' is listed before",
                         r->path, i, vc);
    *node = (struct quota_node){
        .name = arena_copy(r->arena, vc, strlen(vc)),
        .parent = QUOTA_NO_PARENT,
        .is_queue = true,
    };
    if (!json_is_integer(json_object_get(item, "nominal")))
        return quota_refuse(r, "queues", i, "expected \"nominal\", GPUs", err);
    enum status st = quota_read_limits(r, "queues", i, item, node, err);
    if (st == STATUS_OK && !quota_read_rules(item, node))
        return quota_refuse(r, "queues", i,
                            "expected \"within\" and \"reclaim\" as never, "
                            "lower, lower-or-newer or any, and "
                            "\"borrow_within\" as a whole number",
                            err);
    if (st == STATUS_OK)
        st = quota_find_cohort(r, "queues", i, "cohort", &cohort, err);
    if (st == STATUS_OK && cohort < json_array_size(r->cohorts))
        node->parent = r->node_of[cohort];
    r->tree->n++;
    return st;
}

/* Refuses a queue whose virtual cluster has no node, if nodes name theirs. */
static enum status quota_check_vcs(const struct quota_reader *r,
                                   const struct cluster_spec *spec,
                                   struct error *err)
{
    size_t i;
    const json_t *item;
    if (spec->n_vcs == 1 && strcmp(spec->vcs[0], "all") == 0)
        return STATUS_OK;
    json_array_foreach(r->queues, i, item)
    {
        const char *vc = quota_text(item, "vc");
        size_t k = 0;
        while (k < spec->n_vcs && strcmp(spec->vcs[k], vc) != 0)
            k++;
        if (k == spec->n_vcs)
            return quota_unknown(r, "queues", i, "vc", text_from(vc),
                                 "virtual cluster", spec->vcs, spec->n_vcs,
                                 err);
    }
    return STATUS_OK;
}

enum status describe_quotas(const char *path, const json_t *root,
                            struct arena *arena, struct cluster_spec *spec,
                            struct error *err)
{
    struct quota_reader r = {.path = path,
                             .arena = arena,
                             .cohorts = json_object_get(root, "cohorts"),
                             .queues = json_object_get(root, "queues")};
    size_t n = json_array_size(r.cohorts) + json_array_size(r.queues);
    if (json_array_size(r.cohorts) && !json_array_size(r.queues))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: \"cohorts\" without \"queues\"", path);
    if (n == 0)
        return STATUS_OK;
    r.tree = arena_alloc(arena, sizeof *r.tree);
    *r.tree =
        (struct quota_tree){.nodes = ARENA_ARRAY(arena, struct quota_node, n)};
    enum status st = quota_read_cohorts(&r, err);
    for (size_t i = 0; st == STATUS_OK && i < json_array_size(r.queues); i++)
        st = quota_read_queue(&r, i, json_array_get(r.queues, i), err);
    if (st == STATUS_OK)
        st = quota_check_vcs(&r, spec, err);
    quota_tree_init(r.tree);
    spec->quotas = r.tree;
    return st;
}
