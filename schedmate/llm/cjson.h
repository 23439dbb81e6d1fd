/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads cJSON, which writes requests to language models and parses their
 * replies. It is loaded at the first question, because few runs ask a model.
 * The code is in llm_json.c. */
#ifndef MODELS_CJSON_H
#define MODELS_CJSON_H

#include <schedsim_features.h>
#ifdef SCHEDSIM_WITHOUT_CJSON
#include "base/absent/cjson_absent.h"
#else
#include <cjson/cJSON.h>
#endif

#include "base/error.h"

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

#endif
