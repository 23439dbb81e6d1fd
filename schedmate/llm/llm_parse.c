/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/llm/llm_parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "schedmate/llm/llm_text.h"

/* Largest number of objects that are tried in one reply. The text around an
 * answer may contain a few braces, but a reply that consists of braces must not
 * take quadratic time. */
enum { TRIES_MAX = 16 };

/* Returns the text after the last end of a thinking block. Some servers leave
 * out the tag that begins the block, because it is part of the prompt. A block
 * that never ends is left out up to the end of the text. */
static struct text after_thinking(struct text t)
{
    static const char *const tags[] = {"think", "thinking", "reasoning"};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        char end[16], begin[16];
        size_t n = (size_t)snprintf(end, sizeof end, "</%s>", tags[i]);
        snprintf(begin, sizeof begin, "<%s>", tags[i]);
        const char *hit = NULL, *next = t.at;
        while (t.len && (next = memmem(next, t.len - (size_t)(next - t.at), end,
                                       n)) != NULL)
            hit = next += n;
        if (hit)
            t = (struct text){hit, t.len - (size_t)(hit - t.at)};
        const char *open = t.len ? memmem(t.at, t.len, begin, n - 1) : NULL;
        if (open)
            t.len = (size_t)(open - t.at);
    }
    return t;
}

/* Returns the balanced object that begins at t.at, which is a brace. Its length
 * is 0 if the object never ends. */
static struct text balanced(struct text t)
{
    size_t depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < t.len; i++) {
        char c = t.at[i];
        if (quoted && c == '\\')
            i++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '{' || c == '['))
            depth++;
        else if (!quoted && (c == '}' || c == ']') && --depth == 0)
            return (struct text){t.at, i + 1};
    }
    return (struct text){t.at, 0};
}

static bool complain(char *complaint, const struct llm_field *field,
                     const char *what)
{
    snprintf(complaint, LLM_COMPLAINT_MAX, "field \"%s\" %s", field->name,
             what);
    return false;
}

static bool take_string(const struct cjson *cj, const struct llm_field *field,
                        const cJSON *item, struct arena *arena,
                        const char **out, char *complaint)
{
    if (!cj->IsString(item))
        return complain(complaint, field, "must be a string");
    size_t len = strlen(item->valuestring);
    const size_t max =
        field->max && field->type == LLM_STRING ? field->max : LLM_STRING_MAX;
    if (len > max && (field->required || field->choices))
        return complain(complaint, field, "is too long");
    if (len > max) /* keep the beginning of a text that is too long */
        len = max;
    *out = llm_utf8_copy(arena, (struct text){item->valuestring, len});
    if (!field->choices)
        return true;
    for (size_t i = 0; field->choices[i]; i++) {
        if (strcmp(field->choices[i], *out) == 0)
            return true;
    }
    size_t n = (size_t)snprintf(complaint, LLM_COMPLAINT_MAX,
                                "field \"%s\" must be one of", field->name);
    for (size_t i = 0; field->choices[i] && n < LLM_COMPLAINT_MAX; i++)
        n += (size_t)snprintf(complaint + n, LLM_COMPLAINT_MAX - n, "%s \"%s\"",
                              i ? "," : "", field->choices[i]);
    return false;
}

static bool take_number(const struct cjson *cj, const struct llm_field *field,
                        const cJSON *item, double *out, char *complaint)
{
    /* Models whose server enforces no schema often write numbers in quotes. */
    if (cj->IsString(item)) {
        if (!text_to_double(text_trim(text_from(item->valuestring)), out))
            return complain(complaint, field, "must be a number");
    } else if (!cj->IsNumber(item) || !isfinite(item->valuedouble)) {
        return complain(complaint, field, "must be a number");
    } else {
        *out = item->valuedouble;
    }
    if (field->type == LLM_INTEGER &&
        (floor(*out) != *out || fabs(*out) > 9007199254740992.0))
        return complain(complaint, field, "must be a whole number");
    if ((field->lo != 0 || field->hi != 0) &&
        (*out < field->lo || *out > field->hi)) {
        snprintf(complaint, LLM_COMPLAINT_MAX,
                 "field \"%s\" must be between %g and %g", field->name,
                 field->lo, field->hi);
        return false;
    }
    return true;
}

static bool take_list(const struct cjson *cj, const struct llm_field *field,
                      const cJSON *item, struct arena *arena,
                      struct llm_value *out, char *complaint)
{
    if (!cj->IsArray(item))
        return complain(complaint, field, "must be an array of strings");
    size_t n = 0, max = field->max ? field->max : LLM_LIST_MAX;
    const cJSON *element;
    cJSON_ArrayForEach(element, item) n++;
    if (n > max)
        return complain(complaint, field, "has too many elements");
    const char **list = ARENA_ARRAY(arena, const char *, n + 1);
    cJSON_ArrayForEach(element, item)
    {
        if (!take_string(cj, field, element, arena, &list[out->n_list],
                         complaint))
            return complain(complaint, field, "must be an array of strings");
        out->n_list++;
    }
    out->list = list;
    return true;
}

static bool take_bool(const struct cjson *cj, const struct llm_field *field,
                      const cJSON *item, double *out, char *complaint)
{
    bool value = cj->IsTrue(item);
    bool good = cj->IsBool(item) ||
                (cj->IsString(item) &&
                 text_to_bool(text_trim(text_from(item->valuestring)), &value));
    *out = value;
    return good || complain(complaint, field, "must be true or false");
}

static bool take(const struct cjson *cj, const struct llm_field *field,
                 const cJSON *item, struct arena *arena, struct llm_value *out,
                 char *complaint)
{
    if (!item || cj->IsNull(item))
        return !field->required || complain(complaint, field, "is missing");
    out->present = true;
    switch (field->type) {
    case LLM_STRING:
        return take_string(cj, field, item, arena, &out->string, complaint);
    case LLM_NUMBER:
    case LLM_INTEGER:
        return take_number(cj, field, item, &out->number, complaint);
    case LLM_BOOL:
        return take_bool(cj, field, item, &out->number, complaint);
    case LLM_LIST:
        return take_list(cj, field, item, arena, out, complaint);
    case LLM_END:
        break;
    }
    return false;
}

/* Parses an object. If that fails, tries again without the commas before
 * closing brackets, which JSON does not allow but models write. Returns NULL if
 * that fails too. The caller deletes the object. */
static cJSON *parse_object(const struct cjson *cj, struct text t,
                           struct arena *arena)
{
    cJSON *object = cj->ParseWithLength(t.at, t.len);
    if (object || !t.len)
        return object;
    char *copy = arena_alloc(arena, t.len);
    size_t n = 0;
    bool quoted = false;
    for (size_t i = 0; i < t.len; i++) {
        char c = t.at[i];
        if (quoted && c == '\\' && i + 1 < t.len) {
            copy[n++] = c;
            c = t.at[++i];
        } else if (c == '"') {
            quoted = !quoted;
        } else if (!quoted && (c == '}' || c == ']')) {
            while (n && memchr(" \t\r\n", copy[n - 1], 4))
                n--;
            n -= n && copy[n - 1] == ',';
        }
        copy[n++] = c;
    }
    return n < t.len ? cj->ParseWithLength(copy, n) : NULL;
}

static struct llm_value *take_all(const struct cjson *cj,
                                  const struct llm_schema *schema,
                                  const cJSON *object, struct arena *arena,
                                  char *complaint)
{
    size_t n = 0;
    while (schema->fields[n].type != LLM_END)
        n++;
    struct llm_value *values = ARENA_ARRAY(arena, struct llm_value, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct llm_field *field = &schema->fields[i];
        const cJSON *item = cj->GetObjectItemCaseSensitive(object, field->name);
        if (!take(cj, field, item, arena, &values[i], complaint))
            return NULL;
    }
    return values;
}

const struct llm_value *llm_parse(const struct cjson *cj, struct text text,
                                  const struct llm_schema *schema,
                                  struct arena *arena,
                                  char complaint[LLM_COMPLAINT_MAX])
{
    struct llm_value *values = NULL;
    bool found = false;
    text = after_thinking(text);
    snprintf(complaint, LLM_COMPLAINT_MAX, "the answer holds no JSON object");
    for (int tries = 0; tries < TRIES_MAX && text.len && !values; tries++) {
        char words[LLM_COMPLAINT_MAX];
        const char *brace = memchr(text.at, '{', text.len);
        if (!brace)
            break;
        text = (struct text){brace, text.len - (size_t)(brace - text.at)};
        struct text candidate = balanced(text);
        cJSON *object = parse_object(cj, candidate, arena);
        if (object)
            values = take_all(cj, schema, object, arena, words);
        if (object && !values && !found) {
            memcpy(complaint, words, sizeof words);
            found = true;
        } else if (!object && !found) {
            snprintf(complaint, LLM_COMPLAINT_MAX, "%s",
                     candidate.len ? "the JSON object is not well-formed"
                                   : "the JSON object never ends");
        }
        size_t step = object ? candidate.len : 1;
        cj->Delete(object);
        text = (struct text){text.at + step, text.len - step};
    }
    return values;
}
