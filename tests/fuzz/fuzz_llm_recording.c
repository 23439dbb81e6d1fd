/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer target: reads any bytes as a recording of a language model. If the
 * recording is accepted, its keys can be looked up; if it is refused, the
 * message begins with the name of the file. */
#include <string.h>

#include "base/check.h"
#include "schedmate/llm/llm_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Looks up each key that occurs in the text. */
static void ask_all(const struct recording *recording, struct text text,
                    struct arena *arena)
{
    for (size_t i = 0; i + 64 <= text.len; i++) {
        char key[DIGEST_HEX_MAX];
        struct llm_reply reply = {0};
        memcpy(key, text.at + i, 64);
        key[64] = '\0';
        if (strspn(key, "0123456789abcdef") == 64 &&
            recording_find(recording, key, arena, &reply))
            CHECK(reply.known ? reply.text != NULL : reply.why != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct error err;
    struct recording *recording;
    struct arena arena;
    arena_init(&arena);
    struct text text = {arena_copy(&arena, (const char *)data, size), size};
    if (recording_read("tape", text, &recording, &err) == STATUS_OK)
        ask_all(recording, text, &arena);
    else
        CHECK(strncmp(err.message, "tape:", 5) == 0);
    recording_free(recording);
    arena_fini(&arena);
    return 0;
}
