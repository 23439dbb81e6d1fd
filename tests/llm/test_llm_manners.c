/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests models and servers with the habits of 2026: thinking, loose JSON, small
 * contexts, grammars that cannot be built, replies only as streams, and a
 * second server for embeddings (http_rig.h). */
#include "tests/support/temp_path.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "schedmate/llm/embed_llm.h"
#include "sim/run/registry.h"
#include "tests/llm/http_rig.h"

static void loose_answers_are_read(void **state)
{
    static const char *const models[] = {
        "thinks",      "parts",       "quoted",        "trailing-comma",
        "grammar-500", "grammar-422", "stream-only",   "stream-unasked",
        "tool-call",   "no-seed",     "single-quotes",
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct http_rig rig;
        struct llm_reply reply =
            http_rig_ask(&rig, *state, models[i], &http_schema);
        if (!reply.known)
            fail_msg("%s: %s", models[i], reply.why);
        http_reply_is_good(&reply);
        assert_string_equal(reply.model, "served-model");
        assert_int_equal(reply.usage.completion, 7);
        assert_false(reply.usage.estimated);
        http_rig_close(&rig);
    }
}

static void a_stream_may_lack_counts(void **state)
{
    struct http_rig rig;
    struct llm_reply reply =
        http_rig_ask(&rig, *state, "stream-no-usage", &http_schema);
    http_reply_is_good(&reply);
    assert_true(reply.usage.estimated);
    http_rig_close(&rig);
}

/* Without tokens for thinking, the model is cut off. The reply must name the
 * cause and the setting that helps. No second request is sent, because a
 * correction would be cut off, too. */
static void a_model_that_is_cut_off_says_so(void **state)
{
    static const char *const models[] = {"thinks", "thinks-in-text"};
    for (size_t i = 0; i < 2; i++) {
        struct http_rig rig;
        http_rig_open(&rig, *state);
        http_rig_set(&rig, "thinking_tokens", "0");
        http_rig_start(&rig, models[i]);
        struct llm_reply reply = http_rig_ask_for(&rig, &http_schema);
        assert_false(reply.known);
        assert_non_null(strstr(reply.why, "cut off at the limit of tokens"));
        assert_non_null(strstr(reply.why, "thinking_tokens="));
        assert_int_equal(rig.client.accounts[0].requests, 1);
        http_rig_close(&rig);
    }
}

static void what_cannot_be_used_is_no_answer(void **state)
{
    static const struct {
        const char *model, *why;
    } rows[] = {
        {"thinks-only", "the reply has thoughts but no answer"},
        {"stream-cut", "the stream ends before the answer does"},
        {"no-context", "the server answers 400: not now"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct http_rig rig;
        struct llm_reply reply =
            http_rig_ask(&rig, *state, rows[i].model, &http_schema);
        assert_false(reply.known);
        if (strncmp(reply.why, rows[i].why, strlen(rows[i].why)) != 0)
            fail_msg("%s: %s", rows[i].model, reply.why);
        assert_true(rig.client.accounts[0].requests <= 12);
        http_rig_close(&rig);
    }
}

static void a_long_remark_is_cut_and_a_comma_in_a_text_stays(void **state)
{
    struct http_rig rig;
    struct llm_reply reply =
        http_rig_ask(&rig, *state, "long-optional", &http_schema);
    assert_true(reply.known);
    assert_int_equal(strlen(reply.values[2].string), LLM_STRING_MAX);
    http_rig_close(&rig);
    reply = http_rig_ask(&rig, *state, "long-bytes", &http_schema);
    assert_true(reply.known);
    assert_int_equal(strlen(reply.values[2].string), LLM_STRING_MAX);
    http_rig_close(&rig);
    reply = http_rig_ask(&rig, *state, "comma-in-text", &http_schema);
    assert_true(reply.known);
    assert_string_equal(reply.values[2].string, ",}");
    http_rig_close(&rig);
}

/* Checks that a window of 100,000 bytes is halved until the server accepts it.
 * The beginning and the end stay, and the reply has the number of bytes left
 * out. */
static void a_window_shrinks_until_it_fits(void **state)
{
    static struct error err;
    static char window[100001];
    struct http_rig rig;
    struct llm_reply reply;
    memset(window, 'x', sizeof window - 1);
    memcpy(window, "<log>", 5);
    memcpy(window + sizeof window - 7, "</log>", 6);
    const struct llm_message messages[] = {{LLM_SYSTEM, "You read logs."},
                                           {LLM_USER, window}};
    const struct llm_request request = {.kind = LLM_CHAT,
                                        .purpose = "test",
                                        .prompt_version = "1",
                                        .messages = messages,
                                        .n_messages = 2,
                                        .schema = &http_schema,
                                        .max_tokens = 100};
    http_rig_open(&rig, *state);
    http_rig_start(&rig, "small-context");
    assert_int_equal(
        llm_client_ask(&rig.client, &request, &rig.arena, &reply, &err),
        STATUS_OK);
    http_reply_is_good(&reply);
    /* 100,000 bytes are halved to about 1,600 */
    assert_in_range(reply.left_out, 98000, 99000);
    /* Refusals for length are not failures of the server, so the client does
     * not stop sending requests. */
    assert_true(rig.client.accounts[0].requests <= 16);
    http_rig_close(&rig);
}

static enum status ask_through(const struct llm_ops *ops, const char *file,
                               const char *mode, struct http_rig *rig,
                               const struct llm_request *request,
                               struct llm_reply *reply)
{
    static struct error err;
    struct llm replay = {.ops = ops, .below = &rig->layer};
    const struct llm_env env = {&rig->arena, &rig->clock, http_rig_variable,
                                rig};
    void *config = arena_alloc(&rig->arena, ops->config_size);
    replay.config = config;
    replay.self = arena_alloc(&rig->arena, ops->state_size);
    option_defaults(ops->options, config);
    for (int i = 0; i < 2; i++)
        assert_int_equal(option_set(ops->options, config, "test",
                                    text_from(i ? "mode" : "file"),
                                    text_from(i ? mode : file), &rig->arena,
                                    &err),
                         STATUS_OK);
    if (ops->init(replay.self, config, &env, &err) != STATUS_OK)
        fail_msg("%s", err.message);
    struct llm_client client;
    llm_client_init(&client, &replay, &rig->sampling);
    enum status st = llm_client_ask(&client, request, &rig->arena, reply, &err);
    llm_client_fini(&client);
    ops->fini(replay.self);
    return st;
}

/* Checks that a recording says which requests were too long, so that a replay
 * shortens them as the recorded run did, without a server. */
static void a_recording_shrinks_as_the_run_did(void **state)
{
    static struct error err;
    static char window[9001];
    const struct llm_ops *ops;
    struct http_rig rig;
    struct llm_reply reply;
    memset(window, 'x', sizeof window - 1);
    const struct llm_message messages[] = {{LLM_USER, window}};
    const struct llm_request request = {.kind = LLM_CHAT,
                                        .purpose = "test",
                                        .prompt_version = "1",
                                        .messages = messages,
                                        .n_messages = 1,
                                        .schema = &http_schema,
                                        .max_tokens = 100};
    assert_int_equal(llm_find(text_from("replay"), &ops, &err), STATUS_OK);
    assert_int_equal(truncate(temp_path, 0), 0);
    http_rig_open(&rig, *state);
    http_rig_start(&rig, "small-context");
    assert_int_equal(
        ask_through(ops, temp_path, "auto", &rig, &request, &reply), STATUS_OK);
    http_reply_is_good(&reply);
    uint64_t left_out = reply.left_out;
    assert_true(left_out > 0);
    assert_int_equal(
        ask_through(ops, temp_path, "strict", &rig, &request, &reply),
        STATUS_OK);
    http_reply_is_good(&reply);
    assert_int_equal(reply.method, LLM_BY_RECORDING);
    assert_int_equal(reply.left_out, left_out);
    http_rig_close(&rig);
}

static void embeddings_come_in_batches_that_the_server_takes(void **state)
{
    enum { TEXTS = 33 };
    static struct error err;
    struct http_rig rig;
    struct embed_llm embed;
    struct text texts[TEXTS];
    float out[TEXTS * 3];
    http_rig_open(&rig, *state);
    http_rig_start(&rig, "embed-few");
    assert_int_equal(embed_llm_init(&embed, &rig.client, &err), STATUS_OK);
    for (size_t i = 0; i < TEXTS; i++)
        texts[i] = text_from("text");
    assert_int_equal(embed.ops.embed(&embed, texts, TEXTS, out, &err),
                     STATUS_OK);
    /* The last request has one text, so its vector has the direction (0, 0.5,
     * -1.25). */
    assert_true(out[(TEXTS - 1) * 3] == 0);
    assert_true(out[(TEXTS - 1) * 3 + 1] > 0);
    http_rig_close(&rig);
}

/* Chats go to one server and embeddings to another server, which must not get
 * the key of the first. */
static void chat_and_embedding_servers_are_apart(void **state)
{
    const struct http_server *server = *state;
    static struct error err;
    struct http_rig rig;
    struct embed_llm embed;
    char url[64];
    http_rig_open(&rig, server);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/v1", server->port);
    http_rig_set(&rig, "embed_base_url", url);
    http_rig_set(&rig, "base_url", "http://127.0.0.1:1/v1");
    http_rig_start(&rig, "embed-no-key");
    if (embed_llm_init(&embed, &rig.client, &err) != STATUS_OK)
        fail_msg("%s", err.message);
    http_rig_close(&rig);
    /* The model embed-no-key fails if a request has a key, and the server for
     * chats gets the key. */
    http_rig_open(&rig, server);
    http_rig_start(&rig, "embed-no-key");
    assert_int_equal(embed_llm_init(&embed, &rig.client, &err), STATUS_FAILED);
    http_rig_close(&rig);
}

static int start(void **state)
{
    static void *unused;
    return temp_path_make(&unused) || http_server_start(state);
}

static int stop(void **state)
{
    static void *unused;
    return temp_path_remove(&unused) || http_server_stop(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loose_answers_are_read),
        cmocka_unit_test(a_stream_may_lack_counts),
        cmocka_unit_test(a_model_that_is_cut_off_says_so),
        cmocka_unit_test(what_cannot_be_used_is_no_answer),
        cmocka_unit_test(a_long_remark_is_cut_and_a_comma_in_a_text_stays),
        cmocka_unit_test(a_window_shrinks_until_it_fits),
        cmocka_unit_test(a_recording_shrinks_as_the_run_did),
        cmocka_unit_test(embeddings_come_in_batches_that_the_server_takes),
        cmocka_unit_test(chat_and_embedding_servers_are_apart),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
