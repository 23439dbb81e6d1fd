/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The client and the layer `http` against tests/llm/server.py, which answers on
 * the loopback, well or badly: the model asked for says how. Nothing waits: the
 * clock's sleep is written down and added to its time. */
#ifndef TESTS_LLM_HTTP_RIG_H
#define TESTS_LLM_HTTP_RIG_H

#include <sys/types.h>

#include "models/llm/llm_client.h"

struct http_server {
    pid_t pid;
    int to_server; /* closed to end it */
    int port;
};

enum { SLEEPS_MAX = 16 };

/* One chain, its clock and what was slept. */
struct http_rig {
    struct arena arena;
    struct llm_clock clock;
    sim_span slept, sleeps[SLEEPS_MAX];
    size_t n_sleeps;
    struct llm layer;
    struct llm_sampling sampling;
    struct llm_client client;
    const char *key, *openai_key, *openai_url;
};

/* Set-up and tear-down of a group of tests; *state is a struct http_server. */
int http_server_start(void **state);
int http_server_stop(void **state);

/* Opens a chain with the default settings but for the server's address; the
 * test may change them before it starts the chain. */
void http_rig_open(struct http_rig *rig, const struct http_server *server);
void http_rig_set(struct http_rig *rig, const char *key, const char *value);
/* Starts the chain; every question is for `model`. */
void http_rig_start(struct http_rig *rig, const char *model);
void http_rig_close(struct http_rig *rig);

/* Reads a variable of the rig's environment; for struct llm_env. */
const char *http_rig_variable(const void *self, const char *name);

/* The question that http_rig_ask_for asks. */
extern const struct llm_message http_question[2];
/* The fields that the server's good answers have. */
extern const struct llm_schema http_schema;
/* Asks a started chain; http_rig_ask opens and starts it first. */
struct llm_reply http_rig_ask_for(struct http_rig *rig,
                                  const struct llm_schema *wanted);
struct llm_reply http_rig_ask(struct http_rig *rig,
                              const struct http_server *server,
                              const char *model,
                              const struct llm_schema *wanted);
/* Fails the test unless the reply has the values of a good answer. */
void http_reply_is_good(const struct llm_reply *reply);

#endif
