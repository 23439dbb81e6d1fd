/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/llm/llm.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/find.h"
#include "schedmate/llm/llm_json.h"
#include "schedmate/llm/llm_text.h"

extern const struct llm_ops llm_http, llm_replay, llm_rules;

static enum status llm_ask_one(struct llm_client *client,
                               const struct llm_request *request,
                               struct arena *arena, struct llm_reply *reply,
                               struct error *err);

const struct llm_ops *const llms[] = {
    &llm_rules,
    &llm_http,
    &llm_replay,
    NULL,
};

FIND_IN(llms, llm_ops, llm_find, "llm")

const char *llm_method_name(enum llm_method method)
{
    static const char *const names[] = {[LLM_BY_RULES] = "rules",
                                        [LLM_BY_MODEL] = "llm",
                                        [LLM_BY_RECORDING] = "recording"};
    return names[method];
}

enum status llm_ask(const struct llm *top, const struct llm_request *request,
                    struct arena *arena, struct llm_reply *reply,
                    struct error *err)
{
    *reply = (struct llm_reply){.text = "",
                                .why = "",
                                .finish_reason = "",
                                .model = "",
                                .server = "",
                                .fingerprint = ""};
    if (!top) {
        llm_unknown(reply, arena, "no model is configured");
        return STATUS_OK;
    }
    return top->ops->ask(top->self, top->below, request, arena, reply, err);
}

void llm_unknown(struct llm_reply *reply, struct arena *arena, const char *fmt,
                 ...)
{
    char buf[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(buf, sizeof buf, fmt, args);
    va_end(args);
    for (char *c = buf; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    }
    reply->known = false;
    reply->why = arena_copy(arena, buf, strlen(buf));
}

const struct option llm_sampling_options[] = {
    OPT_TEXT(struct llm_sampling, model, "model",
             "Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8",
             "model that answers "
             "questions, by the name "
             "that the server uses",
             "SchedMate, section 5.1: its default"),
    OPT_TEXT(struct llm_sampling, embed_model, "embed_model", "BAAI/bge-m3",
             "model that makes embeddings, by the name that the server uses",
             "SchedMate, section 4"),
    OPT_DOUBLE(struct llm_sampling, temperature, "temperature", 0, 0, 2,
               "temperature of the sampling of words; 0: always the most "
               "likely word",
               NULL),
    OPT_DOUBLE(struct llm_sampling, top_p, "top_p", 1, 0, 1,
               "draw from the most likely words whose probabilities add up to "
               "this",
               NULL),
    OPT_U32(struct llm_sampling, seed, "seed", 0, 0, UINT32_MAX,
            "seed of the server's random numbers; a server may ignore it",
            NULL),
    {0},
};

void llm_client_init(struct llm_client *client, const struct llm *top,
                     const struct llm_sampling *sampling)
{
    *client = (struct llm_client){.top = top, .sampling = *sampling};
    pthread_mutex_init(&client->lock, NULL);
}

void llm_client_fini(struct llm_client *client)
{
    pthread_mutex_destroy(&client->lock);
}

uint64_t llm_client_context(const struct llm_client *client,
                            struct arena *arena)
{
    const struct llm *top = client->top;
    return top && top->ops->context
               ? top->ops->context(top->self, client->sampling.model, arena)
               : 0;
}

static void add_usage(struct llm_usage *sum, const struct llm_usage *usage)
{
    sum->prompt += usage->prompt;
    sum->completion += usage->completion;
    sum->cached += usage->cached;
    sum->reasoning += usage->reasoning;
    sum->estimated |= usage->estimated;
}

/* Returns the account of a purpose. If all accounts are taken, further purposes
 * share the last one. */
static struct llm_account *account_of(struct llm_client *client,
                                      const char *purpose)
{
    size_t i = 0;
    while (i < client->n_accounts &&
           strcmp(client->accounts[i].purpose, purpose) != 0)
        i++;
    if (i == LLM_PURPOSES_MAX)
        return &client->accounts[LLM_PURPOSES_MAX - 1];
    if (i == client->n_accounts)
        client->accounts[client->n_accounts++].purpose = purpose;
    return &client->accounts[i];
}

static void note_model(struct llm_client *client, const char *model)
{
    char *known = client->answered_by;
    if (!model)
        model = "";
    if (known[0] && strncmp(known, model, LLM_NAME_MAX - 1) != 0)
        model = "several";
    snprintf(known, LLM_NAME_MAX, "%s", model);
}

static void charge(struct llm_client *client, const char *purpose,
                   const struct llm_reply *reply)
{
    pthread_mutex_lock(&client->lock);
    struct llm_account *account = account_of(client, purpose);
    account->calls++;
    account->requests += reply->attempts;
    if (!reply->known) {
        if (account->unknown++ == 0)
            snprintf(account->why, sizeof account->why, "%s", reply->why);
    } else {
        account->hits += reply->method == LLM_BY_RECORDING;
        account->asked += reply->method == LLM_BY_MODEL;
        add_usage(&account->usage, &reply->usage);
        account->latency += reply->latency;
        note_model(client, reply->model);
    }
    pthread_mutex_unlock(&client->lock);
}

static enum status llm_ask_one(struct llm_client *client,
                               const struct llm_request *request,
                               struct arena *arena, struct llm_reply *reply,
                               struct error *err)
{
    enum status st = llm_ask(client->top, request, arena, reply, err);
    if (st == STATUS_OK)
        charge(client, request->purpose, reply);
    return st;
}

/* Length in bytes below which a message is not shortened. */
#define SHRINK_LEAST 512

/* Largest number of times that a request is shortened. Each time halves the
 * longest message, so a single message of 10 MiB becomes one of 10 KiB. */
#define SHRINKS_MAX 10

/* Makes request->messages a copy without the middle half of the longest message
 * that is not a system message. The beginning and the end are kept, because a
 * message begins with the error or the command and ends with the newest lines
 * of the log. Returns the number of bytes left out; 0: no message is long
 * enough. */
static size_t shrink(struct llm_request *request, struct arena *arena)
{
    struct llm_message *messages =
        ARENA_ARRAY(arena, struct llm_message, request->n_messages + 1);
    size_t at = 0, longest = 0;
    memcpy(messages, request->messages, request->n_messages * sizeof *messages);
    for (size_t i = 0; i < request->n_messages; i++) {
        size_t len = strlen(messages[i].content);
        if (messages[i].role != LLM_SYSTEM && len > longest) {
            at = i;
            longest = len;
        }
    }
    if (longest < SHRINK_LEAST)
        return 0;
    const char *old = messages[at].content;
    size_t kept = longest / 4, room = 2 * kept + 80, out = longest - 2 * kept;
    char *content = arena_alloc(arena, room);
    snprintf(content, room, "%.*s\n[... %zu bytes left out ...]\n%s", (int)kept,
             old, out, old + longest - kept);
    messages[at].content = llm_utf8_copy(arena, text_from(content));
    request->messages = messages;
    return out;
}

/* Sends a request. While the server says that it does not fit the context of
 * the model, shortens *request, if it is a chat, and sends it again, at most
 * SHRINKS_MAX times. Sets reply->left_out. */
static enum status ask_fitting(struct llm_client *client,
                               struct llm_request *request, struct arena *arena,
                               struct llm_reply *reply, struct error *err)
{
    size_t left_out = 0;
    enum status st = llm_ask_one(client, request, arena, reply, err);
    for (int i = 0; i < SHRINKS_MAX && st == STATUS_OK && reply->too_long &&
                    request->kind == LLM_CHAT;
         i++) {
        size_t out = shrink(request, arena);
        if (!out)
            break;
        left_out += out;
        st = llm_ask_one(client, request, arena, reply, err);
    }
    reply->left_out = left_out;
    if (left_out) {
        pthread_mutex_lock(&client->lock);
        account_of(client, request->purpose)->left_out += left_out;
        pthread_mutex_unlock(&client->lock);
    }
    return st;
}

/* Sends a second question after an answer that cannot be used. The second
 * question contains the first one, its answer, and what was wrong with the
 * answer. The latency of the reply is that of both questions together. */
static enum status ask_again(struct llm_client *client,
                             const struct llm_request *request,
                             const char *complaint, struct arena *arena,
                             struct llm_reply *reply, struct error *err)
{
    struct llm_request again = *request;
    size_t n = request->n_messages, room = LLM_COMPLAINT_MAX + 80;
    struct llm_message *messages =
        ARENA_ARRAY(arena, struct llm_message, n + 2);
    char *words = arena_alloc(arena, room);
    sim_span first = reply->latency;
    memcpy(messages, request->messages, n * sizeof *messages);
    snprintf(words, room,
             "That answer cannot be used: %s. Answer again with the JSON object"
             " alone.",
             complaint);
    messages[n] = (struct llm_message){LLM_ASSISTANT, reply->text};
    messages[n + 1] = (struct llm_message){LLM_USER, words};
    again.messages = messages;
    again.n_messages = n + 2;
    enum status st = llm_ask_one(client, &again, arena, reply, err);
    reply->latency += first;
    return st;
}

static void invalid(struct llm_client *client, const char *purpose)
{
    pthread_mutex_lock(&client->lock);
    account_of(client, purpose)->invalid++;
    pthread_mutex_unlock(&client->lock);
}

static enum status ask_for_object(struct llm_client *client,
                                  struct llm_request *request,
                                  struct arena *arena, struct llm_reply *reply,
                                  struct error *err)
{
    struct cjson cj;
    char complaint[LLM_COMPLAINT_MAX];
    enum status st = ask_fitting(client, request, arena, reply, err);
    uint64_t left_out = reply->left_out;
    if (st == STATUS_OK && reply->known)
        st = cjson_load(&cj, err);
    for (int round = 0; st == STATUS_OK && reply->known; round++) {
        reply->values = llm_parse(&cj, text_from(reply->text), request->schema,
                                  arena, complaint);
        reply->left_out = left_out;
        if (reply->values)
            return STATUS_OK;
        invalid(client, request->purpose);
        if (reply->finish_reason &&
            strcmp(reply->finish_reason, "length") == 0) {
            /* A second answer would be cut off too. */
            llm_unknown(reply, arena, LLM_CUT_OFF);
            return STATUS_OK;
        }
        if (round == 1) {
            llm_unknown(reply, arena, "the model's answer cannot be used: %s",
                        complaint);
            return STATUS_OK;
        }
        st = ask_again(client, request, complaint, arena, reply, err);
    }
    return st;
}

/* Copies the request, with its messages and inputs made UTF-8. */
static void llm_clean(const struct llm_request *request, struct arena *arena,
                      struct llm_request *out)
{
    struct llm_message *messages =
        ARENA_ARRAY(arena, struct llm_message, request->n_messages + 1);
    const char **inputs =
        ARENA_ARRAY(arena, const char *, request->n_inputs + 1);
    for (size_t i = 0; i < request->n_messages; i++)
        messages[i] = (struct llm_message){
            request->messages[i].role,
            llm_utf8_copy(arena, text_from(request->messages[i].content))};
    for (size_t i = 0; i < request->n_inputs; i++)
        inputs[i] = llm_utf8_copy(arena, text_from(request->inputs[i]));
    *out = *request;
    out->messages = messages;
    out->inputs = inputs;
}

enum status llm_client_ask(struct llm_client *client,
                           const struct llm_request *request,
                           struct arena *arena, struct llm_reply *reply,
                           struct error *err)
{
    struct llm_request own;
    llm_clean(request, arena, &own);
    if (!own.sampling)
        own.sampling = &client->sampling;
    if (own.kind == LLM_CHAT && own.schema)
        return ask_for_object(client, &own, arena, reply, err);
    return ask_fitting(client, &own, arena, reply, err);
}

struct llm_account llm_client_total(const struct llm_client *client)
{
    struct llm_account total = {.purpose = "all"};
    for (size_t i = 0; i < client->n_accounts; i++) {
        const struct llm_account *account = &client->accounts[i];
        total.calls += account->calls;
        total.hits += account->hits;
        total.asked += account->asked;
        total.unknown += account->unknown;
        total.invalid += account->invalid;
        total.requests += account->requests;
        total.left_out += account->left_out;
        total.latency += account->latency;
        add_usage(&total.usage, &account->usage);
        if (!*total.why)
            memcpy(total.why, account->why, sizeof total.why);
    }
    return total;
}

const char *llm_client_unanswered(const struct llm_client *client,
                                  struct arena *arena)
{
    struct llm_account all = {0};
    char words[sizeof all.why + 120];
    if (client)
        all = llm_client_total(client);
    if (!all.unknown)
        return NULL;
    const int n = snprintf(words, sizeof words,
                           "the language model did not answer %" PRIu64
                           " of %" PRIu64 " questions, so rules did: %s",
                           all.unknown, all.calls, all.why);
    return arena_copy(arena, words, (size_t)n);
}

/* The layer without a model. It never gives an answer, so that each module
 * falls back to its own rules. */

static enum status rules_ask(void *self, const struct llm *below,
                             const struct llm_request *request,
                             struct arena *arena, struct llm_reply *reply,
                             struct error *err)
{
    (void)self;
    (void)below;
    (void)request;
    (void)err;
    reply->method = LLM_BY_RULES;
    llm_unknown(reply, arena, "no language model is asked; rules answer");
    return STATUS_OK;
}

const struct llm_ops llm_rules = {
    .name = "rules",
    .summary = "no model: each module answers by its own rules",
    .ask = rules_ask,
};
