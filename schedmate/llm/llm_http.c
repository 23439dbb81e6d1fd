/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks an OpenAI-compatible server. Limits the repetitions and the time of a
 * question, and the number of questions in flight. llm_json.c writes requests
 * and reads replies; llm_server.c describes the differences between servers. */

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/option.h"
#include "base/rng.h"
#include "schedmate/llm/llm_internal.h"
#include "schedmate/llm/llm_json.h"

struct http_config {
    const char *base_url, *key_file, *embed_base_url, *embed_key_file;
    unsigned server;
    uint32_t retries, concurrency, breaker_failures, reply_mib;
    uint32_t thinking_tokens, hourly_questions, hourly_tokens;
    sim_span deadline, connect_timeout, breaker_pause;
};

/* The settings of the layer `http`, with their defaults and sources. */

/* Values of the setting `server`; ends with NULL. */
static const char *const http_server_names[] = {
    "auto", "openai", "vllm", "llama.cpp", "ollama", "other", NULL};

static const struct option http_options[] = {
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
    OPT_U32(struct http_config, hourly_questions, "hourly_questions", 2000, 1,
            UINT32_MAX,
            "questions that this process may ask in an hour; further ones get "
            "no answer",
            "assumed"),
    OPT_U32(struct http_config, hourly_tokens, "hourly_tokens", 20000000, 1,
            UINT32_MAX, "tokens, sent and received, that it may use in an hour",
            "assumed"),
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

static bool is_worth_it(const struct llm_outcome *outcome)
{
    if (outcome->quota)
        return false;
    if (outcome->should != LLM_SHOULD_UNSAID)
        return outcome->should == LLM_SHOULD_YES;
    return outcome->http == 0 || outcome->http == 408 || outcome->http == 409 ||
           outcome->http == 429 || outcome->http >= 500;
}

bool llm_retry_after(const struct llm_backoff *backoff,
                     const struct llm_outcome *outcome, uint32_t n,
                     double jitter, sim_span *delay)
{
    sim_span wait = backoff->first;
    if (n >= backoff->retries || !is_worth_it(outcome))
        return false;
    if (outcome->retry_after > 0) {
        *delay = outcome->retry_after;
        return outcome->retry_after <= backoff->retry_after_most;
    }
    for (uint32_t i = 0; i < n && wait < backoff->most; i++)
        wait *= 2;
    wait = wait < backoff->most ? wait : backoff->most;
    *delay = (sim_span)((double)wait * (1 - jitter / 4));
    return true;
}

static bool llm_breaker_allows(struct llm_breaker *breaker, sim_time now,
                               sim_span pause)
{
    if (breaker->open_until == 0)
        return true;
    if (now < breaker->open_until)
        return false;
    /* Block other requests for another pause, in which this one can return. */
    breaker->open_until = now + pause;
    return true;
}

static void llm_breaker_note(struct llm_breaker *breaker, bool good,
                             sim_time now, uint32_t failures, sim_span pause)
{
    if (good) {
        *breaker = (struct llm_breaker){0};
        return;
    }
    if (breaker->in_a_row < UINT32_MAX)
        breaker->in_a_row++;
    if (breaker->in_a_row >= failures)
        breaker->open_until = now + pause;
}

struct llm_http {
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
    sim_time hour; /* when the hour of the budget began */
    uint64_t hour_questions, hour_tokens;
    uint64_t context; /* what the server says once, as in struct llm_ops */
    bool context_asked;
};

static enum status http_init(void *self, const void *config,
                             const struct llm_env *env, struct error *err)
{
    struct llm_http *http = self;
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
    struct llm_http *http = self;
    pthread_cond_destroy(&http->freed);
    pthread_mutex_destroy(&http->lock);
}

static void redact_words(char *at, size_t len, const char *words, size_t n)
{
    char *hit = at;
    while (n && hit && (hit = memmem(hit, len - (size_t)(hit - at), words, n)))
        memset(hit, '*', n);
}

/* Length of the longest key whose base64 is looked for, bytes. */
#define LLM_HTTP_KEY_MAX 384

/* Overwrites the key with '*' in a server's text, because a server may quote
 * the key back, also in base64: there it stands in one of three ways, by the
 * number of bytes before it. */
static void redact(char *at, size_t len, const char *key)
{
    static const char *const digits[] = {
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"};
    size_t n = key ? strlen(key) : 0;
    redact_words(at, len, key, n);
    for (unsigned way = 0; way < 6; way++) {
        char words[LLM_HTTP_KEY_MAX / 3 * 4];
        size_t m = 0;
        for (size_t i = way / 2; i + 3 <= n && m < sizeof words; i += 3) {
            unsigned bits = (unsigned)(unsigned char)key[i] << 16 |
                            (unsigned)(unsigned char)key[i + 1] << 8 |
                            (unsigned char)key[i + 2];
            for (int shift = 18; shift >= 0; shift -= 6)
                words[m++] = digits[way % 2][bits >> shift & 63];
        }
        redact_words(at, len, words, m);
    }
}

static void llm_http_header(struct arena *arena, const char **headers,
                            const char *name, const char *value)
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

struct llm_http_question {
    struct llm_http *http;
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

static enum status post(const struct llm_http_question *q,
                        const struct llm_learned *learned, sim_span left,
                        struct llm_answer *answer, struct error *err)
{
    const struct llm_http *http = q->http;
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
    llm_http_header(arena, headers, "Authorization: Bearer ", access->key);
    llm_http_header(arena, headers,
                    "OpenAI-Organization: ", access->organization);
    llm_http_header(arena, headers, "OpenAI-Project: ", access->project);
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

static sim_span http_left_of(const struct llm_http_question *q)
{
    const struct llm_clock *clock = q->http->clock;
    return q->http->config->deadline - (clock->elapsed(clock->self) - q->began);
}

static struct llm_learned learned_by(struct llm_http *http)
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
static bool http_learn(struct llm_http_question *q, struct text complaint,
                       bool failed, const struct llm_learned *asked)
{
    struct llm_http *http = q->http;
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

static void say_failed(struct llm_http_question *q,
                       const struct llm_answer *answer,
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
static bool http_make_room(struct llm_http_question *q)
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
static bool again(struct llm_http_question *q, struct llm_answer *answer,
                  const struct llm_learned *asked)
{
    const struct llm_http *http = q->http;
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
        return http_make_room(q);
    if ((refused || status >= 500) &&
        http_learn(q, answer->body, !refused, asked))
        return true;
    double jitter = q->jitter[q->tries % 16] / 4294967296.0;
    if (answer->too_large ||
        !llm_retry_after(&backoff, &answer->outcome, q->tries, jitter, &delay))
        return false;
    q->tries++;
    if (delay >= http_left_of(q))
        return false;
    http->clock->sleep(http->clock->self, delay);
    return true;
}

/* Sends the question until there is a reply with HTTP status 200, no repetition
 * is allowed, the deadline has passed, or it was sent `most` times. */
static enum status converse(struct llm_http_question *q, struct error *err)
{
    const uint32_t most = q->http->config->retries + LLM_LESSONS_MAX * 2 + 1;
    for (uint32_t i = 0; i < most; i++) {
        struct llm_answer answer;
        struct llm_learned asked = learned_by(q->http);
        sim_span left = http_left_of(q);
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
static bool http_enter(struct llm_http_question *q)
{
    struct llm_http *http = q->http;
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

static bool is_shut(struct llm_http_question *q)
{
    struct llm_http *http = q->http;
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

/* Counts a question. Returns false if the budget of this hour is used up. */
static bool http_may_spend(struct llm_http_question *q)
{
    struct llm_http *http = q->http;
    const struct http_config *config = http->config;
    pthread_mutex_lock(&http->lock);
    if (q->began - http->hour >= SPAN_HOUR || http->hour_questions == 0) {
        http->hour = q->began;
        http->hour_questions = http->hour_tokens = 0;
    }
    bool questions = http->hour_questions < config->hourly_questions;
    bool may = questions && http->hour_tokens < config->hourly_tokens;
    http->hour_questions += may;
    pthread_mutex_unlock(&http->lock);
    if (!may)
        llm_unknown(
            q->reply, q->arena, "the budget of %u %s an hour is used up (%s)",
            questions ? config->hourly_tokens : config->hourly_questions,
            questions ? "tokens" : "questions",
            questions ? "hourly_tokens" : "hourly_questions");
    return may;
}

static void http_leave(struct llm_http_question *q)
{
    struct llm_http *http = q->http;
    const struct llm_clock *clock = http->clock;
    sim_time now = clock->elapsed(clock->self);
    pthread_mutex_lock(&http->lock);
    http->in_flight--;
    http->hour_tokens += q->reply->usage.prompt + q->reply->usage.completion;
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
    struct llm_http *http = self;
    struct llm_http_question q = {
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
    if (is_shut(&q) || !http_may_spend(&q))
        return STATUS_OK;
    if (!http_enter(&q)) {
        llm_unknown(reply, arena,
                    "the server was busy with other questions "
                    "until the deadline (concurrency, "
                    "deadline_s)");
        return STATUS_OK;
    }
    enum status st = cjson_load(&q.cj, err);
    if (st == STATUS_OK)
        st = converse(&q, err);
    http_leave(&q);
    return st;
}

/* Time for which a server is waited for that may say its context. */
#define CONTEXT_WAIT (2 * SPAN_SECOND)

/* Asks the server for one page; NULL if it has none. The caller owns the
 * JSON. */
static json_t *http_get(const struct llm_http *http, size_t len,
                        const char *path, struct arena *arena)
{
    const char *headers[4] = {("User-Agent: schedsim/" SCHEDSIM_VERSION)};
    size_t room = len + strlen(path) + 1;
    char *url = arena_alloc(arena, room);
    struct llm_answer answer;
    struct error err;
    snprintf(url, room, "%.*s%s", (int)len, http->access.url, path);
    llm_http_header(arena, headers, "Authorization: Bearer ", http->access.key);
    const struct llm_post get = {
        .url = url,
        .headers = headers,
        .connect_timeout = CONTEXT_WAIT,
        .timeout = CONTEXT_WAIT,
        .body_max = 1 << 20,
        .utc = http->clock->utc(http->clock->self),
    };
    if (llm_post(&get, arena, &answer, &err) != STATUS_OK ||
        answer.outcome.http != 200)
        return NULL;
    return json_loadb(answer.body.at, answer.body.len, 0, NULL);
}

static uint64_t context_of(const json_t *number)
{
    json_int_t n = json_is_integer(number) ? json_integer_value(number) : 0;
    return n > 0 ? (uint64_t)n : 0;
}

/* Reads the context from the pages of a server.
 * vLLM, SGLang: max_model_len of the model in GET /v1/models. llama.cpp: n_ctx
 * of a slot in GET /props, above /v1. */
static uint64_t context_read(const struct llm_http *http, const char *model,
                             struct arena *arena)
{
    size_t len = strlen(http->access.url), i;
    json_t *page = http_get(http, len, "/models", arena), *one;
    json_t *all = json_object_get(page, "data");
    uint64_t tokens = 0;
    json_array_foreach(all, i, one)
    {
        const char *id = json_string_value(json_object_get(one, "id"));
        if (json_array_size(all) == 1 || (id && strcmp(id, model) == 0))
            tokens = context_of(json_object_get(one, "max_model_len"));
    }
    json_decref(page);
    if (tokens || len < 3 || strcmp(http->access.url + len - 3, "/v1") != 0)
        return tokens;
    page = http_get(http, len - 3, "/props", arena);
    tokens = context_of(json_object_get(
        json_object_get(page, "default_generation_settings"), "n_ctx"));
    json_decref(page);
    return tokens;
}

static uint64_t http_context(void *self, const char *model, struct arena *arena)
{
    struct llm_http *http = self;
    pthread_mutex_lock(&http->lock);
    if (!http->context_asked)
        http->context = context_read(http, model, arena);
    http->context_asked = true;
    uint64_t tokens = http->context;
    pthread_mutex_unlock(&http->lock);
    return tokens;
}

const struct llm_ops llm_http = {
    .name = "http",
    .summary = "an OpenAI-compatible server: OpenAI, vLLM, llama.cpp, Ollama",
    .reach = "sends to a server",
    .options = http_options,
    .config_size = sizeof(struct http_config),
    .state_size = sizeof(struct llm_http),
    .init = http_init,
    .ask = http_ask,
    .context = http_context,
    .fini = http_fini,
};
