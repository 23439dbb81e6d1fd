/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Composes the chain of llm layers from the command line and the environment,
 * and provides the client that the modules of SchedMate ask. Gives the layers
 * the system's clock. */
#ifndef SIM_BACKEND_H
#define SIM_BACKEND_H

#include "schedmate/llm/llm.h"

struct out;

struct backend_settings {
    /* The layer, "rules", "http" or "replay", and its settings, as in
     * "http:key=value,..."; NULL: "rules". Settings may be those of the layer
     * and those of llm_sampling_options. */
    const char *llm;
    /* Path of the recording in front of "http" or read by "replay", and the
     * mode in which it is used. NULL: the variable SCHEDSIM_LLM_RECORDING or
     * SCHEDSIM_LLM_RECORDING_MODE counts. If that is not set either, there is
     * no recording, or it has its default mode. */
    const char *recording, *recording_mode;
    /* Path of the counts by which the model is trusted (trust_file.h); NULL:
     * the defaults. */
    const char *trust;
    /* Without a recording, keep the answers of "http" in memory: a question
     * that got one is not asked again. */
    bool remembers;
};

struct backend;
struct llm_client; /* defined in schedmate/llm/llm.h */

/* Opens the chain. The caller owns *out, which is NULL on an error. Strings of
 * the settings are copied. */
enum status backend_open(const struct backend_settings *settings,
                         struct backend **out, struct error *err) MUST_USE;
void backend_free(struct backend *backend); /* accepts NULL */

/* Returns the client, which the backend owns. */
struct llm_client *backend_client(struct backend *backend);
/* Returns the name of the chain: "rules", "http", "replay" or "http with a
 * recording". */
const char *backend_name(const struct backend *backend);

/* Returns the path of the recording that is used; NULL: none. */
const char *backend_recording(const struct backend *backend);

/* Writes one line per module that asked a question, and a line of totals if
 * several did: numbers of questions, of answers from the recording, of requests
 * and of tokens, seconds, and the bytes of questions that were left out. */
void backend_report(const struct backend *backend, struct out *out);

/* Returns the options that apply to requests to any model. *config_size becomes
 * the size of the struct that they fill. */
const struct option *backend_options(size_t *config_size);

#endif
