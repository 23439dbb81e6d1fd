/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text in, text out: the seam to language models, for chat and for embeddings.
 *
 * Layers form a chain as estimators do: `replay` answers from a recording and
 * asks below on a miss, `http` asks an OpenAI-compatible server, `rules` is no
 * model at all and says so. A module does not call a layer but the client
 * (models/llm_client.h), which adds what all layers share: parsing, validation
 * against the schema, one corrective question, accounting.
 *
 * No answer is a normal outcome, not an error: reply->known is false,
 * reply->why says it in one line, and the module passes down to what works
 * without a model. An error status is kept for what the user has to mend:
 * settings, a damaged recording, a missing record in mode `strict`.
 *
 * Time and sleep come from a struct llm_clock, so that waiting can be tested
 * without waiting; a latency in a result is the recorded one. */
#ifndef MODELS_LLM_H
#define MODELS_LLM_H

#include <stdbool.h>

#include "sim/base/error.h"
#include "sim/base/option.h"

enum llm_kind { LLM_CHAT, LLM_EMBED };
enum llm_role { LLM_SYSTEM, LLM_USER, LLM_ASSISTANT };

struct llm_message {
    enum llm_role role;
    const char *content; /* UTF-8; other bytes are replaced by the client */
};

/* A schema is one flat JSON object. From it come the JSON Schema that is sent,
 * its digest in the key of a recording, and the check of the reply. */
enum llm_type {
    LLM_END, /* the last row */
    LLM_STRING,
    LLM_NUMBER,
    LLM_INTEGER,
    LLM_BOOL,
    LLM_LIST, /* of strings */
};
struct llm_field {
    const char *name;
    enum llm_type type;
    bool required;
    /* Inclusive range of a number, ignored if both are 0. */
    double lo, hi;
    uint32_t max; /* bytes of a string, elements of a list; 0: the default */
    const char *const *choices; /* of a string; ends with NULL; or NULL */
    const char *help;
};
struct llm_schema {
    const char *name; /* letters, digits, _ and - only */
    const struct llm_field *fields;
};
#define LLM_STRING_MAX 4096
#define LLM_LIST_MAX 64
#define LLM_FIELDS_MAX 48

struct llm_sampling {
    const char *model, *embed_model;
    double temperature, top_p;
    uint32_t seed;
};

struct llm_request {
    enum llm_kind kind;
    const char *purpose;                /* the module; for accounting only */
    const char *prompt_version;         /* part of the key of a recording */
    const struct llm_message *messages; /* chat */
    size_t n_messages;
    const char *const *inputs; /* embeddings */
    size_t n_inputs;
    const struct llm_schema *schema;     /* NULL: free text */
    uint32_t max_tokens;                 /* 0: as the server likes */
    const struct llm_sampling *sampling; /* NULL: the client's */
};

struct llm_usage {
    uint64_t prompt, completion, cached, reasoning; /* tokens */
    bool estimated; /* the server did not say: bytes / 4 */
};

enum llm_method { LLM_BY_RULES, LLM_BY_MODEL, LLM_BY_CACHE };
const char *llm_method_name(enum llm_method method);

/* One field of a reply, in the order of schema->fields. */
struct llm_value {
    bool present;
    const char *string;      /* LLM_STRING */
    double number;           /* LLM_NUMBER, LLM_INTEGER; LLM_BOOL as 0 or 1 */
    const char *const *list; /* LLM_LIST */
    size_t n_list;
};

/* Texts and arrays lie in the arena given to the call. */
struct llm_reply {
    bool known;
    const char *why; /* if it is not known */
    enum llm_method method;
    const char *text;               /* chat: as it came, UTF-8 */
    const struct llm_value *values; /* by the client; NULL without a schema */
    const float *vectors;           /* embeddings: n_vectors x width */
    size_t n_vectors, width;
    const char *finish_reason, *model, *server, *fingerprint; /* "" if unsaid */
    struct llm_usage usage;
    sim_span latency;
    uint32_t attempts; /* requests sent for it; 0 from a recording */
};

/* Where time comes from. */
struct llm_clock {
    void *self;
    sim_time (*elapsed)(void *self); /* never goes back; from any zero */
    sim_time (*utc)(void *self);     /* microseconds since 1970 */
    void (*sleep)(void *self, sim_span span);
};

/* What a layer may use. Everything outlives the layer. */
struct llm_env {
    struct arena *arena;
    const struct llm_clock *clock;
    /* An environment variable or NULL. */
    const char *(*variable)(const void *self, const char *name);
    const void *variables;
};

struct llm; /* an instance in a chain */

struct llm_ops {
    const char *name, *summary;
    const struct option *options;
    size_t config_size, state_size;
    /* Optional. */
    enum status (*init)(void *self, const void *config,
                        const struct llm_env *env, struct error *err);
    /* Fills *reply (zeroed by the caller) but for `values`. May be called from
     * several threads at once, each with its own arena. */
    enum status (*ask)(void *self, const struct llm *below,
                       const struct llm_request *request, struct arena *arena,
                       struct llm_reply *reply, struct error *err);
    /* Optional. Gives back what the arena does not own. */
    void (*fini)(void *self);
};

struct llm {
    const struct llm_ops *ops;
    void *self;
    const void *config;
    const struct llm *below; /* NULL at the bottom */
};

/* Ask a chain; without one (`top` is NULL) nobody knows. */
enum status llm_ask(const struct llm *top, const struct llm_request *request,
                    struct arena *arena, struct llm_reply *reply,
                    struct error *err) MUST_USE;

/* For a layer: there is no answer, and why. The words lie in the arena. */
void llm_unknown(struct llm_reply *reply, struct arena *arena, const char *fmt,
                 ...) __attribute__((format(printf, 3, 4)));

#endif
