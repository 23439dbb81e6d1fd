/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings of the layer `http`, with their defaults and sources. */
#include "schedmate/llm/llm_http_internal.h"

const char *const http_server_names[] = {
    "auto", "openai", "vllm", "llama.cpp", "ollama", "other", NULL};

const struct option http_options[] = {
    OPT_TEXT(struct http_config, base_url, "base_url", "",
             "address of the server, /v1 included; empty: $OPENAI_BASE_URL, "
             "else $OPENAI_API_BASE",
             NULL, .reach = "sends to a server"),
    OPT_TEXT(struct http_config, key_file, "key_file", "",
             "file that holds the API key and nothing else; empty: "
             "$SCHEDSIM_LLM_API_KEY, which is sent only to the server of "
             "$SCHEDSIM_LLM_BASE_URL if that is set; $OPENAI_API_KEY is sent "
             "only to the server of $OPENAI_BASE_URL or to OpenAI",
             NULL, .reach = "sends a file to a server"),
    OPT_TEXT(struct http_config, embed_base_url, "embed_base_url", "",
             "address of the server of embeddings, /v1 included; empty: "
             "base_url",
             NULL, .reach = "sends to a server"),
    OPT_TEXT(struct http_config, embed_key_file, "embed_key_file", "",
             "file that holds the API key of embed_base_url and nothing else; "
             "empty: no key is sent to that server",
             NULL, .reach = "sends a file to a server"),
    OPT_U32(struct http_config, thinking_tokens, "thinking_tokens", 4096, 0,
            1000000,
            "tokens that a model may spend on thinking, in addition to those "
            "of its answer",
            "assumed; thinking models of 2026 need 500 to 4,000 for a question "
            "of this kind"),
    OPT_CHOICE(struct http_config, server, "server", 0, http_server_names,
               "kind of the server; auto: judged by its address", NULL),
    OPT_SPAN(struct http_config, deadline, "deadline_s", 30, 0.001, 3600,
             "time limit of a question, repetitions included", "assumed"),
    OPT_SPAN(struct http_config, connect_timeout, "connect_timeout_s", 5, 0.001,
             600, "time limit to connect to the server",
             "openai-python 2026, _constants.py"),
    OPT_U32(struct http_config, retries, "retries", 2, 0, 10,
            "times that a question is repeated after an error that may be "
            "temporary",
            "openai-python 2026, _constants.py"),
    OPT_U32(struct http_config, concurrency, "concurrency", 4, 1, 256,
            "largest number of questions that the server works on at one time",
            "assumed"),
    OPT_U32(struct http_config, breaker_failures, "breaker_failures", 5, 1,
            1000,
            "number of failed questions in a row after which the server "
            "is not asked for a while",
            "assumed"),
    OPT_SPAN(struct http_config, breaker_pause, "breaker_pause_s", 60, 0.001,
             86400, "time for which the server is then not asked", "assumed"),
    OPT_U32(struct http_config, reply_mib, "reply_mib", 16, 1, 1024,
            "largest reply that is read, MiB; a larger one counts as a failure",
            "assumed"),
    {0},
};
