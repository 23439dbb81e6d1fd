/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends one HTTP request with libcurl, which is loaded at the first request. */
#include "schedmate/llm/llm_internal.h"

#include <fcntl.h>
#include <schedsim_features.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/library.h"
#include "schedmate/llm/llm_json.h"
#include "schedmate/llm/llm_text.h"

#ifdef SCHEDSIM_WITHOUT_CURL
#include "base/absent/curl_absent.h"
#else
#include <curl/curl.h>
#endif

/* The functions of libcurl that are used. The members of struct curl and the
 * names that load() looks up come from this list. */
#define CURL_FUNCTIONS(X) \
    X(curl_easy_cleanup) \
    X(curl_easy_getinfo) \
    X(curl_easy_init) \
    X(curl_easy_perform) \
    X(curl_easy_setopt) \
    X(curl_easy_strerror) \
    X(curl_getdate) \
    X(curl_global_init) \
    X(curl_slist_append) \
    X(curl_slist_free_all)

struct curl {
#define CURL_MEMBER(name) __typeof__(name) *name##_;
    CURL_FUNCTIONS(CURL_MEMBER)
#undef CURL_MEMBER
};

static enum status transport_load(struct curl *curl, struct error *err)
{
    static const char *const files[] = {"libcurl.so.4", "libcurl.so", NULL};
    static const char *const names[] = {
#define CURL_NAME(name) #name,
        CURL_FUNCTIONS(CURL_NAME)
#undef CURL_NAME
    };
    return library_load(files, "libcurl4", names, sizeof names / sizeof *names,
                        curl, err);
}

struct transfer {
    const struct curl *curl;
    const struct llm_post *post;
    struct llm_answer *answer;
    char *body;
    size_t len, cap;
};

static size_t take_body(char *at, size_t size, size_t n, void *self)
{
    struct transfer *transfer = self;
    size_t bytes = size * n;
    if (bytes > transfer->post->body_max - transfer->len) {
        transfer->answer->too_large = true;
        return 0;
    }
    transfer->body =
        mem_grow(transfer->body, &transfer->cap, transfer->len + bytes, 1);
    memcpy(transfer->body + transfer->len, at, bytes);
    transfer->len += bytes;
    return bytes;
}

/* Reads a wait in units of `unit_s` seconds, or a date. Ignores implausible
 * numbers; a date that has passed gives no wait. */
static void take_retry_after(struct transfer *transfer, struct text value,
                             double unit_s)
{
    struct llm_outcome *outcome = &transfer->answer->outcome;
    double number;
    char date[64];
    if (text_to_double(value, &number)) {
        if (number > 0 && number * unit_s < 1e9)
            outcome->retry_after = span_from_seconds(number * unit_s);
        return;
    }
    if (value.len >= sizeof date)
        return;
    memcpy(date, value.at, value.len);
    date[value.len] = '\0';
    time_t at = transfer->curl->curl_getdate_(date, NULL);
    if (at > 0)
        outcome->retry_after = (sim_time)at * SPAN_SECOND - transfer->post->utc;
}

static size_t transport_take_header(char *at, size_t size, size_t n, void *self)
{
    struct transfer *transfer = self;
    struct llm_outcome *outcome = &transfer->answer->outcome;
    struct text value, line = {at, size * n};
    while (line.len && strchr("\r\n", line.at[line.len - 1]))
        line.len--;
    struct text name = text_split(line, ':', &value);
    value = text_trim(value);
    if (text_is_nocase(name, "retry-after-ms"))
        take_retry_after(transfer, value, 1e-3);
    else if (text_is_nocase(name, "retry-after") && outcome->retry_after == 0)
        take_retry_after(transfer, value, 1);
    else if (text_is_nocase(name, "x-should-retry"))
        outcome->should = text_is_nocase(value, "true")    ? LLM_SHOULD_YES
                          : text_is_nocase(value, "false") ? LLM_SHOULD_NO
                                                           : outcome->should;
    return size * n;
}

static long milliseconds(sim_span span)
{
    return span < 1000 ? 1 : (long)(span / 1000);
}

/* Sets the options of a request. The results are not checked: if libcurl
 * refuses an option that the request needs, the request fails. */
static void transport_set_options(struct transfer *transfer, CURL *handle,
                                  struct curl_slist *headers)
{
    const struct llm_post *post = transfer->post;
    __typeof__(curl_easy_setopt) *set = transfer->curl->curl_easy_setopt_;
    set(handle, CURLOPT_URL, post->url);
    set(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    set(handle, CURLOPT_NOSIGNAL, 1L);
    if (post->body) {
        set(handle, CURLOPT_POST, 1L);
        set(handle, CURLOPT_POSTFIELDSIZE_LARGE,
            (curl_off_t)strlen(post->body));
        set(handle, CURLOPT_POSTFIELDS, post->body);
    }
    set(handle, CURLOPT_HTTPHEADER, headers);
    set(handle, CURLOPT_TIMEOUT_MS, milliseconds(post->timeout));
    set(handle, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(post->connect_timeout));
    set(handle, CURLOPT_WRITEFUNCTION, take_body);
    set(handle, CURLOPT_WRITEDATA, transfer);
    set(handle, CURLOPT_HEADERFUNCTION, transport_take_header);
    set(handle, CURLOPT_HEADERDATA, transfer);
}

/* Sends the request. An error is described by libcurl's text for the error's
 * code, because libcurl's detailed message contains times, which differ from
 * run to run. */
static void perform(struct transfer *transfer, CURL *handle,
                    struct arena *arena)
{
    struct llm_answer *answer = transfer->answer;
    CURLcode code = transfer->curl->curl_easy_perform_(handle);
    long http = 0;
    if (code == CURLE_OK) {
        transfer->curl->curl_easy_getinfo_(handle, CURLINFO_RESPONSE_CODE,
                                           &http);
        answer->outcome.http = (int)http;
        answer->body = (struct text){
            arena_copy(arena, transfer->body, transfer->len), transfer->len};
        return;
    }
    const char *words = transfer->curl->curl_easy_strerror_(code);
    answer->trouble = answer->too_large
                          ? "the reply is too large"
                          : arena_copy(arena, words, strlen(words));
}

enum status llm_post(const struct llm_post *post, struct arena *arena,
                     struct llm_answer *answer, struct error *err)
{
    struct curl curl;
    struct curl_slist *headers = NULL;
    struct transfer transfer = {.curl = &curl, .post = post, .answer = answer};
    *answer = (struct llm_answer){.trouble = ""};
    enum status st = transport_load(&curl, err);
    if (st != STATUS_OK)
        return st;
    /* Several threads may make this call; libcurl counts the calls. */
    curl.curl_global_init_(CURL_GLOBAL_DEFAULT);
    CURL *handle = curl.curl_easy_init_();
    if (!handle)
        return error_set(err, STATUS_FAILED, "libcurl cannot be started");
    for (size_t i = 0; post->headers[i]; i++)
        headers = curl.curl_slist_append_(headers, post->headers[i]);
    transport_set_options(&transfer, handle, headers);
    perform(&transfer, handle, arena);
    curl.curl_slist_free_all_(headers);
    curl.curl_easy_cleanup_(handle);
    free(transfer.body);
    return st;
}

/* Reads a reply that a server sends as a stream of events (text/event-stream,
 * WHATWG HTML, section 9.2): lines "data: {...}", the last "data: [DONE]". Each
 * event holds a piece of the answer (choices[0].delta); one of the last holds
 * the counts of tokens. */

struct stream {
    const struct cjson *cj;
    struct arena *arena;
    struct llm_reply *reply;
    struct out *text;
    cJSON *usage; /* the last event with counts of tokens; owned */
    bool any, said, thought, done;
};

static const cJSON *transport_get(const struct stream *s, const cJSON *object,
                                  const char *name)
{
    return s->cj->GetObjectItemCaseSensitive(object, name);
}

static const char *transport_copy(const struct stream *s, const cJSON *object,
                                  const char *name, const char *before)
{
    const cJSON *item = transport_get(s, object, name);
    return s->cj->IsString(item) && item->valuestring[0]
               ? llm_utf8_copy(s->arena, text_from(item->valuestring))
               : before;
}

static void transport_take_piece(struct stream *s, const cJSON *event)
{
    const cJSON *choice =
        s->cj->GetArrayItem(transport_get(s, event, "choices"), 0);
    const cJSON *delta = transport_get(s, choice, "delta");
    const cJSON *content = transport_get(s, delta, "content");
    if (s->cj->IsString(content)) {
        out_text(s->text, content->valuestring);
        s->said = true;
    }
    s->thought |=
        s->cj->IsString(transport_get(s, delta, "reasoning_content")) ||
        s->cj->IsString(transport_get(s, delta, "reasoning"));
    s->reply->finish_reason =
        transport_copy(s, choice, "finish_reason", s->reply->finish_reason);
    s->reply->model = transport_copy(s, event, "model", s->reply->model);
    s->reply->fingerprint =
        transport_copy(s, event, "system_fingerprint", s->reply->fingerprint);
}

/* Reads one event. Returns false for "[DONE]", the mark after the last
 * event. */
static bool take_event(struct stream *s, struct text data)
{
    if (text_is(data, "[DONE]")) {
        s->done = true;
        return false;
    }
    cJSON *event = s->cj->ParseWithLength(data.at, data.len);
    s->any |= s->cj->IsObject(event);
    transport_take_piece(s, event);
    if (s->cj->IsObject(transport_get(s, event, "usage"))) {
        s->cj->Delete(s->usage);
        s->usage = event;
    } else {
        s->cj->Delete(event);
    }
    return true;
}

static bool transport_begins(struct text t, const char *word)
{
    size_t n = strlen(word);
    return t.len >= n && memcmp(t.at, word, n) == 0;
}

bool llm_stream_reply(const struct cjson *cj, const struct llm_request *request,
                      struct text body, struct arena *arena,
                      struct llm_reply *reply)
{
    struct stream s = {.cj = cj, .arena = arena, .reply = reply};
    body = text_trim(body);
    if (request->kind != LLM_CHAT ||
        !(transport_begins(body, "data:") || transport_begins(body, "event:") ||
          transport_begins(body, ":")))
        return false;
    reply->finish_reason = reply->fingerprint = "";
    reply->model = llm_request_model(request);
    s.text = out_to_memory();
    while (body.len) {
        struct text rest, line = text_trim(text_split(body, '\n', &rest));
        body = rest;
        if (!transport_begins(line, "data:"))
            continue;
        struct text data = {line.at + 5, line.len - 5};
        if (!take_event(&s, text_trim(data)))
            break;
    }
    struct text said = out_memory(s.text);
    if (!s.any)
        llm_unknown(reply, arena, "the reply is a stream without an event");
    else if (!s.done && !reply->finish_reason[0])
        llm_unknown(reply, arena, "the stream ends before the answer does");
    else
        llm_wire_content(s.said ? arena_copy(arena, said.at, said.len) : NULL,
                         s.thought, arena, reply);
    if (reply->known)
        llm_wire_usage(cj, transport_get(&s, s.usage, "usage"), request, reply);
    cj->Delete(s.usage);
    out_abandon(s.text);
    return true;
}

enum { KEY_BYTES_MAX = 4096 };

static const char *transport_variable(const struct llm_env *env,
                                      const char *name)
{
    const char *value = env->variable(env->variables, name);
    return value && value[0] ? value : NULL;
}

/* Chooses the address of the server. *is_openai becomes true if OPENAI_API_KEY
 * may be sent there. Refuses an address that is missing, does not begin with
 * http:// or https://, or may contain a user, a password or a query. */
static enum status find_url(struct llm_access *access, const char *url,
                            const struct llm_env *env, bool *is_openai,
                            struct error *err)
{
    *is_openai = false;
    if (!url || !url[0]) {
        *is_openai = true;
        url = transport_variable(env, "OPENAI_BASE_URL");
        url = url ? url : transport_variable(env, "OPENAI_API_BASE");
    }
    if (!url && transport_variable(env, "OPENAI_API_KEY"))
        url = "https://api.openai.com/v1";
    if (!url)
        return error_set(err, STATUS_USAGE,
                         "llm http: no server is named; write "
                         "http:base_url=URL, or set SCHEDSIM_LLM_BASE_URL");
    size_t len = strlen(url);
    while (len && url[len - 1] == '/')
        len--;
    if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
        return error_set(err, STATUS_USAGE,
                         "llm http: the address of the server must begin with "
                         "http:// or https://");
    if (strpbrk(url, "@?# \r\n\t"))
        return error_set(err, STATUS_USAGE,
                         "llm http: the address of the server must not "
                         "contain a user, a password or a query; give a key "
                         "in SCHEDSIM_LLM_API_KEY or key_file");
    access->url = arena_copy(env->arena, url, len);
    *is_openai |= strncmp(url, "https://api.openai.com/", 23) == 0;
    return STATUS_OK;
}

static enum status transport_read_key(const char *path, struct arena *arena,
                                      const char **key, struct error *err)
{
    char buf[KEY_BYTES_MAX + 1];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof buf);
    if (fd >= 0)
        close(fd);
    if (n < 0)
        return error_set(err, STATUS_FAILED, "%s: the key cannot be read",
                         path);
    while (n > 0 && strchr(" \t\r\n", buf[n - 1]))
        n--;
    if (n == 0 || n > KEY_BYTES_MAX)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: the file holds no key, "
                         "or one that is too long",
                         path);
    *key = arena_copy(arena, buf, (size_t)n);
    explicit_bzero(buf, sizeof buf);
    return STATUS_OK;
}

/* Returns `st`, or an error if the key holds a character that could end the
 * header line in which it is sent, or that is not allowed there. */
static enum status check_key(const struct llm_access *access, enum status st,
                             struct error *err)
{
    for (const char *c = access->key; st == STATUS_OK && c && *c; c++) {
        if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 127)
            st = error_set(err, STATUS_BAD_INPUT,
                           "llm http: the API key holds a blank or a "
                           "character that is not ASCII");
    }
    return st;
}

/* True if SCHEDSIM_LLM_API_KEY may be sent to the address:
 * SCHEDSIM_LLM_BASE_URL names it, or is not set. */
static bool may_get_own_key(const struct llm_access *access,
                            const struct llm_env *env)
{
    const char *own = transport_variable(env, "SCHEDSIM_LLM_BASE_URL");
    size_t len = own ? strlen(own) : 0;
    while (len && own[len - 1] == '/')
        len--;
    return !own || text_is((struct text){own, len}, access->url);
}

static enum status transport_find_key(struct llm_access *access,
                                      const char *path,
                                      const struct llm_env *env, bool is_openai,
                                      struct error *err)
{
    enum status st = STATUS_OK;
    if (may_get_own_key(access, env))
        access->key = transport_variable(env, "SCHEDSIM_LLM_API_KEY");
    if (path && path[0])
        st = transport_read_key(path, env->arena, &access->key, err);
    else if (!access->key && is_openai)
        access->key = transport_variable(env, "OPENAI_API_KEY");
    st = check_key(access, st, err);
    if (is_openai) {
        access->organization = transport_variable(env, "OPENAI_ORG_ID");
        access->project = transport_variable(env, "OPENAI_PROJECT_ID");
    }
    return st;
}

enum status llm_access_find(const char *base_url, const char *key_file,
                            const struct llm_env *env, struct llm_access *out,
                            struct error *err)
{
    bool is_openai;
    *out = (struct llm_access){0};
    enum status st = find_url(out, base_url, env, &is_openai, err);
    if (st == STATUS_OK)
        st = transport_find_key(out, key_file, env, is_openai, err);
    return st;
}

enum status llm_access_other(const char *base_url, const char *key_file,
                             const struct llm_env *env, struct llm_access *out,
                             struct error *err)
{
    bool is_openai;
    *out = (struct llm_access){0};
    enum status st = find_url(out, base_url, env, &is_openai, err);
    if (st == STATUS_OK && key_file && key_file[0])
        st = transport_read_key(key_file, env->arena, &out->key, err);
    return check_key(out, st, err);
}
