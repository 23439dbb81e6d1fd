/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/llm/llm_schema.h"

#include "schedmate/llm/llm_text.h"

static void key(struct out *out, const char *name, bool first)
{
    if (!first)
        out_char(out, ',');
    llm_json_string(out, text_from(name));
    out_char(out, ':');
}

static void string(struct out *out, const char *name, const char *value)
{
    key(out, name, false);
    llm_json_string(out, text_from(value));
}

static void choices(struct out *out, const struct llm_field *field)
{
    key(out, "enum", false);
    for (size_t i = 0; field->choices[i]; i++) {
        out_char(out, i ? ',' : '[');
        llm_json_string(out, text_from(field->choices[i]));
    }
    out_text(out, field->required ? "]" : ",null]");
}

/* Writes one property, with its keys in alphabetical order. */
static void property(struct out *out, const struct llm_field *field)
{
    static const char *const types[] = {
        [LLM_STRING] = "\"string\"",   [LLM_NUMBER] = "\"number\"",
        [LLM_INTEGER] = "\"integer\"", [LLM_BOOL] = "\"boolean\"",
        [LLM_LIST] = "\"array\"",
    };
    out_char(out, '{');
    key(out, "description", true);
    llm_json_string(out, text_from(field->help));
    if (field->choices)
        choices(out, field);
    if (field->type == LLM_LIST) {
        key(out, "items", false);
        out_text(out, "{\"type\":\"string\"}");
    }
    if (field->lo != 0 || field->hi != 0) {
        key(out, "maximum", false);
        llm_json_number(out, field->hi);
        key(out, "minimum", false);
        llm_json_number(out, field->lo);
    }
    key(out, "type", false);
    if (field->required)
        out_text(out, types[field->type]);
    else
        out_printf(out, "[%s,\"null\"]", types[field->type]);
    out_char(out, '}');
}

/* Lists the fields in the order of the schema, or by name if `canonical`.
 * Returns their number, at most LLM_FIELDS_MAX. */
static size_t order(const struct llm_schema *schema, bool canonical,
                    const struct llm_field *rows[LLM_FIELDS_MAX])
{
    size_t n = 0;
    for (; n < LLM_FIELDS_MAX && schema->fields[n].type != LLM_END; n++) {
        size_t i = n;
        for (; canonical && i > 0 &&
               strcmp(rows[i - 1]->name, schema->fields[n].name) > 0;
             i--)
            rows[i] = rows[i - 1];
        rows[i] = &schema->fields[n];
    }
    return n;
}

void llm_schema_json(const struct llm_schema *schema, bool canonical,
                     struct out *out)
{
    const struct llm_field *rows[LLM_FIELDS_MAX];
    size_t n = order(schema, canonical, rows);
    out_text(out, "{\"additionalProperties\":false,\"properties\":{");
    for (size_t i = 0; i < n; i++) {
        key(out, rows[i]->name, i == 0);
        property(out, rows[i]);
    }
    out_text(out, "},\"required\":[");
    for (size_t i = 0; i < n; i++) {
        if (i)
            out_char(out, ',');
        llm_json_string(out, text_from(rows[i]->name));
    }
    out_text(out, "],\"type\":\"object\"}");
}

static void digest_of(const struct out *out, char hex[DIGEST_HEX_MAX])
{
    struct digest *digest = digest_new();
    struct text t = out_memory(out);
    digest_add(digest, t.at, t.len);
    digest_end(digest, hex);
}

static void schema_hash(struct out *out, const struct llm_schema *schema)
{
    char hex[DIGEST_HEX_MAX];
    key(out, "response_schema_hash", false);
    if (!schema) {
        out_text(out, "null");
        return;
    }
    struct out *json = out_to_memory();
    llm_schema_json(schema, true, json);
    digest_of(json, hex);
    out_abandon(json);
    llm_json_string(out, text_from(hex));
}

static void messages(struct out *out, const struct llm_request *request)
{
    static const char *const roles[] = {[LLM_SYSTEM] = "system",
                                        [LLM_USER] = "user",
                                        [LLM_ASSISTANT] = "assistant"};
    key(out, "messages", false);
    out_char(out, '[');
    for (size_t i = 0; i < request->n_messages; i++) {
        out_text(out, i ? ",{" : "{");
        key(out, "content", true);
        llm_json_string(out, text_from(request->messages[i].content));
        string(out, "role", roles[request->messages[i].role]);
        out_char(out, '}');
    }
    out_char(out, ']');
}

const char *llm_request_model(const struct llm_request *request)
{
    return request->kind == LLM_CHAT ? request->sampling->model
                                     : request->sampling->embed_model;
}

static void embed_json(const struct llm_request *request, struct out *out)
{
    out_char(out, '{');
    key(out, "input", true);
    out_char(out, '[');
    for (size_t i = 0; i < request->n_inputs; i++) {
        if (i)
            out_char(out, ',');
        llm_json_string(out, text_from(request->inputs[i]));
    }
    out_char(out, ']');
    string(out, "kind", "embed");
    string(out, "model", llm_request_model(request));
    string(out, "prompt_version", request->prompt_version);
    out_text(out, ",\"v\":1}");
}

void llm_request_json(const struct llm_request *request, struct out *out)
{
    const struct llm_sampling *sampling = request->sampling;
    if (request->kind == LLM_EMBED) {
        embed_json(request, out);
        return;
    }
    out_char(out, '{');
    key(out, "kind", true);
    out_text(out, "\"chat\"");
    key(out, "max_tokens", false);
    out_u64(out, request->max_tokens);
    messages(out, request);
    string(out, "model", llm_request_model(request));
    string(out, "prompt_version", request->prompt_version);
    schema_hash(out, request->schema);
    key(out, "seed", false);
    out_u64(out, sampling->seed);
    key(out, "temperature", false);
    llm_json_number(out, sampling->temperature);
    key(out, "top_p", false);
    llm_json_number(out, sampling->top_p);
    out_text(out, ",\"v\":1}");
}

void llm_request_key(const struct llm_request *request,
                     char hex[DIGEST_HEX_MAX])
{
    struct out *json = out_to_memory();
    llm_request_json(request, json);
    digest_of(json, hex);
    out_abandon(json);
}
