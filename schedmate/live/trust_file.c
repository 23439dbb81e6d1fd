/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/live/trust_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"

static enum status trust_wrong(const char *path, const char *where,
                               const char *words, struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT, "%s: counts: %.60s: %s", path,
                     where, words);
}

/* Reads one number of a class; it is at most `most`. */
static bool trust_number(const json_t *row, const char *key, uint32_t most,
                         uint32_t *out)
{
    const json_t *value = json_object_get(row, key);
    json_int_t n = json_is_integer(value) ? json_integer_value(value) : -1;
    *out = n >= 0 && n <= (json_int_t)most ? (uint32_t)n : 0;
    return n >= 0 && n <= (json_int_t)most;
}

static enum status trust_read_class(const char *path, const char *name,
                                    const json_t *row, struct llm_trust *out,
                                    struct error *err)
{
    unsigned c = 0;
    while (c < LLM_TRUST_N && strcmp(llm_trust_names[c], name) != 0)
        c++;
    if (c == LLM_TRUST_N) {
        const char *near =
            text_nearest(text_from(name), llm_trust_names, LLM_TRUST_N);
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: counts: no class '%.60s'%s%s%s", path, name,
                         near ? "; did you mean '" : "", near ? near : "",
                         near ? "'?" : "");
    }
    struct llm_trust_count *count = &out->counts[c];
    if (!trust_number(row, "n", 1000000, &count->n) ||
        !trust_number(row, "rules", count->n, &count->rules) ||
        !trust_number(row, "model", count->n, &count->model))
        return trust_wrong(path, name,
                           "expected whole numbers n, rules and model, the "
                           "last two at most n",
                           err);
    return STATUS_OK;
}

enum status trust_file_read(const char *path, struct llm_trust *out,
                            struct error *err)
{
    json_error_t where;
    const char *name;
    json_t *row, *root = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
    json_t *counts = json_object_get(root, "counts");
    enum status st = STATUS_OK;
    *out = (struct llm_trust){0};
    if (!root)
        return error_set(err, STATUS_BAD_INPUT, "%s:%d: %s", path, where.line,
                         where.text);
    if (!json_is_object(counts))
        st = error_set(err, STATUS_BAD_INPUT,
                       "%s: expected an object 'counts', as llm-trust writes "
                       "it",
                       path);
    json_object_foreach(counts, name, row)
    {
        if (st == STATUS_OK)
            st = trust_read_class(path, name, row, out, err);
    }
    json_decref(root);
    return st;
}

enum status trust_file_write(const char *path, const char *model,
                             const struct llm_trust *trust, struct error *err)
{
    struct out *out;
    enum status st = out_open(path, &out, err);
    if (st != STATUS_OK)
        return st;
    json_t *root = json_object(), *counts = json_object();
    json_put(root, "model", json_text(model));
    for (unsigned c = 0; c < LLM_TRUST_N; c++) {
        const struct llm_trust_count *count = &trust->counts[c];
        json_t *row = json_object();
        json_put(row, "n", json_integer(count->n));
        json_put(row, "rules", json_integer(count->rules));
        json_put(row, "model", json_integer(count->model));
        json_put(counts, llm_trust_names[c], row);
    }
    json_put(root, "counts", counts);
    char *text = json_dumps(root, JSON_INDENT(1));
    out_text(out, text);
    out_char(out, '\n');
    free(text);
    json_decref(root);
    return out_close(out, err);
}
