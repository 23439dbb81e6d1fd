/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/outside/answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "policies/outside/answer_internal.h"
#include "policies/outside/message.h"

/* Parses a line that must be one JSON object, which the caller releases.
 * Returns NULL, with a reason in `why`, if it is not. */
static json_t *parse(struct text line, char *why, size_t room)
{
    json_error_t bad;
    json_t *root = json_loadb(line.at, line.len, JSON_REJECT_DUPLICATES, &bad);
    if (root && json_is_object(root))
        return root;
    if (root)
        snprintf(why, room, "the answer is not a JSON object: '%.*s'",
                 TEXT_ARGS(line));
    else
        snprintf(why, room, "the answer is not JSON (column %d: %.80s): '%.*s'",
                 bad.column, bad.text, TEXT_ARGS(line));
    json_decref(root);
    return NULL;
}

static bool set_name(const json_t *value, char *out, size_t room)
{
    const char *name = json_string_value(value);
    size_t n = name ? strlen(name) : 0;
    if (n == 0 || n >= room)
        return false;
    for (size_t i = 0; i < n; i++) {
        bool letter = (name[i] >= 'a' && name[i] <= 'z') ||
                      (name[i] >= 'A' && name[i] <= 'Z') ||
                      (name[i] >= '0' && name[i] <= '9');
        if (!letter && !strchr("-_.", name[i]))
            return false;
    }
    memcpy(out, name, n + 1);
    return true;
}

static const struct {
    const char *word;
    unsigned bit;
} need_words[] = {{"duration", POLICY_NEEDS_DURATION},
                  {"demand", POLICY_NEEDS_DEMAND},
                  {"preempt", POLICY_PREEMPTS},
                  {"share", POLICY_SHARES}};

static enum status set_needs(const json_t *list, unsigned *needs,
                             struct error *err)
{
    size_t i;
    const json_t *value;
    if (list && !json_is_array(list))
        return error_set(err, STATUS_BAD_INPUT, "\"needs\" is not a list");
    json_array_foreach(list, i, value)
    {
        const char *word = json_string_value(value);
        size_t k = 0, n = sizeof need_words / sizeof *need_words;
        while (k < n && (!word || strcmp(word, need_words[k].word) != 0))
            k++;
        if (k == n)
            return error_set(err, STATUS_BAD_INPUT,
                             "\"needs\" has '%.40s'; it may have duration, "
                             "demand, preempt and share",
                             word ? word : "(a value that is not text)");
        *needs |= need_words[k].bit;
    }
    return STATUS_OK;
}

static enum status read_hello(const json_t *root, struct introduction *out,
                              struct error *err)
{
    const json_t *asks = json_object_get(root, "asks");
    const json_t *version = json_object_get(root, "protocol");
    const char *word = json_string_value(asks);
    if (!json_is_integer(version) ||
        json_integer_value(version) != PROTOCOL_VERSION)
        return error_set(err, STATUS_BAD_INPUT,
                         "the program did not answer \"protocol\":%d, the "
                         "only version of the protocol that this schedsim "
                         "knows",
                         PROTOCOL_VERSION);
    if (!set_name(json_object_get(root, "name"), out->name, sizeof out->name))
        return error_set(err, STATUS_BAD_INPUT,
                         "\"name\" must be a text of 1 to 40 letters, digits, "
                         "'-', '_' and '.'");
    if (asks && (!word || (strcmp(word, "possible") != 0 &&
                           strcmp(word, "always") != 0)))
        return error_set(err, STATUS_BAD_INPUT,
                         "\"asks\" must be \"possible\" or \"always\"");
    out->asked_always = word && strcmp(word, "always") == 0;
    return set_needs(json_object_get(root, "needs"), &out->needs, err);
}

enum status answer_hello(struct text line, struct introduction *out,
                         struct error *err)
{
    char why[256];
    *out = (struct introduction){0};
    json_t *root = parse(line, why, sizeof why);
    if (!root)
        return error_set(err, STATUS_BAD_INPUT, "%s", why);
    enum status st = read_hello(root, out, err);
    json_decref(root);
    return st;
}

enum status answer_begin(struct text line, struct error *err)
{
    char why[256];
    json_t *root = parse(line, why, sizeof why);
    if (!root)
        return error_set(err, STATUS_BAD_INPUT, "%s", why);
    bool ready = json_is_true(json_object_get(root, "ready"));
    json_decref(root);
    if (ready)
        return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT,
                     "the program does not answer \"ready\":true to the "
                     "description of the cluster");
}

bool answer_refuse(struct plan *plan, const char *rule, job_id job,
                   const char *fmt, ...)
{
    char why[512], what[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    snprintf(why, sizeof why, "rule %s: %s", rule, what);
    plan_refuse(plan, STATUS_BAD_PLAN, job, why);
    return false;
}

/* Refuses the plan, and returns false, if the answer has a key that means
 * nothing, because a misspelt key would otherwise be ignored. */
static bool check_keys(json_t *root, struct plan *plan)
{
    const char *key;
    json_t *value;
    json_object_foreach(root, key, value)
    {
        (void)value;
        if (strcmp(key, "plan") != 0 && strcmp(key, "number") != 0)
            return answer_refuse(plan, "answer", JOB_NONE,
                                 "the answer has the unknown key '%.40s'; it "
                                 "may have plan and number",
                                 key);
    }
    return true;
}

static void fill(json_t *root, uint64_t number, unsigned needs,
                 struct plan *plan)
{
    size_t i;
    const json_t *action, *list = json_object_get(root, "plan");
    const json_t *echo = json_object_get(root, "number");
    if (!check_keys(root, plan))
        return;
    if (!json_is_array(list)) {
        answer_refuse(plan, "answer", JOB_NONE,
                      "the answer has no list \"plan\"");
        return;
    }
    if (echo && (!json_is_integer(echo) ||
                 (uint64_t)json_integer_value(echo) != number)) {
        answer_refuse(plan, "answer", JOB_NONE,
                      "\"number\" is not that of the question, %" PRIu64,
                      number);
        return;
    }
    json_array_foreach(list, i, action)
    {
        if (!answer_action(plan, needs, action))
            return;
    }
}

void answer_plan(struct text line, uint64_t number, unsigned needs,
                 struct plan *plan)
{
    char why[256];
    json_t *root = parse(line, why, sizeof why);
    if (root)
        fill(root, number, needs, plan);
    else
        answer_refuse(plan, "answer", JOB_NONE, "%s", why);
    json_decref(root);
}
