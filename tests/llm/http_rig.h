/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A client and the layer `http`, which ask tests/llm/server.py on the
 * loopback. The name of the model asked for decides how well or badly the
 * server answers. No test really waits: a sleep of the clock is recorded and
 * added to its time. */
#ifndef TESTS_LLM_HTTP_RIG_H
#define TESTS_LLM_HTTP_RIG_H

#include <sys/types.h>

#include "models/llm/llm_client.h"

struct http_server {
    pid_t pid;
    int to_server; /* pipe to the server; closing it ends the server */
    int port;
};

enum { SLEEPS_MAX = 16 };

/* A chain, its clock and the sleeps of the clock. */
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

/* Opens a chain with default settings and the address of the server. The test
 * may change the settings before it starts the chain. */
void http_rig_open(struct http_rig *rig, const struct http_server *server);
void http_rig_set(struct http_rig *rig, const char *key, const char *value);
/* Starts the chain. All questions are for `model`. */
void http_rig_start(struct http_rig *rig, const char *model);
void http_rig_close(struct http_rig *rig);

/* The function llm_env.variable for the environment of the rig. */
const char *http_rig_variable(const void *self, const char *name);

/* The question that http_rig_ask_for asks. */
extern const struct llm_message http_question[2];
/* The fields of the server's good answers. */
extern const struct llm_schema http_schema;
/* Asks a chain that was started; http_rig_ask opens and starts it first. */
struct llm_reply http_rig_ask_for(struct http_rig *rig,
                                  const struct llm_schema *wanted);
struct llm_reply http_rig_ask(struct http_rig *rig,
                              const struct http_server *server,
                              const char *model,
                              const struct llm_schema *wanted);
/* Fails the test unless the reply has the values of a good answer. */
void http_reply_is_good(const struct llm_reply *reply);

#endif
