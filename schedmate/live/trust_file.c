/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/live/trust_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "schedmate/advisor/metadata.h"

/* Reads one number of a class; it is at most `most`. */
static bool trust_number(const json_t *row, const char *key, uint32_t most,
                         uint32_t *out)
{
    const json_t *value = json_object_get(row, key);
    json_int_t n = json_is_integer(value) ? json_integer_value(value) : -1;
    *out = n >= 0 && n <= (json_int_t)most ? (uint32_t)n : 0;
    return n >= 0 && n <= (json_int_t)most;
}

/* The two kinds of counts in a file. */
struct trust_part {
    const char *key, *what;
    const char *const *names;
    unsigned n;
};

static struct trust_part trust_part_of(bool fields)
{
    static const char *names[METADATA_FIELDS];
    for (unsigned i = 0; i < METADATA_FIELDS; i++)
        names[i] = metadata_name(i);
    return fields
               ? (struct trust_part){"fields", "field", names, METADATA_FIELDS}
               : (struct trust_part){"counts", "class", llm_trust_names,
                                     LLM_TRUST_N};
}

static enum status trust_read_row(const char *path, const struct trust_part *p,
                                  const char *name, const json_t *row,
                                  struct llm_trust_count *counts,
                                  struct error *err)
{
    unsigned c = 0;
    while (c < p->n && strcmp(p->names[c], name) != 0)
        c++;
    if (c == p->n) {
        const char *near = text_nearest(text_from(name), p->names, p->n);
        return error_set(err, STATUS_BAD_INPUT, "%s: %s: no %s '%.60s'%s", path,
                         p->key, p->what, name, text_suggest(near).words);
    }
    struct llm_trust_count *count = &counts[c];
    if (!trust_number(row, "n", 1000000, &count->n) ||
        !trust_number(row, "rules", count->n, &count->rules) ||
        !trust_number(row, "model", count->n, &count->model))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: %s: %.60s: expected whole numbers n, rules and "
                         "model, the last two at most n",
                         path, p->key, name);
    return STATUS_OK;
}

static enum status trust_read_part(const char *path, const json_t *root,
                                   bool fields, struct llm_trust_count *counts,
                                   struct error *err)
{
    const struct trust_part part = trust_part_of(fields);
    json_t *rows = json_object_get(root, part.key), *row;
    const char *name;
    if (!rows && fields)
        return STATUS_OK;
    if (!json_is_object(rows))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: expected an object '%s', as 'mate trust' writes "
                         "it",
                         path, part.key);
    json_object_foreach(rows, name, row)
    {
        enum status st = trust_read_row(path, &part, name, row, counts, err);
        if (st != STATUS_OK)
            return st;
    }
    return STATUS_OK;
}

enum status trust_file_read(const char *path, struct llm_trust *out,
                            struct error *err)
{
    json_error_t where;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
    *out = (struct llm_trust){0};
    if (!root)
        return error_set(err, STATUS_BAD_INPUT, "%s:%d: %s", path, where.line,
                         where.text);
    enum status st = trust_read_part(path, root, false, out->counts, err);
    if (st == STATUS_OK)
        st = trust_read_part(path, root, true, out->fields, err);
    json_decref(root);
    return st;
}

/* Returns the counts as an object; of the fields, those with counts. */
static json_t *trust_part_json(bool fields,
                               const struct llm_trust_count *counts)
{
    const struct trust_part part = trust_part_of(fields);
    json_t *rows = json_object();
    for (unsigned i = 0; i < part.n; i++) {
        if (fields && counts[i].n == 0)
            continue;
        json_t *row = json_object();
        json_put(row, "n", json_integer(counts[i].n));
        json_put(row, "rules", json_integer(counts[i].rules));
        json_put(row, "model", json_integer(counts[i].model));
        json_put(rows, part.names[i], row);
    }
    return rows;
}

enum status trust_file_write(const char *path, const char *model,
                             const struct llm_trust *trust, struct error *err)
{
    struct out *out;
    enum status st = out_open(path, &out, err);
    if (st != STATUS_OK)
        return st;
    json_t *root = json_object();
    json_put(root, "model", json_text(model));
    json_put(root, "counts", trust_part_json(false, trust->counts));
    if (llm_trust_has_fields(trust))
        json_put(root, "fields", trust_part_json(true, trust->fields));
    char *text = json_dumps(root, JSON_INDENT(1));
    out_text(out, text);
    out_char(out, '\n');
    free(text);
    json_decref(root);
    return out_close(out, err);
}
