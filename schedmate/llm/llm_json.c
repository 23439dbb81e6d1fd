/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON of a language model: requests and replies of the OpenAI-compatible
 * interface (llm_internal.h), schemas, and values read by them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "schedmate/llm/llm_internal.h"
#include "schedmate/llm/llm_json.h"
#include "schedmate/llm/llm_text.h"

enum status cjson_load(struct cjson *out, struct error *err)
{
    static const char *const files[] = {"libcjson.so.1", "libcjson.so", NULL};
    static const char *const names[] = {
#define CJSON_NAME(name) "cJSON_" #name,
        CJSON(CJSON_NAME)
#undef CJSON_NAME
    };
    return library_load(files, "libcjson1", names, sizeof names / sizeof *names,
                        out, err);
}

static void key(struct out *out, const char *name, bool first)
{
    if (!first)
        out_char(out, ',');
    llm_json_string(out, text_from(name));
    out_char(out, ':');
}

static void schema_string(struct out *out, const char *name, const char *value)
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
static size_t llm_json_order(const struct llm_schema *schema, bool canonical,
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

/* Writes a JSON Schema. Its properties are in the order of schema->fields, so
 * that a model writes them in that order, or sorted by name if `canonical` is
 * true. Servers with strict schemas want each property listed as required, so a
 * field that is not required may be null instead. Fields after the first
 * LLM_FIELDS_MAX are left out. */
static void llm_schema_json(const struct llm_schema *schema, bool canonical,
                            struct out *out)
{
    const struct llm_field *rows[LLM_FIELDS_MAX];
    size_t n = llm_json_order(schema, canonical, rows);
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

static void llm_json_digest_of(const struct out *out, char hex[DIGEST_HEX_MAX])
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
    llm_json_digest_of(json, hex);
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
        schema_string(out, "role", roles[request->messages[i].role]);
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
    schema_string(out, "kind", "embed");
    schema_string(out, "model", llm_request_model(request));
    schema_string(out, "prompt_version", request->prompt_version);
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
    schema_string(out, "model", llm_request_model(request));
    schema_string(out, "prompt_version", request->prompt_version);
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
    llm_json_digest_of(json, hex);
    out_abandon(json);
}

static cJSON *schema_of(const struct cjson *cj, const struct llm_schema *schema)
{
    struct out *out = out_to_memory();
    llm_schema_json(schema, false, out);
    struct text t = out_memory(out);
    cJSON *json = cj->ParseWithLength(t.at, t.len);
    out_abandon(out);
    return json;
}

static void add_form(const struct cjson *cj, cJSON *body,
                     const struct llm_schema *schema,
                     const struct llm_server *server, enum llm_form form)
{
    cJSON *format;
    switch (form) {
    case LLM_FORM_SCHEMA:
        format = cj->AddObjectToObject(body, "response_format");
        cj->AddStringToObject(format, "type", "json_schema");
        cJSON *inner = cj->AddObjectToObject(format, "json_schema");
        cj->AddStringToObject(inner, "name", schema->name);
        cj->AddTrueToObject(inner, "strict");
        cj->AddItemToObject(inner, "schema", schema_of(cj, schema));
        if (server->schema_on_top)
            cj->AddItemToObject(format, "schema", schema_of(cj, schema));
        break;
    case LLM_FORM_STRUCTURED:
        format = cj->AddObjectToObject(body, "structured_outputs");
        cj->AddItemToObject(format, "json", schema_of(cj, schema));
        break;
    case LLM_FORM_OBJECT:
        format = cj->AddObjectToObject(body, "response_format");
        cj->AddStringToObject(format, "type", "json_object");
        break;
    case LLM_FORM_PLAIN:
    case LLM_FORMS:
        break;
    }
}

static void add_message(const struct cjson *cj, cJSON *list, const char *role,
                        const char *content)
{
    cJSON *message = cj->CreateObject();
    cj->AddStringToObject(message, "role", role);
    cj->AddStringToObject(message, "content", content);
    cj->AddItemToArray(list, message);
}

/* Adds the messages. If `show_schema` is true, the system message begins with
 * the schema, for a server that does not get the schema in a separate field; a
 * request without a system message gets one. It is not a second system message,
 * because many chat templates refuse one. It contains the word JSON, because
 * servers refuse json_object without that word. */
static void add_messages(const struct cjson *cj, cJSON *body,
                         const struct llm_request *request, bool show_schema)
{
    static const char *const roles[] = {[LLM_SYSTEM] = "system",
                                        [LLM_USER] = "user",
                                        [LLM_ASSISTANT] = "assistant"};
    cJSON *list = cj->AddArrayToObject(body, "messages");
    struct out *out = out_to_memory();
    if (show_schema) {
        out_text(out, "Answer with one JSON object and nothing else. It must "
                      "be valid against this JSON Schema:\n");
        llm_schema_json(request->schema, false, out);
    }
    bool system =
        request->n_messages && request->messages[0].role == LLM_SYSTEM;
    if (system && show_schema)
        out_text(out, "\n\n");
    if (system)
        out_text(out, request->messages[0].content);
    out_char(out, '\0');
    if (system || show_schema)
        add_message(cj, list, "system", out_memory(out).at);
    out_abandon(out);
    for (size_t i = system; i < request->n_messages; i++)
        add_message(cj, list, roles[request->messages[i].role],
                    request->messages[i].content);
}

static void add_sampling(const struct cjson *cj, cJSON *body,
                         const struct llm_request *request,
                         const struct llm_server *server,
                         const struct llm_learned *learned,
                         uint32_t thinking_tokens)
{
    const struct llm_sampling *sampling = request->sampling;
    if (!learned->no_temperature)
        cj->AddNumberToObject(body, "temperature", sampling->temperature);
    if (!learned->no_top_p)
        cj->AddNumberToObject(body, "top_p", sampling->top_p);
    if (!learned->no_seed)
        cj->AddNumberToObject(body, "seed", sampling->seed);
    if (request->max_tokens)
        cj->AddNumberToObject(body,
                              server->new_token_field !=
                                      learned->swap_token_field
                                  ? "max_completion_tokens"
                                  : "max_tokens",
                              (double)request->max_tokens + thinking_tokens);
    if (learned->stream) {
        cj->AddTrueToObject(body, "stream");
        cj->AddTrueToObject(cj->AddObjectToObject(body, "stream_options"),
                            "include_usage");
    }
}

static void add_inputs(const struct cjson *cj, cJSON *body,
                       const struct llm_request *request)
{
    cJSON *list = cj->AddArrayToObject(body, "input");
    for (size_t i = 0; i < request->n_inputs; i++)
        cj->AddItemToArray(list, cj->CreateString(request->inputs[i]));
    cj->AddStringToObject(body, "encoding_format", "float");
}

char *llm_wire_request(const struct cjson *cj,
                       const struct llm_request *request,
                       const struct llm_server *server,
                       const struct llm_learned *learned,
                       uint32_t thinking_tokens)
{
    enum llm_form form = server->forms[learned->form];
    cJSON *body = cj->CreateObject();
    cj->AddStringToObject(body, "model", llm_request_model(request));
    if (request->kind == LLM_EMBED) {
        add_inputs(cj, body, request);
    } else {
        bool show = request->schema &&
                    (form == LLM_FORM_OBJECT || form == LLM_FORM_PLAIN);
        add_messages(cj, body, request, show);
        add_sampling(cj, body, request, server, learned, thinking_tokens);
        if (request->schema)
            add_form(cj, body, request->schema, server, form);
    }
    char *text = cj->PrintUnformatted(body);
    cj->Delete(body);
    return text;
}

static const cJSON *llm_json_get(const struct cjson *cj, const cJSON *object,
                                 const char *name)
{
    return cj->GetObjectItemCaseSensitive(object, name);
}

static const char *wire_string(const struct cjson *cj, const cJSON *object,
                               const char *name, struct arena *arena)
{
    const cJSON *item = llm_json_get(cj, object, name);
    return cj->IsString(item)
               ? llm_utf8_copy(arena, text_from(item->valuestring))
               : "";
}

/* Reads a number of tokens, 0..1e12. Returns false, with *out unchanged, if
 * there is none. */
static bool tokens(const struct cjson *cj, const cJSON *object,
                   const char *name, uint64_t *out)
{
    const cJSON *item = llm_json_get(cj, object, name);
    if (!cj->IsNumber(item) || !(item->valuedouble >= 0) ||
        item->valuedouble > 1e12)
        return false;
    *out = (uint64_t)item->valuedouble;
    return true;
}

/* Estimates tokens if the server gave no counts: bytes / 4, OpenAI's rule of
 * thumb for English (help page "What are tokens and how to count them"). */
static void llm_json_estimate(const struct llm_request *request,
                              struct llm_reply *reply)
{
    size_t bytes = 0;
    for (size_t i = 0; i < request->n_messages; i++)
        bytes += strlen(request->messages[i].content);
    for (size_t i = 0; i < request->n_inputs; i++)
        bytes += strlen(request->inputs[i]);
    reply->usage = (struct llm_usage){.prompt = bytes / 4,
                                      .completion = strlen(reply->text) / 4,
                                      .estimated = true};
}

void llm_wire_usage(const struct cjson *cj, const cJSON *usage,
                    const struct llm_request *request, struct llm_reply *reply)
{
    struct llm_usage *out = &reply->usage;
    if (!tokens(cj, usage, "prompt_tokens", &out->prompt) ||
        (request->kind == LLM_CHAT &&
         !tokens(cj, usage, "completion_tokens", &out->completion))) {
        llm_json_estimate(request, reply);
        return;
    }
    tokens(cj, llm_json_get(cj, usage, "prompt_tokens_details"),
           "cached_tokens", &out->cached);
    tokens(cj, llm_json_get(cj, usage, "completion_tokens_details"),
           "reasoning_tokens", &out->reasoning);
}

void llm_wire_content(const char *content, bool thought, struct arena *arena,
                      struct llm_reply *reply)
{
    bool cut = strcmp(reply->finish_reason, "length") == 0;
    if (content && (content[0] || !(thought || cut))) {
        reply->text = llm_utf8_copy(arena, text_from(content));
        reply->known = true;
    } else if (cut) {
        llm_unknown(reply, arena, LLM_CUT_OFF);
    } else {
        llm_unknown(reply, arena,
                    thought ? "the reply has thoughts but no answer"
                            : "the reply has no text");
    }
}

/* Returns the text of a message, which may be a list of parts; NULL if there is
 * none. The text lies in the message or in the arena. */
static const char *llm_json_content_of(const struct cjson *cj,
                                       const cJSON *message,
                                       struct arena *arena)
{
    const cJSON *content = llm_json_get(cj, message, "content"), *part;
    if (cj->IsString(content))
        return content->valuestring;
    if (!cj->IsArray(content))
        return NULL;
    struct out *out = out_to_memory();
    bool any = false;
    cJSON_ArrayForEach(part, content)
    {
        const cJSON *text =
            cj->IsString(part) ? part : llm_json_get(cj, part, "text");
        if (cj->IsString(text))
            out_text(out, text->valuestring);
        any |= cj->IsString(text);
    }
    struct text t = out_memory(out);
    const char *copy = any ? arena_copy(arena, t.at, t.len) : NULL;
    out_abandon(out);
    return copy;
}

/* True if the message holds thoughts in a field of their own (vLLM, SGLang,
 * llama.cpp: reasoning_content; Ollama and newer vLLM: reasoning). */
static bool has_thoughts(const struct cjson *cj, const cJSON *message)
{
    return cj->IsString(llm_json_get(cj, message, "reasoning_content")) ||
           cj->IsString(llm_json_get(cj, message, "reasoning"));
}

/* Returns the arguments of the first call of a tool, as which some servers send
 * an answer that a schema constrains; NULL: there are none. */
static const char *arguments_of(const struct cjson *cj, const cJSON *message)
{
    const cJSON *call =
        cj->GetArrayItem(llm_json_get(cj, message, "tool_calls"), 0);
    const cJSON *text =
        llm_json_get(cj, llm_json_get(cj, call, "function"), "arguments");
    return cj->IsString(text) ? text->valuestring : NULL;
}

static void take_choice(const struct cjson *cj, const cJSON *body,
                        struct arena *arena, struct llm_reply *reply)
{
    const cJSON *list = llm_json_get(cj, body, "choices");
    const cJSON *choice = cj->GetArrayItem(list, 0);
    const cJSON *message = llm_json_get(cj, choice, "message");
    reply->finish_reason = wire_string(cj, choice, "finish_reason", arena);
    if (!cj->IsArray(list)) {
        llm_unknown(reply, arena, "the reply has no list of choices");
    } else if (!choice) {
        llm_unknown(reply, arena, "the reply has no choice");
    } else if (cj->IsString(llm_json_get(cj, message, "refusal"))) {
        llm_unknown(reply, arena, "the model refuses to answer: %.200s",
                    wire_string(cj, message, "refusal", arena));
    } else if (strcmp(reply->finish_reason, "content_filter") == 0) {
        llm_unknown(reply, arena, "a filter of the server withheld the answer");
    } else {
        const char *content = llm_json_content_of(cj, message, arena);
        llm_wire_content(content ? content : arguments_of(cj, message),
                         has_thoughts(cj, message), arena, reply);
    }
}

/* The n embeddings of a reply; seen[i] is true once embedding i has been
 * read. */
struct vectors {
    struct arena *arena;
    /* n: number of texts; width: numbers in a vector, 0: not known yet */
    size_t n, width;
    bool *seen;
    float *all;
};

/* Stores one embedding at its index; the first one sets the width. Returns
 * NULL, or what is wrong with the embedding. */
static const char *take_vector(const struct cjson *cj, const cJSON *item,
                               struct vectors *v)
{
    const cJSON *index = llm_json_get(cj, item, "index"),
                *list = llm_json_get(cj, item, "embedding");
    float *at = NULL;
    size_t width = 0, place;
    if (!cj->IsNumber(index) || !(index->valuedouble >= 0) ||
        !(index->valuedouble < (double)v->n) ||
        v->seen[place = (size_t)index->valuedouble])
        return "\"index\" of an embedding is missing, wrong or given twice";
    if (cj->IsString(list)) {
        if (!llm_floats_decode(text_from(list->valuestring), v->arena, &at,
                               &width))
            return "an embedding is not base64 of 4-byte floats";
    } else {
        const cJSON *number;
        at = ARENA_ARRAY(v->arena, float, cj->GetArraySize(list) + 1);
        cJSON_ArrayForEach(number, list)
        {
            at[width] = (float)number->valuedouble;
            if (!cj->IsNumber(number) || !isfinite(at[width]))
                return "an embedding holds a value that is not a number";
            width++;
        }
    }
    if (!v->all) {
        v->width = width;
        v->all = ARENA_ARRAY(v->arena, float, v->n *width + 1);
    }
    if (width == 0 || width != v->width)
        return "embeddings are empty or differ in width";
    memcpy(v->all + place * width, at, width * sizeof *at);
    v->seen[place] = true;
    return NULL;
}

static void take_vectors(const struct cjson *cj, const cJSON *body,
                         const struct llm_request *request, struct arena *arena,
                         struct llm_reply *reply)
{
    const cJSON *list = llm_json_get(cj, body, "data"), *item;
    size_t n = request->n_inputs, count = 0;
    struct vectors vectors = {
        .arena = arena, .n = n, .seen = ARENA_ARRAY(arena, bool, n + 1)};
    const char *bad = NULL;
    cJSON_ArrayForEach(item, list)
    {
        bad = bad ? bad : take_vector(cj, item, &vectors);
        count++;
    }
    if (!bad && (!cj->IsArray(list) || count != n))
        bad = "the number of embeddings is not that of the texts";
    if (bad) {
        llm_unknown(reply, arena, "the reply cannot be used: %s", bad);
        return;
    }
    reply->vectors = vectors.all;
    reply->width = vectors.width;
    reply->n_vectors = n;
    reply->known = true;
}

void llm_wire_reply(const struct cjson *cj, const struct llm_request *request,
                    struct text body, struct arena *arena,
                    struct llm_reply *reply)
{
    if (llm_stream_reply(cj, request, body, arena, reply))
        return;
    cJSON *json = cj->ParseWithLength(body.at, body.len);
    if (!cj->IsObject(json)) {
        llm_unknown(reply, arena, "the reply is not a JSON object");
        cj->Delete(json);
        return;
    }
    if (request->kind == LLM_CHAT)
        take_choice(cj, json, arena, reply);
    else
        take_vectors(cj, json, request, arena, reply);
    reply->model = wire_string(cj, json, "model", arena);
    if (!reply->model[0])
        reply->model = llm_request_model(request);
    reply->fingerprint = wire_string(cj, json, "system_fingerprint", arena);
    if (reply->known)
        llm_wire_usage(cj, llm_json_get(cj, json, "usage"), request, reply);
    cj->Delete(json);
}

void llm_wire_error(const struct cjson *cj, struct text body,
                    struct arena *arena, struct llm_wire_error *out)
{
    cJSON *json = cj->ParseWithLength(body.at, body.len);
    const cJSON *error = llm_json_get(cj, json, "error");
    *out = (struct llm_wire_error){"", ""};
    if (cj->IsObject(error)) {
        out->message = wire_string(cj, error, "message", arena);
        out->code = wire_string(cj, error, "code", arena);
    } else if (cj->IsString(error)) { /* the form of Ollama's own interface */
        out->message = wire_string(cj, json, "error", arena);
    } else { /* the form of FastAPI and of vLLM before 0.10 */
        out->message = wire_string(cj, json, "message", arena);
        if (!out->message[0])
            out->message = wire_string(cj, json, "detail", arena);
    }
    cj->Delete(json);
}

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

static bool llm_json_complain(char *complaint, const struct llm_field *field,
                              const char *what)
{
    snprintf(complaint, LLM_COMPLAINT_MAX, "field \"%s\" %s", field->name,
             what);
    return false;
}

static bool llm_json_take_string(const struct cjson *cj,
                                 const struct llm_field *field,
                                 const cJSON *item, struct arena *arena,
                                 const char **out, char *complaint)
{
    if (!cj->IsString(item))
        return llm_json_complain(complaint, field, "must be a string");
    size_t len = strlen(item->valuestring);
    const size_t max =
        field->max && field->type == LLM_STRING ? field->max : LLM_STRING_MAX;
    if (len > max && (field->required || field->choices))
        return llm_json_complain(complaint, field, "is too long");
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

static bool llm_json_take_number(const struct cjson *cj,
                                 const struct llm_field *field,
                                 const cJSON *item, double *out,
                                 char *complaint)
{
    /* Models whose server enforces no schema often write numbers in quotes. */
    if (cj->IsString(item)) {
        if (!text_to_double(text_trim(text_from(item->valuestring)), out))
            return llm_json_complain(complaint, field, "must be a number");
    } else if (!cj->IsNumber(item) || !isfinite(item->valuedouble)) {
        return llm_json_complain(complaint, field, "must be a number");
    } else {
        *out = item->valuedouble;
    }
    if (field->type == LLM_INTEGER &&
        (floor(*out) != *out || fabs(*out) > 9007199254740992.0))
        return llm_json_complain(complaint, field, "must be a whole number");
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
        return llm_json_complain(complaint, field,
                                 "must be an array of strings");
    size_t n = 0, max = field->max ? field->max : LLM_LIST_MAX;
    const cJSON *element;
    cJSON_ArrayForEach(element, item) n++;
    if (n > max)
        return llm_json_complain(complaint, field, "has too many elements");
    const char **list = ARENA_ARRAY(arena, const char *, n + 1);
    cJSON_ArrayForEach(element, item)
    {
        if (!llm_json_take_string(cj, field, element, arena, &list[out->n_list],
                                  complaint))
            return llm_json_complain(complaint, field,
                                     "must be an array of strings");
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
    return good || llm_json_complain(complaint, field, "must be true or false");
}

static bool llm_json_take(const struct cjson *cj, const struct llm_field *field,
                          const cJSON *item, struct arena *arena,
                          struct llm_value *out, char *complaint)
{
    if (!item || cj->IsNull(item))
        return !field->required ||
               llm_json_complain(complaint, field, "is missing");
    out->present = true;
    switch (field->type) {
    case LLM_STRING:
        return llm_json_take_string(cj, field, item, arena, &out->string,
                                    complaint);
    case LLM_NUMBER:
    case LLM_INTEGER:
        return llm_json_take_number(cj, field, item, &out->number, complaint);
    case LLM_BOOL:
        return take_bool(cj, field, item, &out->number, complaint);
    case LLM_LIST:
        return take_list(cj, field, item, arena, out, complaint);
    case LLM_END:
        break;
    }
    return false;
}

/* Writes the JSON of a constant of Python that the text begins with. Returns
 * the length of the constant; 0: there is none. */
static size_t write_constant(struct text t, struct out *out)
{
    static const char *const words[][2] = {
        {"None", "null"}, {"True", "true"}, {"False", "false"}};
    for (size_t w = 0; w < 3; w++) {
        if (!text_starts(t, words[w][0]))
            continue;
        out_text(out, words[w][1]);
        return strlen(words[w][0]);
    }
    return 0;
}

/* Parses an object written as Python writes it: quotes around strings are
 * single, and its constants are None, True and False. */
static cJSON *parse_python(const struct cjson *cj, struct text t,
                           struct arena *arena)
{
    struct out *out = out_to_memory();
    char quote = 0;
    for (size_t i = 0; i < t.len; i++) {
        char c = t.at[i];
        size_t taken = quote ? 0 : write_constant(text_skip(t, i), out);
        if (taken) {
            i += taken - 1;
        } else if (quote && c == '\\' && i + 1 < t.len) {
            i++;
            out_text(out, t.at[i] == '\'' ? "" : "\\");
            out_char(out, t.at[i]);
        } else if (quote ? c == quote : c == '\'' || c == '"') {
            quote = quote ? 0 : c;
            out_char(out, '"');
        } else {
            out_text(out, c == '"' ? "\\" : "");
            out_char(out, c);
        }
    }
    struct text all = out_memory(out);
    const char *copy = arena_copy(arena, all.at, all.len);
    size_t len = all.len;
    out_abandon(out);
    return cj->ParseWithLength(copy, len);
}

/* Parses an object without the commas before closing brackets, which JSON does
 * not allow but models write. */
static cJSON *parse_loose(const struct cjson *cj, struct text t,
                          struct arena *arena)
{
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

/* Parses an object. If that fails, tries again without the commas before
 * closing brackets, which JSON does not allow but models write, then as Python.
 * Returns NULL if that fails too. The caller deletes the object. */
static cJSON *parse_object(const struct cjson *cj, struct text t,
                           struct arena *arena)
{
    cJSON *object = cj->ParseWithLength(t.at, t.len);
    if (!object && t.len)
        object = parse_loose(cj, t, arena);
    return object || !t.len ? object : parse_python(cj, t, arena);
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
        if (!llm_json_take(cj, field, item, arena, &values[i], complaint))
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
