/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Composes the chain of llm layers from what the user named and from the
 * environment, and gives out the client that the modules of SchedMate ask. The
 * system's clock comes in here and nowhere below. */
#ifndef SIM_BACKEND_H
#define SIM_BACKEND_H

#include "models/llm.h"

struct out;

struct backend_settings {
    /* "rules", "http[:key=value,...]" or "replay"; NULL: rules. Settings are
     * those of the layer and of llm_sampling_options. */
    const char *llm;
    /* A recording in front of it, and its mode; NULL: SCHEDSIM_LLM_CACHE,
     * SCHEDSIM_LLM_CACHE_MODE, else none. */
    const char *cache, *cache_mode;
};

struct backend;
struct llm_client; /* models/llm_client.h */

/* Owned by the caller. Strings of the settings are copied. */
enum status backend_open(const struct backend_settings *settings,
                         struct backend **out, struct error *err) MUST_USE;
void backend_free(struct backend *backend); /* accepts NULL */

/* Borrowed from the backend. */
struct llm_client *backend_client(struct backend *backend);
/* "rules", "http", "replay" or "http with a recording". */
const char *backend_name(const struct backend *backend);

/* One line a module, and one for all: questions, hits, tokens, seconds. Nothing
 * if nothing was asked. */
void backend_report(const struct backend *backend, struct out *out);

/* What every model is asked with. */
const struct option *backend_options(size_t *config_size);

#endif
