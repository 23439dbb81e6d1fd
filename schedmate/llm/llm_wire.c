/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/llm/llm_wire.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/llm/llm_schema.h"
#include "schedmate/llm/llm_text.h"

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

static const cJSON *get(const struct cjson *cj, const cJSON *object,
                        const char *name)
{
    return cj->GetObjectItemCaseSensitive(object, name);
}

static const char *string(const struct cjson *cj, const cJSON *object,
                          const char *name, struct arena *arena)
{
    const cJSON *item = get(cj, object, name);
    return cj->IsString(item)
               ? llm_utf8_copy(arena, text_from(item->valuestring))
               : "";
}

/* Reads a number of tokens, 0..1e12. Returns false, with *out unchanged, if
 * there is none. */
static bool tokens(const struct cjson *cj, const cJSON *object,
                   const char *name, uint64_t *out)
{
    const cJSON *item = get(cj, object, name);
    if (!cj->IsNumber(item) || !(item->valuedouble >= 0) ||
        item->valuedouble > 1e12)
        return false;
    *out = (uint64_t)item->valuedouble;
    return true;
}

/* Estimates tokens if the server gave no counts: bytes / 4, OpenAI's rule of
 * thumb for English (help page "What are tokens and how to count them"). */
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

void llm_wire_usage(const struct cjson *cj, const cJSON *usage,
                    const struct llm_request *request, struct llm_reply *reply)
{
    struct llm_usage *out = &reply->usage;
    if (!tokens(cj, usage, "prompt_tokens", &out->prompt) ||
        (request->kind == LLM_CHAT &&
         !tokens(cj, usage, "completion_tokens", &out->completion))) {
        estimate(request, reply);
        return;
    }
    tokens(cj, get(cj, usage, "prompt_tokens_details"), "cached_tokens",
           &out->cached);
    tokens(cj, get(cj, usage, "completion_tokens_details"), "reasoning_tokens",
           &out->reasoning);
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
static const char *content_of(const struct cjson *cj, const cJSON *message,
                              struct arena *arena)
{
    const cJSON *content = get(cj, message, "content"), *part;
    if (cj->IsString(content))
        return content->valuestring;
    if (!cj->IsArray(content))
        return NULL;
    struct out *out = out_to_memory();
    bool any = false;
    cJSON_ArrayForEach(part, content)
    {
        const cJSON *text = cj->IsString(part) ? part : get(cj, part, "text");
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
    return cj->IsString(get(cj, message, "reasoning_content")) ||
           cj->IsString(get(cj, message, "reasoning"));
}

static void take_choice(const struct cjson *cj, const cJSON *body,
                        struct arena *arena, struct llm_reply *reply)
{
    const cJSON *list = get(cj, body, "choices");
    const cJSON *choice = cj->GetArrayItem(list, 0);
    const cJSON *message = get(cj, choice, "message");
    reply->finish_reason = string(cj, choice, "finish_reason", arena);
    if (!cj->IsArray(list)) {
        llm_unknown(reply, arena, "the reply has no list of choices");
    } else if (!choice) {
        llm_unknown(reply, arena, "the reply has no choice");
    } else if (cj->IsString(get(cj, message, "refusal"))) {
        llm_unknown(reply, arena, "the model refuses to answer: %.200s",
                    string(cj, message, "refusal", arena));
    } else if (strcmp(reply->finish_reason, "content_filter") == 0) {
        llm_unknown(reply, arena, "a filter of the server withheld the answer");
    } else {
        llm_wire_content(content_of(cj, message, arena),
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
    const cJSON *index = get(cj, item, "index"),
                *list = get(cj, item, "embedding");
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
    const cJSON *list = get(cj, body, "data"), *item;
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
    reply->model = string(cj, json, "model", arena);
    if (!reply->model[0])
        reply->model = llm_request_model(request);
    reply->fingerprint = string(cj, json, "system_fingerprint", arena);
    if (reply->known)
        llm_wire_usage(cj, get(cj, json, "usage"), request, reply);
    cj->Delete(json);
}

void llm_wire_error(const struct cjson *cj, struct text body,
                    struct arena *arena, struct llm_wire_error *out)
{
    cJSON *json = cj->ParseWithLength(body.at, body.len);
    const cJSON *error = get(cj, json, "error");
    *out = (struct llm_wire_error){"", ""};
    if (cj->IsObject(error)) {
        out->message = string(cj, error, "message", arena);
        out->code = string(cj, error, "code", arena);
    } else if (cj->IsString(error)) { /* the form of Ollama's own interface */
        out->message = string(cj, json, "error", arena);
    } else { /* the form of FastAPI and of vLLM before 0.10 */
        out->message = string(cj, json, "message", arena);
        if (!out->message[0])
            out->message = string(cj, json, "detail", arena);
    }
    cj->Delete(json);
}
