/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks an OpenAI-compatible server. Limits the repetitions and the time of a
 * question, and the number of questions in flight. llm_wire.c writes requests
 * and reads replies; llm_server.c describes the differences between servers. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "schedmate/llm/llm_access.h"
#include "schedmate/llm/llm_http_internal.h"
#include "schedmate/llm/llm_schema.h"
#include "schedmate/llm/llm_server.h"
#include "schedmate/llm/llm_transport.h"
#include "schedmate/llm/llm_wire.h"

struct http {
    const struct http_config *config;
    const struct llm_clock *clock;
    const struct llm_server *server;
    struct llm_access access; /* server and key for chats */
    struct llm_access embed;  /* server and key for embeddings */
    pthread_mutex_t lock;     /* guards the fields below */
    pthread_cond_t freed;
    uint32_t in_flight, lessons;
    struct llm_learned learned;
    struct llm_breaker breaker;
};

static enum status http_init(void *self, const void *config,
                             const struct llm_env *env, struct error *err)
{
    struct http *http = self;
    http->config = config;
    http->clock = env->clock;
    pthread_mutex_init(&http->lock, NULL);
    pthread_cond_init(&http->freed, NULL);
    enum status st =
        llm_access_find(http->config->base_url, http->config->key_file, env,
                        &http->access, err);
    http->embed = http->access;
    if (st == STATUS_OK && http->config->embed_base_url[0])
        st = llm_access_other(http->config->embed_base_url,
                              http->config->embed_key_file, env, &http->embed,
                              err);
    if (st == STATUS_OK)
        http->server = llm_server_find(http_server_names[http->config->server],
                                       text_from(http->access.url));
    return st;
}

static void http_fini(void *self)
{
    struct http *http = self;
    pthread_cond_destroy(&http->freed);
    pthread_mutex_destroy(&http->lock);
}

/* Overwrites the key with '*' in a server's text, because a server may quote
 * the key back. */
static void redact(char *at, size_t len, const char *key)
{
    size_t n = key ? strlen(key) : 0;
    char *hit = at;
    while (n && hit && (hit = memmem(hit, len - (size_t)(hit - at), key, n)))
        memset(hit, '*', n);
}

static void header(struct arena *arena, const char **headers, const char *name,
                   const char *value)
{
    size_t i = 0, room = strlen(name) + (value ? strlen(value) : 0) + 1;
    if (!value)
        return;
    while (headers[i])
        i++;
    char *line = arena_alloc(arena, room);
    snprintf(line, room, "%s%s", name, value);
    headers[i] = line;
}

struct question {
    struct http *http;
    struct cjson cj;
    const struct llm_request *request;
    struct arena *arena;
    struct llm_reply *reply;
    sim_time began;
    /* number of repetitions so far after temporary errors */
    uint32_t tries;
    /* true once the server has shown that it works: by HTTP status 200, or by a
     * complaint that the request is too long */
    bool served;
    /* true: allow no tokens for thinking, because the request was too long */
    bool short_of_room;
    uint32_t jitter[16];
};

static enum status post(const struct question *q,
                        const struct llm_learned *learned, sim_span left,
                        struct llm_answer *answer, struct error *err)
{
    const struct http *http = q->http;
    const struct llm_request *request = q->request;
    const struct llm_access *access =
        request->kind == LLM_CHAT ? &http->access : &http->embed;
    struct arena *arena = q->arena;
    const char *headers[8] = {"Content-Type: application/json",
                              ("User-Agent: schedsim/" SCHEDSIM_VERSION),
                              "Expect:"};
    const char *path =
        request->kind == LLM_CHAT ? "/chat/completions" : "/embeddings";
    size_t room = strlen(access->url) + strlen(path) + 1;
    char *url = arena_alloc(arena, room);
    snprintf(url, room, "%s%s", access->url, path);
    header(arena, headers, "Authorization: Bearer ", access->key);
    header(arena, headers, "OpenAI-Organization: ", access->organization);
    header(arena, headers, "OpenAI-Project: ", access->project);
    char *body =
        llm_wire_request(&q->cj, request, http->server, learned,
                         q->short_of_room ? 0 : http->config->thinking_tokens);
    const struct llm_post request_of = {
        .url = url,
        .body = body,
        .headers = headers,
        .connect_timeout = http->config->connect_timeout,
        .timeout = left,
        .body_max = (size_t)http->config->reply_mib << 20,
        .utc = http->clock->utc(http->clock->self),
    };
    enum status st = llm_post(&request_of, arena, answer, err);
    free(body);
    if (st == STATUS_OK && answer->body.len)
        redact((char *)(uintptr_t)answer->body.at, answer->body.len,
               access->key);
    return st;
}

static sim_span left_of(const struct question *q)
{
    const struct llm_clock *clock = q->http->clock;
    return q->http->config->deadline - (clock->elapsed(clock->self) - q->began);
}

static struct llm_learned learned_by(struct http *http)
{
    pthread_mutex_lock(&http->lock);
    struct llm_learned learned = http->learned;
    pthread_mutex_unlock(&http->lock);
    return learned;
}

/* True if the two are equal. Compares member by member, because a copy may
 * differ in its padding. */
static bool is_learned(const struct llm_learned *a, const struct llm_learned *b)
{
    return a->form == b->form && a->swap_token_field == b->swap_token_field &&
           a->no_seed == b->no_seed && a->no_temperature == b->no_temperature &&
           a->no_top_p == b->no_top_p && a->stream == b->stream;
}

/* Changes the form of requests after the server has complained about the form
 * `asked`. Returns true if the form now differs from `asked`, also if another
 * thread has changed it meanwhile. Changes nothing after LLM_LESSONS_MAX
 * changes. */
static bool learn(struct question *q, struct text complaint, bool failed,
                  const struct llm_learned *asked)
{
    struct http *http = q->http;
    bool changed;
    pthread_mutex_lock(&http->lock);
    changed = !is_learned(&http->learned, asked);
    if (!changed && http->lessons < LLM_LESSONS_MAX) {
        changed = llm_server_learn(http->server, complaint,
                                   q->request->schema != NULL, failed,
                                   &http->learned);
        http->lessons += changed;
    }
    pthread_mutex_unlock(&http->lock);
    return changed;
}

static void say_failed(struct question *q, const struct llm_answer *answer,
                       const struct llm_wire_error *error)
{
    if (answer->outcome.http)
        llm_unknown(q->reply, q->arena, "the server answers %d%s%.300s",
                    answer->outcome.http, error->message[0] ? ": " : "",
                    error->message);
    else
        llm_unknown(q->reply, q->arena, "no answer from the server: %.300s",
                    answer->trouble);
}

/* Call this function after a complaint that the request is too long. Returns
 * true if the request can be sent again without the tokens for thinking.
 * Otherwise sets reply->too_long, so that the client shortens the request. */
static bool make_room(struct question *q)
{
    bool can = !q->short_of_room && q->request->kind == LLM_CHAT &&
               q->http->config->thinking_tokens;
    q->short_of_room = true;
    q->reply->too_long = !can;
    /* The server works, so this complaint must not count as one of the failures
     * after which no more requests are sent for a while. */
    q->served = true;
    return can;
}

/* Decides whether to send the question again if there was no reply or one
 * without HTTP status 200, and waits first if that is necessary. Returns true
 * to send it again. Sets reply->why in case no answer follows. */
static bool again(struct question *q, struct llm_answer *answer,
                  const struct llm_learned *asked)
{
    const struct http *http = q->http;
    const struct llm_backoff backoff = {
        .retries = http->config->retries,
        .first = SPAN_SECOND / 2, /* as in openai-python 2026 (_constants.py) */
        .most = 8 * SPAN_SECOND,
        /* As in openai-python 2026 (_base_client.py). */
        .retry_after_most = 120 * SPAN_SECOND,
    };
    struct llm_wire_error error;
    sim_span delay;
    int status = answer->outcome.http;
    llm_wire_error(&q->cj, answer->body, q->arena, &error);
    answer->outcome.quota = strcmp(error.code, "insufficient_quota") == 0;
    say_failed(q, answer, &error);
    bool refused = status == 400 || status == 413 || status == 422;
    if ((refused || status >= 500) && llm_server_too_long(answer->body))
        return make_room(q);
    if ((refused || status >= 500) && learn(q, answer->body, !refused, asked))
        return true;
    double jitter = q->jitter[q->tries % 16] / 4294967296.0;
    if (answer->too_large ||
        !llm_retry_after(&backoff, &answer->outcome, q->tries, jitter, &delay))
        return false;
    q->tries++;
    if (delay >= left_of(q))
        return false;
    http->clock->sleep(http->clock->self, delay);
    return true;
}

/* Sends the question until there is a reply with HTTP status 200, no repetition
 * is allowed, the deadline has passed, or it was sent `most` times. */
static enum status converse(struct question *q, struct error *err)
{
    const uint32_t most = q->http->config->retries + LLM_LESSONS_MAX * 2 + 1;
    for (uint32_t i = 0; i < most; i++) {
        struct llm_answer answer;
        struct llm_learned asked = learned_by(q->http);
        sim_span left = left_of(q);
        if (left <= 0) {
            llm_unknown(q->reply, q->arena,
                        "no answer before the deadline "
                        "(deadline_s)");
            return STATUS_OK;
        }
        enum status st = post(q, &asked, left, &answer, err);
        if (st != STATUS_OK)
            return st;
        q->reply->attempts++;
        if (answer.outcome.http == 200) {
            q->served = true;
            llm_wire_reply(&q->cj, q->request, answer.body, q->arena, q->reply);
            return STATUS_OK;
        }
        if (!again(q, &answer, &asked))
            return STATUS_OK;
    }
    return STATUS_OK;
}

/* Waits until fewer than `concurrency` questions are at the server, and counts
 * this one. Returns false if that takes longer than the deadline of a question,
 * rounded down to whole seconds, plus one second; the caller must then not call
 * leave(). */
static bool enter(struct question *q)
{
    struct http *http = q->http;
    struct timespec until;
    int failed = 0;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += http->config->deadline / SPAN_SECOND + 1;
    pthread_mutex_lock(&http->lock);
    while (http->in_flight >= http->config->concurrency && !failed)
        failed = pthread_cond_clockwait(&http->freed, &http->lock,
                                        CLOCK_MONOTONIC, &until);
    http->in_flight += !failed;
    pthread_mutex_unlock(&http->lock);
    return !failed;
}

static bool is_shut(struct question *q)
{
    struct http *http = q->http;
    pthread_mutex_lock(&http->lock);
    bool allowed = llm_breaker_allows(&http->breaker, q->began,
                                      http->config->breaker_pause);
    pthread_mutex_unlock(&http->lock);
    if (!allowed)
        llm_unknown(q->reply, q->arena,
                    "the server failed too often in a row and is not asked "
                    "for a while (breaker_pause_s)");
    return !allowed;
}

static void leave(struct question *q)
{
    struct http *http = q->http;
    const struct llm_clock *clock = http->clock;
    sim_time now = clock->elapsed(clock->self);
    pthread_mutex_lock(&http->lock);
    http->in_flight--;
    llm_breaker_note(&http->breaker, q->served, now,
                     http->config->breaker_failures,
                     http->config->breaker_pause);
    pthread_cond_signal(&http->freed);
    pthread_mutex_unlock(&http->lock);
    q->reply->latency = now - q->began;
}

static enum status http_ask(void *self, const struct llm *below,
                            const struct llm_request *request,
                            struct arena *arena, struct llm_reply *reply,
                            struct error *err)
{
    struct http *http = self;
    struct question q = {
        .http = http, .request = request, .arena = arena, .reply = reply};
    char key[DIGEST_HEX_MAX];
    (void)below;
    q.began = http->clock->elapsed(http->clock->self);
    reply->method = LLM_BY_MODEL;
    reply->server = http->server->name;
    /* The jitter comes from the seed and the key of the request, so that it is
     * equal in each run but differs between questions. */
    llm_request_key(request, key);
    rng_fill(request->sampling->seed, key, q.jitter,
             sizeof q.jitter / sizeof *q.jitter);
    if (is_shut(&q))
        return STATUS_OK;
    if (!enter(&q)) {
        llm_unknown(reply, arena,
                    "the server was busy with other questions "
                    "until the deadline (concurrency, "
                    "deadline_s)");
        return STATUS_OK;
    }
    enum status st = cjson_load(&q.cj, err);
    if (st == STATUS_OK)
        st = converse(&q, err);
    leave(&q);
    return st;
}

const struct llm_ops llm_http = {
    .name = "http",
    .summary = "an OpenAI-compatible server: OpenAI, vLLM, llama.cpp, Ollama",
    .reach = "sends to a server",
    .options = http_options,
    .config_size = sizeof(struct http_config),
    .state_size = sizeof(struct http),
    .init = http_init,
    .ask = http_ask,
    .fini = http_fini,
};
