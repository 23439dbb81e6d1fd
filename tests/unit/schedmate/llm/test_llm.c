/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the parts of the language-model client that need no server: how an
 * answer is read, how texts and vectors are encoded, when a request is
 * repeated, and which servers are known. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/llm/llm_internal.h"
#include "schedmate/llm/llm_json.h"
#include "schedmate/llm/llm_text.h"

static const char *const kinds[] = {"gpu", "node", NULL};
static const struct llm_field fields[] = {
    {.name = "found", .type = LLM_BOOL, .required = true, .help = "is it so"},
    {.name = "seconds", .type = LLM_NUMBER, .lo = 0.5, .hi = 10, .help = "s"},
    {.name = "count", .type = LLM_INTEGER, .help = "how many"},
    {.name = "kind", .type = LLM_STRING, .choices = kinds, .help = "which"},
    {.name = "words", .type = LLM_STRING, .max = 5, .help = "what"},
    {.name = "more", .type = LLM_LIST, .max = 2, .help = "other things"},
    {0},
};
static const struct llm_schema schema = {"test", fields};

static void answers_are_found_in_chatter(void **state)
{
    static const char *const good[] = {
        "{\"found\":true}",
        "  \n{\"found\": true}\n",
        "```json\n{\"found\": true}\n```",
        "Here {it} is: {\"found\": true} and {\"found\": false}",
        "<think>{\"found\": false}</think>{\"found\": true}",
        "I ponder {\"found\": false}</think>{\"found\": true}",
        "<think>a</think><think>{\"found\":false}</think>{\"found\":true}",
        "[{\"found\": true}]",
        "{\"answer\": {\"found\": true}}{\"found\": true}",
        "{\"words\": \"}{\"} {\"found\": true, \"words\": \"}{\"}",
        "{\"found\": true, \"extra\": [{}], \"seconds\": null}",
        "{\"found\": \"yes\"} no: {\"found\": true}",
        "{ {\"found\": true}",
        "{'found': True, 'words': 'a\\'b', 'kind': None}",
        "{'found': True, 'words': \"a\\nb\"}",
        "{\"found\": true, \"words\": \"a\\\"b\", \"more\": [ ], }",
        "{\"found\": true, \"seconds\": \" 2 \"}",
        "{\"found\": \"true\"}",
        "{\"found\": true, \"words\": \"longer than five\"}",
    };
    struct cjson cj;
    struct arena arena;
    (void)state;
    arena_init(&arena);
    assert_int_equal(cjson_load(&cj, NULL), STATUS_OK);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char complaint[LLM_COMPLAINT_MAX];
        const struct llm_value *values =
            llm_parse(&cj, text_from(good[i]), &schema, &arena, complaint);
        if (!values)
            fail_msg("%s: %s", good[i], complaint);
        assert_true(values[0].present && values[0].number == 1);
    }
    arena_fini(&arena);
}

static void answers_against_the_schema_are_refused_with_the_reason(void **state)
{
    static const char *const bad[][2] = {
        {"", "the answer holds no JSON object"},
        {"I cannot say", "the answer holds no JSON object"},
        {"<think>{\"found\": true}", "the answer holds no JSON object"},
        {"{\"found\": true", "the JSON object never ends"},
        {"{found: true}", "the JSON object is not well-formed"},
        {"{}", "field \"found\" is missing"},
        {"{\"found\": null}", "field \"found\" is missing"},
        {"{\"found\": 1}", "field \"found\" must be true or false"},
        {"{\"found\": true, \"seconds\": \"2 s\"}",
         "field \"seconds\" must be a number"},
        {"{\"found\": true, \"seconds\": 0.4}",
         "field \"seconds\" must be between 0.5 and 10"},
        {"{\"found\": true, \"seconds\": 1e999}",
         "field \"seconds\" must be a number"},
        {"{\"found\": true, \"count\": 1.5}",
         "field \"count\" must be a whole number"},
        {"{\"found\": true, \"count\": 1e300}",
         "field \"count\" must be a whole number"},
        {"{\"found\": true, \"kind\": \"moon\"}",
         "field \"kind\" must be one of \"gpu\", \"node\""},
        {"{\"found\": []}", "field \"found\" must be true or false"},
        {"{\"found\": true, \"seconds\": []}",
         "field \"seconds\" must be a number"},
        {"{\"found\": true, \"count\": \"1.5\"}",
         "field \"count\" must be a whole number"},
        {"{\"found\": \"perhaps\"}", "field \"found\" must be true or false"},
        {"{\"found\": true, \"words\": {}}",
         "field \"words\" must be a string"},
        {"{\"found\": true, \"more\": \"a\"}",
         "field \"more\" must be an array of strings"},
        {"{\"found\": true, \"more\": [1]}",
         "field \"more\" must be an array of strings"},
        {"{\"found\": true, \"more\": [\"a\", \"b\", \"c\"]}",
         "field \"more\" has too many elements"},
    };
    struct cjson cj;
    struct arena arena;
    (void)state;
    arena_init(&arena);
    assert_int_equal(cjson_load(&cj, NULL), STATUS_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char complaint[LLM_COMPLAINT_MAX];
        assert_null(
            llm_parse(&cj, text_from(bad[i][0]), &schema, &arena, complaint));
        assert_string_equal(complaint, bad[i][1]);
    }
    arena_fini(&arena);
}

/* A megabyte of braces must cost only a bounded number of attempts to read
 * JSON, and no deep recursion. */
static void a_reply_of_braces_costs_little(void **state)
{
    enum { LEN = 1 << 20 };
    char complaint[LLM_COMPLAINT_MAX], *text = mem_alloc(LEN);
    struct cjson cj;
    struct arena arena;
    (void)state;
    arena_init(&arena);
    assert_int_equal(cjson_load(&cj, NULL), STATUS_OK);
    memset(text, '{', LEN);
    assert_null(
        llm_parse(&cj, (struct text){text, LEN}, &schema, &arena, complaint));
    for (size_t i = 0; i < LEN; i += 2)
        text[i + 1] = '}';
    assert_null(
        llm_parse(&cj, (struct text){text, LEN}, &schema, &arena, complaint));
    arena_fini(&arena);
    free(text);
}

/* "=" begins what is known: the text, or the first number. */
static const char *const chats[][2] = {
    {"{\"choices\":[{\"message\":{\"content\":\"a\"}}]}", "=a"},
    {"{\"choices\":[{\"message\":{\"content\":[\"a\",{\"type\":\"text\","
     "\"text\":\"b\"},{\"text\":5},7]}}]}",
     "=ab"},
    {"{\"choices\":[{\"message\":{\"content\":[5]}}]}",
     "the reply has no text"},
    {"{\"choices\":[{\"message\":{\"content\":[]}}]}", "the reply has no text"},
    {"{\"choices\":[{\"message\":{\"tool_calls\":[{\"function\":{"
     "\"arguments\":\"{}\"}}]}}]}",
     "={}"},
    {"{\"choices\":[{\"message\":{\"tool_calls\":[{\"function\":{"
     "\"arguments\":5}}]}}]}",
     "the reply has no text"},
    {"{\"choices\":[{\"finish_reason\":\"length\",\"message\":{\"content\":"
     "\"\"}}]}",
     "the model was cut off at the limit of tokens"},
    {"{\"choices\":[{\"message\":{\"content\":\"\",\"reasoning\":\"Hm.\"}}]"
     "}",
     "the reply has thoughts but no answer"},
    {"{\"choices\":{}}", "the reply has no list of choices"},
    {"{\"choices\":[]}", "the reply has no choice"},
    {"7", "the reply is not a JSON object"},
};
static const char *const embeddings[][2] = {
    {"{\"data\":[{\"index\":1,\"embedding\":[3,4]},{\"index\":0,"
     "\"embedding\":[1,2]}]}",
     "=1"},
    {"{\"data\":[{\"index\":0,\"embedding\":\"AACAPwAAAEA=\"},{\"index\":1,"
     "\"embedding\":[1,2]}]}",
     "=1"},
    {"{\"data\":[{\"index\":0,\"embedding\":[1]}]}",
     "the number of embeddings is not that of the texts"},
    {"{\"data\":{}}", "the number of embeddings is not that of the texts"},
    {"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":0,"
     "\"embedding\":[1]}]}",
     "\"index\" of an embedding is missing, wrong or given twice"},
    {"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":2,"
     "\"embedding\":[1]}]}",
     "\"index\" of an embedding is missing, wrong or given twice"},
    {"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":-1,"
     "\"embedding\":[1]}]}",
     "\"index\" of an embedding is missing, wrong or given twice"},
    {"{\"data\":[{\"index\":\"0\",\"embedding\":[1]}]}",
     "\"index\" of an embedding is missing, wrong or given twice"},
    {"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":1,"
     "\"embedding\":[1,2]}]}",
     "embeddings are empty or differ in width"},
    {"{\"data\":[{\"index\":0,\"embedding\":[]},{\"index\":1,\"embedding\":"
     "[]}]}",
     "embeddings are empty or differ in width"},
    {"{\"data\":[{\"index\":0,\"embedding\":5},{\"index\":1,\"embedding\":["
     "]}]}",
     "embeddings are empty or differ in width"},
    {"{\"data\":[{\"index\":0,\"embedding\":[\"a\"]}]}",
     "an embedding holds a value that is not a number"},
    {"{\"data\":[{\"index\":0,\"embedding\":[1e999]}]}",
     "an embedding holds a value that is not a number"},
    {"{\"data\":[{\"index\":0,\"embedding\":\"?\"}]}",
     "an embedding is not base64 of 4-byte floats"},
    {"{\"data\":[{\"index\":0,\"embedding\":\"AAAA\"}]}",
     "an embedding is not base64 of 4-byte floats"},
};

static void check_reply(const struct cjson *cj, enum llm_kind kind,
                        const char *const row[2])
{
    const char *const inputs[] = {"a", "b"};
    const struct llm_sampling sampling = {.model = "m", .embed_model = "m"};
    const struct llm_request request = {
        .kind = kind, .inputs = inputs, .n_inputs = 2, .sampling = &sampling};
    struct llm_reply reply = {.text = ""};
    struct arena arena;
    arena_init(&arena);
    llm_wire_reply(cj, &request, text_from(row[0]), &arena, &reply);
    if (reply.known != (row[1][0] == '='))
        fail_msg("%s: %s", row[0], reply.known ? "known" : reply.why);
    if (!reply.known && !strstr(reply.why, row[1]))
        fail_msg("%s: %s", row[0], reply.why);
    if (reply.known && kind == LLM_CHAT)
        assert_string_equal(reply.text, row[1] + 1);
    if (reply.known && kind != LLM_CHAT)
        assert_true(reply.n_vectors == 2 && reply.vectors[0] == 1.0F &&
                    reply.vectors[1] == 2.0F);
    arena_fini(&arena);
}

static void replies_are_read_or_refused_with_the_reason(void **state)
{
    struct cjson cj;
    (void)state;
    assert_int_equal(cjson_load(&cj, NULL), STATUS_OK);
    for (size_t i = 0; i < sizeof chats / sizeof *chats; i++)
        check_reply(&cj, LLM_CHAT, chats[i]);
    for (size_t i = 0; i < sizeof embeddings / sizeof *embeddings; i++)
        check_reply(&cj, LLM_EMBED, embeddings[i]);
}

static void errors_are_read_in_each_form(void **state)
{
    static const char *const all[][2] = {
        {"{\"error\":{\"message\":\"m\",\"code\":\"c\"}}", "m|c"},
        {"{\"error\":\"words\"}", "words|"},
        {"{\"message\":\"m\"}", "m|"},
        {"{\"detail\":\"d\"}", "d|"},
        {"{\"detail\":[5]}", "|"},
        {"no json", "|"},
        {"", "|"},
    };
    struct cjson cj;
    struct arena arena;
    (void)state;
    arena_init(&arena);
    assert_int_equal(cjson_load(&cj, NULL), STATUS_OK);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct llm_wire_error error;
        char got[64];
        llm_wire_error(&cj, text_from(all[i][0]), &arena, &error);
        snprintf(got, sizeof got, "%s|%s", error.message, error.code);
        assert_string_equal(got, all[i][1]);
    }
    arena_fini(&arena);
}

static void text_is_made_utf8(void **state)
{
    static const char *const rows[][2] = {
        {"plain", "plain"},
        {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80",
         "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"\xff", "?"},
        {"\xc0\xaf", "??"},           /* overlong form */
        {"\xed\xa0\x80", "???"},      /* surrogate */
        {"\xf4\x90\x80\x80", "????"}, /* beyond Unicode */
        {"a\xe2\x82", "a??"},         /* incomplete sequence */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char buf[32];
        snprintf(buf, sizeof buf, "%s", rows[i][0]);
        llm_utf8_clean(buf, strlen(buf));
        assert_string_equal(buf, rows[i][1]);
    }
    char zero[] = {'a', 0, 'b'};
    assert_int_equal(llm_utf8_clean(zero, 3), 1);
    assert_memory_equal(zero, "a?b", 3);
}

static void floats_survive_base64(void **state)
{
    float in[7] = {0, -1.5f, 3.25e-20f, 1e30f, 7, -0.0f, 42};
    struct arena arena;
    (void)state;
    arena_init(&arena);
    for (size_t n = 0; n <= 7; n++) {
        struct out *out = out_to_memory();
        float *back;
        size_t count;
        llm_floats_encode(out, in, n);
        assert_true(llm_floats_decode(out_memory(out), &arena, &back, &count));
        assert_int_equal(count, n);
        assert_memory_equal(back, in, n * sizeof *in);
        out_abandon(out);
    }
    float *back;
    size_t count;
    assert_false(llm_floats_decode(text_from("AAAA"), &arena, &back, &count));
    assert_false(
        llm_floats_decode(text_from("AAAAA*=="), &arena, &back, &count));
    assert_false(llm_floats_decode(text_from("AADAfw=="), &arena, &back,
                                   &count)); /* NaN */
    arena_fini(&arena);
}

static void waits_grow_and_end(void **state)
{
    const struct llm_backoff backoff = {10, 500000, 8000000, 120000000};
    const struct llm_outcome refused = {.http = 0};
    static const sim_span want[] = {500000,  1000000, 2000000,
                                    4000000, 8000000, 8000000};
    sim_span delay;
    (void)state;
    for (uint32_t n = 0; n < 6; n++) {
        assert_true(llm_retry_after(&backoff, &refused, n, 0, &delay));
        assert_int_equal(delay, want[n]);
        assert_true(llm_retry_after(&backoff, &refused, n, 0.999, &delay));
        assert_true(delay < want[n] && delay >= want[n] * 3 / 4);
    }
    assert_false(llm_retry_after(&backoff, &refused, 10, 0, &delay));
}

static void only_what_may_pass_is_tried_again(void **state)
{
    const struct llm_backoff backoff = {2, 500000, 8000000, 120000000};
    sim_span delay;
    (void)state;
    for (int http = 100; http < 600; http++) {
        struct llm_outcome outcome = {.http = http};
        bool worth = http == 408 || http == 409 || http == 429 || http >= 500;
        assert_int_equal(llm_retry_after(&backoff, &outcome, 0, 0, &delay),
                         worth);
        outcome.should = LLM_SHOULD_YES;
        assert_true(llm_retry_after(&backoff, &outcome, 0, 0, &delay));
        outcome.quota = true;
        assert_false(llm_retry_after(&backoff, &outcome, 0, 0, &delay));
        outcome = (struct llm_outcome){.http = http, .should = LLM_SHOULD_NO};
        assert_false(llm_retry_after(&backoff, &outcome, 0, 0, &delay));
    }
    struct llm_outcome late = {.http = 429, .retry_after = 120000000};
    assert_true(llm_retry_after(&backoff, &late, 0, 0.5, &delay));
    assert_int_equal(delay, 120000000);
    late.retry_after++;
    assert_false(llm_retry_after(&backoff, &late, 0, 0.5, &delay));
}

static void servers_are_known_by_their_address(void **state)
{
    static const char *const rows[][2] = {
        {"https://api.openai.com/v1", "openai"},
        {"http://host:8000/v1", "vllm"},
        {"http://127.0.0.1:8080/v1", "llama.cpp"},
        {"http://[::1]:11434/v1", "ollama"},
        {"http://host:9999/v1", "other"},
        {"http://host/v1:8000", "other"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(
            llm_server_find("auto", text_from(rows[i][0]))->name, rows[i][1]);
    assert_string_equal(llm_server_find("vllm", text_from("x"))->name, "vllm");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_found_in_chatter),
        cmocka_unit_test(
            answers_against_the_schema_are_refused_with_the_reason),
        cmocka_unit_test(a_reply_of_braces_costs_little),
        cmocka_unit_test(replies_are_read_or_refused_with_the_reason),
        cmocka_unit_test(errors_are_read_in_each_form),
        cmocka_unit_test(text_is_made_utf8),
        cmocka_unit_test(floats_survive_base64),
        cmocka_unit_test(waits_grow_and_end),
        cmocka_unit_test(only_what_may_pass_is_tried_again),
        cmocka_unit_test(servers_are_known_by_their_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
