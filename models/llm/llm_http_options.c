/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings of the layer `http`, with their defaults and sources. */
#include "models/llm/llm_http_internal.h"

const char *const http_server_names[] = {
    "auto", "openai", "vllm", "llama.cpp", "ollama", "other", NULL};

const struct option http_options[] = {
    OPT_TEXT(struct http_config, base_url, "base_url", "",
             "the server, with /v1; empty: OPENAI_BASE_URL, else "
             "OPENAI_API_BASE",
             NULL),
    OPT_TEXT(struct http_config, key_file, "key_file", "",
             "file that holds the API key alone; empty: SCHEDSIM_LLM_API_KEY; "
             "OPENAI_API_KEY is sent only where OPENAI_BASE_URL points to, or "
             "to OpenAI",
             NULL),
    OPT_TEXT(struct http_config, embed_base_url, "embed_base_url", "",
             "the server of embeddings, with /v1; empty: the server of chats",
             NULL),
    OPT_TEXT(struct http_config, embed_key_file, "embed_key_file", "",
             "file that holds the API key of embed_base_url alone; empty: no "
             "key is sent there",
             NULL),
    OPT_U32(struct http_config, thinking_tokens, "thinking_tokens", 4096, 0,
            1000000,
            "tokens that a model may think, on top of those of an answer",
            "assumed; thinking models of 2026 need 500 to 4,000 for a question "
            "of this kind"),
    OPT_CHOICE(struct http_config, server, "server", 0, http_server_names,
               "kind of server to expect; auto: by the address", NULL),
    OPT_SPAN(struct http_config, deadline, "deadline_s", 30, 0.001, 3600,
             "time limit of one question, repetitions included", "assumed"),
    OPT_SPAN(struct http_config, connect_timeout, "connect_timeout_s", 5, 0.001,
             600, "time limit to connect to the server",
             "openai-python 2026, _constants.py"),
    OPT_U32(struct http_config, retries, "retries", 2, 0, 10,
            "repetitions of one question, after errors that may pass",
            "openai-python 2026, _constants.py"),
    OPT_U32(struct http_config, concurrency, "concurrency", 4, 1, 256,
            "questions put to the server at a time", "assumed"),
    OPT_U32(struct http_config, breaker_failures, "breaker_failures", 5, 1,
            1000, "failed questions in a row before the server is left alone",
            "assumed"),
    OPT_SPAN(struct http_config, breaker_pause, "breaker_pause_s", 60, 0.001,
             86400, "how long the server is then left alone", "assumed"),
    OPT_U32(struct http_config, reply_mib, "reply_mib", 16, 1, 1024,
            "a larger reply is refused", "assumed"),
    {0},
};
