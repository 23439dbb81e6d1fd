/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the server and its key. The key comes from the environment or from a
 * file, and only one header of each request contains it. The code is in
 * llm_transport.c. */
#ifndef MODELS_LLM_ACCESS_H
#define MODELS_LLM_ACCESS_H

#include "schedmate/llm/llm.h"

struct llm_access {
    const char *url; /* address of the server, without a slash at the end */
    const char *key; /* API key, secret; NULL: there is none */
    /* values of the headers OpenAI-Organization and OpenAI-Project, or NULL */
    const char *organization, *project;
};

/* Finds the server and its key. `base_url` and `key_file` are settings; NULL or
 * empty: not set. Without `base_url`, the address is in OPENAI_BASE_URL, else
 * in OPENAI_API_BASE; if neither is set but OPENAI_API_KEY is, it is OpenAI's.
 * Without `key_file`, the key is in SCHEDSIM_LLM_API_KEY, which is sent only to
 * the server that SCHEDSIM_LLM_BASE_URL names, if that is set; else in
 * OPENAI_API_KEY, which is sent only to OpenAI or to the server that
 * OPENAI_BASE_URL or OPENAI_API_BASE names. Returns STATUS_USAGE without a
 * usable address, STATUS_FAILED if the key file cannot be read,
 * STATUS_BAD_INPUT if the key is not valid. No message contains the key, or an
 * address that might contain one. */
enum status llm_access_find(const char *base_url, const char *key_file,
                            const struct llm_env *env, struct llm_access *out,
                            struct error *err) MUST_USE;

/* Finds a second server at `base_url`, which must not be empty. It gets the key
 * of `key_file`, if that is set, and no other. Returns errors as
 * llm_access_find does. */
enum status llm_access_other(const char *base_url, const char *key_file,
                             const struct llm_env *env, struct llm_access *out,
                             struct error *err) MUST_USE;

#endif
