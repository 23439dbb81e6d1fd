/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON of a language model: cJSON, schemas, and values read by them.
 *
 * Loads cJSON, which writes requests to language models and parses their
 * replies. It is loaded at the first question, because few runs ask a model. */
#ifndef SIM_LLM_JSON_H
#define SIM_LLM_JSON_H

#include <schedsim_features.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/out.h"
#include "schedmate/llm/llm.h"

#ifdef SCHEDSIM_WITHOUT_CJSON
#include "base/absent/cjson_absent.h"
#else
#include <cjson/cJSON.h>
#endif

/* The functions of cJSON that are used. The members of struct cjson and the
 * names that cjson_load looks up come from this list. */
#define CJSON(X) \
    X(AddArrayToObject) \
    X(AddItemToArray) \
    X(AddItemToObject) \
    X(AddNumberToObject) \
    X(AddObjectToObject) \
    X(AddStringToObject) \
    X(AddTrueToObject) \
    X(CreateObject) \
    X(CreateString) \
    X(Delete) \
    X(GetArrayItem) \
    X(GetArraySize) \
    X(GetObjectItemCaseSensitive) \
    X(IsArray) \
    X(IsBool) \
    X(IsNull) \
    X(IsNumber) \
    X(IsObject) \
    X(IsString) \
    X(IsTrue) \
    X(ParseWithLength) \
    X(PrintUnformatted)

struct cjson {
#define CJSON_MEMBER(name) __typeof__(cJSON_##name) *name;
    CJSON(CJSON_MEMBER)
#undef CJSON_MEMBER
};

/* Loads the library. Returns STATUS_FAILED if the build left it out, it is not
 * installed or it lacks a function. A second call is cheap. */
enum status cjson_load(struct cjson *out, struct error *err) MUST_USE;

/* The key under which a recording keeps the reply to a request: the SHA-256 of
 * a canonical JSON text of all that a request says about the answer
 * (docs/schedmate.md specifies recordings). */

/* Writes the canonical JSON of a request: keys sorted, no blanks between
 * tokens, numbers as llm_json_number writes them. Chat:
 * {"kind","max_tokens","messages","model","prompt_version",
 * "response_schema_hash","seed","temperature","top_p","v"}. Embeddings:
 * {"input","kind","model","prompt_version","v"}. The text does not depend on
 * the server, its key, the purpose, or the form in which the server gets the
 * schema. */
void llm_request_json(const struct llm_request *request, struct out *out);

void llm_request_key(const struct llm_request *request,
                     char hex[DIGEST_HEX_MAX]);

/* Returns `model` of the request's sampling for a chat, `embed_model` for
 * embeddings. */
const char *llm_request_model(const struct llm_request *request);

/* Parses what a model wrote: skips thinking blocks, then takes the first JSON
 * object that fits the schema. Text around the object, such as fences, is
 * ignored. Numbers and booleans may be in quotes, and commas before a closing
 * bracket are forgiven. */

#define LLM_COMPLAINT_MAX 256

/* Returns the values of the fields, in the order in which the schema lists
 * them, in the arena. Returns NULL if none of the first 16 objects in `text`
 * fits the schema; `complaint` then says what is wrong with the first
 * well-formed one, or that there is none, as a text that can be sent back to
 * the model. If values are returned, its content means nothing. A field that is
 * not required may be absent or null. Keys that no field names are ignored.
 * Takes time proportional to the length of the text. */
const struct llm_value *llm_parse(const struct cjson *cj, struct text text,
                                  const struct llm_schema *schema,
                                  struct arena *arena,
                                  char complaint[LLM_COMPLAINT_MAX]);

#endif
