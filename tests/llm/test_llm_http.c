/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests how the layer `http` handles good and bad answers of a server
 * (http_rig.h). */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/llm/http_rig.h"

static void a_good_answer_comes_with_its_account(void **state)
{
    static const char *const models[] = {"ok", "chunked", "fenced"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct http_rig rig;
        struct llm_reply reply =
            http_rig_ask(&rig, *state, models[i], &http_schema);
        http_reply_is_good(&reply);
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
        http_rig_close(&rig);
    }
}

static void tokens_are_estimated_where_none_are_told(void **state)
{
    static const char *const models[] = {"no-usage", "bad-usage"};
    for (size_t i = 0; i < 2; i++) {
        struct http_rig rig;
        struct llm_reply reply =
            http_rig_ask(&rig, *state, models[i], &http_schema);
        http_reply_is_good(&reply);
        assert_true(reply.usage.estimated);
        assert_int_equal(reply.usage.prompt, (14 + 15) / 4);
        http_rig_close(&rig);
    }
}

/* Checks the waiting time before the second attempt, which must lie between
 * `lo` and `hi`, us. The bounds are what the server asks for, or the waiting
 * times of openai-python. */
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
        struct http_rig rig;
        struct llm_reply reply =
            http_rig_ask(&rig, *state, rows[i].model, &http_schema);
        http_reply_is_good(&reply);
        assert_int_equal(reply.attempts, 2);
        assert_int_equal(rig.n_sleeps, 1);
        assert_in_range(rig.sleeps[0], rows[i].lo, rows[i].hi);
        assert_true(reply.latency >= rig.slept);
        http_rig_close(&rig);
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
        {"not-json", "the reply is not a JSON object", 1},
        {"half-json", "the reply is not a JSON object", 1},
        {"an-array", "the reply is not a JSON object", 1},
        {"deep", "the reply is not a JSON object", 1},
        {"empty-body", "the reply is not a JSON object", 1},
        {"wrong-types", "the reply has no list of choices", 1},
        {"choice-is-number", "the reply has no text", 1},
        {"content-is-number", "the reply has no text", 1},
        {"empty-choices", "the reply has no choice", 1},
        {"no-content", "the reply has no text", 1},
        {"refusal", "the model refuses to answer: I would rather not", 1},
        {"filter", "a filter of the server withheld the answer", 1},
        {"stubborn", "the server answers 400: ", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct http_rig rig;
        struct llm_reply reply =
            http_rig_ask(&rig, *state, rows[i].model, &http_schema);
        assert_false(reply.known);
        if (strncmp(reply.why, rows[i].why, strlen(rows[i].why)) != 0)
            fail_msg("%s: %s", rows[i].model, reply.why);
        if (rows[i].attempts)
            assert_int_equal(reply.attempts, rows[i].attempts);
        assert_true(reply.attempts <= 12);
        assert_int_equal(rig.client.accounts[0].unknown, 1);
        http_rig_close(&rig);
    }
}

/* Two questions an hour, then as many tokens as one of them used. */
static void a_budget_ends_the_questions(void **state)
{
    static const char *const rows[][3] = {
        {"hourly_questions", "2",
         "the budget of 2 questions an hour is used up (hourly_questions)"},
        {"hourly_tokens", "1",
         "the budget of 1 tokens an hour is used up (hourly_tokens)"}};
    for (size_t i = 0; i < 2; i++) {
        struct http_rig rig;
        http_rig_open(&rig, *state);
        http_rig_set(&rig, rows[i][0], rows[i][1]);
        http_rig_start(&rig, "ok");
        for (size_t k = 0; k < 2 - i; k++) {
            struct llm_reply reply = http_rig_ask_for(&rig, &http_schema);
            http_reply_is_good(&reply);
        }
        struct llm_reply reply = http_rig_ask_for(&rig, &http_schema);
        assert_false(reply.known);
        assert_string_equal(reply.why, rows[i][2]);
        rig.slept += SPAN_HOUR; /* the next hour */
        reply = http_rig_ask_for(&rig, &http_schema);
        http_reply_is_good(&reply);
        http_rig_close(&rig);
    }
}

static void a_reply_beyond_the_limit_is_refused_at_once(void **state)
{
    struct http_rig rig;
    http_rig_open(&rig, *state);
    http_rig_set(&rig, "reply_mib", "1");
    http_rig_start(&rig, "huge");
    struct llm_reply reply = http_rig_ask_for(&rig, &http_schema);
    assert_false(reply.known);
    assert_non_null(strstr(reply.why, "too large"));
    assert_int_equal(reply.attempts, 1);
    http_rig_close(&rig);
}

static void a_slow_server_meets_the_deadline(void **state)
{
    struct http_rig rig;
    http_rig_open(&rig, *state);
    http_rig_set(&rig, "deadline_s", "0.3");
    http_rig_start(&rig, "slow");
    struct llm_reply reply = http_rig_ask_for(&rig, &http_schema);
    assert_false(reply.known);
    assert_true(reply.latency >= 250000 && reply.latency < 50000000);
    http_rig_close(&rig);
}

static void nobody_listens(void **state)
{
    struct http_rig rig;
    struct llm_reply reply;
    http_rig_open(&rig, *state);
    http_rig_set(&rig, "base_url", "http://127.0.0.1:1/v1");
    http_rig_start(&rig, "ok");
    reply = http_rig_ask_for(&rig, &http_schema);
    assert_false(reply.known);
    assert_non_null(strstr(reply.why, "no answer from the server"));
    assert_int_equal(reply.attempts, 3);
    assert_int_equal(rig.n_sleeps, 2);
    assert_in_range(rig.sleeps[1], 750000, 1000000);
    http_rig_close(&rig);
}

static void a_server_that_fails_is_left_alone_and_tried_again(void **state)
{
    struct http_rig rig;
    struct llm_reply reply;
    http_rig_open(&rig, *state);
    http_rig_set(&rig, "breaker_failures", "2");
    http_rig_set(&rig, "retries", "0");
    http_rig_start(&rig, "500-always");
    for (int i = 0; i < 2; i++) {
        reply = http_rig_ask_for(&rig, NULL);
        assert_int_equal(reply.attempts, 1);
    }
    reply = http_rig_ask_for(&rig, NULL);
    assert_int_equal(reply.attempts, 0);
    assert_non_null(strstr(reply.why, "is not asked for a while"));
    rig.slept += 61 * SPAN_SECOND;
    /* after the pause, one request tests whether the server works again */
    reply = http_rig_ask_for(&rig, NULL);
    assert_int_equal(reply.attempts, 1);
    reply = http_rig_ask_for(&rig, NULL);
    assert_int_equal(reply.attempts, 0);
    rig.slept += 61 * SPAN_SECOND;
    rig.client.sampling.model = "ok";
    reply = http_rig_ask_for(&rig, NULL);
    assert_true(reply.known);
    reply = http_rig_ask_for(&rig, NULL);
    assert_true(reply.known);
    http_rig_close(&rig);
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
        struct http_rig rig;
        http_rig_open(&rig, *state);
        http_rig_set(&rig, "server", rows[i].server);
        http_rig_start(&rig, rows[i].model);
        struct llm_reply reply = http_rig_ask_for(&rig, &http_schema);
        http_reply_is_good(&reply);
        assert_string_equal(reply.finish_reason, rows[i].form);
        assert_int_equal(reply.attempts, rows[i].attempts);
        assert_int_equal(rig.n_sleeps, 0);
        /* the client remembers which form of the schema the server accepted */
        reply = http_rig_ask_for(&rig, &http_schema);
        http_reply_is_good(&reply);
        assert_int_equal(reply.attempts, 1);
        http_rig_close(&rig);
    }
}

static void fields_that_a_server_refuses_are_put_otherwise(void **state)
{
    struct http_rig rig;
    struct llm_reply reply =
        http_rig_ask(&rig, *state, "new-tokens", &http_schema);
    http_reply_is_good(&reply);
    /* three attempts were refused, because of max_tokens, temperature and seed;
     * the fourth has none of them */
    assert_int_equal(reply.attempts, 4);
    http_rig_close(&rig);
}

static void a_wrong_answer_is_corrected_once(void **state)
{
    struct http_rig rig;
    struct llm_reply reply =
        http_rig_ask(&rig, *state, "invalid-then-ok", &http_schema);
    http_reply_is_good(&reply);
    assert_int_equal(rig.client.accounts[0].invalid, 1);
    assert_int_equal(rig.client.accounts[0].calls, 2);
    http_rig_close(&rig);
    reply = http_rig_ask(&rig, *state, "invalid-always", &http_schema);
    assert_false(reply.known);
    assert_null(reply.values);
    assert_non_null(strstr(reply.why, "\"found\" must be true or false"));
    assert_int_equal(rig.client.accounts[0].calls, 2);
    http_rig_close(&rig);
    reply = http_rig_ask(&rig, *state, "length", &http_schema);
    assert_false(reply.known);
    assert_non_null(strstr(reply.why, "cut off"));
    http_rig_close(&rig);
}

static void bytes_that_are_no_text_are_replaced(void **state)
{
    struct http_rig rig;
    struct llm_reply reply = http_rig_ask(&rig, *state, "bad-utf8", NULL);
    assert_true(reply.known);
    assert_string_equal(reply.text, "a?b");
    http_rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_answer_comes_with_its_account),
        cmocka_unit_test(tokens_are_estimated_where_none_are_told),
        cmocka_unit_test(passing_errors_are_tried_again),
        cmocka_unit_test(what_fails_is_no_answer_and_says_why),
        cmocka_unit_test(a_budget_ends_the_questions),
        cmocka_unit_test(a_reply_beyond_the_limit_is_refused_at_once),
        cmocka_unit_test(a_slow_server_meets_the_deadline),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(a_server_that_fails_is_left_alone_and_tried_again),
        cmocka_unit_test(a_schema_is_put_as_the_server_wants_it),
        cmocka_unit_test(fields_that_a_server_refuses_are_put_otherwise),
        cmocka_unit_test(a_wrong_answer_is_corrected_once),
        cmocka_unit_test(bytes_that_are_no_text_are_replaced),
    };
    return cmocka_run_group_tests(tests, http_server_start, http_server_stop);
}
