/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A test client for the layer `http`, which sends requests to
 * tests/llm/server.py on the loopback interface. The name of the requested
 * model tells the server how to answer and which errors to make. No test sleeps
 * between attempts: the clock records each sleep and advances by its length. */
#ifndef TESTS_LLM_HTTP_RIG_H
#define TESTS_LLM_HTTP_RIG_H

#include <sys/types.h>

#include "schedmate/llm/llm.h"

struct http_server {
    pid_t pid;
    int to_server; /* pipe to the server; closing the pipe ends the server */
    int port;
};

enum { SLEEPS_MAX = 16 };

/* The layer `http` with its client, its clock and the recorded sleeps. */
struct http_rig {
    struct arena arena;
    struct llm_clock clock;
    sim_span slept, sleeps[SLEEPS_MAX];
    size_t n_sleeps;
    struct llm layer;
    struct llm_sampling sampling;
    struct llm_client client;
    const char *key, *own_url, *openai_key, *openai_url;
};

/* Setup and teardown of a group of tests. *state is a struct http_server. */
int http_server_start(void **state);
int http_server_stop(void **state);

/* Opens a rig whose layer has default settings and the address of the server.
 * The test may change the settings before http_rig_start. */
void http_rig_open(struct http_rig *rig, const struct http_server *server);
void http_rig_set(struct http_rig *rig, const char *key, const char *value);
/* Starts the rig. All requests name the model `model`. */
void http_rig_start(struct http_rig *rig, const char *model);
void http_rig_close(struct http_rig *rig);

/* Looks up an environment variable of the rig; for llm_env.variable. Returns
 * NULL if the rig does not set it. */
const char *http_rig_variable(const void *self, const char *name);

/* The messages that http_rig_ask_for sends. */
extern const struct llm_message http_question[2];
/* A schema with the fields of the server's good answers. */
extern const struct llm_schema http_schema;
/* http_rig_ask_for sends http_question through a started rig and returns the
 * reply. http_rig_ask also opens and starts the rig. */
struct llm_reply http_rig_ask_for(struct http_rig *rig,
                                  const struct llm_schema *wanted);
struct llm_reply http_rig_ask(struct http_rig *rig,
                              const struct http_server *server,
                              const char *model,
                              const struct llm_schema *wanted);
/* Fails the test unless the reply has the values of a good answer. */
void http_reply_is_good(const struct llm_reply *reply);

#endif
