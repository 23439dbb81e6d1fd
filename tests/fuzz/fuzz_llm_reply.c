/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer target: reads any bytes as the body of a server's reply, as the
 * text of an answer, and as an error message of the server. An answer that is
 * accepted must fit the schema. */
#include <string.h>

#include "base/check.h"
#include "schedmate/llm/llm_internal.h"
#include "schedmate/llm/llm_json.h"
#include "schedmate/llm/llm_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const kinds[] = {"gpu", "node", NULL};
static const struct llm_field fields[] = {
    {.name = "found", .type = LLM_BOOL, .required = true, .help = "is it so"},
    {.name = "seconds", .type = LLM_NUMBER, .lo = 0.5, .hi = 10, .help = "s"},
    {.name = "count", .type = LLM_INTEGER, .help = "how many"},
    {.name = "kind", .type = LLM_STRING, .choices = kinds, .help = "which"},
    {.name = "more", .type = LLM_LIST, .max = 3, .help = "other things"},
    {0},
};
static const struct llm_schema schema = {"fuzz", fields};
static const struct llm_sampling sampling = {
    .model = "m", .embed_model = "e", .top_p = 1};
static const struct llm_message message = {LLM_USER, "?"};
static const char *const inputs[] = {"a", "b"};

static void is_utf8(const char *s)
{
    char buf[LLM_STRING_MAX + 1];
    size_t len = strlen(s);
    if (len > LLM_STRING_MAX)
        return;
    memcpy(buf, s, len);
    CHECK(llm_utf8_clean(buf, len) == 0);
}

static void try_answer(const struct cjson *cj, struct text text,
                       struct arena *arena)
{
    char complaint[LLM_COMPLAINT_MAX];
    const struct llm_value *values =
        llm_parse(cj, text, &schema, arena, complaint);
    if (!values) {
        CHECK(complaint[0] && !strchr(complaint, '\n'));
        return;
    }
    CHECK(values[0].present);
    CHECK(!values[1].present ||
          (values[1].number >= 0.5 && values[1].number <= 10));
    CHECK(!values[3].present || strcmp(values[3].string, "gpu") == 0 ||
          strcmp(values[3].string, "node") == 0);
    CHECK(values[4].n_list <= 3);
    for (size_t i = 0; i < values[4].n_list; i++)
        is_utf8(values[4].list[i]);
}

static void try_reply(const struct cjson *cj, enum llm_kind kind,
                      struct text body, struct arena *arena)
{
    const struct llm_request request = {.kind = kind,
                                        .purpose = "fuzz",
                                        .prompt_version = "1",
                                        .messages = &message,
                                        .n_messages = kind == LLM_CHAT,
                                        .inputs = inputs,
                                        .n_inputs = kind == LLM_EMBED ? 2 : 0,
                                        .sampling = &sampling};
    struct llm_reply reply = {.text = "", .why = ""};
    llm_wire_reply(cj, &request, body, arena, &reply);
    if (!reply.known) {
        CHECK(reply.why[0]);
    } else if (kind == LLM_CHAT) {
        is_utf8(reply.text);
        try_answer(cj, text_from(reply.text), arena);
    } else {
        CHECK(reply.n_vectors == 2 && reply.width && reply.vectors);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct cjson cj;
    struct llm_wire_error error;
    struct llm_learned learned = {0};
    arena_init(&arena);
    CHECK(cjson_load(&cj, NULL) == STATUS_OK);
    struct text text = {arena_copy(&arena, (const char *)data, size), size};
    try_answer(&cj, text, &arena);
    try_reply(&cj, LLM_CHAT, text, &arena);
    try_reply(&cj, LLM_EMBED, text, &arena);
    llm_wire_error(&cj, text, &arena, &error);
    int lessons = 0;
    const struct llm_server *vllm = llm_server_find("vllm", (struct text){0});
    while (llm_server_learn(vllm, text, true, false, &learned))
        CHECK(++lessons <= LLM_LESSONS_MAX);
    arena_fini(&arena);
    return 0;
}
