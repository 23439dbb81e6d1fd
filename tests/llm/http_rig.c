/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/llm/http_rig.h"

#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/run/registry.h"

static sim_time elapsed(void *self)
{
    const struct http_rig *rig = self;
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
    struct http_rig *rig = self;
    rig->slept += span;
    if (rig->n_sleeps < SLEEPS_MAX)
        rig->sleeps[rig->n_sleeps++] = span;
}

const char *http_rig_variable(const void *self, const char *name)
{
    const struct http_rig *rig = self;
    if (strcmp(name, "SCHEDSIM_LLM_API_KEY") == 0)
        return rig->key;
    if (strcmp(name, "SCHEDSIM_LLM_BASE_URL") == 0)
        return rig->own_url;
    if (strcmp(name, "OPENAI_API_KEY") == 0)
        return rig->openai_key;
    if (strcmp(name, "OPENAI_BASE_URL") == 0)
        return rig->openai_url;
    return NULL;
}

void http_rig_set(struct http_rig *rig, const char *key, const char *value)
{
    static struct error err;
    void *config = (void *)(uintptr_t)rig->layer.config;
    if (option_set(rig->layer.ops->options, config, "test", text_from(key),
                   text_from(value), &rig->arena, &err) != STATUS_OK)
        fail_msg("%s", err.message);
}

void http_rig_open(struct http_rig *rig, const struct http_server *server)
{
    static struct error err;
    char url[64];
    *rig = (struct http_rig){.key = "sk-secret-1234567890"};
    arena_init(&rig->arena);
    rig->clock = (struct llm_clock){rig, elapsed, utc, nap};
    assert_int_equal(llm_find(text_from("http"), &rig->layer.ops, &err), 0);
    rig->layer.config = arena_alloc(&rig->arena, rig->layer.ops->config_size);
    rig->layer.self = arena_alloc(&rig->arena, rig->layer.ops->state_size);
    option_defaults(rig->layer.ops->options,
                    (void *)(uintptr_t)rig->layer.config);
    option_defaults(llm_sampling_options, &rig->sampling);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/v1/", server->port);
    http_rig_set(rig, "base_url", url);
}

void http_rig_start(struct http_rig *rig, const char *model)
{
    static struct error err;
    const struct llm_env env = {&rig->arena, &rig->clock, http_rig_variable,
                                rig};
    if (rig->layer.ops->init(rig->layer.self, rig->layer.config, &env, &err) !=
        STATUS_OK)
        fail_msg("%s", err.message);
    rig->sampling.model = rig->sampling.embed_model = model;
    llm_client_init(&rig->client, &rig->layer, &rig->sampling);
}

void http_rig_close(struct http_rig *rig)
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
const struct llm_schema http_schema = {.name = "step", .fields = fields};

const struct llm_message http_question[2] = {
    {LLM_SYSTEM, "You read logs."},
    {LLM_USER, "step 1: 0.5 s \xff"},
};

struct llm_reply http_rig_ask_for(struct http_rig *rig,
                                  const struct llm_schema *wanted)
{
    static struct error err;
    struct llm_reply reply;
    const struct llm_request request = {.kind = LLM_CHAT,
                                        .purpose = "test",
                                        .prompt_version = "1",
                                        .messages = http_question,
                                        .n_messages = 2,
                                        .schema = wanted,
                                        .max_tokens = 100};
    if (llm_client_ask(&rig->client, &request, &rig->arena, &reply, &err) !=
        STATUS_OK)
        fail_msg("%s", err.message);
    return reply;
}

struct llm_reply http_rig_ask(struct http_rig *rig,
                              const struct http_server *server,
                              const char *model,
                              const struct llm_schema *wanted)
{
    http_rig_open(rig, server);
    http_rig_start(rig, model);
    return http_rig_ask_for(rig, wanted);
}

void http_reply_is_good(const struct llm_reply *reply)
{
    if (!reply->known)
        fail_msg("%s", reply->why);
    assert_true(reply->values && reply->values[0].number == 1);
    assert_true(reply->values[1].number == 0.5);
    assert_string_equal(reply->values[2].string, "s");
}

int http_server_start(void **state)
{
    static struct http_server server;
    int to[2], from[2];
    char line[16] = "";
    unsetenv("http_proxy");
    unsetenv("all_proxy");
    unsetenv("ALL_PROXY");
    if (pipe(to) != 0 || pipe(from) != 0)
        return -1;
    server.pid = fork();
    if (server.pid == 0) {
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
    server.to_server = to[1];
    server.port = (int)strtol(line, NULL, 10);
    *state = &server;
    return server.port > 0 ? 0 : -1;
}

int http_server_stop(void **state)
{
    struct http_server *server = *state;
    close(server->to_server);
    waitpid(server->pid, NULL, 0);
    return 0;
}
