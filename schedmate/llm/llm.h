/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface to language models: text in, text out, for chat and for
 * embeddings.
 *
 * Layers form a chain, as estimators do. `replay` answers from a recording; on
 * a miss it asks the layer below, if its mode allows that. `http` asks an
 * OpenAI-compatible server. `rules` has no model and never gives an answer. A
 * module does not call a layer. It calls the client
 * (schedmate/llm/llm.h), which adds what all layers share: text made
 * UTF-8, long questions shortened, replies checked against the schema, one
 * corrective question, accounting.
 *
 * No answer is a normal outcome and not an error: reply->known is false,
 * reply->why gives the reason in one line, and the module falls back to its
 * rules. An error status is reserved for what the user has to correct, such as
 * settings, a damaged recording, a missing library, or a missing record in mode
 * `strict`.
 *
 * Time and sleep come from a struct llm_clock, so that tests of waiting take no
 * time. Only the timeouts of libcurl and the wait of llm_http.c for its turn
 * use the system's clock. The latency of a reply from a recording is the
 * recorded one, unless a setting of `replay` replaces it. */
#ifndef SIM_LLM_H
#define SIM_LLM_H

#include <pthread.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/option.h"
#include "schedmate/llm/llm_trust.h"

enum llm_kind { LLM_CHAT, LLM_EMBED };

enum llm_role { LLM_SYSTEM, LLM_USER, LLM_ASSISTANT };

struct llm_message {
    enum llm_role role;
    const char *content; /* UTF-8; the client replaces other bytes */
};

/* A schema describes one flat JSON object. From it come the JSON Schema that is
 * sent, the digest that is part of the key under which a recording keeps the
 * reply, and the check of the reply. */
enum llm_type {
    LLM_END, /* ends a table of fields */
    LLM_STRING,
    LLM_NUMBER,
    LLM_INTEGER,
    LLM_BOOL,
    LLM_LIST, /* a list of strings */
};

struct llm_field {
    const char *name;
    enum llm_type type;
    bool required;
    /* Inclusive range of a number. Ignored if both are 0. */
    double lo, hi;
    /* Largest number of bytes of a string, or of elements of a list; 0:
     * LLM_STRING_MAX or LLM_LIST_MAX. An optional string without choices is cut
     * to this size; any other value that is larger does not fit the schema. */
    uint32_t max;
    const char *const *choices; /* allowed strings, ends with NULL; NULL: any */
    const char *help;
};

struct llm_schema {
    const char *name; /* name of the schema: letters, digits, _ and - */
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
    /* Name of the module that asks, for the account of the cost and for
     * messages. It must outlive the client. */
    const char *purpose;
    /* part of the key under which a recording keeps the reply; must change with
     * the prompt */
    const char *prompt_version;
    /* For LLM_CHAT: the messages, oldest first. */
    const struct llm_message *messages;
    size_t n_messages;
    const char *const *inputs; /* for LLM_EMBED: the texts to embed */
    size_t n_inputs;
    const struct llm_schema *schema; /* schema of the reply; NULL: free text */
    /* largest number of tokens of the answer, thoughts not included; 0: the
     * server's default */
    uint32_t max_tokens;
    /* Models, temperature, top_p and seed; NULL: the client uses its own. */
    const struct llm_sampling *sampling;
};

struct llm_usage {
    /* Numbers of tokens. Cached ones are part of `prompt`, those of thoughts
     * (reasoning) part of `completion`. */
    uint64_t prompt, completion, cached, reasoning;
    /* true: at least some are bytes / 4, because the server sent no counts */
    bool estimated;
};

enum llm_method { LLM_BY_RULES, LLM_BY_MODEL, LLM_BY_RECORDING };

const char *llm_method_name(enum llm_method method);

/* The value of one field of the schema. */
struct llm_value {
    bool present;
    const char *string; /* value if the field is an LLM_STRING */
    /* value if LLM_NUMBER or LLM_INTEGER; for LLM_BOOL 0 or 1 */
    double number;
    const char *const *list; /* elements if the field is an LLM_LIST */
    size_t n_list;
};

/* The reply to one request. Its texts and arrays stay valid as long as the
 * request, the chain and the arena of the call exist. */
struct llm_reply {
    bool known;
    const char *why; /* if `known` is false: the reason, in one line */
    /* true: there is no answer because the request does not fit the context
     * of the model, or has more texts than the server embeds at a time */
    bool too_long;
    /* Number of bytes of the request that the client left out so that the
     * request fits the context of the model. */
    uint64_t left_out;
    enum llm_method method;
    const char *text; /* for LLM_CHAT: the whole text of the answer, UTF-8 */
    /* The values in the order of schema->fields, set by the client; NULL
     * without a schema or without an answer. */
    const struct llm_value *values;
    const float *vectors; /* for LLM_EMBED: n_vectors rows of `width` numbers */
    size_t n_vectors, width;
    /* finish_reason, model and fingerprint are what the server sent about its
     * reply, except that a missing model is the one asked for. server: name of
     * its kind (llm_internal.h). "": unknown. */
    const char *finish_reason, *model, *server, *fingerprint;
    struct llm_usage usage;
    sim_span latency;
    /* number of requests sent for the last question; 0 if none was needed or
     * allowed */
    uint32_t attempts;
};

/* llm_reply.why if the limit of tokens cut the reply off before it had a usable
 * answer. */
#define LLM_CUT_OFF \
    "the model was cut off at the limit of tokens before it answered; " \
    "thinking_tokens= of --llm http raises the limit"

/* A source of time. */
struct llm_clock {
    void *self;
    /* Monotonic time, us; its zero is arbitrary. */
    sim_time (*elapsed)(void *self);
    sim_time (*utc)(void *self); /* time, us since 1970 UTC */
    void (*sleep)(void *self, sim_span span);
};

/* The environment of a layer. All members outlive the layer. */
struct llm_env {
    struct arena *arena;
    const struct llm_clock *clock;
    /* Returns the value of an environment variable, NULL if it is not set.
     * `self` is `variables`. */
    const char *(*variable)(const void *self, const char *name);
    const void *variables;
};

struct llm; /* one layer of a chain, defined below */

struct llm_ops {
    const char *name, *summary;
    /* what the layer does outside this program, as in struct option; NULL:
     * nothing */
    const char *reach;
    const struct option *options;
    size_t config_size, state_size;
    /* Optional. Prepares the layer. */
    enum status (*init)(void *self, const void *config,
                        const struct llm_env *env, struct error *err);
    /* Fills in *reply, which llm_ask has cleared, but not reply->values.
     * `below` is the next layer of the chain, or NULL. Several threads may call
     * this function at once, each with an arena of its own. */
    enum status (*ask)(void *self, const struct llm *below,
                       const struct llm_request *request, struct arena *arena,
                       struct llm_reply *reply, struct error *err);
    /* Optional. Returns the tokens of the context in which the server runs the
     * model, question and answer together; 0 if the server does not say. */
    uint64_t (*context)(void *self, const char *model, struct arena *arena);
    /* Optional. Frees what the arena does not own. */
    void (*fini)(void *self);
};

struct llm {
    const struct llm_ops *ops;
    void *self;
    const void *config;
    /* next layer of the chain; NULL: this is the last one */
    const struct llm *below;
};

/* Asks a chain. If `top` is NULL, fills in a reply without an answer.
 * request->sampling must not be NULL. Errors: see the head of this file. */
enum status llm_ask(const struct llm *top, const struct llm_request *request,
                    struct arena *arena, struct llm_reply *reply,
                    struct error *err) MUST_USE;

/* For a layer that has no answer: sets reply->known to false and reply->why to
 * the formatted text, which lies in the arena. Control characters become '?'; a
 * text of more than 1,023 bytes is cut. */
void llm_unknown(struct llm_reply *reply, struct arena *arena, const char *fmt,
                 ...) __attribute__((format(printf, 3, 4)));

/* The layers that there are; ends with NULL. */
extern const struct llm_ops *const llms[];

/* Finds a layer by name. If there is none, returns STATUS_USAGE; the error
 * names the nearest known layer, or the command that lists them if none is
 * near. */
enum status llm_find(struct text name, const struct llm_ops **out,
                     struct error *err) MUST_USE;

/* The interface through which modules ask a model. The client holds a chain of
 * llm layers. It shortens questions that are too long, checks structured
 * replies, asks one corrective question, and keeps the account of the cost.
 * (SchedMate, section 4, enforces JSON with JsonFormer. Not every server can do
 * that, so replies are checked here.) */

#define LLM_PURPOSES_MAX 16

#define LLM_NAME_MAX 128

/* Counts of the questions of one module, and their cost. Modules after the
 * first LLM_PURPOSES_MAX share the last account. */
struct llm_account {
    const char *purpose;
    uint64_t calls;   /* questions asked, shortened and corrective ones too */
    uint64_t hits;    /* questions that a recording answered */
    uint64_t asked;   /* questions that a model answered */
    uint64_t unknown; /* questions that got no answer */
    char why[256];    /* why the first of these got none; cut if too long */
    /* answers that did not fit the schema; `hits` or `asked` counts them too */
    uint64_t invalid;
    uint64_t requests; /* requests sent to a server, retries included */
    /* bytes left out of questions so that they fit the context of the model */
    uint64_t left_out;
    /* Tokens and time of all answers. A hit counts those of the recorded
     * answer. */
    struct llm_usage usage;
    sim_span latency;
};

struct llm_client {
    const struct llm *top;
    struct llm_sampling sampling;
    struct llm_trust trust; /* zeroes: the defaults */
    struct llm_account accounts[LLM_PURPOSES_MAX];
    size_t n_accounts;
    /* Name of the model that answered (reply->model); "several" if the answers
     * came from different ones, "" if none did. A name that is too long is
     * cut. */
    char answered_by[LLM_NAME_MAX];
    pthread_mutex_t lock;
};

void llm_client_init(struct llm_client *client, const struct llm *top,
                     const struct llm_sampling *sampling);

void llm_client_fini(struct llm_client *client);

/* Returns the tokens of the context of the model, as in struct llm_ops; 0: not
 * known. It is not known with a recording, which has to be found again without
 * the server. */
uint64_t llm_client_context(const struct llm_client *client,
                            struct arena *arena);

/* Asks one question. If the server says that a chat is too long for the model,
 * the client leaves out the middle of its longest messages and asks again. If
 * the reply does not fit the schema, the client asks once more and tells the
 * model what was wrong, unless the reply was cut off at its limit of tokens. If
 * the last reply does not fit either, there is no answer. reply->values is set
 * if there are a schema and an answer. Bytes of the request that are not UTF-8
 * are sent as '?'. Several threads may ask at once, each with an arena of its
 * own. Returns errors of the chain (llm.h), and STATUS_FAILED if cJSON cannot
 * be loaded. */
enum status llm_client_ask(struct llm_client *client,
                           const struct llm_request *request,
                           struct arena *arena, struct llm_reply *reply,
                           struct error *err) MUST_USE;

/* Returns the sum over all purposes. No other thread may be asking. */
struct llm_account llm_client_total(const struct llm_client *client);
/* Returns a sentence, allocated from the arena, on the questions that got no
 * answer and why; NULL if there are none. `client` may be NULL. */
const char *llm_client_unanswered(const struct llm_client *client,
                                  struct arena *arena);

/* Option rows model, embed_model, temperature, top_p and seed, for a struct
 * llm_sampling. */
extern const struct option llm_sampling_options[];

#endif
