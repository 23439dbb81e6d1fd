/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends one HTTP request with libcurl, which is loaded at the first request.
 * Only llm_transport.c uses libcurl. */
#ifndef SIM_LLM_TRANSPORT_H
#define SIM_LLM_TRANSPORT_H

#include "schedmate/llm/llm.h"
#include "schedmate/llm/llm_retry.h"

struct llm_post {
    const char *url, *body;
    const char *const *headers; /* lines of the header; ends with NULL */
    sim_span connect_timeout, timeout;
    size_t body_max; /* largest size of a reply, bytes */
    /* current time, us since 1970 UTC, to turn a date in a header into a
     * wait */
    sim_time utc;
};

struct llm_answer {
    struct llm_outcome outcome;
    /* body of the reply, in the arena; empty if there is none */
    struct text body;
    /* why there is no reply, such as libcurl's error text; "" if there is
     * one */
    const char *trouble;
    /* True if the reply was larger than body_max: it was dropped, and asking
     * again does not help. */
    bool too_large;
};

/* Sends the request. Returns STATUS_OK for a reply with any HTTP status and
 * also if there is no reply (outcome.http is then 0); STATUS_FAILED if libcurl
 * is missing or cannot be started. */
enum status llm_post(const struct llm_post *post, struct arena *arena,
                     struct llm_answer *answer, struct error *err) MUST_USE;

/* Chooses the server and its key. The key comes from the environment or from a
 * file, and only one header of each request contains it. */

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
