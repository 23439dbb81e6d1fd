/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/llm/llm_transport.h"

#include <stdlib.h>
#include <string.h>

#include "base/library.h"

#include <schedsim_features.h>
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

static enum status load(struct curl *curl, struct error *err)
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

static size_t take_header(char *at, size_t size, size_t n, void *self)
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
static void set_options(struct transfer *transfer, CURL *handle,
                        struct curl_slist *headers)
{
    const struct llm_post *post = transfer->post;
    __typeof__(curl_easy_setopt) *set = transfer->curl->curl_easy_setopt_;
    set(handle, CURLOPT_URL, post->url);
    set(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    set(handle, CURLOPT_NOSIGNAL, 1L);
    set(handle, CURLOPT_POST, 1L);
    set(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(post->body));
    set(handle, CURLOPT_POSTFIELDS, post->body);
    set(handle, CURLOPT_HTTPHEADER, headers);
    set(handle, CURLOPT_TIMEOUT_MS, milliseconds(post->timeout));
    set(handle, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(post->connect_timeout));
    set(handle, CURLOPT_WRITEFUNCTION, take_body);
    set(handle, CURLOPT_WRITEDATA, transfer);
    set(handle, CURLOPT_HEADERFUNCTION, take_header);
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
    enum status st = load(&curl, err);
    if (st != STATUS_OK)
        return st;
    /* Several threads may make this call; libcurl counts the calls. */
    curl.curl_global_init_(CURL_GLOBAL_DEFAULT);
    CURL *handle = curl.curl_easy_init_();
    if (!handle)
        return error_set(err, STATUS_FAILED, "libcurl cannot be started");
    for (size_t i = 0; post->headers[i]; i++)
        headers = curl.curl_slist_append_(headers, post->headers[i]);
    set_options(&transfer, handle, headers);
    perform(&transfer, handle, arena);
    curl.curl_slist_free_all_(headers);
    curl.curl_easy_cleanup_(handle);
    free(transfer.body);
    return st;
}
