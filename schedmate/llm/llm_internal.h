/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the layers of the language model share: servers, requests and replies,
 * retries, recordings. */
#ifndef SCHEDMATE_LLM_LLM_INTERNAL_H
#define SCHEDMATE_LLM_LLM_INTERNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/text.h"
#include "schedmate/llm/llm.h"
#include "schedmate/llm/llm_json.h"

/* == llm_recording.c: A recording of replies. The file is only appended to,
 * except that a last line that was cut off is removed first. Each line is one
 * record, a JSON object:
 *
 *     {"key": 64 hex digits, "kind": "chat"|"embed", "model": ..., "reply":
 *      {"content": ..., "finish_reason": ...} | {"embedding": [...]}, "usage":
 *      {"prompt", "completion", "cached", "reasoning", "estimated"},
 *      "system_fingerprint", "latency_ms", "created", "server", "attempt",
 *      "request": the question, if the user wants it recorded}
 *
 * An embedding is base64 of little-endian floats, one string per input. A
 * record with "failed": WHY and a reply that is null means that there was no
 * answer; "too_long" is true if that was the reason. "attempt" is the number of
 * requests sent. The last record of a key counts. The API key and the address
 * of the server are not recorded. */

struct recording;

/* Reads `path`. A missing file counts as an empty recording, unless
 * `must_exist` is true. A last line that was cut off is skipped; any other
 * damage is STATUS_BAD_INPUT with file, line and column. A file that cannot be
 * read is STATUS_FAILED, one that is not a regular file or is larger than 1 GiB
 * STATUS_BAD_INPUT. The caller owns *out, which is NULL after an error. */
enum status recording_open(const char *path, bool must_exist,
                           struct recording **out, struct error *err) MUST_USE;
void recording_free(struct recording *recording); /* accepts NULL */

/* Fills in *reply, which llm_ask has cleared, from the last record of the key.
 * Returns false if there is none. After a record of a failure it returns true,
 * with reply->known false. Texts and vectors lie in the arena. */
bool recording_find(const struct recording *recording, const char *key,
                    struct arena *arena, struct llm_reply *reply) MUST_USE;

/* Appends a record with one write and one fsync; from then on recording_find
 * finds it. The reply must be known or too long. `created` is in microseconds
 * since 1970 UTC. If `with_request` is true, the question is recorded too. If
 * the file cannot be written, returns STATUS_FAILED and adds nothing. */
enum status recording_add(struct recording *recording,
                          const struct llm_request *request, const char *key,
                          const struct llm_reply *reply, sim_time created,
                          bool with_request, struct error *err) MUST_USE;

/* The inside of a recording, for llm_recording.c, which reads it,
 * llm_recording.c, which adds to it, and their tests. */

struct recording {
    char *path;
    struct interner keys;
    json_t **records; /* indexed by the symbol of the key */
    size_t cap;
    off_t whole; /* number of bytes up to the end of the last whole line */
    off_t size;  /* size of the file when it was read, bytes */
    /* true if the file ends with a part of a record, after `whole` */
    bool cut;
    bool unended; /* true if the last record is whole but has no newline */
    bool writable;
};

/* Reads a recording from memory instead of a file; `name` is used in messages.
 * Nothing can be added to this recording. Damage is reported as by
 * recording_open. The caller owns *out. */
enum status recording_read(const char *name, struct text text,
                           struct recording **out, struct error *err) MUST_USE;

/* == Decides when to ask a server again, as openai-python 2026
 * (_base_client.py) does, and when to leave the server alone for a while. Reads
 * no clock: the caller gives the time. The code is in llm_http.c. */

enum llm_should { LLM_SHOULD_UNSAID, LLM_SHOULD_YES, LLM_SHOULD_NO };

/* The result of one request. */
struct llm_outcome {
    /* HTTP status; 0: no whole reply, such as without a connection, after the
     * timeout, or if the reply is too large */
    int http;
    /* true for the error insufficient_quota: asking again does not help */
    bool quota;
    enum llm_should should; /* what the header x-should-retry says */
    /* The wait that the server asks for, us, from the header retry-after-ms or
     * retry-after (seconds, or a date minus the time of the request). 0 or
     * less: the server asks for none. */
    sim_span retry_after;
};

struct llm_backoff {
    uint32_t retries; /* largest number of repetitions of one request */
    /* wait after try n = 0, 1, ..., us: `first` x 2^n, at most `most` */
    sim_span first, most;
    /* us; a server that asks for a longer wait is not asked again */
    sim_span retry_after_most;
};

/* Returns true to ask again after try number `n`, counted from 0, and sets
 * *delay to the wait, us. This is the wait that the server asks for; if it asks
 * for none, that of `backoff`, which `jitter`, in [0, 1), shortens by up to a
 * quarter. If false is returned, *delay means nothing. */
bool llm_retry_after(const struct llm_backoff *backoff,
                     const struct llm_outcome *outcome, uint32_t n,
                     double jitter, sim_span *delay) MUST_USE;

/* A circuit breaker. After `failures` consecutive failures it blocks requests
 * for `pause` (us), then lets one request through per `pause` until one
 * succeeds. */
struct llm_breaker {
    uint32_t in_a_row; /* number of failures since the last success */
    /* Time until which requests are blocked, us of the caller's clock; 0: not
     * blocked. */
    sim_time open_until;
};

/* == llm_server.c: The differences between OpenAI-compatible servers, one row
 * per server, and what was learned about the server in use. */

/* The form in which a server is asked for an answer that fits the schema. */
enum llm_form {
    LLM_FORM_SCHEMA,     /* response_format json_schema (OpenAI) */
    LLM_FORM_STRUCTURED, /* structured_outputs (vLLM since 0.12) */
    /* response_format json_object, and the schema in the prompt */
    LLM_FORM_OBJECT,
    LLM_FORM_PLAIN, /* the schema is only in the prompt */
    LLM_FORMS
};

struct llm_server {
    const char *name;
    /* A server at this host or this port is of this kind; NULL: not used. */
    const char *host, *port;
    /* Forms in the order in which they are tried; the last is
     * LLM_FORM_PLAIN. */
    enum llm_form forms[LLM_FORMS + 1];
    /* True: also send response_format.schema, which older builds of llama.cpp
     * expect. */
    bool schema_on_top;
    /* true: send max_completion_tokens in place of max_tokens */
    bool new_token_field;
};

/* Finds a server by name, or by its address `url` if `name` is "auto". Returns
 * the row "other" if no server matches. */
const struct llm_server *llm_server_find(const char *name, struct text url);

/* What was learned from requests that the server refused. Begin with a zeroed
 * struct. */
struct llm_learned {
    unsigned form; /* index in `forms` of the form in use */
    bool swap_token_field, no_seed, no_temperature, no_top_p;
    bool stream; /* true: the server answers only as a stream of events */
};

/* Call this after a reply with HTTP status 400, 413, 422 or 5xx. If the
 * complaint names a field that can be left out or sent in another form, and
 * that was not yet done, changes *learned and returns true. After a status of
 * 5xx (`failed` true), only a complaint about the schema counts, because with
 * 5xx servers report a grammar that they cannot build. The caller allows at
 * most LLM_LESSONS_MAX changes. */
#define LLM_LESSONS_MAX 8
bool llm_server_learn(const struct llm_server *server, struct text complaint,
                      bool has_schema, bool failed,
                      struct llm_learned *learned);

/* True if a server complains that a request exceeds the context of the model,
 * or that it has too many texts to embed at a time. */
bool llm_server_too_long(struct text complaint);

/* == llm_transport.c: Sends one HTTP request with libcurl, which is loaded at
 * the first request. Only llm_transport.c uses libcurl. */

struct llm_post {
    const char *url;
    const char *body;           /* NULL: the request is a GET */
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

/* == Writes requests and reads replies of the OpenAI-compatible interface,
 * which are JSON. */

/* Returns the body of the request as JSON; the caller frees it. A chat's reply
 * may have request->max_tokens tokens, and `thinking_tokens` more for the
 * thoughts of the model before its answer. If request->max_tokens is 0, no
 * limit is sent. */
char *llm_wire_request(const struct cjson *cj,
                       const struct llm_request *request,
                       const struct llm_server *server,
                       const struct llm_learned *learned,
                       uint32_t thinking_tokens);

/* Reads the body of a reply with HTTP status 200, as one JSON object or as a
 * stream of events. A body that cannot be used counts as no answer; reply->why
 * has the reason. */
void llm_wire_reply(const struct cjson *cj, const struct llm_request *request,
                    struct text body, struct arena *arena,
                    struct llm_reply *reply);

/* Reads the body of a reply that came as a stream of events
 * (text/event-stream). Returns false, and leaves *reply as it is, if the
 * request is not a chat or the body is not a stream. */
bool llm_stream_reply(const struct cjson *cj, const struct llm_request *request,
                      struct text body, struct arena *arena,
                      struct llm_reply *reply);

/* Stores in *reply the answer of a model, or why there is none. `content`: the
 * text of the answer, or NULL; `thought`: true if the reply holds thoughts
 * apart from the answer. reply->finish_reason must be set. */
void llm_wire_content(const char *content, bool thought, struct arena *arena,
                      struct llm_reply *reply);

/* Stores the counts of tokens in reply->usage, or an estimate if `usage` lacks
 * them or is NULL. reply->text must be set. */
void llm_wire_usage(const struct cjson *cj, const cJSON *usage,
                    const struct llm_request *request, struct llm_reply *reply);

/* The error in the body of a reply with an HTTP status other than 200:
 * {"error": {message, type, param, code}}, or one of the other forms that
 * servers use. */
struct llm_wire_error {
    const char *message, *code; /* in the arena; "": not given */
};
void llm_wire_error(const struct cjson *cj, struct text body,
                    struct arena *arena, struct llm_wire_error *out);

#endif
