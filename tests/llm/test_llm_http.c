/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The client and the layer `http` against a server that answers on the
 * loopback, well or badly (tests/llm/server.py): the model asked for says how.
 * Nothing waits: the clock's sleep is written down and added to its time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/test.h"

#include "models/llm/embed_llm.h"
#include "models/llm/llm_client.h"
#include "models/registry.h"

enum { SLEEPS_MAX = 16 };

struct bench {
    pid_t server;
    int to_server; /* closed to end it */
    int port;
};

/* One chain, its clock and what was slept. */
struct rig {
    struct arena arena;
    struct llm_clock clock;
    sim_span slept, sleeps[SLEEPS_MAX];
    size_t n_sleeps;
    struct llm layer;
    struct llm_sampling sampling;
    struct llm_client client;
    const char *key, *openai_key, *openai_url;
};

static sim_time elapsed(void *self)
{
    const struct rig *rig = self;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (sim_time)now.tv_sec * SPAN_SECOND + now.tv_nsec / 1000 + rig->slept;
}

static sim_time utc(void *self)
{
    (void)self;
    return INT64_C(1767225600) * SPAN_SECOND; /* 2026-01-01 00:00:00 */
}

static void nap(void *self, sim_span span)
{
    struct rig *rig = self;
    rig->slept += span;
    if (rig->n_sleeps < SLEEPS_MAX)
        rig->sleeps[rig->n_sleeps++] = span;
}

static const char *variable(const void *self, const char *name)
{
    const struct rig *rig = self;
    if (strcmp(name, "SCHEDSIM_LLM_API_KEY") == 0)
        return rig->key;
    if (strcmp(name, "OPENAI_API_KEY") == 0)
        return rig->openai_key;
    if (strcmp(name, "OPENAI_BASE_URL") == 0)
        return rig->openai_url;
    return NULL;
}

static void set(struct rig *rig, const char *key, const char *value)
{
    static struct error err;
    void *config = (void *)(uintptr_t)rig->layer.config;
    if (option_set(rig->layer.ops->options, config, "test", text_from(key),
                   text_from(value), &rig->arena, &err) != STATUS_OK)
        fail_msg("%s", err.message);
}

static void rig_open(struct rig *rig, const struct bench *bench)
{
    static struct error err;
    char url[64];
    *rig = (struct rig){.key = "sk-secret-1234567890"};
    arena_init(&rig->arena);
    rig->clock = (struct llm_clock){rig, elapsed, utc, nap};
    assert_int_equal(llm_find(text_from("http"), &rig->layer.ops, &err), 0);
    rig->layer.config = arena_alloc(&rig->arena, rig->layer.ops->config_size);
    rig->layer.self = arena_alloc(&rig->arena, rig->layer.ops->state_size);
    option_defaults(rig->layer.ops->options,
                    (void *)(uintptr_t)rig->layer.config);
    option_defaults(llm_sampling_options, &rig->sampling);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/v1/", bench->port);
    set(rig, "base_url", url);
}

static void rig_start(struct rig *rig, const char *model)
{
    static struct error err;
    const struct llm_env env = {&rig->arena, &rig->clock, variable, rig};
    if (rig->layer.ops->init(rig->layer.self, rig->layer.config, &env, &err) !=
        STATUS_OK)
        fail_msg("%s", err.message);
    rig->sampling.model = rig->sampling.embed_model = model;
    llm_client_init(&rig->client, &rig->layer, &rig->sampling);
}

static void rig_close(struct rig *rig)
{
    llm_client_fini(&rig->client);
    rig->layer.ops->fini(rig->layer.self);
    arena_fini(&rig->arena);
}

static const struct llm_field fields[] = {
    {.name = "found", .type = LLM_BOOL, .required = true, .help = "was it?"},
    {.name = "step_time",
     .type = LLM_NUMBER,
     .required = true,
     .lo = 1e-6,
     .hi = 86400,
     .help = "seconds a step"},
    {.name = "unit", .type = LLM_STRING, .help = "as written"},
    {0},
};
static const struct llm_schema schema = {"step", fields};

static const struct llm_message question[] = {
    {LLM_SYSTEM, "You read logs."},
    {LLM_USER, "step 1: 0.5 s \xff"},
};

static struct llm_reply ask_for(struct rig *rig,
                                const struct llm_schema *wanted)
{
    static struct error err;
    struct llm_reply reply;
    const struct llm_request request = {.kind = LLM_CHAT,
                                        .purpose = "test",
                                        .prompt_version = "1",
                                        .messages = question,
                                        .n_messages = 2,
                                        .schema = wanted,
                                        .max_tokens = 100};
    if (llm_client_ask(&rig->client, &request, &rig->arena, &reply, &err) !=
        STATUS_OK)
        fail_msg("%s", err.message);
    return reply;
}

static struct llm_reply ask(struct rig *rig, const struct bench *bench,
                            const char *model, const struct llm_schema *wanted)
{
    rig_open(rig, bench);
    rig_start(rig, model);
    return ask_for(rig, wanted);
}

static void is_good(const struct llm_reply *reply)
{
    if (!reply->known)
        fail_msg("%s", reply->why);
    assert_true(reply->values && reply->values[0].number == 1);
    assert_true(reply->values[1].number == 0.5);
    assert_string_equal(reply->values[2].string, "s");
}

static void a_good_answer_comes_with_its_account(void **state)
{
    static const char *const models[] = {"ok", "chunked", "fenced"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct rig rig;
        struct llm_reply reply = ask(&rig, *state, models[i], &schema);
        is_good(&reply);
        assert_int_equal(reply.usage.prompt, 11);
        assert_int_equal(reply.usage.completion, 7);
        assert_int_equal(reply.usage.cached, 3);
        assert_int_equal(reply.usage.reasoning, 2);
        assert_false(reply.usage.estimated);
        assert_string_equal(reply.model, "served-model");
        assert_string_equal(reply.fingerprint, "fp_1");
        assert_string_equal(reply.server, "other");
        assert_int_equal(reply.method, LLM_BY_MODEL);
        assert_int_equal(rig.client.accounts[0].calls, 1);
        assert_int_equal(rig.client.accounts[0].requests, 1);
        rig_close(&rig);
    }
}

static void tokens_are_estimated_where_none_are_told(void **state)
{
    static const char *const models[] = {"no-usage", "bad-usage"};
    for (size_t i = 0; i < 2; i++) {
        struct rig rig;
        struct llm_reply reply = ask(&rig, *state, models[i], &schema);
        is_good(&reply);
        assert_true(reply.usage.estimated);
        assert_int_equal(reply.usage.prompt, (14 + 15) / 4);
        rig_close(&rig);
    }
}

/* Waits as openai-python does; `lo`..`hi` in microseconds. */
static void passing_errors_are_tried_again(void **state)
{
    static const struct {
        const char *model;
        sim_span lo, hi;
    } rows[] = {
        {"429-seconds", 1500000, 1500000}, {"429-date", 7000000, 7000000},
        {"429-ms", 250000, 250000},        {"429-past", 375000, 500000},
        {"429-words", 375000, 500000},     {"500-once", 375000, 500000},
        {"408-once", 375000, 500000},      {"409-once", 375000, 500000},
        {"404-should", 375000, 500000},    {"truncated-once", 375000, 500000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rig rig;
        struct llm_reply reply = ask(&rig, *state, rows[i].model, &schema);
        is_good(&reply);
        assert_int_equal(reply.attempts, 2);
        assert_int_equal(rig.n_sleeps, 1);
        assert_in_range(rig.sleeps[0], rows[i].lo, rows[i].hi);
        assert_true(reply.latency >= rig.slept);
        rig_close(&rig);
    }
}

static void what_fails_is_no_answer_and_says_why(void **state)
{
    static const struct {
        const char *model, *why;
        uint32_t attempts;
    } rows[] = {
        {"500-always", "the server answers 500: not now", 3},
        {"429-long", "the server answers 429: not now", 1},
        {"quota", "the server answers 429: not now", 1},
        {"404", "the server answers 404: not now", 1},
        {"503-should-not", "the server answers 503: not now", 1},
        {"redirect", "the server answers 302: not now", 1},
        {"nobody", "the server answers 404: no such model", 1},
        {"truncated", "no answer from the server: ", 3},
        {"cut-chunks", "no answer from the server: ", 3},
        {"closes", "no answer from the server: ", 3},
        {"garbage", "no answer from the server: ", 3},
        {"not-json", "the reply is no JSON object", 1},
        {"half-json", "the reply is no JSON object", 1},
        {"an-array", "the reply is no JSON object", 1},
        {"deep", "the reply is no JSON object", 1},
        {"empty-body", "the reply is no JSON object", 1},
        {"wrong-types", "the reply has no list of choices", 1},
        {"choice-is-number", "the reply has no text", 1},
        {"content-is-number", "the reply has no text", 1},
        {"empty-choices", "the reply has no choice", 1},
        {"no-content", "the reply has no text", 1},
        {"refusal", "the model refuses: I would rather not", 1},
        {"filter", "the server's filter holds the answer back", 1},
        {"stubborn", "the server answers 400: ", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rig rig;
        struct llm_reply reply = ask(&rig, *state, rows[i].model, &schema);
        assert_false(reply.known);
        if (strncmp(reply.why, rows[i].why, strlen(rows[i].why)) != 0)
            fail_msg("%s: %s", rows[i].model, reply.why);
        if (rows[i].attempts)
            assert_int_equal(reply.attempts, rows[i].attempts);
        assert_true(reply.attempts <= 12);
        assert_int_equal(rig.client.accounts[0].unknown, 1);
        rig_close(&rig);
    }
}

static void a_reply_beyond_the_limit_is_refused_at_once(void **state)
{
    struct rig rig;
    rig_open(&rig, *state);
    set(&rig, "reply_mib", "1");
    rig_start(&rig, "huge");
    struct llm_reply reply = ask_for(&rig, &schema);
    assert_false(reply.known);
    assert_non_null(strstr(reply.why, "too large"));
    assert_int_equal(reply.attempts, 1);
    rig_close(&rig);
}

static void a_slow_server_meets_the_deadline(void **state)
{
    struct rig rig;
    rig_open(&rig, *state);
    set(&rig, "deadline_s", "0.3");
    rig_start(&rig, "slow");
    struct llm_reply reply = ask_for(&rig, &schema);
    assert_false(reply.known);
    assert_true(reply.latency >= 250000 && reply.latency < 50000000);
    rig_close(&rig);
}

static void nobody_listens(void **state)
{
    struct rig rig;
    struct llm_reply reply;
    rig_open(&rig, *state);
    set(&rig, "base_url", "http://127.0.0.1:1/v1");
    rig_start(&rig, "ok");
    reply = ask_for(&rig, &schema);
    assert_false(reply.known);
    assert_non_null(strstr(reply.why, "no answer from the server"));
    assert_int_equal(reply.attempts, 3);
    assert_int_equal(rig.n_sleeps, 2);
    assert_in_range(rig.sleeps[1], 750000, 1000000);
    rig_close(&rig);
}

static void a_server_that_fails_is_left_alone_and_tried_again(void **state)
{
    struct rig rig;
    struct llm_reply reply;
    rig_open(&rig, *state);
    set(&rig, "breaker_failures", "2");
    set(&rig, "retries", "0");
    rig_start(&rig, "500-always");
    for (int i = 0; i < 2; i++) {
        reply = ask_for(&rig, NULL);
        assert_int_equal(reply.attempts, 1);
    }
    reply = ask_for(&rig, NULL);
    assert_int_equal(reply.attempts, 0);
    assert_non_null(strstr(reply.why, "left alone"));
    rig.slept += 61 * SPAN_SECOND;
    reply = ask_for(&rig, NULL); /* one may try */
    assert_int_equal(reply.attempts, 1);
    reply = ask_for(&rig, NULL);
    assert_int_equal(reply.attempts, 0);
    rig.slept += 61 * SPAN_SECOND;
    rig.client.sampling.model = "ok";
    reply = ask_for(&rig, NULL);
    assert_true(reply.known);
    reply = ask_for(&rig, NULL);
    assert_true(reply.known);
    rig_close(&rig);
}

static void a_schema_is_put_as_the_server_wants_it(void **state)
{
    static const struct {
        const char *model, *server, *form;
        uint32_t attempts;
    } rows[] = {
        {"picky-schema", "other", "json_schema", 1},
        {"picky-structured", "other", "structured_outputs", 2},
        {"picky-object", "other", "json_object", 3},
        {"picky-plain", "other", "plain", 4},
        {"picky-plain", "openai", "plain", 3},
        {"picky-schema", "llama.cpp", "json_schema", 1},
        {"picky-object", "ollama", "json_object", 2},
        {"picky-structured", "vllm", "structured_outputs", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rig rig;
        rig_open(&rig, *state);
        set(&rig, "server", rows[i].server);
        rig_start(&rig, rows[i].model);
        struct llm_reply reply = ask_for(&rig, &schema);
        is_good(&reply);
        assert_string_equal(reply.finish_reason, rows[i].form);
        assert_int_equal(reply.attempts, rows[i].attempts);
        assert_int_equal(rig.n_sleeps, 0);
        reply = ask_for(&rig, &schema); /* it is remembered */
        is_good(&reply);
        assert_int_equal(reply.attempts, 1);
        rig_close(&rig);
    }
}

static void fields_that_a_server_refuses_are_put_otherwise(void **state)
{
    struct rig rig;
    struct llm_reply reply = ask(&rig, *state, "new-tokens", &schema);
    is_good(&reply);
    assert_int_equal(reply.attempts, 4); /* tokens, temperature, seed */
    rig_close(&rig);
}

static void a_wrong_answer_is_corrected_once(void **state)
{
    struct rig rig;
    struct llm_reply reply = ask(&rig, *state, "invalid-then-ok", &schema);
    is_good(&reply);
    assert_int_equal(rig.client.accounts[0].invalid, 1);
    assert_int_equal(rig.client.accounts[0].calls, 2);
    rig_close(&rig);
    reply = ask(&rig, *state, "invalid-always", &schema);
    assert_false(reply.known);
    assert_null(reply.values);
    assert_non_null(strstr(reply.why, "\"found\" must be true or false"));
    assert_int_equal(rig.client.accounts[0].calls, 2);
    rig_close(&rig);
    reply = ask(&rig, *state, "length", &schema);
    assert_false(reply.known);
    assert_non_null(strstr(reply.why, "never ends"));
    rig_close(&rig);
}

static void bytes_that_are_no_text_are_replaced(void **state)
{
    struct rig rig;
    struct llm_reply reply = ask(&rig, *state, "bad-utf8", NULL);
    assert_true(reply.known);
    assert_string_equal(reply.text, "a?b");
    rig_close(&rig);
}

static void the_key_never_comes_back(void **state)
{
    static const char *const models[] = {"echo-key", "unauthorized"};
    for (size_t i = 0; i < 2; i++) {
        struct rig rig;
        struct llm_reply reply = ask(&rig, *state, models[i], NULL);
        const char *said = reply.known ? reply.text : reply.why;
        assert_non_null(strstr(said, "Bearer ********"));
        assert_null(strstr(said, "secret"));
        rig_close(&rig);
    }
}

/* OPENAI_API_KEY is for OpenAI, not for whoever else is asked. */
static void a_key_goes_only_where_it_belongs(void **state)
{
    const struct bench *bench = *state;
    char url[64];
    for (int is_openai = 0; is_openai < 2; is_openai++) {
        struct rig rig;
        rig_open(&rig, bench);
        rig.key = NULL;
        rig.openai_key = "sk-openai";
        snprintf(url, sizeof url, "http://127.0.0.1:%d/v1", bench->port);
        if (is_openai) {
            rig.openai_url = url;
            set(&rig, "base_url", "");
        }
        rig_start(&rig, "no-key");
        struct llm_reply reply = ask_for(&rig, NULL);
        assert_string_equal(reply.text, is_openai ? "a key" : "no key");
        rig_close(&rig);
    }
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* What is sent is the content without the line's end. */
static void a_key_may_stand_in_a_file(void **state)
{
    static const char *const bad[] = {"", "\n", "two words\n", "tab\tkey"};
    static struct error err;
    char dir[] = "/tmp/test_llm_http.XXXXXX", path[64];
    struct rig rig;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/key", dir);
    write_file(path, "sk-secret-of-a-file\n");
    rig_open(&rig, *state);
    rig.key = NULL;
    set(&rig, "key_file", path);
    rig_start(&rig, "echo-key");
    struct llm_reply reply = ask_for(&rig, NULL);
    assert_string_equal(reply.text, "you sent Bearer *******************");
    rig_close(&rig);
    for (size_t i = 0; i <= sizeof bad / sizeof *bad; i++) {
        if (i < sizeof bad / sizeof *bad)
            write_file(path, bad[i]);
        else
            unlink(path);
        rig_open(&rig, *state);
        set(&rig, "key_file", path);
        const struct llm_env env = {&rig.arena, &rig.clock, variable, &rig};
        assert_int_not_equal(
            rig.layer.ops->init(rig.layer.self, rig.layer.config, &env, &err),
            STATUS_OK);
        rig.layer.ops->fini(rig.layer.self);
        arena_fini(&rig.arena);
    }
    rmdir(dir);
}

static void bad_settings_are_refused_without_the_secret(void **state)
{
    static const struct {
        const char *url, *key;
    } rows[] = {
        {"ftp://host/v1", NULL},
        {"http://user:secret@host/v1", NULL},
        {"http://host/v1?key=secret", NULL},
        {"http://host/v1", "secret\r\nX-Other: 1"},
        {"http://host/v1", "secret with blanks"},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static struct error err;
        struct rig rig;
        rig_open(&rig, *state);
        rig.key = rows[i].key;
        set(&rig, "base_url", rows[i].url);
        const struct llm_env env = {&rig.arena, &rig.clock, variable, &rig};
        assert_int_not_equal(
            rig.layer.ops->init(rig.layer.self, rig.layer.config, &env, &err),
            STATUS_OK);
        assert_null(strstr(err.message, "secret"));
        rig.layer.ops->fini(rig.layer.self);
        arena_fini(&rig.arena);
    }
}

static struct llm_reply embed(struct rig *rig, const struct bench *bench,
                              const char *model)
{
    static const char *const inputs[] = {"one", "two", "three"};
    static struct error err;
    struct llm_reply reply;
    const struct llm_request request = {.kind = LLM_EMBED,
                                        .purpose = "test",
                                        .prompt_version = "1",
                                        .inputs = inputs,
                                        .n_inputs = 3};
    rig_open(rig, bench);
    rig_start(rig, model);
    assert_int_equal(
        llm_client_ask(&rig->client, &request, &rig->arena, &reply, &err),
        STATUS_OK);
    return reply;
}

static void embeddings_come_in_the_order_of_their_texts(void **state)
{
    static const char *const models[] = {"embed", "embed-base64"};
    for (size_t m = 0; m < 2; m++) {
        struct rig rig;
        struct llm_reply reply = embed(&rig, *state, models[m]);
        assert_true(reply.known);
        assert_int_equal(reply.n_vectors, 3);
        assert_int_equal(reply.width, 3);
        for (size_t i = 0; i < 3; i++) {
            assert_true(reply.vectors[i * 3] == (float)i);
            assert_true(reply.vectors[i * 3 + 2] == -1.25f);
        }
        assert_int_equal(reply.usage.prompt, 5);
        rig_close(&rig);
    }
}

static void embeddings_that_do_not_fit_are_no_answer(void **state)
{
    static const char *const models[] = {"embed-missing", "embed-twice",
                                         "embed-ragged", "embed-words"};
    for (size_t m = 0; m < 4; m++) {
        struct rig rig;
        struct llm_reply reply = embed(&rig, *state, models[m]);
        assert_false(reply.known);
        assert_null(reply.vectors);
        rig_close(&rig);
    }
}

/* Through the seam of embeddings: of length 1, more than go into one request.
 */
static void a_server_is_an_embedding(void **state)
{
    enum { TEXTS = 70 };
    static struct error err;
    struct rig rig;
    struct embed_llm embed;
    struct text texts[TEXTS];
    float out[TEXTS * 3];
    rig_open(&rig, *state);
    rig_start(&rig, "embed");
    assert_int_equal(embed_llm_init(&embed, &rig.client, &err), STATUS_OK);
    assert_string_equal(embed.ops.name, "llm:embed");
    assert_int_equal(embed.ops.dimensions, 3);
    for (size_t i = 0; i < TEXTS; i++)
        texts[i] = text_from("text");
    assert_int_equal(embed.ops.embed(&embed, texts, TEXTS, out, &err),
                     STATUS_OK);
    for (size_t i = 0; i < TEXTS; i++) {
        assert_true(embed_cosine(&out[i * 3], &out[i * 3], 3) > 0.999999);
        /* number i % 32 of its request is (i % 32, 0.5, -1.25) */
        assert_true(out[i * 3 + 1] > 0);
        assert_true((double)out[i * 3] * 0.5 -
                        (double)(i % 32) * (double)out[i * 3 + 1] <
                    1e-5);
    }
    assert_int_equal(rig.client.accounts[0].requests, 4);
    rig_close(&rig);
    rig_open(&rig, *state);
    rig_start(&rig, "embed-ragged");
    assert_int_equal(embed_llm_init(&embed, &rig.client, &err), STATUS_OK);
    assert_int_equal(embed.ops.embed(&embed, texts, 2, out, &err),
                     STATUS_FAILED);
    rig_close(&rig);
}

struct asker {
    struct rig *rig;
    struct arena arena;
    double most;
};

static void *ask_in_thread(void *self)
{
    struct asker *asker = self;
    struct error *err = mem_zalloc(1, sizeof *err);
    struct llm_reply reply;
    const struct llm_request request = {.kind = LLM_CHAT,
                                        .purpose = "test",
                                        .prompt_version = "1",
                                        .messages = question,
                                        .n_messages = 2};
    if (llm_client_ask(&asker->rig->client, &request, &asker->arena, &reply,
                       err) == STATUS_OK &&
        !text_to_double(text_from(reply.text), &asker->most))
        asker->most = -1; /* not what the server says */
    free(err);
    return NULL;
}

static void no_more_questions_at_a_time_than_allowed(void **state)
{
    enum { ASKERS = 6 };
    struct rig rig;
    struct asker askers[ASKERS];
    pthread_t threads[ASKERS];
    rig_open(&rig, *state);
    set(&rig, "concurrency", "2");
    rig_start(&rig, "busy");
    for (size_t i = 0; i < ASKERS; i++) {
        askers[i] = (struct asker){.rig = &rig};
        arena_init(&askers[i].arena);
        assert_int_equal(
            pthread_create(&threads[i], NULL, ask_in_thread, &askers[i]), 0);
    }
    for (size_t i = 0; i < ASKERS; i++) {
        pthread_join(threads[i], NULL);
        assert_true(askers[i].most == 1 || askers[i].most == 2);
        arena_fini(&askers[i].arena);
    }
    assert_int_equal(rig.client.accounts[0].asked, ASKERS);
    rig_close(&rig);
}

static int start(void **state)
{
    static struct bench bench;
    int to[2], from[2];
    char line[16] = "";
    if (pipe(to) != 0 || pipe(from) != 0)
        return -1;
    bench.server = fork();
    if (bench.server == 0) {
        const char *root = getenv("SCHEDSIM_ROOT");
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        close(to[1]);
        close(from[0]);
        if (root && chdir(root) != 0)
            _exit(1);
        execlp("python3", "python3", "tests/llm/server.py", (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    for (size_t n = 0; n < sizeof line - 1; n++) {
        if (read(from[0], line + n, 1) != 1 || line[n] == '\n')
            break;
    }
    close(from[0]);
    bench.to_server = to[1];
    bench.port = (int)strtol(line, NULL, 10);
    *state = &bench;
    return bench.port > 0 ? 0 : -1;
}

static int stop(void **state)
{
    struct bench *bench = *state;
    close(bench->to_server);
    waitpid(bench->server, NULL, 0);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_answer_comes_with_its_account),
        cmocka_unit_test(tokens_are_estimated_where_none_are_told),
        cmocka_unit_test(passing_errors_are_tried_again),
        cmocka_unit_test(what_fails_is_no_answer_and_says_why),
        cmocka_unit_test(a_reply_beyond_the_limit_is_refused_at_once),
        cmocka_unit_test(a_slow_server_meets_the_deadline),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(a_server_that_fails_is_left_alone_and_tried_again),
        cmocka_unit_test(a_schema_is_put_as_the_server_wants_it),
        cmocka_unit_test(fields_that_a_server_refuses_are_put_otherwise),
        cmocka_unit_test(a_wrong_answer_is_corrected_once),
        cmocka_unit_test(bytes_that_are_no_text_are_replaced),
        cmocka_unit_test(the_key_never_comes_back),
        cmocka_unit_test(a_key_goes_only_where_it_belongs),
        cmocka_unit_test(a_key_may_stand_in_a_file),
        cmocka_unit_test(bad_settings_are_refused_without_the_secret),
        cmocka_unit_test(embeddings_come_in_the_order_of_their_texts),
        cmocka_unit_test(embeddings_that_do_not_fit_are_no_answer),
        cmocka_unit_test(a_server_is_an_embedding),
        cmocka_unit_test(no_more_questions_at_a_time_than_allowed),
    };
    unsetenv("http_proxy");
    unsetenv("all_proxy");
    unsetenv("ALL_PROXY");
    return cmocka_run_group_tests(tests, start, stop);
}
