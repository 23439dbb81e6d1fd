/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/trust_trees.h"

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json.h"
#include "schedmate/advisor/jail.h"

/* Writes the letters and digits of a value, in lower case and in one
 * spelling. */
static void tree_plain(const char *value, char out[METADATA_VALUE_MAX + 1])
{
    static const char *const spellings[][2] = {{"isation", "ization"},
                                               {"modelling", "modeling"}};
    size_t n = 0;
    for (; *value && n < METADATA_VALUE_MAX; value++) {
        char c = ascii_lower(*value);
        if (ascii_is_letter(c) || ascii_is_digit(c) || (c == '.' && n > 0))
            out[n++] = c;
    }
    while (n > 0 && out[n - 1] == '.')
        n--;
    out[n] = 0;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        const char *from = spellings[i][0], *to = spellings[i][1];
        char *at = strstr(out, from);
        if (!at)
            continue;
        memmove(at + strlen(to), at + strlen(from),
                strlen(at + strlen(from)) + 1);
        memcpy(at, to, strlen(to));
    }
}

static bool tree_number(const char *value, double *out)
{
    char plain[METADATA_VALUE_MAX + 1];
    size_t n = 0;
    for (; *value && n < METADATA_VALUE_MAX; value++) {
        if (*value != ',' && *value != '_')
            plain[n++] = *value;
    }
    return text_to_double((struct text){plain, n}, out);
}

static bool tree_accepts_one(const char *accepted, const char *value)
{
    char want[METADATA_VALUE_MAX + 1], got[METADATA_VALUE_MAX + 1];
    double a, b;
    tree_plain(accepted, want);
    tree_plain(value, got);
    if (accepted[0] == '~')
        return strstr(got, want);
    if (tree_number(accepted, &a) && tree_number(value, &b))
        return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
    return strcmp(want, got) == 0;
}

/* True if a value, NULL for none, is what a label accepts; `label` NULL: no
 * value is right. */
static bool tree_accepts(const json_t *label, const char *value)
{
    const json_t *one;
    size_t i;
    bool right = false;
    if (!label || !value)
        return !label && !value;
    if (json_is_string(label))
        return tree_accepts_one(json_string_value(label), value);
    json_array_foreach(label, i, one) right |=
        json_is_string(one) && tree_accepts_one(json_string_value(one), value);
    return right;
}

static void tree_count(struct trust_trees *trees,
                       const struct advisor_result *result,
                       enum metadata_field field, const json_t *label)
{
    struct llm_trust_count *count = &trees->counts->fields[field];
    const char *rules = result->rules.fields[field].text;
    const char *model = result->model.fields[field].text;
    if (!rules)
        return;
    /* What the model does not speak of stays as the rules found it. */
    if (!model && !result->withdrawn[field])
        model = rules;
    count->n++;
    count->rules += tree_accepts(label, rules);
    count->model += tree_accepts(label, model);
}

/* Asks about one tree and counts. */
static enum status tree_judge(struct trust_trees *trees, const char *path,
                              const json_t *spec, struct error *err)
{
    const char *command = json_string_value(json_object_get(spec, "command"));
    struct advisor_config config;
    struct jail_limits limits;
    struct advisor_result *result = mem_zalloc(1, sizeof *result);
    struct arena arena;
    struct jail *jail = NULL;
    option_defaults(advisor_options, &config);
    option_defaults(jail_options, &limits);
    arena_init(&arena);
    enum status st = jail_open(path, &limits, &jail, err);
    if (st == STATUS_OK) {
        jail_allow(jail, command);
        struct advisor_input input = {.command = command,
                                      .workspace = jail_workspace(jail),
                                      .llm = trees->client,
                                      .config = &config,
                                      .arena = &arena};
        st = advisor_extract(&input, result, err);
    }
    trees->n++;
    trees->n_unanswered += !result->by_model;
    const json_t *expect = json_object_get(spec, "expect"), *label, *name;
    const char *key;
    size_t i;
    json_object_foreach((json_t *)(uintptr_t)expect, key, label)
    {
        enum metadata_field field = metadata_field_of(text_from(key));
        if (st == STATUS_OK && result->by_model && field < METADATA_FIELDS)
            tree_count(trees, result, field, label);
    }
    json_array_foreach(json_object_get(spec, "absent"), i, name)
    {
        enum metadata_field field =
            metadata_field_of(text_from(json_string_value(name)));
        if (st == STATUS_OK && result->by_model && field < METADATA_FIELDS)
            tree_count(trees, result, field, NULL);
    }
    jail_free(jail);
    arena_fini(&arena);
    free(result);
    return st;
}

static bool tree_spec_is_good(const json_t *spec)
{
    const json_t *absent = json_object_get(spec, "absent"), *name;
    size_t i;
    bool good = json_is_string(json_object_get(spec, "command")) &&
                json_is_object(json_object_get(spec, "expect"));
    json_array_foreach(absent, i, name) good &= json_is_string(name);
    return good;
}

static enum status tree_read(struct trust_trees *trees, const char *label,
                             struct error *err)
{
    json_error_t where;
    char tree[PATH_MAX];
    json_t *spec = json_load_file(label, JSON_REJECT_DUPLICATES, &where);
    enum status st = STATUS_OK;
    snprintf(tree, sizeof tree, "%.*s", (int)(strlen(label) - 5), label);
    if (!spec)
        st = error_set(err, STATUS_BAD_INPUT, "%s:%d: %s", label, where.line,
                       where.text);
    else if (!tree_spec_is_good(spec))
        st = error_set(err, STATUS_BAD_INPUT,
                       "%s: expected 'command' (text), 'expect' (an object) "
                       "and 'absent' (names of fields)",
                       label);
    else
        st = tree_judge(trees, tree, spec, err);
    json_decref(spec);
    return st;
}

static int tree_is_label(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);
    return len > 5 && strcmp(entry->d_name + len - 5, ".json") == 0;
}

static int tree_by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

enum status trust_trees_judge(struct trust_trees *trees, const char *folder,
                              struct error *err)
{
    struct dirent **labels = NULL;
    int n = scandir(folder, &labels, tree_is_label, tree_by_name);
    enum status st = STATUS_OK;
    if (n <= 0)
        st =
            error_set(err, STATUS_BAD_INPUT,
                      "%s: no labelled trees (NAME.json beside NAME/)", folder);
    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", folder, labels[i]->d_name);
        if (st == STATUS_OK)
            st = tree_read(trees, path, err);
        free(labels[i]);
    }
    free(labels);
    return st;
}
