/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The differences between OpenAI-compatible servers, one row per server, and
 * what was learned about the server in use. */
#include "schedmate/llm/llm_internal.h"

#include <string.h>

/* Sources: the documentation of the four servers, 2026: default ports,
 * response_format, vLLM's structured_outputs (which replaced guided_* in
 * 0.12). */
static const struct llm_server servers[] = {
    {.name = "openai",
     .host = "api.openai.com",
     .forms = {LLM_FORM_SCHEMA, LLM_FORM_OBJECT, LLM_FORM_PLAIN},
     .new_token_field = true},
    {.name = "vllm",
     .port = "8000",
     .forms = {LLM_FORM_SCHEMA, LLM_FORM_STRUCTURED, LLM_FORM_OBJECT,
               LLM_FORM_PLAIN}},
    {.name = "llama.cpp",
     .port = "8080",
     .forms = {LLM_FORM_SCHEMA, LLM_FORM_OBJECT, LLM_FORM_PLAIN},
     .schema_on_top = true},
    {.name = "ollama",
     .port = "11434",
     .forms = {LLM_FORM_SCHEMA, LLM_FORM_OBJECT, LLM_FORM_PLAIN}},
    {.name = "other",
     .forms = {LLM_FORM_SCHEMA, LLM_FORM_STRUCTURED, LLM_FORM_OBJECT,
               LLM_FORM_PLAIN}},
    {0},
};

/* Returns host[:port] of scheme://host[:port]/path; the scheme may be
 * missing. */
static struct text authority(struct text url)
{
    const char *slashes = url.len ? memmem(url.at, url.len, "://", 3) : NULL;
    struct text rest;
    if (slashes)
        url = (struct text){slashes + 3,
                            url.len - (size_t)(slashes + 3 - url.at)};
    return text_split(url, '/', &rest);
}

static bool server_is_at(const struct llm_server *server, struct text place)
{
    const char *colon = place.len ? memrchr(place.at, ':', place.len) : NULL;
    struct text host = place, port = {0};
    if (colon) {
        host.len = (size_t)(colon - place.at);
        port = (struct text){colon + 1, place.len - host.len - 1};
    }
    if (server->host && text_is_nocase(host, server->host))
        return true;
    return server->port && text_is(port, server->port);
}

const struct llm_server *llm_server_find(const char *name, struct text url)
{
    const struct llm_server *server = servers;
    bool by_url = strcmp(name, "auto") == 0;
    struct text place = authority(url);
    while (server[1].name && !(by_url ? server_is_at(server, place)
                                      : strcmp(server->name, name) == 0))
        server++;
    return server;
}

static bool server_names(struct text complaint, const char *field)
{
    return complaint.at && complaint.len &&
           memmem(complaint.at, complaint.len, field, strlen(field));
}

/* Returns true if a complaint uses one of the names that servers have for this
 * form. */
static bool names_form(struct text complaint, enum llm_form form)
{
    static const char *const words[LLM_FORMS][4] = {
        [LLM_FORM_SCHEMA] = {"response_format", "json_schema", "schema",
                             "grammar"},
        [LLM_FORM_STRUCTURED] = {"structured_outputs", "extra_forbidden",
                                 "schema", "grammar"},
        [LLM_FORM_OBJECT] = {"response_format", "json_object", "grammar"},
    };
    for (size_t i = 0; i < 4; i++) {
        if (words[form][i] && server_names(complaint, words[form][i]))
            return true;
    }
    return false;
}

static bool once(bool *flag)
{
    bool first = !*flag;
    *flag = true;
    return first;
}

/* Sources: error texts of OpenAI (context_length_exceeded), vLLM (maximum
 * context length; maximum model length), llama.cpp (exceeds the available
 * context size), TGI (inputs tokens), SGLang (longer than the
 * model's context length), TEI (maximum allowed batch size) in 2026. */
bool llm_server_too_long(struct text complaint)
{
    static const char *const words[] = {
        "context_length_exceeded", "maximum context length",
        "available context size",  "maximum model length",
        "max_model_len",           "model's context length",
        "context window",          "inputs tokens",
        "prompt is too long",      "input is too long",
        "maximum allowed batch",   "batch size",
        "too many inputs",         "exceed_context_size",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (server_names(complaint, words[i]))
            return true;
    }
    return false;
}

static bool wants_stream(struct text complaint)
{
    return server_names(complaint, "stream") &&
           (server_names(complaint, "only") ||
            server_names(complaint, "must") ||
            server_names(complaint, "require"));
}

bool llm_server_learn(const struct llm_server *server, struct text complaint,
                      bool has_schema, bool failed, struct llm_learned *learned)
{
    enum llm_form form = server->forms[learned->form];
    bool of_form =
        has_schema && form != LLM_FORM_PLAIN && names_form(complaint, form);
    if (failed) {
        learned->form += of_form;
        return of_form;
    }
    if (wants_stream(complaint))
        return once(&learned->stream);
    if (server_names(complaint, "max_tokens") ||
        server_names(complaint, "max_completion_tokens"))
        return once(&learned->swap_token_field);
    if (of_form) {
        learned->form++;
        return true;
    }
    if (server_names(complaint, "temperature"))
        return once(&learned->no_temperature);
    if (server_names(complaint, "top_p"))
        return once(&learned->no_top_p);
    return server_names(complaint, "seed") && once(&learned->no_seed);
}
