/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests embeddings that a server computes, and requests from several threads at
 * the same time (http_rig.h). */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "schedmate/llm/embed_llm.h"
#include "tests/llm/http_rig.h"

static struct llm_reply embed(struct http_rig *rig,
                              const struct http_server *server,
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
    http_rig_open(rig, server);
    http_rig_start(rig, model);
    assert_int_equal(
        llm_client_ask(&rig->client, &request, &rig->arena, &reply, &err),
        STATUS_OK);
    return reply;
}

static void embeddings_come_in_the_order_of_their_texts(void **state)
{
    static const char *const models[] = {"embed", "embed-base64"};
    for (size_t m = 0; m < 2; m++) {
        struct http_rig rig;
        struct llm_reply reply = embed(&rig, *state, models[m]);
        assert_true(reply.known);
        assert_int_equal(reply.n_vectors, 3);
        assert_int_equal(reply.width, 3);
        for (size_t i = 0; i < 3; i++) {
            assert_true(reply.vectors[i * 3] == (float)i);
            assert_true(reply.vectors[i * 3 + 2] == -1.25f);
        }
        assert_int_equal(reply.usage.prompt, 5);
        http_rig_close(&rig);
    }
}

static void embeddings_that_do_not_fit_are_no_answer(void **state)
{
    static const char *const models[] = {"embed-missing", "embed-twice",
                                         "embed-ragged", "embed-words"};
    for (size_t m = 0; m < 4; m++) {
        struct http_rig rig;
        struct llm_reply reply = embed(&rig, *state, models[m]);
        assert_false(reply.known);
        assert_null(reply.vectors);
        http_rig_close(&rig);
    }
}

/* Checks embeddings that a server computes: vectors have length 1, and 70
 * texts, which are too many for one request, are split into several requests.
 */
static void a_server_is_an_embedding(void **state)
{
    enum { TEXTS = 70 };
    static struct error err;
    struct http_rig rig;
    struct embed_llm embed;
    struct text texts[TEXTS];
    float out[TEXTS * 3];
    http_rig_open(&rig, *state);
    http_rig_start(&rig, "embed");
    assert_int_equal(embed_llm_init(&embed, &rig.client, &err), STATUS_OK);
    assert_string_equal(embed.ops.name, "llm:embed");
    assert_int_equal(embed.ops.dimensions, 3);
    for (size_t i = 0; i < TEXTS; i++)
        texts[i] = text_from("text");
    assert_int_equal(embed.ops.embed(&embed, texts, TEXTS, out, &err),
                     STATUS_OK);
    for (size_t i = 0; i < TEXTS; i++) {
        assert_true(embed_cosine(&out[i * 3], &out[i * 3], 3) > 0.999999);
        /* Text k of a request has a vector in the direction of (k, 0.5, -1.25).
         */
        assert_true(out[i * 3 + 1] > 0);
        assert_true((double)out[i * 3] * 0.5 -
                        (double)(i % 32) * (double)out[i * 3 + 1] <
                    1e-5);
    }
    assert_int_equal(rig.client.accounts[0].requests, 4);
    http_rig_close(&rig);
    http_rig_open(&rig, *state);
    http_rig_start(&rig, "embed-ragged");
    assert_int_equal(embed_llm_init(&embed, &rig.client, &err), STATUS_OK);
    assert_int_equal(embed.ops.embed(&embed, texts, 2, out, &err),
                     STATUS_FAILED);
    http_rig_close(&rig);
}

struct asker {
    struct http_rig *rig;
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
                                        .messages = http_question,
                                        .n_messages = 2};
    if (llm_client_ask(&asker->rig->client, &request, &asker->arena, &reply,
                       err) == STATUS_OK &&
        !text_to_double(text_from(reply.text), &asker->most))
        asker->most = -1; /* the reply is no number */
    free(err);
    return NULL;
}

static void no_more_questions_at_a_time_than_allowed(void **state)
{
    enum { ASKERS = 6 };
    struct http_rig rig;
    struct asker askers[ASKERS];
    pthread_t threads[ASKERS];
    http_rig_open(&rig, *state);
    http_rig_set(&rig, "concurrency", "2");
    http_rig_start(&rig, "busy");
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
    http_rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(embeddings_come_in_the_order_of_their_texts),
        cmocka_unit_test(embeddings_that_do_not_fit_are_no_answer),
        cmocka_unit_test(a_server_is_an_embedding),
        cmocka_unit_test(no_more_questions_at_a_time_than_allowed),
    };
    return cmocka_run_group_tests(tests, http_server_start, http_server_stop);
}
