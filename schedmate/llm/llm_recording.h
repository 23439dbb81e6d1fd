/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording of replies. The file is only appended to, except that a last line
 * that was cut off is removed first. Each line is one record, a JSON object:
 *
 *     {"key": 64 hex digits, "kind": "chat"|"embed", "model": ..., "reply":
 *      {"content": ..., "finish_reason": ...} | {"embedding": [...]}, "usage":
 *      {"prompt", "completion", "cached", "reasoning", "estimated"},
 *      "system_fingerprint", "latency_ms", "created", "server", "attempt",
 *      "request": the question, if the user wants it recorded}
 *
 * An embedding is base64 of little-endian floats, one string per input. A
 * record with "failed": WHY and a reply that is null means that there was no
 * answer; "too_long" is true if that was the reason. "attempt" is the number of
 * requests sent. The last record of a key counts. The API key and the address
 * of the server are not recorded. */
#ifndef MODELS_LLM_RECORDING_H
#define MODELS_LLM_RECORDING_H

#include "schedmate/llm/llm.h"
#include "schedmate/llm/llm_json.h"

struct recording;

/* Reads `path`. A missing file counts as an empty recording, unless
 * `must_exist` is true. A last line that was cut off is skipped; any other
 * damage is STATUS_BAD_INPUT with file, line and column. A file that cannot be
 * read is STATUS_FAILED, one that is not a regular file or is larger than 1 GiB
 * STATUS_BAD_INPUT. The caller owns *out, which is NULL after an error. */
enum status recording_open(const char *path, bool must_exist,
                           struct recording **out, struct error *err) MUST_USE;
void recording_free(struct recording *recording); /* accepts NULL */

/* Fills in *reply, which llm_ask has cleared, from the last record of the key.
 * Returns false if there is none. After a record of a failure it returns true,
 * with reply->known false. Texts and vectors lie in the arena. */
bool recording_find(const struct recording *recording, const char *key,
                    struct arena *arena, struct llm_reply *reply) MUST_USE;

/* Appends a record with one write and one fsync; from then on recording_find
 * finds it. The reply must be known or too long. `created` is in microseconds
 * since 1970 UTC. If `with_request` is true, the question is recorded too. If
 * the file cannot be written, returns STATUS_FAILED and adds nothing. */
enum status recording_add(struct recording *recording,
                          const struct llm_request *request, const char *key,
                          const struct llm_reply *reply, sim_time created,
                          bool with_request, struct error *err) MUST_USE;

#endif
