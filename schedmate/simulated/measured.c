/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads how often a model was right on labelled cases. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "schedmate/simulated/schedmate.h"

/* The settings that a file can give: those that say how often a module is
 * right, and the tokens of a question. */
static const char *const measurable[] = {
    "match",          "wrong",          "detection",      "reading_error",
    "recall",         "precision",      "infrastructure", "handler_tokens",
    "tracker_tokens", "advisor_tokens", "answer_tokens",  NULL};

static enum status measured_bad(const char *path, const char *key,
                                const char *what, struct error *err)
{
    char place[JSON_PLACE_MAX];
    return error_set(err, STATUS_BAD_INPUT, "%s: %s: %s",
                     json_key_place(path, key, place), key, what);
}

/* Returns a whole number from 0 to 1e9; -1 if the value is none. */
static json_int_t json_cases(const json_t *value)
{
    json_int_t n = json_is_integer(value) ? json_integer_value(value) : -1;
    return n <= 1000000000 ? n : -1;
}

static enum status read_settings(json_t *settings, const char *path,
                                 struct arena *arena, struct measured *out,
                                 struct error *err)
{
    static const char *const keys[] = {"value", "cases", NULL};
    struct schedmate_config scratch;
    const char *key;
    json_t *row;
    enum status st =
        json_keys_known(settings, measurable, path, "settings", err);
    option_defaults(schedmate_options, &scratch);
    json_object_foreach(settings, key, row)
    {
        const json_t *value = json_object_get(row, "value");
        json_int_t cases = json_cases(json_object_get(row, "cases"));
        char text[32];
        if (st == STATUS_OK)
            st = json_keys_known(row, keys, path, key, err);
        if (st != STATUS_OK)
            return st;
        if (!json_is_number(value) || json_number_value(value) < 0 || cases < 1)
            return measured_bad(path, key,
                                "expected {\"value\": NUMBER from 0, "
                                "\"cases\": NUMBER from 1}",
                                err);
        int n = snprintf(text, sizeof text, "%.15g", json_number_value(value));
        struct spec_setting setting = {
            .key = text_from(arena_copy(arena, key, strlen(key))),
            .value = text_from(arena_copy(arena, text, (size_t)n)),
            .ruled = true};
        struct error why;
        if (option_set(schedmate_options, &scratch, path, setting.key,
                       setting.value, arena, &why) != STATUS_OK)
            return error_set(err, STATUS_BAD_INPUT, "%s", why.message);
        out->cases[out->spec.n_settings] = (uint32_t)cases;
        out->spec.settings[out->spec.n_settings++] = setting;
    }
    return st;
}

/* True if a report can print the name: 1 to 100 bytes, no control character. */
static bool measured_name_ok(const char *name)
{
    size_t n = name ? strlen(name) : 0;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)name[i] < ' ' || name[i] == 0x7f)
            return false;
    return n > 0 && n <= 100;
}

/* Adds up the answers of all kinds of questions. */
static enum status read_answers(json_t *answers, const char *path,
                                struct measured *out, struct error *err)
{
    static const char *const kinds[] = {"failures", "step_times", "fields",
                                        NULL};
    static const char *const keys[] = {"right", "wrong", "silent", NULL};
    json_int_t right = 0, all = 0;
    const char *kind;
    json_t *row;
    enum status st = json_keys_known(answers, kinds, path, "answers", err);
    json_object_foreach(answers, kind, row)
    {
        if (st == STATUS_OK)
            st = json_keys_known(row, keys, path, kind, err);
        if (st != STATUS_OK)
            return st;
        for (size_t i = 0; keys[i]; i++) {
            json_int_t n = json_cases(json_object_get(row, keys[i]));
            if (n < 0)
                return measured_bad(path, kind,
                                    "expected {\"right\": N, \"wrong\": N, "
                                    "\"silent\": N}",
                                    err);
            right += i == 0 ? n : 0;
            all += n;
        }
    }
    if (st == STATUS_OK && all == 0)
        st = measured_bad(path, "answers", "there are none", err);
    out->n_answers = (uint32_t)all;
    out->has_fields = json_object_get(answers, "fields");
    out->right = all ? (double)right / (double)all : 0;
    return st;
}

enum status measured_read(const char *path, struct arena *arena,
                          struct measured *out, struct error *err)
{
    static const char *const keys[] = {"model",    "when",    "logs", "trees",
                                       "settings", "answers", NULL};
    *out = (struct measured){0};
    json_t *root = json_read_file(path, err);
    if (!root)
        return STATUS_BAD_INPUT;
    const json_t *model = json_object_get(root, "model");
    json_t *settings = json_object_get(root, "settings");
    json_t *answers = json_object_get(root, "answers");
    enum status st = json_keys_known(root, keys, path, "", err);
    if (st == STATUS_OK && !measured_name_ok(json_string_value(model)))
        st = measured_bad(path, "model", "expected the name of a model", err);
    if (st == STATUS_OK && !json_is_object(settings))
        st = measured_bad(path, "settings", "expected an object", err);
    if (st == STATUS_OK && !json_is_object(answers))
        st = measured_bad(path, "answers", "expected an object", err);
    if (st == STATUS_OK) {
        const char *name = json_string_value(model);
        out->model = arena_copy(arena, name, strlen(name));
        st = read_settings(settings, path, arena, out, err);
    }
    if (st == STATUS_OK)
        st = read_answers(answers, path, out, err);
    json_decref(root);
    return st;
}
