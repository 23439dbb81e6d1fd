/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests keys and settings of the layer `http`: where keys come from, to which
 * servers they may be sent, and that no message contains a key (http_rig.h). */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/llm/http_rig.h"

static void the_key_never_comes_back(void **state)
{
    static const char *const models[] = {"echo-key", "unauthorized"};
    for (size_t i = 0; i < 2; i++) {
        struct http_rig rig;
        struct llm_reply reply = http_rig_ask(&rig, *state, models[i], NULL);
        const char *said = reply.known ? reply.text : reply.why;
        assert_non_null(strstr(said, "Bearer ********"));
        assert_null(strstr(said, "secret"));
        http_rig_close(&rig);
    }
    struct http_rig rig;
    struct llm_reply reply = http_rig_ask(&rig, *state, "echo-base64", NULL);
    /* base64 of "Bearer " and of the whole groups of the key */
    assert_non_null(strstr(reply.why, "bad: QmVhcmVy"));
    assert_non_null(strstr(reply.why, "****"));
    assert_null(strstr(reply.why, "c2VjcmV0"));
    assert_null(strstr(reply.why, "NlY3JldA"));
    assert_null(strstr(reply.why, "zZWNyZX"));
    http_rig_close(&rig);
}

/* OPENAI_API_KEY must be sent only to OpenAI, or to the server that
 * OPENAI_BASE_URL names in its place. */
static void a_key_goes_only_where_it_belongs(void **state)
{
    const struct http_server *server = *state;
    char url[64];
    for (int is_openai = 0; is_openai < 2; is_openai++) {
        struct http_rig rig;
        http_rig_open(&rig, server);
        rig.key = NULL;
        rig.openai_key = "sk-openai";
        snprintf(url, sizeof url, "http://127.0.0.1:%d/v1", server->port);
        if (is_openai) {
            rig.openai_url = url;
            http_rig_set(&rig, "base_url", "");
        }
        http_rig_start(&rig, "no-key");
        struct llm_reply reply = http_rig_ask_for(&rig, NULL);
        assert_string_equal(reply.text, is_openai ? "a key" : "no key");
        http_rig_close(&rig);
    }
}

/* SCHEDSIM_LLM_API_KEY must not be sent to another server than the one that
 * SCHEDSIM_LLM_BASE_URL names. */
static void an_own_key_goes_only_where_it_belongs(void **state)
{
    static const char *const rows[][2] = {{NULL, "a key"},
                                          {"http://127.0.0.1:%d/v1", "a key"},
                                          {"http://127.0.0.1:%d/v1/", "a key"},
                                          {"http://127.0.0.1:1/v1", "no key"},
                                          {"http://127.0.0.1:%d", "no key"}};
    const struct http_server *server = *state;
    char url[64];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct http_rig rig;
        http_rig_open(&rig, server);
        const char *at = rows[i][0] ? strstr(rows[i][0], "%d") : NULL;
        if (at)
            snprintf(url, sizeof url, "http://127.0.0.1:%d%s", server->port,
                     at + 2);
        rig.own_url = at ? url : rows[i][0];
        http_rig_start(&rig, "no-key");
        struct llm_reply reply = http_rig_ask_for(&rig, NULL);
        assert_string_equal(reply.text, rows[i][1]);
        http_rig_close(&rig);
    }
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* The key is the content of the file without the line end. */
static void a_key_may_stand_in_a_file(void **state)
{
    static const char *const bad[] = {"", "\n", "two words\n", "tab\tkey"};
    static struct error err;
    char dir[] = "/tmp/test_llm_http.XXXXXX", path[64];
    struct http_rig rig;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/key", dir);
    write_file(path, "sk-secret-of-a-file\n");
    http_rig_open(&rig, *state);
    rig.key = NULL;
    http_rig_set(&rig, "key_file", path);
    http_rig_start(&rig, "echo-key");
    struct llm_reply reply = http_rig_ask_for(&rig, NULL);
    assert_string_equal(reply.text, "you sent Bearer *******************");
    http_rig_close(&rig);
    for (size_t i = 0; i <= sizeof bad / sizeof *bad; i++) {
        if (i < sizeof bad / sizeof *bad)
            write_file(path, bad[i]);
        else
            unlink(path);
        http_rig_open(&rig, *state);
        http_rig_set(&rig, "key_file", path);
        const struct llm_env env = {&rig.arena, &rig.clock, http_rig_variable,
                                    &rig};
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
        struct http_rig rig;
        http_rig_open(&rig, *state);
        rig.key = rows[i].key;
        http_rig_set(&rig, "base_url", rows[i].url);
        const struct llm_env env = {&rig.arena, &rig.clock, http_rig_variable,
                                    &rig};
        assert_int_not_equal(
            rig.layer.ops->init(rig.layer.self, rig.layer.config, &env, &err),
            STATUS_OK);
        assert_null(strstr(err.message, "secret"));
        rig.layer.ops->fini(rig.layer.self);
        arena_fini(&rig.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_key_never_comes_back),
        cmocka_unit_test(a_key_goes_only_where_it_belongs),
        cmocka_unit_test(an_own_key_goes_only_where_it_belongs),
        cmocka_unit_test(a_key_may_stand_in_a_file),
        cmocka_unit_test(bad_settings_are_refused_without_the_secret),
    };
    return cmocka_run_group_tests(tests, http_server_start, http_server_stop);
}
