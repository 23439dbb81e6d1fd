/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the files of knowledge, which knowledge.schema.json describes. */
#include <string.h>

#include "base/ascii.h"
#include "schedmate/logs/log_knowledge_row.h"

#define MEANS_BYTES 400
#define FORMAT 1
/* Largest length of the name of a process as the kernel prints it, bytes; 16
 * with the final 0. */
#define PROCESS_NAME_BYTES 15

static const char *const roles[] = {"cause",    "fallout", "wrapper",
                                    "harmless", "off",     NULL};
static const char *const anchors[] = {"any",   "start",     "end", "word",
                                      "class", "class-end", NULL};

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
        st = row_keys(r, keys);
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

static enum status read_host(const struct knowledge_row *r,
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
static enum status add(const struct knowledge_row *r,
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
        st = row_keys(r, keys);
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
        st = read_host(r, s);
    if (st == STATUS_OK)
        st = read_evidence(r, s);
    if (st == STATUS_OK)
        st = check_kernel(r, s);
    s->name = r->name;
    s->file = r->file;
    return st == STATUS_OK ? add(r, s) : st;
}

static enum status read_action(struct knowledge_row *r)
{
    static const char *const keys[] = {"name", "words", "disruptive", NULL};
    unsigned action = 0;
    enum status st = row_name(r);
    if (st == STATUS_OK)
        st = row_keys(r, keys);
    if (st == STATUS_OK)
        st = row_choice(r, "name", handler_actions, &action);
    if (st == STATUS_OK)
        st = row_text(r, "words", MEANS_BYTES, &r->k->actions[action].words);
    if (st == STATUS_OK)
        st = row_bool(r, "disruptive", &r->k->actions[action].disruptive);
    return st;
}

static enum status read_list(struct knowledge_row *r, const json_t *root,
                             const char *list,
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

static enum status read_root(struct knowledge_row *r, const json_t *root)
{
    static const char *const keys[] = {"$schema", "about",  "licence",
                                       "format",  "causes", "signatures",
                                       "actions", NULL};
    r->object = root;
    if (!json_is_object(root))
        return row_bad(r, NULL, "expected an object");
    enum status st = row_keys(r, keys);
    if (st == STATUS_OK &&
        json_integer_value(json_object_get(root, "format")) != FORMAT)
        st = row_bad(r, NULL, "expected \"format\": %d", FORMAT);
    if (st == STATUS_OK)
        st = read_list(r, root, "causes", read_cause);
    if (st == STATUS_OK)
        st = read_list(r, root, "signatures", read_signature);
    if (st == STATUS_OK)
        st = read_list(r, root, "actions", read_action);
    return st;
}

enum status log_knowledge_read(struct log_knowledge *k, const char *file,
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
    enum status st = read_root(&row, root);
    json_decref(root);
    return st;
}
