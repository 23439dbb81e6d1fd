/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording of replies: JSON Lines, appended to and never rewritten, one
 * record per line:
 *
 *     {"key": 64 hex digits, "kind": "chat"|"embed", "model": ..., "reply":
 *      {"content": ..., "finish_reason": ...} | {"embedding": [...]}, "usage":
 *      {"prompt", "completion", "cached", "reasoning", "estimated"},
 *      "system_fingerprint", "latency_ms", "created", "server", "attempt",
 *      "request": the question, if the user wants it recorded}
 *
 * An embedding is base64 of little-endian floats, one string per input. A
 * record with "failed": "why" instead of a reply means that there was no
 * answer. The last record of a key counts. A recording never contains an API
 * key or the address of a server. */
#ifndef MODELS_LLM_RECORDING_H
#define MODELS_LLM_RECORDING_H

#include "models/llm/llm.h"
#include "models/llm/llm_schema.h"

struct recording;

/* Reads `path`. A missing file counts as an empty recording, unless
 * `must_exist` is true. A last line that was cut off is skipped; any other
 * damage is STATUS_BAD_INPUT with file, line and column. The caller owns
 * *out. */
enum status recording_open(const char *path, bool must_exist,
                           struct recording **out, struct error *err) MUST_USE;
void recording_free(struct recording *recording); /* accepts NULL */

/* Returns false if there is no record of the key. Texts lie in the arena. */
bool recording_find(const struct recording *recording, const char *key,
                    struct arena *arena, struct llm_reply *reply) MUST_USE;

/* Appends a record with one write and one fsync; from then on recording_find
 * finds it. `created` is in microseconds since 1970. */
enum status recording_add(struct recording *recording,
                          const struct llm_request *request, const char *key,
                          const struct llm_reply *reply, sim_time created,
                          bool with_request, struct error *err) MUST_USE;

#endif
