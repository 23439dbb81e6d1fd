/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/llm_wire.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/llm_schema.h"
#include "models/llm_text.h"

static cJSON *schema_of(const struct llm_schema *schema)
{
    struct out *out = out_to_memory();
    llm_schema_json(schema, false, out);
    struct text t = out_memory(out);
    cJSON *json = cJSON_ParseWithLength(t.at, t.len);
    out_abandon(out);
    return json;
}

static void add_form(cJSON *body, const struct llm_schema *schema,
                     const struct llm_server *server, enum llm_form form)
{
    cJSON *format;
    switch (form) {
    case LLM_FORM_SCHEMA:
        format = cJSON_AddObjectToObject(body, "response_format");
        cJSON_AddStringToObject(format, "type", "json_schema");
        cJSON *inner = cJSON_AddObjectToObject(format, "json_schema");
        cJSON_AddStringToObject(inner, "name", schema->name);
        cJSON_AddTrueToObject(inner, "strict");
        cJSON_AddItemToObject(inner, "schema", schema_of(schema));
        if (server->schema_on_top)
            cJSON_AddItemToObject(format, "schema", schema_of(schema));
        break;
    case LLM_FORM_STRUCTURED:
        format = cJSON_AddObjectToObject(body, "structured_outputs");
        cJSON_AddItemToObject(format, "json", schema_of(schema));
        break;
    case LLM_FORM_OBJECT:
        format = cJSON_AddObjectToObject(body, "response_format");
        cJSON_AddStringToObject(format, "type", "json_object");
        break;
    case LLM_FORM_PLAIN:
    case LLM_FORMS:
        break;
    }
}

static void add_message(cJSON *list, const char *role, const char *content)
{
    cJSON *message = cJSON_CreateObject();
    cJSON_AddStringToObject(message, "role", role);
    cJSON_AddStringToObject(message, "content", content);
    cJSON_AddItemToArray(list, message);
}

/* Where the server is not given the schema the prompt has to show it; servers
 * refuse json_object unless the word JSON is in a message. It follows the first
 * system message: more than one of these is refused by many chat templates. */
static void add_messages(cJSON *body, const struct llm_request *request,
                         bool show_schema)
{
    static const char *const roles[] = {[LLM_SYSTEM] = "system",
                                        [LLM_USER] = "user",
                                        [LLM_ASSISTANT] = "assistant"};
    cJSON *list = cJSON_AddArrayToObject(body, "messages");
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
        add_message(list, "system", out_memory(out).at);
    out_abandon(out);
    for (size_t i = system; i < request->n_messages; i++)
        add_message(list, roles[request->messages[i].role],
                    request->messages[i].content);
}

static void add_sampling(cJSON *body, const struct llm_request *request,
                         const struct llm_server *server,
                         const struct llm_learned *learned)
{
    const struct llm_sampling *sampling = request->sampling;
    if (!learned->no_temperature)
        cJSON_AddNumberToObject(body, "temperature", sampling->temperature);
    if (!learned->no_top_p)
        cJSON_AddNumberToObject(body, "top_p", sampling->top_p);
    if (!learned->no_seed)
        cJSON_AddNumberToObject(body, "seed", sampling->seed);
    if (request->max_tokens)
        cJSON_AddNumberToObject(body,
                                server->new_token_field !=
                                        learned->swap_token_field
                                    ? "max_completion_tokens"
                                    : "max_tokens",
                                request->max_tokens);
}

static void add_inputs(cJSON *body, const struct llm_request *request)
{
    cJSON *list = cJSON_AddArrayToObject(body, "input");
    for (size_t i = 0; i < request->n_inputs; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(request->inputs[i]));
    cJSON_AddStringToObject(body, "encoding_format", "float");
}

char *llm_wire_request(const struct llm_request *request,
                       const struct llm_server *server,
                       const struct llm_learned *learned)
{
    enum llm_form form = server->forms[learned->form];
    cJSON *body = cJSON_CreateObject();
    cJSON_AddStringToObject(body, "model", llm_request_model(request));
    if (request->kind == LLM_EMBED) {
        add_inputs(body, request);
    } else {
        bool show = request->schema &&
                    (form == LLM_FORM_OBJECT || form == LLM_FORM_PLAIN);
        add_messages(body, request, show);
        add_sampling(body, request, server, learned);
        if (request->schema)
            add_form(body, request->schema, server, form);
    }
    char *text = cJSON_PrintUnformatted(body);
    cJSON_Delete(body);
    return text;
}

static const cJSON *get(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static const char *string(const cJSON *object, const char *name,
                          struct arena *arena)
{
    const cJSON *item = get(object, name);
    return cJSON_IsString(item)
               ? llm_utf8_copy(arena, text_from(item->valuestring))
               : "";
}

/* False if it is no count of tokens. */
static bool tokens(const cJSON *object, const char *name, uint64_t *out)
{
    const cJSON *item = get(object, name);
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) ||
        item->valuedouble > 1e12)
        return false;
    *out = (uint64_t)item->valuedouble;
    return true;
}

/* Without a word of the server: bytes / 4, OpenAI's rule of thumb for English
 * (help page "What are tokens and how to count them"). */
static void estimate(const struct llm_request *request, struct llm_reply *reply)
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

static void take_usage(const cJSON *body, const struct llm_request *request,
                       struct llm_reply *reply)
{
    const cJSON *usage = get(body, "usage");
    struct llm_usage *out = &reply->usage;
    if (!tokens(usage, "prompt_tokens", &out->prompt) ||
        (request->kind == LLM_CHAT &&
         !tokens(usage, "completion_tokens", &out->completion))) {
        estimate(request, reply);
        return;
    }
    tokens(get(usage, "prompt_tokens_details"), "cached_tokens", &out->cached);
    tokens(get(usage, "completion_tokens_details"), "reasoning_tokens",
           &out->reasoning);
}

static void take_choice(const cJSON *body, struct arena *arena,
                        struct llm_reply *reply)
{
    const cJSON *list = get(body, "choices");
    const cJSON *choice = cJSON_GetArrayItem(list, 0);
    const cJSON *message = get(choice, "message");
    const cJSON *content = get(message, "content");
    reply->finish_reason = string(choice, "finish_reason", arena);
    if (!cJSON_IsArray(list)) {
        llm_unknown(reply, arena, "the reply has no list of choices");
    } else if (!choice) {
        llm_unknown(reply, arena, "the reply has no choice");
    } else if (cJSON_IsString(get(message, "refusal"))) {
        llm_unknown(reply, arena, "the model refuses: %.200s",
                    string(message, "refusal", arena));
    } else if (strcmp(reply->finish_reason, "content_filter") == 0) {
        llm_unknown(reply, arena, "the server's filter holds the answer back");
    } else if (!cJSON_IsString(content)) {
        llm_unknown(reply, arena, "the reply has no text");
    } else {
        reply->text = llm_utf8_copy(arena, text_from(content->valuestring));
        reply->known = true;
    }
}

/* One embedding into its place; the first one tells the width. */
static const char *take_vector(const cJSON *item, size_t n, struct arena *arena,
                               bool *seen, struct llm_reply *reply, float **all)
{
    const cJSON *index = get(item, "index"), *list = get(item, "embedding");
    float *at = NULL;
    size_t width = 0, place;
    if (!cJSON_IsNumber(index) || !(index->valuedouble >= 0) ||
        !(index->valuedouble < (double)n) ||
        seen[place = (size_t)index->valuedouble])
        return "an embedding has no place of its own";
    if (cJSON_IsString(list)) {
        if (!llm_floats_decode(text_from(list->valuestring), arena, &at,
                               &width))
            return "an embedding is no base64 of floats";
    } else {
        const cJSON *number;
        at = ARENA_ARRAY(arena, float, cJSON_GetArraySize(list) + 1);
        cJSON_ArrayForEach(number, list)
        {
            at[width] = (float)number->valuedouble;
            if (!cJSON_IsNumber(number) || !isfinite(at[width]))
                return "an embedding holds something that is no number";
            width++;
        }
    }
    if (!*all) {
        reply->width = width;
        *all = ARENA_ARRAY(arena, float, n *width + 1);
    }
    if (width == 0 || width != reply->width)
        return "embeddings are empty or differ in width";
    memcpy(*all + place * width, at, width * sizeof *at);
    seen[place] = true;
    return NULL;
}

static void take_vectors(const cJSON *body, const struct llm_request *request,
                         struct arena *arena, struct llm_reply *reply)
{
    const cJSON *list = get(body, "data"), *item;
    size_t n = request->n_inputs, count = 0;
    bool *seen = ARENA_ARRAY(arena, bool, n + 1);
    float *all = NULL;
    const char *bad = NULL;
    cJSON_ArrayForEach(item, list)
    {
        bad = bad ? bad : take_vector(item, n, arena, seen, reply, &all);
        count++;
    }
    if (!bad && (!cJSON_IsArray(list) || count != n))
        bad = "there is not one embedding for each text";
    if (bad) {
        llm_unknown(reply, arena, "the reply is of no use: %s", bad);
        return;
    }
    reply->vectors = all;
    reply->n_vectors = n;
    reply->known = true;
}

void llm_wire_reply(const struct llm_request *request, struct text body,
                    struct arena *arena, struct llm_reply *reply)
{
    cJSON *json = cJSON_ParseWithLength(body.at, body.len);
    if (!cJSON_IsObject(json)) {
        llm_unknown(reply, arena, "the reply is no JSON object");
        cJSON_Delete(json);
        return;
    }
    if (request->kind == LLM_CHAT)
        take_choice(json, arena, reply);
    else
        take_vectors(json, request, arena, reply);
    reply->model = string(json, "model", arena);
    if (!reply->model[0])
        reply->model = llm_request_model(request);
    reply->fingerprint = string(json, "system_fingerprint", arena);
    if (reply->known)
        take_usage(json, request, reply);
    cJSON_Delete(json);
}

void llm_wire_error(struct text body, struct arena *arena,
                    struct llm_wire_error *out)
{
    cJSON *json = cJSON_ParseWithLength(body.at, body.len);
    const cJSON *error = get(json, "error");
    *out = (struct llm_wire_error){"", ""};
    if (cJSON_IsObject(error)) {
        out->message = string(error, "message", arena);
        out->code = string(error, "code", arena);
    } else if (cJSON_IsString(error)) { /* Ollama's own interface */
        out->message = string(json, "error", arena);
    } else { /* vLLM before 0.10, FastAPI */
        out->message = string(json, "message", arena);
        if (!out->message[0])
            out->message = string(json, "detail", arena);
    }
    cJSON_Delete(json);
}
