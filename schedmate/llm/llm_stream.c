/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a reply that a server sends as a stream of events (text/event-stream,
 * WHATWG HTML, section 9.2): lines "data: {...}", the last "data: [DONE]". Each
 * event holds a piece of the answer (choices[0].delta); one of the last holds
 * the counts of tokens. */
#include <string.h>

#include "schedmate/llm/llm_schema.h"
#include "schedmate/llm/llm_text.h"
#include "schedmate/llm/llm_wire.h"

struct stream {
    const struct cjson *cj;
    struct arena *arena;
    struct llm_reply *reply;
    struct out *text;
    cJSON *usage; /* the last event with counts of tokens; owned */
    bool any, said, thought, done;
};

static const cJSON *get(const struct stream *s, const cJSON *object,
                        const char *name)
{
    return s->cj->GetObjectItemCaseSensitive(object, name);
}

static const char *copy(const struct stream *s, const cJSON *object,
                        const char *name, const char *before)
{
    const cJSON *item = get(s, object, name);
    return s->cj->IsString(item) && item->valuestring[0]
               ? llm_utf8_copy(s->arena, text_from(item->valuestring))
               : before;
}

static void take_piece(struct stream *s, const cJSON *event)
{
    const cJSON *choice = s->cj->GetArrayItem(get(s, event, "choices"), 0);
    const cJSON *delta = get(s, choice, "delta");
    const cJSON *content = get(s, delta, "content");
    if (s->cj->IsString(content)) {
        out_text(s->text, content->valuestring);
        s->said = true;
    }
    s->thought |= s->cj->IsString(get(s, delta, "reasoning_content")) ||
                  s->cj->IsString(get(s, delta, "reasoning"));
    s->reply->finish_reason =
        copy(s, choice, "finish_reason", s->reply->finish_reason);
    s->reply->model = copy(s, event, "model", s->reply->model);
    s->reply->fingerprint =
        copy(s, event, "system_fingerprint", s->reply->fingerprint);
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
    take_piece(s, event);
    if (s->cj->IsObject(get(s, event, "usage"))) {
        s->cj->Delete(s->usage);
        s->usage = event;
    } else {
        s->cj->Delete(event);
    }
    return true;
}

static bool begins(struct text t, const char *word)
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
        !(begins(body, "data:") || begins(body, "event:") || begins(body, ":")))
        return false;
    reply->finish_reason = reply->fingerprint = "";
    reply->model = llm_request_model(request);
    s.text = out_to_memory();
    while (body.len) {
        struct text rest, line = text_trim(text_split(body, '\n', &rest));
        body = rest;
        if (!begins(line, "data:"))
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
        llm_wire_usage(cj, get(&s, s.usage, "usage"), request, reply);
    cj->Delete(s.usage);
    out_abandon(s.text);
    return true;
}
