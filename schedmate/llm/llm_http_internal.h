/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings of the layer `http`. */
#ifndef MODELS_LLM_HTTP_INTERNAL_H
#define MODELS_LLM_HTTP_INTERNAL_H

#include "base/option.h"

struct http_config {
    const char *base_url, *key_file, *embed_base_url, *embed_key_file;
    unsigned server;
    uint32_t retries, concurrency, breaker_failures, reply_mib;
    uint32_t thinking_tokens;
    sim_span deadline, connect_timeout, breaker_pause;
};

/* Values of the setting `server`; ends with NULL. */
extern const char *const http_server_names[];
extern const struct option http_options[];

#endif
