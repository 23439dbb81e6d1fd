/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the lists that a gate file may have for all traces or for one trace:
 * settings, policies and metrics. */
#include "commands/study/gate_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands/cli_renamed.h"
#include "commands/run_options.h"
#include "policies/outside/program.h"
#include "policies/registry.h"

static const char *const metric_keys[] = {"metric", "tolerance", "better",
                                          "comment", NULL};
static const char *const policy_keys[] = {"policy", "name", "settings",
                                          "comment", NULL};

static const char *gate_parts_copy(const struct gate_reader *r,
                                   const char *text)
{
    return arena_copy(r->arena, text, strlen(text));
}

/* Checks the name and the value of a setting as the command line would. Refuses
 * trace and policy, which have their own lists. */
static enum status check_setting(const struct gate_reader *r,
                                 const struct gate_setting *setting)
{
    struct run_options options;
    const char *name = setting->name;
    if (strcmp(name, "trace") == 0 || strcmp(name, "policy") == 0)
        return gate_bad(r, "stands in \"%s\", not in the settings",
                        name[0] == 't' ? "traces" : "policies");
    run_options_init(&options);
    if (run_options_set(&options, name, setting->value, r->arena, r->err) !=
        STATUS_OK)
        return gate_bad_here(r);
    trust_see(r->trust, name, setting->value);
    return STATUS_OK;
}

static enum status read_setting(const struct gate_reader *r, const char *key,
                                const json_t *value, struct gate_setting *out)
{
    char number[64];
    const char *text = json_string_value(value);
    if (json_is_integer(value)) {
        snprintf(number, sizeof number, "%lld",
                 (long long)json_integer_value(value));
        text = number;
    } else if (json_is_real(value)) {
        snprintf(number, sizeof number, "%.15g", json_real_value(value));
        text = number;
    }
    if (!text)
        return gate_bad(r,
                        "expected a text or a number, as it would be typed "
                        "after --%s",
                        key);
    *out =
        (struct gate_setting){gate_parts_copy(r, cli_renamed_key(r->path, key)),
                              gate_parts_copy(r, text)};
    return check_setting(r, out);
}

enum status gate_read_settings(struct gate_reader *r, const json_t *object,
                               struct gate_settings *out)
{
    const json_t *all = json_object_get(object, "settings");
    const char *key;
    json_t *value;
    if (!all)
        return STATUS_OK;
    gate_enter(r, "settings");
    enum status st = gate_object(r, all, NULL);
    struct gate_setting *rows =
        ARENA_ARRAY(r->arena, struct gate_setting, json_object_size(all) + 1);
    *out = (struct gate_settings){rows, 0};
    json_object_foreach((json_t *)(uintptr_t)all, key, value)
    {
        if (st != STATUS_OK)
            break;
        gate_enter(r, key);
        st = read_setting(r, key, value, &rows[out->n++]);
        gate_leave(r);
    }
    gate_leave(r);
    return st;
}

/* Returns the name of the policy in a specification such as
 * "lucid+schedmate:key=value". */
static struct text policy_word(const char *spec)
{
    return (struct text){spec, strcspn(spec, "+:")};
}

/* Checks that the policy of a specification exists, unless it is "*" or a
 * program or shared object, which the run checks. */
static enum status check_policy(const struct gate_reader *r, const char *spec)
{
    const struct policy_ops *ops;
    struct text word = policy_word(spec);
    trust_see(r->trust, "policy", spec);
    if (text_is(word, "*") || text_is(word, "exec") || outside_is_path(word) ||
        policy_find(word, &ops, r->err) == STATUS_OK)
        return STATUS_OK;
    return gate_bad_here(r);
}

static enum status read_policy(struct gate_reader *r, const json_t *value,
                               struct gate_policy *out)
{
    *out = (struct gate_policy){.place = gate_here(r)};
    if (json_is_string(value) && *json_string_value(value)) {
        out->name = out->spec = gate_parts_copy(r, json_string_value(value));
        return check_policy(r, out->spec);
    }
    if (!json_is_object(value))
        return gate_bad(r, "expected a policy, as it would be typed after "
                           "--policy, or an object {\"policy\": ...}");
    enum status st = gate_object(r, value, policy_keys);
    if (st == STATUS_OK)
        st = gate_text(r, value, "policy", NULL, &out->spec);
    if (st == STATUS_OK)
        st = gate_text(r, value, "name", out->spec, &out->name);
    if (st == STATUS_OK)
        st = gate_read_settings(r, value, &out->settings);
    if (st != STATUS_OK)
        return st;
    gate_enter(r, "policy");
    st = check_policy(r, out->spec);
    gate_leave(r);
    return st;
}

/* True if the list names the policy `word`, with settings or without. */
static bool gate_parts_is_listed(const struct gate_policy *all, size_t n,
                                 const char *word)
{
    for (size_t i = 0; i < n; i++) {
        if (text_is(policy_word(all[i].spec), word))
            return true;
    }
    return false;
}

/* Replaces the policy "*" by all policies of the program that the list does not
 * name. */
static const struct gate_policy *expand(const struct gate_reader *r,
                                        const struct gate_policy *all,
                                        size_t *n)
{
    size_t n_own = 0, n_out = 0;
    while (policies[n_own])
        n_own++;
    struct gate_policy *out =
        ARENA_ARRAY(r->arena, struct gate_policy, *n * (n_own + 1) + 1);
    for (size_t i = 0; i < *n; i++) {
        if (strcmp(all[i].spec, "*") != 0)
            out[n_out++] = all[i];
        for (size_t k = 0; k < n_own && strcmp(all[i].spec, "*") == 0; k++) {
            const char *name = policies[k]->name;
            if (!gate_parts_is_listed(all, *n, name))
                out[n_out++] = (struct gate_policy){name, name, all[i].settings,
                                                    all[i].place};
        }
    }
    *n = n_out;
    return out;
}

static enum status check_policy_names(const struct gate_reader *r,
                                      const struct gate_policy *all, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(all[i].name, all[k].name) == 0)
                return error_set(r->err, STATUS_BAD_INPUT,
                                 "%s:%zu:%zu: policies: '%.200s' is there "
                                 "twice; give one of them a \"name\"",
                                 r->path, all[i].place.line,
                                 all[i].place.column, all[i].name);
        }
    }
    return STATUS_OK;
}

enum status gate_read_policies(struct gate_reader *r, const json_t *object,
                               const struct gate_policy **out, size_t *n)
{
    const json_t *list, *value;
    size_t i;
    enum status st = gate_array(r, object, "policies", &list);
    if (!list || st != STATUS_OK)
        return st;
    *n = json_array_size(list);
    struct gate_policy *all = ARENA_ARRAY(r->arena, struct gate_policy, *n + 1);
    gate_enter(r, "policies");
    if (*n == 0 || *n > 1000)
        st = gate_bad(r, "expected 1 to 1000 policies");
    json_array_foreach(list, i, value)
    {
        if (st != STATUS_OK)
            break;
        gate_enter_row(r, i);
        st = read_policy(r, value, &all[i]);
        gate_leave(r);
    }
    gate_leave(r);
    if (st != STATUS_OK)
        return st;
    *out = expand(r, all, n);
    return check_policy_names(r, *out, *n);
}

/* Reads a tolerance: 30, "2%" or "interval". */
static enum status read_tolerance(struct gate_reader *r, const json_t *value,
                                  struct gate *out)
{
    const char *word = json_string_value(value);
    struct text text = text_trim(text_from(word ? word : ""));
    double number = json_number_value(value);
    out->scale = word ? GATE_PERCENT : GATE_AMOUNT;
    if (text_is(text, "interval")) {
        out->scale = GATE_INTERVAL;
        out->tolerance = 0;
        return STATUS_OK;
    }
    bool is_percent = text.len > 1 && text.at[text.len - 1] == '%';
    if (is_percent)
        text.len--;
    bool is_number =
        word ? is_percent && text_to_double(text_trim(text), &number)
             : json_is_number(value);
    out->tolerance = number;
    if (is_number && number >= 0)
        return STATUS_OK;
    return gate_bad(r,
                    "expected a percentage such as \"2%%\", a number%s%s of "
                    "at least 0, or \"interval\"",
                    *out->unit ? " in " : "", out->unit);
}

static enum status read_better(const struct gate_reader *r, const json_t *value,
                               struct gate *out)
{
    const char *word = json_string_value(value);
    for (unsigned i = 0; word && gate_better_words[i]; i++) {
        if (strcmp(word, gate_better_words[i]) == 0) {
            out->better = (enum gate_better)i;
            return STATUS_OK;
        }
    }
    return gate_bad(r, "expected \"lower\", \"higher\" or \"either\"");
}

static enum status read_metric(struct gate_reader *r, const json_t *value,
                               struct gate *out)
{
    const char *name;
    enum status st = gate_object(r, value, metric_keys);
    if (st == STATUS_OK)
        st = gate_text(r, value, "metric", NULL, &name);
    if (st != STATUS_OK)
        return st;
    gate_enter(r, "metric");
    st = gate_find(text_from(name), out, r->err);
    if (st != STATUS_OK)
        st = gate_bad_here(r);
    gate_leave(r);
    if (st != STATUS_OK)
        return st;
    const json_t *tolerance = json_object_get(value, "tolerance");
    const json_t *better = json_object_get(value, "better");
    if (!tolerance)
        return gate_bad(r,
                        "\"tolerance\" is missing: a percentage such as "
                        "\"2%%\", a number%s%s, or \"interval\"",
                        *out->unit ? " in " : "", out->unit);
    gate_enter(r, "tolerance");
    st = read_tolerance(r, tolerance, out);
    gate_leave(r);
    if (st != STATUS_OK || !better)
        return st;
    gate_enter(r, "better");
    st = read_better(r, better, out);
    gate_leave(r);
    return st;
}

enum status gate_read_metrics(struct gate_reader *r, const json_t *object,
                              const struct gate **out, size_t *n)
{
    const json_t *list, *value;
    size_t i;
    enum status st = gate_array(r, object, "metrics", &list);
    if (!list || st != STATUS_OK)
        return st;
    struct gate *all =
        ARENA_ARRAY(r->arena, struct gate, json_array_size(list) + 1);
    gate_enter(r, "metrics");
    *n = json_array_size(list);
    if (*n == 0 || *n > GATE_METRICS_MAX)
        st = gate_bad(r, "expected 1 to %d metrics", GATE_METRICS_MAX);
    json_array_foreach(list, i, value)
    {
        if (st != STATUS_OK)
            break;
        gate_enter_row(r, i);
        st = read_metric(r, value, &all[i]);
        for (size_t k = 0; k < i && st == STATUS_OK; k++) {
            if (strcmp(all[k].name, all[i].name) == 0)
                st = gate_bad(r, "%s is there twice", all[i].name);
        }
        gate_leave(r);
    }
    gate_leave(r);
    *out = all;
    return st;
}
