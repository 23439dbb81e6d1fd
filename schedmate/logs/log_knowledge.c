/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/find.h"
#include "base/json.h"
#include "schedmate/logs/log_causes.h"
#include "schedmate/logs/log_knowledge_internal.h"

#define ROW_NAME_BYTES 60

#define ROW_TEXT_BYTES 200

/* The row that is read. */
struct knowledge_row {
    struct log_knowledge *k;
    /* name of the file; key of the array in it, NULL: the file itself */
    const char *file, *list;
    struct text json;
    size_t at; /* index of the row in the array */
    const json_t *object;
    const char *name; /* name of the row; "" until it is read */
    struct error *err;
};

/* Reads the values of one row of a file of knowledge. Each function that
 * returns STATUS_BAD_INPUT has written an error that says where the value
 * stands and what is wrong with it. */

static enum status log_knowledge_read(struct log_knowledge *k, const char *file,
                                      struct text json, struct error *err);

static enum status row_bad(const struct knowledge_row *r, const char *key,
                           const char *fmt, ...)
{
    struct json_place place = json_place(r->json, r->list, r->at, key);
    char words[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(words, sizeof words, fmt, args);
    va_end(args);
    return error_set(r->err, STATUS_BAD_INPUT,
                     "%s:%zu:%zu: %s%s%.60s%s%s%s: %s", r->file, place.line,
                     place.column, r->list ? r->list : "",
                     r->name[0] ? " '" : "", r->name, r->name[0] ? "'" : "",
                     r->list && key ? ": " : "", key ? key : "", words);
}

static size_t knowledge_count(const char *const *names)
{
    size_t n = 0;
    while (names[n])
        n++;
    return n;
}

/* Sets *out to the index of a name. The error names the nearest name, or all
 * names if none is near. */
static enum status row_index(const struct knowledge_row *r, const char *key,
                             const char *found, const char *const *names,
                             unsigned *out)
{
    char words[FIND_WORDS_MAX];
    size_t n = knowledge_count(names),
           i = find_or_suggest(found, names, n, words);
    if (i == n)
        return row_bad(r, key, "%s", words);
    *out = (unsigned)i;
    return STATUS_OK;
}

/* Checks that the object has no keys but `names`, which end with NULL. */
static enum status log_knowledge_row_keys(const struct knowledge_row *r,
                                          const char *const *names)
{
    const char *key;
    json_t *value;
    unsigned known;
    json_object_foreach((json_t *)(uintptr_t)r->object, key, value)
    {
        enum status st = row_index(r, key, key, names, &known);
        if (st != STATUS_OK)
            return st;
    }
    return STATUS_OK;
}

static enum status knowledge_text_of(const struct knowledge_row *r,
                                     const char *key, const json_t *value,
                                     size_t max, const char **out)
{
    size_t len = json_string_length(value);
    if (!json_is_string(value) || len == 0 || len > max ||
        strlen(json_string_value(value)) != len)
        return row_bad(r, key, "expected a text of 1 to %zu bytes", max);
    *out = arena_copy(&r->k->arena, json_string_value(value), len);
    return STATUS_OK;
}

/* Each of the next three functions, and row_number, leaves *out as it is if the
 * object does not have the key. */
static enum status row_text(const struct knowledge_row *r, const char *key,
                            size_t max, const char **out)
{
    const json_t *value = json_object_get(r->object, key);
    return value ? knowledge_text_of(r, key, value, max, out) : STATUS_OK;
}

/* Checks that the object has the key. */
static enum status row_need(const struct knowledge_row *r, const char *key)
{
    return json_object_get(r->object, key)
               ? STATUS_OK
               : row_bad(r, NULL, "expected a key '%s'", key);
}

static enum status row_choice(const struct knowledge_row *r, const char *key,
                              const char *const *names, unsigned *out)
{
    const json_t *value = json_object_get(r->object, key);
    if (!value)
        return STATUS_OK;
    return json_is_string(value)
               ? row_index(r, key, json_string_value(value), names, out)
               : row_bad(r, key, "expected a text");
}

static enum status row_bool(const struct knowledge_row *r, const char *key,
                            bool *out)
{
    const json_t *value = json_object_get(r->object, key);
    if (value && !json_is_boolean(value))
        return row_bad(r, key, "expected true or false");
    if (value)
        *out = json_is_true(value);
    return STATUS_OK;
}

/* Reads a text or a list of 1 to LOG_TEXTS_MAX texts; an absent key is an empty
 * list. */
static enum status row_texts(const struct knowledge_row *r, const char *key,
                             struct log_texts *out)
{
    const json_t *value = json_object_get(r->object, key);
    bool list = json_is_array(value);
    size_t n = list ? json_array_size(value) : value != NULL;
    if (list && (n == 0 || n > LOG_TEXTS_MAX))
        return row_bad(r, key, "expected a text or 1 to %d texts",
                       LOG_TEXTS_MAX);
    struct text *texts = ARENA_ARRAY(&r->k->arena, struct text, n + 1);
    *out = (struct log_texts){texts, n};
    for (size_t i = 0; i < n; i++) {
        const char *at = NULL;
        enum status st =
            knowledge_text_of(r, key, list ? json_array_get(value, i) : value,
                              ROW_TEXT_BYTES, &at);
        if (st != STATUS_OK)
            return st;
        texts[i] = text_from(at);
    }
    return STATUS_OK;
}

/* Reads the key "name", which every row needs, into r->name. */
static enum status row_name(struct knowledge_row *r)
{
    enum status st = row_need(r, "name");
    return st == STATUS_OK ? row_text(r, "name", ROW_NAME_BYTES, &r->name) : st;
}

/* Makes a row of the object at `key`, which may have only the keys `keys`, a
 * list that ends with NULL. */
static enum status row_inner(const struct knowledge_row *r, const char *key,
                             const char *const *keys, struct knowledge_row *out)
{
    *out = *r;
    out->object = json_object_get(r->object, key);
    if (!json_is_object(out->object))
        return row_bad(r, key, "expected an object");
    const char *name;
    json_t *value;
    unsigned known;
    json_object_foreach((json_t *)(uintptr_t)out->object, name, value)
    {
        enum status st = row_index(r, key, name, keys, &known);
        if (st != STATUS_OK)
            return st;
    }
    return STATUS_OK;
}

static enum status row_number(const struct knowledge_row *r, const char *key,
                              uint32_t *out)
{
    const json_t *value = json_object_get(r->object, key);
    json_int_t number = json_integer_value(value);
    if (!value)
        return STATUS_OK;
    if (!json_is_integer(value) || number < 0 || number > UINT32_MAX)
        return row_bad(r, key, "expected a whole number from 0 to %u",
                       UINT32_MAX);
    *out = (uint32_t)number;
    return STATUS_OK;
}

struct log_cause log_cause_of(const struct log_knowledge *k, struct text line)
{
    const struct log_signature *best = NULL, *next;
    struct log_matches m;
    log_matches_begin(k, line, &m);
    while ((next = log_matches_next(&m))) {
        if (!next->reason)
            continue;
        if (next->decides) {
            best = next;
            break;
        }
        if (!best || next->weight > best->weight)
            best = next;
    }
    if (!best)
        return (struct log_cause){.kind = FAILURE_OTHER, .part = PART_NONE};
    return (struct log_cause){.kind = best->reason->kind,
                              .part = best->reason->part,
                              .weight = best->weight,
                              .reason = best->reason->name,
                              .signature = best};
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool knowledge_read_row(const json_t *row, size_t n, float *out)
{
    const char *digits = json_string_value(json_object_get(row, "int8"));
    double scale = json_number_value(json_object_get(row, "scale"));
    if (!digits || strlen(digits) != 2 * n || !(scale > 0))
        return false;
    for (size_t i = 0; i < n; i++) {
        int hi = hex_digit(digits[2 * i]), lo = hex_digit(digits[2 * i + 1]);
        if (hi < 0 || lo < 0)
            return false;
        out[i] = (float)((double)(int8_t)(hi * 16 + lo) * scale);
    }
    return true;
}

enum status log_table_read(const char *name, struct text table,
                           const char *const *keys, size_t n, float *rows,
                           struct error *err)
{
    json_error_t where;
    enum status st = STATUS_OK;
    json_t *root =
        json_loadb(table.at, table.len, JSON_REJECT_DUPLICATES, &where);
    if (!root)
        return error_set(err, STATUS_BAD_INPUT, "%s:%d:%d: %s", name,
                         where.line, where.column, where.text);
    const json_t *weights = json_object_get(root, "weights");
    for (size_t k = 0; keys[k] && st == STATUS_OK; k++) {
        if (!knowledge_read_row(json_object_get(weights, keys[k]), n,
                                rows + k * n))
            st = error_set(err, STATUS_BAD_INPUT,
                           "%s: weights of '%s': expected a positive scale and "
                           "%zu signed bytes as hexadecimal digits",
                           name, keys[k], n);
    }
    json_decref(root);
    return st;
}

const char *const failure_kinds[] = {"infrastructure", "framework",
                                     "user_script", "other", NULL};

const char *const failure_parts[] = {"gpu",   "nvlink", "network", "node",
                                     "other", "none",   NULL};

const char *const handler_actions[] = {
    "none",          "replace-node",   "test-network", "restart",
    "tell-operator", "restart-bigger", "tell-user",    NULL};

struct log_knowledge *log_knowledge_empty(void)
{
    struct log_knowledge *k = mem_zalloc(1, sizeof *k);
    arena_init(&k->arena);
    return k;
}

struct log_knowledge *log_knowledge_new(void)
{
    const struct log_knowledge_tables *t = &log_knowledge_built_in;
    struct log_knowledge *k = log_knowledge_empty();
    /* Files of a site change the causes, so these are copied. */
    struct log_reason *reasons =
        ARENA_ARRAY(&k->arena, struct log_reason, t->n_reasons);
    struct log_signature *signatures =
        ARENA_ARRAY(&k->arena, struct log_signature, t->n_signatures);
    memcpy(reasons, t->reasons, t->n_reasons * sizeof *reasons);
    memcpy(signatures, t->signatures, t->n_signatures * sizeof *signatures);
    memcpy(k->actions, t->actions, sizeof k->actions);
    k->files = mem_grow(NULL, &k->cap_files, t->n_files, sizeof *k->files);
    k->reasons =
        mem_grow(NULL, &k->cap_reasons, t->n_reasons, sizeof(*k->reasons));
    k->signatures = mem_grow(NULL, &k->cap_signatures, t->n_signatures,
                             sizeof(*k->signatures));
    for (size_t i = 0; i < t->n_files; i++)
        k->files[i] = t->files[i];
    for (size_t i = 0; i < t->n_reasons; i++)
        k->reasons[i] = &reasons[i];
    for (size_t i = 0; i < t->n_signatures; i++) {
        if (signatures[i].reason)
            signatures[i].reason = &reasons[signatures[i].reason - t->reasons];
        k->signatures[i] = &signatures[i];
    }
    k->n_files = k->n_built_in = t->n_files;
    k->n_reasons = t->n_reasons;
    k->n_signatures = t->n_signatures;
    return k;
}

enum status log_knowledge_add(struct log_knowledge *k, const char *file,
                              struct text json, struct error *err)
{
    k->files =
        mem_grow(k->files, &k->cap_files, k->n_files + 1, sizeof *k->files);
    const char *name = arena_copy(&k->arena, file, strlen(file));
    k->files[k->n_files++] = name;
    if (!k->content) {
        k->content = digest_new();
        for (size_t i = 0; i < k->n_built_in; i++)
            digest_add(k->content, log_knowledge_parts[i].json,
                       log_knowledge_parts[i].len);
    }
    digest_add(k->content, json.at, json.len);
    return log_knowledge_read(k, name, json, err);
}

/* Puts the signatures of later files before those of earlier ones. */
static void order_signatures(struct log_knowledge *k)
{
    struct log_signature **sorted =
        mem_zalloc(k->n_signatures + 1, sizeof *sorted);
    size_t n = 0;
    for (size_t f = k->n_files; f-- > 0;) {
        for (size_t i = 0; i < k->n_signatures; i++) {
            if (k->signatures[i]->file == k->files[f])
                sorted[n++] = k->signatures[i];
        }
    }
    free(k->signatures);
    k->signatures = sorted;
    k->cap_signatures = n + 1;
}

enum status log_knowledge_ready(struct log_knowledge *k, struct error *err)
{
    order_signatures(k);
    if (k->content)
        digest_end(k->content, k->digest);
    else
        memcpy(k->digest, log_knowledge_built_in.digest, sizeof k->digest);
    k->content = NULL;
    return log_automaton_make(&k->automaton, k->signatures, k->n_signatures,
                              err);
}

void log_knowledge_free(struct log_knowledge *k)
{
    if (!k)
        return;
    log_automaton_fini(&k->automaton);
    digest_free(k->content);
    free(k->files);
    free(k->reasons);
    free(k->signatures);
    arena_fini(&k->arena);
    free(k);
}

bool log_knowledge_is_ours(const struct log_knowledge *k, const char *file)
{
    for (size_t i = 0; i < k->n_built_in; i++) {
        if (k->files[i] == file)
            return true;
    }
    return false;
}

const char *log_knowledge_file(const struct log_knowledge *k, size_t i)
{
    return i < k->n_files - k->n_built_in ? k->files[k->n_built_in + i] : NULL;
}

const char *log_knowledge_digest(const struct log_knowledge *k)
{
    return k->digest;
}

const struct log_action *log_knowledge_action(const struct log_knowledge *k,
                                              enum handler_action action)
{
    return &k->actions[action];
}

const struct log_reason *log_knowledge_reason(const struct log_knowledge *k,
                                              const char *name)
{
    for (size_t i = 0; i < k->n_reasons; i++) {
        if (strcmp(k->reasons[i]->name, name) == 0)
            return k->reasons[i];
    }
    return NULL;
}

const char *log_knowledge_near(const struct log_knowledge *k, const char *name)
{
    const char **names = mem_zalloc(k->n_reasons + 1, sizeof *names);
    for (size_t i = 0; i < k->n_reasons; i++)
        names[i] = k->reasons[i]->name;
    const char *near = text_nearest(text_from(name), names, k->n_reasons);
    free(names);
    return near;
}

/* Reads the files of knowledge, which knowledge.schema.json describes. */

#define MEANS_BYTES 400

#define LOG_KNOWLEDGE_FORMAT 1

/* Largest length of the name of a process as the kernel prints it, bytes; 16
 * with the final 0. */
#define PROCESS_NAME_BYTES 15

static const char *const roles[] = {"cause",    "fallout", "wrapper",
                                    "harmless", "off",     NULL};

static const char *const anchors[] = {"any",   "start",     "end",    "word",
                                      "class", "class-end", "report", NULL};

/* Returns the cause of this name, to be changed; NULL: none. Casting away const
 * is safe, because the knowledge owns its causes. */
static struct log_reason *reason_named(const struct log_knowledge *k,
                                       const char *name)
{
    return (struct log_reason *)(uintptr_t)log_knowledge_reason(k, name);
}

/* Checks that a cause of the kind infrastructure names a part, and that no
 * other cause does. */
static enum status check_part(const struct knowledge_row *r, unsigned kind,
                              unsigned part)
{
    if (kind == FAILURE_INFRASTRUCTURE && part == PART_NONE)
        return row_bad(r, NULL,
                       "infrastructure needs a 'part' other than none");
    if (kind != FAILURE_INFRASTRUCTURE && part != PART_NONE)
        return row_bad(r, "part", "is for kind infrastructure");
    return STATUS_OK;
}

static enum status read_cause(struct knowledge_row *r)
{
    static const char *const keys[] = {"name",   "kind",  "part",
                                       "action", "means", NULL};
    unsigned kind = 0, part = PART_NONE, action = ACTION_NONE;
    const char *means = "";
    enum status st = row_name(r);
    if (st == STATUS_OK)
        st = log_knowledge_row_keys(r, keys);
    for (size_t i = 1; st == STATUS_OK && keys[i]; i++) {
        if (strcmp(keys[i], "part") != 0)
            st = row_need(r, keys[i]);
    }
    if (st == STATUS_OK)
        st = row_choice(r, "kind", failure_kinds, &kind);
    if (st == STATUS_OK)
        st = row_choice(r, "part", failure_parts, &part);
    if (st == STATUS_OK)
        st = row_choice(r, "action", handler_actions, &action);
    if (st == STATUS_OK)
        st = row_text(r, "means", MEANS_BYTES, &means);
    if (st == STATUS_OK)
        st = check_part(r, kind, part);
    if (st != STATUS_OK)
        return st;
    struct log_knowledge *k = r->k;
    struct log_reason *reason = reason_named(k, r->name);
    if (reason && reason->file == r->file)
        return row_bad(r, "name", "is used twice in this file");
    if (!reason) {
        reason = ARENA_NEW(&k->arena, struct log_reason);
        k->reasons = mem_grow(k->reasons, &k->cap_reasons, k->n_reasons + 1,
                              sizeof(*k->reasons));
        k->reasons[k->n_reasons++] = reason;
    }
    *reason = (struct log_reason){.name = r->name,
                                  .file = r->file,
                                  .means = means,
                                  .kind = (enum failure_kind)kind,
                                  .part = (enum failure_part)part,
                                  .action = (enum handler_action)action};
    return STATUS_OK;
}

static enum status find_reason(const struct knowledge_row *r, const char *cause,
                               const struct log_reason **out)
{
    const struct log_knowledge *k = r->k;
    *out = log_knowledge_reason(k, cause);
    if (*out)
        return STATUS_OK;
    const char *near = log_knowledge_near(k, cause);
    return row_bad(r, "cause", "no cause '%.60s'%s%s%s", cause,
                   near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : " in the files read so far");
}

static enum status read_weight(const struct knowledge_row *r, unsigned *out)
{
    const json_t *weight = json_object_get(r->object, "weight");
    json_int_t strength = json_integer_value(weight);
    if (!json_is_integer(weight) || strength < 1 || strength > 100)
        return row_bad(r, "weight", "expected a whole number from 1 to 100");
    *out = (unsigned)strength;
    return STATUS_OK;
}

/* Reads "cause" and "weight", which belong to signatures that name a cause. */
static enum status read_evidence(const struct knowledge_row *r,
                                 struct log_signature *s)
{
    const char *cause = "";
    bool silent = s->role == LOG_ROLE_HARMLESS || s->role == LOG_ROLE_OFF;
    bool named = json_object_get(r->object, "cause") != NULL;
    if (silent && named)
        return row_bad(r, "cause", "is not for role '%s'", roles[s->role]);
    if (!named && (silent || s->role == LOG_ROLE_WRAPPER))
        return json_object_get(r->object, "weight")
                   ? row_bad(r, "weight", "is for a signature with a cause")
                   : STATUS_OK;
    enum status st = row_need(r, "cause");
    if (st == STATUS_OK)
        st = row_need(r, "weight");
    if (st == STATUS_OK)
        st = row_text(r, "cause", ROW_NAME_BYTES, &cause);
    if (st == STATUS_OK)
        st = read_weight(r, &s->weight);
    return st == STATUS_OK ? find_reason(r, cause, &s->reason) : st;
}

static enum status read_code(const struct knowledge_row *r,
                             struct log_signature *s)
{
    static const char *const keys[] = {"after", "from", "to", NULL};
    struct knowledge_row code;
    if (!json_object_get(r->object, "code"))
        return STATUS_OK;
    enum status st = row_inner(r, "code", keys, &code);
    if (st == STATUS_OK)
        st = row_need(&code, "after");
    if (st == STATUS_OK)
        st = row_text(&code, "after", ROW_TEXT_BYTES, &s->code_after);
    if (st == STATUS_OK)
        st = row_number(&code, "from", &s->code_from);
    s->code_to =
        json_object_get(code.object, "from") ? s->code_from : UINT32_MAX;
    if (st == STATUS_OK)
        st = row_number(&code, "to", &s->code_to);
    if (st == STATUS_OK && s->code_to < s->code_from)
        st = row_bad(r, "code", "'to' is less than 'from'");
    return st;
}

static enum status knowledge_read_host(const struct knowledge_row *r,
                                       struct log_signature *s)
{
    static const char *const keys[] = {"after", "before", NULL};
    struct knowledge_row host;
    if (!json_object_get(r->object, "host"))
        return STATUS_OK;
    enum status st = row_inner(r, "host", keys, &host);
    if (st == STATUS_OK)
        st = row_need(&host, "after");
    if (st == STATUS_OK)
        st = row_text(&host, "after", ROW_TEXT_BYTES, &s->host_after);
    if (st == STATUS_OK)
        st = row_text(&host, "before", ROW_TEXT_BYTES, &s->host_before);
    return st;
}

/* Checks that no text of a signature for kernel messages without a code is so
 * short that it could be the name of a process, which any user chooses. */
static enum status check_kernel(const struct knowledge_row *r,
                                const struct log_signature *s)
{
    for (size_t i = 0; s->kernel && !s->code_after && i < s->texts.n; i++) {
        if (s->texts.at[i].len <= PROCESS_NAME_BYTES)
            return row_bad(
                r, "kernel",
                "'%.20s' is no longer than the name of a process (%d "
                "bytes), which any user chooses",
                s->texts.at[i].at, PROCESS_NAME_BYTES);
    }
    return STATUS_OK;
}

static enum status read_form(const struct knowledge_row *r,
                             struct log_signature *s)
{
    unsigned role = LOG_ROLE_CAUSE, anchor = LOG_ANCHOR_ANY, which = 0;
    static const char *const cases[] = {"keep", "ignore", NULL};
    enum status st = row_choice(r, "role", roles, &role);
    if (st == STATUS_OK)
        st = row_choice(r, "anchor", anchors, &anchor);
    if (st == STATUS_OK)
        st = row_choice(r, "case", cases, &which);
    if (st == STATUS_OK)
        st = row_bool(r, "decides", &s->decides);
    if (st == STATUS_OK)
        st = row_bool(r, "kernel", &s->kernel);
    s->role = (enum log_role)role;
    s->anchor = (enum log_anchor)anchor;
    s->any_case = which == 1;
    return st;
}

static enum status check_name(const struct knowledge_row *r)
{
    for (const char *c = r->name; *c; c++) {
        if (!ascii_is_digit(*c) && *c != '-' && (*c < 'a' || *c > 'z'))
            return row_bad(r, "name", "expected small letters, digits and '-'");
    }
    return STATUS_OK;
}

/* Adds a signature, in place of one of the same name in an earlier file. Fails
 * if this file has the name already. */
static enum status knowledge_add(const struct knowledge_row *r,
                                 struct log_signature *signature)
{
    struct log_knowledge *k = r->k;
    for (size_t i = 0; i < k->n_signatures; i++) {
        if (strcmp(k->signatures[i]->name, r->name) != 0)
            continue;
        if (k->signatures[i]->file == r->file)
            return row_bad(r, "name", "is used twice in this file");
        k->n_signatures--;
        memmove(k->signatures + i, k->signatures + i + 1,
                (k->n_signatures - i) * sizeof(*k->signatures));
        break;
    }
    k->signatures = mem_grow(k->signatures, &k->cap_signatures,
                             k->n_signatures + 1, sizeof(*k->signatures));
    k->signatures[k->n_signatures++] = signature;
    return STATUS_OK;
}

static enum status read_signature(struct knowledge_row *r)
{
    static const char *const keys[] = {"name",  "text",   "also",    "not",
                                       "case",  "anchor", "code",    "role",
                                       "cause", "weight", "decides", "kernel",
                                       "host",  "about",  NULL};
    struct log_signature *s = ARENA_NEW(&r->k->arena, struct log_signature);
    enum status st = row_name(r);
    if (st == STATUS_OK)
        st = log_knowledge_row_keys(r, keys);
    if (st == STATUS_OK)
        st = check_name(r);
    if (st == STATUS_OK)
        st = row_need(r, "text");
    if (st == STATUS_OK)
        st = read_form(r, s);
    if (st == STATUS_OK)
        st = row_texts(r, "text", &s->texts);
    if (st == STATUS_OK)
        st = row_texts(r, "also", &s->also);
    if (st == STATUS_OK)
        st = row_texts(r, "not", &s->none);
    if (st == STATUS_OK)
        st = read_code(r, s);
    if (st == STATUS_OK)
        st = knowledge_read_host(r, s);
    if (st == STATUS_OK)
        st = read_evidence(r, s);
    if (st == STATUS_OK)
        st = check_kernel(r, s);
    s->name = r->name;
    s->file = r->file;
    return st == STATUS_OK ? knowledge_add(r, s) : st;
}

static enum status read_action(struct knowledge_row *r)
{
    static const char *const keys[] = {"name", "words", "disruptive", NULL};
    unsigned action = 0;
    enum status st = row_name(r);
    if (st == STATUS_OK)
        st = log_knowledge_row_keys(r, keys);
    if (st == STATUS_OK)
        st = row_choice(r, "name", handler_actions, &action);
    if (st == STATUS_OK)
        st = row_text(r, "words", MEANS_BYTES, &r->k->actions[action].words);
    if (st == STATUS_OK)
        st = row_bool(r, "disruptive", &r->k->actions[action].disruptive);
    return st;
}

static enum status knowledge_read_list(
    struct knowledge_row *r, const json_t *root, const char *list,
    enum status (*read)(struct knowledge_row *r))
{
    const json_t *rows = json_object_get(root, list);
    enum status st = STATUS_OK;
    r->list = list;
    r->object = root;
    r->name = "";
    if (rows && !json_is_array(rows))
        return row_bad(r, NULL, "expected an array");
    for (r->at = 0; st == STATUS_OK && r->at < json_array_size(rows); r->at++) {
        r->object = json_array_get(rows, r->at);
        r->name = "";
        st = json_is_object(r->object) ? read(r)
                                       : row_bad(r, NULL, "expected an object");
        if (st != STATUS_OK)
            break;
    }
    return st;
}

static enum status knowledge_read_root(struct knowledge_row *r,
                                       const json_t *root)
{
    static const char *const keys[] = {"$schema", "about",  "licence",
                                       "format",  "causes", "signatures",
                                       "actions", NULL};
    r->object = root;
    if (!json_is_object(root))
        return row_bad(r, NULL, "expected an object");
    enum status st = log_knowledge_row_keys(r, keys);
    if (st == STATUS_OK && json_integer_value(json_object_get(
                               root, "format")) != LOG_KNOWLEDGE_FORMAT)
        st = row_bad(r, NULL, "expected \"format\": %d", LOG_KNOWLEDGE_FORMAT);
    if (st == STATUS_OK)
        st = knowledge_read_list(r, root, "causes", read_cause);
    if (st == STATUS_OK)
        st = knowledge_read_list(r, root, "signatures", read_signature);
    if (st == STATUS_OK)
        st = knowledge_read_list(r, root, "actions", read_action);
    return st;
}

/* Reads one file into the knowledge, which keeps the pointer `file`. Returns
 * STATUS_BAD_INPUT if the content is not valid. */
static enum status log_knowledge_read(struct log_knowledge *k, const char *file,
                                      struct text json, struct error *err)
{
    struct knowledge_row row = {
        .k = k, .file = file, .json = json, .name = "", .err = err};
    json_error_t where;
    json_t *root =
        json_loadb(json.at, json.len, JSON_REJECT_DUPLICATES, &where);
    if (!root)
        return error_set(err, STATUS_BAD_INPUT, "%s:%d:%d: %s", file,
                         where.line, where.column, where.text);
    enum status st = knowledge_read_root(&row, root);
    json_decref(root);
    return st;
}
